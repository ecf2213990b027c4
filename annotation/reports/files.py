"""The files of a report: what can be downloaded, one by one or as one zip.

Figures are not stored: they are drawn from ``report.json`` when somebody wants them. They are files all the same, with names
in ``figures/``; a report that was made with its figures has them in its folder. Long tables are stored as Parquet, and are CSV
and for LaTeX, when that is asked for; ``report.json`` is given out with their rows in it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from annotation.reports.data import BadInput, Record, report_data, reporting

EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip wants a date; a fixed one keeps its bytes the same
FIGURES = "figures"
REPORT = "report.json"
STORED = ".parquet"
ZIPPED = ("svg", "csv")
"""Forms of figures in the zip: those that take no time. PDF and PNG are drawn one by one."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".tex": "text/x-tex; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


def form_name(form: str) -> str:
    """What one calls this kind of file."""
    return {"tex": "LaTeX", "parquet": "Parquet"}.get(form, form.upper())


@dataclass(frozen=True)
class ReportFile:
    """One file; ``name`` is its path within the report, with slashes.

    Without a ``path`` it is made when it is wanted: drawn from ``spec``, or written from the table that is stored.
    """

    name: str
    root: Path
    path: Path | None = None
    spec: Record | None = None

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def file_name(self) -> str:
        return PurePosixPath(self.name).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def form(self) -> str:
        return form_name(PurePosixPath(self.name).suffix.removeprefix("."))

    @property
    def content_type(self) -> str:
        return TYPES.get(PurePosixPath(self.name).suffix, "application/octet-stream")

    @property
    def size(self) -> int | None:
        """In bytes; None for what is not made yet."""
        return self.path.stat().st_size if self.path else None

    def content(self) -> bytes:
        if self.path:
            return self.path.read_bytes()
        data = report_data(self.root).data
        if self.name == REPORT:
            return whole_report(self.root)
        form = PurePosixPath(self.name).suffix.removeprefix(".")
        if self.spec is None:
            return reporting.stored_table(self.root, self.stem, form, data).encode()
        return reporting.render_figure(data, self.spec, forms=[form])[form]


def whole_report(folder: Path) -> bytes:
    """``report.json`` with the rows of all tables, also of those that are stored beside it."""
    if not any(folder.glob(f"tables/*{STORED}")):
        return (folder / REPORT).read_bytes()
    return (json.dumps(report_data(folder).data, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def report_files(folder: Path, *, forms: Sequence[str] | None = None) -> list[ReportFile]:
    """All files of a report, in the order of their names; figures that are not stored in these forms, or in all."""
    forms = reporting.FORMS if forms is None else forms
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    stored = [ReportFile(path.relative_to(folder).as_posix(), folder, path) for path in paths]
    known = {file.name for file in stored}
    report = report_data(folder) if REPORT in known else None
    long = reporting.stored_tables(folder, report.data) if report else {}
    if long:
        stored = [ReportFile(REPORT, folder) if file.name == REPORT else file for file in stored]
        names = [f"tables/{name}.{form}" for name, forms in long.items() for form in forms]
        stored += [ReportFile(name, folder) for name in names if name not in known]
    figures = report.data["figures"] if report and report.is_current else []
    drawn = [
        ReportFile(name, folder, spec=spec)
        for spec in figures
        for form in forms
        if (name := f"{FIGURES}/{spec['name']}.{form}") not in known
    ]
    return sorted([*stored, *drawn], key=lambda file: file.name)


def report_file(folder: Path, name: str, *, curves: Sequence[str] = ()) -> ReportFile | None:
    """The file of this name. Only names that are listed exist, so no name leads out of the folder; beside them any figure
    that the report can draw: scatter plots of all metrics, curves of those that are asked for.
    """
    if not curves:
        listed = next((file for file in report_files(folder) if file.name == name), None)
        if listed is not None:
            return listed
    path = PurePosixPath(name)
    if (
        str(path.parent) != FIGURES
        or path.suffix.removeprefix(".") not in reporting.FORMS
        or not (folder / REPORT).exists()
    ):
        return None
    report = report_data(folder)
    if not report.is_current:
        return None
    try:
        spec = reporting.figure_named(report.data, path.stem, curves=curves)
    except BadInput:
        return None
    return ReportFile(name, folder, spec=spec)


def report_zip(folder: Path, file: BinaryIO, *, top: str) -> None:
    """All files as one zip, under one folder; the same report gives the same bytes."""
    with zipfile.ZipFile(file, "w") as archive:
        for entry in report_files(folder, forms=ZIPPED):
            if entry.name.endswith(STORED):
                continue  # it is in the zip as CSV, which everybody reads
            info = zipfile.ZipInfo(f"{top}/{entry.name}", EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, entry.content())
