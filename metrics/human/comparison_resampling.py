"""Scores of comparisons for resampled items: how sure strengths, shares and ranks are.

Everything about one item is drawn together, since judgments of it are not independent. Wins and ties are counted once per item;
a resample is then a sum of these counts, each item as often as it was drawn, and a model is fitted to all sums at once
(:mod:`metrics.human.resampled_strengths`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from metrics.human.base import Resampling
from metrics.human.comparison import Ranking
from metrics.human.resampled_strengths import davidson_of, expected_wins_of, plackett_luce_of
from metrics.human.trueskill import trueskill_of, trueskill_of_sets, wmt_settings
from metrics.meta.common import BATCH_NUMBERS, FloatArray, IntArray, drawn_counts, share_of
from metrics.signature import DEFAULT_SEED

PREFERENCES = ["item", "system_a", "system_b", "won", "lost", "tied"]
RUNS = 1_000
"""Of TrueSkill, whose outcome depends on the order of comparisons."""


@dataclass(frozen=True)
class ItemCounts:
    """Who beat whom and who tied on each item: sparse tables of items × (system, system)."""

    systems: list[str]
    items: list[str]
    won: sparse.csr_array
    tied: sparse.csr_array

    def tables(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Wins and ties, resamples × systems × systems."""
        shape = (len(weights), len(self.systems), len(self.systems))
        found = [np.asarray((counts.T @ weights.T).T).reshape(shape) for counts in (self.won, self.tied)]
        return found[0], found[1]


def item_counts(pairs: pd.DataFrame, systems: Sequence[str]) -> ItemCounts:
    """From pairs both ways round, as :func:`metrics.human.comparison.pairs_of` has them."""
    names = list(systems)
    items, row = np.unique(pairs["item"].to_numpy(dtype="str"), return_inverse=True)
    place = {system: index for index, system in enumerate(names)}
    column = pairs["system"].map(place).to_numpy(np.intp) * len(names)
    column = column + pairs["other"].map(place).to_numpy(np.intp)
    shape = (len(items), len(names) ** 2)
    won, tied = (
        sparse.csr_array(sparse.coo_array((pairs[name].to_numpy(np.float64), (row, column)), shape=shape))
        for name in ("won", "tied")
    )
    return ItemCounts(names, [str(item) for item in items], won, tied)


def preferences(pairs: pd.DataFrame) -> pd.DataFrame:
    """Every two systems of an item once, how often the first won, lost and tied: :data:`PREFERENCES`."""
    once = pairs[pairs["system"] < pairs["other"]].rename(columns={"system": "system_a", "other": "system_b"})
    return once.groupby(PREFERENCES[:3])[["won", "lost", "tied"]].sum().reset_index()


def sums_by_item(rows: pd.DataFrame, columns: Sequence[str], systems: Sequence[str]) -> list[FloatArray]:
    """Sums of columns, each as a table of items × systems."""
    return [
        rows.astype({name: "float64"})
        .pivot_table(index="item", columns="system", values=name, aggfunc="sum", fill_value=0.0)
        .reindex(columns=list(systems), fill_value=0.0)
        .to_numpy(np.float64)
        for name in columns
    ]


def resampled_shares(tally: pd.DataFrame, systems: Sequence[str], *, half: bool) -> Resampling:
    """Shares of wins over all comparisons."""
    won, lost, tied = sums_by_item(tally, ("won", "lost", "tied"), systems)

    def scores(weights: FloatArray) -> FloatArray:
        w, lose, tie = weights @ won, weights @ lost, weights @ tied
        return share_of(w + tie / 2, w + lose + tie) if half else share_of(w, w + lose)

    return Resampling(list(systems), len(won), scores)


def resampled_means(rows: pd.DataFrame, systems: Sequence[str]) -> Resampling:
    """Means of values over all sets."""
    values, number = sums_by_item(rows.assign(number=1.0), ("value", "number"), systems)
    return Resampling(
        list(systems), len(values), lambda weights: share_of(weights @ values, weights @ number)
    )


def resampled_fits(counts: ItemCounts, fitted: FloatArray, name: str, *, ridge: float) -> Resampling:
    """Expected wins, Bradley–Terry or Davidson; systems without a finite strength have none here either."""
    kept = np.flatnonzero(np.isfinite(fitted))

    def inner(tables: FloatArray) -> FloatArray:
        return tables[:, kept[:, None], kept[None, :]]

    def scores(weights: FloatArray) -> FloatArray:
        found = np.full((len(weights), len(counts.systems)), np.nan)
        size = max(1, BATCH_NUMBERS // len(counts.systems) ** 2)
        for start in range(0, len(weights), size):
            won, tied = counts.tables(weights[start : start + size])
            if name == "expected-wins":
                found[start : start + size] = expected_wins_of(won)
            elif len(kept) > 1:
                ties = inner(tied) if name == "davidson" else np.zeros_like(inner(tied))
                found[start : start + size, kept] = davidson_of(inner(won), ties, ridge=ridge)
        return found

    return Resampling(counts.systems, len(counts.items), scores)


def resampled_rankings(
    rankings: Sequence[Sequence[int]],
    item_of: Sequence[str],
    fitted: FloatArray,
    systems: Sequence[str],
    *,
    items: Sequence[str],
    ridge: float,
) -> Resampling:
    """Plackett–Luce of rankings without ties, each of one of the items."""
    kept = {int(system): place for place, system in enumerate(np.flatnonzero(np.isfinite(fitted)))}
    row = {item: number for number, item in enumerate(items)}
    stages, of_item = [], []
    for ranking, item in zip(rankings, (row[item] for item in item_of), strict=True):
        inner = [kept[system] for system in ranking if system in kept]
        for place in range(len(inner) - 1):
            stages.append((inner[place], inner[place:]))
            of_item.append(item)

    def scores(weights: FloatArray) -> FloatArray:
        found = np.full((len(weights), len(systems)), np.nan)
        if stages:
            chosen = weights[:, np.asarray(of_item, dtype=np.intp)]
            found[:, list(kept)] = plackett_luce_of(stages, len(kept), chosen, ridge=ridge)
        return found

    return Resampling(list(systems), len(items), scores)


def trueskill_runs(pairs: pd.DataFrame, systems: Sequence[str]) -> Resampling:
    """TrueSkill: every resample is a run of its own, its comparisons in an order drawn for it."""
    once = pairs[pairs["system"] < pairs["other"]]
    place = {system: index for index, system in enumerate(systems)}
    first: IntArray = np.asarray(once["system"].map(place), dtype=np.intp)
    second: IntArray = np.asarray(once["other"].map(place), dtype=np.intp)
    outcome: IntArray = (once["won"] - once["lost"]).to_numpy(np.intp)
    items, row = np.unique(once["item"].to_numpy(dtype="str"), return_inverse=True)
    how = wmt_settings(len(once))

    def scores(weights: FloatArray) -> FloatArray:
        return trueskill_of(first, second, outcome, len(systems), _orders(weights, row), how=how)

    return Resampling(list(systems), len(items), scores)


def trueskill_runs_of_sets(
    rankings: Sequence[Ranking], systems: Sequence[str], comparisons: int
) -> Resampling:
    """The same, where each step is a whole ranking; ``comparisons``, as WMT counts them, tell β."""
    items, row = np.unique([one.item for one in rankings], return_inverse=True)
    how = wmt_settings(comparisons)

    def scores(weights: FloatArray) -> FloatArray:
        return trueskill_of_sets(rankings, len(systems), _orders(weights, row), how)

    return Resampling(list(systems), len(items), scores)


def _orders(weights: FloatArray, item_of: IntArray) -> list[IntArray]:
    """What is of each item as often as the item was drawn, in an order drawn for each resample."""
    rng = np.random.default_rng(DEFAULT_SEED)
    times = weights.astype(np.intp)[:, item_of]
    return [rng.permutation(np.repeat(np.arange(len(item_of)), often)) for often in times]


def mean_of_runs(runs: Resampling, number: int) -> FloatArray:
    """The mean over runs of resampled items."""
    drawn = drawn_counts(np.random.default_rng(DEFAULT_SEED), number, runs.items)
    return np.asarray(runs.scores(drawn).mean(axis=0))
