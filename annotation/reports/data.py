"""A finished report as pages read it: ``report.json``, parsed once (``docs/report.md`` describes it).

This is the one door from pages to ``metrics.report``, which words, prints and draws what ``report.json`` holds. Nothing is
computed or worded on this side of it. It is opened by the first page of a report.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.later import Later
from metrics.errors import BadInput

if TYPE_CHECKING:
    from metrics import report as reporting
else:
    reporting = Later("metrics.report")

__all__ = ["BadInput", "Record", "ReportData", "options_of", "records", "report_data", "reporting"]

Record = dict[str, Any]

# Parts of a signature that say what a number stands on, and not how the metric was configured.
NO_OPTIONS = {"level", "n", "references", "version", "seed", "data", "metric"}


def records(table: dict[str, Any] | None) -> list[Record]:
    """A table of the report, one dictionary per row; nothing where the table is missing."""
    return [] if table is None else reporting.records(table)


def options_of(signature: str) -> dict[str, str]:
    """How a metric was configured: ``rouge-1-f|stem:no|measure:f`` gives stem and measure."""
    parts = (part.partition(":") for part in signature.split("|")[1:])
    return {name: value for name, _, value in parts if name not in NO_OPTIONS}


class ReportData:
    """One report. Its file never changes, so whoever has read it may keep it."""

    def __init__(self, data: dict[str, Any], folder: Path) -> None:
        self.data = data
        self.folder = folder
        self.humans: list[Record] = data["human"]
        self.metas: dict[str, Record] = {section["slug"]: section for section in data["meta"]}

    @property
    def is_current(self) -> bool:
        """Whether it has all that pages and figures are made of; reports of earlier versions can only be downloaded."""
        return bool(self.data.get("schema") == reporting.SCHEMA)

    def human(self, slug: str | None) -> Record | None:
        """The human score with this slug, or the first; None where the report has none."""
        named = (section for section in self.humans if section["slug"] == slug)
        return next(named, self.humans[0] if self.humans else None)

    def meta(self, human: Record | None) -> Record | None:
        """Metrics against this human score."""
        return self.metas.get(human["slug"]) if human else None

    def signature(self, key: str) -> str:
        return self.data["signatures"].get(key, key)

    def missing(self, section: str, human: Record | None = None) -> str:
        """Why a section could not be made; empty where it is there."""
        scopes = (None, human["id"] if human else None)
        found = (row for row in self.data["missing"] if row["section"] == section and row["human"] in scopes)
        return next((row["why"] for row in found), "")


def report_data(folder: Path) -> ReportData:
    """The report of a run that is done."""
    file = folder / "report.json"
    return _parsed(file, file.stat().st_mtime_ns)


# A report of 200 metrics is some megabytes of JSON; parsing it again for every page would be felt.
@lru_cache(maxsize=4)
def _parsed(file: Path, written: int) -> ReportData:
    return ReportData(reporting.read_report(file.parent), file.parent)
