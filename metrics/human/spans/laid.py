"""What everyone marked, for a report: errors by category and severity, and every span with who marked it."""

from __future__ import annotations

import pandas as pd

from metrics.human.kind import Marked
from metrics.human.spans.places import COUNT, OUTPUT, is_error, with_places
from metrics.human.spans.tables import JUDGED_UNIT, error_counts, named_errors, severities


def marked(rows: pd.DataFrame) -> Marked:
    """``counts``: system, category (its branch), severity, errors, units. ``spans``: the parts of spans in outputs."""
    placed = with_places(rows)
    branches = placed.assign(
        criterion=placed["criterion"].str.split("/").str[0].where(is_error(placed), placed["criterion"])
    )
    errors = named_errors(placed)
    inside = errors[errors["side"] == OUTPUT]
    spans = [
        (*place, start, end)
        for *place, parts in inside[[*JUDGED_UNIT, "severity", "category", "parts"]].itertuples(index=False)
        for start, end in parts
    ]
    judged = placed[is_error(placed) | placed["criterion"].eq(COUNT)]
    return Marked(
        counts=error_counts(branches),
        severities=[str(name) for name in severities(errors)],
        spans=pd.DataFrame(spans, columns=[*JUDGED_UNIT, "severity", "category", "start", "end"]),
        judged=judged[JUDGED_UNIT].drop_duplicates(ignore_index=True),
    )
