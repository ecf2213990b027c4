"""The command line: one module per command, one line each in ``COMMANDS``.

A command module has ``HELP``, ``add_arguments(parser)`` and ``run(arguments) -> Result``; reading options shared by
all, writing CSV or JSON, and turning a bad file into one clear line and exit code 2 happen here and in ``cli.output``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from metrics.errors import BadInput

COMMANDS = {
    "score": "metrics.cli.score",
    "human": "metrics.cli.human",
    "correlate": "metrics.cli.correlate",
    "compare-metrics": "metrics.cli.compare_metrics",
    "compare-systems": "metrics.cli.compare_systems",
    "agreement": "metrics.cli.agreement",
    "significance-prediction": "metrics.cli.significance_prediction",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 when a file or argument is bad."""
    parser = argparse.ArgumentParser(prog="python -m metrics", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    modules = {name: importlib.import_module(path) for name, path in COMMANDS.items()}
    for name, module in modules.items():
        module.add_arguments(commands.add_parser(name, help=module.HELP, description=module.HELP))
    arguments = parser.parse_args(argv)
    try:
        modules[arguments.command].run(arguments)
    except BadInput as problem:
        print(f"python -m metrics {arguments.command}: {problem}", file=sys.stderr)
        return 2
    return 0
