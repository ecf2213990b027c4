"""The command line: one module per command, one line each in ``COMMANDS``.

A command module has ``HELP``, ``add_arguments(parser)`` and ``run(arguments)``; the arguments that commands share are in
``cli.arguments``, the writing of CSV and JSON is in ``cli.output``. A bad file becomes one clear line and exit code 2 here.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TextIO

from metrics.cli.arguments import Parser
from metrics.errors import BadInput

PROGRAM = "python -m metrics"

COMMANDS = {
    "score": "metrics.cli.score",
    "human": "metrics.cli.human",
    "correlate": "metrics.cli.correlate",
    "compare-metrics": "metrics.cli.compare_metrics",
    "compare-systems": "metrics.cli.compare_systems",
    "clusters": "metrics.cli.clusters",
    "agreement": "metrics.cli.agreement",
    "split-half": "metrics.cli.split_half",
    "power": "metrics.cli.power",
    "stability": "metrics.cli.stability",
    "significance-prediction": "metrics.cli.significance_prediction",
    "report": "metrics.cli.report",
    "convert": "metrics.cli.convert",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 when a file or argument is bad."""
    argv = sys.argv[1:] if argv is None else list(argv)
    arguments, run = _parsed(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _one_line_once()
        try:
            run(arguments)
        except BadInput as problem:
            print(f"{PROGRAM} {arguments.command}: {problem}", file=sys.stderr)
            return 2
        except BrokenPipeError:
            # Whoever reads the table has seen enough (``| head``). Python would complain once more when it closes it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except KeyboardInterrupt:
            print(f"{PROGRAM} {arguments.command}: stopped", file=sys.stderr)
            return 128 + signal.SIGINT
    return 0


def _parsed(argv: list[str]) -> tuple[argparse.Namespace, Callable[[argparse.Namespace], None]]:
    """The arguments, and the function of the command that takes them."""
    parser = Parser(
        prog=PROGRAM, description="Human scores, automatic metrics and their meta-evaluation, on files."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    # Only the command that was asked for is loaded: the others would double the time to the first line of output.
    chosen = argv[:1] if argv and argv[0] in COMMANDS else list(COMMANDS)
    modules = {name: importlib.import_module(COMMANDS[name]) for name in chosen}
    parsers = {
        name: commands.add_parser(name, help=module.HELP, description=module.HELP)
        for name, module in modules.items()
    }
    for name, module in modules.items():
        module.add_arguments(parsers[name])
    arguments, unknown = parser.parse_known_args(argv)
    if arguments.command is None:
        parser.error(f"expected a command, one of {', '.join(COMMANDS)}")
    if unknown:
        parsers[arguments.command].error(f"there is no argument {unknown[0]}")
    return arguments, modules[arguments.command].run


def _one_line_once() -> Callable[..., None]:
    """A warning as a user of the command line wants it: what happened, not where in the code, and not over and over."""
    said: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if str(message) not in said:
            said.add(str(message))
            print(f"warning: {message}", file=sys.stderr)

    return show
