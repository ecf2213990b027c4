"""Who is acting, for the audit trail: set at the edge (a page, the API, a command), read where something is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SYSTEM = "system"  # nobody in particular: a worker, a shell

_actor: ContextVar[str] = ContextVar("actor", default=SYSTEM)


def actor() -> str:
    """Whoever is acting at this moment, in words: ``experimenter ada``, ``assessor A03``, ``command exclude``."""
    return _actor.get()


def actor_set(name: str) -> None:
    """From here on, until the request or the command ends, this one acts."""
    _actor.set(name[:200])


@contextmanager
def acting(name: str) -> Iterator[None]:
    """This one acts within; afterwards whoever did before."""
    token = _actor.set(name[:200])
    try:
        yield
    finally:
        _actor.reset(token)
