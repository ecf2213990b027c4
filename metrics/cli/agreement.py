"""``python -m metrics agreement``: do the assessors of a table of judgments agree?"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from metrics.cli.arguments import (
    add_attributes_argument,
    add_duplicates_arguments,
    add_judgments_argument,
    add_output_arguments,
    add_resamples_argument,
    attributes_of,
    check_task,
    judgments_of,
)
from metrics.cli.output import by_name, write
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import scored
from metrics.human.registry import coefficients, is_mark, kinds, kinds_that
from metrics.meta.agreement import ALIGNMENT, DEFAULT, INTERVAL, INTRA, RESAMPLES, agreement, all_names
from metrics.signature import signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    parser.add_argument(
        "--coefficient",
        metavar="NAME",
        nargs="+",
        help=f"{', '.join(all_names())} (default: those of {', '.join(DEFAULT)} that apply; of comparisons, their own)",
    )
    add_attributes_argument(parser)
    parser.add_argument("--task", metavar="NAME", help="only this task")
    add_duplicates_arguments(parser)
    add_resamples_argument(parser, default=RESAMPLES, what="of the items, for the intervals", lowest=0)
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    judgments = judgments_of(arguments)
    check_task(judgments, arguments.task, file=arguments.judgments)
    table = agreement(
        judgments,
        attributes=attributes_of(arguments),
        coefficients=arguments.coefficient,
        task=arguments.task,
        n_resamples=arguments.resamples,
        rng=arguments.seed,
    )
    table = pd.concat([table, *_without_data(table, judgments, arguments)], ignore_index=True)
    place = {task: number for number, task in enumerate(dict.fromkeys(judgments["task"]))}
    table = table.sort_values("task", key=lambda tasks: tasks.map(place), kind="stable")
    if table.empty:
        raise BadInput("expected judgments with numbers, found texts only", file=str(arguments.judgments))
    if arguments.resamples:
        _warn_of_intervals(table)
    how = {
        "level": "task-criterion",
        "interval": f"{INTERVAL}-95",
        "resamples": arguments.resamples,
        "seed": arguments.seed,
    }
    names = list(dict.fromkeys(table["coefficient"]))
    write(table, arguments, signatures=by_name(*(signature(name, how) for name in names)))


def _without_data(
    table: pd.DataFrame, judgments: pd.DataFrame, arguments: argparse.Namespace
) -> Iterator[pd.DataFrame]:
    """Rows of NaN, with a warning, for coefficients that were asked for and for which a task has nothing to compare."""
    rows = scored(judgments, controls=True)
    for task, of_task in rows.groupby("task", sort=False):
        if arguments.task not in (None, task):
            continue
        for name in arguments.coefficient or ():
            if ((table["task"] == task) & (table["coefficient"] == name)).any():
                continue
            warnings.warn(
                f"{name} is undefined for task {task}: {_why(name)}", UndefinedScoreWarning, stacklevel=2
            )
            values = of_task.loc[~is_mark(of_task), "criterion"]
            criteria = _mark_criteria() if name == ALIGNMENT else list(dict.fromkeys(values))
            yield pd.DataFrame(
                {"task": task, "criterion": criteria, "coefficient": name, "value": np.nan, "low": np.nan}
                | {"high": np.nan, "items": 0, "assessors": 0}
            )


def _mark_criteria() -> list[str]:
    """What the criterion of marks is called, whichever kind has any."""
    return list(dict.fromkeys(kind.marks.criterion for kind in kinds().values() if kind.marks is not None))


def _why(coefficient: str) -> str:
    if coefficient == ALIGNMENT:
        marking = kinds_that(lambda kind: kind.marks is not None)
        return f"it has no marks of units (kind {' or '.join(marking)})"
    if coefficient in coefficients():
        owners = kinds_that(lambda kind: any(one.name == coefficient for one in kind.coefficients))
        return f"it is of judgments of kind {' or '.join(owners)}"
    if coefficient.startswith(INTRA):
        return "nobody was shown an item again (control repeat)"
    return "it has no judgments with numbers"


def _warn_of_intervals(table: pd.DataFrame) -> None:
    """An interval over items needs two of them."""
    alone = table[table["value"].notna() & table["low"].isna() & (table["items"] < 2)]
    for task in dict.fromkeys(alone["task"]):
        warnings.warn(
            f"no interval for task {task}: all that can be compared is about one item",
            UndefinedScoreWarning,
            stacklevel=2,
        )
