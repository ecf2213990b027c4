"""``python -m metrics agreement``: do the assessors of a table of judgments agree?"""

from __future__ import annotations

import argparse
from pathlib import Path

from metrics.cli.output import add_output_arguments, write
from metrics.errors import BadInput
from metrics.frames import read_judgments
from metrics.meta.agreement import DEFAULT, NAMES, RESAMPLES, agreement
from metrics.signature import signature

HELP = "agreement between assessors: task,criterion,coefficient,value,low,high,items,assessors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "judgments", metavar="JUDGMENTS", type=Path, help="long table: .csv, .jsonl or .parquet"
    )
    parser.add_argument(
        "--coefficient",
        metavar="NAME",
        nargs="+",
        help=f"{', '.join(NAMES)} (default: those of {', '.join(DEFAULT)} that apply)",
    )
    parser.add_argument("--task", metavar="NAME", help="only this task")
    parser.add_argument(
        "--resamples",
        type=int,
        default=RESAMPLES,
        help="of the items, for the intervals (default %(default)s)",
    )
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    if arguments.resamples < 0:
        raise BadInput(f"expected 0 or more resamples, found {arguments.resamples}")
    table = agreement(
        read_judgments(arguments.judgments),
        coefficients=arguments.coefficient,
        task=arguments.task,
        n_resamples=arguments.resamples,
        seed=arguments.seed,
    )
    how = {
        "level": "task-criterion",
        "interval": "bootstrap-items-percentile-95",
        "resamples": arguments.resamples,
    }
    names = list(dict.fromkeys(table["coefficient"]))
    write(table, arguments, signatures=[signature(name, {**how, "seed": arguments.seed}) for name in names])
