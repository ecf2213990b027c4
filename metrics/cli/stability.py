"""``python -m metrics stability``: what would a study with more or fewer items have found?"""

from __future__ import annotations

import argparse
from pathlib import Path

from metrics.cli.arguments import add_output_arguments, add_resamples_argument, whole_number
from metrics.cli.output import by_name, write
from metrics.cli.scores import systems_by_items
from metrics.meta.power import stability


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scores", metavar="SCORES", type=Path, help="score table of a study")
    parser.add_argument("--metric", metavar="NAME", required=True, help="the score")
    parser.add_argument(
        "--items",
        metavar="N",
        type=whole_number(1),
        nargs="+",
        required=True,
        help="planned numbers of items",
    )
    add_resamples_argument(parser, default=1_000, what="studies drawn of each size")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    matrix, higher = systems_by_items(arguments.scores, arguments.metric)
    result = stability(
        matrix if higher else -matrix,
        sizes=arguments.items,
        n_resamples=arguments.resamples,
        rng=arguments.seed,
    )
    write(result.frame(), arguments, signatures=by_name(result.signature))
