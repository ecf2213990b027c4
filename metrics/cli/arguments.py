"""The kinds of arguments that commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.frames import DUPLICATES, USES, read_attributes, read_judgments
from metrics.meta.tables import ScoreTables, read_score_tables
from metrics.signature import DEFAULT_SEED


def add_equivalence_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--equivalent-within",
        metavar="D",
        type=positive,
        help="add pvalue_equivalent: are two systems less than D apart? (two one-sided t-tests, Holm's correction)",
    )


def add_output_arguments(parser: argparse.ArgumentParser, *, seed: bool = False) -> None:
    """``--out``, ``--json`` and, for commands that draw random numbers, ``--seed``."""
    parser.add_argument("--out", metavar="FILE", type=new_file, help="write here instead of standard output")
    add_json_argument(parser)
    if seed:
        add_seed_argument(parser)


def add_judgments_argument(parser: argparse.ArgumentParser) -> None:
    """The long table, which most commands begin with."""
    parser.add_argument(
        "judgments", metavar="JUDGMENTS", type=Path, help="long table: .csv, .jsonl or .parquet"
    )


def add_attributes_argument(parser: argparse.ArgumentParser) -> None:
    """``--attributes``, for :func:`attributes_of`."""
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        type=Path,
        help="scope,id,name,value (default: JUDGMENTS.attributes.csv, if there)",
    )


def add_score_tables_arguments(parser: argparse.ArgumentParser) -> None:
    """``--human``, ``--metrics`` and ``--human-score``, for :func:`score_tables_of`."""
    parser.add_argument(
        "--human", metavar="FILE", type=Path, required=True, help="score table of human scores"
    )
    parser.add_argument("--metrics", metavar="FILE", type=Path, required=True, help="score table of metrics")
    parser.add_argument(
        "--human-score", metavar="NAME", help="which one, if the file holds several human scores"
    )
    parser.add_argument(
        "--human-lower-is-better",
        action="store_true",
        help="such as ranks, where the file does not say it itself",
    )


def score_tables_of(arguments: argparse.Namespace, *, items: bool, documents: bool = False) -> ScoreTables:
    """What ``add_score_tables_arguments`` asked for, read."""
    return read_score_tables(
        arguments.human,
        arguments.metrics,
        human_score=arguments.human_score,
        human_lower_is_better=arguments.human_lower_is_better,
        items=items,
        documents=documents,
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="JSON with signatures, notes and rows instead of CSV"
    )


def add_seed_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number(0),
        default=DEFAULT_SEED,
        help="seed of the random numbers (default %(default)s); it is part of the signature",
    )


def add_resamples_argument(
    parser: argparse.ArgumentParser, *, default: int, what: str, lowest: int = 1
) -> None:
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=whole_number(lowest),
        default=default,
        help=f"{what} (default %(default)s)",
    )


def add_duplicates_arguments(parser: argparse.ArgumentParser) -> None:
    """How several judgments of one person about one thing count, and whether repeated items are among them."""
    parser.add_argument(
        "--duplicates",
        choices=DUPLICATES,
        default="refuse",
        help="several judgments of one person about one thing: each counts, their mean, the newest (default refuse)",
    )
    parser.add_argument(
        "--count-repeats",
        action="store_true",
        help="items shown again (control repeat) count like any other, as campaigns of direct assessment count them",
    )


def add_adjudicated_argument(parser: argparse.ArgumentParser) -> None:
    """Which results are asked for where adjudicators have decided; for a table that was exported with their decisions."""
    parser.add_argument(
        "--adjudicated",
        choices=USES,
        default=USES[0],
        help="raw judgments, decisions of adjudicators alone, or both: a decision in place of the judgments of its piece "
        "(default %(default)s); agreement is always of raw judgments",
    )


def whole_number(lowest: int) -> Callable[[str], int]:
    """The type of an argument that counts something."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = lowest - 1
        if number < lowest:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {lowest}, found {text!r}")
        return number

    return read


def share(text: str) -> float:
    """The type of a level of significance."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text!r}")
    return number


def positive(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text!r}")
    return number


def new_file(text: str) -> Path:
    """The type of ``--out``: a place where a file can be. What takes hours to compute must not fail at the end."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"expected the name of a file, found the folder {text}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"no such folder: {path.parent}")
    return path


def judgments_of(arguments: argparse.Namespace, *, use: str | None = "raw") -> pd.DataFrame:
    """The long table that a command was given, read as ``add_duplicates_arguments`` lets one choose."""
    return read_judgments(
        arguments.judgments,
        duplicates=arguments.duplicates,
        count_repeats=arguments.count_repeats,
        use=use,
    )


def attributes_of(arguments: argparse.Namespace) -> pd.DataFrame | None:
    """The attributes that a command was given, else those that an export puts beside the judgments, if they are there."""
    file = attributes_file(arguments)
    return None if file is None else read_attributes(file)


def attributes_file(arguments: argparse.Namespace) -> Path | None:
    """The file of :func:`attributes_of`."""
    if arguments.attributes is not None:
        return Path(arguments.attributes)
    beside = arguments.judgments.with_name(f"{arguments.judgments.name}.attributes.csv")
    return beside if beside.is_file() else None


def check_task(judgments: pd.DataFrame, task: str | None, *, file: Path) -> None:
    """A task that was asked for must be in the table."""
    known = list(dict.fromkeys(judgments["task"]))
    if task is not None and task not in known:
        raise BadInput(
            f"expected a task among {', '.join(known)}, found {task!r}", file=str(file), column="task"
        )
