"""Two metrics exchange the scores of whole systems, and correlations within items follow without being computed anew.

z_s = 1 where system s has the other metric's scores. A sum over pairs of systems, such as concordant less discordant pairs, is
then c + Σ z_s·l_s + Σ z_s·z_t·q_st with numbers that do not change from draw to draw: all draws are one matrix product of their
z and products of two z with these numbers, item by item. Counts are whole numbers and small, so that single precision is exact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics.meta.common import FloatArray, IntArray, batches
from metrics.meta.ties import settled

Means = Callable[[FloatArray], FloatArray]
"""Swaps (draws × points) to means over groups (draws)."""

FASTEST = {"kendall": 64, "pearson": 100_000}
"""Points in a group up to which the products are worth making."""


def exchanged_means(
    human: FloatArray, one: FloatArray, other: FloatArray, swaps: FloatArray, *, method: str
) -> FloatArray:
    """Mean over groups of the correlation with ``human`` of the metric that has ``one`` where ``swaps`` is 0, else ``other``.

    Scores are groups × points, NaN missing in both metrics alike; swaps are draws × points. For Kendall's τ-b and Pearson's r.
    """
    valid = np.isfinite(human) & np.isfinite(one) & np.isfinite(other)
    kept = valid.sum(axis=1) >= 2
    human, one, other, valid = (np.where(valid, m, np.nan)[kept] for m in (human, one, other, valid))
    prepared = _pairs(human, one, other) if method == "kendall" else _moments(human, one, other)
    means = []
    start = 0
    for size in batches(len(swaps), 8 * max(1, len(human))):
        means.append(prepared(swaps[start : start + size]))
        start += size
    return np.concatenate(means)


def _pairs(human: FloatArray, one: FloatArray, other: FloatArray) -> Means:
    """Kendall's τ-b."""
    points = human.shape[1]
    first, second = np.triu_indices(points, 1)
    both = settled(np.concatenate([one, other], axis=1))
    one, other, human = both[:, :points], both[:, points:], settled(human)
    gold = np.nan_to_num(np.sign(human[:, first] - human[:, second]))
    present = np.isfinite(human)[:, first] & np.isfinite(human)[:, second]
    signs = {
        (i, j): np.nan_to_num(np.sign(a[:, first] - b[:, second]))
        for i, a in enumerate((one, other))
        for j, b in enumerate((one, other))
    }
    untied_human = (gold != 0).sum(axis=1).astype(np.float64)
    excess = _coefficients({key: gold * sign for key, sign in signs.items()}, points)
    untied = _coefficients({key: np.abs(sign) * present for key, sign in signs.items()}, points)
    # Where neither metric has a tie, with itself or with the other, the denominator stays, and groups add up beforehand.
    free = np.all([(sign != 0) | ~present for sign in signs.values()], axis=(0, 2))
    with np.errstate(divide="ignore"):
        weight = np.where(untied_human > 0, 1 / np.sqrt(untied_human), 0.0)
    pairs = present.sum(axis=1)
    steady = np.where(free & (pairs > 0), weight / np.sqrt(np.maximum(1, pairs)), 0.0)
    summed = excess.astype(np.float64) @ steady
    always = float((steady > 0).sum())
    excess, untied, weight = excess[:, ~free], untied[:, ~free], weight[~free]
    defined = (weight > 0).astype(np.float64)

    def means(swaps: FloatArray) -> FloatArray:
        features = _features(swaps, first, second)
        totals, counts = features @ summed, np.full(len(swaps), always)
        if len(weight):
            single = features.astype(np.float32)
            below = np.sqrt(single @ untied, dtype=np.float64)
            nothing = below == 0
            if nothing.any():
                below[nothing] = 1.0
                counts += ~nothing @ defined
            else:
                counts += defined.sum()
            totals += np.divide(single @ excess, below, out=below) @ weight
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(totals / counts)

    return means


def _coefficients(tables: dict[tuple[int, int], FloatArray], points: int) -> FloatArray:
    """Sums over pairs as coefficients of 1, z_s and z_s·z_t (features × groups), given their values for (z_s, z_t)."""
    first, second = np.triu_indices(points, 1)
    base = tables[0, 0]
    linear = np.zeros((len(base), points))
    for point in range(points):
        linear[:, point] += (tables[1, 0] - base)[:, first == point].sum(axis=1)
        linear[:, point] += (tables[0, 1] - base)[:, second == point].sum(axis=1)
    product = tables[1, 1] - tables[1, 0] - tables[0, 1] + base
    parts = [base.sum(axis=1, keepdims=True), linear, product]
    return np.ascontiguousarray(np.concatenate(parts, axis=1).T, dtype=np.float32)


def _features(swaps: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    return np.concatenate([np.ones((len(swaps), 1)), swaps, swaps[:, first] * swaps[:, second]], axis=1)


def _moments(human: FloatArray, one: FloatArray, other: FloatArray) -> Means:
    """Pearson's r: sums of scores, squares and products with the human scores are linear in z."""
    present = np.isfinite(human)
    n = present.sum(axis=1)
    x = np.where(present, human, 0.0)
    x = np.where(present, x - x.sum(axis=1, keepdims=True) / n[:, None], 0.0)
    spread = (x**2).sum(axis=1)
    constant = spread <= 1e-13 * (np.nan_to_num(human) ** 2).sum(axis=1)
    # A common origin close to the scores keeps the squares small; a correlation does not change with it.
    centre = np.nanmean(np.concatenate([one, other], axis=1), axis=1, keepdims=True)
    a, b = (np.where(present, m - centre, 0.0) for m in (one, other))
    linear = [(f(a).sum(axis=1), (f(b) - f(a)).T) for f in (lambda v: v, np.square, lambda v: v * x)]

    def means(swaps: FloatArray) -> FloatArray:
        total, squares, products = (base + swaps @ slope for base, slope in linear)
        variance = squares - total**2 / n
        with np.errstate(invalid="ignore", divide="ignore"):
            r = products / np.sqrt(variance * spread)
            defined = (variance > 1e-13 * squares) & ~constant
            return np.asarray(np.where(defined, np.clip(r, -1, 1), 0.0).sum(axis=1) / defined.sum(axis=1))

    return means
