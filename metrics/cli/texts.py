"""The arguments of commands that score texts, and the reading of their files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from tqdm import tqdm  # type: ignore[import-untyped]

from metrics.automatic import registry
from metrics.automatic.executors import Progress
from metrics.automatic.pourpre import nugget_references
from metrics.cli.arguments import add_attributes_argument, attributes_of, check_task, whole_number
from metrics.errors import BadInput
from metrics.frames import read_judgments, read_texts_outputs, read_texts_references


def add_text_arguments(parser: argparse.ArgumentParser, *, default: str, nuggets: bool = False) -> None:
    """``--outputs``, ``--references``, ``--documents``, ``--metric`` and ``--processes``; perhaps nuggets as references."""
    parser.add_argument(
        "--outputs", metavar="FILE", type=Path, required=True, help="system, item, text or sentences"
    )
    compared = parser.add_mutually_exclusive_group(required=True) if nuggets else parser
    compared.add_argument(
        "--references",
        metavar="FILE",
        type=Path,
        help="item, reference, text or sentences",
        required=not nuggets,
    )
    if nuggets:
        compared.add_argument(
            "--nuggets",
            metavar="JUDGMENTS",
            type=Path,
            dest="judgments",
            help="instead of references, for POURPRE: the long table of a nugget study, for its answer key",
        )
        add_attributes_argument(parser)
        parser.add_argument("--task", metavar="NAME", help="whose answer key, where several tasks have one")
    parser.add_argument(
        "--documents", metavar="FILE", type=Path, help="item, text: the sources, for the terms of TVM"
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        nargs="+",
        action="extend",
        help=f"names and globs ('rouge-*', 'rouge-2-stem*-f'); families: {', '.join(registry.families())}; {default}",
    )
    parser.add_argument(
        "--processes", metavar="N", type=whole_number(1), help="worker processes (default: one per core)"
    )


def read_text_files(arguments: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame | None]:
    """Outputs, references and perhaps documents; files that have no item in common are refused."""
    outputs = read_texts_outputs(arguments.outputs)
    references = (
        _nuggets(arguments) if arguments.references is None else read_texts_references(arguments.references)
    )
    if not outputs["item"].isin(references["item"]).any():
        raise BadInput(
            f"no item of the outputs has a reference: outputs are of {_first(outputs)}, "
            f"references of {_first(references)}",
            file=str(arguments.references or arguments.judgments),
        )
    documents = None if arguments.documents is None else read_texts_references(arguments.documents)
    return outputs, references, documents


def _nuggets(arguments: argparse.Namespace) -> pd.DataFrame:
    judgments = read_judgments(arguments.judgments)
    check_task(judgments, arguments.task, file=arguments.judgments)
    return nugget_references(judgments, attributes=attributes_of(arguments), task=arguments.task)


@contextmanager
def progress_bar(unit: str) -> Iterator[Progress]:
    """A bar on standard error, only where somebody can see it move."""
    with tqdm(total=1, unit=unit, disable=None, leave=False) as bar:

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tell


def _first(texts: pd.DataFrame) -> str:
    """The first items of a file, as an example."""
    items = list(dict.fromkeys(texts["item"]))
    return ", ".join(items[:3]) + (" …" if len(items) > 3 else "")
