"""What all of meta-evaluation shares: alternatives, seeds, intervals, matrices and batches of bounded size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
NanPolicy = Literal["omit", "propagate", "raise"]
NAN_POLICIES: tuple[NanPolicy, ...] = get_args(NanPolicy)
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
Scores = npt.ArrayLike | pd.DataFrame | pd.Series
Rng = int | np.random.Generator | None

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""

# No temporary array of a resampling step holds more numbers than this (16 MB as doubles): memory stays the same
# however many items, systems or resamples there are, and a batch still fits into a processor's cache.
BATCH_NUMBERS = 2**21


def share_of(part: FloatArray, whole: npt.NDArray[Any]) -> FloatArray:
    """``part / whole``, NaN where the whole is nothing.

    >>> share_of(np.array([1.0, 0.0]), np.array([4, 0])).tolist()
    [0.25, nan]
    """
    shares: FloatArray = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


CERTAIN = 1e-12
"""So near to 1 a coefficient has no interval: it would claim to be sure."""


@dataclass(frozen=True)
class ConfidenceInterval:
    """The two ends of an interval, named as in SciPy; called with another level, the interval of that level.

    >>> from metrics.meta.correlation_intervals import fisher_interval
    >>> interval = fisher_interval(0.5, 28)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.156, 0.736)
    >>> round(interval(confidence_level=0.9).low, 3)
    0.217
    """

    low: float
    high: float
    at: Callable[[float], ConfidenceInterval] | None = field(default=None, repr=False, compare=False)

    def __call__(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        check_level(confidence_level)
        if self.at is None:
            return self if np.isnan(self.low) and np.isnan(self.high) else self._only_one()
        return self.at(confidence_level)

    def _only_one(self) -> ConfidenceInterval:
        raise BadInput("this interval was made for one level: ask for another with confidence_level=")

    @property
    def width(self) -> float:
        return self.high - self.low


def interval_at(ends: Callable[[float], tuple[float, float]], confidence_level: float) -> ConfidenceInterval:
    """The interval of this level, which can be asked for that of another: ``ends`` says where it begins and ends.

    >>> interval_at(lambda level: (-level, level), 0.95)(0.9).high
    0.9
    """

    def at(level: float) -> ConfidenceInterval:
        low, high = ends(level)
        return ConfidenceInterval(float(low), float(high), at)

    return at(confidence_level)


UNDEFINED_INTERVAL = ConfidenceInterval(float("nan"), float("nan"))


def check_alternative(alternative: str) -> None:
    check_choice("alternative", alternative, ALTERNATIVES)


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    if value not in choices:
        raise BadInput(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_positive(name: str, value: int) -> None:
    if value < 1:
        raise BadInput(f"{name} must be at least 1, not {value}")


def check_level(confidence_level: float) -> None:
    if not 0 < confidence_level < 1:
        raise BadInput(f"confidence_level must lie between 0 and 1, not {confidence_level}")


def undefined(why: str) -> None:
    """Say once, where the caller can see it, why a result is NaN."""
    warnings.warn(why, UndefinedScoreWarning, stacklevel=3)


def tails(confidence_level: float, alternative: Alternative) -> tuple[float, float]:
    """Which quantiles end an interval: one-sided alternatives leave the other side open, as SciPy's intervals do.

    >>> tails(0.95, "greater")
    (0.05, 1.0)
    """
    outside = 1 - confidence_level
    if alternative == "two-sided":
        return outside / 2, 1 - outside / 2
    return (round(outside, 12), 1.0) if alternative == "greater" else (0.0, confidence_level)


def check_nan_policy(nan_policy: str, *tables: Scores) -> bool:
    """SciPy's word on missing scores: ``omit`` leaves them out, ``raise`` refuses them, ``propagate`` makes the result NaN.

    True where the result is to be NaN.
    """
    check_choice("nan_policy", nan_policy, NAN_POLICIES)
    if nan_policy == "omit":
        return False
    missing = any(not np.isfinite(plain_array(table)).all() for table in tables)
    if missing and nan_policy == "raise":
        raise BadInput("expected no missing score: some are, and nan_policy is raise")
    return missing


def refuse_missing(nan_policy: str, *tables: Scores) -> None:
    """For what cannot be NaN because of one missing score: ``omit`` or ``raise``."""
    check_choice("nan_policy", nan_policy, NAN_POLICIES)
    if nan_policy == "propagate":
        raise BadInput(
            "expected nan_policy omit or raise: one missing score cannot make the whole result NaN"
        )
    check_nan_policy(nan_policy, *tables)


def plain_array(values: Scores) -> FloatArray:
    """Doubles, NaN where a value is missing, infinite or masked; a masked array's mask is honoured."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = np.asarray(values, dtype=np.float64)
    return np.where(np.isfinite(array), array, np.nan)


def seeded(rng: Rng) -> tuple[np.random.Generator, int | None]:
    """A generator and the seed to report; a generator of the caller's own has no seed that we could know."""
    if isinstance(rng, np.random.Generator):
        return rng, None
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else int(rng)
    return np.random.default_rng(seed), seed


def symmetric_pvalue(
    statistic: npt.ArrayLike, cdf: Callable[[FloatArray], FloatArray], alternative: Alternative
) -> FloatArray:
    """The p-value of a statistic whose null distribution is symmetric about 0 and has this ``cdf``."""
    values = np.asarray(statistic, dtype=np.float64)
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * cdf(-np.abs(values)))
    return cdf(-values if alternative == "greater" else values)


def as_extreme(
    pseudo: FloatArray, actual: FloatArray, tolerance: FloatArray, alternative: Alternative
) -> BoolArray:
    """Where a pseudo-statistic is at least as extreme as the actual one.

    Scores on a scale give many exact ties, which rounding in sums must not break: ``tolerance`` is the size of the
    rounding error, far below any real difference.
    """
    if alternative == "two-sided":
        return np.asarray(np.abs(pseudo) >= np.abs(actual) - tolerance)
    if alternative == "greater":
        return np.asarray(pseudo >= actual - tolerance)
    return np.asarray(pseudo <= actual + tolerance)


def batches(total: int, numbers_each: int) -> Iterator[int]:
    """Sizes that add up to ``total``, so that size × ``numbers_each`` stays within ``BATCH_NUMBERS``."""
    size = max(1, BATCH_NUMBERS // max(1, numbers_each))
    for start in range(0, total, size):
        yield min(size, total - start)


def drawn_counts(rng: np.random.Generator, draws: int, size: int) -> FloatArray:
    """How often each of ``size`` things is drawn when as many are drawn with replacement: (draws, size)."""
    picked = rng.integers(0, size, (draws, size)) + size * np.arange(draws)[:, None]
    return np.bincount(picked.ravel(), minlength=draws * size).reshape(draws, size).astype(np.float64)


def as_matrix(scores: Scores) -> FloatArray:
    """Scores as a system × item matrix of doubles; a vector of system scores becomes one column."""
    matrix = plain_array(scores)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise BadInput(f"scores must be a system × item matrix, not an array of {matrix.ndim} dimensions")
    return matrix


def aligned(*tables: Scores, items: bool) -> list[FloatArray]:
    """The tables as matrices whose rows are the same systems and, with ``items``, whose columns are the same items.

    Labelled tables (pandas) are matched by label: systems that all share, and items that all share when the level
    pairs items; otherwise every table keeps its own items. A table of one column has system scores only and is left
    as it is. Unlabelled arrays are matched by position.
    """
    frames = [table.to_frame() if isinstance(table, pd.Series) else table for table in tables]
    labelled = [frame for frame in frames if isinstance(frame, pd.DataFrame)]
    same = _same_labels(labelled, items=items) if len(labelled) == len(frames) else frames
    matrices = [as_matrix(frame) for frame in same]
    if len({matrix.shape[0] for matrix in matrices}) > 1:
        raise BadInput("human and metric scores must have the same number of systems (rows)")
    if items and len({matrix.shape[1] for matrix in matrices}) > 1:
        raise BadInput("human and metric scores must have the same number of items (columns) at this level")
    return matrices


def _same_labels(frames: list[pd.DataFrame], *, items: bool) -> list[pd.DataFrame]:
    systems = frames[0].index
    for frame in frames[1:]:
        systems = systems.intersection(frame.index, sort=False)
    if not len(systems):
        raise BadInput("human and metric scores share no system")
    frames = [frame.loc[systems] for frame in frames]
    many = [frame.columns for frame in frames if frame.shape[1] > 1 or items]
    if not many:
        return frames
    columns = many[0]
    for other in many[1:]:
        columns = columns.intersection(other, sort=False) if items else columns.union(other, sort=False)
    if not len(columns):
        raise BadInput("human and metric scores share no item")
    return [frame.reindex(columns=columns) if frame.shape[1] > 1 or items else frame for frame in frames]


def aligned_stack(human: Scores, metrics: Sequence[Scores], *, items: bool) -> tuple[FloatArray, FloatArray]:
    """:func:`aligned` for metrics that all have the same rows and columns: human scores, and metrics × systems × items."""
    frames = [table.to_frame() if isinstance(table, pd.Series) else table for table in metrics]
    gold = human.to_frame() if isinstance(human, pd.Series) else human
    first = frames[0]
    if not (isinstance(gold, pd.DataFrame) and isinstance(first, pd.DataFrame)):
        x, *ys = aligned(human, *metrics, items=items)
        return x, np.stack(ys)
    # Labels are matched once, by places in a table of their own, which then picks from all metrics alike.
    places = np.arange(1.0, first.size + 1).reshape(first.shape)
    x, picked = aligned(gold, pd.DataFrame(places, first.index, first.columns), items=items)
    stack = np.stack(
        [table.to_numpy(dtype=np.float64) for table in frames if isinstance(table, pd.DataFrame)]
    )
    cells = np.concatenate([np.full((len(stack), 1), np.nan), stack.reshape(len(stack), -1)], axis=1)
    stack = cells[:, np.nan_to_num(picked).astype(np.intp)]
    return np.ascontiguousarray(x), np.where(np.isfinite(stack), stack, np.nan)


def alike(metrics: Mapping[str, Scores]) -> list[list[str]]:
    """Names of metrics in groups whose tables have the same rows and columns, in the same order."""
    groups: list[tuple[Scores, list[str]]] = []
    for name, table in metrics.items():
        for other, names in groups:
            if _same_shape(table, other):
                names.append(name)
                break
        else:
            groups.append((table, [name]))
    return [names for _, names in groups]


def _same_shape(one: Scores, other: Scores) -> bool:
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        same_items = one.columns.equals(other.columns) or one.shape[1] == other.shape[1] == 1
        return one.index.equals(other.index) and same_items
    if isinstance(one, pd.Series) and isinstance(other, pd.Series):
        return one.index.equals(other.index)
    return type(one) is type(other) and np.shape(one) == np.shape(other)
