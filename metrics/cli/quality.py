"""``python -m metrics quality``: how carefully does each assessor of a table of judgments judge?"""

from __future__ import annotations

import argparse

from metrics.cli.arguments import (
    add_attributes_argument,
    add_duplicates_arguments,
    add_judgments_argument,
    add_output_arguments,
    attributes_of,
    judgments_of,
)
from metrics.cli.output import by_name, write
from metrics.errors import BadInput
from metrics.quality import CHECKS, HOW, assess_quality
from metrics.signature import signature


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    add_attributes_argument(parser)
    add_duplicates_arguments(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    found = assess_quality(judgments_of(arguments), attributes_of(arguments))
    if found.rows.empty:
        raise BadInput(
            "expected judgments, found practice or what is left out only", file=str(arguments.judgments)
        )
    checks = [check for check in CHECKS if check in found.meanings]
    notes = [f"{check}: {found.meanings[check]}" for check in checks]
    write(
        found.rows,
        arguments,
        signatures=by_name(*(signature(check, HOW[check]) for check in checks)),
        notes=notes,
    )
