"""Which parts of the server are alive on this machine: each touches a file of its own every few seconds.

A file that is there already can be touched when the disk is full, and nobody who judges waits for it.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

SECONDS = 5.0
SILENCE = 30.0  # a part that has not been heard of for so long is taken for dead
SLOW_LANE, WORKER, KEEPER = "slow lane", "worker", "keeper"


def _file(part: str) -> Path:
    return settings.DATA_DIR / "alive" / part


def beat(part: str) -> None:
    with suppress(OSError):
        path = _file(part)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch()


def beat_until_the_end(part: str) -> None:
    """From a thread, as the part itself may be at one thing for hours."""

    def go_on() -> None:
        while True:
            beat(part)
            time.sleep(SECONDS)

    threading.Thread(target=go_on, name=f"{part} is alive", daemon=True).start()


def silence(part: str) -> float | None:
    """Seconds since the part was heard of; None: never."""
    try:
        # After a clock was set back, what was heard before is as far away in the other direction.
        return abs(time.time() - _file(part).stat().st_mtime)
    except OSError:
        return None


def is_alive(part: str) -> bool:
    heard = silence(part)
    return heard is not None and heard < SILENCE
