"""The best of many metrics is flattered: what is left of it when the choosing is allowed for?

With 249 metrics and 12 systems the highest correlation is high by chance alone. Four answers:

- ``pvalue``: how often would the best of so many be this good if none had anything to do with people? Human scores are
  permuted over systems, and the largest correlation of each permutation is kept (Westfall & Young 1993). Where all orders of the
  systems are no more than the permutations asked for (7 systems have 5,040), each is taken once, and p is exact.
- ``held_out``: the metric is chosen on half of the items and systems and correlated on the other half, many times.
- ``confidence_interval``: simultaneous over all metrics, and so valid for whichever was chosen (Berk, Brown, Buja, Zhang & Zhao
  2013): Fisher's z ± c/√(n − 3), c from the largest of correlated normals (their correlations are Steiger's, 1980).
- ``candidates``: the metrics that may be the best, by Williams' tests against all others at α/(M − 1) each: a set that has
  the truly best one with probability 1 − α (multiple comparisons with the best, Hsu 1984).

Correlations are Pearson's over systems. Humans and baselines among the systems make any metric look good, and so do outliers
(Mathur, Baldwin & Cohn 2020): ``without`` and ``outliers`` give the same once more without them.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial

import numpy as np
import pandas as pd
from scipy import special

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.common import (
    UNDEFINED_INTERVAL,
    BoolArray,
    ConfidenceInterval,
    FloatArray,
    IntArray,
    Rng,
    Scores,
    as_matrix,
    batches,
    check_level,
    check_positive,
    interval_at,
    seeded,
    undefined,
)
from metrics.meta.levels import system_means
from metrics.meta.williams import williams_matrix
from metrics.signature import signature

PERMUTATIONS = 9_999
SPLITS = 200
DRAWS = 10_000
OUTLIER = 2.5
"""Mathur et al. (2020, §4.1): so many robust standard deviations from the median make an outlier."""
FEWEST_SYSTEMS = 4


@dataclass(frozen=True)
class MetricSelection:
    """The metric with the highest correlation, and what is left of it.

    ``correlation`` and ``pvalues`` (adjusted for all metrics, one-sided: higher) are by metric. ``held_out`` is the mean
    correlation of the metric chosen elsewhere; ``optimism`` what choosing adds. ``candidates`` may all be the best one.
    """

    best: str
    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval
    held_out: float
    candidates: tuple[str, ...]
    correlation: dict[str, float]
    pvalues: dict[str, float]
    systems: tuple[str, ...]
    left_out: tuple[str, ...]
    items: int
    n_permutations: int
    splits: int
    seed: int | None

    @property
    def optimism(self) -> float:
        return self.statistic - self.held_out

    def frame(self) -> pd.DataFrame:
        """``metric, r, pvalue_adjusted, candidate``, the best first."""
        names = sorted(self.correlation, key=lambda name: -np.nan_to_num(self.correlation[name], nan=-2.0))
        return pd.DataFrame(
            {
                "metric": names,
                "r": [self.correlation[name] for name in names],
                "pvalue_adjusted": [self.pvalues[name] for name in names],
                "candidate": [name in self.candidates for name in names],
            }
        )

    @property
    def signature(self) -> str:
        sizes = {"metrics": len(self.correlation), "systems": len(self.systems), "items": self.items}
        return signature(
            "best-of-metrics",
            {"method": "pearson", "level": "system"}
            | {key: str(value) for key, value in sizes.items()}
            | {"permutations": str(self.n_permutations), "splits": str(self.splits), "seed": self.seed},
        )


def best_metric(
    human: Scores,
    metrics: Mapping[str, Scores],
    *,
    without: Collection[str] = (),
    outliers: bool = True,
    alpha: float = 0.05,
    n_permutations: int = PERMUTATIONS,
    splits: int = SPLITS,
    rng: Rng = None,
) -> MetricSelection:
    """Choose the best metric over the systems that human scores and all metrics have.

    ``without`` names systems to leave out (humans, baselines); ``outliers=False`` leaves out those too.

    >>> rng = np.random.default_rng(1)
    >>> names = [f"s{k}" for k in range(10)]
    >>> truth = rng.normal(0, 1, (10, 1))
    >>> human = pd.DataFrame(truth + rng.normal(0, 0.5, (10, 12)), index=names)
    >>> good = pd.DataFrame(truth + rng.normal(0, 0.5, (10, 12)), index=names)
    >>> noise = {f"noise{k}": pd.DataFrame(rng.normal(0, 1, (10, 12)), index=names) for k in range(8)}
    >>> found = best_metric(human, {"good": good, **noise}, n_permutations=499, splits=40, rng=1)
    >>> found.best, found.pvalue < 0.01, found.candidates
    ('good', True, ('good',))
    """
    check_level(alpha)
    check_positive("n_permutations", n_permutations)
    check_positive("splits", splits)
    if not metrics:
        raise BadInput("expected at least one metric")
    people, given = _labelled(human), {name: _labelled(table) for name, table in metrics.items()}
    systems = _common_systems(people, given, without)
    if not outliers:
        extreme = outlier_systems(people.loc[systems].mean(axis=1))
        systems = [name for name in systems if name not in extreme]
    left_out = tuple(str(name) for name in people.index if name not in systems)
    generator, seed = seeded(rng)
    gold = people.loc[systems]
    tables = {name: rows_of(table, systems) for name, table in given.items()}
    truth = gold.mean(axis=1).to_numpy(dtype=np.float64)
    scores = np.stack([np.nanmean(table.to_numpy(dtype=np.float64), axis=1) for table in tables.values()])
    names = list(tables)
    r = _correlations(truth[None], scores)[0]
    unknown = dict.fromkeys(names, float("nan"))
    base = MetricSelection(
        best="",
        statistic=float("nan"),
        pvalue=float("nan"),
        confidence_interval=UNDEFINED_INTERVAL,
        held_out=float("nan"),
        candidates=(),
        correlation={name: float(value) for name, value in zip(names, r, strict=True)},
        pvalues=unknown,
        systems=tuple(map(str, systems)),
        left_out=left_out,
        items=gold.shape[1],
        n_permutations=n_permutations,
        splits=splits,
        seed=seed,
    )
    if len(systems) < FEWEST_SYSTEMS or not np.isfinite(r).any():
        undefined("choosing a metric needs 4 systems with scores that differ: everything else is NaN")
        return base
    best = int(np.nanargmax(r))
    pvalues, permutations = _permuted(truth, scores, r, n_permutations, generator)
    return replace(
        base,
        n_permutations=permutations,
        best=names[best],
        statistic=float(r[best]),
        pvalue=float(pvalues[best]),
        confidence_interval=_after_selection(scores, r, best, len(systems), alpha, generator),
        held_out=_held_out(gold, tables, splits, generator),
        candidates=tuple(names[k] for k in np.flatnonzero(_may_be_best(truth, scores, alpha))),
        pvalues={name: float(p) for name, p in zip(names, pvalues, strict=True)},
    )


def _labelled(scores: Scores) -> pd.DataFrame:
    """A table with its labels; the rows of an array are numbered."""
    if isinstance(scores, pd.DataFrame):
        return scores
    return scores.to_frame() if isinstance(scores, pd.Series) else pd.DataFrame(as_matrix(scores))


def outlier_systems(means: pd.Series[float], *, cutoff: float = OUTLIER) -> tuple[str, ...]:
    """Systems whose human score is more than ``cutoff`` robust deviations (1.483 · MAD) from the median.

    >>> outlier_systems(pd.Series([1.0, 1.1, 1.2, 1.3, 5.0], index=list("abcde")))
    ('e',)
    """
    values = means.to_numpy(dtype=np.float64)
    if not np.isfinite(values).any():
        return ()
    median = np.nanmedian(values)
    spread = 1.483 * np.nanmedian(np.abs(values - median))
    if not spread > 0:
        return ()
    return tuple(str(name) for name in means.index[np.abs(values - median) / spread > cutoff])


def _common_systems(
    human: pd.DataFrame, metrics: Mapping[str, pd.DataFrame], without: Collection[str]
) -> list[str]:
    unknown = [name for name in without if name not in human.index]
    if unknown:
        raise BadInput(f"there is no system {unknown[0]} to leave out")
    shared = [name for name in human.index if name not in set(without) and human.loc[name].notna().any()]
    for name, table in metrics.items():
        have = scored_systems(table)
        missing = [system for system in shared if system not in have]
        if missing:
            raise BadInput(
                f"{name} has no score of {missing[0]}: metrics are compared on the same systems, leave one of the two out"
            )
    return shared


def scored_systems(table: pd.DataFrame) -> frozenset[str]:
    """The systems of which a metric has any score.

    >>> sorted(scored_systems(pd.DataFrame([[1.0, np.nan], [np.nan, np.nan]], index=["a", "b"])))
    ['a']
    """
    # pandas' own way takes ten times as long, and there are hundreds of metrics.
    known = np.isfinite(table.to_numpy(dtype=np.float64)).any(axis=1)
    return frozenset(name for name, present in zip(table.index, known, strict=True) if present)


def rows_of(table: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """The table of these systems in this order; itself where it is that already.

    >>> rows_of(pd.DataFrame([[1.0], [2.0]], index=["a", "b"]), ["b", "a"])[0].tolist()
    [2.0, 1.0]
    """
    return table if list(table.index) == list(systems) else table.loc[list(systems)]


def _correlations(truth: FloatArray, scores: FloatArray) -> FloatArray:
    """Pearson's r of each row of ``truth`` (draws × systems) with each metric (metrics × systems): draws × metrics."""
    if not truth.shape[1]:
        return np.full((len(truth), len(scores)), np.nan)
    x = truth - truth.mean(axis=1, keepdims=True)
    y = scores - scores.mean(axis=1, keepdims=True)
    norm_x, norm_y = np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1)
    # What is left of constant scores after subtraction is rounding error.
    flat = norm_y <= 1e-13 * np.linalg.norm(scores, axis=1)
    same = norm_x <= 1e-13 * np.linalg.norm(truth, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (x @ y.T) / norm_x[:, None] / norm_y
    return np.where(flat | same[:, None], np.nan, np.clip(r, -1, 1))


def _permuted(
    truth: FloatArray, scores: FloatArray, r: FloatArray, permutations: int, rng: np.random.Generator
) -> tuple[FloatArray, int]:
    """Adjusted p-values: how often the largest correlation of a permutation reaches a metric's own; and of how many permutations.

    All orders of few systems are gone through, once each; else orders are drawn, and the one that was seen is counted among them.
    """
    orders = factorial(len(truth))
    every = itertools.permutations(range(len(truth)))
    largest = []
    for size in batches(min(orders, permutations), len(scores) + 2 * len(truth)):
        if orders <= permutations:
            shuffled = truth[np.array([*itertools.islice(every, size)])]
        else:
            shuffled = rng.permuted(np.repeat(truth[None], size, axis=0), axis=1)
        largest.append(np.nanmax(_correlations(shuffled, scores), axis=1))
    ordered = np.sort(np.concatenate(largest))
    reached = len(ordered) - np.searchsorted(ordered, r - 1e-12)
    unseen = int(orders > permutations)
    pvalues = np.where(np.isfinite(r), (reached + unseen) / (len(ordered) + unseen), np.nan)
    return pvalues, len(ordered)


def _after_selection(
    scores: FloatArray, r: FloatArray, best: int, n: int, alpha: float, rng: np.random.Generator
) -> ConfidenceInterval:
    known = np.isfinite(r) & (np.abs(r) < 1 - 1e-12)
    if not known[best] or n <= 3:
        return UNDEFINED_INTERVAL
    covariance = _correlation_of_correlations(np.atleast_2d(np.corrcoef(scores[known])), r[known])
    values, vectors = np.linalg.eigh(covariance)
    # Correlations over few systems vary in few directions, however many the metrics: the others need no draws.
    real = values > 1e-9 * values.sum()
    root = vectors[:, real] * np.sqrt(values[real])
    largest = []
    for size in batches(DRAWS, len(root)):
        # Half as long numbers are long enough for a quantile of so few draws, and take half the time.
        draws = rng.standard_normal((size, root.shape[1]), dtype=np.float32)
        largest.append(np.abs(draws @ root.T.astype(np.float32)).max(axis=1))
    drawn = np.concatenate(largest)

    def ends(level: float) -> tuple[float, float]:
        critical = max(float(np.quantile(drawn, level)), float(special.ndtri((1 + level) / 2)))
        reach = critical / np.sqrt(n - 3)
        if len(root) > 1:
            # So far out, Fisher's z of few systems is not normal: as far as the exact t of a correlation of 0 reaches there.
            t = special.stdtrit(n - 2, special.ndtr(critical))
            reach = max(reach, np.arctanh(t / np.sqrt(n - 2 + t**2)))
        low, high = np.tanh(np.arctanh(r[best]) + np.array([-reach, reach]))
        return low, high

    return interval_at(ends, 1 - alpha)


def _correlation_of_correlations(between: FloatArray, r: FloatArray) -> FloatArray:
    """Of two correlations that share the human scores (Steiger 1980, formula 3), on Fisher's scale."""
    a, b = r[:, None], r[None, :]
    numerator = between * (1 - a**2 - b**2) - a * b * (1 - a**2 - b**2 - between**2) / 2
    result = np.clip(numerator / ((1 - a**2) * (1 - b**2)), -1, 1)
    np.fill_diagonal(result, 1.0)
    return np.asarray(result)


def _held_out(
    gold: pd.DataFrame, tables: Mapping[str, pd.DataFrame], splits: int, rng: np.random.Generator
) -> float:
    """The mean correlation on systems and items that the choice has not seen; NaN below 3 systems a half."""
    systems, items = gold.shape
    half = systems // 2
    if half < 3:
        return float("nan")
    truth = gold.to_numpy(dtype=np.float64)
    same = [list(table.columns) == list(gold.columns) for table in tables.values()]
    arrays = [table.to_numpy(dtype=np.float64) for table in tables.values()]
    # Scores of whole systems are the same whichever items are drawn: one table of all metrics serves every split.
    whole = None if any(same) else np.stack([system_means(table[None], None)[0] for table in arrays])
    found = []
    for _ in range(splits):
        order = np.asarray(rng.permutation(systems), dtype=np.intp)
        chosen = rng.random(items) < 0.5
        # One item, or scores of systems alone, cannot be split: the same items serve both halves.
        parts = (
            [chosen, ~chosen]
            if items > 1 and chosen.any() and not chosen.all()
            else [np.ones(items, bool)] * 2
        )
        seen, unseen = (
            _half(truth, arrays, same, rows, columns, whole)
            for rows, columns in zip((order[:-half], order[-half:]), parts, strict=True)
        )
        if np.isfinite(seen).any():
            found.append(unseen[int(np.nanargmax(seen))])
    found = [value for value in found if np.isfinite(value)]
    return float(np.mean(found)) if found else float("nan")


def _half(
    truth: FloatArray,
    arrays: list[FloatArray],
    same: list[bool],
    rows: IntArray,
    columns: BoolArray,
    whole: FloatArray | None,
) -> FloatArray:
    means = system_means(truth[None][:, rows], columns[None].astype(np.float64))[0]
    scores = (
        whole[:, rows]
        if whole is not None
        else np.stack(
            [
                system_means(table[None][:, rows], columns[None].astype(np.float64) if equal else None)[0]
                for table, equal in zip(arrays, same, strict=True)
            ]
        )
    )
    if not np.isfinite(means).all():
        return np.full(len(arrays), np.nan)
    return np.asarray(_correlations(means[None], scores)[0])


def _may_be_best(truth: FloatArray, scores: FloatArray, alpha: float) -> BoolArray:
    """Metrics that no other one outperforms at α/(M − 1); constant ones are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        tests = williams_matrix(truth, scores, alternative="greater")
    beaten = tests.pvalue < alpha / max(1, len(scores) - 1)
    np.fill_diagonal(beaten, False)
    return np.asarray(~beaten.any(axis=0) & np.isfinite(_correlations(truth[None], scores)[0]))
