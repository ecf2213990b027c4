"""Do people who read the same units mark the same errors? Agreement on places, on sums of weights, on scores, and on whether there is any.

Judgments of one unit by two people are compared, all pairs of people added up. Points of a text are code points of its output or its
source; errors without a span have none. α_U (:mod:`metrics.meta.unitizing`) is of the output: each unit is a continuum, severities are
its categories, and units are added up by their length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from metrics.cells import Parts
from metrics.human.base import MissingAttribute, number_attribute
from metrics.human.kind import Agreed, Coefficient
from metrics.human.spans.live import Unitized
from metrics.human.spans.places import COUNT, OUTPUT, SCORE, is_error, with_places
from metrics.human.spans.tables import UNNAMED, severities
from metrics.meta.common import FloatArray, share_of
from metrics.meta.unitizing import Shared, overlapping, shared_points

ALL = "spans"
"""The criterion of all errors with a span; those of one severity or branch of categories are ``spans: major``."""
ANY = "has an error"
SUM, MEAN_SCORE = "mqm", "esa"
"""Called like the scores that are made of them."""
UNIT = ["system", "item", "unit"]


def as_compared(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a task under the criteria that people can agree on; places stay what they are, values are of units."""
    placed = with_places(rows)
    judged = placed[is_error(placed) | placed["criterion"].eq(COUNT)]
    scores = placed[(placed["criterion"] == SCORE) & placed["value"].notna()]
    found = [scores.assign(criterion=MEAN_SCORE), *_of_units(judged), *_of_spans(judged)]
    return pd.concat(found, ignore_index=True).drop(columns=["side", "parts", "at", "set"])


def _of_units(judged: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Whether somebody found an error in a unit, and what the errors weigh together, as the study weighs them."""
    whose = ["assessor", "control", "position", *UNIT]
    sums = judged["value"].where(is_error(judged), 0.0).fillna(1.0)
    by_unit = [judged[name] for name in whose]
    once = judged[~judged.duplicated(whose)]
    total = sums.groupby(by_unit, dropna=False, sort=False).transform("sum")
    number = is_error(judged).groupby(by_unit, dropna=False, sort=False).transform("sum")
    for criterion, values in ((ANY, (number > 0).astype("float64")), (SUM, total)):
        yield once.assign(criterion=criterion, value=values[once.index], label="")


def _of_spans(judged: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """All spans, those of each severity and of each branch of categories; counts stay, as they tell who looked where.

    The places are written into ``unit`` again, and there is no value: nothing here is a number on a scale.
    """
    spans = is_error(judged) & judged["parts"].map(bool)
    judged = judged.assign(value=np.nan, unit=judged["at"])
    looked_at, spans_of = judged[~is_error(judged)], judged[spans]
    yield pd.concat([looked_at, spans_of]).assign(criterion=ALL, label=_severity(judged))
    named = spans_of.assign(severity=_severity(spans_of), value=1.0)
    branches = spans_of["criterion"].str.split("/").str[0]
    for groups, names in (
        (named["severity"], severities(named)),
        (branches, sorted(branches.unique())),
    ):
        for name in names if len(names) > 1 else ():
            rows = pd.concat([looked_at, spans_of[groups == name]])
            yield rows.assign(criterion=f"{ALL}: {name}", label=_severity(rows))


def _severity(rows: pd.DataFrame) -> pd.Series[str]:
    """The severity of an error, and nothing of a row that only says that somebody looked."""
    return rows["label"].where((rows["label"] != "") | ~is_error(rows), UNNAMED)


class Mark(NamedTuple):
    """A span of one person."""

    side: str
    parts: Parts
    severity: str

    @property
    def points(self) -> set[object]:
        return {(self.side, point) for start, end in self.parts for point in range(start, end)}


class JudgedUnit(NamedTuple):
    """A unit that several people judged, and what each marked there."""

    item: str
    key: str
    people: dict[str, list[Mark]]


def judged_units(rows: pd.DataFrame) -> list[JudgedUnit]:
    """The units that at least two people judged, control items left out."""
    placed = with_places(rows[rows["control"] == ""])
    number = placed.groupby(UNIT)["assessor"].transform("nunique")
    found: dict[tuple[str, str, str], JudgedUnit] = {}
    columns = [*UNIT, "assessor", "side", "parts", "label"]
    for system, item, unit, person, side, parts, severity in placed.loc[number > 1, columns].itertuples(
        index=False
    ):
        key = f"{system}/{item}/{unit}"
        own = found.setdefault((system, item, unit), JudgedUnit(item, key, {})).people.setdefault(person, [])
        if parts:
            own.append(Mark(side, parts, severity))
    return list(found.values())


def _severities_of(marks: list[Mark], heaviest: dict[str, int]) -> dict[object, str]:
    """Each marked point with its severity; where spans of one person overlap, the heavier one."""
    lightest_first = sorted(marks, key=lambda mark: heaviest.get(mark.severity, 0), reverse=True)
    return {point: mark.severity for mark in lightest_first for point in mark.points}


def _agreed(
    units: list[JudgedUnit],
    sums: list[tuple[float, float]],
    estimate: Callable[[FloatArray, FloatArray], FloatArray],
) -> Agreed:
    """Two sums of each unit, added up by item, and how they make a coefficient."""
    names = sorted({unit.item for unit in units})
    place = {name: number for number, name in enumerate(names)}
    by_item = np.zeros((len(names), 2))
    for unit, pair in zip(units, sums, strict=True):
        by_item[place[unit.item]] += pair
    people = {person for unit in units for person in unit.people}
    return Agreed(
        lambda weights: estimate(weights @ by_item[:, 0], weights @ by_item[:, 1]),
        len(names),
        len(names),
        len(people),
    )


def _f1(both: FloatArray, either: FloatArray) -> FloatArray:
    """Where nobody marked anything, all agree."""
    return np.divide(2 * both, either, out=np.ones_like(both), where=either > 0)


def _pairs(
    units: list[JudgedUnit], shared: Callable[[list[Mark], list[Mark]], Shared]
) -> list[tuple[float, float]]:
    """What every two people of a unit share, added up by unit."""
    found = []
    for unit in units:
        pairs = [shared(one, other) for one, other in combinations(unit.people.values(), 2)]
        found.append((sum(pair.both for pair in pairs), sum(pair.either for pair in pairs)))
    return found


def character_f1(
    rows: pd.DataFrame, attributes: pd.DataFrame | None = None, *, credit: float = 1.0
) -> Agreed:
    """2|A ∩ B|/(|A| + |B|) over points, ``credit`` for a point that both marked with another severity."""
    units = judged_units(rows)
    marks = pd.DataFrame(
        [(mark.severity, 1.0) for unit in units for own in unit.people.values() for mark in own],
        columns=["severity", "value"],
    )
    heaviest = {name: place for place, name in enumerate(severities(marks))}

    def shared(one: list[Mark], other: list[Mark]) -> Shared:
        return shared_points(_severities_of(one, heaviest), _severities_of(other, heaviest), credit=credit)

    return _agreed(units, _pairs(units, shared), _f1)


def same_severity_f1(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """Only points with the same severity count as shared."""
    return character_f1(rows, attributes, credit=0.0)


def half_credit_f1(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """Points with another severity are half shared."""
    return character_f1(rows, attributes, credit=0.5)


def overlap(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """The share of spans that share a point with one of the other person's."""
    units = judged_units(rows)

    def shared(one: list[Mark], other: list[Mark]) -> Shared:
        return overlapping([mark.points for mark in one], [mark.points for mark in other])

    return _agreed(units, _pairs(units, shared), lambda both, either: share_of(2 * both, either))


def neither(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """The share of pairs of judgments in which neither person marked anything: they weigh nothing in the F1."""
    units = judged_units(rows)
    return _agreed(units, _pairs(units, lambda one, other: Shared(not (one or other), 1)), share_of)


def alpha_u(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """Krippendorff's α for unitizing, of spans in the output."""
    units = judged_units(rows)
    lengths = unit_lengths(rows, attributes)
    sums = []
    for unit in units:
        if unit.key not in lengths:
            raise MissingAttribute(f"expected an attribute: characters of unit {unit.key}")
        people = [
            [(mark.severity, *part) for mark in marks if mark.side == OUTPUT for part in mark.parts]
            for marks in unit.people.values()
        ]
        found = Unitized()
        found.add(people, length=lengths[unit.key])
        sums.append((found.observed, found.expected))
    return _agreed(units, sums, lambda observed, expected: 1 - share_of(observed, expected))


def unit_lengths(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> dict[str, int]:
    """Characters of each unit by ``system/item/unit``; of an output of one unit, those of the output."""
    known = {str(key): int(size) for key, size in number_attribute(attributes, "unit", "characters").items()}
    of_outputs = number_attribute(attributes, "output", "characters").to_dict()
    placed = with_places(rows)
    units = placed.loc[placed["unit"] != "", UNIT].drop_duplicates()
    alone = units[~units.duplicated(["system", "item"], keep=False)]
    for system, item, unit in alone.itertuples(index=False):
        if unit == "1" and f"{system}/{item}" in of_outputs:
            known.setdefault(f"{system}/{item}/{unit}", int(of_outputs[f"{system}/{item}"]))
    return known


def _of_places(rows: pd.DataFrame) -> bool:
    return str(rows["criterion"].iloc[0]).partition(":")[0] == ALL


def _of_all_places(rows: pd.DataFrame) -> bool:
    return str(rows["criterion"].iloc[0]) == ALL


COEFFICIENTS = (
    Coefficient(
        "alpha-u",
        alpha_u,
        title="Krippendorff’s α for unitizing",
        definition="Krippendorff's α for unitizing of the spans in the output, severities being its categories (Krippendorff 2004)",
        symbol="α",
        applies=_of_places,
    ),
    Coefficient(
        "span-f1",
        character_f1,
        title="F1 of marked characters",
        definition="the F1 of the characters that two assessors marked, pooled over units",
        applies=_of_places,
    ),
    Coefficient(
        "span-f1-severity",
        same_severity_f1,
        title="F1 of marked characters, same severity",
        definition="the same F1 with only characters of the same severity in common",
        applies=_of_all_places,
    ),
    Coefficient(
        "span-f1-half",
        half_credit_f1,
        title="F1 of marked characters, half credit for another severity",
        definition="the same F1 with half credit for characters of another severity",
        applies=_of_all_places,
    ),
    Coefficient(
        "span-overlap",
        overlap,
        title="spans that overlap one of the other’s",
        definition="the share of spans that overlap one of the other assessor's",
        applies=_of_places,
    ),
    Coefficient(
        "span-neither",
        neither,
        title="units that neither marked",
        definition="the share of pairs of judgments of a unit in which neither assessor marked anything",
        applies=_of_all_places,
    ),
)
