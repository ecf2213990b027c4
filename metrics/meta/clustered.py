"""p-values of correlations over the cells of a system × item matrix, which are not independent.

A metric that likes one system likes it on every item, so that a test over items (or cells) takes one opinion for hundreds of
findings. What is exchangeable under the null hypothesis are whole systems: at the levels ``item`` and ``global`` the metric's
rows are dealt to the systems anew; at ``system-average``, whose points are items, its columns to the items. All n! ways are
gone through where they are no more than the draws asked for; else p = (c + 1)/(R + 1).

Sums of products over items make this cheap. For Pearson, Spearman and concordance the statistic of any deal is a sum of n
entries of one n × n table; for Kendall it is a sum over pairs, and beyond ``LARGEST_TABLE`` points the normal distribution with
the exact variance of all deals takes its place (Daniels 1944). Missing cells count as average in these sums, which keeps the
test exact: they are dealt out with the rest of their row. Kendall's τ over all cells (``global``) has no such sums and no p-value.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
from scipy import special

from metrics.meta.coefficients import midranks
from metrics.meta.common import Alternative, FloatArray, IntArray, as_extreme, batches, symmetric_pvalue
from metrics.meta.ties import settled

LARGEST_TABLE = 24
"""Points up to which Kendall's table of all pairs against all pairs is made: 276 × 576 numbers."""

KENDALLS = ("kendall", "kendall-c")


def clustered_test(level: str, method: str) -> str:
    """What the p-value at this level stands on; "" where there is none."""
    if level == "global" and method in KENDALLS:
        return ""
    return "permute-items" if level == "system-average" else "permute-systems"


def deals(n: int, n_resamples: int, rng: np.random.Generator) -> tuple[IntArray, bool]:
    """Ways to deal n things out again (deals × n), and whether these are all there are."""
    if n <= 20 and factorial(n) <= n_resamples:
        return np.array(list(permutations(range(n))), dtype=np.intp), True
    return rng.permuted(np.tile(np.arange(n), (n_resamples, 1)), axis=1), False


def clustered_pvalues(
    human: FloatArray,
    metrics: FloatArray,
    *,
    level: str,
    method: str,
    alternative: Alternative,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """One p-value per metric (metrics × systems × items); all of them see the same deals."""
    if not clustered_test(level, method):
        return np.full(len(metrics), np.nan)
    if level == "system-average":
        human, metrics = np.asarray(human.T), np.asarray(metrics.swapaxes(1, 2))
    n = human.shape[0]
    dealt, complete = deals(n, n_resamples, rng)
    result = np.full(len(metrics), np.nan)
    for place, metric in enumerate(metrics):
        if method in KENDALLS and n > LARGEST_TABLE:
            result[place] = _daniels(*_signs(human, metric, method), alternative)
            continue
        if method in KENDALLS:
            pseudo, own = _quadratic(*_signs(human, metric, method), dealt)
        else:
            pseudo, own = _linear(_table(human, metric, level, method), dealt)
        scale = float(np.abs(pseudo).max(initial=0.0))
        if not scale or not np.isfinite(own):
            continue
        extreme = int(as_extreme(pseudo, np.full(1, own), np.full(1, 1e-11 * scale), alternative).sum())
        result[place] = extreme / len(dealt) if complete else (extreme + 1) / (len(dealt) + 1)
    return result


def _table(human: FloatArray, metric: FloatArray, level: str, method: str) -> FloatArray:
    """Entry s, t: what the pair of human row s and metric row t adds to the statistic."""
    if level == "global":
        x, y = (m.reshape(1, -1) for m in (human, metric))
    else:
        x, y = human.T, metric.T
    if method == "spearman":
        x, y = (midranks(settled(m)) for m in (x, y))
    x, mean_x, spread_x = _centred(x)
    y, mean_y, spread_y = _centred(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.sqrt(spread_x * spread_y)
        if method == "ccc":
            below = spread_x + spread_y + (mean_x - mean_y) ** 2
        y = np.where(below > 0, y / below, 0.0)
    if level == "global":
        return np.asarray(x.reshape(human.shape) @ y.reshape(metric.shape).T)
    return np.asarray(x.T @ y)


def _centred(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows less their mean, 0 where missing; the means and the mean squares, 0 where all values are one."""
    present = np.isfinite(rows)
    n = np.maximum(1, present.sum(axis=1, keepdims=True))
    mean = np.where(present, rows, 0.0).sum(axis=1, keepdims=True) / n
    centred = np.where(present, rows - mean, 0.0)
    largest = np.abs(np.where(present, rows, 0.0)).max(axis=1, keepdims=True, initial=0.0)
    centred = np.where(
        np.abs(centred).max(axis=1, keepdims=True, initial=0.0) > 1e-12 * largest, centred, 0.0
    )
    return centred, mean, (centred**2).sum(axis=1, keepdims=True) / n


def _linear(table: FloatArray, dealt: IntArray) -> tuple[FloatArray, float]:
    """The sum of the table's entries in each deal, and as it is."""
    rows = np.arange(len(table))
    parts = np.array_split(dealt, max(1, dealt.size // 2**21))
    return np.concatenate([table[rows, part].sum(axis=1) for part in parts]), float(table[rows, rows].sum())


def _signs(human: FloatArray, metric: FloatArray, method: str) -> tuple[FloatArray, FloatArray]:
    """sign(x_s − x_t) of human and metric in every group (groups × n × n), 0 where missing, the metric's over the
    denominator of the coefficient, so that their products add up to the sum of the groups' coefficients.
    """
    x, y = (settled(m.T) for m in (human, metric))
    with np.errstate(invalid="ignore", divide="ignore"):
        signs_x, signs_y = (np.nan_to_num(np.sign(v[:, :, None] - v[:, None, :])) for v in (x, y))
        if method == "kendall":
            below = np.sqrt((signs_x != 0).sum(axis=(1, 2)) * (signs_y != 0).sum(axis=(1, 2)))
        else:
            steps = np.array([min(_steps(a), _steps(b)) for a, b in zip(x, y, strict=True)])
            n = np.minimum(np.isfinite(x).sum(axis=1), np.isfinite(y).sum(axis=1))
            below = n**2 * (steps - 1) / np.maximum(1, steps)
        factor = np.where(below > 0, 1 / below, 0.0)
    return signs_x, signs_y * factor[:, None, None]


def _steps(values: FloatArray) -> int:
    return len(np.unique(values[np.isfinite(values)]))


def _quadratic(signs_x: FloatArray, signs_y: FloatArray, dealt: IntArray) -> tuple[FloatArray, float]:
    """The sum over groups and pairs in each deal, and as it is."""
    groups, n, _ = signs_x.shape
    first, second = np.triu_indices(n, 1)
    table = 2 * signs_x[:, first, second].T @ signs_y.reshape(groups, n * n)
    rows = np.arange(len(first))
    sums = []
    start = 0
    for size in batches(len(dealt), len(first)):
        part = dealt[start : start + size]
        sums.append(table[rows, part[:, first] * n + part[:, second]].sum(axis=1))
        start += size
    return np.concatenate(sums), float(table[rows, first * n + second].sum())


def _daniels(signs_x: FloatArray, signs_y: FloatArray, alternative: Alternative) -> float:
    """Normal p-value of Σ a_ij·b_ij over groups; its variance over all deals by Daniels (1944), groups dealt alike."""
    groups, n, _ = signs_x.shape
    whole = [signs.reshape(groups, -1) @ signs.reshape(groups, -1).T for signs in (signs_x, signs_y)]
    rows = [signs.sum(axis=2) @ signs.sum(axis=2).T for signs in (signs_x, signs_y)]
    ordered = n * (n - 1)
    variance = 4 / (ordered * (n - 2)) * ((rows[0] - whole[0]) * (rows[1] - whole[1])).sum()
    variance += 2 / ordered * (whole[0] * whole[1]).sum()
    if not variance > 0:
        return float("nan")
    z = (signs_x * signs_y).sum() / np.sqrt(variance)
    return float(symmetric_pvalue(z, special.ndtr, alternative))
