"""Krippendorff's α for unitizing that follows judgments as they come: what people disagree in a unit, and would by chance, added up.

Both sums are of units, weighed by their length, as in :func:`metrics.human.spans.agreement.alpha_u`, so what a unit adds can be taken
away again. The interval is a jackknife over groups of items, as in :mod:`metrics.meta.coincidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from metrics.meta.coincidence import LiveAlpha
from metrics.meta.common import UNDEFINED_INTERVAL, interval_at, share_of
from metrics.meta.intervals import jackknife_interval
from metrics.meta.unitizing import unitizing_of_categories

Span = tuple[str, int, int]
"""Severity, start and end."""


@dataclass
class Unitized:
    """Disagreement of the units that at least two people read, and how many judgments that was."""

    observed: float = 0.0
    expected: float = 0.0
    judgments: int = 0

    def __bool__(self) -> bool:
        return self.judgments > 0

    def add(self, people: Sequence[Iterable[Span]], *, length: int) -> None:
        """One unit: the spans of everybody who read it."""
        if len(people) < 2:
            return
        marked = []
        for spans in people:
            own: dict[str, list[tuple[int, int]]] = {}
            for severity, start, end in spans:
                own.setdefault(severity, []).append((start, end))
            marked.append(own)
        found = unitizing_of_categories(marked, length)
        self.join(Unitized(length * found.observed, length * found.expected, len(people)))

    def join(self, other: Unitized, times: int = 1) -> None:
        """Another more, or with −1 less."""
        self.observed += times * other.observed
        self.expected += times * other.expected
        self.judgments += times * other.judgments

    def rows(self) -> list[list[float]]:
        return [list(astuple(self))]

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[float]]) -> Unitized:
        return cls(rows[0][0], rows[0][1], int(rows[0][2]))


def alpha_of_spans(groups: Sequence[Unitized], *, confidence_level: float = 0.95) -> LiveAlpha:
    """α of all groups together; its interval from leaving out one group at a time."""
    known = np.array([(one.observed, one.expected) for one in groups if one.judgments]).reshape(-1, 2)
    whole = known.sum(axis=0)
    sums = np.vstack([whole, whole - known])
    sums[np.abs(sums) < 1e-9 * max(1.0, np.abs(whole).max(initial=0.0))] = 0.0  # what rounding leaves
    alphas = 1 - share_of(sums[:, 0], sums[:, 1])
    interval = jackknife_interval(alphas, confidence_level) if len(known) > 1 else UNDEFINED_INTERVAL
    if interval is not UNDEFINED_INTERVAL:
        ends = interval
        interval = interval_at(lambda level: (max(-1.0, ends(level).low), ends(level).high), confidence_level)
    return LiveAlpha("nominal", float(alphas[0]), interval, sum(one.judgments for one in groups), 0)
