"""The best of many metrics is flattered: what is left of it, and of every metric without humans, baselines and outliers."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.meta.common import FloatArray
from metrics.meta.design_check import FEWEST_SYSTEMS
from metrics.meta.effects import partial_correlations
from metrics.meta.selection import best_metric, outlier_systems, rows_of, scored_systems
from metrics.report.automatic import MetricResult
from metrics.report.book import Book, plain, records
from metrics.report.human import HumanResult
from metrics.report.numbers import counted
from metrics.report.options import Options

PERMUTATIONS = 9_999
SPLITS = 200
FEWEST = 4
"""Systems, for an interval and a permutation that say anything."""
MARKED = ("human", "baseline")
"""Types of systems that make any metric look good."""
COLUMNS = ("pvalue_adjusted", "candidate", "without_marked", "without_outliers", "length_partial")
"""Of the table of metrics, beside their plain correlations."""


@dataclass(frozen=True)
class Selected:
    """``section`` for the JSON (None where there are too few systems), ``beside`` by metric and column of ``COLUMNS``."""

    section: dict[str, Any] | None
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)


def selected(
    human: HumanResult, metrics: MetricResult, lengths: pd.Series[float] | None, options: Options, book: Book
) -> Selected:
    """The metric with the highest correlation over systems, and what is left of it when the choosing is allowed for."""
    means = _means(human, metrics)
    if means is None:
        book.miss("selection", f"choosing a metric needs {FEWEST} systems with both scores", human=human.id)
        return Selected(None)
    names, systems, truth, scores = means
    short = len(metrics.system_matrices) - len(names)
    if short:
        book.note(
            "selection",
            f"{short} of {len(metrics.system_matrices)} metrics lack scores of some systems, and are not among those that the "
            "best one was chosen from",
            human=human.id,
        )
    tables = {name: rows_of(metrics.system_matrices[name], systems) for name in names}
    with warnings.catch_warnings():
        # What is undefined of single metrics has been said of their correlations.
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        found = best_metric(
            human.matrix.loc[systems],
            tables,
            alpha=options.alpha,
            n_permutations=PERMUTATIONS,
            splits=SPLITS,
            rng=options.seed,
        )
    if not found.best:
        return Selected(None)
    best = names.index(found.best)
    marked = _marked(human, systems)
    outliers = outlier_systems(pd.Series(truth, index=systems))
    apart = {
        "without_marked": _without(truth, scores, systems, marked),
        "without_outliers": _without(truth, scores, systems, outliers),
    }
    partial = _freed_of_length(truth, scores, systems, lengths)
    why = _why_no_claim(human, len(systems))
    section = {
        "best": found.best,
        "metrics": len(names),
        "systems": len(systems),
        "statistic": plain(found.statistic),
        "pvalue": plain(found.pvalue),
        "low": plain(found.confidence_interval.low),
        "high": plain(found.confidence_interval.high),
        "held_out": plain(found.held_out),
        "candidates": list(found.candidates),
        # An interval that has 0 in it contradicts the claim; at r = 1 there is none.
        "claimed": bool(
            found.pvalue < options.alpha
            and found.statistic > 0
            and not found.confidence_interval.low <= 0
            and not why
        ),
        "why": why,
        "marked": list(marked),
        "outliers": list(outliers),
        **{
            name: _of_best(apart[name], best, len(systems) - len(out))
            for name, out in (("without_marked", marked), ("without_outliers", outliers))
        },
        "length_partial": None if partial is None else plain(partial[best]),
        "signature": book.sign(found.signature),
    }
    beside = {
        name: {
            "pvalue_adjusted": found.pvalues[name],
            "candidate": name in found.candidates,
            **{column: np.nan if values is None else values[place] for column, values in apart.items()},
            "length_partial": np.nan if partial is None else partial[place],
        }
        for place, name in enumerate(names)
    }
    return Selected(section, beside)


def _why_no_claim(human: HumanResult, systems: int) -> str:
    """Why no metric is said to follow people, whatever its correlation; empty where one may be."""
    if systems < FEWEST_SYSTEMS:
        return f"{counted(systems, 'system')} are too few to tell"
    return "" if human.section["design"]["connected"] else "assessors do not connect the systems"


def mean_lengths(outputs: pd.DataFrame | None, practice: Collection[str]) -> pd.Series[float] | None:
    """Characters of an output, by system on average: what a correlation that is due to length is freed of."""
    if outputs is None:
        return None
    used = outputs[~outputs["item"].isin(list(practice))]
    sizes = pd.Series(
        [float(len(text)) if isinstance(text, str) else np.nan for text in used["text"]],
        index=used.index,
    )
    found = sizes.groupby(used["system"]).mean()
    return found if found.gt(0).any() else None


def _means(
    human: HumanResult, metrics: MetricResult
) -> tuple[list[str], list[str], FloatArray, FloatArray] | None:
    """Metrics and systems of which every one has every other, human means, and metric scores (metrics × systems).

    Metrics are compared on the same systems: those that most metrics have.
    """
    judged = [str(name) for name in human.matrix.index]
    supports = {
        name: frozenset(judged) & scored_systems(table) for name, table in metrics.system_matrices.items()
    }
    usual = Counter(supports.values()).most_common()
    if not usual:
        return None
    chosen = max((support for support, count in usual if count == usual[0][1]), key=len)
    names = [name for name, support in supports.items() if support >= chosen]
    systems = [name for name in judged if name in chosen]
    if len(systems) < FEWEST:
        return None
    scores = np.stack(
        [
            np.nanmean(rows_of(metrics.system_matrices[name], systems).to_numpy(dtype=np.float64), axis=1)
            for name in names
        ]
    )
    return names, systems, human.matrix.loc[systems].mean(axis=1).to_numpy(dtype=np.float64), scores


def _marked(human: HumanResult, systems: Collection[str]) -> list[str]:
    rows = records(human.section["systems"])
    return [row["system"] for row in rows if row["type"] in MARKED and row["system"] in systems]


def _without(
    truth: FloatArray, scores: FloatArray, systems: list[str], left_out: Collection[str]
) -> FloatArray | None:
    """Pearson's r of every metric over the other systems; None where nobody is left out, or too few are left."""
    kept = np.array([name not in left_out for name in systems])
    if kept.all() or kept.sum() < FEWEST - 1:
        return None
    x, y = truth[kept] - truth[kept].mean(), scores[:, kept] - scores[:, kept].mean(axis=1, keepdims=True)
    norm = np.linalg.norm(x) * np.linalg.norm(y, axis=1)
    tiny = norm <= 1e-12 * np.abs(truth).max(initial=1.0) * np.abs(scores).max(axis=1, initial=1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(tiny, np.nan, np.clip((y @ x) / norm, -1, 1))


def _of_best(values: FloatArray | None, best: int, systems: int) -> dict[str, Any] | None:
    return None if values is None else {"statistic": plain(values[best]), "systems": systems}


def _freed_of_length(
    truth: FloatArray, scores: FloatArray, systems: list[str], lengths: pd.Series[float] | None
) -> FloatArray | None:
    if lengths is None or not set(systems) <= set(lengths.index):
        return None
    own = lengths[systems].to_numpy(dtype=np.float64)
    known = np.isfinite(own)  # a system without any text has no length
    found = partial_correlations(truth[known], scores[:, known], own[known])
    return found if np.isfinite(found).any() else None
