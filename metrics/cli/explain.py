"""``python -m metrics explain``: which Basic Elements of an output matched which of a reference, and by what."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.automatic import registry
from metrics.automatic.bewte.explanation import explain
from metrics.automatic.materials import INSTALL, materials
from metrics.automatic.run import with_parser
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
    """One row per element: matched with which and by what, missed of the reference, or extra in the output."""
    rows = [
        {"reference": entry["reference"], "score": entry["score"], "found": found, **columns}
        for entry in said["references"]
        for found in ("matched", "missed", "extra")
        for columns in map(_COLUMNS[found], entry[found])
    ]
    return pd.DataFrame(rows, columns=["reference", "score", "found", *_columns(None, None)])


def _columns(peer: dict[str, Any] | None, reference: dict[str, Any] | None, by: str = "") -> dict[str, str]:
    def words(element: dict[str, Any] | None) -> str:
        return " + ".join(text for text, _ in element["parts"]) if element else ""

    return {
        "output_rule": peer["rule"] if peer else "",
        "output_element": words(peer),
        "reference_rule": reference["rule"] if reference else "",
        "reference_element": words(reference),
        "by": by,
    }


_COLUMNS: dict[str, Callable[[dict[str, Any]], dict[str, str]]] = {
    "matched": lambda pair: _columns(pair["peer"], pair["reference"], "+".join(pair["by"])),
    "missed": lambda element: _columns(None, element),
    "extra": lambda element: _columns(element, None),
}


def explanations(output: pd.DataFrame, references: pd.DataFrame, *, exact: bool = False) -> dict[str, Any]:
    """The explanation of one output against each of its references, best first."""
    texts = materials(output, references, needs=["dependencies"])
    if "dependencies" not in texts.parsers:
        raise BadInput(f"no parse of these texts: {INSTALL['dependencies']}")
    row = output.iloc[0]
    metric = with_parser(registry.metric("bewte-exact" if exact else "bewte"), texts)
    models = texts.references[str(row["item"])]
    found = [
        {"reference": str(name), "text": " ".join(given.sentences)}
        | explain(
            texts.outputs[0].beside["dependencies"], given.beside["dependencies"], transformations=not exact
        )
        for name, given in zip(references["reference"], models, strict=True)
    ]
    return {
        "system": str(row["system"]),
        "item": str(row["item"]),
        "text": " ".join(texts.outputs[0].sentences),
        "metric": metric.name,
        "signature": metric.signature(level="item", references="1"),
        "references": sorted(found, key=lambda entry: -(entry["score"] or 0.0)),
    }
