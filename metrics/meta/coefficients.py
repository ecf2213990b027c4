"""Correlation coefficients for many samples in one call.

Every coefficient is a function of ``x``, ``y`` and ``weights`` and returns an array (draws × samples):

- ``x`` and ``y`` have shape (1, samples, n) when they stay the same in every draw, or (draws, samples, n) when they
  change from draw to draw (permutation tests, resampled means); NaN marks a missing value.
- ``weights`` has shape (draws, n) or (1, n): how often each of the n points counts. A bootstrap resample is nothing
  but such counts, so no resample is ever copied out; plain correlation has weights of one.

Scores that only rounding tells apart are tied (``ties``). Undefined (fewer than two points, a constant sample) is NaN; who calls decides whether to warn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy

from metrics.meta.common import FloatArray
from metrics.meta.ties import settled

Coefficient = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

# Beyond this many points the n × n table of pairs costs more than sorting each resample anew, as SciPy does.
LONGEST_PAIR_TABLE = 300


def pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Pearson's product-moment correlation."""
    return _pearson_and_n(x, y, weights)[0]


def r_squared(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Coefficient of determination of the regression of one on the other (Lin & Hovy 2003, §4.1: CD)."""
    return pearson(x, y, weights) ** 2


def regression_t(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """t of the slope in a linear regression, n − 2 degrees of freedom (Lin & Hovy 2003, §4.1: LR_t)."""
    r, n = _pearson_and_n(x, y, weights)
    unexplained = 1 - r**2
    with np.errstate(divide="ignore", invalid="ignore"):
        # On a straight line t is infinite; what rounding leaves of the residuals would make up a number.
        t = np.where(unexplained > 1e-13, r * np.sqrt((n - 2) / unexplained), np.copysign(np.inf, r))
    return np.asarray(np.where((n > 2) & np.isfinite(r), t, np.nan))


def concordance(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Lin's concordance correlation (1989): agreement with the line y = x, variances with divisor n."""
    valid = np.isfinite(x) & np.isfinite(y)
    n = _weighted(valid.astype(np.float64), weights)
    # Deviations are taken from one common centre, because the coefficient compares locations as well.
    total = np.where(valid, x, 0.0).sum(-1) + np.where(valid, y, 0.0).sum(-1)
    centre = (total / np.maximum(1, 2 * valid.sum(-1)))[..., None]
    x, y = np.where(valid, x - centre, 0.0), np.where(valid, y - centre, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = _weighted(x, weights) / n, _weighted(y, weights) / n
        variances = _weighted(x * x + y * y, weights) / n - mean_x**2 - mean_y**2
        covariance = _weighted(x * y, weights) / n - mean_x * mean_y
        value = 2 * covariance / (variances + (mean_x - mean_y) ** 2)
    return np.asarray(np.where(n >= 2, np.clip(value, -1, 1), np.nan))


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Spearman's ρ: Pearson's correlation of mid-ranks, ties sharing their mean rank."""
    x, y = settled(x), settled(y)
    valid = np.isfinite(x) & np.isfinite(y)
    counts = weights[:, None, :] * valid
    return pearson(
        _midranks(np.where(valid, x, np.nan), counts), _midranks(np.where(valid, y, np.nan), counts), weights
    )


def kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Kendall's τ-b: concordant minus discordant pairs over the geometric mean of the pairs untied in each."""
    x, y = settled(x), settled(y)
    if x.shape[-1] > LONGEST_PAIR_TABLE:
        return _kendall_one_by_one(x, y, weights, "b")
    signs_x, signs_y = _pair_signs(x, y)
    with np.errstate(divide="ignore", invalid="ignore"):
        untied = _quadratic(np.abs(signs_x), weights) * _quadratic(np.abs(signs_y), weights)
        value = _quadratic(signs_x * signs_y, weights) / np.sqrt(untied)
    return np.asarray(np.clip(np.where(untied > 0, value, np.nan), -1, 1))


def kendall_c(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Kendall's (Stuart's) τ-c, which allows for scales with different numbers of steps."""
    x, y = settled(x), settled(y)
    if x.shape[-1] > LONGEST_PAIR_TABLE:
        return _kendall_one_by_one(x, y, weights, "c")
    valid = np.isfinite(x) & np.isfinite(y)
    signs_x, signs_y = _pair_signs(x, y)
    n = _weighted(valid.astype(np.float64), weights)
    steps = np.minimum(_distinct(signs_x, valid, weights), _distinct(signs_y, valid, weights))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = _quadratic(signs_x * signs_y, weights) * steps / (n**2 * (steps - 1))
    return np.asarray(np.where(steps > 1, value, np.nan))


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "kendall-c": kendall_c,
    "r2": r_squared,
    "regression-t": regression_t,
    "ccc": concordance,
}


def _weighted(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Σ weights · values over the points, for all draws and samples: (draws, samples)."""
    if values.shape[0] == 1:
        return np.asarray(weights @ values[0].T)
    return np.asarray((values @ weights[:, :, None])[..., 0])


def _pearson_and_n(x: FloatArray, y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    valid = np.isfinite(x) & np.isfinite(y)
    x, y = _centred(x, valid), _centred(y, valid)
    n = _weighted(valid.astype(np.float64), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = _weighted(x, weights) / n, _weighted(y, weights) / n
        total_xx, total_yy = _weighted(x * x, weights), _weighted(y * y, weights)
        sxx, syy = total_xx - n * mean_x**2, total_yy - n * mean_y**2
        r = (_weighted(x * y, weights) - n * mean_x * mean_y) / np.sqrt(sxx * syy)
    # What is left of a constant sample after subtraction is rounding error, not variance.
    defined = (n >= 2) & (sxx > 1e-13 * total_xx) & (syy > 1e-13 * total_yy)
    return np.where(defined, np.clip(r, -1, 1), np.nan), n


def _centred(values: FloatArray, valid: np.ndarray) -> FloatArray:
    """Values shifted and scaled to about one, missing ones 0, so that sums of squares lose no digits."""
    kept = np.where(valid, values, 0.0)
    centre = kept.sum(-1, keepdims=True) / np.maximum(1, valid.sum(-1, keepdims=True))
    shifted = np.where(valid, values - centre, 0.0)
    # A resample may hold only points at the centre: what rounding left of them is no variance.
    shifted = np.where(np.abs(shifted) <= 1e-13 * np.abs(centre), 0.0, shifted)
    scale = np.abs(shifted).max(-1, keepdims=True, initial=0.0)
    return np.asarray(shifted / np.where(scale == 0, 1.0, scale))


def midranks(values: FloatArray) -> FloatArray:
    """Mean ranks of the values along the last axis, NaN where one is missing."""
    return _midranks(values, np.isfinite(values).astype(np.float64))


def _midranks(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Mean rank of each point when point i occurs counts[i] times; NaN where the value is missing."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    shape = np.broadcast_shapes(order.shape, counts.shape)
    order = np.broadcast_to(order, shape)
    occurring = np.take_along_axis(np.broadcast_to(counts, shape), order, axis=-1)
    upto = np.cumsum(occurring, axis=-1)
    position = np.arange(shape[-1])
    changes = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*changes.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, changes], -1), position, 0), axis=-1)
    last_or_end = np.where(np.concatenate([changes, edge], -1), position, shape[-1])
    last = np.minimum.accumulate(last_or_end[..., ::-1], axis=-1)[..., ::-1]
    below = np.take_along_axis(upto - occurring, np.broadcast_to(first, shape), axis=-1)
    ranks = np.empty(shape)
    through = np.take_along_axis(upto, np.broadcast_to(last, shape), axis=-1)
    np.put_along_axis(ranks, order, (below + through + 1) / 2, axis=-1)
    return np.where(np.isfinite(values), ranks, np.nan)


def _pair_signs(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """sign(x_i − x_j) and sign(y_i − y_j) for all pairs of points, 0 where a value is missing."""
    with np.errstate(invalid="ignore"):
        signs_x, signs_y = (np.sign(v[..., :, None] - v[..., None, :]) for v in (x, y))
    valid = np.isfinite(x) & np.isfinite(y)
    if valid.all():
        return signs_x, signs_y
    both = valid[..., :, None] & valid[..., None, :]
    return np.where(both, signs_x, 0.0), np.where(both, signs_y, 0.0)


def _quadratic(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Σ_ij weights_i · table_ij · weights_j for all draws and samples: (draws, samples)."""
    if table.shape[0] == 1:
        columns = np.ascontiguousarray(weights.T)
        return np.asarray(np.einsum("knd,nd->dk", np.matmul(table[0], columns), columns))
    if weights.shape[0] == 1:
        points = weights.shape[1]
        pairs = np.outer(weights[0], weights[0]).ravel()
        return np.asarray(table.reshape(*table.shape[:2], points * points) @ pairs)
    rows = weights[:, None, None, :] @ table
    return np.asarray((rows @ weights[:, None, :, None])[..., 0, 0])


def _distinct(signs: FloatArray, valid: np.ndarray, weights: FloatArray) -> FloatArray:
    """How many different values occur among the points that are drawn at all."""
    present = (weights > 0)[:, None, :] & valid
    same = (signs == 0) & valid[..., :, None] & valid[..., None, :]
    alike = np.matmul(same.astype(np.float64), present[..., None].astype(np.float64))[..., 0]
    return np.asarray((present / np.maximum(1, alike)).sum(-1))


def _kendall_one_by_one(
    x: FloatArray, y: FloatArray, weights: FloatArray, variant: Literal["b", "c"]
) -> FloatArray:
    draws, samples = max(x.shape[0], y.shape[0], weights.shape[0]), x.shape[1]
    result = np.full((draws, samples), np.nan)
    for draw, sample in np.ndindex(draws, samples):
        a, b = x[draw % x.shape[0], sample], y[draw % y.shape[0], sample]
        counts = np.where(np.isfinite(a) & np.isfinite(b), weights[draw % weights.shape[0]], 0).astype(
            np.intp
        )
        if counts.sum() >= 2:
            result[draw, sample] = scipy.stats.kendalltau(
                np.repeat(a, counts), np.repeat(b, counts), variant=variant
            ).statistic
    return result
