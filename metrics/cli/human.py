"""``python -m metrics human``: judgments → one human score per system and item."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from metrics.cli.arguments import (
    add_duplicates_arguments,
    add_output_arguments,
    attributes_beside,
    check_task,
)
from metrics.cli.output import write
from metrics.errors import BadInput
from metrics.frames import read_attributes, read_judgments
from metrics.human import SCORES, human_score
from metrics.human.base import MissingAttribute
from metrics.human.normalise import METHODS

HELP = "human scores from the long table of judgments: metric,system,item,score"

# What the command line leaves alone is not passed on, so that a score refuses only what a user asked for.
OPTIONS = ("normalise", "controls", "average", "alpha", "beta", "points", "quality_task")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "judgments", metavar="JUDGMENTS", type=Path, help="long table: .csv, .jsonl or .parquet"
    )
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        type=Path,
        help="scope,id,name,value (default: JUDGMENTS.attributes.csv, if there)",
    )
    parser.add_argument(
        "--score",
        metavar="NAME",
        required=True,
        help=f"{', '.join(SCORES)}, or any criterion of a rating task",
    )
    parser.add_argument("--task", metavar="NAME", help="where several tasks could give the score")
    parser.add_argument("--normalise", choices=METHODS, help="per assessor and criterion (default none)")
    parser.add_argument(
        "--controls",
        action="store_const",
        const=True,
        help="control items take part in an assessor's mean and deviation",
    )
    parser.add_argument("--average", choices=("mean", "median"), help="over assessors (default mean)")
    parser.add_argument("--level", choices=("item", "system"), default="item", help="default %(default)s")
    parser.add_argument(
        "--weights",
        choices=("none", "tokens"),
        default="none",
        help="of items in a system's score (Leusch et al.)",
    )
    parser.add_argument(
        "--alpha", type=float, help="coverage-length-adjusted: weight of coverage (default 0.5)"
    )
    parser.add_argument("--beta", type=float, help="nugget-f: weight of recall (default 3)")
    parser.add_argument(
        "--points", type=int, help="likert: points of the scale, where the attributes do not say"
    )
    parser.add_argument(
        "--quality-task", metavar="NAME", help="assessment: the rating task that gives quality"
    )
    parser.add_argument(
        "--lower-is-better",
        action="store_true",
        help="mark the score as one of which less is better, such as a rank",
    )
    add_duplicates_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.weights != "none" and arguments.level != "system":
        raise BadInput("expected --level system with --weights: they average items into systems")
    arguments.attributes = arguments.attributes or attributes_beside(arguments.judgments)
    try:
        table, signature = _scores(arguments)
    except MissingAttribute as problem:
        if arguments.attributes is None:
            raise BadInput(f"{problem}: give --attributes FILE, exported beside the judgments") from problem
        raise BadInput(str(problem), file=str(arguments.attributes)) from problem
    if arguments.lower_is_better:
        table = table.assign(higher_is_better=False)
    write(table, arguments, signatures={arguments.score: signature})


def _scores(arguments: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    """The score table and its signature."""
    judgments = read_judgments(
        arguments.judgments, duplicates=arguments.duplicates, count_repeats=arguments.count_repeats
    )
    for task in (arguments.task, arguments.quality_task):
        check_task(judgments, task, file=arguments.judgments)
    attributes = read_attributes(arguments.attributes) if arguments.attributes else None
    asked = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    score = human_score(judgments, arguments.score, attributes=attributes, task=arguments.task, **asked)
    if arguments.level == "item":
        return score.scores, score.signature
    of_systems = score.system_scores(weights=arguments.weights, attributes=attributes)
    return of_systems, score.system_signature(weights=arguments.weights)
