"""How well a metric agrees with human scores: a correlation with its n, p-value and confidence interval.

Methods: Pearson, Spearman, Kendall τ-b and τ-c, the coefficient of determination R², the t of a linear regression
(Lin & Hovy's four statistics, 2003, §4.1), and Lin's concordance correlation (1989). Levels: see ``levels``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special, stats

from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    Alternative,
    ConfidenceInterval,
    FloatArray,
    Rng,
    Scores,
    aligned,
    check_alternative,
    check_choice,
    check_level,
    check_positive,
    seeded,
    symmetric_pvalue,
    undefined,
)
from metrics.meta.levels import AVERAGED, LEVELS, group_correlations, system_means
from metrics.meta.resampling import DEFAULT_RESAMPLES, bootstrap_correlations, percentile_interval
from metrics.signature import signature

Level = Literal["system", "item", "global", "system-average"]
Method = Literal["pearson", "spearman", "kendall", "kendall-c", "r2", "regression-t", "ccc"]
Interval = Literal["fisher", "t", "bootstrap-systems", "bootstrap-items", "bootstrap-both"]
INTERVALS = ("fisher", "t", "bootstrap-systems", "bootstrap-items", "bootstrap-both")


@dataclass(frozen=True)
class CorrelationResult:
    """One correlation with human scores.

    ``n`` counts what the p-value rests on: systems at ``system``, cells at ``global``, and at the averaged levels the
    correlations that were averaged (items at ``item``, systems at ``system-average``).
    """

    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval
    n: int
    level: str
    method: str
    interval: str
    confidence_level: float
    alternative: str
    n_resamples: int | None = None
    seed: int | None = None

    @property
    def signature(self) -> str:
        options = {
            "level": self.level,
            "n": self.n,
            "alternative": self.alternative,
            "interval": self.interval,
        }
        drawn = {"confidence": self.confidence_level, "resamples": self.n_resamples, "seed": self.seed}
        return signature(self.method, options | drawn)


def correlate(
    human: Scores,
    metric: Scores,
    *,
    level: Level = "system",
    method: Method = "pearson",
    alternative: Alternative = "two-sided",
    interval: Interval | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Rng = None,
) -> CorrelationResult:
    """Correlate two score matrices (system × item, NaN missing; a vector is system scores only).

    ``interval`` is ``fisher`` unless said otherwise, and ``t`` at the averaged levels. Fisher's z with Bonett and
    Wright's (2000) variances for the rank coefficients; at an averaged level it takes the average for one correlation
    over the points of the largest group, as Deutsch et al. (2021) do, which is wide. ``t`` is the interval of a mean
    over groups and agrees with the p-value there, a t-test of the mean of the groups' correlations against 0.
    """
    check_choice("level", level, LEVELS)
    check_choice("method", method, COEFFICIENTS)
    check_alternative(alternative)
    check_level(confidence_level)
    kind = interval or ("t" if level in AVERAGED else "fisher")
    # A single correlation has no groups, so no interval of a mean over groups.
    check_choice(
        "interval", kind, INTERVALS if level in AVERAGED else [name for name in INTERVALS if name != "t"]
    )
    x, y = aligned(human, metric, items=level != "system")
    seed = None
    if level in AVERAGED:
        statistic, pvalue, ends, n = _averaged(x, y, level, method, alternative, kind, confidence_level)
    else:
        statistic, pvalue, ends, n = _single(x, y, level, method, alternative, confidence_level)
    if kind.startswith("bootstrap"):
        check_positive("n_resamples", n_resamples)
        generator, seed = seeded(rng)
        options = {"level": level, "method": method, "resample": kind.removeprefix("bootstrap-")}
        draws = bootstrap_correlations(x, y[None], n_resamples=n_resamples, rng=generator, **options)
        ends = percentile_interval(draws, confidence_level) if np.isfinite(statistic) else UNDEFINED_INTERVAL
    return CorrelationResult(
        statistic=statistic,
        pvalue=pvalue,
        confidence_interval=ends,
        n=n,
        level=level,
        method=method,
        interval=kind,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples if kind.startswith("bootstrap") else None,
        seed=seed,
    )


def _single(
    x: FloatArray, y: FloatArray, level: str, method: str, alternative: Alternative, confidence_level: float
) -> tuple[float, float, ConfidenceInterval, int]:
    """One correlation over systems or over cells."""
    if level == "system":
        a, b = (system_means(m[None])[0] for m in (x, y))
    else:
        a, b = x.ravel(), y.ravel()
    both = np.isfinite(a) & np.isfinite(b)
    a, b, n = a[both], b[both], int(both.sum())
    if n < 3:
        undefined(
            f"a correlation over {n} {'systems' if level == 'system' else 'cells'} is undefined: 3 are needed"
        )
        return float("nan"), float("nan"), UNDEFINED_INTERVAL, n
    statistic = float(COEFFICIENTS[method](a[None, None], b[None, None], np.ones((1, n)))[0, 0])
    if np.isnan(statistic):
        undefined("a correlation with constant scores is undefined")
        return statistic, float("nan"), UNDEFINED_INTERVAL, n
    if method == "ccc":
        error = _concordance_error(a, b, statistic)
        return statistic, *_concordance_inference(statistic, error, alternative, confidence_level), n
    return statistic, _pvalue(a, b, method, alternative), _fisher(a, b, method, confidence_level), n


def _pvalue(a: FloatArray, b: FloatArray, method: str, alternative: Alternative) -> float:
    """SciPy's p-value of the coefficient; R² and the regression's t have that of Pearson's r."""
    if method == "spearman":
        return float(stats.spearmanr(a, b, alternative=alternative).pvalue)
    if method.startswith("kendall"):
        variant: Literal["b", "c"] = "c" if method == "kendall-c" else "b"
        return float(stats.kendalltau(a, b, variant=variant, alternative=alternative).pvalue)
    return float(stats.pearsonr(a, b, alternative=alternative).pvalue)


def _fisher(a: FloatArray, b: FloatArray, method: str, confidence_level: float) -> ConfidenceInterval:
    """Interval by Fisher's z; those of R² and t are Pearson's, carried over by the same function."""
    if method not in ("r2", "regression-t"):
        r = COEFFICIENTS[method](a[None, None], b[None, None], np.ones((1, len(a))))[0, 0]
        return fisher_interval(float(r), len(a), method=method, confidence_level=confidence_level)
    r = COEFFICIENTS["pearson"](a[None, None], b[None, None], np.ones((1, len(a))))[0, 0]
    of_r = fisher_interval(float(r), len(a), method="pearson", confidence_level=confidence_level)
    low, high = of_r.low, of_r.high
    if method == "r2":
        smallest = 0.0 if low < 0 < high else min(low**2, high**2)
        return ConfidenceInterval(smallest, max(low**2, high**2))
    with np.errstate(divide="ignore"):
        ends = [value * np.sqrt((len(a) - 2) / (1 - np.float64(value) ** 2)) for value in (low, high)]
    return ConfidenceInterval(float(ends[0]), float(ends[1]))


def fisher_interval(
    r: float, n: int, *, method: str = "pearson", confidence_level: float = 0.95
) -> ConfidenceInterval:
    """tanh(atanh r ± z·c/√(n − b)), NaN when n ≤ b.

    b and c are 3 and 1 for Pearson; Bonett & Wright (2000) give 3 and √(1 + r²/2) for Spearman, 4 and √.437 for
    Kendall.
    """
    check_level(confidence_level)
    if method == "pearson":
        b, c = 3, 1.0
    elif method == "spearman":
        b, c = 3, float(np.sqrt(1 + r**2 / 2))
    elif method in ("kendall", "kendall-c"):
        b, c = 4, float(np.sqrt(0.437))
    else:
        raise BadInput(f"Fisher's interval is not defined for an average of {method}: take t or bootstrap")
    if n <= b or np.isnan(r):
        return UNDEFINED_INTERVAL
    with np.errstate(divide="ignore"):
        half = special.ndtri((1 + confidence_level) / 2) * c / np.sqrt(n - b)
        return ConfidenceInterval(float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half)))


def _concordance_error(a: FloatArray, b: FloatArray, ccc: float) -> float:
    """Standard error of atanh(CCC) (Lin 1989 with his correction of 2000)."""
    r = float(np.corrcoef(a, b)[0, 1])
    if np.isnan(r) or r == 0 or abs(ccc) == 1:
        return float("nan")
    u2 = (a.mean() - b.mean()) ** 2 / (a.std() * b.std())
    rest = 1 - ccc**2
    variance = (1 - r**2) * ccc**2 / (rest * r**2) + 2 * ccc**3 * (1 - ccc) * u2 / (r * rest**2)
    variance -= ccc**4 * u2**2 / (2 * r**2 * rest**2)
    return float(np.sqrt(variance / (len(a) - 2)))


def _concordance_inference(
    ccc: float, error: float, alternative: Alternative, confidence_level: float
) -> tuple[float, ConfidenceInterval]:
    if not error > 0:  # on a straight line, or undefined
        return float("nan"), UNDEFINED_INTERVAL
    half = special.ndtri((1 + confidence_level) / 2) * error
    z = np.arctanh(ccc)
    pvalue = float(symmetric_pvalue(z / error, special.ndtr, alternative))
    return pvalue, ConfidenceInterval(float(np.tanh(z - half)), float(np.tanh(z + half)))


def _averaged(
    x: FloatArray,
    y: FloatArray,
    level: str,
    method: str,
    alternative: Alternative,
    kind: str,
    confidence_level: float,
) -> tuple[float, float, ConfidenceInterval, int]:
    """The mean of the groups' correlations, tested against 0 over the groups."""
    ones = {"systems": np.ones((1, x.shape[0])), "items": np.ones((1, x.shape[1]))}
    groups = group_correlations(x[None], y[None], level=level, coefficient=COEFFICIENTS[method], **ones)[0]
    defined = groups[np.isfinite(groups)]
    n = len(defined)
    if not n:
        undefined(f"no {'item' if level == 'item' else 'system'} has a defined correlation")
        return float("nan"), float("nan"), UNDEFINED_INTERVAL, 0
    mean = float(defined.mean())
    pvalue, ends = float("nan"), UNDEFINED_INTERVAL
    if n < 2 or np.ptp(defined) == 0:
        undefined("the p-value of an average needs two groups whose correlations differ")
    else:
        pvalue = float(stats.ttest_1samp(defined, 0.0, alternative=alternative).pvalue)
        half = float(special.stdtrit(n - 1, (1 + confidence_level) / 2) * defined.std(ddof=1) / np.sqrt(n))
        ends = ConfidenceInterval(mean - half, mean + half)
        if method != "regression-t":
            # No correlation is beyond 1, so no mean of correlations is: what lies there is no part of the interval.
            ends = ConfidenceInterval(max(-1.0, ends.low), min(1.0, ends.high))
        if method == "r2":
            # R² is never negative, so its mean is above 0 even for noise, and a test against 0 says nothing.
            undefined("an average of R² cannot be tested against 0: take pearson for a p-value")
            pvalue, ends = float("nan"), ConfidenceInterval(max(0.0, ends.low), ends.high)
    if kind == "fisher":
        points = int((np.isfinite(x) & np.isfinite(y)).sum(axis=0 if level == "item" else 1).max())
        ends = fisher_interval(mean, points, method=method, confidence_level=confidence_level)
    return mean, pvalue, ends, n
