"""What needs the whole table: where systems stand so far, whether the two best can be told apart, and the quality of assessors."""

from __future__ import annotations

import warnings
from contextlib import suppress
from itertools import pairwise
from math import isfinite, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annotation.analysis.inputs import attribute_table, judged_table
from annotation.analysis.quality import NO_QUALITY, quality_rows
from annotation.models import Study
from metrics.choices import RESAMPLES
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import assignments, check_attributes, check_judgments, scored
from metrics.human import HumanScore, human_score, kinds
from metrics.human.base import MissingAttribute
from metrics.meta.generalisability import t_power
from metrics.meta.intervals import mean_intervals
from metrics.meta.rank_ranges import resampled_pvalue, resampled_scores
from metrics.signature import DEFAULT_SEED

LEVEL = 0.95
TARGET = 0.8  # the chance of finding the difference that there seems to be
FEWEST = 5  # items, before anything is said about how many more
MOST = 10_000  # items; beyond, two systems are as good as equal
Row = dict[str, Any]


def tables_of(study: Study) -> dict[str, Any]:
    """``standings`` and ``quality``, both from one reading of the table."""
    table = judged_table(study)
    if table.empty:
        return {"standings": [], "quality": NO_QUALITY}
    judgments, attributes = check_judgments(table), check_attributes(attribute_table(study))
    with warnings.catch_warnings():
        # While a study runs much is still undefined; the page shows what is there.
        warnings.simplefilter("ignore")
        return {
            "standings": standings(judgments, attributes),
            "quality": quality_rows(judgments, attributes),
        }


# --- systems ------------------------------------------------------------------------------------------------------


def standings(judgments: pd.DataFrame, attributes: pd.DataFrame) -> list[Row]:
    """By task and score: every system with its interval, best first, and the two best against each other."""
    found = []
    counted = scored(judgments)
    for task, rows in counted.groupby("task", sort=False):
        kind = kinds().get(str(rows["kind"].iloc[0]))
        if kind is None:
            continue
        out = kind.scores_withheld(attributes, str(task))
        for name in kind.score_names(rows):
            if name not in out:
                with suppress(MissingAttribute, BadInput):
                    score = human_score(rows, name, attributes=attributes, task=str(task))
                    found.append({"task": str(task), "score": name, **_standing(score, rows)})
    return found


def _standing(score: HumanScore, rows: pd.DataFrame) -> Row:
    drawn = _drawn(score)
    systems = _systems(score, drawn)
    systems.sort(
        key=lambda row: (row["mean"] is None, (row["mean"] or 0) * (-1 if score.higher_is_better else 1))
    )
    known = [row for row in systems if row["mean"] is not None]
    best = next(pairwise(known), None)
    return {
        "higher_is_better": score.higher_is_better,
        "systems": systems,
        "apart": None if best is None else _apart(score, drawn, rows, *best),
    }


def _systems(score: HumanScore, drawn: pd.DataFrame | None) -> list[Row]:
    behind = score.assessments.groupby("system")["value"].count()
    if drawn is not None:
        points = score.system_scores().set_index("system")["score"]
        tail = (1 - LEVEL) / 2
        low, high = drawn.quantile(tail), drawn.quantile(1 - tail)
        items = score.assessments.groupby("system")["item"].nunique()
        return [
            _line(system, points[system], low[system], high[system], items.get(system, 0), behind.get(system, 0))
            for system in points.index
            if system in drawn.columns
        ]  # fmt: skip
    matrix = _matrix(score)
    if matrix.empty:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)  # a mean without an interval says it
        means = mean_intervals(matrix.to_numpy(dtype=np.float64), confidence_level=LEVEL)
    return [
        _line(str(system), means.mean[place], means.low[place], means.high[place], int(means.n[place]), behind.get(system, 0))
        for place, system in enumerate(matrix.index)
    ]  # fmt: skip


def _line(system: str, mean: float, low: float, high: float, items: int, judgments: int) -> Row:
    return {
        "system": system,
        "mean": _number(mean),
        "low": _number(low),
        "high": _number(high),
        "items": int(items),
        "judgments": int(judgments),
    }


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _drawn(score: HumanScore) -> pd.DataFrame | None:
    """The scores of comparisons in resamples of items, drawn as the report draws them; None for means over items."""
    if score.resampling is None:
        return None
    scores = resampled_scores(score.resampling, n_resamples=RESAMPLES, rng=DEFAULT_SEED)
    return pd.DataFrame(scores, columns=score.resampling.systems)


def _apart(score: HumanScore, drawn: pd.DataFrame | None, rows: pd.DataFrame, best: Row, second: Row) -> Row:
    """Whether the difference of two systems over items is beyond chance, else how many items it would take.

    Scores of comparisons go by the report's own test, so that the two cannot disagree; means over items by a paired t-test.
    """
    systems = [best["system"], second["system"]]
    gaps = None if drawn is None else drawn[str(best["system"])] - drawn[str(second["system"])]
    difference, error, items = _difference(score, gaps, *systems)
    found: Row = {
        "systems": systems,
        "difference": _number(difference),
        "items": items,
        "test": "t" if gaps is None else "resamples",
        "pvalue": None,
        "more_items": None,
        "more_judgments": None,
    }
    if items < FEWEST or not error > 0:
        return found
    found["pvalue"] = (
        float(2 * stats.t.sf(abs(difference) / error, items - 1)) if gaps is None else resampled_pvalue(gaps)
    )
    if found["pvalue"] < 1 - LEVEL:
        return found | {"more_items": 0, "more_judgments": 0}
    wanted = items_needed(difference, error * sqrt(items))
    if wanted is not None:
        more = max(1, wanted - items)
        each = _judged(rows, systems) / max(1, items)
        found |= {"more_items": more, "more_judgments": max(1, round(more * each))}
    return found


def _judged(rows: pd.DataFrame, systems: list[str]) -> int:
    """How many judgments there are of these systems, counted as progress counts them: a document or a set is one, whatever was said of it."""
    return len(assignments(rows[rows["system"].isin(systems)]).drop_duplicates())


def _difference(
    score: HumanScore, gaps: pd.Series[float] | None, best: str, second: str
) -> tuple[float, float, int]:
    """The difference, its standard error, and over how many items."""
    if gaps is not None and score.resampling is not None:
        points = score.system_scores().set_index("system")["score"]
        # From the width of the interval: strengths in resamples that one system won throughout lie far out, which a deviation feels.
        tail = (1 - LEVEL) / 2
        width = float(gaps.quantile(1 - tail) - gaps.quantile(tail))
        error = width / (2 * float(stats.norm.ppf(1 - tail)))
        return float(points[best] - points[second]), error, score.resampling.items
    matrix = _matrix(score)
    own = (matrix.loc[best] - matrix.loc[second]).to_numpy(dtype=np.float64)
    own = own[np.isfinite(own)]
    if len(own) < 2:
        return float("nan"), float("nan"), len(own)
    return float(own.mean()), float(own.std(ddof=1)) / sqrt(len(own)), len(own)


def _matrix(score: HumanScore) -> pd.DataFrame:
    return score.scores.pivot_table(index="system", columns="item", values="score", aggfunc="first")


def items_needed(difference: float, deviation: float) -> int | None:
    """How many items a paired t-test needs to find this difference four times out of five; None: more than anybody has.

    >>> items_needed(0.5, 1.0)
    34
    """
    if not deviation > 0:
        return None

    def is_enough(items: int) -> bool:
        return t_power(difference, deviation / sqrt(items), items - 1, alpha=1 - LEVEL) >= TARGET

    low, high = 1, 2
    while not is_enough(high):
        low, high = high, high * 2
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
