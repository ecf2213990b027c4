"""``python -m metrics explain``: which Basic Elements of an output matched which of a reference, and by what."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.automatic.bewte.explanation import ELEMENT_COLUMNS, element_table, explanations
from metrics.cli.arguments import add_output_arguments
from metrics.cli.output import write
from metrics.errors import BadInput
from metrics.frames import read_texts_outputs, read_texts_references


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--outputs", metavar="FILE", type=Path, required=True, help="system, item, text")
    parser.add_argument(
        "--references", metavar="FILE", type=Path, required=True, help="item, reference, text"
    )
    parser.add_argument("--system", metavar="NAME", required=True, help="whose output")
    parser.add_argument("--item", metavar="ID", required=True, help="of which item")
    parser.add_argument("--exact", action="store_true", help="without transformations, as bewte-exact scores")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    outputs, references = read_texts_outputs(arguments.outputs), read_texts_references(arguments.references)
    output = outputs[(outputs["system"] == arguments.system) & (outputs["item"] == arguments.item)]
    if output.empty:
        raise BadInput(
            f"no output of system {arguments.system!r} for item {arguments.item!r}",
            file=str(arguments.outputs),
        )
    own = references[references["item"] == arguments.item]
    if own.empty:
        raise BadInput(f"no reference for item {arguments.item!r}", file=str(arguments.references))
    said = explanations(output, own, exact=arguments.exact)
    write(table(said), arguments, signatures={said["metric"]: said["signature"]})


def table(said: dict[str, Any]) -> pd.DataFrame:
    """One row per element of each reference, the best first."""
    tables = [
        element_table(entry).assign(reference=entry["reference"], score=entry["score"])
        for entry in said["references"]
    ]
    whole = pd.concat(tables, ignore_index=True)
    return whole[["reference", "score", *ELEMENT_COLUMNS]]
