"""Programs that judged what people judged: their scores as metrics, and how far they agree with people.

A program's judgments come in a table of their own, the long table of people with the program's name under ``assessor``. They
never enter a human score. Every score that people's judgments give is made of the program's too, and is one more metric;
beside it stands how often program and person say the same, and how often two people do (Krippendorff's α over pairs), and in
comparisons how often the text at the first place won.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import PLACE, scored
from metrics.human import human_score
from metrics.human.comparison import READINGS, by_criterion
from metrics.human.comparison_tables import first_places
from metrics.human.registry import as_compared, is_mark
from metrics.meta.agreement import agreement_coefficient
from metrics.report.assessors import DISCRETE, THING
from metrics.report.book import Book
from metrics.report.human import slug_of, wanted_scores
from metrics.report.inputs import Inputs
from metrics.report.options import Options
from metrics.signature import signature

PROGRAM = "program"
"""The source, and the family, of metrics that are a program's judgments."""

AGREEMENT = ["program", "task", "criterion", "coefficient", "judgments", "value", "low", "high", "people"]
FIRST_PLACE = ["program", "task", "criterion", "size", "sets", "share", "expected", "pvalue"]


def program_scores(inputs: Inputs, options: Options) -> pd.DataFrame | None:
    """``metric, system, item, score, higher_is_better`` of every human score, made of a program's judgments."""
    if inputs.programs is None:
        return None
    found = [
        score.scores.assign(
            metric=metric_name(str(program), task, name), higher_is_better=bool(score.higher_is_better)
        )
        for program, rows in inputs.programs.groupby("assessor")
        for task, _, name in wanted_scores(inputs, options)
        if (score := _score(rows, name, inputs, task)) is not None
    ]
    tables = [table[table["score"].notna()] for table in found]
    return pd.concat(tables, ignore_index=True) if tables else None


def metric_name(program: str, task: str, score: str) -> str:
    """What a program's score is called among the metrics."""
    return slug_of(f"{program}-{task}-{score}")


def _score(rows: pd.DataFrame, name: str, inputs: Inputs, task: str) -> Any:
    """None where the program did not judge the task, or not what the score needs."""
    with suppress(BadInput), warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)  # people's score says it already
        return human_score(rows, name, attributes=inputs.attributes, task=task)
    return None


def program_section(inputs: Inputs, options: Options, book: Book) -> dict[str, Any] | None:
    """``agreement`` and ``first_place``, each a table; None where no program judged."""
    if inputs.programs is None:
        return None
    agreement = pd.DataFrame(_agreements(inputs, options), columns=AGREEMENT)
    how = {
        "level": "task-criterion",
        "pairs": "program-person",
        "interval": f"items-{100 * options.confidence_level:g}",
        "resamples": options.n_resamples,
        "seed": options.seed,
    }
    lines = {name: signature(name, how) for name in agreement["coefficient"].unique()}
    agreement = agreement.assign(signature=agreement["coefficient"].map(lines))
    first = pd.DataFrame(_first_places(inputs), columns=FIRST_PLACE).assign(
        signature=signature("first-place", {"test": "binomial", "alternative": "two-sided"})
    )
    book.add("programs", "Programs beside people", agreement, tex=True)
    if len(first):
        book.add("programs-first-place", "How often the first place won, for programs", first)
    return {
        "programs": sorted(set(inputs.programs["assessor"])),
        "agreement": book.json_table(agreement),
        "first_place": book.json_table(first),
    }


def _agreements(inputs: Inputs, options: Options) -> Iterator[dict[str, Any]]:
    """By program, task and criterion: α of program and person, and α of two people over the same texts."""
    assert inputs.programs is not None
    people, programs = (_values(table) for table in (inputs.judgments, inputs.programs))
    for (task, criterion), own in programs.groupby(["task", "criterion"], sort=False):
        others = people[(people["task"] == task) & (people["criterion"] == criterion)]
        if others.empty:
            continue
        few = pd.concat([own["value"], others["value"]]).nunique() <= DISCRETE
        coefficient = "alpha-ordinal" if few else "alpha-interval"
        for program, rows in own.groupby("assessor"):
            pairs = rows.merge(others, on=THING, suffixes=("", "_other"))
            if pairs.empty:
                continue
            judged = others.merge(rows[THING], on=THING)
            result = _alpha(pairs, coefficient, options)
            yield {
                "program": program,
                "task": task,
                "criterion": criterion,
                "coefficient": coefficient,
                "judgments": len(pairs),
                "value": result.statistic,
                "low": result.confidence_interval.low,
                "high": result.confidence_interval.high,
                "people": _alpha(_two_people(judged), coefficient, options, interval=False).statistic,
            }


def _values(judgments: pd.DataFrame) -> pd.DataFrame:
    """Each person's value of each thing; what is only marked has none."""
    rows = as_compared(scored(judgments))
    rows = rows[rows["value"].notna() & ~is_mark(rows)]
    return rows.groupby([*THING, "assessor"], sort=False)["value"].mean().reset_index()


def _two_people(values: pd.DataFrame) -> pd.DataFrame:
    """Every pair of people who judged the same thing."""
    both = values.merge(values, on=THING, suffixes=("", "_other"))
    return both[both["assessor"] < both["assessor_other"]]


def _alpha(pairs: pd.DataFrame, coefficient: str, options: Options, *, interval: bool = True) -> Any:
    """α over pairs of judgments of the same thing; items are drawn again with all their pairs."""
    ratings = pairs[["value", "value_other"]].to_numpy(dtype=np.float64).reshape(-1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)  # an empty cell of the table says it
        return agreement_coefficient(
            ratings,
            coefficient,
            items=pairs["item"].to_numpy(),
            n_resamples=options.n_resamples if interval else 0,
            confidence_level=options.confidence_level,
            rng=options.seed,
        )


def _first_places(inputs: Inputs) -> Iterator[dict[str, Any]]:
    """In comparisons: whether the program prefers what stands first."""
    assert inputs.programs is not None
    rows = scored(inputs.programs)
    for (program, task, kind), of_task in rows.groupby(["assessor", "task", "kind"], sort=False):
        if kind not in READINGS or PLACE not in of_task.columns:
            continue
        for criterion, of_criterion in by_criterion(of_task.assign(sitting=1)):
            for line in first_places(of_criterion, READINGS[str(kind)]).to_dict("records"):
                known = {str(name): line[name] for name in line if name in FIRST_PLACE}
                yield {"program": program, "task": task, "criterion": criterion, **known}
