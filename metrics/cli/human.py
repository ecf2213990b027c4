"""``python -m metrics human``: judgments → one human score per system and item."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import pandas as pd

from metrics.cli.arguments import (
    add_adjudicated_argument,
    add_attributes_argument,
    add_duplicates_arguments,
    add_judgments_argument,
    add_output_arguments,
    attributes_file,
    attributes_of,
    check_task,
    judgments_of,
)
from metrics.cli.output import write
from metrics.errors import BadInput
from metrics.human import human_score
from metrics.human.base import MissingAttribute
from metrics.human.kind import AVERAGING, Option
from metrics.human.registry import kinds_that, scores


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    add_attributes_argument(parser)
    rated = " or ".join(kinds_that(lambda kind: kind.criterion_score is not None))
    parser.add_argument(
        "--score",
        metavar="NAME",
        required=True,
        help=f"{', '.join(scores())}, or any criterion of a {rated} task",
    )
    parser.add_argument("--task", metavar="NAME", help="where several tasks could give the score")
    own = _own_options()
    for option in AVERAGING:
        _add_option(parser, *own.pop(option.name, (option, option.help)))
    parser.add_argument("--level", choices=("item", "system"), default="item", help="default %(default)s")
    parser.add_argument(
        "--weights",
        choices=("none", "tokens"),
        default="none",
        help="of items in a system's score (Leusch et al.)",
    )
    for option, help_ in own.values():
        _add_option(parser, option, help_)
    parser.add_argument(
        "--lower-is-better",
        action="store_true",
        help="mark the score as one of which less is better, such as a rank",
    )
    add_duplicates_arguments(parser)
    add_adjudicated_argument(parser)
    add_output_arguments(parser)


def _own_options() -> dict[str, tuple[Option, str]]:
    """The options that only some scores have, with all choices of any; what each is for, with the first score that takes it."""
    found: dict[str, tuple[Option, dict[str, str]]] = {}
    shared = {option.name: option for option in AVERAGING}
    for score in scores().values():
        for option in score.options:
            if option in AVERAGING:
                continue
            general = shared.get(option.name)
            start = (option, {}) if general is None else (general, {general.help: ""})
            known, helps = found.setdefault(option.name, start)
            helps.setdefault(option.help, score.name)
            choices = tuple(dict.fromkeys((*known.choices, *option.choices)))
            found[option.name] = replace(known, choices=choices), helps
    return {
        name: (option, "; ".join(f"{who}: {help_}" if who else help_ for help_, who in helps.items()))
        for name, (option, helps) in found.items()
    }


def _add_option(parser: argparse.ArgumentParser, option: Option, help_: str) -> None:
    how: dict[str, Any] = {"type": option.type}
    if option.flag:
        how = {"action": "store_const", "const": True}
    elif option.choices:
        how = {"choices": option.choices}
    elif option.is_task:
        how["metavar"] = "NAME"
    parser.add_argument(f"--{option.name.replace('_', '-')}", help=help_, **how)


def run(arguments: argparse.Namespace) -> None:
    if arguments.weights != "none" and arguments.level != "system":
        raise BadInput("expected --level system with --weights: they average items into systems")
    try:
        table, signature = _scores(arguments)
    except MissingAttribute as problem:
        file = attributes_file(arguments)
        if file is None:
            raise BadInput(f"{problem}: give --attributes FILE, exported beside the judgments") from problem
        raise BadInput(str(problem), file=str(file)) from problem
    if arguments.lower_is_better:
        table = table.assign(higher_is_better=False)
    write(table, arguments, signatures={arguments.score: signature})


def _scores(arguments: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    """The score table and its signature."""
    judgments = judgments_of(arguments, use=arguments.adjudicated)
    own = _own_options()
    options = [
        *(option for option in AVERAGING if option.name not in own),
        *(option for option, _ in own.values()),
    ]
    # What the command line leaves alone is not passed on, so that a score refuses only what a user asked for.
    asked = {
        option.name: getattr(arguments, option.name)
        for option in options
        if getattr(arguments, option.name) is not None
    }
    for task in (arguments.task, *(asked.get(option.name) for option in options if option.is_task)):
        check_task(judgments, task, file=arguments.judgments)
    attributes = attributes_of(arguments)
    score = human_score(judgments, arguments.score, attributes=attributes, task=arguments.task, **asked)
    if arguments.level == "item":
        if (score.scores["item"] == "").all():
            raise BadInput(f"expected --level system: {score.name} is a score of whole systems")
        return score.scores, _signed(score.signature, arguments.adjudicated)
    of_systems = score.system_scores(weights=arguments.weights, attributes=attributes)
    return of_systems, _signed(score.system_signature(weights=arguments.weights), arguments.adjudicated)


def _signed(signature: str, use: str) -> str:
    """The signature says what the score is made of, unless it is made of raw judgments as ever."""
    before, version, after = signature.rpartition("|version:")
    return signature if use == "raw" else f"{before}|adjudicated:{use}{version}{after}"
