"""Counts that all processes of the server share, and that are forgotten by themselves.

They are small files in the data folder, not rows: nobody who judges waits for them, in SQLite or PostgreSQL.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

CACHE = "throttle"


@contextmanager
def alone() -> Iterator[None]:
    """Read a count and write it while nobody else does. The kernel takes the lock from a process that is killed."""
    every: Any = settings.CACHES
    folder = Path(every[CACHE]["LOCATION"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
