"""``python -m metrics power``: how many items does a comparison of two systems need?"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.cli.arguments import add_output_arguments, add_resamples_argument, share, whole_number
from metrics.cli.output import by_name, write
from metrics.cli.scores import systems_by_items
from metrics.errors import BadInput
from metrics.meta.common import ALTERNATIVES
from metrics.meta.power import POWER_TESTS, power
from metrics.meta.ties import settled_differences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--items",
        metavar="N",
        type=whole_number(2),
        nargs="+",
        required=True,
        help="planned numbers of items",
    )
    parser.add_argument("--effect", metavar="X", type=float, required=True, help="the true mean difference")
    parser.add_argument(
        "--deviation", metavar="X", type=float, help="standard deviation of differences per item"
    )
    parser.add_argument(
        "--pilot", metavar="SCORES", type=Path, help="score table of a pilot, in place of --deviation"
    )
    parser.add_argument("--metric", metavar="NAME", help="the pilot's score")
    parser.add_argument(
        "--systems", metavar="NAME", nargs=2, help="the pilot's two systems (default: its first two)"
    )
    parser.add_argument("--test", choices=POWER_TESTS, default="t", help="default %(default)s")
    parser.add_argument("--alpha", type=share, default=0.05, help="default %(default)s")
    parser.add_argument(
        "--alternative", choices=ALTERNATIVES, default="two-sided", help="default %(default)s"
    )
    add_resamples_argument(parser, default=2_000, what="simulated studies")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    result = power(
        items=arguments.items,
        effect=arguments.effect,
        deviation=arguments.deviation,
        pilot=_differences(arguments),
        test=arguments.test,
        alpha=arguments.alpha,
        alternative=arguments.alternative,
        n_simulations=arguments.resamples,
        rng=arguments.seed,
    )
    rows = [
        {"items": n, "power": found, "low": ends.low, "high": ends.high}
        for n, found, ends in zip(result.items, result.power, result.confidence_interval, strict=True)
    ]
    needed = result.items_needed(0.8)
    note = f"power .8 with {needed} items" if needed else "none of these numbers of items has power .8"
    write(pd.DataFrame(rows), arguments, signatures=by_name(result.signature), notes=[note])


def _differences(arguments: argparse.Namespace) -> list[float] | None:
    if arguments.pilot is None:
        return None
    if arguments.metric is None:
        raise BadInput("expected --metric NAME, the score of the pilot")
    matrix, _ = systems_by_items(arguments.pilot, arguments.metric)
    names = arguments.systems or list(matrix.index[:2])
    unknown = [name for name in names if name not in matrix.index]
    if unknown:
        raise BadInput(f"expected systems among {', '.join(matrix.index)}, found {unknown[0]!r}")
    one, other = (matrix.loc[name].to_numpy(dtype=np.float64) for name in names)
    gaps = settled_differences(one - other, scale=np.nanmax(np.abs([one, other]), initial=0.0))
    return [float(gap) for gap in gaps if np.isfinite(gap)]
