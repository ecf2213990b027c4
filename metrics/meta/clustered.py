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

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from scipy import special

from metrics.meta.coefficients import midranks
from metrics.meta.common import Alternative, FloatArray, IntArray, as_extreme, batches, symmetric_pvalue
from metrics.meta.ties import CLOSE, settled

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
    if method in KENDALLS and n > LARGEST_TABLE:
        signs = _signs(human, method)
        return np.array(
            [_daniels(signs.human, signs.metrics(metric[None])[0], alternative) for metric in metrics]
        )
    groups = human.shape[1]
    parts = []
    start = 0
    # A batch holds the metrics' tables and what they add up to in every deal.
    each = n * groups + (n * n * (groups + n * n // 2) if method in KENDALLS else 2 * n * n) + len(dealt)
    for size in batches(len(metrics), each):
        part = metrics[start : start + size]
        start += size
        if method in KENDALLS:
            pseudo, own = _quadratic(_signs(human, method), part, dealt)
        else:
            pseudo, own = _linear(_tables(human, part, level, method), dealt)
        scale = np.abs(pseudo).max(axis=1, initial=0.0)
        extreme = as_extreme(pseudo, own[:, None], 1e-11 * scale[:, None], alternative).sum(axis=1)
        pvalues = extreme / len(dealt) if complete else (extreme + 1) / (len(dealt) + 1)
        parts.append(np.where((scale > CLOSE) & np.isfinite(own), pvalues, np.nan))
    return np.concatenate(parts)


def _tables(human: FloatArray, metrics: FloatArray, level: str, method: str) -> FloatArray:
    """Entry m, s, t: what the pair of human row s and row t of metric m adds to the statistic."""
    if level == "global":
        x, ys = human.reshape(1, -1), metrics.reshape(len(metrics), 1, -1)
    else:
        x, ys = human.T, metrics.swapaxes(1, 2)
    if method == "spearman":
        x, ys = (midranks(settled(m)) for m in (x, ys))
    x, mean_x, spread_x = _centred(x)
    ys, mean_y, spread_y = _centred(ys)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.sqrt(spread_x * spread_y)
        if method == "ccc":
            below = spread_x + spread_y + (mean_x - mean_y) ** 2
        ys = np.where(below > 0, ys / below, 0.0)
    if level == "global":
        return np.asarray(x.reshape(human.shape) @ ys.reshape(metrics.shape).swapaxes(1, 2))
    return np.asarray(x.T @ ys)


def _centred(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows less their mean, 0 where missing; the means and the mean squares, 0 where all values are one."""
    present = np.isfinite(rows)
    n = np.maximum(1, present.sum(axis=-1, keepdims=True))
    filled = np.where(present, rows, 0.0)
    mean = filled.sum(axis=-1, keepdims=True) / n
    centred = np.where(present, rows - mean, 0.0)
    largest = np.abs(filled).max(axis=-1, keepdims=True, initial=0.0)
    varies = np.abs(centred).max(axis=-1, keepdims=True, initial=0.0) > 1e-12 * largest
    centred = np.where(varies, centred, 0.0)
    return centred, mean, (centred**2).sum(axis=-1, keepdims=True) / n


def _linear(tables: FloatArray, dealt: IntArray) -> tuple[FloatArray, FloatArray]:
    """The sum of each table's entries in each deal (metrics × deals), and as it is."""
    n = tables.shape[-1]
    flat = tables.reshape(len(tables), n * n)
    own = flat[:, np.arange(n) * (n + 1)].sum(axis=1)
    if len(tables) < n:
        sums = sum(flat[:, row * n + dealt[:, row]] for row in range(n))
        return np.asarray(sums), own
    # Column by column of the deals; many metrics at once read whole lines of memory.
    lines = np.ascontiguousarray(flat.T)
    total = np.zeros((len(dealt), len(tables)))
    for row in range(n):
        total += lines[row * n + dealt[:, row]]
    return np.asarray(total.T), own


@dataclass(frozen=True)
class _Signs:
    """sign(x_s − x_t) of human scores in every group (groups × n × n), 0 where missing."""

    human: FloatArray
    scores: FloatArray
    method: str

    def metrics(self, metrics: FloatArray) -> FloatArray:
        """The same of each metric, over the denominator of the coefficient, so that their products with the human signs add
        up to the sum of the groups' coefficients.
        """
        ys = settled(metrics.swapaxes(1, 2))
        signs = _pair_signs(ys)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.method == "kendall":
                untied = [(s != 0).sum(axis=(-2, -1)) for s in (self.human, signs)]
                below = np.sqrt(untied[0] * untied[1])
            else:
                own = np.array([_steps(row) for row in self.scores])
                steps = np.minimum(own, [[_steps(row) for row in y] for y in ys])
                n = np.minimum(np.isfinite(self.scores).sum(axis=-1), np.isfinite(ys).sum(axis=-1))
                below = n**2 * (steps - 1) / np.maximum(1, steps)
            factor = np.where(below > 0, 1 / below, 0.0)
        return np.asarray(signs * factor[..., None, None])


def _signs(human: FloatArray, method: str) -> _Signs:
    scores = settled(human.T)
    return _Signs(_pair_signs(scores), scores, method)


def _pair_signs(values: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.sign(values[..., :, None] - values[..., None, :]))


def _steps(values: FloatArray) -> int:
    return len(np.unique(values[np.isfinite(values)]))


def _quadratic(signs: _Signs, metrics: FloatArray, dealt: IntArray) -> tuple[FloatArray, FloatArray]:
    """The sum over groups and pairs in each deal (metrics × deals), and as it is."""
    groups, n, _ = signs.human.shape
    first, second = np.triu_indices(n, 1)
    ys = signs.metrics(metrics).reshape(len(metrics), groups, n * n)
    tables = 2 * signs.human[:, first, second].T @ ys
    own = tables[:, np.arange(len(first)), first * n + second].sum(axis=1)
    # Deals × metrics; a line of memory holds one entry of all metrics.
    lines = np.ascontiguousarray(tables.transpose(1, 2, 0))
    total = np.zeros((len(dealt), len(metrics)))
    for pair, (s, t) in enumerate(zip(first, second, strict=True)):
        total += lines[pair, dealt[:, s] * n + dealt[:, t]]
    return np.asarray(total.T), own


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
