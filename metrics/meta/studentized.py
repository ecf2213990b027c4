"""The studentised range: how far apart the largest and the smallest of k means lie by chance (Tukey 1949).

SciPy has it too, one value at a time and its quantile by search; a table of 120 pairs with an interval each would take
seconds. Here both integrals are sums over fixed nodes, for all values at once. Lund & Lund (1983, AS 190) do the same.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from metrics.meta.common import FloatArray, batches

_Z, _Z_WEIGHTS = np.polynomial.legendre.leggauss(72)
_S, _S_WEIGHTS = np.polynomial.legendre.leggauss(56)
FARTHEST = 8.5
"""Beyond so many standard deviations a normal distribution has nothing that a double would show."""
NODES = 7
AS_GOOD_AS_KNOWN = 1e5
"""Degrees of freedom from which a variance counts as known."""


def range_tail(q: FloatArray, means: int, df: FloatArray) -> FloatArray:
    """P(Q > q) for the range of ``means`` standard normals over an independent √(χ²/df), elementwise; NaN stays NaN.

    >>> range_tail(np.array([3.877]), 3, np.array([10.0])).round(4).tolist()
    [0.05]
    """
    q, df = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(df, dtype=np.float64))
    tail = np.full(q.shape, np.nan)
    known = np.isfinite(q) & (df > 0)
    values, freedoms = q[known], np.minimum(df[known], AS_GOOD_AS_KNOWN)
    parts, start = [], 0
    for size in batches(len(values), len(_Z) * len(_S)):
        block = slice(start, start + size)
        parts.append(_tail(values[block], means, freedoms[block]))
        start += size
    if parts:
        tail[known] = np.concatenate(parts)
    return tail


def range_quantile(level: float, means: int, df: FloatArray) -> FloatArray:
    """The q that the range stays below with probability ``level``, for each of the degrees of freedom.

    >>> range_quantile(0.95, 5, np.array([20.0])).round(3).tolist()
    [4.232]
    """
    # Six digits of the degrees of freedom are more than enough, and make those of a balanced design one.
    freedoms = np.array([float(f"{value:.6g}") for value in np.ravel(df)]).reshape(np.shape(df))
    different = np.unique(freedoms[freedoms > 0])
    result = np.full(freedoms.shape, np.nan)
    if not len(different):
        return result
    nodes = different
    if len(different) > NODES:
        # The quantile is smooth in 1/df: a polynomial through a few of them gives all others.
        ends = 1 / different[[-1, 0]]
        nodes = 1 / (ends.mean() + (ends[1] - ends[0]) / 2 * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))
    exact = np.array([_quantile(level, means, float(node)) for node in nodes])
    inside = freedoms > 0
    if len(different) > NODES:
        inverse = np.polynomial.Chebyshev.fit(1 / nodes, exact, NODES - 1)
        result[inside] = inverse(1 / freedoms[inside])
    else:
        result[inside] = exact[np.searchsorted(different, freedoms[inside])]
    return result


def _quantile(level: float, means: int, df: float) -> float:
    def excess(q: float) -> float:
        return float(range_tail(np.array([q]), means, np.array([df]))[0]) - (1 - level)

    # Bonferroni's bound on the pairs lies above.
    pairs = means * (means - 1) / 2
    high = (
        float(np.sqrt(2) * -special.stdtrit(min(df, AS_GOOD_AS_KNOWN), (1 - level) / 2 / pairs)) * 1.01 + 0.1
    )
    return float(optimize.brentq(excess, 0.0, high, xtol=1e-9))


def _tail(q: FloatArray, means: int, df: FloatArray) -> FloatArray:
    """1 − ∫ f(s) W(q s) ds, f the density of √(χ²/df) and W the distribution of the range of normals."""
    # √(χ²/df) from the 1e-13 quantile to the 1 − 1e-13 one.
    low = np.sqrt(special.chdtri(df, 1 - 1e-13) / df)
    high = np.sqrt(special.chdtri(df, 1e-13) / df)
    half = (high - low) / 2
    s = low[:, None] + half[:, None] * (_S + 1)
    log_density = (
        np.log(2)
        + (df / 2 * np.log(df / 2) - special.gammaln(df / 2))[:, None]
        + (df - 1)[:, None] * np.log(s)
        - df[:, None] * s**2 / 2
    )
    weights = np.exp(log_density) * _S_WEIGHTS * half[:, None]
    return np.asarray(np.clip(1 - (weights * _normal_range(q[:, None] * s, means)).sum(axis=1), 0.0, 1.0))


def _normal_range(width: FloatArray, means: int) -> FloatArray:
    """P(range ≤ width) = k ∫ φ(z) (Φ(z) − Φ(z − width))^{k−1} dz."""
    z = FARTHEST * _Z
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * _Z_WEIGHTS * FARTHEST
    inside = special.ndtr(z) - special.ndtr(z - width[..., None])
    return np.asarray(np.minimum(1.0, means * (np.maximum(inside, 0.0) ** (means - 1)) @ density))
