"""``python -m metrics compare-systems``: which differences between systems are significant?"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.cli.arguments import add_output_arguments, add_resamples_argument
from metrics.cli.notes import of_item_means
from metrics.cli.output import by_name, write
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import read_scores
from metrics.meta.common import ALTERNATIVES, FloatArray
from metrics.meta.multiplicity import CORRECTIONS, SIMULTANEOUS, adjust, scheffe, tukey_hsd
from metrics.meta.significance import TESTS, SystemComparison, compare_systems, normality
from metrics.meta.tables import table_matrix
from metrics.signature import signature

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
    add_resamples_argument(parser, default=10_000, what="of randomization and bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.correction in SIMULTANEOUS and arguments.alternative != "two-sided":
        raise BadInput(f"{arguments.correction} is a two-sided test: leave out --alternative")
    table = read_scores(arguments.scores)
    matrix = _with_scores(table_matrix(table, arguments.metric, file=arguments.scores, items=True))
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
    write(rows, arguments, signatures=by_name(*lines), notes=of_item_means([arguments.metric]))


def _with_scores(matrix: pd.DataFrame) -> pd.DataFrame:
    """The systems that have a score; those without one, and items that only some have, are said."""
    nothing = matrix.index[matrix.isna().all(axis="columns")]
    if len(nothing):
        _say(f"left out, without any score: {', '.join(nothing)}")
    matrix = matrix.drop(index=nothing)
    if matrix.isna().any(axis=None):
        _say(
            "not all systems have all items: means are over a system's own, paired tests over those that both have"
        )
    return matrix


def _say(what: str) -> None:
    warnings.warn(what, UndefinedScoreWarning, stacklevel=3)


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
