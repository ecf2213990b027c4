"""``python -m metrics best-metric``: the metric that agrees best with people, and what is left of it after choosing."""

from __future__ import annotations

import argparse

from metrics.cli.arguments import (
    add_output_arguments,
    add_resamples_argument,
    add_score_tables_arguments,
    score_tables_of,
)
from metrics.cli.output import by_name, write
from metrics.meta.selection import PERMUTATIONS, MetricSelection, best_metric


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_tables_arguments(parser)
    parser.add_argument(
        "--without",
        metavar="SYSTEM",
        nargs="+",
        default=[],
        help="leave out these systems (humans, baselines)",
    )
    parser.add_argument(
        "--no-outliers",
        action="store_true",
        help="leave out systems far from the others (Mathur et al. 2020)",
    )
    add_resamples_argument(parser, default=PERMUTATIONS, what="permutations of the systems")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    tables = score_tables_of(arguments, items=False)
    shared = tables.human.index
    for table in tables.metrics.values():
        shared = shared.intersection(table.index, sort=False)
    found = best_metric(
        tables.human.loc[shared],
        tables.metrics,
        without=arguments.without,
        outliers=not arguments.no_outliers,
        n_permutations=arguments.resamples,
        rng=arguments.seed,
    )
    write(found.frame(), arguments, signatures=by_name(found.signature), notes=_notes(found))


def _notes(found: MetricSelection) -> list[str]:
    if not found.best:
        return []
    ends = found.confidence_interval
    notes = [
        f"{found.best} is best of {len(found.correlation)}: r = {found.statistic:.3f}, p = {found.pvalue:.3g} allowing for the "
        f"choice, interval {ends.low:.3f} to {ends.high:.3f}; chosen elsewhere and held out, r = {found.held_out:.3f}"
    ]
    if len(found.candidates) > 1:
        notes.append(f"{len(found.candidates)} metrics may be the best one")
    if found.left_out:
        notes.append(f"left out: {', '.join(found.left_out)}")
    return notes
