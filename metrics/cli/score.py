"""``python -m metrics score``: outputs and references → automatic scores."""

from __future__ import annotations

import argparse
from pathlib import Path

from metrics.automatic import registry
from metrics.automatic.pourpre import FAMILY, read_document_frequencies
from metrics.automatic.run import score
from metrics.cli.arguments import add_output_arguments
from metrics.cli.output import write
from metrics.cli.texts import add_text_arguments, progress_bar, read_text_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(
        parser,
        default="by default a set that covers all that need no parse; of nuggets, pourpre",
        nuggets=True,
    )
    parser.add_argument("--level", choices=("item", "system"), default="item", help="default %(default)s")
    parser.add_argument(
        "--document-frequencies",
        metavar="FILE",
        type=Path,
        help="for POURPRE: the number of documents, then a term and its number of documents in each line",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    of_nuggets = [FAMILY.name] if arguments.references is None else None
    choices = registry.select(arguments.metric or of_nuggets, level=arguments.level)
    outputs, references, documents = read_text_files(arguments)
    frequencies = arguments.document_frequencies
    with progress_bar("output") as progress:
        scores = score(
            outputs,
            references,
            metrics=dict.fromkeys(choice.metric.name for choice in choices),
            documents=documents,
            corpus={} if frequencies is None else {"pourpre": read_document_frequencies(frequencies)},
            processes=arguments.processes,
            progress=progress,
        )
    names = [choice.name for choice in choices]
    table = scores.table(arguments.level, names)
    write(table, arguments, signatures=scores.signatures(arguments.level, names))
