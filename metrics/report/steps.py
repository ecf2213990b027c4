"""How far a report has come, and whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Told ``(done, total, label)``: work done, all work, and what is being done now. One unit takes about as long as
another, so that time left can be told from them."""


class Cancelled(Exception):
    """The report is no longer wanted; nothing was written."""


class Steps:
    """Counts work, tells ``progress`` of it, and raises :class:`Cancelled` between two steps."""

    def __init__(
        self,
        total: int,
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ):
        self.total = total
        self.done = 0
        self._progress = progress
        self._cancelled = cancelled

    def start(self, label: str) -> None:
        """Say what comes next; the place to stop, if stopping was asked for."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled(f"cancelled before: {label}")
        if self._progress is not None:
            self._progress(self.done, self.total, label)

    def finish(self, units: int, label: str) -> None:
        """Count the work that was announced, and show it."""
        self.done = min(self.total, self.done + units)
        if self._progress is not None:
            self._progress(self.done, self.total, label)

    def within(self, units: int, label: str) -> Callable[[int, int], None]:
        """For a long step that counts by itself: told ``(done, total)`` of it, it moves on by a part of ``units``."""
        begun = self.done

        def advance(done: int, total: int) -> None:
            self.done = min(self.total, begun + units * done // max(1, total))
            self.start(label)

        return advance
