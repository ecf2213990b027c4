"""What the commands on single judgments share: the judgments of each task and criterion."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pandas as pd

from metrics.cli.arguments import add_judgments_argument, check_task
from metrics.errors import BadInput
from metrics.frames import read_judgments, scored


def add_criteria_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    parser.add_argument("--task", metavar="NAME", help="only this task")
    parser.add_argument("--criterion", metavar="NAME", help="only this criterion")


def each_criterion(arguments: argparse.Namespace) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """``task, criterion`` and ``assessor, system, item, value`` of each criterion that has numbers about systems."""
    judgments = read_judgments(arguments.judgments)
    check_task(judgments, arguments.task, file=arguments.judgments)
    rows = scored(judgments)
    rows = rows[rows["value"].notna() & (rows["system"] != "")]
    if arguments.task is not None:
        rows = rows[rows["task"] == arguments.task]
    known = list(dict.fromkeys(rows["criterion"]))
    if arguments.criterion is not None and arguments.criterion not in known:
        raise BadInput(
            f"expected a criterion among {', '.join(known) or 'none'}, found {arguments.criterion!r}",
            file=str(arguments.judgments),
            column="criterion",
        )
    if arguments.criterion is not None:
        rows = rows[rows["criterion"] == arguments.criterion]
    if rows.empty:
        raise BadInput(
            "expected judgments of systems with numbers, found none", file=str(arguments.judgments)
        )
    for (task, criterion), table in rows.groupby(["task", "criterion"], sort=False):
        yield str(task), str(criterion), table[["assessor", "system", "item", "value"]]


def labelled(task: str, criterion: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with its task and criterion in front."""
    front = pd.DataFrame({"task": task, "criterion": criterion}, index=table.index)
    return pd.concat([front, table], axis="columns")
