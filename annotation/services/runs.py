"""Writes about reports. A run goes queued → running → done, or ends as failed or cancelled; it never goes back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import Run, Study
from annotation.selectors.runs import Newest, data_hash, newest_data
from annotation.words import phrase

WORKER_GONE = "The worker stopped in the middle of it. Nothing is lost: run it again."
State = Run.State


def run_request(
    *,
    study: Study,
    options: dict[str, Any],
    version: str,
    enqueue: Callable[[Run], object],
    user: User | None = None,
) -> Run:
    """A run for the data as it is now: the one that is on its way, one that is done with the same data, or a new one.

    A new one (``is_new``) is put on the worker's queue in the same transaction.
    """
    drafts_sweep()
    newest = newest_data(study)
    if not newest.judgment:
        raise Refused(phrase("Nothing has been judged yet: a report needs judgments."))
    digest = data_hash(
        study, newest=newest, options=options, version=version
    )  # long, so nothing is locked yet
    with transaction.atomic():
        active = study.runs.filter(state__in=Run.ACTIVE).first()
        if active is not None and active.is_lost:
            run_fail(run=active, error=WORKER_GONE)
            active = None
        same = study.runs.filter(state=State.DONE, data_hash=digest)
        found = active or next((run for run in same if run.has_files), None)
        if found:
            return found
        run = _run_create(study, options, digest, newest, user)
        if run.is_new:
            enqueue(run)
        return run


def _run_create(study: Study, options: dict[str, Any], digest: str, newest: Newest, user: User | None) -> Run:
    try:
        with transaction.atomic():
            run = Run.objects.create(
                study=study,
                options=options,
                data_hash=digest,
                newest_judgment=newest.judgment,
                newest_score=newest.score,
                results_version=newest.results_version,
                requested_by=user,
            )
            run.is_new = True
            return run
    except IntegrityError:
        # Somebody else asked at the same moment; one report serves both.
        return study.runs.filter(state__in=Run.ACTIVE).first() or study.runs.latest("pk")


def run_start(*, run: Run) -> bool:
    """The worker takes it up; False if it is no longer wanted."""
    now = timezone.now()
    return _moved(run, State.QUEUED, state=State.RUNNING, started_at=now, heartbeat_at=now)


def run_data(*, run: Run, newest: Newest, digest: str) -> bool:
    """What the report is made of: the data of this moment, which may be newer than those of the request."""
    return _moved(
        run,
        State.RUNNING,
        newest_judgment=newest.judgment,
        newest_score=newest.score,
        results_version=newest.results_version,
        data_hash=digest,
    )


def run_beat(*, run: Run, done: int, total: int, label: str, seconds_left: float | None) -> bool:
    """The worker is alive and so far; False if the report is no longer wanted."""
    return _moved(
        run,
        State.RUNNING,
        heartbeat_at=timezone.now(),
        done=done,
        total=total,
        label=label[:200],
        seconds_left=seconds_left,
    )


def run_finish(*, run: Run, draft: Path, agreement: str = "") -> bool:
    """The files of ``draft`` become the report, all at once; False, and no files, if it is no longer wanted.

    ``agreement`` is what the study's headline says of it from now on.
    """
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(run.folder, ignore_errors=True)
    draft.rename(run.folder)
    shutil.rmtree(_draft(run), ignore_errors=True)
    finished = {"finished_at": timezone.now(), "label": "", "seconds_left": None, "agreement": agreement}
    if _moved(run, State.RUNNING, state=State.DONE, **finished):
        return True
    shutil.rmtree(run.folder, ignore_errors=True)
    return False


def run_fail(*, run: Run, error: str) -> bool:
    """It ended without a report; ``error`` tells the experimenter why."""
    if not _moved(run, *Run.ACTIVE, state=State.FAILED, finished_at=timezone.now(), error=error):
        return False
    files_discard(run=run)
    return True


def run_cancel(*, run: Run) -> None:
    """Nobody wants it any more. A worker that is at it stops at its next step."""
    if not _moved(run, *Run.ACTIVE, state=State.CANCELLED, finished_at=timezone.now()):
        raise Refused(phrase("This report is not being made any more."))
    drafts_sweep()


def draft_folder(run: Run) -> Path:
    """An empty folder to write the report's files into, beside the place where they will appear."""
    draft = _draft(run)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    return draft


def _draft(run: Run) -> Path:
    return run.folder.with_name(f"{run.folder.name}.part")


def files_discard(*, run: Run) -> None:
    """Whatever a run that came to nothing has left on disk."""
    for folder in (run.folder, _draft(run)):
        shutil.rmtree(folder, ignore_errors=True)


def drafts_sweep() -> None:
    """Remove the half-written files of workers that are gone and could not do it themselves."""
    for draft in settings.DATA_DIR.glob("reports/*.part"):
        run = Run.objects.filter(pk=int(draft.stem)).first() if draft.stem.isdecimal() else None
        if run is None or run.is_silent:
            shutil.rmtree(draft, ignore_errors=True)


def _moved(run: Run, *states: str, **fields: Any) -> bool:
    """Change the row only if it is still in one of these states: a worker and a browser may both be at it."""
    moved = Run.objects.filter(pk=run.pk, state__in=states).update(**fields)
    if moved:
        for name, value in fields.items():
            setattr(run, name, value)
    return bool(moved)
