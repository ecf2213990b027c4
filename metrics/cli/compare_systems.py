"""``python -m metrics compare-systems``: which differences between systems are significant?"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.cli.arguments import add_equivalence_argument, add_output_arguments, add_resamples_argument
from metrics.cli.notes import of_item_means
from metrics.cli.output import by_name, write
from metrics.cli.scores import systems_by_items
from metrics.errors import BadInput
from metrics.meta.common import ALTERNATIVES, FloatArray
from metrics.meta.effects import equivalence
from metrics.meta.multiplicity import CORRECTIONS, SIMULTANEOUS, adjust
from metrics.meta.pairs import UNPAIRED, PairTable, system_pairs
from metrics.meta.significance import TESTS, SystemComparison, normality
from metrics.signature import signature


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
    add_equivalence_argument(parser)
    add_resamples_argument(parser, default=10_000, what="of randomization and bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.correction in SIMULTANEOUS and arguments.alternative != "two-sided":
        raise BadInput(f"{arguments.correction} is a two-sided test: leave out --alternative")
    matrix, higher = systems_by_items(arguments.scores, arguments.metric)
    pairs = system_pairs(
        matrix,
        test=arguments.test,
        alternative=arguments.alternative,
        correction=arguments.correction,
        higher_is_better=higher,
        n_resamples=arguments.resamples,
        rng=arguments.seed,
    )
    lines = [pairs.tests.signature, pairs.correction_signature]
    if arguments.test == "t":
        lines.append(_normality(matrix.to_numpy(), pairs.tests))
    notes = of_item_means([arguments.metric])
    if matrix.isna().any(axis=None):
        notes.append(_of_gaps(pairs, arguments.test))
    frame = pairs.frame
    if arguments.equivalent_within:
        frame = frame.assign(pvalue_equivalent=_equivalent(frame, matrix, arguments.equivalent_within))
        lines.append(
            signature(
                "equivalence", {"test": "tost-t", "within": arguments.equivalent_within, "correction": "holm"}
            )
        )
    write(frame, arguments, signatures=by_name(*lines), notes=notes)


def _of_gaps(pairs: PairTable, test: str) -> str:
    """What the rows of the table are about, where systems have different items."""
    if test in UNPAIRED:
        return "not all systems have all items: means and tests are over a system's own"
    least, most = pairs.frame["n"].min(), pairs.frame["n"].max()
    shared = f"{least} items" if least == most else f"{least} to {most} items"
    return f"not all systems have all items: means, differences and tests of a pair are over the {shared} that both have"


def _equivalent(pairs: pd.DataFrame, matrix: pd.DataFrame, margin: float) -> FloatArray:
    """TOST of each pair on the items that both have, adjusted for the number of pairs."""
    names = zip(pairs["system_a"], pairs["system_b"], strict=True)
    return adjust(
        np.array([equivalence(matrix.loc[a], matrix.loc[b], margin=margin).pvalue for a, b in names]), "holm"
    )


def _normality(scores: FloatArray, result: SystemComparison) -> str:
    """The paired t-test assumes normal differences: say for how many pairs Shapiro–Wilk speaks against it."""
    differences = scores[result.first] - scores[result.second]
    against = int((normality(differences).pvalue < 0.05).sum())
    return signature("shapiro-wilk", {"alpha": 0.05, "pairs": len(result.first), "not-normal": against})
