"""How far people differ on one piece, from the rows that its kind exports. Pure: no database, no statistics package.

A kind says which of its values are compared, each as a share of its scale (``TaskKind.values_compared``); what is done with them is
the same for all kinds:

- the *spread* of a criterion is how far the two judges who differ most are apart, as a share of the scale: the mean over the units
  of a text, and of several texts the one with the greatest;
- what the piece adds to α: the mean squared difference between its judges, by that between any two values of the criterion in
  the task. 0 is agreement, 1 is what chance gives, and the mean over pieces (by their numbers of values) is exactly 1 − α with
  interval distances (Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Compared(NamedTuple):
    """A value of one judge that others can agree with: about which text of a set, which unit, by which criterion."""

    text: Hashable
    unit: str
    criterion: str
    value: float  # 0 to 1, as a share of the scale


@dataclass(frozen=True)
class Differing:
    """How far the judges of one piece differ by one criterion, in numbers that can be added up over pieces."""

    criterion: str
    judges: int
    spread: float
    values: int
    total: float
    squares: float
    within: float  # sum over units of the squared differences between values, each unit's by its number of values less one


def differing(judges: Sequence[Iterable[Compared]]) -> list[Differing]:
    """One entry for each criterion by which two judges at least said something of the same unit."""
    found: dict[str, dict[tuple[Hashable, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for said in judges:
        for one in said:
            found[one.criterion][one.text, one.unit].append(one.value)
    entries = []
    for criterion, cells in found.items():
        pairable = {place: values for place, values in cells.items() if len(values) > 1}
        if pairable:
            entries.append(_of_criterion(criterion, pairable))
    return entries


def _of_criterion(criterion: str, cells: dict[tuple[Hashable, str], list[float]]) -> Differing:
    ranges: dict[Hashable, list[float]] = defaultdict(list)
    for (text, _), values in cells.items():
        ranges[text].append(max(values) - min(values))
    every = [value for values in cells.values() for value in values]
    return Differing(
        criterion=criterion,
        judges=max(map(len, cells.values())),
        spread=max(sum(apart) / len(apart) for apart in ranges.values()),
        values=len(every),
        total=sum(every),
        squares=sum(value * value for value in every),
        within=sum(squared_differences(values) / (len(values) - 1) for values in cells.values()),
    )


def squared_differences(values: Sequence[float]) -> float:
    """Over all ordered pairs of values."""
    return 2 * (len(values) * sum(value * value for value in values) - sum(values) ** 2)


def expected_difference(values: int, total: float, squares: float) -> float:
    """The mean squared difference between any two of so many values with this sum and sum of squares."""
    return 2 * (values * squares - total * total) / (values * (values - 1)) if values > 1 else 0.0
