"""Krippendorff's α that follows judgments as they come: from counts of coinciding values, changed for one thing at a time.

Krippendorff (2011, "Computing Krippendorff's alpha-reliability") computes α from a matrix of coincidences, to which each thing
that was judged m times adds its pairs of values, divided by m − 1. Here pairs are counted apart for each m, so that everything
kept is a whole number: what was added can be taken away again, in any order and any number of times, and nothing of it stays.
The result is that of :func:`metrics.meta.agreement.agreement_coefficient` on all judgments, to rounding.

The interval is a jackknife over groups of items (Kott 2001, "The delete-a-group jackknife"): with an item in each group it is the
interval that ``agreement`` gives below ``FEW_ITEMS`` items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    ConfidenceInterval,
    FloatArray,
    check_choice,
    check_level,
    interval_at,
)
from metrics.meta.intervals import jackknife_interval

Level = Literal["nominal", "ordinal", "interval"]
Pair = tuple[int, float, float]
"""How often the thing was judged, and two of its values, the lower first."""


class Coincidences:
    """Pairs of values of the same thing, counted. A thing that was judged once adds nothing.

    >>> found = Coincidences()
    >>> for values in ([1, 1], [2, 3], [3, 3], [4, 4]):
    ...     found.add(values)
    >>> round(alpha([found]).statistic, 3)
    0.911
    """

    def __init__(self, pairs: Mapping[Pair, int] | None = None) -> None:
        self.pairs: Counter[Pair] = Counter(pairs or {})

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def add(self, values: Sequence[float]) -> None:
        """The judgments of one thing."""
        self._count(values, 1)

    def remove(self, values: Sequence[float]) -> None:
        """The judgments of a thing that were added before, all of them."""
        self._count(values, -1)

    def _count(self, values: Sequence[float], times: int) -> None:
        judged = len(values)
        if judged < 2:
            return
        counts = sorted(Counter(float(value) for value in values).items())
        for place, (low, number) in enumerate(counts):
            if number > 1:
                self.change((judged, low, low), times * number * (number - 1) // 2)
            for high, others in counts[place + 1 :]:
                self.change((judged, low, high), times * number * others)

    def change(self, pair: Pair, number: int) -> None:
        """So many pairs more, or fewer."""
        self.pairs[pair] += number
        if not self.pairs[pair]:
            del self.pairs[pair]

    def join(self, other: Coincidences, times: int = 1) -> None:
        """All pairs of another more, or with −1 fewer."""
        for pair, number in other.pairs.items():
            self.change(pair, times * number)

    def rows(self) -> list[list[float]]:
        """As JSON holds it: how often judged, two values, how many such pairs."""
        return [[*pair, number] for pair, number in sorted(self.pairs.items())]

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[float]]) -> Coincidences:
        return cls({(int(judged), low, high): int(number) for judged, low, high, number in rows})


@dataclass(frozen=True)
class LiveAlpha:
    """α, its interval, and the number of judgments that could be compared."""

    level: Level
    statistic: float
    confidence_interval: ConfidenceInterval
    judgments: int
    values: int
    """How many different ones there are: of few, their order counts; of many, their distances."""


def alpha(
    groups: Sequence[Coincidences], *, level: Level = "interval", confidence_level: float = 0.95
) -> LiveAlpha:
    """α of all groups together; its interval from leaving out one group at a time."""
    check_choice("level", level, get_args(Level))
    check_level(confidence_level)
    known = [group.pairs for group in groups if group.pairs]
    keys = sorted(set().union(*known))
    if not keys:
        return LiveAlpha(level, float("nan"), UNDEFINED_INTERVAL, 0, 0)
    counted = np.array([[pairs.get(key, 0) for key in keys] for pairs in known], dtype=np.float64)
    whole = counted.sum(axis=0)
    alphas, judged, values = _alphas(keys, np.vstack([whole, whole - counted]), level)
    interval = jackknife_interval(alphas, confidence_level) if len(known) > 1 else UNDEFINED_INTERVAL
    if interval is not UNDEFINED_INTERVAL:
        ends = interval
        interval = interval_at(lambda level: (max(-1.0, ends(level).low), ends(level).high), confidence_level)
    return LiveAlpha(level, float(alphas[0]), interval, int(judged), values)


def _alphas(keys: list[Pair], counted: FloatArray, level: Level) -> tuple[FloatArray, float, int]:
    """One α for each row of counts, how many judgments the first stands on, and how many values there are."""
    values, places = np.unique([key[1:] for key in keys], return_inverse=True)
    low, high = places.reshape(-1, 2).T
    pairs = counted / (np.array([key[0] for key in keys], dtype=np.float64) - 1)
    shares = np.zeros((len(counted), len(values)))
    for row, of_row in zip(shares, pairs, strict=True):
        # A pair of the same value is one of two judgments with it.
        np.add.at(row, low, of_row)
        np.add.at(row, high, of_row)
    shares = np.rint(shares)
    n = shares.sum(axis=1)
    if level == "nominal":
        within = 2 * (pairs * (low != high)).sum(axis=1)
        overall = n**2 - (shares**2).sum(axis=1)
    else:
        scale = np.cumsum(shares, axis=1) - shares / 2 if level == "ordinal" else np.tile(values, (len(n), 1))
        with np.errstate(invalid="ignore"):
            centred = scale - ((shares * scale).sum(axis=1) / n)[:, None]
        within = 2 * (pairs * (scale[:, low] - scale[:, high]) ** 2).sum(axis=1)
        overall = 2 * n * (shares * centred**2).sum(axis=1)
    differ = (shares > 0).sum(axis=1) > 1  # by count: rounding may leave something of a spread of zero
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(differ, 1 - (n - 1) * within / overall, np.nan)
    return found, float(n[0]), len(values)
