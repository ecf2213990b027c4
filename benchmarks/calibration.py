"""Do tests err as rarely as they say, and do intervals cover as often? Simulated studies with known truth.

    python benchmarks/calibration.py                       # the table that docs/meta-evaluation.md quotes
    python benchmarks/calibration.py --runs 40             # a look
    python benchmarks/calibration.py --store FILE          # stopped and started again, it goes on where it was

Every row is a kind of study; a column is a test (share of studies of equal systems in which *any* pair is significant,
adjusted for all pairs: should be .05) or an interval (share that has the truth in it: should be .95). With N runs a share
is known to about ± 2·√(.05·.95/N).

Judgments are normal: item .6, assessor .4, assessor × system and item × system as said, error 1 (standard deviations).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

# Small matrices: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from metrics.meta.common import drawn_counts  # noqa: E402
from metrics.meta.comparison import compare_metrics  # noqa: E402
from metrics.meta.correlation import correlate  # noqa: E402
from metrics.meta.crossed_bootstrap import crossed_bootstrap  # noqa: E402
from metrics.meta.intervals import (  # noqa: E402
    agreement_interval,
    correlation_interval,
    icc_interval,
    mean_intervals,
)
from metrics.meta.judged import judged  # noqa: E402
from metrics.meta.multiplicity import adjust  # noqa: E402
from metrics.meta.reliability import COEFFICIENTS  # noqa: E402
from metrics.meta.resampling import percentile_interval  # noqa: E402
from metrics.meta.selection import best_metric  # noqa: E402
from metrics.meta.significance import TESTS, compare_systems  # noqa: E402
from metrics.meta.system_model import system_model  # noqa: E402

SYSTEMS = 5
ALPHA = 0.05
Run = Callable[[np.random.Generator], dict[str, float]]


def study(
    rng: np.random.Generator, items: int, assessors: int, spread: float, output: float, kept: float
) -> pd.DataFrame:
    """A study of equal systems; ``kept`` is the share of judgments that are there."""
    shape = (assessors, SYSTEMS, items)
    values = (
        rng.normal(0, 1, shape) + rng.normal(0, 0.6, (1, 1, items)) + rng.normal(0, 0.4, (assessors, 1, 1))
    )
    values += rng.normal(0, spread, (assessors, SYSTEMS, 1)) + rng.normal(0, output, (1, SYSTEMS, items))
    names = ["assessor", "system", "item"]
    index = pd.MultiIndex.from_product([range(size) for size in shape], names=names)
    table = pd.Series(values.ravel(), index=index, name="value").reset_index()
    return table[rng.random(len(table)) < kept] if kept < 1 else table


def comparisons(items: int, assessors: int, spread: float, output: float, kept: float) -> Run:
    def run(rng: np.random.Generator) -> dict[str, float]:
        table = study(rng, items, assessors, spread, output, kept)
        model = system_model(table, n_resamples=499, rng=rng)
        tukey = system_model(table, correction="tukey", n_resamples=99, rng=rng)
        few = system_model(table, terms=("item", "assessor", "assessor:system"), rng=rng, n_resamples=99)
        truth = (model.low <= 0) & (model.high >= 0)
        drawn = crossed_bootstrap(judged(table), confidence_level=0.95, n_resamples=299, rng=rng)
        matrix = table.pivot_table(index="system", columns="item", values="value")
        plain = compare_systems(matrix, test="t")
        return {
            "mixed model, Holm": any_significant(model.pairs.pvalue_adjusted),
            "mixed model, Tukey": any_significant(tukey.pairs.pvalue_adjusted),
            "no item × system": any_significant(few.pairs.pvalue_adjusted),
            "bootstrap": any_significant(drawn.pvalue_adjusted),
            "paired t, Holm": any_significant(adjust(plain.pvalue, "holm")),
            "model's means cover": float(truth.mean()),
        }

    return run


def ordinal_ratings(items: int, assessors: int, kept: float) -> Run:
    """Ratings of five steps: standard deviations as above, of logits, whose error is logistic; steps of unequal width."""

    def run(rng: np.random.Generator) -> dict[str, float]:
        shape = (assessors, SYSTEMS, items)
        unit = np.pi / np.sqrt(3)
        logits = rng.logistic(0, 1, shape) + rng.normal(0, 0.6 * unit, (1, 1, items))
        logits += rng.normal(0, 0.4 * unit, (assessors, 1, 1)) + rng.normal(
            0, 0.3 * unit, (assessors, SYSTEMS, 1)
        )
        logits += rng.normal(0, 0.5 * unit, (1, SYSTEMS, items))
        names = ["assessor", "system", "item"]
        index = pd.MultiIndex.from_product([range(size) for size in shape], names=names)
        values = np.digitize(logits, [-3.5, -1.5, 0.0, 1.0])
        table = pd.Series(values.ravel(), index=index, name="value").reset_index()
        table = table[rng.random(len(table)) < kept]
        model = system_model(table, scale="ordinal", n_resamples=199, rng=rng)
        linear = system_model(table, n_resamples=199, rng=rng)
        return {
            "ordinal model, Holm": any_significant(model.pairs.pvalue_adjusted),
            "mixed model, Holm": any_significant(linear.pairs.pvalue_adjusted),
            "ordinal estimates cover": float(((model.low <= 0) & (model.high >= 0)).mean()),
        }

    return run


def means(items: int, skewed: bool) -> Run:
    def run(rng: np.random.Generator) -> dict[str, float]:
        scores = (rng.exponential(1, (20, items)) - 1) if skewed else rng.normal(0, 1, (20, items))
        draws = rng.integers(0, items, (999, items))
        low, high = np.quantile(scores[:, draws].mean(axis=2), [0.025, 0.975], axis=1)
        found = {"percentile": np.mean((low <= 0) & (high >= 0))}
        for method in ("t", "bootstrap-t"):
            ends = mean_intervals(scores, method=method, n_resamples=999, rng=rng)
            found[method] = np.mean((ends.low <= 0) & (ends.high >= 0))
        return found

    return run


def agreements(items: int, assessors: int, icc: float) -> Run:
    def run(rng: np.random.Generator) -> dict[str, float]:
        ratings = rng.normal(0, np.sqrt(icc), (items, 1)) + rng.normal(
            0, np.sqrt(1 - icc), (items, assessors)
        )
        drawn = COEFFICIENTS["alpha-interval"](ratings)(drawn_counts(rng, 499, items))
        ends = {
            "α percentile": percentile_interval(drawn, 0.95),
            "α jackknife": agreement_interval(ratings, "alpha-interval").confidence_interval,
            "ICC(1,1) by F": icc_interval(ratings, "1-1").confidence_interval,
        }
        return {name: float(interval.low <= icc <= interval.high) for name, interval in ends.items()}

    return run


def correlations(systems: int, r: float) -> Run:
    def run(rng: np.random.Generator) -> dict[str, float]:
        x = rng.normal(0, 1, systems)
        y = r * x + np.sqrt(1 - r**2) * rng.normal(0, 1, systems)
        options = {"interval": "bootstrap-systems", "n_resamples": 499}
        ends = {
            "Fisher": correlate(x, y),
            "percentile": correlate(x, y, rng=rng, **options),
            "BCa": correlation_interval(x, y, n_resamples=499, rng=rng),
        }
        return {
            name: float(found.confidence_interval.low <= r <= found.confidence_interval.high)
            for name, found in ends.items()
        }

    return run


def selections(systems: int, metrics: int) -> Run:
    def run(rng: np.random.Generator) -> dict[str, float]:
        human = pd.DataFrame(rng.normal(0, 1, (systems, 1)))
        noise = {f"m{k}": pd.DataFrame(rng.normal(0, 1, (systems, 1))) for k in range(metrics)}
        found = best_metric(human, noise, n_permutations=199, splits=1, rng=rng)
        alone = correlate(human[0], noise[found.best][0], alternative="greater").pvalue
        ends = found.confidence_interval
        return {
            "best, max-r": float(found.pvalue <= ALPHA),
            "best, taken alone": float(alone <= ALPHA),
            "its interval covers 0": float(ends.low <= 0 <= ends.high),
        }

    return run


def system_tests(items: int, skewed: bool) -> Run:
    """Every test of two equal systems on paired items; scores of an item go together."""

    def run(rng: np.random.Generator) -> dict[str, float]:
        draw = rng.exponential if skewed else (lambda size: rng.normal(0, 1, size))
        scores = draw(size=(2, items)) + rng.normal(0, 1, items)
        return {
            test: float(compare_systems(scores, test=test, n_resamples=999, rng=rng).pvalue[0] <= ALPHA)
            for test in TESTS
        }

    return run


def metric_tests(systems: int, bias: float) -> Run:
    """Two equally good metrics, each with a liking of its own for whole systems."""

    def run(rng: np.random.Generator) -> dict[str, float]:
        items = 20
        human = rng.normal(0, 1, (systems, 1)) + rng.normal(0, 1, (systems, items))
        a, b = (
            human + rng.normal(0, bias, (systems, 1)) + rng.normal(0, 1, (systems, items)) for _ in range(2)
        )
        tables = [pd.DataFrame(table) for table in (human, a, b)]
        two = {"a": tables[1], "b": tables[2]}
        found = {"williams": compare_metrics(tables[0], two).frame["pvalue"][0]}
        drawn = {"n_resamples": 499, "rng": rng}
        for what in ("systems", "items", "cells"):
            result = compare_metrics(tables[0], two, test="permutation", resampled=what, **drawn)
            found[f"permutation, {what}"] = result.frame["pvalue"][0]
        result = compare_metrics(tables[0], two, test="bootstrap", **drawn)
        found["bootstrap, both"] = result.frame["pvalue"][0]
        return {name: float(pvalue <= ALPHA) for name, pvalue in found.items()}

    return run


def correlation_tests(systems: int, bias: float) -> Run:
    """A metric that knows nothing of quality, but has a liking of its own for whole systems."""

    def run(rng: np.random.Generator) -> dict[str, float]:
        human, metric = (
            rng.normal(0, bias, (systems, 1)) + rng.normal(0, 1, (systems, 20)) for _ in range(2)
        )
        found = {
            method: correlate(human, metric, method=method) for method in ("pearson", "spearman", "kendall")
        }
        for level in ("item", "global"):
            found[f"pearson, {level}"] = correlate(human, metric, level=level, n_resamples=499, rng=rng)
        return {name: float(result.pvalue <= ALPHA) for name, result in found.items()}

    return run


def any_significant(pvalues: np.ndarray) -> float:
    return float((np.nan_to_num(pvalues, nan=1.0) <= ALPHA).any())


def tables() -> dict[str, dict[str, Run]]:
    """Kinds of studies by table; the names are rows of the printed tables."""
    sizes = [(3, 2), (3, 10), (5, 3), (10, 2), (10, 3), (10, 10), (20, 3), (50, 2), (50, 3), (50, 10)]
    return {
        "any pair significant, all systems equal (should be .05); assessor × system .3, item × system .5": {
            f"{items} items, {assessors} assessors{', 70 % judged' if kept < 1 else ''}": comparisons(
                items, assessors, 0.3, 0.5, kept
            )
            for items, assessors in sizes
            for kept in ((1.0, 0.7) if assessors == 3 else (1.0,))
        },
        "the same, 3 assessors, 20 items": {
            f"assessor × system {spread}, item × system {output}": comparisons(20, 3, spread, output, 1.0)
            for spread, output in ((0.0, 0.0), (0.3, 0.0), (0.5, 0.0), (0.3, 0.5), (0.5, 0.5))
        },
        "any pair of five equal systems significant, ratings of five steps (should be at most .05)": {
            f"{items} items, {assessors} assessors{', 70 % judged' if kept < 1 else ''}": ordinal_ratings(
                items, assessors, kept
            )
            for items, assessors, kept in (
                (5, 3, 1.0),
                (10, 2, 1.0),
                (10, 3, 1.0),
                (10, 3, 0.7),
                (10, 10, 1.0),
                (20, 3, 1.0),
            )
        },
        "coverage of intervals of a mean (should be .95)": {
            f"{items} items, {'skewed' if skewed else 'normal'}": means(items, skewed)
            for items in (3, 5, 10, 20, 50)
            for skewed in (False, True)
        },
        "coverage of intervals of agreement (should be .95), true value .5": {
            f"{items} items, {assessors} assessors": agreements(items, assessors, 0.5)
            for items in (3, 5, 10, 20, 50)
            for assessors in (2, 5)
        },
        "coverage of intervals of a correlation (should be .95)": {
            f"{systems} systems, r = {r}": correlations(systems, r)
            for systems in (6, 10, 20)
            for r in (0.0, 0.8)
        },
        "tests of two equal systems (should be at most .05)": {
            f"{items} items, {'skewed' if skewed else 'normal'}": system_tests(items, skewed)
            for items in (5, 10, 20, 50)
            for skewed in (False, True)
        },
        "tests of two equally good metrics, 20 items (should be at most .05)": {
            f"{systems} systems, bias {bias}": metric_tests(systems, bias)
            for systems in (6, 12)
            for bias in (0.0, 1.0)
        },
        "tests of a correlation, a metric that knows nothing (should be at most .05)": {
            f"{systems} systems, bias {bias}": correlation_tests(systems, bias)
            for systems in (5, 8, 15)
            for bias in (0.0, 1.0)
        },
        "a metric called good, all metrics noise (should be .05)": {
            f"{metrics} metrics, {systems} systems": selections(systems, metrics)
            for metrics in (1, 20, 100)
            for systems in (6, 15)
        },
    }


def simulate(wanted: int, store: Path | None, only: str, seconds: float) -> dict[str, dict[str, object]]:
    """Sums of every study so far; each run has a seed of its own, so that going on later changes nothing."""
    state: dict[str, dict[str, object]] = json.loads(store.read_text()) if store and store.exists() else {}
    began = time.monotonic()
    # In rounds, so that a run that is stopped early knows something of every row.
    for goal in [*range(20, wanted, 20), wanted]:
        for row, run in _rows(only):
            entry = state.setdefault(row, {"runs": 0, "sums": {}})
            while entry["runs"] < goal and time.monotonic() - began < seconds:
                seed = [20050629, zlib.crc32(row.encode()), entry["runs"]]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = run(np.random.default_rng(seed))
                for name, value in found.items():
                    entry["sums"][name] = entry["sums"].get(name, 0.0) + float(value)
                entry["runs"] += 1
            if store:
                store.write_text(json.dumps(state, ensure_ascii=False, indent=1))
    return state


def _rows(only: str) -> Iterator[tuple[str, Run]]:
    for title, rows in tables().items():
        for name, run in rows.items():
            if only in title:
                yield f"{title} | {name}", run


def show(state: dict[str, dict[str, object]], only: str) -> None:
    for title, rows in tables().items():
        done = {name: state.get(f"{title} | {name}") for name in rows}
        done = {name: entry for name, entry in done.items() if entry and entry["runs"]}
        if only not in title or not done:
            continue
        columns = list(next(iter(done.values()))["sums"])
        print(f"\n**{title[0].upper()}{title[1:]}**\n")
        print("| study | " + " | ".join(columns) + " | runs |")
        print("|---|" + "---|" * (len(columns) + 1))
        for name, entry in done.items():
            shares = [f"{entry['sums'][column] / entry['runs']:.3f}".removeprefix("0") for column in columns]
            print(f"| {name} | " + " | ".join(shares) + f" | {entry['runs']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Type I error and coverage by simulation.")
    parser.add_argument(
        "--runs", type=int, default=400, help="simulated studies of each kind (default %(default)s)"
    )
    parser.add_argument("--store", type=Path, help="keep sums here, and go on from them")
    parser.add_argument("--only", default="", metavar="WORDS", help="tables whose title has these words")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop simulating after so long")
    arguments = parser.parse_args()
    show(simulate(arguments.runs, arguments.store, arguments.only, arguments.seconds), arguments.only)


if __name__ == "__main__":
    main()
