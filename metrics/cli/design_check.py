"""``python -m metrics design-check``: can this design carry a ranking?"""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.cli.arguments import add_output_arguments
from metrics.cli.criteria import add_criteria_arguments, each_criterion, labelled
from metrics.cli.output import write
from metrics.meta.design_check import check_design
from metrics.signature import signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_criteria_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    tables, signatures = [], {}
    for task, criterion, judgments in each_criterion(arguments):
        check = check_design(judgments)
        fine = pd.DataFrame(
            [{"code": "fine", "severity": "note", "sentence": "Nothing speaks against a ranking."}]
        )
        found = check.frame() if check.warnings else fine
        found.insert(0, "may_rank", check.may_rank)
        tables.append(labelled(task, criterion, found))
        sizes = {"systems": check.systems, "items": check.items, "assessors": check.assessors}
        signatures[f"{task}/{criterion}"] = signature("design-check", sizes | {"judgments": check.judgments})
    write(pd.concat(tables, ignore_index=True), arguments, signatures=signatures)
