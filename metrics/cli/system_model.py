"""``python -m metrics system-model``: who wins and how sure, for other items and other assessors too?"""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.cli.arguments import add_output_arguments, add_resamples_argument
from metrics.cli.criteria import add_criteria_arguments, each_criterion, labelled
from metrics.cli.output import write
from metrics.meta.design_check import check_design
from metrics.meta.system_model import RESAMPLES, SystemModel, system_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_criteria_arguments(parser)
    parser.add_argument(
        "--systems",
        action="store_true",
        help="estimates of the systems (system,estimate,error,df,low,high) instead of pairs",
    )
    parser.add_argument(
        "--correction",
        choices=("holm", "tukey"),
        default="holm",
        help="how pvalue_adjusted allows for the number of pairs (default %(default)s)",
    )
    add_resamples_argument(
        parser, default=RESAMPLES, what="of items and assessors, where the model cannot be fitted"
    )
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    tables, signatures, notes = [], {}, []
    for task, criterion, judgments in each_criterion(arguments):
        model = system_model(
            judgments, correction=arguments.correction, n_resamples=arguments.resamples, rng=arguments.seed
        )
        tables.append(labelled(task, criterion, model.frame() if arguments.systems else model.pair_frame()))
        signatures[f"{task}/{criterion}"] = model.signature
        said = [*(warning.sentence for warning in check_design(judgments).warnings), *_of_model(model)]
        notes += [f"{task}/{criterion}: {sentence}" for sentence in said]
    write(pd.concat(tables, ignore_index=True), arguments, signatures=signatures, notes=notes)


def _of_model(model: SystemModel) -> list[str]:
    said = []
    if model.why:
        said.append(f"No model could be fitted ({model.why}): items and assessors were bootstrapped instead.")
    said += [f"{term} is not in the model: {why}." for term, why in model.left_out.items()]
    if "assessors" not in model.generalises_over:
        said.append("What is found holds for these assessors, and not for others.")
    return said
