"""``touchstone run``, ``touchstone manage …``, ``touchstone metrics …``.

Nothing is imported before it is wanted: ``touchstone metrics`` works where Django is not installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

USAGE = """\
usage: touchstone COMMAND ...

Human assessment of summaries and translations, and the meta-evaluation of automatic metrics against it.

  run              serve the web application on this machine until Ctrl-C
  manage COMMAND   the application's other commands; "touchstone manage help" lists them
  metrics COMMAND  human scores, automatic metrics and statistics on files; "touchstone metrics --help" lists them
"""
OWN = {"annotation", "config", "metrics", "touchstone"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 2 when it cannot be understood or what it needs is not installed."""
    command, *arguments = (sys.argv[1:] if argv is None else argv) or ("--help",)
    if command == "metrics":
        return _metrics(arguments)
    if command == "manage":
        return _manage("manage", arguments or ["help"])
    if command == "run" and not arguments:
        return _manage("run", ["serve"])
    if command in {"-h", "--help"}:
        print(USAGE, end="")
        return 0
    if command == "run":
        problem = f"run takes no argument, found {arguments[0]!r}; settings come from the environment"
    else:
        problem = f"expected a command, one of run, manage, metrics, found {command!r}"
    print(f"touchstone: {problem}; see touchstone --help", file=sys.stderr)
    return 2


def _metrics(arguments: list[str]) -> int:
    from metrics.cli import main as metrics

    return metrics(arguments, program="touchstone metrics")


def _manage(command: str, arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        import django
        from django.core.management import execute_from_command_line

        django.setup()
    except ModuleNotFoundError as problem:
        missing = (problem.name or "").split(".")[0]
        if missing in OWN:
            raise
        print(
            f"touchstone {command} needs the web application, and {missing} is not installed: install Touchstone "
            'with its extra "app" (in its folder: pip install ".[app]")',
            file=sys.stderr,
        )
        return 2
    execute_from_command_line([f"touchstone {command}", *arguments])
    return 0
