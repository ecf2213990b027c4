"""Comparisons: do intervals hold what they promise, and what does a thousand fits cost?

    .venv/bin/python benchmarks/comparisons.py [--runs 200] [--resamples 300]

First a simulated campaign, over and over: 10 systems × 200 items × 12 assessors, pairwise with ties, strengths known. Each run draws
strengths, items on which systems do better or worse than they are, and judgments; fits Davidson's model; and bootstraps over
items. Printed are how often 95 % intervals hold the true strength, how often the true rank lies in the range of ranks, and how close the
fitted order is to the true one. Then the speed of 1,000 Bradley–Terry fits of 20 systems × 20,000 pairs, as a ratio to the naive loop.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.human.comparison_resampling import item_counts, resampled_fits
from metrics.human.resampled_strengths import davidson_of
from metrics.human.strengths import bradley_terry, davidson
from metrics.meta.rank_ranges import rank_ranges, resampled_scores

SYSTEMS, ITEMS, ASSESSORS = 10, 200, 12
TIES = 0.6
"""Davidson's ν."""


def campaign(rng: np.random.Generator, of_items: float) -> tuple[np.ndarray, pd.DataFrame]:
    """True strengths, and pairs both ways round; ``of_items``: how much a system's strength differs from item to item."""
    strength = rng.normal(0, 0.6, SYSTEMS)
    strength -= strength.mean()
    on_item = strength[None, :] + rng.normal(0, of_items, (ITEMS, SYSTEMS))
    item = np.repeat(np.arange(ITEMS), ASSESSORS)
    first = rng.integers(0, SYSTEMS, len(item))
    second = (first + rng.integers(1, SYSTEMS, len(item))) % SYSTEMS
    half = (on_item[item, first] - on_item[item, second]) / 2
    weights = np.stack([np.exp(half), np.exp(-half), np.full(len(item), TIES)])
    drawn = rng.random(len(item)) * weights.sum(axis=0)
    outcome = np.where(drawn < weights[0], 1, np.where(drawn < weights[0] + weights[1], -1, 0))
    names = np.array([f"s{number:02d}" for number in range(SYSTEMS)])
    one = pd.DataFrame({"item": item.astype(str), "system": names[first], "other": names[second]})
    both = [
        one.assign(won=(outcome == 1) * 1, lost=(outcome == -1) * 1, tied=(outcome == 0) * 1),
        one.rename(columns={"system": "other", "other": "system"}).assign(
            won=(outcome == -1) * 1, lost=(outcome == 1) * 1, tied=(outcome == 0) * 1
        ),
    ]
    return strength, pd.concat(both, ignore_index=True)


def marginal(strength: np.ndarray, of_items: float, rng: np.random.Generator) -> np.ndarray:
    """What Davidson's model would find in endless data: noise on items pulls fitted strengths together."""
    if not of_items:
        return strength
    gap = (strength[:, None] - strength[None, :])[..., None] + rng.normal(
        0, of_items * np.sqrt(2), (1, 1, 4_000)
    )
    total = np.exp(gap / 2) + np.exp(-gap / 2) + TIES
    won, tied = (np.exp(gap / 2) / total).mean(axis=2), (TIES / total).mean(axis=2)
    won = (won + 1 - tied - won.T) / 2  # the noise is symmetric, its sample nearly
    tied = (tied + tied.T) / 2
    np.fill_diagonal(won, 0)
    np.fill_diagonal(tied, 0)
    return davidson(won * 1e4, tied * 1e4).values


def coverage(runs: int, resamples: int, of_items: float) -> tuple[float, float, float, float]:
    """Shares of intervals that hold the truth, and of ranges; mean τ of the orders; shares of runs with the right first."""
    rng = np.random.default_rng(2016)
    held, ranged, orders, first = [], [], [], []
    for _ in range(runs):
        strength, pairs = campaign(rng, of_items)
        truth = marginal(strength, of_items, rng)
        counts = item_counts(pairs, sorted(pairs["system"].unique()))
        won, tied = counts.tables(np.ones((1, ITEMS)))
        fitted = davidson_of(won, tied)[0]
        made = resampled_fits(counts, fitted, "davidson", ridge=0.0)
        drawn = resampled_scores(made, n_resamples=resamples, rng=rng)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        held.append((low <= truth) & (truth <= high))
        ranks = (-strength).argsort().argsort() + 1
        found = {one.system: one for one in rank_ranges(counts.systems, fitted, drawn).ranked}
        ranged.append(
            [
                found[name].best_rank <= rank <= found[name].worst_rank
                for name, rank in zip(counts.systems, ranks, strict=True)
            ]
        )
        orders.append(kendalltau(fitted, strength).statistic)
        first.append(fitted.argmax() == strength.argmax())
    return float(np.mean(held)), float(np.mean(ranged)), float(np.mean(orders)), float(np.mean(first))


def speed(fits: int = 1_000, naive: int = 20) -> None:
    """1,000 fits of 20 systems × 20,000 pairs at once, beside a loop over one fit each."""
    rng = np.random.default_rng(7)
    systems, pairs, items = 20, 20_000, 2_000
    strength = rng.normal(size=systems)
    first = rng.integers(0, systems, pairs)
    second = (first + rng.integers(1, systems, pairs)) % systems
    wins = rng.random(pairs) < 1 / (1 + np.exp(strength[second] - strength[first]))
    names = np.array([f"s{number:02d}" for number in range(systems)])
    frame = pd.DataFrame(
        {
            "item": rng.integers(0, items, pairs).astype(str),
            "system": names[np.where(wins, first, second)],
            "other": names[np.where(wins, second, first)],
            "won": 1,
            "tied": 0,
        }
    )
    counts = item_counts(frame, names)
    made = resampled_fits(counts, np.zeros(systems), "bradley-terry", ridge=0.0)
    begun = time.process_time()
    drawn = resampled_scores(made, n_resamples=fits, rng=1)
    together = time.process_time() - begun
    weights = np.random.default_rng(1).multinomial(items, np.full(items, 1 / items), naive).astype(float)
    tables, _ = counts.tables(weights)
    begun = time.process_time()
    alone = np.array([bradley_terry(table).values for table in tables])
    each = (time.process_time() - begun) / naive
    print(f"\n{fits:,} Bradley–Terry fits of {systems} systems × {pairs:,} pairs: {together:.1f} s together;")
    print(
        f"one by one {each * 1000:.0f} ms each, {each * fits:.0f} s in all: {each * fits / together:.0f} times as long."
    )
    print(f"(spread of strengths {drawn.std(axis=0).mean():.3f}, {alone.std(axis=0).mean():.3f})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=300)
    arguments = parser.parse_args()
    print(
        f"{arguments.runs} runs, {SYSTEMS} systems × {ITEMS} items × {ASSESSORS} assessors, {arguments.resamples} resamples\n\n"
        "| strength varies over items by | 95 % interval holds the truth | true rank in its range | τ of the orders | right first |\n"
        "|---|---|---|---|---|"
    )
    for of_items in (0.0, 0.5):
        held, ranged, order, first = coverage(arguments.runs, arguments.resamples, of_items)
        print(f"| {of_items:g} | {held:.3f} | {ranged:.3f} | {order:.3f} | {first:.2f} |", flush=True)
    speed()


if __name__ == "__main__":
    main()
