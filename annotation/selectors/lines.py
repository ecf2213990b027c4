"""What an assessor will be handed next, read ahead: ten items in a few queries, instead of some for each.

Every process keeps lines for itself, and none of them is trusted: whoever hands out an item from a line asks the database whether
it is still the first that is open, and unseen (``services/work.py``), and otherwise begins anew from the database. Only the number of
items in all may be some items old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Assessor, Assignment
from annotation.selectors.exhibits import facts_prepare
from annotation.selectors.plan import has_pool
from annotation.selectors.work import Progress, assessor_progress

AHEAD = 10
REMEMBERED = 2_000  # assessors


@dataclass
class Line:
    """``current`` is before the assessor, who has got so far; ``coming`` are the next in order, which nobody has seen."""

    current: Assignment
    coming: deque[Assignment]
    progress: Progress

    def move_on(self, following: Assignment) -> None:
        """The current one is done."""
        if self.current.counts:
            self.progress = Progress(self.progress.done + 1, self.progress.total)
        self.current = following


def line_read(current: Assignment) -> Line:
    """The line from this assignment on, with the texts of those who come."""
    assessor = current.assessor
    coming: deque[Assignment] = deque()
    if current.lease_ends_at is None:
        coming.extend(_unseen_after(current))
        facts_prepare(coming)
    return Line(current, coming, assessor_progress(assessor, pooled=has_pool(assessor.study)))


def _unseen_after(current: Assignment) -> Iterator[Assignment]:
    later = Assignment.objects.filter(
        assessor=current.assessor_id,
        state=Assignment.State.OPEN,
        left_out=False,
        position__gt=current.position,
    )
    for assignment in later.select_related("draft").order_by("position")[:AHEAD]:
        if assignment.shown_at or assignment.lease_ends_at:
            return  # it has a story that only the database knows
        assignment.assessor = current.assessor
        yield assignment


class Lines:
    """The lines that this process knows."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[int, datetime | None], Line] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, assignment: Assignment) -> Line | None:
        """The line in which this is the current one, for one taker. Who was elsewhere meanwhile has no line here."""
        with self._lock:
            line = self._lines.pop(_key(assignment.assessor), None)
        return line if line and line.current.pk == assignment.pk else None

    def keep(self, line: Line) -> None:
        with self._lock:
            self._lines[_key(line.current.assessor)] = line
            if len(self._lines) > REMEMBERED:
                self._lines.popitem(last=False)

    def current(self, assessor: Assessor, public_id: str) -> Assignment | None:
        """The assessor's current assignment, if it is the one with this id: which it is, not how it stands by now."""
        line = self._lines.get(_key(assessor))
        if line is None or line.current.public_id != public_id:
            return None
        line.current.assessor = assessor  # as it was read just now
        return line.current


def _key(assessor: Assessor) -> tuple[int, datetime | None]:
    """The time of opening tells studies apart that had the same ids."""
    return assessor.pk, assessor.study.opened_at


LINES = Lines()
