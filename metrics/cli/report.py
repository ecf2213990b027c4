"""``python -m metrics report``: everything on one study, as a folder with a page, JSON, tables and figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from tqdm import tqdm  # type: ignore[import-untyped]

from metrics.cli.arguments import (
    add_adjudicated_argument,
    add_attributes_argument,
    add_duplicates_arguments,
    add_judgments_argument,
    add_resamples_argument,
    add_seed_argument,
    attributes_of,
    judgments_of,
    share,
    whole_number,
)
from metrics.frames import read_judgments, read_scores, read_texts_outputs, read_texts_references
from metrics.human.normalise import METHODS
from metrics.report import Options, build_report, check_place, write_report
from metrics.report.options import COMPARISONS, INTERVALS
from metrics.report.write import as_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_judgments_argument(parser)
    add_attributes_argument(parser)
    parser.add_argument("--outputs", metavar="FILE", type=Path, help="system, item, text or sentences")
    parser.add_argument("--references", metavar="FILE", type=Path, help="item, reference, text or sentences")
    parser.add_argument("--scores", metavar="FILE", type=Path, help="score table of metrics made elsewhere")
    parser.add_argument(
        "--programs", metavar="FILE", type=Path, help="what programs judged: a long table of its own"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="a new folder, or an older report"
    )
    parser.add_argument("--title", default="", help="of the report (default: the study's name)")
    parser.add_argument(
        "--human",
        metavar="NAME",
        nargs="+",
        help="human scores: NAME or TASK/NAME, the most important first (default all)",
    )
    parser.add_argument(
        "--metric", metavar="NAME", nargs="+", action="extend", help="names and globs of metrics"
    )
    parser.add_argument(
        "--normalise", choices=METHODS, default="none", help="per assessor (default %(default)s)"
    )
    parser.add_argument(
        "--controls", action="store_true", help="control items take part in an assessor's mean and deviation"
    )
    add_duplicates_arguments(parser)
    add_adjudicated_argument(parser)
    parser.add_argument(
        "--interval", choices=INTERVALS, default="analytic", help="of correlations (default %(default)s)"
    )
    parser.add_argument(
        "--comparison",
        choices=COMPARISONS,
        default=COMPARISONS[0],
        help="of systems: a crossed mixed model of the judgments, the same of ordered categories, randomised items with Holm's correction, or WMT's procedure "
        "(default %(default)s)",
    )
    add_resamples_argument(parser, default=1_000, what="of the items, for intervals")
    parser.add_argument(
        "--alpha", type=share, default=0.05, help="of clusters and Williams tests (default %(default)s)"
    )
    parser.add_argument(
        "--processes", metavar="N", type=whole_number(1), help="worker processes (default: one per core)"
    )
    parser.add_argument(
        "--figures",
        action="store_true",
        help='draw all figures as files, too (half a second each; "export" does it later)',
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the whole report as JSON, with the tables that the folder has as Parquet, in place of the headline",
    )
    add_seed_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    options = Options(
        human=arguments.human,
        normalise=arguments.normalise,
        metrics=arguments.metric,
        interval=arguments.interval,
        comparison=arguments.comparison,
        controls=arguments.controls,
        adjudicated=arguments.adjudicated,
        n_resamples=arguments.resamples,
        alpha=arguments.alpha,
        seed=arguments.seed,
    )
    check_place(arguments.out)
    # The bar is drawn on standard error, and only where somebody can see it move.
    with tqdm(disable=None, leave=False, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        report = build_report(
            judgments_of(arguments, use=None),
            attributes=attributes_of(arguments),
            outputs=_read(read_texts_outputs, arguments.outputs),
            references=_read(read_texts_references, arguments.references),
            scores=_read(read_scores, arguments.scores),
            programs=_read(read_judgments, arguments.programs),
            title=arguments.title,
            options=options,
            processes=arguments.processes,
            progress=_shown_on(bar),
        )
        write_report(report, arguments.out, figures=arguments.figures, progress=_shown_on(bar))
    if arguments.json:
        sys.stdout.write(as_json(report.data))
        return
    for sentence in report.data["headline"]:
        print(sentence)
    print(report.data["signature"], file=sys.stderr)


def _read(reader: Callable[[Path], pd.DataFrame], path: Path | None) -> pd.DataFrame | None:
    return None if path is None else reader(path)


def _shown_on(bar: tqdm) -> Callable[[int, int, str], None]:
    def show(done: int, total: int, label: str) -> None:
        bar.total, bar.n = total, done
        bar.set_description(label)

    return show
