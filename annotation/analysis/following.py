"""Bring the sums of a study's agreement up to the newest judgment, reading what is new of the items that were touched."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.utils import timezone

from annotation.analysis.comparable import is_followed, values_of
from annotation.analysis.live import (
    GROUPS,
    LiveSums,
    cell_changed,
)
from annotation.export import SaidRows, rows_of_judgments
from annotation.models import Monitor, MonitorCell
from annotation.selectors import following as selectors
from annotation.selectors.following import CellKey, Seen
from annotation.selectors.texts import same_outputs
from annotation.services import monitor as services

READ = 20_000  # judgments at once
CELLS = 200  # items at once: so many are written in one transaction
BACKLOG = 2_000  # judgments, beyond which all items are compared instead of looking at each judgment
CHECK_EVERY = timedelta(minutes=10)  # for whatever else may have changed what counts


def follow(monitor: Monitor, *, until: float = float("inf")) -> bool:
    """False if there was no time for all of it; the next turn goes on."""
    study = monitor.study
    newest, version = selectors.newest_judgment(study, after=monitor.newest_judgment), study.results_version
    checked = _is_check_due(monitor)
    if checked:
        keys = selectors.cells_changed(monitor)
    else:
        keys = selectors.cells_touched(study, after=monitor.newest_judgment, until=newest)
    kinds = {int(pk): kind for pk, (_, kind) in selectors.tasks_followed(study).items()}
    wanted = sorted(key for key in keys if is_followed(kinds[key.task]))
    if wanted:
        follower = _Follower(monitor, kinds)
        for start in range(0, len(wanted), CELLS):
            if start and time.monotonic() > until:
                return False
            follower.take(wanted[start : start + CELLS])
    services.cells_settled(monitor=monitor, newest=newest, results_version=version, checked=checked)
    return True


def _is_check_due(monitor: Monitor) -> bool:
    return (
        monitor.checked_at is None
        or abs(timezone.now() - monitor.checked_at) > CHECK_EVERY
        or monitor.results_version != monitor.study.results_version
        or selectors.judgments_after(monitor.study, monitor.newest_judgment) > BACKLOG
    )


class _Follower:
    """The sums in memory, while some items after the other are brought up to date."""

    def __init__(self, monitor: Monitor, kinds: Mapping[int, str]) -> None:
        self._monitor, self._kinds = monitor, kinds
        self._sums = LiveSums(monitor.sums)

    @cached_property
    def _ranks(self) -> dict[tuple[str, int], int]:
        return selectors.item_ranks(self._monitor.study)

    def take(self, keys: Sequence[CellKey]) -> None:
        """Read what is new of these items, and nothing else of them."""
        known = selectors.cells_known(self._monitor, keys)
        now = selectors.judged_now(keys)
        came = self._read(keys, known, now)
        cells: list[MonitorCell] = []
        for key in keys:
            cell = known.get(key) or self._new(key)
            current = now.get(key, {})
            gone = [name for name in cell.judged.get("judged", {}) if int(name) not in current]
            after = cell_changed(cell.judged, gone, came[key])
            self._sums.replace(str(key.task), cell.group, cell.judged, after)
            cell.judged = after
            cell.count = sum(seen.number for seen in current.values())
            cell.stamp = sum(seen.stamp for seen in current.values())
            cells.append(cell)
        services.cells_write(monitor=self._monitor, cells=cells, sums=self._sums.stored())

    def _new(self, key: CellKey) -> MonitorCell:
        """In the groups of the interval one item comes after the other: as long as they are few, each is a group."""
        kind, pk = ("document", key.document) if key.document else ("topic", key.topic)
        return MonitorCell(
            monitor=self._monitor,
            task_id=key.task,
            document=key.document,
            topic=key.topic,
            group=self._ranks.get((kind, pk), 0) % GROUPS,
        )

    def _read(
        self,
        keys: Sequence[CellKey],
        known: Mapping[CellKey, MonitorCell],
        now: Mapping[CellKey, Mapping[int, Seen]],
    ) -> dict[CellKey, dict[str, list[Any]]]:
        """The judgments that are not in their cells yet, or in a newer revision, as cells hold them."""
        where = {
            seen.newest: key
            for key in keys
            for assignment, seen in now.get(key, {}).items()
            if key not in known or known[key].judged["judged"].get(str(assignment), [0])[0] != seen.newest
        }
        study, numbers = self._monitor.study, list(where)
        same_as = dict(
            same_outputs(study, documents={key.document for key in keys}, topics={key.topic for key in keys})
        )
        came: dict[CellKey, dict[str, list[Any]]] = {key: {} for key in keys}
        for start in range(0, len(numbers), READ):
            by_kind: dict[str, list[SaidRows]] = defaultdict(list)
            for one in rows_of_judgments(study, numbers[start : start + READ]):
                by_kind[self._kinds[where[one.judgment].task]].append(one)
            for kind, said in by_kind.items():
                for one, values in zip(said, values_of(kind, said, same_as), strict=True):
                    entry = [one.judgment, one.assessor, one.position, values]
                    came[where[one.judgment]][str(one.assignment)] = entry
        return came
