"""Everything on one study: from judgments, texts and scores to the results section of a paper.

``build_report`` computes, ``write_report`` writes the folder; ``docs/report.md`` describes what is in it. What ``report.json`` holds
is worded by :mod:`metrics.report.said` and :mod:`metrics.report.words`, printed by :mod:`metrics.report.printed` and drawn by
:mod:`metrics.report.drawn`, for whoever shows it.
"""

from metrics.report import numbers, printed
from metrics.report.book import frame_of, records
from metrics.report.build import SCHEMA, Report, build_report
from metrics.report.drawn import FORMS, PageFigure, page_figure, render_figure
from metrics.report.figures import CURVES, figure_named, scatter_spec, williams_spec
from metrics.report.names import LEVELS, METHODS
from metrics.report.options import Options
from metrics.report.printed import Printed
from metrics.report.steps import Cancelled
from metrics.report.stored import read_report, stored_table, stored_tables
from metrics.report.write import check_place, write_report

__all__ = [
    "CURVES",
    "FORMS",
    "LEVELS",
    "METHODS",
    "SCHEMA",
    "Cancelled",
    "Options",
    "PageFigure",
    "Printed",
    "Report",
    "build_report",
    "check_place",
    "figure_named",
    "frame_of",
    "numbers",
    "page_figure",
    "printed",
    "read_report",
    "records",
    "render_figure",
    "scatter_spec",
    "stored_table",
    "stored_tables",
    "williams_spec",
    "write_report",
]
