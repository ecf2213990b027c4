"""Comparisons of texts in a report: systems by resampled items, who beat whom, and whether metrics prefer what people prefer.

A score of comparisons is no mean over items, so that neither a model of single judgments nor exchanges of items fit it. Items are
drawn with replacement and the score is made anew: intervals are percentiles, ranks are ranges, and a line stands where no range
above it reaches one below, as WMT printed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from metrics.human import HumanScore
from metrics.meta.common import FloatArray, batches, drawn_counts, seeded, share_of
from metrics.meta.rank_ranges import RankRanges, rank_ranges, resampled_pvalue, resampled_scores
from metrics.meta.ranking import RankedSystem
from metrics.meta.ties import settled, settled_differences
from metrics.report.compared import PAIRS, Comparison
from metrics.report.options import Options
from metrics.signature import signature

if TYPE_CHECKING:
    from metrics.report.automatic import MetricResult

METHOD = "bootstrap-items"
DUELS = ["system_a", "system_b", "won", "lost", "tied", "share", "low", "high"]
PREFERENCE = ["metric", "n", "accuracy", "low", "high", "tied", "accuracy_ties", "epsilon", "signature"]


def compare_resampled(
    score: HumanScore, systems: list[str], options: Options
) -> tuple[Comparison, pd.Series[float]]:
    """All systems and pairs by resampled items, and how often each system came first."""
    resampling = score.resampling
    if resampling is None:
        raise TypeError("expected a score that can be made of resampled items")
    known = score.system_scores().set_index("system")["score"].loc[systems]
    drawn = pd.DataFrame(
        settled(resampled_scores(resampling, n_resamples=options.n_resamples, rng=options.seed)),
        columns=resampling.systems,
    )[systems]
    ranges = rank_ranges(systems, known, drawn, confidence_level=options.confidence_level, seed=options.seed)
    several = resampling.items > 1
    pairs = _pairs(ranges, drawn, score, options, several=several)
    names = [one.system for one in ranges.ranked]
    found = pairs[pairs["pvalue_adjusted"] < options.alpha]
    sure = set(zip(found["system_a"], found["system_b"], strict=True))
    ranked = [
        RankedSystem(
            system=one.system,
            score=one.score,
            wins=sum((one.system, other) in sure for other in names),
            losses=sum((other, one.system) in sure for other in names),
            total=len(names),
            cluster=one.cluster if several else 1,
            start=one.best_rank if several else 1,
            end=one.worst_rank if several else len(names),
        )
        for one in ranges.ranked
    ]
    unknown = np.nan if not several else None
    estimates = pd.DataFrame(
        [(one.score, one.low, one.high) for one in ranges.ranked],
        columns=["estimate", "low", "high"],
        index=names,
    )
    if not several:
        estimates[["low", "high"]] = unknown
    first = pd.Series([one.first_share if several else np.nan for one in ranges.ranked], index=names)
    how = {"resamples": options.n_resamples, "seed": options.seed, "pairs": len(pairs), "correction": "none"}
    return Comparison(
        method=METHOD,
        estimates=estimates,
        pairs=pairs,
        ranked=ranked,
        signature=signature(f"{score.name}-difference", {"interval": METHOD, **how}),
        interval="bootstrap-items-percentile",
        clusters=f"rank-ranges-{options.confidence_level:g}",
        generalises_over=("items",),
    ), first


def _pairs(
    ranges: RankRanges, drawn: pd.DataFrame, score: HumanScore, options: Options, *, several: bool
) -> pd.DataFrame:
    """Differences of scores with percentiles, p from the share of resamples on the other side, and direct comparisons beside."""
    direct = _both_ways(duels(score, options))
    tail = (1 - options.confidence_level) / 2
    rows: list[dict[str, Any]] = []
    for place, one in enumerate(ranges.ranked):
        for other in ranges.ranked[place + 1 :]:
            gaps = (drawn[one.system] - drawn[other.system]).dropna().to_numpy(dtype=np.float64)
            known = len(gaps) > 1 and several
            low, high = np.quantile(gaps, [tail, 1 - tail]) if known else (np.nan, np.nan)
            pvalue = resampled_pvalue(gaps) if known else np.nan
            met = direct.get((one.system, other.system), _NEVER_MET)
            difference = settled_differences(
                [one.score - other.score], scale=abs(one.score) + abs(other.score)
            )
            rows.append(
                {
                    "system_a": one.system,
                    "system_b": other.system,
                    "mean_a": one.score,
                    "mean_b": other.score,
                    "difference": float(difference[0]),
                    "low": low,
                    "high": high,
                    **met,
                    "pvalue": pvalue,
                    "pvalue_adjusted": pvalue,
                }
            )
    return pd.DataFrame(rows, columns=PAIRS)


_NEVER_MET: dict[str, float] = dict.fromkeys(
    ("superiority", "superiority_low", "superiority_high"), np.nan
) | {"n": 0, "ties": 0}


def _both_ways(table: pd.DataFrame) -> dict[tuple[str, str], dict[str, float]]:
    """Direct comparisons by the two systems, whichever is named first."""
    found = {}
    for row in table.to_dict("records"):
        both = {"n": int(row["won"] + row["lost"] + row["tied"]), "ties": int(row["tied"])}
        share, low, high = row["share"], row["low"], row["high"]
        one, other = str(row["system_a"]), str(row["system_b"])
        names = ("superiority", "superiority_low", "superiority_high")
        found[one, other] = dict(zip(names, (share, low, high), strict=True)) | both
        found[other, one] = dict(zip(names, (1 - share, 1 - high, 1 - low), strict=True)) | both
    return found


def duels(score: HumanScore, options: Options) -> pd.DataFrame:
    """Every two systems that were compared: how often the first won, lost and tied, and its share with ties half, over resampled items."""
    if score.preferences is None or score.preferences.empty:
        return pd.DataFrame(columns=DUELS)
    given = score.preferences
    pair = given.groupby(["system_a", "system_b"], sort=True).ngroup().to_numpy()
    items, row = np.unique(given["item"].to_numpy(dtype="str"), return_inverse=True)
    points, met = np.zeros((len(items), pair.max() + 1)), np.zeros((len(items), pair.max() + 1))
    np.add.at(points, (row, pair), (given["won"] + given["tied"] / 2).to_numpy(dtype=np.float64))
    np.add.at(met, (row, pair), given[["won", "lost", "tied"]].sum(axis=1).to_numpy(dtype=np.float64))
    low, high = _share_ends(points, met, options)
    found = given.groupby(["system_a", "system_b"], sort=True)[["won", "lost", "tied"]].sum().reset_index()
    return found.assign(share=points.sum(axis=0) / met.sum(axis=0), low=low, high=high)[DUELS]


def _share_ends(points: FloatArray, met: FloatArray, options: Options) -> tuple[FloatArray, FloatArray]:
    """Percentiles of shares over resampled items, column by column."""
    if len(points) < 2:
        return (np.full(points.shape[1], np.nan),) * 2
    rng, _ = seeded(options.seed)
    parts = []
    for size in batches(options.n_resamples, len(points) + points.shape[1]):
        weights = drawn_counts(rng, size, len(points))
        number = weights @ met
        parts.append(share_of(weights @ points, number))
    tail = (1 - options.confidence_level) / 2
    low, high = np.nanquantile(np.concatenate(parts), [tail, 1 - tail], axis=0)
    return low, high


def preference_table(score: HumanScore, metrics: MetricResult, options: Options) -> pd.DataFrame:
    """Does a metric prefer what people prefer? One row per metric of single outputs, the most accurate first.

    ``accuracy``: of the judgments that prefer one of two texts, the share whose text has the higher score; equal scores count half.
    ``accuracy_ties``: of all judgments, ties among them, the share that the metric gives too, calling differences of at most
    ``epsilon`` a tie, chosen to serve it best (Deutsch, Foster & Freitag 2023).
    """
    given = score.preferences if score.preferences is not None else pd.DataFrame(columns=["item"])
    items, row = np.unique(given["item"].to_numpy(dtype="str"), return_inverse=True)
    names, columns, found = [], [], []
    for metric, table in metrics.item_matrices.items():
        gap = _gaps(given, table)
        known = np.isfinite(gap)
        won, lost, tied = (
            np.where(known, given[name].to_numpy(np.float64), 0.0) for name in ("won", "lost", "tied")
        )
        if not (won + lost).sum():
            continue
        right = np.where(gap > 0, won, np.where(gap < 0, lost, (won + lost) / 2))
        columns.append((np.bincount(row, right, len(items)), np.bincount(row, won + lost, len(items))))
        best, epsilon = _with_ties(gap[known], won[known], lost[known], tied[known])
        names.append(metric)
        equal = float(((gap == 0) & known & (won + lost > 0)).sum())
        found.append((int((won + lost).sum()), right.sum() / (won + lost).sum(), equal, best, epsilon))
    if not names:
        return pd.DataFrame(columns=PREFERENCE)
    low, high = _share_ends(
        np.stack([right for right, _ in columns], axis=1),
        np.stack([met for _, met in columns], axis=1),
        options,
    )
    how = {"level": "pair", "interval": METHOD, "resamples": options.n_resamples, "seed": options.seed}
    table = pd.DataFrame(found, columns=["n", "accuracy", "tied", "accuracy_ties", "epsilon"])
    table = table.assign(metric=names, low=low, high=high, signature=signature("preference-accuracy", how))
    return table.sort_values(["accuracy", "metric"], ascending=[False, True], ignore_index=True)[PREFERENCE]


def _gaps(given: pd.DataFrame, table: pd.DataFrame) -> FloatArray:
    """How far the first of each pair is ahead by the metric, NaN where it has no score."""
    systems, items = table.index.get_indexer, table.columns.get_indexer(pd.Index(given["item"]))
    values = table.to_numpy(dtype=np.float64)
    first, second = systems(pd.Index(given["system_a"])), systems(pd.Index(given["system_b"]))
    known = (first >= 0) & (second >= 0) & (items >= 0)
    gap = np.full(len(given), np.nan)
    gap[known] = values[first[known], items[known]] - values[second[known], items[known]]
    scale = float(np.nanmax(np.abs(values), initial=0.0))
    gap[known] = settled_differences(gap[known], scale=scale)
    return gap


def _with_ties(gap: FloatArray, won: FloatArray, lost: FloatArray, tied: FloatArray) -> tuple[float, float]:
    """The share of judgments that the metric gives too at the best threshold of a tie, and that threshold."""
    size = np.abs(gap)
    apart = np.where(gap > 0, won, np.where(gap < 0, lost, 0.0))
    order = np.argsort(size, kind="stable")
    gain = np.concatenate([[0.0], np.cumsum((tied - apart)[order])])
    candidates = np.unique(np.concatenate([[0.0], size]))
    right = apart.sum() + gain[np.searchsorted(size[order], candidates, side="right")]
    best = int(np.flatnonzero(right >= right.max() - 1e-9)[0])
    return float(right[best] / (won + lost + tied).sum()), float(candidates[best])
