"""What other distributions bring along: modules that name themselves in an entry-point group.

A distribution that has ``[project.entry-points."GROUP"]`` in its ``pyproject.toml``, with a module as the value, is found as
soon as it is installed. A module that cannot be loaded, or that lacks what the group asks for, is named: to go on without it
would give results that leave something out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from metrics.errors import BadInput

HUMAN_KINDS = "touchstone.human"
"""Modules with ``KIND``, a :class:`metrics.human.kind.HumanKind`."""
METRIC_FAMILIES = "touchstone.metrics"
"""Modules with ``FAMILY``, a :class:`metrics.automatic.base.Family`."""


@dataclass(frozen=True)
class Plugin:
    """What a module of a group declares, and whose it is, for messages."""

    declared: Any
    origin: str


def plugins(group: str, attribute: str, *, expected: type) -> Iterator[Plugin]:
    """What the modules of a group have under this name, ordered by the names of their entry points."""
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        origin = _origin(entry)
        try:
            module = entry.load()
        except Exception as problem:
            # Anything may go wrong in foreign code; whose code it is matters more than what it raised.
            raise BadInput(f"cannot load {origin}: {type(problem).__name__}: {problem}") from problem
        declared = getattr(module, attribute, None)
        if not isinstance(declared, expected):
            raise BadInput(f"expected {attribute}, a {expected.__name__}, in {origin}")
        yield Plugin(declared, origin)


def _origin(entry: EntryPoint) -> str:
    of = f" of {entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    return f"{entry.value} (entry point {entry.name} in {entry.group}{of})"
