"""What the families of syntax metrics share: mean precision by level, and the tree kernel's cosine.

``stm`` and ``tkm`` read constituency trees (:mod:`metrics.automatic.constituency`), ``dstm``, ``dtkm`` and ``hwcm`` dependencies
(:mod:`metrics.automatic.dependency`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Item, Rows
from metrics.automatic.syntax.subtrees import DEEPEST, Counts, Forest, cosine, kernel
from metrics.automatic.text.prepared import Text

EPSILON = 1e-3
"""What Liu & Gildea put in the place of a precision of 0 for HWCM, they say; only under a name that asks for it."""


def level_rows(items: Sequence[Item], key: str, count: Callable[[Text], Counts]) -> Rows:
    """Per output matches and totals by level, DEEPEST of each; matches are clipped at the largest count in a reference."""
    rows = np.zeros((len(items), 2 * DEEPEST))
    most: dict[int, list[dict[Hashable, int]]] = {}
    for row, item in zip(rows, items, strict=True):
        if id(item.references) not in most:
            most[id(item.references)] = _most([text.remember(key, count) for text in item.references])
        known = most[id(item.references)]
        counts: Counts = item.output.remember(key, count)
        for level, own in enumerate(counts):
            row[level] = sum(min(number, known[level].get(cut, 0)) for cut, number in own.items())
            row[DEEPEST + level] = own.total()
    return rows


def _most(references: Sequence[Counts]) -> list[dict[Hashable, int]]:
    """By level, the largest count of each subtree in any reference."""
    largest: list[dict[Hashable, int]] = [{} for _ in range(DEEPEST)]
    for counts in references:
        for known, own in zip(largest, counts, strict=True):
            for cut, number in own.items():
                if number > known.get(cut, 0):
                    known[cut] = number
    return largest


def mean_precision(rows: Rows, depth: int, *, epsilon: bool = False) -> npt.NDArray[np.float64]:
    """The mean precision over levels 1 to ``depth`` at which the output has anything; NaN where it has nothing."""
    matched, totals = rows[:, :depth], rows[:, DEEPEST : DEEPEST + depth]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(totals > 0, matched / totals, 0.0)
        if epsilon:
            precision = np.where((totals > 0) & (matched == 0), EPSILON, precision)
        return np.asarray(precision.sum(axis=1) / (totals > 0).sum(axis=1))


def kernel_rows(items: Sequence[Item], key: str, make: Callable[[Text], Forest]) -> Rows:
    """Per output the cosine with its best reference; NaN where the output has no fragment."""

    def known(text: Text) -> tuple[Forest, int]:
        own: tuple[Forest, int] = text.remember(key, lambda text: (made := make(text), kernel(made, made)))
        return own

    rows = np.full((len(items), 1), np.nan)
    for row, item in zip(rows, items, strict=True):
        ours, alone = known(item.output)
        if alone:
            references = [known(text) for text in item.references]
            row[0] = max(cosine(kernel(ours, own), alone, size) if size else 0.0 for own, size in references)
    return rows
