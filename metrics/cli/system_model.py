"""``python -m metrics system-model``: who wins and how sure, for other items and other assessors too?"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from metrics.cli.arguments import add_equivalence_argument, add_output_arguments, add_resamples_argument
from metrics.cli.criteria import add_criteria_arguments, each_criterion, labelled
from metrics.cli.output import write
from metrics.meta.common import FloatArray
from metrics.meta.design_check import check_design
from metrics.meta.effects import two_one_sided
from metrics.meta.multiplicity import adjust
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
    parser.add_argument(
        "--ordinal",
        action="store_true",
        help="ratings are ordered steps of unknown width: estimates are logits about the mean of the systems",
    )
    add_equivalence_argument(parser)
    add_resamples_argument(
        parser, default=RESAMPLES, what="of items and assessors, where the model cannot be fitted"
    )
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    tables, signatures, notes = [], {}, []
    for task, criterion, judgments in each_criterion(arguments):
        model = system_model(
            judgments,
            scale="ordinal" if arguments.ordinal else "interval",
            correction=arguments.correction,
            n_resamples=arguments.resamples,
            rng=arguments.seed,
        )
        table = model.frame() if arguments.systems else model.pair_frame()
        if arguments.equivalent_within and not arguments.systems:
            table = table.assign(pvalue_equivalent=_equivalent(table, arguments.equivalent_within))
        tables.append(labelled(task, criterion, table))
        signatures[f"{task}/{criterion}"] = model.signature
        said = [*(warning.sentence for warning in check_design(judgments).warnings), *_of_model(model)]
        notes += [f"{task}/{criterion}: {sentence}" for sentence in said]
    write(pd.concat(tables, ignore_index=True), arguments, signatures=signatures, notes=notes)


def _equivalent(pairs: pd.DataFrame, margin: float) -> FloatArray:
    difference, error, df = (pairs[name].to_numpy(dtype=np.float64) for name in ("difference", "error", "df"))
    return adjust(two_one_sided(difference, error, df, margin), "holm")


def _of_model(model: SystemModel) -> list[str]:
    said = []
    if model.method == "ordinal-model":
        said.append("Estimates and differences are logits; systems are about their mean.")
    if model.why and model.method == "mixed-model":
        said.append(f"{model.why[:1].upper()}{model.why[1:]}; the model of numbers was taken in its place.")
    elif model.why:
        said.append(f"No model could be fitted ({model.why}): items and assessors were bootstrapped instead.")
    said += [f"{term} is not in the model: {why}." for term, why in model.left_out.items()]
    if "assessors" not in model.generalises_over:
        said.append("What is found holds for these assessors, and not for others.")
    return said
