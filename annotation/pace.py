"""How often one assessor may ask one process of the server. Nobody who works comes near it; a script gone wild does."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable

BURST = 1200.0
PER_SECOND = 20.0
REMEMBERED = 10_000


class Paces:
    """A bucket for each key, which every request takes one out of and time fills again."""

    def __init__(self, burst: float = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = burst
        self._per_second = per_second
        self._buckets: dict[int, tuple[float, float]] = {}  # what was left, and when
        self._lock = threading.Lock()

    def too_fast(self, key: int) -> bool:
        now = time.monotonic()
        with self._lock:
            left, then = self._buckets.pop(key, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._per_second)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            if len(self._buckets) > REMEMBERED:
                del self._buckets[next(iter(self._buckets))]  # who has not asked for longest
            return not allowed


class InVain:
    """Who has looked for work among much, by this process, and found none: a page that is loaded again and again must not keep everybody
    who writes waiting again and again."""

    LONG = 0.1  # processor seconds
    PAUSE = 50  # times as long as it took

    def __init__(self) -> None:
        self._until: dict[Hashable, float] = {}

    def is_recent(self, key: Hashable) -> bool:
        return time.monotonic() < self._until.get(key, 0.0)

    def note(self, key: Hashable, took: float) -> None:
        if took < self.LONG:
            return
        if len(self._until) >= REMEMBERED:
            self._until.clear()
        self._until[key] = time.monotonic() + self.PAUSE * took
