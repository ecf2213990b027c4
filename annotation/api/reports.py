"""Reports: asked for, watched, cancelled, taken away. The worker makes them in the background."""

from __future__ import annotations

from django.http import FileResponse, Http404
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.analysis import BadInput, metric_names, report_request
from annotation.api.base import StudyView, parsed
from annotation.api.documented import READS, WITH_BODY, WRITES, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.schemas import NewReport, Report, RunDetail
from annotation.models import Run
from annotation.selectors import runs as selectors
from annotation.services.runs import run_cancel


class StudyReport(StudyView):
    @operation("reports", "report", "The newest report", *READS, answer=Report)
    def get(self, request: Request, slug: str) -> FileResponse:
        """Every number with its signature: the same as the file `report.json`. It may be older than the newest
        judgments; `stale` of the run says so."""
        run = selectors.run_done(self.study)
        if run is None or not run.has_files:
            raise Http404("There is no report yet. Ask for one, and wait until it is done.")
        return FileResponse((run.folder / "report.json").open("rb"), content_type="application/json")

    @operation(
        "reports",
        "report_request",
        "Ask for a report",
        *WRITES,
        *WITH_BODY,
        409,
        422,
        answer=RunDetail,
        status=202,
        takes=NewReport,
    )
    def post(self, request: Request, slug: str) -> Response:
        """For the data as they are now, made in the background. Without new data or other choices the report that is
        there is the answer, and while one is being made, that one."""
        options = parsed(NewReport, request.data)
        try:
            metric_names(options.metrics)
        except BadInput as problem:
            raise Invalid(
                "The request cannot be used.", [Detail(field="metrics", message=str(problem))]
            ) from None
        run = report_request(study=self.study, options=options, user=self.user)
        return Response(_detail(run), status=202)


class ReportRun(StudyView):
    @operation("reports", "report_run", "How far the report is", *READS, answer=RunDetail)
    def get(self, request: Request, slug: str) -> Response:
        """The report that was asked for last, whatever became of it."""
        return Response(_detail(self._newest()))

    @operation("reports", "report_cancel", "Cancel the making of a report", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str) -> Response:
        """What was there before is still there."""
        run_cancel(run=self._newest())
        return Response(status=204)

    def _newest(self) -> Run:
        run = selectors.run_newest(self.study)
        if run is None:
            raise Http404("Nobody has asked for a report yet.")
        return run


def _detail(run: Run) -> dict:
    answer = RunDetail(
        id=run.pk,
        state=run.state,
        percent=100 if run.state == Run.State.DONE else run.percent,
        label=run.label,
        seconds_left=run.seconds_left,
        worker_is_missing=run.is_lost or selectors.worker_is_missing(run),
        stale=bool(selectors.staleness(run)),
        error=run.error,
        requested_at=run.requested_at,
        finished_at=run.finished_at,
    )
    return answer.model_dump(mode="json")
