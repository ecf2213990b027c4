"""How many requests there were and how long they took, counted by all web processes together.

The counts lie in memory that the processes share, because they are forks of one that has made it. Each process counts in a row of its
own, so that none waits for another and none that is killed leaves a lock behind; a row is claimed by a lock that the kernel takes
back when the process ends, and whoever claims it next counts on. Nothing is ever written to disk.
"""

from __future__ import annotations

import bisect
import fcntl
import mmap
import os
import tempfile
import threading
from typing import NamedTuple

ROWS = 64  # processes at a time; a further one does not count
KINDS = ("judgment", "assess", "manage", "api", "static")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
FIRST, LAST = 100, 599
STATUSES = LAST - FIRST + 1
A_KIND = len(BOUNDS) + 2  # a cell for each bound, one for what is longer, and the sum in microseconds
WIDTH = STATUSES + len(KINDS) * A_KIND


class Durations(NamedTuple):
    """``counts``: requests up to each bound and no earlier one, and at last the longer ones."""

    counts: list[int]
    seconds: float


class Meter:
    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, ROWS * WIDTH * 8)
        self._cells = memoryview(self._shared).cast("Q")
        self._claims = os.memfd_create("touchstone") if hasattr(os, "memfd_create") else _nameless()
        self._lock = threading.Lock()
        self._process = 0
        self._start: int | None = None

    def count(self, kind: str, status: int, seconds: float) -> None:
        with self._lock:
            start = self._row()
            if start is None or not FIRST <= status <= LAST:
                return
            self._cells[start + status - FIRST] += 1
            first = start + STATUSES + KINDS.index(kind) * A_KIND
            self._cells[first + bisect.bisect_left(BOUNDS, seconds)] += 1
            self._cells[first + A_KIND - 1] += round(seconds * 1_000_000)

    def statuses(self) -> dict[int, int]:
        found = {FIRST + place: self._sum(place) for place in range(STATUSES)}
        return {status: number for status, number in found.items() if number}

    def durations(self, kind: str) -> Durations:
        first = STATUSES + KINDS.index(kind) * A_KIND
        cells = [self._sum(first + place) for place in range(A_KIND)]
        return Durations(cells[:-1], cells[-1] / 1_000_000)

    def _sum(self, place: int) -> int:
        return sum(self._cells[row * WIDTH + place] for row in range(ROWS))

    def _row(self) -> int | None:
        """Where this process counts: claimed anew after a fork, as claims are not inherited."""
        if self._process != os.getpid():
            self._process, self._start = os.getpid(), None
            for row in range(ROWS):
                try:
                    fcntl.lockf(self._claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, row)
                except OSError:
                    continue
                self._start = row * WIDTH
                break
        return self._start


def _nameless() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def kind_of(method: str | None, path: str) -> str:
    if path.startswith("/work/"):
        return "judgment" if method == "POST" and path.endswith("/judgment/") else "assess"
    if path.startswith(("/join/", "/take-part/")):
        return "assess"
    return "api" if path.startswith("/api/") else "static" if path.startswith("/static/") else "manage"


meter = Meter()
