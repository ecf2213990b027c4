"""What the worker keeps of a study for its monitor. All of it is derived from judgments, so nothing here is in the audit trail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation.errors import Conflict
from annotation.models import Monitor, MonitorCell, Study
from annotation.words import phrase

LOST = timedelta(minutes=10)  # a worker that has had it for so long is gone
LEAST_PAUSE = timedelta(seconds=5)
RESTS = 10  # after each refresh the worker rests so many times as long as that took


def monitor_of(*, study: Study) -> Monitor:
    return Monitor.objects.select_related("study").get_or_create(study=study)[0]


def monitor_ask(*, study: Study, enqueue: Callable[[int], object]) -> Monitor:
    """Somebody looks: the worker is to follow up, unless it has just done so, is at it, or was asked already.

    Of a draft nothing is counted: what was kept of it would still be shown when the study has just opened.
    """
    monitor = monitor_of(study=study)
    now = timezone.now()
    if study.state == Study.State.DRAFT or not _is_due(monitor, now):
        return monitor
    with transaction.atomic():
        # Of all who look at this moment, one asks.
        mine = Monitor.objects.filter(pk=monitor.pk).filter(_same(asked_at=monitor.asked_at))
        if mine.update(**dict.fromkeys(_to_come(monitor, now)) | {"asked_at": now}):
            monitor.asked_at = now
            transaction.on_commit(lambda: enqueue(study.pk))
    return monitor


def _same(**fields: Any) -> Q:
    return Q(
        **{name if value is not None else f"{name}__isnull": value or True for name, value in fields.items()}
    )


def _to_come(monitor: Monitor, now: datetime) -> list[str]:
    """What was noted by a clock that has been set back since, perhaps by years: it says nothing."""
    noted = {name: getattr(monitor, name) for name in ("begun_at", "finished_at", "asked_at")}
    return [name for name, moment in noted.items() if moment and moment > now + LOST]


def _is_due(monitor: Monitor, now: datetime) -> bool:
    if _to_come(monitor, now):
        return True
    asked, begun, finished = monitor.asked_at, monitor.begun_at, monitor.finished_at
    if asked and (begun is None or begun < asked):
        return now - asked > LOST
    if begun and (finished is None or finished < begun):
        return now - begun > LOST
    if finished is None or begun is None:
        return True
    return now - finished >= max(LEAST_PAUSE, RESTS * (finished - begun))


def monitor_begin(*, study: Study) -> Monitor:
    monitor = monitor_of(study=study)
    monitor.begun_at = timezone.now()
    monitor.save(update_fields=["begun_at"])
    return monitor


@transaction.atomic
def cells_write(
    *,
    monitor: Monitor,
    cells: Sequence[MonitorCell],
    sums: dict[str, Any],
) -> None:
    """Cells and the sums that hold them, both or neither; ``Conflict`` if another worker has written since they were read."""
    _write(monitor, sums=sums)
    MonitorCell.objects.bulk_create(
        cells,
        update_conflicts=True,
        unique_fields=["task", "document", "topic"],
        update_fields=["count", "stamp", "judged"],
        batch_size=50,
    )


def cells_settled(*, monitor: Monitor, newest: int, results_version: int, checked: bool) -> None:
    """All judgments up to this one are in the sums; with ``checked``, every cell was compared."""
    fields: dict[str, Any] = {"newest_judgment": newest}
    if checked:
        fields |= {"results_version": results_version, "checked_at": timezone.now()}
    _write(monitor, **fields)


def snapshot_write(*, monitor: Monitor, snapshot: dict[str, Any]) -> None:
    """What pages show from now on."""
    _write(monitor, snapshot=snapshot, finished_at=timezone.now())


def _write(monitor: Monitor, **fields: Any) -> None:
    mine = Monitor.objects.filter(pk=monitor.pk, version=monitor.version)
    if not mine.update(version=F("version") + 1, **fields):
        raise Conflict(phrase("Another worker is following this study."))
    monitor.version += 1
    for name, value in fields.items():
        setattr(monitor, name, value)


def monitor_forget(*, study: Study) -> None:
    """Nothing stays of what was derived: for somebody's erasure. The worker begins anew."""
    Monitor.objects.filter(study=study).delete()
