"""``python -m metrics orange``: do metrics rank references above outputs?"""

from __future__ import annotations

import argparse

from metrics.automatic.text_pairs import collect, left_out_scores
from metrics.cli.arguments import add_output_arguments, add_resamples_argument
from metrics.cli.output import by_name, write
from metrics.cli.texts import add_text_arguments, progress_bar, read_text_files
from metrics.meta.orange import RESAMPLES, orange


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser, default="by default a set that covers all that need no parse")
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="differences between metrics instead: metric_a,metric_b,difference,low,high",
    )
    add_resamples_argument(parser, default=RESAMPLES, what="of the bootstrap over items")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    outputs, references, documents = read_text_files(arguments)
    found = collect(outputs, references, arguments.metric, documents=documents, least_references=2)
    with progress_bar("score") as progress:
        items = left_out_scores(found, processes=arguments.processes, progress=progress)
        result = orange(items, found.names, n_resamples=arguments.resamples, rng=arguments.seed)
    table = result.pairs if arguments.pairs else result.table
    notes = ["lower is better: 1/(n + 1) is perfect with n outputs, (n + 2)/(2n + 2) is a constant metric"]
    write(table, arguments, signatures=by_name(result.signature) | found.signatures, notes=notes)
