"""Are two systems different? All pairs of systems of a score matrix (system × item), one test each.

Tests on the items both systems have: paired t, Wilcoxon's signed ranks (exact up to 50 differences), the sign test,
randomisation (exact where all exchanges are no more than the draws asked for, else approximate) and the shifted bootstrap (Riezler & Maxwell 2005). Tests on each system's own items: the rank-sum test as WMT uses it
(Mann–Whitney, exact up to eight items, then in normal approximation with continuity correction) and the z-test of Lin
& Hovy (2003, §4.2). A paired t-test assumes normal differences: look at ``normality`` first, as Graham (2015, §5) does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import (
    BATCH_NUMBERS,
    Alternative,
    BoolArray,
    FloatArray,
    IntArray,
    NanPolicy,
    Rng,
    Scores,
    as_matrix,
    check_alternative,
    check_choice,
    check_positive,
    plain_array,
    refuse_missing,
    seeded,
    symmetric_pvalue,
    undefined,
)
from metrics.meta.exact import ALL_SPLITS, rank_sum, signed_rank
from metrics.meta.randomization import (
    Statistic,
    observed_differences,
    randomization_pvalues,
    shifted_bootstrap_pvalues,
)
from metrics.meta.ties import settled, settled_differences
from metrics.signature import signature

Test = Literal["randomization", "bootstrap", "t", "wilcoxon", "rank-sum", "sign", "z"]
TESTS = ("randomization", "bootstrap", "t", "wilcoxon", "rank-sum", "sign", "z")
DRAWN = ("randomization", "bootstrap")


@dataclass(frozen=True)
class SystemComparison:
    """All pairs of systems, ``first`` and ``second`` being rows of the scores with first < second.

    ``alternative="greater"`` means that the first system is better. ``statistic`` is the test's own (t, z, W, U, number of
    items on which the first is better) and for the resampling tests the observed difference.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    test: str
    alternative: str
    n_resamples: int | None
    seed: int | None

    def pvalue_matrix(self) -> FloatArray:
        """The p-values as a table, row system against column system; NaN below and on the diagonal."""
        size = int(self.second.max(initial=0)) + 1
        matrix = np.full((size, size), np.nan)
        matrix[self.first, self.second] = self.pvalue
        return matrix

    @property
    def signature(self) -> str:
        options = {"alternative": self.alternative, "pairs": len(self.first)}
        return signature(self.test, options | {"resamples": self.n_resamples, "seed": self.seed})


@dataclass(frozen=True)
class NormalityResult:
    """Shapiro–Wilk's W and its p-value, one for each row; a small p-value speaks against normal scores."""

    statistic: FloatArray
    pvalue: FloatArray


def compare_systems(
    scores: Scores,
    *,
    test: Test = "randomization",
    alternative: Alternative = "two-sided",
    statistic: Statistic | None = None,
    n_resamples: int = 10_000,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> SystemComparison:
    """Test all pairs of systems.

    With ``statistic``, ``scores`` are the sufficient statistics of a corpus-level metric (systems × items × k) and
    ``statistic`` turns their sums (… × k) into scores (…); only the resampling tests can do that.

    >>> result = compare_systems([[1, 2, 3, 4, 5, 6], [2, 4, 4, 5, 7, 7]])
    >>> float(result.difference[0]), float(result.pvalue[0])
    (-1.3333333333333333, 0.03125)
    """
    check_choice("test", test, TESTS)
    check_alternative(alternative)
    check_positive("n_resamples", n_resamples)
    refuse_missing(nan_policy, scores)
    values = as_matrix(scores) if statistic is None else _summands(scores, test)
    first, second = np.triu_indices(len(values), 1)
    seed = None
    if test in DRAWN:
        generator, seed = seeded(rng)
        drawn = randomization_pvalues if test == "randomization" else shifted_bootstrap_pvalues
        pvalue = drawn(
            values,
            first,
            second,
            statistic=statistic,
            n_resamples=n_resamples,
            alternative=alternative,
            rng=generator,
        )
        difference = value = observed_differences(values, first, second, statistic)[0]
    else:
        difference, value, pvalue = _PLAIN[test](values, first, second, alternative)
    if np.isnan(pvalue).any():
        undefined(
            f"the {test} test of some pairs of systems is undefined: too few common items, or no variation"
        )
    resamples = n_resamples if test in DRAWN else None
    return SystemComparison(first, second, difference, value, pvalue, test, alternative, resamples, seed)


def normality(scores: Scores) -> NormalityResult:
    """Shapiro–Wilk test of each row: a system's scores, or the differences of a pair. NaN below 3 values.

    >>> float(normality([[1, 2, 3, 4, 50]]).pvalue[0]) < 0.05
    True
    """
    rows = [row[np.isfinite(row)] for row in as_matrix(scores)]
    if any(len(row) < 3 or np.ptp(row) == 0 for row in rows):
        undefined("the Shapiro–Wilk test needs 3 scores that are not all the same: some are NaN")
    results = [
        scipy.stats.shapiro(row) if len(row) >= 3 and np.ptp(row) > 0 else (np.nan, np.nan) for row in rows
    ]
    table = np.array([(float(w), float(p)) for w, p in results]).reshape(-1, 2)
    return NormalityResult(table[:, 0], table[:, 1])


def _summands(scores: Scores, test: str) -> FloatArray:
    values = plain_array(scores)
    if test not in DRAWN:
        raise BadInput(f"a corpus-level metric can be tested by {' or '.join(DRAWN)}, not by {test}")
    if values.ndim != 3 or not np.isfinite(values).all():
        raise BadInput("sufficient statistics must be a full array of systems × items × k")
    return values


Plain = Callable[[FloatArray, IntArray, IntArray, Alternative], tuple[FloatArray, FloatArray, FloatArray]]
"""Scores and pairs to differences, statistics and p-values."""


def _paired(summary: Callable[[FloatArray, FloatArray, Alternative], tuple[FloatArray, FloatArray]]) -> Plain:
    """A test on differences (pairs × items, NaN where either is missing), in blocks of bounded memory."""

    def test(
        scores: FloatArray, first: IntArray, second: IntArray, alternative: Alternative
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        size = max(1, BATCH_NUMBERS // max(1, scores.shape[1]))
        scale = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
        parts = []
        for start in range(0, len(first), size):
            block = slice(start, start + size)
            differences = settled_differences(scores[first[block]] - scores[second[block]], scale=scale)
            present = np.isfinite(differences)
            with np.errstate(invalid="ignore"):
                means = np.where(present, differences, 0.0).sum(axis=1) / present.sum(axis=1)
            parts.append((means, *summary(differences, means, alternative)))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.empty(0)] * 3
        return columns[0], columns[1], columns[2]

    return test


def _paired_t(
    differences: FloatArray, means: FloatArray, alternative: Alternative
) -> tuple[FloatArray, FloatArray]:
    present = np.isfinite(differences)
    n = present.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (np.where(present, differences - means[:, None], 0.0) ** 2).sum(axis=1) / (n - 1)
        t = means / np.sqrt(variance / n)
        t = np.where((n > 1) & _varies(differences), t, np.nan)
        return t, symmetric_pvalue(t, lambda value: special.stdtr(n - 1, value), alternative)


def _varies(rows: FloatArray) -> BoolArray:
    """Which rows hold two different numbers."""
    largest = np.where(np.isfinite(rows), rows, -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(largest > np.where(np.isfinite(rows), rows, np.inf).min(axis=1, initial=np.inf))


def _sign(
    differences: FloatArray, means: FloatArray, alternative: Alternative
) -> tuple[FloatArray, FloatArray]:
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    n = wins + losses
    with np.errstate(invalid="ignore"):
        if alternative == "greater":
            pvalue = special.bdtr(losses, n, 0.5)
        elif alternative == "less":
            pvalue = special.bdtr(wins, n, 0.5)
        else:
            pvalue = np.minimum(1.0, 2 * special.bdtr(np.minimum(wins, losses), n, 0.5))
    return wins.astype(np.float64), np.where(n > 0, pvalue, np.nan)


def _wilcoxon(
    differences: FloatArray, means: FloatArray, alternative: Alternative
) -> tuple[FloatArray, FloatArray]:
    table = np.array([signed_rank(row, alternative) for row in differences]).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _rank_sum(
    scores: FloatArray, first: IntArray, second: IntArray, alternative: Alternative
) -> tuple[FloatArray, FloatArray, FloatArray]:
    scores = settled(scores.reshape(-1)).reshape(scores.shape)
    rows = [row[np.isfinite(row)] for row in scores]
    means = np.array([row.mean() if len(row) else np.nan for row in rows])
    table = np.full((len(first), 2), np.nan)
    for index, (i, j) in enumerate(zip(first, second, strict=True)):
        if len(rows[i]) and len(rows[j]):
            if max(len(rows[i]), len(rows[j])) <= ALL_SPLITS:
                table[index] = rank_sum(rows[i], rows[j], alternative)
            else:
                result = scipy.stats.mannwhitneyu(
                    rows[i], rows[j], alternative=alternative, method="asymptotic"
                )
                table[index] = result.statistic, result.pvalue
    return means[first] - means[second], table[:, 0], table[:, 1]


def _z(
    scores: FloatArray, first: IntArray, second: IntArray, alternative: Alternative
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(mean − mean) / √(s²/n + s²/n), each system with its own variance."""
    present = np.isfinite(scores)
    n = present.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(present, scores, 0.0).sum(axis=1) / n
        squares = (np.where(present, scores - means[:, None], 0.0) ** 2).sum(axis=1)
        error = squares / (n - 1) / n
        difference = means[first] - means[second]
        # Of a constant row only rounding is left, which is no variance.
        error = np.where(_varies(settled(scores)) | np.isnan(error), error, 0.0)
        together = error[first] + error[second]
        z = np.where(together > 0, difference / np.sqrt(together), np.nan)
        return difference, z, symmetric_pvalue(z, special.ndtr, alternative)


_PLAIN: dict[str, Plain] = {
    "t": _paired(_paired_t),
    "sign": _paired(_sign),
    "wilcoxon": _paired(_wilcoxon),
    "rank-sum": _rank_sum,
    "z": _z,
}
