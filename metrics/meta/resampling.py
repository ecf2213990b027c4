"""Bootstrap and permutation for correlations with human scores (Deutsch, Dror & Roth 2021).

The paper's methods keep their names apart by what is resampled: BOOT-SYSTEMS, BOOT-INPUTS and BOOT-BOTH draw systems
(rows), items (columns) or both with replacement; PERM-SYSTEMS, PERM-INPUTS and PERM-BOTH exchange the two metrics'
scores for whole systems (rows), whole items (columns) or single outputs (cells). "Inputs" are called items here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    Alternative,
    BoolArray,
    ConfidenceInterval,
    FloatArray,
    NanPolicy,
    Progress,
    Rng,
    Scores,
    aligned,
    as_extreme,
    batches,
    check_alternative,
    check_choice,
    check_level,
    check_positive,
    drawn_counts,
    interval_at,
    refuse_missing,
    seeded,
    tails,
    undefined,
)
from metrics.meta.exchange import FASTEST, exchanged_means
from metrics.meta.levels import LEVELS, correlations, group_correlations
from metrics.meta.pooled import pooled_kendall
from metrics.meta.ties import CLOSE, settled
from metrics.signature import signature

RESAMPLE = ("systems", "items", "both")
PERMUTE = ("systems", "items", "cells")
DEFAULT_RESAMPLES = 9_999


@dataclass(frozen=True)
class DifferenceResult:
    """Is metric a's correlation with the human scores different from metric b's?"""

    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval | None
    test: str
    level: str
    method: str
    resampled: str
    alternative: str
    n_resamples: int
    seed: int | None

    @property
    def signature(self) -> str:
        options = {"resampled": self.resampled, "level": self.level, "method": self.method}
        options |= {"alternative": self.alternative, "resamples": str(self.n_resamples)}
        return signature(self.test, options | {"seed": self.seed})


def bootstrap_correlations(
    human: FloatArray,
    metrics: FloatArray,
    *,
    level: str,
    method: str,
    resample: str = "both",
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> FloatArray:
    """Correlations of each metric (metrics × systems × items) with ``human`` in each resample: (draws, metrics).

    All metrics see the same resamples, so that differences between them are paired.
    """
    systems, items = human.shape[0], max(human.shape[1], metrics.shape[2])
    if resample != "systems" and len({human.shape[1], metrics.shape[2], 1}) > 2:
        raise BadInput("to draw items, human and metric scores must be for the same items")
    if level == "global" and method == "kendall" and resample != "both" and human.shape == metrics.shape[1:]:
        return _pooled_kendall(human, metrics, resample, n_resamples, rng, progress)
    coefficient = COEFFICIENTS[method]
    draws = []
    done = 0
    for size in batches(n_resamples, _numbers_per_draw(systems, items, level, method)):
        rows = drawn_counts(rng, size, systems) if resample != "items" else None
        columns = drawn_counts(rng, size, items) if resample != "systems" else None
        weights = {"system_weights": rows, "item_weights": columns}
        draws.append(
            [correlations(human, m, level=level, coefficient=coefficient, **weights) for m in metrics]
        )
        done += size
        if progress is not None:
            progress(done, n_resamples)
    return np.concatenate([np.stack([np.broadcast_to(r, len(d[0])) for r in d], axis=1) for d in draws])


def _pooled_kendall(
    human: FloatArray,
    metrics: FloatArray,
    resample: str,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> FloatArray:
    """Kendall's τ over all cells where whole items (or systems) are drawn: sums over pairs of these, made once."""
    if resample == "systems":
        human, metrics = human.T, metrics.swapaxes(1, 2)
    size = human.shape[1]
    parts = [drawn_counts(rng, part, size) for part in batches(n_resamples, size)]
    weights = np.concatenate(parts)
    columns = []
    for done, metric in enumerate(metrics, start=1):
        columns.append(pooled_kendall(human, metric, weights))
        if progress is not None:
            progress(done, len(metrics))
    return np.stack(columns, axis=1)


def percentile_interval(
    draws: FloatArray,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    *,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> ConfidenceInterval:
    """The middle ``confidence_level`` of the resampled values, or all but one tail; undefined resamples are left out.

    Resamples that are all the same (every one of them on a line) say nothing of how the value would vary: NaN.
    """
    kept = draws[np.isfinite(draws)]
    if not len(kept):
        undefined("no resample gave a defined correlation: the bootstrap interval is NaN")
        return UNDEFINED_INTERVAL
    if np.ptp(kept) <= 1e-12 and abs(kept[0]) >= bounds[1] - 1e-12:
        undefined("all resamples gave the same correlation: the bootstrap interval is NaN")
        return UNDEFINED_INTERVAL

    def ends(level: float) -> tuple[float, float]:
        low, high = np.quantile(kept, tails(level, alternative))
        return bounds[0] if alternative == "less" else low, bounds[1] if alternative == "greater" else high

    return interval_at(ends, confidence_level)


def bootstrap_difference(
    human: Scores,
    metric_a: Scores,
    metric_b: Scores,
    *,
    level: str = "system",
    method: str = "pearson",
    resample: str = "both",
    n_resamples: int = DEFAULT_RESAMPLES,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> DifferenceResult:
    """Bootstrap interval and test of r(human, a) − r(human, b).

    The p-value inverts the percentile interval: it is the smallest α at which the 1 − α interval leaves out 0, with
    the observed data counted as one resample.

    >>> people = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> result = bootstrap_difference(people, [1, 2, 4, 3, 5, 7, 6, 8], [4, 1, 2, 8, 3, 7, 6, 5], rng=1)
    >>> round(result.statistic, 2), result.confidence_interval.low > 0
    (0.45, True)
    """
    _check(level, method, alternative, n_resamples)
    check_choice("resample", resample, RESAMPLE)
    check_level(confidence_level)
    refuse_missing(nan_policy, human, metric_a, metric_b)
    gold, a, b = aligned(human, metric_a, metric_b, items=level != "system")
    generator, seed = seeded(rng)
    metrics = np.stack(_same_width(a, b))
    how = {"level": level, "method": method, "resample": resample}
    draws = bootstrap_correlations(gold, metrics, n_resamples=n_resamples, rng=generator, **how)  # type: ignore[arg-type]
    observed = correlations(gold, a, level=level, coefficient=COEFFICIENTS[method])
    observed = observed - correlations(gold, b, level=level, coefficient=COEFFICIENTS[method])
    differences = draws[:, 0] - draws[:, 1]
    return DifferenceResult(
        statistic=float(observed[0]),
        pvalue=bootstrap_pvalue(differences, alternative) if np.isfinite(observed[0]) else float("nan"),
        confidence_interval=percentile_interval(differences, confidence_level, alternative),
        test="bootstrap",
        level=level,
        method=method,
        resampled=resample,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
    )


def bootstrap_pvalue(differences: FloatArray, alternative: Alternative) -> float:
    """How often resampled differences lie on the wrong side of 0, doubled when two-sided."""
    kept = differences[np.isfinite(differences)]
    if not len(kept):
        return float("nan")
    # In a resample of few systems two metrics may correlate alike: that is on neither side.
    kept = np.where(np.abs(kept) <= CLOSE, 0.0, kept)
    not_greater = (np.sum(kept <= 0) + 1) / (len(kept) + 1)
    not_less = (np.sum(kept >= 0) + 1) / (len(kept) + 1)
    if alternative == "two-sided":
        return float(min(1.0, 2 * min(not_greater, not_less)))
    return float(not_greater if alternative == "greater" else not_less)


def permutation_test(
    human: Scores,
    metric_a: Scores,
    metric_b: Scores,
    *,
    level: str = "system",
    method: str = "pearson",
    permute: str = "systems",
    n_resamples: int = DEFAULT_RESAMPLES,
    alternative: Alternative = "two-sided",
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> DifferenceResult:
    """Permutation test of r(human, a) − r(human, b), p = (c + 1)/(R + 1), or c/2ⁿ where half of all 2ⁿ swaps is no more than R.

    Under the null hypothesis the two metrics are exchangeable, so their scores may be swapped: for whole ``systems``
    (PERM-SYSTEMS), whole ``items`` (PERM-INPUTS) or single outputs, ``cells`` (PERM-BOTH in the paper; nlpstats swaps
    rows and then columns under that name, which is a different test). Both metrics are brought to mean 0 and standard
    deviation 1 first, or else a swap would exchange scales and not judgments.

    A metric that likes or dislikes whole systems has that bias on every item. Swapping systems keeps it together, and so
    speaks of other systems; swapping items or cells takes it apart, and finds two equally good metrics with different biases
    significantly different far too often (up to .63 at .05). These two speak of other items for the same systems only.

    >>> people = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> result = permutation_test(people, [1, 2, 4, 3, 5, 7, 6, 8], [4, 1, 2, 8, 3, 7, 6, 5])
    >>> round(result.statistic, 2), result.pvalue
    (0.45, 0.125)
    """
    _check(level, method, alternative, n_resamples)
    check_choice("permute", permute, PERMUTE)
    refuse_missing(nan_policy, human, metric_a, metric_b)
    gold, a, b = aligned(human, metric_a, metric_b, items=level != "system")
    a, b = _same_width(a, b)
    # Of standardised scores nobody can tell which were constant but for rounding.
    known = np.isfinite(correlation_difference(gold, a, b, level=level, method=method))
    a, b = _exchangeable(a, b)
    generator, seed = seeded(rng)
    observed = np.where(known, correlation_difference(gold, a, b, level=level, method=method), float("nan"))
    if not np.isfinite(observed[0]):
        undefined("a metric's correlation with the human scores is undefined: the permutation test is NaN")
    nothing_to_swap = permute == "items" and a.shape[1] < 2
    if nothing_to_swap:
        undefined("items cannot be swapped where scores are of whole systems: the permutation test is NaN")
    extreme = counted = 0
    enumerated = _all_swaps(a.shape, permute, n_resamples)
    for pseudo in _pseudo_differences(gold, a, b, level, method, permute, n_resamples, generator, enumerated):
        # Single-precision counts are exact, and ratios of them good to 15 digits: ties are ties.
        for differences in (pseudo,) if enumerated is None else (pseudo, -pseudo):
            extreme += int(as_extreme(differences, observed, np.full(1, 1e-12), alternative).sum())
            counted += int(np.isfinite(differences).sum())
    one = 0 if enumerated is not None else 1
    defined = np.isfinite(observed[0]) and counted and not nothing_to_swap
    return DifferenceResult(
        statistic=float(observed[0]),
        pvalue=(extreme + one) / (counted + one) if defined else float("nan"),
        confidence_interval=None,
        test="permutation",
        level=level,
        method=method,
        resampled=permute,
        alternative=alternative,
        n_resamples=n_resamples if enumerated is None else 2 * len(enumerated),
        seed=seed if enumerated is None else None,
    )


def correlation_difference(
    human: FloatArray, one: FloatArray, other: FloatArray, *, level: str, method: str
) -> FloatArray:
    """r(human, one) − r(human, other), draw by draw where there are several."""
    coefficient = COEFFICIENTS[method]
    return correlations(human, one, level=level, coefficient=coefficient) - correlations(
        human, other, level=level, coefficient=coefficient
    )


def _all_swaps(shape: tuple[int, ...], permute: str, n_resamples: int) -> FloatArray | None:
    """All ways to swap systems or items but the first (ways × n), where they are no more than the draws asked for."""
    if permute == "cells":
        return None
    n = shape[0] if permute == "systems" else shape[1]
    # A swap and its opposite give the same difference with opposite signs: half of the ways is enough.
    if n - 1 > np.log2(n_resamples):
        return None
    ways = np.arange(2 ** (n - 1), dtype=">u8")[:, None].view(np.uint8)
    return np.unpackbits(ways, axis=1)[:, 64 - n :].astype(np.float64)


def _pseudo_differences(
    gold: FloatArray,
    a: FloatArray,
    b: FloatArray,
    level: str,
    method: str,
    permute: str,
    n_resamples: int,
    rng: np.random.Generator,
    enumerated: FloatArray | None,
) -> Iterator[FloatArray]:
    """The difference in each swap, in batches."""
    systems, items = a.shape
    if permute != "cells":
        n = systems if permute == "systems" else items
        swaps = (
            rng.integers(0, 2, (n_resamples, n), dtype=np.int8).astype(np.float64)
            if enumerated is None
            else enumerated
        )
        whole_groups = (level, permute) in (("item", "items"), ("system-average", "systems"))
        points = (level, permute) in (("item", "systems"), ("system-average", "items"))
        if whole_groups:
            yield _swapped_groups(gold, a, b, swaps, level, method)
            return
        if points and n <= FASTEST.get(method, 0):
            groups = [m.T if level == "item" else m for m in (gold, a, b)]
            first = exchanged_means(groups[0], groups[1], groups[2], swaps, method=method)
            yield first - exchanged_means(groups[0], groups[2], groups[1], swaps, method=method)
            return
    else:
        swaps = None
    start = 0
    total = n_resamples if swaps is None else len(swaps)
    for size in batches(total, _numbers_per_draw(systems, items, level, method, varying=True)):
        if swaps is None:
            swap = rng.integers(0, 2, (size, systems, items), dtype=np.int8).astype(bool)
        else:
            part = swaps[start : start + size].astype(bool)
            swap = part[:, :, None] if permute == "systems" else part[:, None, :]
        start += size
        pair = _swapped(a, b, swap, permute, means_only=level == "system")
        yield correlation_difference(gold, *pair, level=level, method=method)


def _swapped_groups(
    gold: FloatArray, a: FloatArray, b: FloatArray, swaps: FloatArray, level: str, method: str
) -> FloatArray:
    """Whole groups change places: so do their correlations, which are made once."""
    ones = {"systems": np.ones((1, a.shape[0])), "items": np.ones((1, a.shape[1]))}
    own, others = (
        group_correlations(gold[None], m[None], level=level, coefficient=COEFFICIENTS[method], **ones)[0]
        for m in (a, b)
    )
    means = []
    for first, second in ((own, others), (others, own)):
        defined = [np.isfinite(r).astype(np.float64) for r in (first, second)]
        filled = [np.nan_to_num(r) for r in (first, second)]
        sums, counts = (one.sum() + swaps @ (other - one) for one, other in (filled, defined))
        with np.errstate(invalid="ignore", divide="ignore"):
            means.append(sums / counts)
    return np.asarray(means[0] - means[1])


def _check(level: str, method: str, alternative: Alternative, n_resamples: int) -> None:
    check_choice("level", level, LEVELS)
    check_choice("method", method, COEFFICIENTS)
    check_alternative(alternative)
    check_positive("n_resamples", n_resamples)


def _swapped(
    a: FloatArray, b: FloatArray, swap: BoolArray, permute: str, *, means_only: bool
) -> tuple[FloatArray, FloatArray]:
    """The two metrics with scores exchanged where ``swap`` says so, one pair of matrices per draw.

    Where only system means are asked for, they are moved by what the exchange brings, and no matrix is made.
    """
    if not means_only:
        return np.where(swap, b, a), np.where(swap, a, b)
    gain = np.nan_to_num(b - a)
    if permute == "systems":
        moved = swap[..., 0] * gain.sum(axis=1)
    elif permute == "items":
        moved = swap[:, 0].astype(np.float64) @ gain.T
    else:
        moved = np.einsum("dsi,si->ds", swap, gain)
    moved = moved / np.maximum(1, np.isfinite(a).sum(axis=1))
    return (_row_means(a)[:, 0] + moved)[..., None], (_row_means(b)[:, 0] - moved)[..., None]


def _exchangeable(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both standardised over the outputs that both have scored: only those can be exchanged."""
    both = np.isfinite(a) & np.isfinite(b)
    a, b = (settled(np.where(both, m, np.nan).reshape(-1)).reshape(m.shape) for m in (a, b))
    if not both.any():
        return a, b
    spread_a, spread_b = np.nanstd(a) or 1.0, np.nanstd(b) or 1.0
    return (a - np.nanmean(a)) / spread_a, (b - np.nanmean(b)) / spread_b


def _same_width(a: FloatArray, b: FloatArray) -> list[FloatArray]:
    """System scores beside item scores can only be compared as system scores."""
    if a.shape[1] == b.shape[1]:
        return [a, b]
    with np.errstate(invalid="ignore"):
        return [m if m.shape[1] == 1 else _row_means(m) for m in (a, b)]


def _row_means(matrix: FloatArray) -> FloatArray:
    present = np.isfinite(matrix)
    counts = present.sum(1, keepdims=True)
    totals = np.where(present, matrix, 0.0).sum(1, keepdims=True)
    return np.where(counts > 0, totals / np.maximum(1, counts), np.nan)


def _numbers_per_draw(systems: int, items: int, level: str, method: str, *, varying: bool = False) -> int:
    """How many numbers one draw needs at once: a row of weights, a matrix of cells, or all pairs of points."""
    points = {"system": systems, "item": systems, "global": systems * items, "system-average": items}[level]
    samples = {"system": 1, "item": items, "global": 1, "system-average": systems}[level]
    cells = systems * items if varying or level == "global" else systems + items
    if not method.startswith("kendall"):
        return cells + points * samples
    return cells + points * samples * (points if varying or level == "system" else 1)
