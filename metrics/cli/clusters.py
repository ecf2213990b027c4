"""``python -m metrics clusters``: which systems share a rank?"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from metrics.cli.arguments import add_output_arguments, add_resamples_argument, share
from metrics.cli.output import by_name, write
from metrics.cli.scores import systems_by_items
from metrics.meta.pairs import system_pairs
from metrics.meta.ranking import rank_systems, significance_clusters
from metrics.meta.significance import TESTS
from metrics.signature import signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scores", metavar="SCORES", type=Path, help="score table")
    parser.add_argument("--metric", metavar="NAME", required=True, help="the score to rank systems by")
    parser.add_argument(
        "--test",
        choices=TESTS,
        default="rank-sum",
        help="one-sided, of each pair (default %(default)s, as WMT)",
    )
    parser.add_argument("--alpha", type=share, default=0.05, help="of the tests (default %(default)s)")
    parser.add_argument(
        "--adjusted",
        action="store_true",
        help="two-sided tests with Holm's correction in place of WMT's one-sided ones without",
    )
    add_resamples_argument(parser, default=10_000, what="of randomization and bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    matrix, higher = systems_by_items(arguments.scores, arguments.metric)
    better = matrix if higher else -matrix
    names = [str(name) for name in matrix.index]
    how = {"test": arguments.test, "n_resamples": arguments.resamples, "rng": arguments.seed}
    if arguments.adjusted:
        pairs = system_pairs(better, **how)
        means = better.mean(axis=1).to_numpy()
        ranked = significance_clusters(names, means, pairs.wins(names), alpha=arguments.alpha)
    else:
        ranked = rank_systems(names, better, alpha=arguments.alpha, **how)
    rows = [
        {
            "system": row.system,
            "score": row.score if higher else -row.score,
            "cluster": row.cluster,
            "start": row.start,
            "end": row.end,
            "wins": row.wins,
            "losses": row.losses,
            "best_rank": row.best_rank,
            "worst_rank": row.worst_rank,
        }
        for row in ranked
    ]
    line = signature(
        "clusters",
        {
            "test": arguments.test,
            "alternative": "two-sided" if arguments.adjusted else "greater",
            "correction": "holm" if arguments.adjusted else "none",
            "alpha": arguments.alpha,
            "resamples": arguments.resamples if arguments.test in ("randomization", "bootstrap") else None,
            "seed": arguments.seed if arguments.test in ("randomization", "bootstrap") else None,
        },
    )
    write(pd.DataFrame(rows), arguments, signatures=by_name(line))
