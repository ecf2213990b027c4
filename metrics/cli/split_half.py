"""``python -m metrics split-half``: would another half of the items, or of the assessors, say the same of the systems?"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from metrics.cli.arguments import (
    add_judgments_argument,
    add_output_arguments,
    add_resamples_argument,
    check_task,
)
from metrics.cli.output import by_name, write
from metrics.errors import BadInput
from metrics.frames import read_judgments, scored
from metrics.meta.common import FloatArray
from metrics.meta.halves import METHODS, split_half

OVER = ("assessors", "items")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    parser.add_argument("--task", metavar="NAME", help="only this task")
    parser.add_argument(
        "--over", choices=OVER, nargs="+", default=list(OVER), help="what is split (default both)"
    )
    parser.add_argument("--method", choices=METHODS, default="pearson", help="default %(default)s")
    add_resamples_argument(parser, default=1_000, what="random splits")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    judgments = read_judgments(arguments.judgments, duplicates="each")
    check_task(judgments, arguments.task, file=arguments.judgments)
    rows = scored(judgments)
    rows = rows[rows["value"].notna() & (rows["system"] != "")]
    if arguments.task is not None:
        rows = rows[rows["task"] == arguments.task]
    found, lines = [], []
    for (task, criterion), of_criterion in rows.groupby(["task", "criterion"], sort=False):
        cells = _cells(of_criterion)
        for over in arguments.over:
            scores = cells if over == "assessors" else _mean(cells)
            result = split_half(
                scores,
                over=over,
                method=arguments.method,
                n_resamples=arguments.resamples,
                rng=arguments.seed,
            )
            lines.append(result.signature)
            found.append(
                {
                    "task": task,
                    "criterion": criterion,
                    "over": over,
                    "n": result.n,
                    "systems": result.systems,
                    "half": result.half,
                    "statistic": result.statistic,
                    "low": result.middle.low,
                    "high": result.middle.high,
                }
            )
    if not found:
        raise BadInput("expected judgments with numbers, found none", file=str(arguments.judgments))
    write(pd.DataFrame(found), arguments, signatures=by_name(*lines))


def _cells(rows: pd.DataFrame) -> FloatArray:
    """assessors × systems × items, the mean where an output has several units."""
    axes = [sorted(rows[name].unique()) for name in ("assessor", "system", "item")]
    places = [
        rows[name].map({value: place for place, value in enumerate(axis)}).to_numpy()
        for name, axis in zip(("assessor", "system", "item"), axes, strict=True)
    ]
    sums, counts = (np.zeros([len(axis) for axis in axes]) for _ in range(2))
    np.add.at(sums, tuple(places), rows["value"].to_numpy(dtype=np.float64))
    np.add.at(counts, tuple(places), 1)
    return np.where(counts > 0, sums / np.maximum(1, counts), np.nan)


def _mean(cells: FloatArray) -> FloatArray:
    present = np.isfinite(cells)
    counts = present.sum(axis=0)
    return np.where(counts > 0, np.where(present, cells, 0.0).sum(axis=0) / np.maximum(1, counts), np.nan)
