"""The pulse of a run: says every second that the worker lives and how far it is, and hears whether to stop."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections import deque
from types import TracebackType
from typing import Any

from django.db import Error, connection

from annotation.models import Run
from annotation.services.runs import run_beat

SECONDS = 1.0
GRACE = 10.0  # seconds for a step to hear that the report is not wanted any more; then it is interrupted
RECENT = 30  # beats that tell the present pace
ENOUGH = 5  # beats before anything is said about time

log = logging.getLogger(__name__)


class Pulse:
    """A thread of its own, because a single step of a report may take minutes and a silent worker counts as dead.

    Steps ask between each other whether to go on. One that takes hours is interrupted: everybody else's reports wait for it.
    ``interrupt`` is what it gets to hear.
    """

    def __init__(self, run: Run, *, interrupt: type[Exception] | None = None) -> None:
        self._run = run
        self._interrupt = interrupt
        self._place = (0, 0, "")
        self._pace = Pace()
        self._over = threading.Event()
        self._unwanted = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"pulse of run {run.pk}", daemon=True)

    def progress(self, done: int, total: int, label: str) -> None:
        self._place = (done, total, label)

    def cancelled(self) -> bool:
        return self._unwanted.is_set()

    def __enter__(self) -> Pulse:
        # Only the main thread of a process hears signals; the worker works in it.
        self._heard_before: Any = None
        if self._interrupt is not None and threading.current_thread() is threading.main_thread():
            self._heard_before = signal.signal(signal.SIGUSR1, self._stop)
        self._thread.start()
        return self

    def _stop(self, *_: object) -> None:
        if self._interrupt is not None:
            raise self._interrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._heard_before is not None:
            signal.signal(signal.SIGUSR1, self._heard_before)

    def _beat(self) -> None:
        try:
            while not self._over.wait(SECONDS):
                self._say()
                if self._unwanted.is_set() and not self._over.wait(GRACE) and self._heard_before is not None:
                    signal.pthread_kill(_main_thread(), signal.SIGUSR1)
        finally:
            connection.close()

    def _say(self) -> None:
        done, total, label = self._place
        left = self._pace.seconds_left(done, total, time.monotonic())
        try:
            if not run_beat(run=self._run, done=done, total=total, label=label, seconds_left=left):
                self._unwanted.set()
        except Error:
            # A database that is busy or away for a moment must not end hours of work. The next beat comes in a second,
            # on a connection of its own.
            log.warning("The pulse of run %s could not be written.", self._run.pk, exc_info=True)
            connection.close()


def _main_thread() -> int:
    return threading.main_thread().ident or 0


class Pace:
    """Time left, told from the pace of the whole and of the last moments: the slower one promises less."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None
        self._recent: deque[tuple[float, int]] = deque(maxlen=RECENT)

    def seconds_left(self, done: int, total: int, now: float) -> float | None:
        self._first = self._first or (now, done)
        self._recent.append((now, done))
        if len(self._recent) < ENOUGH or not 0 < done < total:
            return None
        paces = [
            (done - before) / (now - then) for then, before in (self._first, self._recent[0]) if now > then
        ]
        slowest = min((pace for pace in paces if pace > 0), default=0)
        return (total - done) / slowest if slowest else None
