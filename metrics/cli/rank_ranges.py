"""``python -m metrics rank-ranges``: which ranks could each system have? From comparisons, as WMT printed them."""

from __future__ import annotations

import argparse
from typing import Any

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
    share,
)
from metrics.cli.output import by_name, write
from metrics.errors import BadInput
from metrics.human import human_score
from metrics.meta.rank_ranges import rank_ranges, resampled_scores
from metrics.signature import signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    add_attributes_argument(parser)
    parser.add_argument("--score", metavar="NAME", required=True, help="a score of comparisons")
    parser.add_argument("--task", metavar="NAME", help="where several tasks could give the score")
    parser.add_argument(
        "--criterion", metavar="NAME", help="one criterion of the task (default all together)"
    )
    parser.add_argument(
        "--confidence", type=share, default=0.95, help="of intervals and ranges (default %(default)s)"
    )
    add_duplicates_arguments(parser)
    add_resamples_argument(parser, default=1_000, what="of the items")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    judgments = judgments_of(arguments)
    check_task(judgments, arguments.task, file=arguments.judgments)
    options: dict[str, Any] = {} if arguments.criterion is None else {"criterion": arguments.criterion}
    score = human_score(
        judgments, arguments.score, attributes=attributes_of(arguments), task=arguments.task, **options
    )
    if score.resampling is None:
        raise BadInput(
            f"expected a score of comparisons, found {score.name}: clusters of other scores come from python -m metrics clusters"
        )
    found = score.system_scores().set_index("system")["score"].dropna()
    replicates = pd.DataFrame(
        resampled_scores(score.resampling, n_resamples=arguments.resamples, rng=arguments.seed),
        columns=score.resampling.systems,
    )[list(found.index)]
    ranges = rank_ranges(list(found.index), found, replicates, confidence_level=arguments.confidence)
    how = {
        "interval": f"bootstrap-items-percentile-{100 * arguments.confidence:g}",
        "resamples": arguments.resamples,
        "seed": arguments.seed,
    }
    line = signature("rank-ranges", how)
    table = pd.DataFrame([vars(one) for one in ranges.ranked])
    write(table, arguments, signatures={score.name: score.system_signature(), **by_name(line)})
