"""Many comparisons at once: adjusted p-values and simultaneous tests of all pairs of means.

Riezler & Maxwell (2005, §4.4) show the problem: at .05 each, 105 comparisons find something by chance almost surely.
An adjusted p-value may be compared with the level wanted for the whole family.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    FloatArray,
    IntArray,
    Scores,
    as_matrix,
    check_choice,
    plain_array,
    undefined,
)
from metrics.meta.ties import CLOSE
from metrics.signature import signature

CORRECTIONS = ("none", "bonferroni", "holm", "benjamini-hochberg")
SIMULTANEOUS = ("tukey", "scheffe")


@dataclass(frozen=True)
class SimultaneousResult:
    """All pairs (first < second, in the order of the rows) of one family, p-values already for the whole family."""

    first: IntArray
    second: IntArray
    difference: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    df: float
    test: str
    blocked: bool

    @property
    def signature(self) -> str:
        return signature(self.test, {"pairs": len(self.first), "df": f"{self.df:g}", "blocked": self.blocked})


def experimentwise_error(pvalue: float, comparisons: int) -> float:
    """1 − (1 − p)^k: the chance of at least one spurious finding among k independent comparisons at p each.

    >>> round(experimentwise_error(0.05, 105), 4)
    0.9954
    """
    if not 0 <= pvalue <= 1 or comparisons < 0:
        raise BadInput("expected a level between 0 and 1 and a number of comparisons")
    return float(-np.expm1(comparisons * np.log1p(-pvalue))) if pvalue < 1 else 1.0


def checked_pvalues(pvalues: npt.ArrayLike) -> FloatArray:
    """p-values as doubles; NaN is undefined, and what is not between 0 and 1 is no p-value."""
    given = (
        np.asarray(pvalues, dtype=np.float64) if not np.ma.isMaskedArray(pvalues) else plain_array(pvalues)
    )
    wrong = given[~np.isnan(given) & ((given < 0) | (given > 1))]
    if len(wrong):
        raise BadInput(f"expected p-values between 0 and 1, found {wrong[0]:g}")
    return given


def adjust(pvalues: npt.ArrayLike, method: str = "holm") -> FloatArray:
    """Adjusted p-values of a family, in the order given; NaN stays NaN and is no member of the family.

    ``bonferroni`` and ``holm`` bound the chance of any false finding (Holm is never weaker), ``benjamini-hochberg`` the
    expected share of false ones among the findings.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("correction", method, CORRECTIONS)
    values = checked_pvalues(pvalues)
    adjusted = values.copy()
    member = np.isfinite(values)
    p = values[member]
    count = len(p)
    if method == "none" or not count:
        return adjusted
    if method == "bonferroni":
        adjusted[member] = np.minimum(1.0, p * count)
        return adjusted
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, count + 1)
    if method == "holm":
        stepped = np.maximum.accumulate(p[order] * (count - rank + 1))
    else:
        stepped = np.minimum.accumulate((p[order] * count / rank)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(1.0, stepped)
    adjusted[member] = result
    return adjusted


def tukey_hsd(scores: Scores, *, blocked: bool = False) -> SimultaneousResult:
    """Tukey's HSD (Tukey–Kramer for unequal numbers): every pair's studentized range among all systems' means.

    Rows are systems. Plain, the scores of a system are a sample of their own (one-way layout). ``blocked`` takes the
    columns for blocks: all systems saw the same items, and differences between items are removed from the error.

    >>> [round(float(p), 3) for p in tukey_hsd([[1, 2, 3], [2, 3, 4], [6, 7, 8]]).pvalue]
    [0.483, 0.002, 0.006]
    """
    layout = _layout(scores, blocked)
    q = np.abs(layout.difference) / np.sqrt(layout.error * layout.inverse_sizes / 2)
    pvalue = _studentized_range_tail(q, layout) if layout.ok else np.full(len(q), np.nan)
    return _simultaneous("tukey", layout, q, pvalue, blocked)


def scheffe(scores: Scores, *, blocked: bool = False) -> SimultaneousResult:
    """Scheffé's test: F = difference² / (MSE·(1/n_i + 1/n_j)·(k − 1)) on k − 1 and error degrees of freedom.

    It protects all contrasts, not only pairs, and so is weaker than Tukey's for pairs. Layouts as for ``tukey_hsd``.

    >>> [round(float(p), 3) for p in scheffe([[1, 2, 3], [2, 3, 4], [6, 7, 8]]).pvalue]
    [0.512, 0.003, 0.008]
    """
    layout = _layout(scores, blocked)
    f = layout.difference**2 / (layout.error * layout.inverse_sizes * max(1, layout.systems - 1))
    pvalue = special.fdtrc(layout.systems - 1, layout.df, f) if layout.ok else np.full(len(f), np.nan)
    return _simultaneous("scheffe", layout, f, pvalue, blocked)


@dataclass(frozen=True)
class _Layout:
    systems: int
    first: IntArray
    second: IntArray
    difference: FloatArray
    inverse_sizes: FloatArray
    error: float
    df: float
    ok: bool


def _layout(scores: Scores, blocked: bool) -> _Layout:
    """Means of the systems and the mean square error that all pairs share."""
    matrix = as_matrix(scores)
    if blocked:
        matrix = matrix[:, np.isfinite(matrix).all(axis=0)]
    present = np.isfinite(matrix)
    sizes = present.sum(axis=1)
    systems, items = matrix.shape
    with np.errstate(invalid="ignore"):
        means = np.where(present, matrix, 0.0).sum(axis=1) / sizes
        residual = np.where(present, matrix - means[:, None], 0.0)
        if blocked:
            residual = residual - residual.mean(axis=0, keepdims=True) if items else residual
    df = float((systems - 1) * (items - 1) if blocked else sizes.sum() - systems)
    varies = np.abs(residual).max(initial=0.0) > CLOSE * np.abs(matrix[present]).max(initial=0.0)
    ok = systems >= 2 and df > 0 and bool((sizes > 0).all()) and bool(varies)
    if not ok:
        undefined("a simultaneous test needs two systems with scores that vary within a system: it is NaN")
    first, second = np.triu_indices(systems, 1)
    with np.errstate(divide="ignore"):
        inverse = 1 / sizes[first] + 1 / sizes[second]
    error = float((residual**2).sum() / df) if ok else float("nan")
    return _Layout(systems, first, second, means[first] - means[second], inverse, error, df, ok)


def _studentized_range_tail(q: FloatArray, layout: _Layout) -> FloatArray:
    with warnings.catch_warnings():
        # SciPy integrates numerically and grumbles where the tail is flat, at p-values of nearly 1.
        warnings.simplefilter("ignore", scipy.integrate.IntegrationWarning)
        return np.clip(scipy.stats.studentized_range.sf(q, layout.systems, layout.df), 0.0, 1.0)


def _simultaneous(
    test: str, layout: _Layout, statistic: FloatArray, pvalue: FloatArray, blocked: bool
) -> SimultaneousResult:
    return SimultaneousResult(
        layout.first, layout.second, layout.difference, statistic, pvalue, layout.df, test, blocked
    )
