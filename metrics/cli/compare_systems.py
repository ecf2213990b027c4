"""``python -m metrics compare-systems``: which differences between systems are significant?"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.cli.output import add_output_arguments, write
from metrics.errors import BadInput
from metrics.frames import read_scores
from metrics.meta.common import ALTERNATIVES, FloatArray
from metrics.meta.multiplicity import CORRECTIONS, SIMULTANEOUS, adjust, scheffe, tukey_hsd
from metrics.meta.significance import TESTS, SystemComparison, compare_systems, normality
from metrics.meta.tables import table_matrix
from metrics.signature import signature

HELP = "tests between systems: system_a,system_b,mean_a,mean_b,difference,statistic,pvalue,pvalue_adjusted"
UNPAIRED = ("rank-sum", "z")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scores", metavar="SCORES", type=Path, help="score table")
    parser.add_argument("--metric", metavar="NAME", required=True, help="the score to compare systems by")
    parser.add_argument("--test", choices=TESTS, default="randomization", help="default %(default)s")
    parser.add_argument(
        "--alternative",
        choices=ALTERNATIVES,
        default="two-sided",
        help="greater: system_a, the one with the better mean, is better (default %(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=[*CORRECTIONS, *SIMULTANEOUS],
        default="holm",
        help="how pvalue_adjusted allows for the number of pairs (default %(default)s)",
    )
    parser.add_argument(
        "--resamples", type=int, default=10_000, help="of randomization and bootstrap (default %(default)s)"
    )
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.correction in SIMULTANEOUS and arguments.alternative != "two-sided":
        raise BadInput(f"{arguments.correction} is a two-sided test: leave out --alternative")
    table = read_scores(arguments.scores)
    matrix = table_matrix(table, arguments.metric, file=arguments.scores, items=True).dropna(how="all")
    higher = bool(table.loc[table["metric"] == arguments.metric, "higher_is_better"].all())
    if len(matrix) < 2:
        raise BadInput(
            f"expected scores of {arguments.metric} for two systems or more", file=str(arguments.scores)
        )
    matrix = matrix.loc[matrix.mean(axis=1).sort_values(ascending=not higher, kind="stable").index]
    better_is_higher = matrix if higher else -matrix
    result = compare_systems(
        better_is_higher,
        test=arguments.test,
        alternative=arguments.alternative,
        n_resamples=arguments.resamples,
        rng=arguments.seed,
    )
    adjusted, how = _adjusted(result, better_is_higher, arguments.correction)
    names, means = matrix.index.to_numpy(), matrix.mean(axis=1).to_numpy()
    rows = pd.DataFrame(
        {
            "system_a": names[result.first],
            "system_b": names[result.second],
            "mean_a": means[result.first],
            "mean_b": means[result.second],
            "difference": means[result.first] - means[result.second],
            "statistic": result.statistic,
            "pvalue": result.pvalue,
            "pvalue_adjusted": adjusted,
        }
    )
    lines = [result.signature, how]
    if arguments.test == "t":
        lines.append(_normality(better_is_higher.to_numpy(), result))
    write(rows, arguments, signatures=lines)


def _adjusted(result: SystemComparison, scores: pd.DataFrame, correction: str) -> tuple[FloatArray, str]:
    if correction in SIMULTANEOUS:
        test = tukey_hsd if correction == "tukey" else scheffe
        family = test(scores, blocked=result.test not in UNPAIRED)
        return family.pvalue, family.signature
    pairs = {"pairs": int(np.isfinite(result.pvalue).sum())}
    return adjust(result.pvalue, correction), signature(f"correction-{correction}", pairs)


def _normality(scores: FloatArray, result: SystemComparison) -> str:
    """The paired t-test assumes normal differences: say for how many pairs Shapiro–Wilk speaks against it."""
    differences = scores[result.first] - scores[result.second]
    against = int((normality(differences).pvalue < 0.05).sum())
    return signature("shapiro-wilk", {"alpha": 0.05, "pairs": len(result.first), "not-normal": against})
