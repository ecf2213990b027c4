"""Human scores on a page, and everything to take away."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.analysis import human_results
from annotation.export import (
    ATTRIBUTE_COLUMNS,
    COLUMNS,
    attribute_rows,
    csv_lines,
    jsonl_lines,
    judgment_rows,
    parquet_write,
)
from annotation.models import Membership, Study
from annotation.selectors.exhibits import kind_of
from annotation.selectors.files import study_as_file
from annotation.study_files import zipped
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, study_page

VIEWER = Membership.Role.VIEWER
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


@member_required(VIEWER)
@require_GET
def study_results(request: MemberRequest, study: Study) -> HttpResponse:
    """Scores per system, task by task, each with the counts it stands on, and what else the kind has to say."""
    results = human_results(study)
    by_task = [
        {
            "name": task.name,
            "title": kind_of(task).title,
            "scores": [row for row in results.scores if row.task == task.name],
            "tables": results.tables.get(task.name, []),
        }
        for task in study.tasks.all()
    ]
    shown = [task for task in by_task if task["scores"] or task["tables"]]
    return study_page(request, study, "results", {"by_task": shown})


@member_required(VIEWER)
@require_GET
def study_downloads(request: MemberRequest, study: Study) -> HttpResponse:
    return study_page(request, study, "downloads", {})


@member_required(VIEWER)
@require_GET
@never_cache
def download_judgments(request: MemberRequest, study: Study, format: str) -> HttpResponseBase:
    """The long table. Assessors' names only for an owner who asks for them."""
    if format not in TYPES:
        raise Http404("There is no such format.")
    names = "names" in request.GET and request.membership.role == Membership.Role.OWNER
    rows = judgment_rows(study, all_revisions="all_revisions" in request.GET, names=names)
    name = f"{study.slug}.judgments.{format}"
    if format == "parquet":
        file = tempfile.NamedTemporaryFile()  # noqa: SIM115 - the response closes it, and then it is gone
        parquet_write(rows, Path(file.name))
        return FileResponse(file, as_attachment=True, filename=name, content_type=TYPES[format])
    return _streamed(csv_lines(COLUMNS, rows) if format == "csv" else jsonl_lines(rows), name, TYPES[format])


@member_required(VIEWER)
@require_GET
@never_cache
def download_attributes(request: MemberRequest, study: Study) -> HttpResponseBase:
    lines = csv_lines(ATTRIBUTE_COLUMNS, attribute_rows(study))
    return _streamed(lines, f"{study.slug}.judgments.csv.attributes.csv", TYPES["csv"])


@member_required(VIEWER)
@require_GET
@never_cache
def download_study(request: MemberRequest, study: Study) -> HttpResponse:
    """The study file again."""
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}.zip"'}
    return HttpResponse(zipped(study_as_file(study)), content_type="application/zip", headers=headers)


def _streamed(lines: Iterator[str], name: str, content_type: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
