"""Reports: asked for, watched, cancelled, taken away. The worker makes them in the background.

Each making is a run, with the choices it was asked for with; what comes of it has the address of its run.
"""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

from django.http import FileResponse, Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import analysis
from annotation.api.base import AnyType, StudyView, parsed, query
from annotation.api.documented import PAGED, READS, WRITES, operation
from annotation.api.errors import Detail, Invalid, NotNow
from annotation.api.paging import paged
from annotation.api.schemas import (
    NewReport,
    PageQuery,
    Report,
    ReportFileDetail,
    ReportFiles,
    ReportOptions,
    RunDetail,
    RunPage,
)
from annotation.downloads import ZIP, report_archive, report_download
from annotation.found import found_or_404
from annotation.models import Run, Study
from annotation.reports.files import TYPES, report_file, report_files, whole_report
from annotation.selectors import runs as selectors
from annotation.services.runs import run_cancel

REPORT = "report.json"
MEDIA_TYPES = sorted({kind.partition(";")[0] for kind in TYPES.values()})


class StudyReport(StudyView):
    @operation("reports", "report", "The newest report", *READS, answer=Report)
    def get(self, request: Request, slug: str) -> FileResponse:
        """The file `report.json` of the newest run that is done: every number with its signature, and the `options`
        it was made with. `Content-Location` is the address of the same report by its run. There may be newer
        judgments, or something may be left out since; `stale` of the run says so."""
        run = selectors.run_done(self.study)
        if run is None or not run.has_files:
            raise Http404("There is no report yet. Ask for one, and wait until it is done.")
        response = _json(run)
        response["Content-Location"] = reverse("api_run_report", args=[slug, run.pk])
        return response

    @operation(
        "reports",
        "report_request",
        "Ask for a report",
        *WRITES,
        409,
        422,
        answer=RunDetail,
        status=202,
        takes=NewReport,
        location="the run",
    )
    def post(self, request: Request, slug: str) -> Response:
        """For the data as they are now, made in the background. The answer is the run that makes it. If nothing has
        changed since it was made with the same choices, it is a run that is done already; while one is being made
        with the same choices, that one. While one is being made with other choices, 409."""
        options = parsed(NewReport, request.data)
        try:
            analysis.metric_names(options.metrics)
        except analysis.BadInput as problem:
            raise Invalid(
                "The request cannot be used.", [Detail(field="metrics", message=str(problem))]
            ) from None
        run = analysis.report_request(study=self.study, options=options, user=self.user)
        _check_choices(run, options)
        address = request.build_absolute_uri(reverse("api_run", args=[slug, run.pk]))
        return Response(_shown(self.study, run), status=202, headers={"Location": address})


def _check_choices(run: Run, wanted: NewReport) -> None:
    """One report is made at a time; whoever wants another one must not take this one for it."""
    chosen, asked = ReportOptions.model_validate(run.options), wanted.model_dump()
    others = [(name, value) for name, value in chosen if value != asked[name]]
    if others:
        raise NotNow(
            f"A report with other choices is being made: run {run.pk}. Wait until it is done, or cancel it.",
            [Detail(field=name, message=f"is {_said(value)} in run {run.pk}.") for name, value in others],
        )


def _said(value: Any) -> str:
    return "not chosen" if value is None else f"“{' '.join(value) if isinstance(value, tuple) else value}”"


class ReportRuns(StudyView):
    @operation(
        "reports",
        "report_runs",
        "Every report that was asked for, newest first",
        *READS,
        422,
        answer=RunPage,
        parameters=PAGED,
    )
    def get(self, request: Request, slug: str) -> Response:
        newest, answered = _newest(self.study)
        return paged(
            request,
            selectors.runs_newest_first(self.study),
            query(PageQuery, request),
            RunPage,
            lambda run: _detail(run, newest, answered),
        )


class RunView(StudyView):
    """An address of one run."""

    def run_or_404(self, pk: int) -> Run:
        return found_or_404(selectors.run_of(self.study, pk), "There is no such run.")

    def report_or_404(self, pk: int) -> Run:
        run = self.run_or_404(pk)
        if not run.has_files:
            raise Http404(f"Run {pk} has no report: it is {run.state}, or its files were cleared away.")
        return run


class ReportRun(RunView):
    @operation("reports", "report_run", "How far a report is", *READS, answer=RunDetail)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Its choices, its state, and what went wrong if something did."""
        return Response(_shown(self.study, self.run_or_404(pk)))

    @operation("reports", "report_cancel", "Cancel the making of a report", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Reports that were there before are still there."""
        run_cancel(run=self.run_or_404(pk))
        return Response(status=204)


class RunReport(RunView):
    @operation("reports", "run_report", "The report of a run", *READS, answer=Report)
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        """Every number with its signature, and the `options` it was made with: the file `report.json`."""
        return _json(self.report_or_404(pk))


class RunFiles(RunView):
    @operation("reports", "run_files", "The files of a report", *READS, answer=ReportFiles)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Names and sizes in bytes; a name may have a folder, as in `tables/agreement.csv`."""
        found = report_files(self.report_or_404(pk).folder)
        answer = ReportFiles(files=[ReportFileDetail.model_validate(file) for file in found])
        return Response(answer.model_dump())


class RunFile(RunView):
    content_negotiation_class = AnyType

    @operation(
        "reports",
        "run_file",
        "One file of a report",
        *READS,
        files=MEDIA_TYPES,
        parameters=[
            OpenApiParameter("name", str, OpenApiParameter.PATH, description="As in the list of files.")
        ],
    )
    def get(self, request: Request, slug: str, pk: int, name: str) -> FileResponse:
        """Figures, tables for reading, LaTeX and spreadsheets, the page, the methods."""
        file = report_file(self.report_or_404(pk).folder, name)
        if file is None:
            raise Http404("There is no such file in this report.")
        return report_download(file)


class RunArchive(RunView):
    content_negotiation_class = AnyType

    @operation("reports", "run_archive", "All files of a report, as a zip", *READS, files=[ZIP])
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        return report_archive(self.study, self.report_or_404(pk))


def _json(run: Run) -> FileResponse:
    return FileResponse(io.BytesIO(whole_report(run.folder)), content_type=TYPES[".json"])


def _shown(study: Study, run: Run) -> dict[str, Any]:
    return _detail(run, *_newest(study)).model_dump(mode="json")


def _newest(study: Study) -> tuple[selectors.Newest, datetime | None]:
    return selectors.newest_data(study), selectors.program_answered(study)


def _detail(run: Run, newest: selectors.Newest, answered: datetime | None) -> RunDetail:
    return RunDetail(
        id=run.pk,
        state=run.state,
        options=ReportOptions.model_validate(run.options),
        percent=100 if run.state == Run.State.DONE else run.percent,
        label=run.label,
        seconds_left=run.seconds_left,
        worker_is_missing=run.is_lost or selectors.worker_is_missing(run),
        stale=selectors.is_stale(run, newest, answered),
        error=run.error,
        requested_at=run.requested_at,
        finished_at=run.finished_at,
    )
