"""The one door to ``metrics``: the long table in; human scores of the study page, and reports, out.

``from annotation import analysis``, then ``analysis.human_results``: what is behind the door is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics.errors import BadInput

if TYPE_CHECKING:
    from annotation.analysis.background import report_request
    from annotation.analysis.forecast import ASSUMED_SHARES, forecast_means, forecast_wins
    from annotation.analysis.human import human_results
    from annotation.analysis.judgments import judgment_table
    from annotation.analysis.monitor import monitor_request
    from annotation.analysis.reports import metric_names, report_make

_BEHIND = {
    "ASSUMED_SHARES": "forecast",
    "forecast_means": "forecast",
    "forecast_wins": "forecast",
    "human_results": "human",
    "judgment_table": "judgments",
    "metric_names": "reports",
    "monitor_request": "monitor",
    "report_make": "reports",
    "report_request": "background",
}

__all__ = [
    "ASSUMED_SHARES",
    "BadInput",
    "forecast_means",
    "forecast_wins",
    "human_results",
    "judgment_table",
    "metric_names",
    "monitor_request",
    "report_make",
    "report_request",
]


def __getattr__(name: str) -> Any:
    if name not in _BEHIND:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_BEHIND[name]}"), name)
