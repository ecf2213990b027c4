"""The command line: one module per command, one line each in ``COMMANDS``.

A command module has ``add_arguments(parser)`` and ``run(arguments)``, and is loaded only when it is asked for; the arguments
that commands share are in ``cli.arguments``, the writing of CSV and JSON is in ``cli.output``. A bad file becomes one clear
line and exit code 2 here.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from metrics.cells import half_a_pair
from metrics.cli.parser import Parser
from metrics.errors import BadInput

PROGRAM = "python -m metrics"


class Command(NamedTuple):
    """A command: the module that does it, and its line in the help, which is written without loading the module."""

    module: str
    help: str


COMMANDS = {
    "score": Command(
        "metrics.cli.score",
        "automatic scores of outputs against references: metric,system,item,score",
    ),
    "human": Command(
        "metrics.cli.human",
        "human scores from the long table of judgments: metric,system,item,score",
    ),
    "correlate": Command(
        "metrics.cli.correlate",
        "correlation of metrics with human scores: metric,level,method,n,statistic,pvalue,low,high",
    ),
    "compare-metrics": Command(
        "metrics.cli.compare_metrics",
        "tests between metrics: metric_a,metric_b,r_a,r_b,r_ab,n,statistic,pvalue,pvalue_adjusted",
    ),
    "compare-systems": Command(
        "metrics.cli.compare_systems",
        "tests between systems: system_a,system_b,mean_a,mean_b,difference,n,ties,statistic,pvalue,pvalue_adjusted",
    ),
    "clusters": Command(
        "metrics.cli.clusters",
        "significance clusters: system,score,cluster,start,end,wins,losses,best_rank,worst_rank",
    ),
    "rank-ranges": Command(
        "metrics.cli.rank_ranges",
        "ranks that systems could have, from comparisons: system,score,low,high,best_rank,worst_rank,cluster,first_share",
    ),
    "agreement": Command(
        "metrics.cli.agreement",
        "agreement between assessors: task,criterion,coefficient,value,low,high,items,assessors",
    ),
    "quality": Command(
        "metrics.cli.quality",
        "how carefully each assessor judges: assessor,check,n,statistic,pvalue,low,high,verdict",
    ),
    "split-half": Command(
        "metrics.cli.split_half",
        "split-half reliability of system scores: task,criterion,over,n,systems,half,statistic,low,high",
    ),
    "power": Command(
        "metrics.cli.power",
        "chance to find a difference between two systems: items,power,low,high",
    ),
    "stability": Command(
        "metrics.cli.stability",
        "interval width and ranking by number of items: items,interval_width,tau,same_best",
    ),
    "significance-prediction": Command(
        "metrics.cli.significance_prediction",
        "recall and precision of significant differences: metric,alpha,recall,precision,hits,human,automatic",
    ),
    "explain": Command(
        "metrics.cli.explain",
        "why an output has its BEwT-E score: which elements matched which, and by what",
    ),
    "qarla": Command(
        "metrics.cli.qarla",
        "metrics judged without people, by KING and JACK: set,size,king,jack",
    ),
    "orange": Command(
        "metrics.cli.orange",
        "metrics judged without people, by the ranks of references: metric,orange,low,high,items",
    ),
    "design-check": Command(
        "metrics.cli.design_check",
        "whether a design can carry a ranking: task,criterion,may_rank,code,severity,sentence",
    ),
    "system-model": Command(
        "metrics.cli.system_model",
        "a mixed model of judgments, all pairs of systems: system_a,system_b,difference,low,high,pvalue_adjusted …",
    ),
    "generalisability": Command(
        "metrics.cli.generalisability",
        "variance components, and what more items or assessors would buy: component,variance,share",
    ),
    "rasch": Command(
        "metrics.cli.rasch",
        "severity of assessors, difficulty of items: facet,name,measure,error,infit,outfit …",
    ),
    "best-metric": Command(
        "metrics.cli.best_metric",
        "the best of many metrics, allowing for the choice: metric,r,pvalue_adjusted,candidate",
    ),
    "report": Command(
        "metrics.cli.report",
        "a study's results in one folder: report.html, report.json, tables, figures, methods",
    ),
    "export": Command(
        "metrics.cli.export",
        "figures, and long tables as CSV, out of the folder of a report",
    ),
    "convert": Command(
        "metrics.cli.convert",
        "files of other tools into our tables, and our tables into files of other tools",
    ),
}


def main(argv: Sequence[str] | None = None, *, program: str = PROGRAM) -> int:
    """Run one command; 0 when it worked, 2 when a file or argument is bad. ``program`` is what the user has typed."""
    argv = sys.argv[1:] if argv is None else list(argv)
    try:
        arguments, run = _parsed(argv, program)
    except BadInput as problem:
        # Commands list what is installed, and a plug-in may be broken.
        print(f"{program}: {problem}", file=sys.stderr)
        return 2
    with warnings.catch_warnings():
        warnings.showwarning = _one_line_once()
        try:
            run(arguments)
        except BadInput as problem:
            print(f"{program} {arguments.command}: {problem}", file=sys.stderr)
            return 2
        except BrokenPipeError:
            # Whoever reads the table has seen enough (``| head``). Python would complain once more when it closes it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except KeyboardInterrupt:
            print(f"{program} {arguments.command}: stopped", file=sys.stderr)
            return 128 + signal.SIGINT
    return 0


def _parsed(argv: list[str], program: str) -> tuple[argparse.Namespace, Callable[[argparse.Namespace], None]]:
    """The arguments, and the function of the command that takes them."""
    parser = Parser(
        prog=program, description="Human scores, automatic metrics and their meta-evaluation, on files."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    parsers = {
        name: commands.add_parser(name, help=command.help, description=command.help)
        for name, command in COMMANDS.items()
    }
    # Only the command that was asked for is loaded: pandas and SciPy take seconds that the list of commands need not.
    module = importlib.import_module(COMMANDS[argv[0]].module) if argv and argv[0] in COMMANDS else None
    if module:
        module.add_arguments(parsers[argv[0]])
    arguments, unknown = parser.parse_known_args(argv)
    if unknown and arguments.command:
        parsers[arguments.command].error(f"there is no argument {unknown[0]}")
    if half_a_pair([value for value in vars(arguments).values() if isinstance(value, str)]):
        raise BadInput("expected arguments in UTF-8, found half a character")
    if module is None:
        parser.error(f"expected a command, one of {', '.join(COMMANDS)}")
    return arguments, module.run


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
