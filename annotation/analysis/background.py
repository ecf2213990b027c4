"""Reports made in the background: asked for, put on the queue, and what the worker (``manage.py db_worker``) does.

The row of the run tells pages how far it is.
"""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django_tasks import task

from annotation.analysis.inputs import report_inputs
from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import BUILT, VERSION, progress_part, report_of
from annotation.models import Run, Study
from annotation.selectors.runs import data_hash, newest_data
from annotation.services import runs
from annotation.services.pulse import Pulse
from metrics.errors import BadInput
from metrics.report import Cancelled, write_report

WENT_WRONG = "Something went wrong that should not have; the worker’s log says what."

OUT_OF_MEMORY = "The report needs more memory than this machine can spare. Leave out systems or tasks, or make it elsewhere."
MOST_SYSTEMS = 500  # each is compared with every other: twice as many take four times the time and memory
TOO_MANY = (
    "{number:,} systems were judged, and a report on the server compares {most} at most, each with every other. Leave out "
    "some of them, or make the report where it may take hours: manage.py report_study."
)

log = logging.getLogger(__name__)


def report_request(*, study: Study, options: ReportOptions, user: User | None = None) -> Run:
    """Ask for the report of the data as they are now. It may be there already, or on its way."""
    chosen = options.model_dump(mode="json")
    return runs.run_request(
        study=study,
        options=chosen,
        version=VERSION,
        enqueue=lambda run: report_task.enqueue(run.pk),
        user=user,
    )


@task()
def report_task(pk: int) -> None:
    """What the worker does."""
    run = Run.objects.select_related("study").filter(pk=pk).first()
    if run is None:
        return
    if not runs.run_start(run=run):
        return
    try:
        with Pulse(run, interrupt=Cancelled) as pulse:
            inputs = _inputs_of(run)
            _refuse_large(inputs)
            report = report_of(
                run.study,
                ReportOptions.model_validate(run.options),
                inputs,
                progress=progress_part(pulse.progress, 0, BUILT),
                cancelled=pulse.cancelled,
            )
            draft = runs.draft_folder(run) / "report"
            write_report(
                report,
                draft,
                progress=progress_part(pulse.progress, BUILT, 1),
                cancelled=pulse.cancelled,
            )
        _reconnect()
        runs.run_finish(run=run, draft=draft, agreement=report.data["agreement_in_short"])
    except Cancelled:
        runs.files_discard(run=run)
    except BadInput as problem:
        runs.run_fail(run=run, error=str(problem))
    except MemoryError:
        log.exception("Run %s needs too much memory.", pk)
        runs.run_fail(run=run, error=OUT_OF_MEMORY)
    except Exception:
        log.exception("Run %s failed.", pk)
        _reconnect()
        runs.run_fail(run=run, error=WENT_WRONG)
    except BaseException:
        # The worker is told to stop at once; there is just time to say so.
        runs.run_fail(run=run, error=runs.WORKER_GONE)
        raise


def _refuse_large(inputs: dict[str, Any]) -> None:
    """One worker makes the reports of all studies: nobody may keep it for hours."""
    number = inputs["judgments"]["system"].nunique()
    if number > MOST_SYSTEMS:
        raise BadInput(TOO_MANY.format(number=number, most=MOST_SYSTEMS))


def _inputs_of(run: Run) -> dict[str, Any]:
    """The data of this moment, and their hash in the run: read again if something came in between."""
    while True:
        run.study.refresh_from_db(fields=["results_version"])
        newest = newest_data(run.study)
        before = data_hash(run.study, newest=newest, options=run.options, version=VERSION)
        inputs = report_inputs(run.study, newest)
        if data_hash(run.study, newest=newest, options=run.options, version=VERSION) == before:
            runs.run_data(run=run, newest=newest, digest=before)
            return inputs


def _reconnect() -> None:
    """After an hour of computing, the database may have closed the connection."""
    if connection.connection is not None and not connection.is_usable():
        connection.close()
