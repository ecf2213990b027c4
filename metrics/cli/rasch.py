"""``python -m metrics rasch``: how severe is each assessor, how hard each item, and who judges unlike the others?"""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.cli.arguments import add_output_arguments
from metrics.cli.criteria import add_criteria_arguments, each_criterion, labelled
from metrics.cli.output import write
from metrics.meta.rasch import rasch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_criteria_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    tables, signatures, notes = [], {}, []
    for task, criterion, judgments in each_criterion(arguments):
        model = rasch(judgments)
        parts = {"assessor": model.assessors, "system": model.systems, "item": model.items}
        for facet, table in parts.items():
            renamed = table.rename(columns={facet: "name"})
            renamed.insert(0, "facet", facet)
            tables.append(labelled(task, criterion, renamed))
        signatures[f"{task}/{criterion}"] = model.signature
        odd = model.odd_assessors()
        if odd:
            notes.append(
                f"{task}/{criterion}: judged unlike the others (infit or outfit above 1.5, and not by chance): {', '.join(odd)}."
            )
    write(pd.concat(tables, ignore_index=True), arguments, signatures=signatures, notes=notes)
