"""How often one may ask: counted by all server processes together.

The counts are small files in the data folder, not rows: nobody who judges waits for them, in SQLite or PostgreSQL.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.cache import caches
from django.utils.connection import ConnectionProxy
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports this module

CACHE = "throttle"


class Counted(SimpleRateThrottle):
    """REST framework reads a count and then writes it: those who ask at the same moment do that one after another."""

    cache = ConnectionProxy(caches, CACHE)  # type: ignore[assignment]

    def allow_request(self, request: Request, view: APIView) -> bool:
        with _alone():
            return super().allow_request(request, view)


class Users(Counted, UserRateThrottle):
    """All tokens and browsers of a user together."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return super().get_cache_key(request, view) if request.user.is_authenticated else None


class Strangers(Counted, AnonRateThrottle):
    """Everybody else, by address."""


@contextmanager
def _alone() -> Iterator[None]:
    """The kernel takes the lock from a process that is killed."""
    every: Any = settings.CACHES
    folder = Path(every[CACHE]["LOCATION"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
