"""``python -m metrics significance-prediction``: does a metric predict which differences people find significant?"""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.cli.arguments import (
    add_output_arguments,
    add_resamples_argument,
    add_score_tables_arguments,
    score_tables_of,
    share,
)
from metrics.cli.notes import of_item_means
from metrics.cli.output import write
from metrics.meta.common import ALTERNATIVES
from metrics.meta.prediction import ALPHAS, significance_prediction
from metrics.meta.significance import TESTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_tables_arguments(parser)
    parser.add_argument(
        "--alpha",
        metavar="LEVEL",
        type=share,
        nargs="+",
        default=list(ALPHAS),
        help=f"levels of significance (default {' '.join(str(level) for level in ALPHAS)})",
    )
    parser.add_argument("--test", choices=TESTS, default="z", help="between systems (default %(default)s)")
    parser.add_argument(
        "--alternative", choices=ALTERNATIVES, default="two-sided", help="default %(default)s"
    )
    add_resamples_argument(parser, default=10_000, what="of randomization and bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    tables = score_tables_of(arguments, items=True)
    results = {
        name: significance_prediction(
            tables.human,
            metric,
            alphas=arguments.alpha,
            test=arguments.test,
            alternative=arguments.alternative,
            n_resamples=arguments.resamples,
            rng=arguments.seed,
        )
        for name, metric in tables.metrics.items()
    }
    frames = [result.frame().assign(metric=name) for name, result in results.items()]
    columns = ["metric", "alpha", "recall", "precision", "hits", "human", "automatic"]
    signatures = {name: result.signature for name, result in results.items()}
    table = pd.concat(frames, ignore_index=True)[columns]
    write(table, arguments, signatures=signatures, notes=of_item_means(tables.metrics))
