"""The command line: one module per command, one line each in ``COMMANDS``.

A command module has ``HELP``, ``add_arguments(parser)`` and ``run(arguments)``; the options for output shared by all
and the writing of CSV or JSON are in ``cli.output``. A bad file becomes one clear line and exit code 2 here.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from metrics.errors import BadInput

COMMANDS = {
    "score": "metrics.cli.score",
    "human": "metrics.cli.human",
    "correlate": "metrics.cli.correlate",
    "compare-metrics": "metrics.cli.compare_metrics",
    "compare-systems": "metrics.cli.compare_systems",
    "agreement": "metrics.cli.agreement",
    "significance-prediction": "metrics.cli.significance_prediction",
    "report": "metrics.cli.report",
    "convert": "metrics.cli.convert",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 when a file or argument is bad."""
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = argparse.ArgumentParser(prog="python -m metrics", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # Only the command that was asked for is loaded: the others would double the time to the first line of output.
    chosen = argv[:1] if argv and argv[0] in COMMANDS else list(COMMANDS)
    modules = {name: importlib.import_module(COMMANDS[name]) for name in chosen}
    for name, module in modules.items():
        module.add_arguments(commands.add_parser(name, help=module.HELP, description=module.HELP))
    arguments = parser.parse_args(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _one_line
        try:
            modules[arguments.command].run(arguments)
        except BadInput as problem:
            print(f"python -m metrics {arguments.command}: {problem}", file=sys.stderr)
            return 2
    return 0


def _one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a user of the command line wants it: what happened, not where in the code."""
    print(f"warning: {message}", file=sys.stderr)
