"""Do people mark the same places? Character F1, overlap, and Krippendorff's α for unitizing, α_U (Krippendorff 1995; 2004, p. 251).

α_U = 1 − Σ D_o / Σ D_e over categories, on a continuum of L points that m people divided into marked stretches and gaps:

- D_o = Σ δ² / (m(m − 1)L²) over ordered pairs of people and their stretches; δ² is the sum of squared differences of the two ends where
  two marked stretches overlap, and the squared length of a marked one that lies in a gap of the other person;
- D_e = 2/L · Σ l-wise [(N − 1)/3 · (2l³ − 3l² + l) + l² · Σ over gaps g ≥ l of (g − l + 1)] / (mL(mL − 1) − Σ l(l − 1)), l the length of each of
  the N marked stretches.

Each category is laid on the continuum by itself. Stretches of one person that overlap in one category are one stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

Stretch = tuple[int, int]
"""Start and end, end exclusive."""


class Disagreement(NamedTuple):
    """Observed and expected disagreement; sums of them are of several categories or texts."""

    observed: float
    expected: float

    @property
    def alpha(self) -> float:
        """1 − observed/expected; NaN where nobody marked anything.

        >>> round(Disagreement(0.0144, 0.0532).alpha, 4)
        0.7293
        """
        return 1 - self.observed / self.expected if self.expected > 0 else float("nan")


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The stretches in order, those that overlap as one.

    >>> merged([(5, 9), (0, 3), (2, 4), (9, 10)])
    [(0, 4), (5, 9), (9, 10)]
    """
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def unitizing(people: Sequence[Iterable[Stretch]], length: int) -> Disagreement:
    """Disagreement of people who marked stretches of one category on a continuum of ``length`` points.

    >>> unitizing([[(1, 9)], [(2, 3), (4, 5), (6, 7)]], 10).alpha  # doctest: +ELLIPSIS
    -0.700...
    """
    marked = [merged(stretches) for stretches in people]
    gaps = [_gaps(stretches, length) for stretches in marked]
    m, n = len(marked), sum(map(len, marked))
    if m < 2 or not n or not length:
        return Disagreement(0.0, 0.0)
    observed = sum(
        _distance(marked[i], marked[j]) + _in_gaps(marked[i], gaps[j]) + _in_gaps(marked[j], gaps[i])
        for i, j in permutations(range(m), 2)
    )
    lengths = [end - start for stretches in marked for start, end in stretches]
    free = [end - start for stretches in gaps for start, end in stretches]
    expected = sum(
        (n - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        + size**2 * sum(gap - size + 1 for gap in free if gap >= size)
        for size in lengths
    )
    pairs = m * length * (m * length - 1) - sum(size * (size - 1) for size in lengths)
    return Disagreement(observed / (m * (m - 1) * length**2), 2 / length * expected / pairs)


def _gaps(stretches: Sequence[Stretch], length: int) -> list[Stretch]:
    """What lies between marked stretches, before and behind them."""
    starts, ends = [start for start, _ in stretches], [end for _, end in stretches]
    return [gap for gap in zip([0, *ends], [*starts, length], strict=True) if gap[0] < gap[1]]


def _distance(one: Sequence[Stretch], other: Sequence[Stretch]) -> float:
    return sum(
        (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a in one for b in other if a[0] < b[1] and b[0] < a[1]
    )


def _in_gaps(marked: Sequence[Stretch], gaps: Sequence[Stretch]) -> float:
    return sum((a[1] - a[0]) ** 2 for a in marked for gap in gaps if gap[0] <= a[0] and a[1] <= gap[1])


def unitizing_of_categories(people: Sequence[Mapping[str, Iterable[Stretch]]], length: int) -> Disagreement:
    """The disagreement of several categories together."""
    categories = sorted({name for person in people for name in person})
    found = [unitizing([person.get(name, ()) for person in people], length) for name in categories]
    return Disagreement(sum(one.observed for one in found), sum(one.expected for one in found))


class Shared(NamedTuple):
    """What two people have in common, and what each has, added up: the ratio of twice the first to the second is an F1."""

    both: float
    either: float

    @property
    def f1(self) -> float:
        """1 where nobody marked anything.

        >>> Shared(17, 50).f1
        0.68
        """
        return 2 * self.both / self.either if self.either else 1.0


def shared_points(one: Mapping[object, str], other: Mapping[object, str], *, credit: float = 1.0) -> Shared:
    """Points marked by both, each with its severity; one marked with another severity counts ``credit``.

    >>> shared_points({1: "major", 2: "minor"}, {2: "major", 3: "major"}, credit=0.5)
    Shared(both=0.5, either=4)
    """
    both = sum(1.0 if one[point] == other[point] else credit for point in one.keys() & other.keys())
    return Shared(both, len(one) + len(other))


def overlapping(one: Sequence[set[object]], other: Sequence[set[object]]) -> Shared:
    """How many spans of either share a point with any of the other's, as ``Shared``: half of them, so that the F1 is their share."""
    met = sum(any(a & b for b in other) for a in one) + sum(any(a & b for a in one) for b in other)
    return Shared(met / 2, len(one) + len(other))
