"""How well a metric agrees with human scores: a correlation with its n, p-value and confidence interval.

Methods: Pearson, Spearman, Kendall τ-b and τ-c, the coefficient of determination R², the t of a linear regression
(Lin & Hovy's four statistics, 2003, §4.1), and Lin's concordance correlation (1989). Levels: see ``levels``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from metrics.meta.clustered import clustered_pvalues, clustered_test
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    Alternative,
    ConfidenceInterval,
    FloatArray,
    IntArray,
    NanPolicy,
    Progress,
    Rng,
    Scores,
    aligned,
    aligned_stack,
    alike,
    batches,
    check_alternative,
    check_choice,
    check_level,
    check_nan_policy,
    check_positive,
    interval_at,
    seeded,
    tails,
    undefined,
)
from metrics.meta.correlation_intervals import (
    concordance_error,
    concordance_inference,
    fisher_interval,
    fisher_of,
)
from metrics.meta.levels import AVERAGED, LEVELS, system_means
from metrics.meta.pvalues import correlation_pvalue
from metrics.meta.resampling import DEFAULT_RESAMPLES, bootstrap_correlations, percentile_interval
from metrics.meta.ties import settled
from metrics.signature import signature

Level = Literal["system", "item", "global", "system-average"]
Method = Literal["pearson", "spearman", "kendall", "kendall-c", "r2", "regression-t", "ccc"]
Interval = Literal["fisher", "t", "bootstrap-systems", "bootstrap-items", "bootstrap-both"]
INTERVALS = ("fisher", "t", "bootstrap-systems", "bootstrap-items", "bootstrap-both")
RANKED = ("spearman", "kendall", "kendall-c")
BOUNDS = {"r2": (0.0, 1.0), "regression-t": (-np.inf, np.inf)}
"""Where other coefficients than those between −1 and 1 end."""


@dataclass(frozen=True)
class CorrelationResult:
    """One correlation with human scores.

    ``n`` counts the points: systems at ``system``, cells at ``global``, and at the averaged levels the correlations that
    were averaged (items at ``item``, systems at ``system-average``). ``test`` says what was dealt out anew for the p-value,
    where points are not independent.
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
    test: str = ""
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
        if self.test:
            options["test"] = self.test
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
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> CorrelationResult:
    """Correlate two score matrices (system × item, NaN missing; a vector is system scores only).

    ``interval`` is ``fisher`` unless said otherwise, and ``t`` at the averaged levels. Fisher's z with Bonett and
    Wright's (2000) variances for the rank coefficients; at an averaged level it takes the average for one correlation
    over the points of the largest group, as Deutsch et al. (2021) do, which is wide. ``t`` is the interval of a mean
    over groups, for these systems. A one-sided ``alternative`` leaves the other end of the interval open, as in SciPy.
    The p-value at the levels ``item``, ``global`` and ``system-average`` deals out whole systems or items (``clustered``).

    >>> result = correlate([1, 2, 3, 4, 5], [1, 3, 2, 5, 4], method="kendall")
    >>> round(result.statistic, 3), round(result.pvalue, 4), result.n
    (0.6, 0.2333, 5)
    >>> round(correlate([1, 2, 3, 4, 5], [1, 3, 2, 5, 4]).confidence_interval(0.9).low, 3)
    -0.064
    """
    options = CorrelationOptions(level, method, alternative, interval, confidence_level, n_resamples, rng)
    if check_nan_policy(nan_policy, human, metric):
        return options.undefined(0)
    x, y = aligned(human, metric, items=level != "system")
    return options.results(x, y[None])[0]


def correlate_all(
    human: Scores,
    metrics: Mapping[str, Scores],
    *,
    level: Level = "system",
    method: Method = "pearson",
    alternative: Alternative = "two-sided",
    interval: Interval | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = DEFAULT_RESAMPLES,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
    progress: Progress | None = None,
) -> dict[str, CorrelationResult]:
    """:func:`correlate` for many metrics: those that have the same systems and items are computed together.

    >>> people = [1, 2, 3, 4, 5]
    >>> found = correlate_all(people, {"good": [1, 2, 3, 5, 4], "bad": [5, 3, 4, 1, 2]}, method="spearman")
    >>> {name: round(result.statistic, 2) for name, result in found.items()}
    {'good': 0.9, 'bad': -0.8}
    """
    _, seed = seeded(rng)
    options = CorrelationOptions(
        level,
        method,
        alternative,
        interval,
        confidence_level,
        n_resamples,
        rng if seed is None else seed,
        progress,
    )
    found: dict[str, CorrelationResult] = {}
    for names in alike(metrics):
        kept = [name for name in names if not check_nan_policy(nan_policy, human, metrics[name])]
        found |= {name: options.undefined(0) for name in names if name not in kept}
        if kept:
            x, ys = aligned_stack(human, [metrics[name] for name in kept], items=level != "system")
            found |= dict(zip(kept, options.results(x, ys), strict=True))
    return {name: found[name] for name in metrics}


@dataclass(frozen=True)
class CorrelationOptions:
    """How correlations are made, checked once for all metrics of a table."""

    level: Level
    method: Method
    alternative: Alternative
    interval: Interval | None
    confidence_level: float
    n_resamples: int
    rng: Rng
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_choice("level", self.level, LEVELS)
        check_choice("method", self.method, COEFFICIENTS)
        check_alternative(self.alternative)
        check_level(self.confidence_level)
        check_positive("n_resamples", self.n_resamples)
        # A single correlation has no groups, so no interval of a mean over groups.
        known = INTERVALS if self.level in AVERAGED else [name for name in INTERVALS if name != "t"]
        check_choice("interval", self.kind, known)

    @property
    def kind(self) -> str:
        return self.interval or ("t" if self.level in AVERAGED else "fisher")

    def results(self, x: FloatArray, ys: FloatArray) -> list[CorrelationResult]:
        """One result per metric (metrics × systems × items)."""
        averaged = self.level in AVERAGED
        found = _averaged(x, ys, self) if averaged else _single(x, ys, self)
        generator, seed = seeded(self.rng)
        # What is drawn for intervals does not depend on whether p-values need draws.
        state = generator.bit_generator.state
        pvalues = [one.pvalue for one in found]
        test = ""
        if self.level != "system":
            test = clustered_test(self.level, self.method)
            pvalues = self._clustered(x, ys, found, generator)
            generator.bit_generator.state = state
        intervals = [one.interval for one in found]
        if self.kind.startswith("bootstrap"):
            intervals = self._bootstrap(x, ys, found, generator)
        drawn = self.kind.startswith("bootstrap") or bool(test)
        return [
            CorrelationResult(
                statistic=one.statistic,
                pvalue=pvalue,
                confidence_interval=ends,
                n=one.n,
                level=self.level,
                method=self.method,
                interval=self.kind,
                confidence_level=self.confidence_level,
                alternative=self.alternative,
                test=test,
                n_resamples=self.n_resamples if drawn else None,
                seed=seed if drawn else None,
            )
            for one, pvalue, ends in zip(found, pvalues, intervals, strict=True)
        ]

    def _clustered(
        self, x: FloatArray, ys: FloatArray, found: Sequence[_Found], generator: np.random.Generator
    ) -> list[float]:
        """p-values for whole systems or items dealt anew; NaN where the correlation itself is."""
        if self.method == "r2" and self.level in AVERAGED:
            # R² is never negative, so its mean is above 0 even for noise, and a test against 0 says nothing.
            undefined("an average of R² cannot be tested against 0: take pearson for a p-value")
            return [float("nan")] * len(found)
        method = "pearson" if self.method in ("r2", "regression-t") else self.method
        options = {"level": self.level, "method": method, "alternative": self.alternative}
        pvalues = clustered_pvalues(
            x,
            ys,
            n_resamples=self.n_resamples,
            rng=generator,
            **options,  # type: ignore[arg-type]
        )
        return [
            float(pvalue) if np.isfinite(one.statistic) else float("nan")
            for one, pvalue in zip(found, pvalues, strict=True)
        ]

    def _bootstrap(
        self, x: FloatArray, ys: FloatArray, found: Sequence[_Found], generator: np.random.Generator
    ) -> list[ConfidenceInterval]:
        draws = bootstrap_correlations(
            x,
            ys,
            level=self.level,
            method=self.method,
            resample=self.kind.removeprefix("bootstrap-"),
            n_resamples=self.n_resamples,
            rng=generator,
            progress=self.progress,
        )
        bounds = BOUNDS.get(self.method, (-1.0, 1.0))
        return [
            percentile_interval(column, self.confidence_level, self.alternative, bounds=bounds)
            if np.isfinite(one.statistic)
            else UNDEFINED_INTERVAL
            for one, column in zip(found, draws.T, strict=True)
        ]

    def undefined(self, n: int) -> CorrelationResult:
        nothing = float("nan")
        return CorrelationResult(
            nothing,
            nothing,
            UNDEFINED_INTERVAL,
            n,
            self.level,
            self.method,
            self.kind,
            self.confidence_level,
            self.alternative,
        )


@dataclass(frozen=True)
class _Found:
    statistic: float
    n: int
    pvalue: float = float("nan")
    interval: ConfidenceInterval = UNDEFINED_INTERVAL


def _single(x: FloatArray, ys: FloatArray, options: CorrelationOptions) -> list[_Found]:
    """One correlation over systems or over cells for each metric."""
    if options.level == "system":
        a, bs = system_means(x[None])[0], system_means(ys)
    else:
        a, bs = x.ravel(), ys.reshape(len(ys), -1)
    method = options.method
    if method in RANKED:
        a, bs = settled(a), settled(bs)
    statistics = COEFFICIENTS[method](np.broadcast_to(a, bs.shape)[None], bs[None], np.ones((1, len(a))))[0]
    return [_one(a, b, float(statistic), options) for b, statistic in zip(bs, statistics, strict=True)]


def _one(a: FloatArray, b: FloatArray, statistic: float, options: CorrelationOptions) -> _Found:
    both = np.isfinite(a) & np.isfinite(b)
    a, b, n = a[both], b[both], int(both.sum())
    of_systems = options.level == "system"
    if n < 3:
        undefined(f"a correlation over {n} {'systems' if of_systems else 'cells'} is undefined: 3 are needed")
        return _Found(float("nan"), n)
    if np.isnan(statistic):
        undefined("a correlation with constant scores is undefined")
        return _Found(statistic, n)
    if options.method == "ccc":
        error = concordance_error(a, b, statistic)
        return _Found(statistic, n, *concordance_inference(statistic, error, options))
    pvalue = float("nan")
    if of_systems:
        pvalue = correlation_pvalue(a, b, statistic, options.method, options.alternative)
    return _Found(statistic, n, pvalue, fisher_of(a, b, statistic, options))


def _averaged(x: FloatArray, ys: FloatArray, options: CorrelationOptions) -> list[_Found]:
    """The mean of the groups' correlations for each metric."""
    if options.level == "item":
        x, ys = x.T, ys.swapaxes(1, 2)
    groups, points = x.shape
    each = groups * points * (points if options.method.startswith("kendall") else 1)
    found: list[_Found] = []
    start = 0
    for size in batches(len(ys), each):
        part = ys[start : start + size].reshape(1, -1, points)
        repeated = np.broadcast_to(x, (size, groups, points)).reshape(1, -1, points)
        values = COEFFICIENTS[options.method](repeated, part, np.ones((1, points)))[0].reshape(size, groups)
        shared = np.isfinite(x) & np.isfinite(ys[start : start + size])
        largest = shared.sum(axis=2).max(axis=1, initial=0)
        found += _means(values, largest, options)
        start += size
    return found


def _means(values: FloatArray, points: IntArray, options: CorrelationOptions) -> list[_Found]:
    """Each metric's mean over groups (metrics × groups), and its interval."""
    values = settled(values, scale=np.ones(len(values)))  # rounding is no difference between groups
    known = np.isfinite(values)
    count = known.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(known, values, 0.0).sum(axis=1) / count
        gaps = np.where(known, values - means[:, None], 0.0)
        errors = np.sqrt((gaps**2).sum(axis=1) / (count - 1) / count)
    lowest = np.where(known, values, np.inf).min(axis=1, initial=np.inf)
    differ = np.where(known, values, -np.inf).max(axis=1, initial=-np.inf) > lowest
    return [
        _mean(float(mean), float(error) if differs else 0.0, int(n), int(most), options)
        for mean, error, differs, n, most in zip(means, errors, differ, count, points, strict=True)
    ]


def _mean(mean: float, error: float, n: int, points: int, options: CorrelationOptions) -> _Found:
    """One metric's mean over ``n`` groups of at most ``points``, and its interval."""
    if not n:
        undefined(f"no {'item' if options.level == 'item' else 'system'} has a defined correlation")
        return _Found(float("nan"), 0)
    if options.kind == "fisher":
        how = {"confidence_level": options.confidence_level, "alternative": options.alternative}
        return _Found(mean, n, interval=fisher_interval(mean, points, method=options.method, **how))  # type: ignore[arg-type]
    if n < 2 or error == 0:
        if options.kind == "t":
            undefined("the interval of an average needs two groups whose correlations differ")
        return _Found(mean, n)
    # No correlation is beyond 1, so no mean of correlations is: what lies there is no part of the interval.
    lowest, highest = BOUNDS.get(options.method, (-1.0, 1.0))

    def ends(level: float) -> tuple[float, float]:
        low, high = (
            float(mean + special.stdtrit(n - 1, tail) * error) for tail in tails(level, options.alternative)
        )
        return max(lowest, low), min(highest, high)

    return _Found(mean, n, interval=interval_at(ends, options.confidence_level))
