"""The files of a report: what can be downloaded, one by one or as one zip."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip wants a date; a fixed one keeps its bytes the same
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".tex": "text/x-tex; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


@dataclass(frozen=True)
class ReportFile:
    """One file; ``name`` is its path within the report, with slashes."""

    name: str
    path: Path
    size: int

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def form(self) -> str:
        """What one calls this kind of file."""
        return "LaTeX" if self.path.suffix == ".tex" else self.path.suffix.removeprefix(".").upper()

    @property
    def content_type(self) -> str:
        return TYPES.get(self.path.suffix, "application/octet-stream")


def report_files(folder: Path) -> list[ReportFile]:
    """All files of a report, in the order of their names."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [ReportFile(path.relative_to(folder).as_posix(), path, path.stat().st_size) for path in paths]


def report_file(folder: Path, name: str) -> ReportFile | None:
    """The file of this name. Only names that are listed exist, so no name leads out of the folder."""
    return next((file for file in report_files(folder) if file.name == name), None)


def report_zip(folder: Path, file: BinaryIO, *, top: str) -> None:
    """All files as one zip, under one folder; the same report gives the same bytes."""
    with zipfile.ZipFile(file, "w") as archive:
        for entry in report_files(folder):
            info = zipfile.ZipInfo(f"{top}/{entry.name}", EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, entry.path.read_bytes())
