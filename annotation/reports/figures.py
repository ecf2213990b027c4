"""Figures on a page: drawn by ``metrics.report`` from their description, when the page is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe

from annotation.reports.data import Record, ReportData, reporting
from annotation.reports.files import form_name


@dataclass(frozen=True)
class Figure:
    """What the template of a figure needs."""

    name: str
    kind: str
    title: str
    caption: str
    drawings: list[SafeString]
    board: dict[str, Any] | None
    files: list[tuple[str, str, str]]
    """Form, name of the file in the report, and what else its address asks for."""


def figure_of(report: ReportData, spec: Record, **asked: Any) -> Figure:
    """The figure that a spec describes; ``asked`` goes into the addresses of its files."""
    drawn = reporting.page_figure(report.data, spec)
    query = f"?{urlencode(asked, doseq=True)}" if asked else ""
    return Figure(
        name=spec["name"],
        kind=spec["kind"],
        title=spec["title"],
        caption=spec["caption"],
        # Safe: metrics/drawing/svg.py writes it, and lets words and attributes in only through its two escaping functions;
        # tests/metrics/drawing/test_drawing.py and tests/annotation/views/test_report.py try hostile names.
        drawings=[mark_safe(drawing) for drawing in drawn.drawings.values()],  # noqa: S308
        board=drawn.board,
        files=[(form_name(form), f"figures/{spec['name']}.{form}", query) for form in reporting.FORMS],
    )


def figure_where(report: ReportData, kind: str, **wanted: Any) -> Figure | None:
    """The report's own figure of a kind that is about this; None where it has none."""
    for spec in report.data["figures"]:
        if spec["kind"] == kind and all(spec.get(name) == value for name, value in wanted.items()):
            return figure_of(report, spec)
    return None
