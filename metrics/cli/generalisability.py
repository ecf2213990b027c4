"""``python -m metrics generalisability``: where does the noise come from, and what would more items or assessors buy?"""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.cli.arguments import add_output_arguments, whole_number
from metrics.cli.criteria import add_criteria_arguments, each_criterion, labelled
from metrics.cli.output import write
from metrics.meta.generalisability import GeneralisabilityStudy, generalisability


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_criteria_arguments(parser)
    parser.add_argument(
        "--items", metavar="N", type=whole_number(1), nargs="+", help="plan studies with so many items"
    )
    parser.add_argument(
        "--assessors",
        metavar="N",
        type=whole_number(1),
        nargs="+",
        help="plan studies with so many assessors",
    )
    parser.add_argument("--effect", metavar="D", type=float, help="the difference whose power is asked for")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    tables, signatures, notes = [], {}, []
    for task, criterion, judgments in each_criterion(arguments):
        study = generalisability(judgments)
        tables.append(labelled(task, criterion, _table(study, arguments)))
        signatures[f"{task}/{criterion}"] = study.signature
        notes.append(f"{task}/{criterion}: {study.advice()}")
        notes += [
            f"{task}/{criterion}: {term} is not estimated: {why}." for term, why in study.left_out.items()
        ]
    write(pd.concat(tables, ignore_index=True), arguments, signatures=signatures, notes=notes)


def _table(study: GeneralisabilityStudy, arguments: argparse.Namespace) -> pd.DataFrame:
    if arguments.items or arguments.assessors:
        items, assessors = arguments.items or [study.items], arguments.assessors or [study.assessors]
        return study.plans(items, assessors, effect=arguments.effect)
    shares = study.shares()
    rows = [
        {"component": name, "variance": value, "share": shares[name]}
        for name, value in study.variances.items()
    ]
    return pd.DataFrame(rows)
