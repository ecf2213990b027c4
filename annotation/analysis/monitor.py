"""The monitor, asked for and put on the queue. What the worker then does is loaded by the worker alone."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django_tasks import task

from annotation.errors import Conflict
from annotation.later import Later
from annotation.models import Monitor, Study
from annotation.services.monitor import monitor_ask

if TYPE_CHECKING:
    from annotation.analysis import refreshing
else:
    refreshing = Later("annotation.analysis.refreshing")

log = logging.getLogger(__name__)


def monitor_request(*, study: Study) -> Monitor:
    """Somebody looks: the worker is asked to follow up if it is time."""
    return monitor_ask(study=study, enqueue=monitor_task.enqueue)


@task()
def monitor_task(pk: int) -> None:
    """What the worker does."""
    study = Study.objects.filter(pk=pk).first()
    if study is None:
        return
    try:
        refreshing.monitor_refresh(study)
    except Conflict:
        log.info("The monitor of study %s is being followed by another worker.", pk)
