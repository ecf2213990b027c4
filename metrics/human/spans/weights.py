"""What an error weighs. Published tables differ, so that a table has a name, and a score's signature says it.

A table maps ``severity``, ``category``, ``category/subcategory`` or any of these behind ``severity/`` to a weight; the most specific
counts: more of the category first, then with the severity, then the severity alone. ``*`` stands for any one step. Letter case
does not matter, nor does the exclamation mark of “Non-translation!”.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd

from metrics.errors import BadInput
from metrics.human.base import attribute

STUDY = "study"
"""What the study itself says: the weights in its rows, and those of single categories in its attributes."""


@dataclass(frozen=True)
class WeightTable:
    """Weights by key, in small letters; what no key matches weighs what the study says, if ``by_study``."""

    name: str
    weights: Mapping[str, float] = field(default_factory=dict)
    by_study: bool = False
    per_word: bool = False
    """Whether the sum of weights is divided by the number of words."""

    def weight(self, severity: str, category: str, value: float) -> float:
        """What one error weighs; ``value`` is its weight in the study.

        >>> NAMED["freitag2021"].weight("Minor", "Fluency/Punctuation", 1)
        0.1
        >>> NAMED["freitag2021"].weight("Major", "Non-translation!", 5)
        25.0
        """
        for key in _keys(normal(severity), normal(category)):
            if key in self.weights:
                return self.weights[key]
        if self.by_study and not math.isnan(value):
            return value
        if not severity:
            return 1.0
        raise BadInput(
            f"expected a weight for errors that are {severity}: weights {self.name} have none, name it, for example "
            f"{'' if self.name == STUDY else self.name + ','}{severity}=10"
        )


def normal(name: str) -> str:
    """A severity or category as keys have it."""
    return name.strip().rstrip("!").lower()


def _keys(severity: str, category: str) -> Iterator[str]:
    """The keys an error answers to, most specific first."""
    steps = [step for step in category.split("/") if step]
    for length in range(len(steps), 0, -1):
        for path in ("/".join(steps[:length]), "/".join(["*", *steps[1:length]]) if length > 1 else ""):
            if path:
                yield f"{severity}/{path}"
                yield path
    yield severity


_SEVERITIES = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}

NAMED: dict[str, WeightTable] = {
    table.name: table
    for table in (
        WeightTable(STUDY, by_study=True),
        # Freitag et al. 2021, as mt-metrics-eval's score_mqm.py has it.
        WeightTable(
            "freitag2021", {**_SEVERITIES, "minor/fluency/punctuation": 0.1, "non-translation": 25.0}
        ),
        # Marot, as used at WMT 2024: errors of the source and free renderings do not count.
        WeightTable(
            "marot",
            {
                **_SEVERITIES,
                "critical": 5.0,
                "minor/punctuation": 0.1,
                "minor/*/punctuation": 0.1,
                "non-translation": 25.0,
                **dict.fromkeys(("source", "source issue", "source error"), 0.0),
                **dict.fromkeys(("reinterpretation", "creative reinterpretation"), 0.0),
            },
        ),
        WeightTable("unbabel", {**_SEVERITIES, "critical": 10.0}, per_word=True),
    )
}

ESA = WeightTable("esa", {"major": 5.0, "minor": 1.0}, by_study=True)
"""The weights of spans in error span annotation (Kocmi et al. 2024); other severities weigh what the study says."""


def weight_table(text: str) -> WeightTable:
    """A table by its name, own weights, or a table with own weights added: ``freitag2021,critical=10``.

    >>> weight_table("marot,minor=2").weight("minor", "Style", 1)
    2.0
    """
    first, *others = [part.strip() for part in text.split(",")]
    if "=" in first:
        first, others = STUDY, [first, *others]
    if first not in NAMED:
        raise BadInput(
            f"expected weights called {', '.join(NAMED)}, or own ones such as major=5, found {first!r}"
        )
    table = NAMED[first]
    if not others:
        return table
    own = dict(_own(part) for part in others)
    added = "+".join(f"{key}={weight:g}" for key, weight in own.items())
    return WeightTable(
        f"{table.name}+{added}", {**table.weights, **own}, by_study=table.by_study, per_word=table.per_word
    )


def _own(part: str) -> tuple[str, float]:
    key, equals, number = part.rpartition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = math.nan
    if not (key and equals and math.isfinite(weight) and weight >= 0):
        raise BadInput(f"expected a weight such as critical=10 or minor/Style=0.5, found {part!r}")
    return "/".join(normal(step) for step in key.split("/")), weight


def with_study_weights(table: WeightTable, attributes: pd.DataFrame | None, task: str) -> WeightTable:
    """The table with what the study's attributes say of single categories, where it follows the study.

    The id is the key, or ``task/key`` where tasks of a study differ.
    """
    known = [(str(key), text) for key, text in attribute(attributes, "error", "weight").items()]
    if not table.by_study or not known:
        return table
    weights: dict[str, float] = {}
    for prefix in ("", f"{task}/"):
        own = {key.removeprefix(prefix): text for key, text in known if key.startswith(prefix)}
        weights |= dict(_own(f"{key}={text}") for key, text in own.items())
    return WeightTable(table.name, {**weights, **table.weights}, by_study=True, per_word=table.per_word)


def error_weights(errors: pd.DataFrame, table: WeightTable) -> pd.Series[float]:
    """What each error weighs, by ``label`` (the severity), ``criterion`` (the category) and ``value``."""
    kinds = errors[["label", "criterion", "value"]].drop_duplicates()
    known = {
        (severity, category, "" if pd.isna(value) else value): table.weight(severity, category, value)
        for severity, category, value in kinds.itertuples(index=False)
    }
    found = [
        known[severity, category, "" if pd.isna(value) else value]
        for severity, category, value in zip(
            errors["label"], errors["criterion"], errors["value"], strict=True
        )
    ]
    return pd.Series(found, index=errors.index, dtype="float64")
