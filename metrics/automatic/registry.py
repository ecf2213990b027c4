"""All metric families, one line each, those of installed plug-ins, and the choice of metrics by name or glob."""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from metrics.automatic.base import Aggregate, Family, Metric
from metrics.errors import BadInput
from metrics.plugins import METRIC_FAMILIES, Plugin, plugins

FAMILIES: tuple[str, ...] = (
    "metrics.automatic.rouge",
    "metrics.automatic.ngram",
    "metrics.automatic.bleu",
    "metrics.automatic.nist",
    "metrics.automatic.wer",
    "metrics.automatic.per",
    "metrics.automatic.chrf",
    "metrics.automatic.ter",
    "metrics.automatic.meteor",
    "metrics.automatic.aev",
    "metrics.automatic.bewte",
    "metrics.automatic.constituency",
    "metrics.automatic.dependency",
    "metrics.automatic.similarity",
    "metrics.automatic.queen",
    "metrics.automatic.pourpre",
)
"""The modules of the families; each has ``FAMILY``. Those of other distributions name themselves in the entry-point group
``touchstone.metrics`` and come after them."""

Level = Literal["item", "system"]


@dataclass(frozen=True)
class Choice:
    """A metric at a level: what one name of the score table means."""

    name: str
    metric: Metric
    aggregate: Aggregate | None = None
    """How items become a system score; None at item level."""


@cache
def families() -> dict[str, Family]:
    """The families by name, in the order of the registry."""
    own = [Plugin(importlib.import_module(path).FAMILY, path) for path in FAMILIES]
    found: dict[str, Plugin] = {}
    for plugin in [*own, *plugins(METRIC_FAMILIES, "FAMILY", expected=Family)]:
        other = found.setdefault(plugin.declared.name, plugin)
        if other is not plugin:
            raise BadInput(
                f"two families are called {plugin.declared.name}: {other.origin} and {plugin.origin}"
            )
    return {name: plugin.declared for name, plugin in found.items()}


@cache
def metrics() -> dict[str, Metric]:
    """Every metric that has a fixed name, listed and unlisted."""
    found: dict[str, Metric] = {}
    for name, family in families().items():
        for metric in family.metrics():
            if metric.family != name:
                raise BadInput(f"expected metrics of family {name}, found {metric.name} of {metric.family}")
            other = found.setdefault(metric.name, metric)
            if other is not metric:
                raise BadInput(
                    f"two metrics are called {metric.name}, of the families {other.family} and {name}"
                )
    return found


def metric(name: str) -> Metric:
    """The metric of a name; an unknown one is bad input, with the nearest names."""
    known = metrics().get(name)
    if known is not None:
        return known
    for family in families().values():
        parsed = family.parse(name)
        if parsed is not None:
            return parsed
    raise _unknown(name, metrics())


def select(patterns: Iterable[str] | None = None, *, level: Level = "item") -> list[Choice]:
    """The metrics that names and globs choose, each once, in the order asked for; by default the default set.

    At system level a name stands for all its aggregates (``rouge-1-f`` for ``rouge-1-f-mean`` and
    ``rouge-1-f-median``), and the full names and globs over them work too.
    """
    if patterns is None:
        chosen = [choice for choice in _all(level) if choice.metric.default]
    else:
        chosen = [choice for pattern in patterns for choice in _matching(pattern, level)]
    return list({choice.name: choice for choice in chosen}.values())


def _matching(pattern: str, level: Level) -> Sequence[Choice]:
    if not any(sign in pattern for sign in "*?["):
        return _by_name(level).get(pattern) or _parsed(pattern, level)
    fits = re.compile(fnmatch.translate(pattern)).match
    found = [choice for choice in _all(level) if fits(choice.name) or fits(choice.metric.name)]
    listed = [choice for choice in found if choice.metric.listed]
    if not found:
        raise _unknown(pattern, _by_name(level))
    return listed or found


def _parsed(name: str, level: Level) -> list[Choice]:
    """A name outside the fixed ones, which a family understands: alone, or with the aggregate at its end."""
    aggregates = ("-mean", "-median") if level == "system" else ()
    plain = dict.fromkeys([name, *(name.removesuffix(aggregate) for aggregate in aggregates)])
    for family in families().values():
        for short in plain:
            parsed = family.parse(short)
            if parsed is not None:
                return [choice for choice in _choices([parsed], level) if name in (choice.name, parsed.name)]
    raise _unknown(name, _by_name(level))


@cache
def _all(level: Level) -> tuple[Choice, ...]:
    return tuple(_choices(metrics().values(), level))


@cache
def _by_name(level: Level) -> dict[str, list[Choice]]:
    """What each full name, and each name of a metric, stands for."""
    found: dict[str, list[Choice]] = {}
    for choice in _all(level):
        for name in dict.fromkeys([choice.name, choice.metric.name]):
            found.setdefault(name, []).append(choice)
    return found


def _choices(found: Iterable[Metric], level: Level) -> list[Choice]:
    if level == "item":
        return [Choice(metric.name, metric) for metric in found]
    return [
        Choice(name, metric, aggregate)
        for metric in found
        for name, aggregate in metric.system_names().items()
    ]


def _unknown(name: str, known: Iterable[str]) -> BadInput:
    names: Sequence[str] = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return BadInput(f"no metric is called {name!r}{hint}")
