"""``python -m metrics compare-metrics``: which metrics correlate significantly better with human scores?"""

from __future__ import annotations

import argparse

from metrics.cli.arguments import (
    add_output_arguments,
    add_resamples_argument,
    add_score_tables_arguments,
    score_tables_of,
)
from metrics.cli.notes import of_shared_items, of_system_scores
from metrics.cli.output import by_name, write
from metrics.cli.progress import shown
from metrics.errors import BadInput
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import ALTERNATIVES
from metrics.meta.comparison import METRIC_TESTS, compare_metrics
from metrics.meta.levels import LEVELS
from metrics.meta.multiplicity import CORRECTIONS
from metrics.meta.resampling import DEFAULT_RESAMPLES, PERMUTE, RESAMPLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_tables_arguments(parser)
    parser.add_argument("--test", choices=METRIC_TESTS, default="williams", help="default %(default)s")
    parser.add_argument(
        "--level",
        choices=[*LEVELS, "document"],
        default="system",
        help="document: as item, scores averaged by document (default %(default)s)",
    )
    parser.add_argument("--method", choices=list(COEFFICIENTS), default="pearson", help="default %(default)s")
    parser.add_argument(
        "--resample",
        choices=list(dict.fromkeys((*PERMUTE, *RESAMPLE))),
        help="permutation exchanges systems, items or cells (default systems); "
        "bootstrap draws systems, items or both (default both)",
    )
    parser.add_argument(
        "--alternative",
        choices=ALTERNATIVES,
        default="two-sided",
        help="greater: metric_a, the one that correlates higher, does so in truth (default %(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default="holm",
        help="how pvalue_adjusted allows for the number of pairs (default %(default)s)",
    )
    add_resamples_argument(parser, default=DEFAULT_RESAMPLES, what="of permutation and bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    known = {"permutation": PERMUTE, "bootstrap": RESAMPLE}.get(arguments.test, ())
    if known and arguments.resample not in (None, *known):
        raise BadInput(
            f"expected --resample {', '.join(known)} for {arguments.test}, found {arguments.resample}"
        )
    if arguments.test == "williams" and arguments.resample:
        raise BadInput(
            "Williams' test draws nothing: leave out --resample, or take --test permutation or bootstrap"
        )
    tables = score_tables_of(
        arguments, items=arguments.level != "system", documents=arguments.level == "document"
    )
    with shown("pairs of metrics") as progress:
        result = compare_metrics(
            tables.human,
            tables.metrics,
            test=arguments.test,
            level="item" if arguments.level == "document" else arguments.level,
            method=arguments.method,
            resampled=arguments.resample,
            alternative=arguments.alternative,
            correction=arguments.correction,
            n_resamples=arguments.resamples,
            rng=arguments.seed,
            progress=progress,
        )
    notes = of_system_scores(tables) if arguments.level == "system" else of_shared_items(tables)
    if result.not_outperformed is not None:
        best = ", ".join(result.not_outperformed)
        notes.append(
            f"not significantly outperformed (one-sided p below .05, uncorrected, as Graham 2015): {best}"
        )
    write(result.frame, arguments, signatures=by_name(result.signature), notes=notes)
