"""``python -m metrics score``: outputs and references → automatic scores."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from tqdm import tqdm  # type: ignore[import-untyped]

from metrics.automatic import registry
from metrics.automatic.run import score
from metrics.cli.arguments import add_output_arguments, whole_number
from metrics.cli.output import write
from metrics.errors import BadInput
from metrics.frames import read_texts_outputs, read_texts_references


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--outputs", metavar="FILE", type=Path, required=True, help="system, item, text or sentences"
    )
    parser.add_argument(
        "--references", metavar="FILE", type=Path, required=True, help="item, reference, text or sentences"
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        nargs="+",
        action="extend",
        help=f"names and globs ('rouge-*', 'rouge-2-stem*-f'); families: {', '.join(registry.families())}; "
        "by default a set that covers them all",
    )
    parser.add_argument("--level", choices=("item", "system"), default="item", help="default %(default)s")
    parser.add_argument(
        "--processes", metavar="N", type=whole_number(1), help="worker processes (default: one per core)"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    choices = registry.select(arguments.metric, level=arguments.level)
    outputs = read_texts_outputs(arguments.outputs)
    references = read_texts_references(arguments.references)
    if not outputs["item"].isin(references["item"]).any():
        raise BadInput(
            f"no item of the outputs has a reference: outputs are of {_first(outputs)}, "
            f"references of {_first(references)}",
            file=str(arguments.references),
        )
    # The bar is drawn on standard error, and only where somebody can see it move.
    with tqdm(total=len(outputs), unit="output", disable=None, leave=False) as bar:
        scores = score(
            outputs,
            references,
            metrics=dict.fromkeys(choice.metric.name for choice in choices),
            processes=arguments.processes,
            progress=lambda done, _: _advance(bar, done),
        )
    names = [choice.name for choice in choices]
    table = scores.table(arguments.level, names)
    write(table, arguments, signatures=scores.signatures(arguments.level, names))


def _advance(bar: tqdm, done: int) -> None:
    bar.update(done - bar.n)


def _first(texts: pd.DataFrame) -> str:
    """The first items of a file, as an example."""
    items = list(dict.fromkeys(texts["item"]))
    return ", ".join(items[:3]) + (" …" if len(items) > 3 else "")
