"""Everything on one study: from judgments, texts and scores to the results section of a paper.

``build_report`` computes, ``write_report`` writes the folder; ``docs/report.md`` describes what is in it.
"""

from metrics.report.book import frame_of, records
from metrics.report.build import Report, build_report
from metrics.report.figures import render_figure, scatter_spec
from metrics.report.options import Options
from metrics.report.steps import Cancelled
from metrics.report.words import agreement_in_short
from metrics.report.write import check_place, write_report

__all__ = [
    "Cancelled",
    "Options",
    "Report",
    "agreement_in_short",
    "build_report",
    "check_place",
    "frame_of",
    "records",
    "render_figure",
    "scatter_spec",
    "write_report",
]
