"""Who keeps the house: backups, tidying, and telling others; one process beside the web server and the worker of reports.

Each job is looked at every few seconds, and one that fails is logged and does not keep the others from their turn.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.core.management import call_command
from django.db import connection

from annotation import alive
from annotation.analysis.monitor import monitor_request
from annotation.backups.schedule import backup_if_due
from annotation.models import Study
from annotation.services.retention import tidy
from annotation.services.webhooks import finished_studies_tell, webhooks_send
from annotation.webhook import webhook_wanted

TURN = 2.0  # seconds between two looks
FIVE_MINUTES, AN_HOUR, A_DAY = 300.0, 60 * 60.0, 24 * 60 * 60.0

log = logging.getLogger(__name__)


class Job:
    """What is done every so many seconds, at first ``wait`` seconds after it is first looked at."""

    def __init__(self, do: Callable[[], object], every: float, wait: float = 0.0) -> None:
        self._do, self._every, self._wait = do, every, wait
        self._next: float | None = None

    def turn(self, now: float) -> None:
        if self._next is None:
            self._next = now + self._wait
        if now < self._next:
            return
        self._next = now + self._every
        try:
            self._do()
        except Exception:
            log.exception("%s failed; it is tried again later.", self._do.__name__)
            connection.close()  # the next job has one of its own


def monitors_ask() -> None:
    """Where others are to be told of careless people, somebody has to look, also when no experimenter does."""
    if webhook_wanted():
        for study in Study.objects.filter(state=Study.State.OPEN, deleted_at=None):
            monitor_request(study=study)


def tidy_all() -> None:
    tidy()
    call_command("prune_db_task_results", verbosity=0)


def jobs() -> list[Job]:
    return [
        Job(backup_if_due, TURN),
        Job(webhooks_send, TURN),
        Job(finished_studies_tell, FIVE_MINUTES),
        Job(monitors_ask, FIVE_MINUTES),
        # A clock that is years ahead when the machine starts is set right in the first minutes; what is forgotten is gone.
        Job(tidy_all, A_DAY, wait=AN_HOUR),
    ]


def keep() -> None:
    """Until the process is ended."""
    alive.beat_until_the_end(alive.KEEPER)
    every = jobs()
    while True:
        for job in every:
            job.turn(time.monotonic())
        time.sleep(TURN)
