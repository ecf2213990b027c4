"""Metrics against metrics: every pair of many, tested for a difference in correlation with human scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import (
    Alternative,
    FloatArray,
    Progress,
    Rng,
    aligned,
    check_alternative,
    check_choice,
    check_positive,
    seeded,
)
from metrics.meta.levels import LEVELS, correlations, system_means
from metrics.meta.multiplicity import CORRECTIONS, adjust
from metrics.meta.resampling import (
    DEFAULT_RESAMPLES,
    RESAMPLE,
    DifferenceResult,
    bootstrap_correlations,
    bootstrap_difference,
    bootstrap_pvalue,
    permutation_test,
)
from metrics.meta.williams import WilliamsMatrix, meng, steiger, williams_matrix
from metrics.signature import signature

MetricTest = Literal["williams", "steiger", "meng", "permutation", "bootstrap"]
METRIC_TESTS = ("williams", "steiger", "meng", "permutation", "bootstrap")
FORMULAS = {"steiger": steiger, "meng": meng}
COLUMNS = ("metric_a", "metric_b", "r_a", "r_b", "r_ab", "n", "statistic", "pvalue", "pvalue_adjusted")


@dataclass(frozen=True)
class MetricComparison:
    """``frame`` has one row per pair, the metric with the higher correlation first, the best pair first.

    ``not_outperformed`` are the metrics that no other significantly outperforms (Graham's •; Williams test only).
    """

    frame: pd.DataFrame
    not_outperformed: tuple[str, ...] | None
    signature: str


def compare_metrics(
    human: pd.DataFrame,
    metrics: Mapping[str, pd.DataFrame],
    *,
    test: MetricTest = "williams",
    level: str = "system",
    method: str = "pearson",
    resampled: str | None = None,
    alternative: Alternative = "two-sided",
    correction: str = "holm",
    n_resamples: int = DEFAULT_RESAMPLES,
    rng: Rng = None,
    progress: Progress | None = None,
) -> MetricComparison:
    """Test all pairs of metrics (system × item tables, one column for system scores only).

    ``resampled`` says what a permutation exchanges (``systems``, ``items`` or ``cells``) and what a bootstrap draws (``both``,
    ``systems`` or ``items``). ``alternative="greater"`` means that metric_a's correlation is higher.

    >>> people = pd.DataFrame([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> close, far = pd.DataFrame([[1.1], [2], [2.8], [4.1], [5], [6.2]]), pd.DataFrame([[1], [6], [3], [8], [5], [6]])
    >>> compare_metrics(people, {"close": close, "far": far}).not_outperformed
    ('close',)
    """
    check_choice("test", test, METRIC_TESTS)
    check_choice("correction", correction, CORRECTIONS)
    if len(metrics) < 2:
        raise BadInput("expected at least two metrics to compare")
    if test in ("permutation", "bootstrap"):
        chosen = resampled or ("systems" if test == "permutation" else "both")
        _, seed = seeded(rng)
        plan = _Plan(test, level, method, chosen, alternative, n_resamples, rng if seed is None else seed)
        options = {"level": level, "method": method, "resampled": chosen, "alternative": alternative}
        drawn = {"correction": correction, "resamples": n_resamples, "seed": seed}
        rows = _by_resampling(human, metrics, plan, progress)
        return MetricComparison(_frame(rows, correction), None, signature(test, options | drawn))
    if method != "pearson" or level not in ("system", "global"):
        raise BadInput(
            f"{test} compares Pearson correlations at level system or global: try permutation or bootstrap"
        )
    matrix = williams_matrix(*_vectors(human, metrics, level), alternative=alternative)
    pairs = _by_formula(list(metrics), matrix, test, alternative)
    best = matrix.not_outperformed() if test == "williams" else None
    options = {"level": level, "method": method, "alternative": alternative, "correction": correction}
    return MetricComparison(
        _frame(pairs, correction),
        None if best is None else tuple(name for name, kept in zip(metrics, best, strict=True) if kept),
        signature(test, options),
    )


def _frame(rows: pd.DataFrame | list[tuple[object, ...]], correction: str) -> pd.DataFrame:
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    return table.assign(pvalue_adjusted=adjust(table["pvalue"].to_numpy(dtype=np.float64), correction))


def _vectors(
    human: pd.DataFrame, metrics: Mapping[str, pd.DataFrame], level: str
) -> tuple[FloatArray, FloatArray]:
    """Human scores (points) and metric scores (metrics × points) over systems or over cells."""
    if level == "system":
        return _means(human), np.stack([_means(m.reindex(index=human.index)) for m in metrics.values()])
    flat = [m.reindex(index=human.index, columns=human.columns).to_numpy().ravel() for m in metrics.values()]
    return human.to_numpy(dtype=np.float64).ravel(), np.stack(flat)


def _means(table: pd.DataFrame) -> FloatArray:
    values: FloatArray = table.to_numpy(dtype=np.float64)[None]
    return np.asarray(system_means(values)[0])


def _by_formula(
    names: list[str], matrix: WilliamsMatrix, test: str, alternative: Alternative
) -> pd.DataFrame:
    own = np.nan_to_num(matrix.correlation.diagonal(), nan=-2.0)
    order = np.argsort(-own, kind="stable")
    first, second = (order[half] for half in np.triu_indices(len(names), 1))
    # Over the systems that a pair shares, the order may differ from that over all.
    turned = matrix.correlation[first, second] < matrix.correlation[second, first]
    i, j = np.where(turned, second, first), np.where(turned, first, second)
    r_a, r_b, r_ab = matrix.correlation[i, j], matrix.correlation[j, i], matrix.between[i, j]
    n = matrix.n[i, j].astype(np.intp)
    statistic, pvalue = matrix.statistic[i, j], matrix.pvalue[i, j]
    if test in FORMULAS:
        formula = FORMULAS[test]
        results = [
            formula(float(between), float(a), float(b), int(size), alternative=alternative)
            for between, a, b, size in zip(r_ab, r_a, r_b, n, strict=True)
        ]
        statistic, pvalue = (
            np.array([getattr(r, name) for r in results]) for name in ("statistic", "pvalue")
        )
    labels = pd.Index(names, dtype="str")
    columns = (labels[i], labels[j], r_a, r_b, r_ab, n, statistic, pvalue)
    return pd.DataFrame(dict(zip(COLUMNS[:-1], columns, strict=True)))


@dataclass(frozen=True)
class _Plan:
    """How pairs are resampled."""

    test: str
    level: str
    method: str
    resampled: str
    alternative: Alternative
    n_resamples: int
    rng: Rng

    def statistic(self, x: FloatArray, y: FloatArray) -> float:
        return float(correlations(x, y, level=self.level, coefficient=COEFFICIENTS[self.method])[0])

    def matched(self, *tables: pd.DataFrame) -> list[FloatArray]:
        return aligned(*tables, items=self.level != "system")


def _by_resampling(
    human: pd.DataFrame, metrics: Mapping[str, pd.DataFrame], plan: _Plan, progress: Progress | None
) -> list[tuple[object, ...]]:
    own = {name: plan.statistic(*plan.matched(human, table)) for name, table in metrics.items()}
    order = sorted(metrics, key=lambda name: -own[name] if np.isfinite(own[name]) else np.inf)
    draws = _shared_draws(human, metrics, plan) if plan.test == "bootstrap" else {}
    rows: list[tuple[object, ...]] = []
    for first, second in combinations(order, 2):
        gold, a, b = plan.matched(human, metrics[first], metrics[second])
        r_a, r_b, r_ab = plan.statistic(gold, a), plan.statistic(gold, b), plan.statistic(a, b)
        if r_a < r_b:
            first, second, a, b, r_a, r_b = second, first, b, a, r_b, r_a  # noqa: PLW2901
        if draws:
            statistic = r_a - r_b
            pvalue = (
                bootstrap_pvalue(draws[first] - draws[second], plan.alternative)
                if np.isfinite(statistic)
                else float("nan")
            )
        else:
            result = _one_pair(a, b, gold, plan)
            statistic, pvalue = result.statistic, result.pvalue
        rows.append((first, second, r_a, r_b, r_ab, _size(gold, a, b, plan.level), statistic, pvalue))
        if progress is not None:
            progress(len(rows), len(order) * (len(order) - 1) // 2)
    return rows


def _one_pair(a: FloatArray, b: FloatArray, gold: FloatArray, plan: _Plan) -> DifferenceResult:
    test = partial(
        permutation_test if plan.test == "permutation" else bootstrap_difference,
        level=plan.level,
        method=plan.method,
        alternative=plan.alternative,
        n_resamples=plan.n_resamples,
        rng=plan.rng,
    )
    name = "permute" if plan.test == "permutation" else "resample"
    return test(gold, a, b, **{name: plan.resampled})


def _shared_draws(
    human: pd.DataFrame, metrics: Mapping[str, pd.DataFrame], plan: _Plan
) -> dict[str, FloatArray]:
    """Resampled correlations of all metrics at once, where all have the same systems and items; else none."""
    tables = list(metrics.values())
    same = all(t.index.equals(tables[0].index) and t.columns.equals(tables[0].columns) for t in tables)
    if not same:
        return {}
    check_choice("level", plan.level, LEVELS)
    check_choice("method", plan.method, COEFFICIENTS)
    check_choice("resample", plan.resampled, RESAMPLE)
    check_alternative(plan.alternative)
    check_positive("n_resamples", plan.n_resamples)
    gold, *matrices = plan.matched(human, *tables)
    generator, _ = seeded(plan.rng)
    drawn = bootstrap_correlations(
        gold,
        np.stack(matrices),
        level=plan.level,
        method=plan.method,
        resample=plan.resampled,
        n_resamples=plan.n_resamples,
        rng=generator,
    )
    return dict(zip(metrics, drawn.T, strict=True))


def _size(gold: FloatArray, a: FloatArray, b: FloatArray, level: str) -> int:
    """Systems, cells, or the groups averaged, that all three have."""
    if level == "system":
        return int(np.all([np.isfinite(m).any(axis=1) for m in (gold, a, b)], axis=0).sum())
    common = np.isfinite(gold) & np.isfinite(a) & np.isfinite(b)
    if level == "global":
        return int(common.sum())
    return int((common.sum(axis=0 if level == "item" else 1) >= 2).sum())
