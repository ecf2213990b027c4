"""Human scores of a study as its page shows them: systems in order, a scale around their means, further tables."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isclose, isnan, log10
from typing import Any

import pandas as pd
from django.core.cache import cache

from annotation.analysis.inputs import attribute_table, judged_table
from annotation.models import Study
from annotation.selectors.keys import keys_state
from annotation.selectors.runs import newest_data
from annotation.selectors.studies import system_names
from metrics.frames import adjudicated, check_attributes, check_judgments
from metrics.human import higher_is_better, human_summary, score_meaning
from metrics.human.tables import ResultTable, human_tables

KEEP_SECONDS = 24 * 3600


@dataclass(frozen=True)
class SystemMean:
    """One system's line: the mean over items, what it stands on, and where its dot is (percent of the scale).

    ``pooled`` is the score of all its units or words together, where there is such a one."""

    system: str
    name: str
    mean: float | None
    pooled: float | None
    items: int
    judgments: int
    assessors: int
    place: float | None


@dataclass(frozen=True)
class ScoreTable:
    """One score of one task, best system first; ``low`` and ``high`` are the ends of its scale."""

    task: str
    score: str
    meaning: str
    low: str
    high: str
    systems: list[SystemMean]

    @property
    def is_pooled(self) -> bool:
        """Whether there is anything to tell beside the means."""
        known = [row for row in self.systems if row.pooled is not None and row.mean is not None]
        return any(not isclose(row.pooled or 0.0, row.mean or 0.0, abs_tol=1e-9) for row in known)


@dataclass(frozen=True)
class Results:
    """The scores of a study, and by task the further tables that its kind has."""

    scores: list[ScoreTable]
    tables: dict[str, list[ResultTable]]


def human_results(study: Study, *, use: str = "raw") -> Results:
    """Scores and tables. Judgments are append-only: the newest one tells whether they have changed, and a count beside
    it whether others are left out. ``use``: what they are made of where adjudicators decided."""
    newest = newest_data(study)
    if not newest.judgment:
        return Results(scores=[], tables={})
    key = f"human-results/2/{study.pk}/{newest.judgment}/{newest.results_version}/{keys_state(study)}/{use}"
    results = cache.get(key)
    if results is None:
        results = _human_results(study, use)
        cache.set(key, results, KEEP_SECONDS)
    return results


def _human_results(study: Study, use: str) -> Results:
    judgments = adjudicated(check_judgments(judged_table(study, use=use)), use)
    attributes = check_attributes(attribute_table(study))
    summary = human_summary(judgments, attributes)
    names = system_names(study)
    kinds = dict(study.tasks.values_list("name", "kind"))
    scores = [
        _score_table(str(task), str(score), kinds[str(task)], rows, names)
        for (task, score), rows in summary.groupby(["task", "score"], sort=False)
    ]
    return Results(scores=scores, tables=human_tables(judgments, attributes))


def _score_table(task: str, score: str, kind: str, rows: pd.DataFrame, names: dict[str, str]) -> ScoreTable:
    lowest_first = not higher_is_better(kind, score)
    ordered = rows.sort_values(["mean", "system"], ascending=[lowest_first, True], na_position="last")
    known = [float(mean) for mean in ordered["mean"] if not isnan(mean)]
    low, high = scale_ends(known)
    return ScoreTable(
        task=task,
        score=score,
        meaning=score_meaning(kind, score),
        low=f"{low:g}",
        high=f"{high:g}",
        systems=[_system_mean(row, names, low, high) for row in ordered.to_dict("records")],
    )


def _system_mean(row: dict[Any, Any], names: dict[str, str], low: float, high: float) -> SystemMean:
    mean = None if isnan(row["mean"]) else float(row["mean"])
    return SystemMean(
        system=str(row["system"]),
        name=names.get(str(row["system"]), ""),
        mean=mean,
        pooled=None if isnan(row["pooled"]) else float(row["pooled"]),
        items=int(row["items"]),
        judgments=int(row["judgments"]),
        assessors=int(row["assessors"]),
        place=None if mean is None else round(100 * (mean - low) / (high - low), 2),
    )


def scale_ends(means: list[float]) -> tuple[float, float]:
    """Round ends around all means, so that differences can be seen and the ends can be read.

    Dots, unlike bars, need no zero; two means that are equal to the eye get a scale all the same.
    """
    if not means:
        return 0.0, 1.0
    least, most = min(means), max(means)
    spread = max(most - least, abs(most) * 0.1, 0.1)
    step = 10.0 ** floor(log10(spread))
    low, high = floor(least / step) * step, ceil(most / step) * step
    return (low, high) if high > low else (low - step, high + step)
