"""All pairs of systems as one table: what was compared, on which items, and how sure the difference is.

Means and differences are those that were tested: of the items that both systems have, or, for the tests that need no pairs, of
each system's own. The better one of a pair by these means stands first, whatever its mean over all its items is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.meta.common import Alternative, FloatArray, Rng, seeded
from metrics.meta.multiplicity import CORRECTIONS, SIMULTANEOUS, adjust, scheffe, tukey_hsd
from metrics.meta.significance import SystemComparison, Test, compare_systems
from metrics.meta.ties import settled, settled_differences
from metrics.signature import signature

UNPAIRED = ("rank-sum", "z")
PAIR_COLUMNS = (
    "system_a",
    "system_b",
    "mean_a",
    "mean_b",
    "difference",
    "n",
    "ties",
    "statistic",
    "pvalue",
    "pvalue_adjusted",
)
ADJUSTMENTS = (*CORRECTIONS, *SIMULTANEOUS)


@dataclass(frozen=True)
class PairTable:
    """``frame`` has one row per pair, in the order of the systems' means; ``tests`` are the tests behind it.

    ``n`` counts the items of the test (of both systems together where it is unpaired), ``ties`` the common items on which
    the two are equal.
    """

    frame: pd.DataFrame
    tests: SystemComparison
    correction_signature: str

    @property
    def signature(self) -> str:
        correction = self.correction_signature.split("|", 1)[0].removeprefix("correction-")
        return self.tests.signature.replace("|pairs:", f"|correction:{correction}|pairs:", 1)

    def wins(self, systems: list[str]) -> FloatArray:
        """p-values, row system better than column system, of the adjusted tests; NaN where the row is not ahead."""
        place = {name: number for number, name in enumerate(systems)}
        table = np.full((len(systems), len(systems)), np.nan)
        for row in self.frame.itertuples():
            if row.difference != 0:
                table[place[str(row.system_a)], place[str(row.system_b)]] = row.pvalue_adjusted
        return table


def system_pairs(
    scores: pd.DataFrame,
    *,
    test: Test = "randomization",
    alternative: Alternative = "two-sided",
    correction: str = "holm",
    higher_is_better: bool = True,
    n_resamples: int = 10_000,
    rng: Rng = None,
) -> PairTable:
    """Test all pairs of systems (system × item, labelled). ``alternative="greater"``: the first of a pair is better.

    >>> scores = pd.DataFrame([[1, 2, 3, 4], [2, 3, 3, 6]], index=["A", "B"])
    >>> table = system_pairs(scores, test="sign").frame
    >>> print(table[["system_a", "system_b", "difference", "n", "ties"]].to_string(index=False))
    system_a system_b  difference  n  ties
           B        A         1.0  4     1
    """
    means = pd.Series(settled(scores.mean(axis=1)), index=scores.index)
    ordered = scores.loc[means.sort_values(ascending=not higher_is_better, kind="stable").index]
    better = ordered if higher_is_better else -ordered
    _, seed = seeded(rng)
    how = {"test": test, "alternative": alternative, "n_resamples": n_resamples}
    forward = compare_systems(better, rng=rng if seed is None else seed, **how)  # type: ignore[arg-type]
    statistic, pvalue = forward.statistic.copy(), forward.pvalue.copy()
    scale = np.nanmax(np.abs(better.to_numpy(dtype=np.float64)), initial=0.0)
    turned = np.asarray(settled_differences(forward.difference, scale=scale) < 0)
    if turned.any():
        # The other way round: rows in opposite order, so that each pair's second system is tested as the first.
        backward = compare_systems(better.iloc[::-1], rng=rng if seed is None else seed, **how)  # type: ignore[arg-type]
        last = len(better) - 1
        found = {
            (last - int(j), last - int(i)): place
            for place, (i, j) in enumerate(zip(backward.first, backward.second, strict=True))
        }
        for place in np.flatnonzero(turned):
            other = found[int(forward.first[place]), int(forward.second[place])]
            statistic[place], pvalue[place] = backward.statistic[other], backward.pvalue[other]
    adjusted, line = _adjusted(forward, pvalue, better, correction)
    frame = _frame(ordered, forward, turned, test)
    frame = frame.assign(statistic=statistic, pvalue=pvalue, pvalue_adjusted=adjusted)
    return PairTable(frame[list(PAIR_COLUMNS)], forward, line)


def _frame(
    ordered: pd.DataFrame,
    tests: SystemComparison,
    turned: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    test: str,
) -> pd.DataFrame:
    values = ordered.to_numpy(dtype=np.float64)
    first = np.where(turned, tests.second, tests.first)
    second = np.where(turned, tests.first, tests.second)
    present = np.isfinite(values)
    scale = np.abs(values[present]).max(initial=0.0)
    rows = []
    for i, j in zip(first, second, strict=True):
        both = present[i] & present[j]
        own = (present[i], present[j]) if test in UNPAIRED else (both, both)
        mean_a, mean_b = (
            values[k][items].mean() if items.any() else np.nan for k, items in zip((i, j), own, strict=True)
        )
        difference = float(settled_differences([mean_a - mean_b], scale=scale)[0])
        gaps = settled_differences(values[i][both] - values[j][both], scale=scale)
        n = int(own[0].sum() + own[1].sum()) if test in UNPAIRED else int(both.sum())
        rows.append(
            (ordered.index[i], ordered.index[j], mean_a, mean_b, difference, n, int((gaps == 0).sum()))
        )
    return pd.DataFrame(rows, columns=list(PAIR_COLUMNS[:7]))


def _adjusted(
    tests: SystemComparison, pvalue: FloatArray, scores: pd.DataFrame, correction: str
) -> tuple[FloatArray, str]:
    if correction in SIMULTANEOUS:
        family = (tukey_hsd if correction == "tukey" else scheffe)(scores, blocked=tests.test not in UNPAIRED)
        return family.pvalue, family.signature
    pairs = {"pairs": int(np.isfinite(pvalue).sum())}
    return adjust(pvalue, correction), signature(f"correction-{correction}", pairs)
