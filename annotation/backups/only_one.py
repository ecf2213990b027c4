"""One backup at a time is made or restored, on one machine: a second one would slow down the first, and everybody who works."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from annotation.errors import Refused

TRIES, A_MOMENT = 20, 0.05


def _lock() -> Path:
    return settings.DATA_DIR / "backup.lock"


@contextmanager
def only_one(refusal: str = "Another backup is being made. Wait until it is done.") -> Iterator[None]:
    """``Refused`` if another one is at it. The kernel takes the lock from a process that is killed."""
    with _lock().open("w") as file:
        for _ in range(TRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(A_MOMENT)  # somebody may just be looking
        else:
            raise Refused(refusal)
        yield


def is_being_made() -> bool:
    """Looking takes a share of the lock for a moment: those who look do not see each other."""
    try:
        with _lock().open("w") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False
