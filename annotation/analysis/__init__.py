"""The one door to ``metrics``: the long table in; human scores of the study page, and reports, out."""

from annotation.analysis.background import report_request
from annotation.analysis.human import Results, ScoreTable, SystemMean, human_results
from annotation.analysis.judgments import judgment_table
from annotation.analysis.reports import metric_names, report_make
from metrics.errors import BadInput

__all__ = [
    "BadInput",
    "Results",
    "ScoreTable",
    "SystemMean",
    "human_results",
    "judgment_table",
    "metric_names",
    "report_make",
    "report_request",
]
