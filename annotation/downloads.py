"""What can be taken away, as responses: the same for pages and the API. Who may have it is the caller's business."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotation.export import ATTRIBUTE_COLUMNS, attribute_rows, columns_of, judgment_rows
from annotation.export_files import csv_lines, jsonl_lines, parquet_write
from annotation.models import Run, Study
from annotation.reports.files import ReportFile, report_zip
from annotation.selectors.audit import AUDIT_COLUMNS, audit_lines
from annotation.selectors.files import study_as_file
from annotation.study_files import zipped

TYPES = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"}
ZIP = "application/zip"


def judgments_file(
    study: Study,
    format: str,
    *,
    all_revisions: bool = False,
    names: bool = False,
    excluded: bool = False,
    decisions: bool = False,
) -> HttpResponseBase:
    """The long table in one of the formats of ``TYPES``."""
    rows = judgment_rows(
        study, all_revisions=all_revisions, names=names, excluded=excluded, decisions=decisions
    )
    name = f"{study.slug}.judgments.{format}"
    if format == "parquet":
        file = tempfile.NamedTemporaryFile()  # noqa: SIM115 - the response closes it, and then it is gone
        parquet_write(rows, Path(file.name), decisions=decisions)
        return FileResponse(file, as_attachment=True, filename=name, content_type=TYPES[format])
    lines = csv_lines(columns_of(decisions=decisions), rows) if format == "csv" else jsonl_lines(rows)
    return _streamed(lines, name, TYPES[format])


def attributes_file(study: Study, *, panel: bool = False) -> HttpResponseBase:
    lines = csv_lines(ATTRIBUTE_COLUMNS, attribute_rows(study, panel=panel))
    return _streamed(lines, f"{study.slug}.judgments.csv.attributes.csv", TYPES["csv"])


def audit_file(study: Study | None, format: str) -> HttpResponseBase:
    """The audit trail from its first line, as CSV or JSON Lines; hashes and all, so that anybody can check it.

    None: of what belongs to no study.
    """
    lines = (
        csv_lines(AUDIT_COLUMNS, audit_lines(study)) if format == "csv" else jsonl_lines(audit_lines(study))
    )
    return _streamed(lines, f"{study.slug if study else 'server'}.history.{format}", TYPES[format])


def study_file(study: Study) -> HttpResponse:
    """The study file again, as a zip."""
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}.zip"'}
    return HttpResponse(zipped(study_as_file(study)), content_type=ZIP, headers=headers)


def report_download(file: ReportFile) -> FileResponse:
    """One file of a report; always to be kept, never to be opened on our address as if it were a page of ours."""
    content = file.path.open("rb") if file.path else io.BytesIO(file.content())
    return FileResponse(content, as_attachment=True, filename=file.file_name, content_type=file.content_type)


def report_archive(study: Study, run: Run) -> FileResponse:
    """All files of a report, as a zip."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it, and then it is gone
    report_zip(run.folder, file, top=f"{study.slug}-report")
    file.seek(0)
    name = f"{study.slug}-report-{run.pk}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type=ZIP)


def _streamed(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
