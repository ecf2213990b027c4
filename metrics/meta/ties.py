"""What counts as equal: the one place where ranks, signs and orders learn which scores tie.

Means of equal fractions differ by a unit in the last place, depending on the order in which they were summed: the mean of
.1, .2, .3 is not that of .3, .2, .1. No rank coefficient, sign test or accuracy may see an order there. Scores that
differ by less than ``CLOSE`` times the largest of them are one score; what people or metrics mean by a difference is
larger by many powers of ten.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.meta.common import FloatArray

CLOSE = 1e-12


def settled(values: npt.ArrayLike, *, scale: npt.ArrayLike | None = None) -> FloatArray:
    """The values with those that only rounding tells apart made equal, along the last axis; NaN stays.

    Near is relative to the largest magnitude; values in a chain, each near the next, are all one: the lowest of them.
    ``scale`` is the size of what was computed with, where that is not the size of the values (differences of scores).

    >>> settled([0.1 + 0.2, 0.3, 0.4]).tolist()
    [0.3, 0.3, 0.4]
    """
    given = np.asarray(values, dtype=np.float64)
    if given.shape[-1] < 2:
        return given
    tolerance = _tolerance(given, scale)
    order = np.argsort(given, axis=-1)
    ordered = np.take_along_axis(given, order, axis=-1)
    with np.errstate(invalid="ignore"):
        gaps = np.diff(ordered, axis=-1)
        joined = gaps <= tolerance  # equal ones too: one of several must not be left behind
        if not (joined & (gaps > 0)).any():
            return given
    place = np.arange(given.shape[-1])
    starts = np.concatenate([np.zeros((*given.shape[:-1], 1), dtype=np.intp), place[1:] * ~joined], axis=-1)
    ordered = np.take_along_axis(ordered, np.maximum.accumulate(starts, axis=-1), axis=-1)
    result = np.empty_like(given)
    np.put_along_axis(result, order, ordered, axis=-1)
    return result


def settled_differences(differences: npt.ArrayLike, *, scale: npt.ArrayLike) -> FloatArray:
    """Differences of scores of that ``scale``: 0 where only rounding is left, and equal ones equal in size.

    >>> settled_differences([0.3 - 0.2, 0.1 - 0.2, 0.1 + 0.2 - 0.3], scale=0.3).tolist()
    [0.09999999999999998, -0.09999999999999998, 0.0]
    """
    given = np.asarray(differences, dtype=np.float64)
    sizes = np.abs(given)
    with np.errstate(invalid="ignore"):
        sizes = np.where(sizes <= _tolerance(sizes, scale), 0.0, sizes)
    return np.copysign(settled(sizes, scale=scale), given) + 0.0


def _tolerance(values: FloatArray, scale: npt.ArrayLike | None) -> FloatArray:
    """How far apart two values may be and still be one, with a last axis of its own."""
    if scale is not None:
        return np.asarray(CLOSE * np.asarray(scale, dtype=np.float64)[..., None])
    largest = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=-1, keepdims=True)
    return np.asarray(CLOSE * largest)
