"""What an assessor will be handed next, read ahead: ten items in a few queries, instead of some for each.

Every process keeps lines for itself, and none of them decides anything: the database says what comes next (``services/work.py``), and if
that is in the line, its texts are there already. Otherwise the line is read anew.
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
    """``current`` was before the assessor when this process saw them last, who had got so far; ``coming`` are the next in order."""

    current: Assignment
    coming: deque[Assignment]
    progress: Progress

    def moves_on(self, done: Assignment, following: Assignment) -> bool:
        """One is done, and another comes; False if that is not in the line. Some may have been done at other processes."""
        steps = 0
        while self.coming:
            steps += 1
            if self.coming.popleft().pk == following.pk:
                break
        else:
            return False
        if steps == 1 and done.pk == self.current.pk:
            self.progress = Progress(self.progress.done + done.counts, self.progress.total)
        else:
            self.progress = _progress(following.assessor)
        self.current = following
        return True


def line_read(current: Assignment) -> Line:
    """The line from this assignment on, with the texts of those who come."""
    assessor: Assessor = current.assessor
    coming: deque[Assignment] = deque()
    if current.lease_ends_at is None:  # nobody knows what comes from a pool
        coming.extend(_open_after(current))
        facts_prepare([current, *coming])
    return Line(current, coming, _progress(assessor))


def _progress(assessor: Assessor) -> Progress:
    return assessor_progress(assessor, pooled=has_pool(assessor.study))


def _open_after(current: Assignment) -> Iterator[Assignment]:
    later = Assignment.objects.filter(
        assessor=current.assessor_id,
        state=Assignment.State.OPEN,
        left_out=False,
        position__gt=current.position,
    )
    for assignment in later.order_by("position")[:AHEAD]:
        assignment.assessor = current.assessor
        yield assignment


class Lines:
    """The lines that this process knows."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[int, datetime | None], Line] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, assessor: Assessor) -> Line | None:
        """The assessor's line, for one taker."""
        with self._lock:
            return self._lines.pop(_key(assessor), None)

    def keep(self, line: Line) -> None:
        with self._lock:
            self._lines[_key(line.current.assessor)] = line
            if len(self._lines) > REMEMBERED:
                self._lines.popitem(last=False)

    def find(self, assessor: Assessor, public_id: str) -> Assignment | None:
        """The assignment in the assessor's line with this id: which it is, not how it stands by now."""
        with self._lock:
            line = self._lines.get(_key(assessor))
            found = (
                [one for one in (line.current, *line.coming) if one.public_id == public_id] if line else []
            )
        for assignment in found:
            assignment.assessor = assessor  # as it was read just now
            return assignment
        return None


def _key(assessor: Assessor) -> tuple[int, datetime | None]:
    """The time of opening tells studies apart that had the same ids."""
    return assessor.pk, assessor.study.opened_at


LINES = Lines()
