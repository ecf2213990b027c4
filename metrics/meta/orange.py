"""ORANGE: a metric judged without people (Lin & Och 2004): good metrics rank references above outputs.

For each reference of an item, it and every output are scored against the *other* references; its rank among these texts, ties taking the mean
rank, divided by their number, and averaged over references and items, is ORANGE. **Lower is better**: 1/(n + 1) for a perfect metric with n outputs,
(n + 2)/(2(n + 1)) for a constant one, 1 for one that is upside down.

The authors rank all references in one list with an n-best list; leaving one out treats outputs and reference alike and agrees for long
lists. Another program's ORANGE (Asiya's) is the share of pairs won, higher is better: another scale.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from metrics.errors import UndefinedScoreWarning
from metrics.meta.common import FloatArray, share_of
from metrics.meta.ties import settled
from metrics.signature import signature

RESAMPLES = 1000


@dataclass(frozen=True)
class LeftOut:
    """One item: ``scores[k, r, :]`` are, under metric *k*, of reference *r* and then of all outputs, against the others."""

    item: str
    scores: FloatArray


@dataclass(frozen=True)
class OrangeResult:
    """ORANGE of each metric, and of each item."""

    metrics: tuple[str, ...]
    items: tuple[str, ...]
    by_item: FloatArray
    """Metrics × items."""
    table: pd.DataFrame
    """``metric, orange, low, high, items``, best (lowest) first."""
    pairs: pd.DataFrame
    """``metric_a, metric_b, difference, low, high``: a's ORANGE less b's, with the interval of the paired bootstrap."""
    signature: str


def orange_item(scores: FloatArray) -> FloatArray:
    """ORANGE of one item for each metric, from ``scores[k, r, :]`` (see :class:`LeftOut`).

    An undefined score leaves that text out of its list; an item of one reference, or without outputs, is NaN.

    >>> orange_item(np.array([[[0.9, 0.1, 0.2], [0.1, 0.1, 0.1]]]))
    array([0.5])
    """
    metrics, references, texts = scores.shape
    if references == 0 or texts < 2:
        return np.full(metrics, np.nan)
    defined = ~np.isnan(scores)
    ranks = scipy.stats.rankdata(-settled(scores), axis=2, nan_policy="omit")
    length = defined.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(defined[:, :, 0] & (length > 1), ranks[:, :, 0] / length, np.nan)
    return _means(share)


def orange(
    items: Iterable[LeftOut],
    metrics: Sequence[str],
    *,
    n_resamples: int = RESAMPLES,
    rng: int = 20050629,
) -> OrangeResult:
    """ORANGE of each metric with intervals by bootstrap over items, the same draws for all metrics.

    >>> one = LeftOut("d1", np.array([[[0.9, 0.1, 0.2], [0.1, 0.1, 0.1]]]))
    >>> two = LeftOut("d2", np.array([[[0.9, 0.1, 0.2], [0.8, 0.1, 0.1]]]))
    >>> found = orange([one, two], ["overlap"]).table
    >>> found["metric"][0], round(float(found["orange"][0]), 3), int(found["items"][0])
    ('overlap', 0.417, 2)
    """
    names, values, undefined = [], [], 0
    for item in items:
        undefined += int(np.isnan(item.scores).sum())
        names.append(item.item)
        values.append(orange_item(item.scores))
    if undefined:
        warnings.warn(
            f"{undefined} undefined scores: those texts are left out of their lists",
            UndefinedScoreWarning,
            stacklevel=2,
        )
    # Items come in any order; draws must not depend on it.
    order = sorted(range(len(names)), key=names.__getitem__)
    by_item = np.array([values[place] for place in order]).reshape(len(order), len(metrics)).T
    means = _means(by_item)
    draws = _draws(by_item, n_resamples, rng)
    low, high = _interval(draws)
    table = pd.DataFrame(
        {
            "metric": list(metrics),
            "orange": means,
            "low": low,
            "high": high,
            "items": (~np.isnan(by_item)).sum(axis=1),
        }
    ).sort_values("orange", kind="stable", ignore_index=True)
    options = {"items": len(order), "ties": "mean-rank", "resamples": n_resamples, "seed": rng}
    return OrangeResult(
        tuple(metrics),
        tuple(names[place] for place in order),
        by_item,
        table,
        _pairs(metrics, means, draws),
        signature("orange", options),
    )


def _means(values: FloatArray) -> FloatArray:
    counted = (~np.isnan(values)).sum(axis=-1)
    total = np.nansum(values, axis=-1)
    return share_of(total, counted)


def _draws(by_item: FloatArray, n_resamples: int, rng: int) -> FloatArray:
    """Metrics × resamples."""
    generator = np.random.default_rng(rng)
    items = by_item.shape[1]
    if not items:
        return np.full((len(by_item), n_resamples), np.nan)
    drawn = generator.integers(items, size=(n_resamples, items))
    counts = np.zeros((n_resamples, items))
    np.add.at(counts, (np.arange(n_resamples)[:, None], drawn), 1)
    present = ~np.isnan(by_item)
    totals, weights = np.nan_to_num(by_item) @ counts.T, present.astype(float) @ counts.T
    return share_of(totals, weights)


def _interval(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    ends = np.full((2, len(draws)), np.nan)
    whole = ~np.isnan(draws).any(axis=1)
    # NumPy takes rows with gaps one by one, many times slower.
    ends[:, whole] = np.percentile(draws[whole], [2.5, 97.5], axis=1)
    some = ~whole & ~np.isnan(draws).all(axis=1)  # a metric without any value has no interval
    if some.any():
        ends[:, some] = np.nanpercentile(draws[some], [2.5, 97.5], axis=1)
    return ends[0], ends[1]


def _pairs(metrics: Sequence[str], means: FloatArray, draws: FloatArray) -> pd.DataFrame:
    rows = []
    for place, name in enumerate(metrics):
        later = slice(place + 1, None)
        low, high = _interval(draws[place] - draws[later])
        difference = means[place] - means[later]
        rows += [(name, *row) for row in zip(metrics[later], difference, low, high, strict=True)]
    return pd.DataFrame(rows, columns=["metric_a", "metric_b", "difference", "low", "high"])
