"""What tables say in print, on the page and in LaTeX: which columns, under which heads, with how many digits."""

from metrics.report.printed.base import DOT, Printed
from metrics.report.printed.metrics import (
    aev_table,
    king_table,
    metrics_table,
    preference_table,
    rouge_shares_table,
    rouge_table,
)
from metrics.report.printed.people import (
    agreement_table,
    chosen_agreement_table,
    deviations_table,
    programs_first_place_table,
    programs_table,
    scale_agreement_table,
    scale_deviations_table,
    severity_table,
    speed_table,
)
from metrics.report.printed.systems import (
    best_metrics_table,
    detail_table,
    pairs_table,
    systems_table,
    winners_table,
)

__all__ = [
    "DOT",
    "Printed",
    "aev_table",
    "agreement_table",
    "best_metrics_table",
    "chosen_agreement_table",
    "detail_table",
    "deviations_table",
    "king_table",
    "metrics_table",
    "pairs_table",
    "preference_table",
    "programs_first_place_table",
    "programs_table",
    "rouge_shares_table",
    "rouge_table",
    "scale_agreement_table",
    "scale_deviations_table",
    "severity_table",
    "speed_table",
    "systems_table",
    "winners_table",
]
