"""How many judgments are enough? Interval width and rank stability as items or assessors are added, and power.

Both questions are answered by resampling or simulation, so that no formula has to hold for the scores at hand:
``stability`` takes a pilot study and draws studies of any size from it; ``power`` simulates a planned comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from metrics.errors import BadInput
from metrics.meta.coefficients import kendall
from metrics.meta.common import (
    Alternative,
    ConfidenceInterval,
    FloatArray,
    Rng,
    Scores,
    as_matrix,
    batches,
    check_alternative,
    check_choice,
    check_level,
    check_positive,
    interval_at,
    plain_array,
    seeded,
    symmetric_pvalue,
)
from metrics.meta.exact import signed_rank
from metrics.meta.ties import settled, settled_differences
from metrics.signature import signature

POWER_TESTS = ("t", "wilcoxon", "sign")


@dataclass(frozen=True)
class StabilityResult:
    """One entry per planned size.

    ``interval_width``: mean width of the systems' bootstrap intervals. ``tau``: mean Kendall τ-b between the ranking of a
    drawn study and that of the whole pilot. ``same_best``: how often the pilot's best system is best again.
    """

    sizes: tuple[int, ...]
    interval_width: tuple[float, ...]
    tau: tuple[float, ...]
    same_best: tuple[float, ...]
    over: str
    confidence_level: float
    n_resamples: int
    seed: int | None

    def frame(self) -> pd.DataFrame:
        columns = ("sizes", "interval_width", "tau", "same_best")
        return pd.DataFrame({name: getattr(self, name) for name in columns}).rename(
            columns={"sizes": self.over}
        )

    @property
    def signature(self) -> str:
        options = {"over": self.over, "confidence": self.confidence_level, "resamples": self.n_resamples}
        return signature("stability", options | {"seed": self.seed})


@dataclass(frozen=True)
class PowerResult:
    """One entry per planned number of items: the share of simulated studies that find the difference."""

    items: tuple[int, ...]
    power: tuple[float, ...]
    confidence_interval: tuple[ConfidenceInterval, ...]
    effect: float
    test: str
    alpha: float
    alternative: str
    n_simulations: int
    seed: int | None

    def items_needed(self, target: float = 0.8) -> int | None:
        """The smallest planned number of items with at least this power, None if none has."""
        enough = [n for n, power in zip(self.items, self.power, strict=True) if power >= target]
        return min(enough) if enough else None

    @property
    def signature(self) -> str:
        options = {
            "test": self.test,
            "effect": self.effect,
            "alpha": self.alpha,
            "alternative": self.alternative,
        }
        return signature("power", options | {"simulations": self.n_simulations, "seed": self.seed})


def stability(
    scores: Scores,
    *,
    sizes: Sequence[int],
    over: str = "items",
    confidence_level: float = 0.95,
    n_resamples: int = 1_000,
    rng: Rng = None,
) -> StabilityResult:
    """What a study with so many items (or assessors) would have found, drawn with replacement from a pilot.

    ``scores`` is a system × item matrix to add ``items``, or assessors × systems × items to add ``assessors`` (NaN where
    an assessor did not judge). Sizes may exceed the pilot's: the pilot then stands for the population, as in any
    bootstrap, and the interval width shrinks as 1/√size.

    >>> result = stability([[1, 2, 3, 2], [3, 3, 4, 5]], sizes=(2, 8), n_resamples=200, rng=1)
    >>> result.interval_width[0] > result.interval_width[1]
    True
    """
    check_choice("over", over, ("items", "assessors"))
    check_level(confidence_level)
    check_positive("n_resamples", n_resamples)
    if not sizes or min(sizes) < 1:
        raise BadInput("expected planned sizes of at least 1")
    sums, counts = _drawable(scores, over)
    full = settled(sums.sum(axis=0) / counts.sum(axis=0))
    generator, seed = seeded(rng)
    rows = [_one_size(sums, counts, full, size, confidence_level, n_resamples, generator) for size in sizes]
    width, tau, best = zip(*rows, strict=True)
    return StabilityResult(tuple(sizes), width, tau, best, over, confidence_level, n_resamples, seed)


def _drawable(scores: Scores, over: str) -> tuple[FloatArray, FloatArray]:
    """What is drawn (items or assessors × systems): sums of scores and how many there are."""
    if over == "items":
        cells = as_matrix(scores)[:, None, :].T
    else:
        cells = plain_array(scores)
        if cells.ndim != 3:
            raise BadInput("adding assessors needs scores of assessors × systems × items")
        cells = cells.swapaxes(1, 2)
    present = np.isfinite(cells)
    sums, counts = np.where(present, cells, 0.0).sum(axis=1), present.sum(axis=1).astype(np.float64)
    if (counts.sum(axis=0) == 0).any():
        raise BadInput("a system without a score cannot be ranked")
    return sums, counts


def _one_size(
    sums: FloatArray,
    counts: FloatArray,
    full: FloatArray,
    size: int,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    means = []
    for draws in batches(n_resamples, max(size, len(sums))):
        weights = rng.multinomial(size, np.full(len(sums), 1 / len(sums)), size=draws).astype(np.float64)
        with np.errstate(invalid="ignore"):
            means.append((weights @ sums) / (weights @ counts))
    drawn = settled(np.concatenate(means))
    tail = (1 - confidence_level) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    tau = kendall(drawn[:, None, :], full[None, None, :], np.ones((1, len(full))))[:, 0]
    complete = drawn[np.isfinite(drawn).all(axis=1)]
    best = float((complete.argmax(axis=1) == full.argmax()).mean()) if len(complete) else float("nan")
    return (
        float((high - low).mean()),
        float(np.nanmean(tau)) if np.isfinite(tau).any() else float("nan"),
        best,
    )


def power(
    *,
    items: Sequence[int],
    effect: float,
    deviation: float | None = None,
    pilot: npt.ArrayLike | None = None,
    test: str = "t",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_simulations: int = 2_000,
    confidence_level: float = 0.95,
    rng: Rng = None,
) -> PowerResult:
    """Chance that a paired test on so many items finds a true mean difference ``effect`` between two systems.

    Differences per item are drawn from a normal distribution with standard deviation ``deviation``, or from the
    differences of a ``pilot`` study, moved so that their mean is ``effect`` and scaled to the variance they speak for. The interval is Wilson's, for the
    simulation error alone.

    >>> plan = power(items=(10, 40), effect=0.5, deviation=1.0, n_simulations=500, rng=1)
    >>> plan.power[0] < 0.5 < plan.power[1], plan.items_needed(0.8)
    (True, 40)
    """
    check_choice("test", test, POWER_TESTS)
    check_alternative(alternative)
    check_level(confidence_level)
    check_positive("n_simulations", n_simulations)
    if (deviation is None) == (pilot is None):
        raise BadInput("expected either the deviation of differences or a pilot's differences")
    if not items or min(items) < 2:
        raise BadInput("expected planned numbers of items of at least 2")
    drawn_from = None if pilot is None else _differences(pilot, effect)
    generator, seed = seeded(rng)
    found = []
    for n in items:
        hits = 0
        for draws in batches(n_simulations, n):
            if drawn_from is None:
                differences = generator.normal(effect, deviation or 0.0, (draws, n))
            else:
                differences = generator.choice(drawn_from, (draws, n))
            hits += int((_pvalues(differences, test, alternative) <= alpha).sum())
        found.append(hits)

    def interval(hits: int) -> ConfidenceInterval:
        test_of = scipy.stats.binomtest(hits, n_simulations)
        return interval_at(lambda level: test_of.proportion_ci(level, "wilson"), confidence_level)

    return PowerResult(
        items=tuple(items),
        power=tuple(hits / n_simulations for hits in found),
        confidence_interval=tuple(interval(hits) for hits in found),
        effect=effect,
        test=test,
        alpha=alpha,
        alternative=alternative,
        n_simulations=n_simulations,
        seed=seed,
    )


def _differences(pilot: npt.ArrayLike, effect: float) -> FloatArray:
    """The pilot's differences, moved so that their mean is the effect, with the variance they speak for.

    Residuals of n differences are smaller than the errors they stand for, by √((n − 1)/n); drawn as they are, ten items
    would promise the power of eleven.
    """
    values = plain_array(pilot)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        raise BadInput("a pilot needs the differences of at least 2 items")
    residuals = (values - values.mean()) * np.sqrt(len(values) / (len(values) - 1))
    return settled_differences(effect + residuals, scale=abs(effect) + np.abs(values).max())


def _pvalues(differences: FloatArray, test: str, alternative: Alternative) -> FloatArray:
    """One p-value per simulated study (row); a study without any variation finds nothing."""
    n = differences.shape[1]
    if test == "sign":
        wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
        worse = {"greater": losses, "less": wins}.get(alternative, np.minimum(wins, losses))
        tail = special.bdtr(worse, wins + losses, 0.5)
        return np.asarray(np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail)
    if test == "wilcoxon":
        pvalues = [signed_rank(row, alternative)[1] for row in differences]
        return np.asarray(np.nan_to_num(np.array(pvalues), nan=1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / np.sqrt(n))
    t = np.where(np.ptp(differences, axis=1) > 0, t, np.nan)
    return np.nan_to_num(symmetric_pvalue(t, lambda value: special.stdtr(n - 1, value), alternative), nan=1.0)
