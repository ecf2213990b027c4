"""All task kinds that have scores or tables: derived from the modules of this package and from installed plug-ins.

A module of ``metrics.human`` with a ``KIND`` is a kind; so is one of another distribution that names itself in the
entry-point group ``touchstone.human``. Nothing is listed by hand.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType

import pandas as pd

from metrics.errors import BadInput
from metrics.human.kind import Coefficient, HumanKind, Option, Score
from metrics.plugins import HUMAN_KINDS, Plugin, plugins

PACKAGE = "metrics.human"


@cache
def kinds() -> Mapping[str, HumanKind]:
    """Every kind by its slug: those of this package in the order of their names, then those of plug-ins."""
    return _checked([*_built_in(), *plugins(HUMAN_KINDS, "KIND", expected=HumanKind)])


def _built_in() -> Iterable[Plugin]:
    for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__):
        path = f"{PACKAGE}.{module.name}"
        declared = getattr(importlib.import_module(path), "KIND", None)
        if declared is not None:
            yield Plugin(declared, path)


def _checked(found: Iterable[Plugin]) -> Mapping[str, HumanKind]:
    """No slug twice, and one meaning for each name of a score and of an option, whoever declares it."""
    origins: dict[str, str] = {}
    declared: dict[str, HumanKind] = {}
    known: dict[tuple[str, str], tuple[object, str]] = {}
    for plugin in found:
        kind: HumanKind = plugin.declared
        if kind.slug in declared:
            raise BadInput(f"two kinds are called {kind.slug}: {origins[kind.slug]} and {plugin.origin}")
        declared[kind.slug], origins[kind.slug] = kind, plugin.origin
        options = {option.name: (option.type, option.flag) for option in _options(kind)}
        names: list[tuple[str, str, object]] = [("score", score.name, score) for score in kind.scores]
        names += [("coefficient", one.name, one) for one in kind.coefficients]
        for what, name, meaning in [*names, *(("option", name, how) for name, how in options.items())]:
            before, whose = known.setdefault((what, name), (meaning, plugin.origin))
            if before != meaning:
                raise BadInput(f"two kinds declare another {what} {name}: {whose} and {plugin.origin}")
    return MappingProxyType(declared)


def _options(kind: HumanKind) -> list[Option]:
    return [option for score in kind.scores for option in score.options]


def scores() -> dict[str, Score]:
    """Every declared score by its name. Kinds that share a score share its declaration."""
    return {score.name: score for kind in kinds().values() for score in kind.scores}


def coefficients() -> dict[str, Coefficient]:
    """The coefficients of agreement that kinds declare, by name."""
    return {one.name: one for kind in kinds().values() for one in kind.coefficients}


def kinds_with(name: str) -> set[str]:
    """The kinds that declare a score of this name."""
    return {slug for slug, kind in kinds().items() if any(score.name == name for score in kind.scores)}


def score_of(kind: str, name: str) -> Score | None:
    """What a kind means by the name of a score; None for a kind that nobody has declared."""
    declared = kinds().get(kind)
    return None if declared is None else declared.score(name)


def score_meaning(kind: str, name: str) -> str:
    """What a score means, in one sentence; "" where its name says it, as that of a criterion does."""
    score = score_of(kind, name)
    return "" if score is None else score.meaning


def higher_is_better(kind: str, name: str) -> bool:
    """Which way to look at a score; higher is better unless its kind says otherwise."""
    score = score_of(kind, name)
    return score is None or score.higher_is_better


def kinds_that(holds: Callable[[HumanKind], bool]) -> list[str]:
    """The slugs of the kinds for which something holds."""
    return [slug for slug, kind in kinds().items() if holds(kind)]


def is_mark(judgments: pd.DataFrame) -> pd.Series[bool]:
    """Which rows only mark units as belonging together: their values are all the same, so nobody uses a scale."""
    found = pd.Series(False, index=judgments.index)
    for slug, kind in kinds().items():
        if kind.marks is not None:
            found |= (judgments["kind"] == slug) & (judgments["criterion"] == kind.marks.criterion)
    return found


def as_compared(judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments under the criteria that people can agree on: most kinds' as they stand, others' as the kind says."""
    found = []
    for (_, kind), rows in judgments.groupby(["task", "kind"], sort=False):
        declared = kinds().get(str(kind))
        own = None if declared is None else declared.as_compared
        found.append(rows if own is None else own(rows))
    return pd.concat(found) if found else judgments
