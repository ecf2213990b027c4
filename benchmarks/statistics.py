"""Speed and memory of the statistics, each against the obvious way of computing the same, in one run.

    python benchmarks/statistics.py

What takes too long the obvious way is timed on a part and scaled up; the table says so.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

# In place of this folder, whose "statistics" would stand before the standard library's.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from metrics.meta.correlation import correlate  # noqa: E402
from metrics.meta.significance import compare_systems  # noqa: E402
from metrics.meta.williams import williams_matrix  # noqa: E402


def best_of(call: Callable[[], object], seconds: float = 3.0) -> float:
    """Seconds of the fastest run among those that fit into some seconds: the others measure what else goes on here."""
    times: list[float] = []
    while not times or (sum(times) < seconds and len(times) < 50):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def report(what: str, ours: float, obvious: float, note: str, aim: str, reached: bool) -> None:
    print(
        f"{what}\n  here {ours:.4f} s, obvious way {obvious:.2f} s ({note}): {obvious / ours:,.0f} times as fast"
    )
    print(f"  aim: {aim}: {'reached' if reached else 'MISSED'}\n")


def williams_all_pairs(metrics: int = 193, systems: int = 18, sample: int = 600) -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=systems)
    scores = human + rng.normal(size=(metrics, systems))
    pairs = list(combinations(range(metrics), 2))
    chosen = [pairs[k] for k in rng.choice(len(pairs), sample, replace=False)]

    def loop() -> list[float]:
        found = []
        for i, j in chosen:
            r12, r13, r23 = (
                stats.pearsonr(a, b).statistic
                for a, b in ((scores[i], scores[j]), (scores[i], human), (scores[j], human))
            )
            k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
            n = systems
            below = 2 * k * (n - 1) / (n - 3) + (r23 + r13) ** 2 / 4 * (1 - r12) ** 3
            found.append(
                2 * stats.t.sf(abs((r13 - r23) * np.sqrt((n - 1) * (1 + r12)) / np.sqrt(below)), n - 3)
            )
        return found

    matrix = williams_matrix(human, scores).pvalue
    assert np.allclose(loop(), [matrix[pair] for pair in chosen])
    ours = best_of(lambda: williams_matrix(human, scores))
    obvious = best_of(loop) * len(pairs) / sample
    note = f"{sample} of {len(pairs):,} pairs timed and scaled up"
    what = f"Williams test, {metrics} × {metrics} metrics, against three pearsonr and one t.sf per pair"
    report(what, ours, obvious, note, "300 times", obvious / ours >= 300)


def randomization_all_pairs(systems: int = 16, items: int = 1_000, resamples: int = 10_000) -> None:
    scores = np.random.default_rng(2).normal(size=(systems, items))

    def scipys() -> float:
        return stats.permutation_test(
            (scores[0], scores[1]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            batch=1_000,
            rng=np.random.default_rng(1),
        ).pvalue

    result = compare_systems(scores, n_resamples=resamples, rng=1)
    assert abs(result.pvalue[0] - scipys()) < 0.03
    ours = best_of(lambda: compare_systems(scores, n_resamples=resamples, rng=1))
    obvious = best_of(scipys)
    what = f"Approximate randomisation, {resamples:,} × {items:,} items: all {len(result.first)} pairs of {systems} systems"
    report(f"{what}, against scipy.stats.permutation_test on one pair", ours, obvious, "one pair only",
           "all pairs in less time than SciPy's one", ours < obvious)  # fmt: skip


def bootstrap_of_both(systems: int = 16, items: int = 100, resamples: int = 9_999, sample: int = 400) -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(systems, items)) + rng.normal(size=(systems, 1))
    metric = human + rng.normal(size=(systems, items))
    aims = {"system": "20 times", "item": "20 times (none was set for this level)"}
    for level, aim in aims.items():

        def loop(level: str = level) -> list[float]:
            drawn = []
            for _ in range(sample if level == "system" else sample // 10):
                rows, columns = rng.integers(0, systems, systems), rng.integers(0, items, items)
                x, y = human[rows][:, columns], metric[rows][:, columns]
                if level == "system":
                    drawn.append(stats.pearsonr(x.mean(axis=1), y.mean(axis=1)).statistic)
                else:
                    drawn.append(
                        np.mean([stats.pearsonr(a, b).statistic for a, b in zip(x.T, y.T, strict=True)])
                    )
            return drawn

        def vectorised(level: str = level) -> object:
            return correlate(
                human, metric, level=level, interval="bootstrap-both", n_resamples=resamples, rng=1
            )

        timed = sample if level == "system" else sample // 10
        ours = best_of(vectorised)
        obvious = best_of(loop) * resamples / timed
        what = f"Bootstrap over systems and items, {resamples:,} resamples of {systems} × {items}, Pearson, level {level}"
        note = f"{timed} resamples timed and scaled up"
        report(f"{what}, against a loop of pearsonr", ours, obvious, note, aim, obvious / ours >= 20)


def memory_as_items_grow(systems: int = 16, resamples: int = 10_000) -> None:
    print(f"Peak memory beside the scores themselves, {systems} systems, {resamples:,} resamples")
    for test in ("randomization", "bootstrap"):
        peaks = []
        for items in (1_000, 10_000):
            scores = np.random.default_rng(4).normal(size=(systems, items))
            tracemalloc.start()
            compare_systems(scores, test=test, n_resamples=resamples, rng=1)
            peaks.append((tracemalloc.get_traced_memory()[1] - scores.nbytes) / 1e6)
            tracemalloc.stop()
            print(f"  {test:13} {items:6,} items: {peaks[-1]:6.1f} MB")
        print(
            f"  aim: bounded when items grow tenfold: {'reached' if peaks[1] < 1.5 * peaks[0] else 'MISSED'}"
        )


if __name__ == "__main__":
    williams_all_pairs()
    randomization_all_pairs()
    bootstrap_of_both()
    memory_as_items_grow()
