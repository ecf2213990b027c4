"""``python -m metrics qarla``: KING, JACK and likeness of metrics, from texts alone."""

from __future__ import annotations

import argparse

import pandas as pd

from metrics.automatic.text_pairs import collect, similarities
from metrics.cli.arguments import add_output_arguments, whole_number
from metrics.cli.output import by_name, write
from metrics.cli.texts import add_text_arguments, progress_bar, read_text_files
from metrics.errors import BadInput
from metrics.meta.qarla import Qarla, QarlaResult, all_sets

MOST_SETS = 20_000
MOST_ALIKE = 2_000
"""Sets of which each is compared with each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text_arguments(parser, default="by default a set that covers all that need no parse")
    parser.add_argument(
        "--largest-set",
        metavar="N",
        type=whole_number(1),
        default=1,
        help="try all sets of up to N metrics (default %(default)s)",
    )
    parser.add_argument(
        "--clusters", metavar="N", type=whole_number(1), help="join metrics that agree into N clusters"
    )
    parser.add_argument("--sim", action="store_true", help="how alike metrics are instead: set_a,set_b,sim")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    outputs, references, documents = read_text_files(arguments)
    found = collect(outputs, references, arguments.metric, documents=documents, least_references=3)
    sets = all_sets(found.names, arguments.largest_set)
    wants_sim = arguments.sim or arguments.clusters is not None
    most = MOST_ALIKE if wants_sim else MOST_SETS
    if len(sets) > most:
        compared = " to compare each with each" if wants_sim else ""
        raise BadInput(
            f"{len(sets)} sets are too many{compared} ({most} at most): name fewer metrics, or smaller sets"
        )
    counter = Qarla(found.names, sets, sim=wants_sim)
    with progress_bar("comparison") as progress:
        for item in similarities(found, processes=arguments.processes, progress=progress):
            counter.add(item)
    result = counter.result()
    table = _alike(result) if arguments.sim else result.table(arguments.clusters)
    write(table, arguments, signatures=by_name(result.signature) | found.signatures)


def _alike(result: QarlaResult) -> pd.DataFrame:
    assert result.sim is not None
    names = result.names
    rows = [
        (first, second, result.sim[a, b])
        for a, first in enumerate(names)
        for b, second in enumerate(names)
        if a < b
    ]
    frame = pd.DataFrame(rows, columns=["set_a", "set_b", "sim"])
    return frame.sort_values("sim", ascending=False, kind="stable", ignore_index=True)
