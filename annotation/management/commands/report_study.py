"""``report_study SLUG --out DIR``: the report of a study as a folder, the same files as in the browser."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from annotation.analysis import BadInput, report_make
from annotation.analysis.options import ReportOptions
from annotation.management.shared import study_or_error

DEFAULTS = ReportOptions()


class Command(BaseCommand):
    help = "Scores, agreement and meta-evaluation of a study: report.html, report.json, tables, figures, methods."
    requires_system_checks = ()  # of pages and the API, which it has no need to load

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        for name in ("normalise", "comparison", "interval", "adjudicated"):
            parser.add_argument(
                f"--{name}", choices=ReportOptions.choices(name), default=getattr(DEFAULTS, name)
            )
        parser.add_argument(
            "--metric", nargs="+", metavar="NAME", help="names and globs; default: all usual ones"
        )
        parser.add_argument("--resamples", type=int, default=DEFAULTS.n_resamples)
        parser.add_argument("--seed", type=int, default=DEFAULTS.seed)
        parser.add_argument("--figures", action="store_true", help="draw all figures as files, too")

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        study = study_or_error(slug)
        try:
            chosen = ReportOptions(
                normalise=options["normalise"],
                metrics=options["metric"],
                comparison=options["comparison"],
                interval=options["interval"],
                adjudicated=options["adjudicated"],
                n_resamples=options["resamples"],
                seed=options["seed"],
            )
            with _few_collections():
                report_make(study, options=chosen, out=out, progress=self._say, figures=options["figures"])
        except ValidationError as problem:
            first = problem.errors()[0]
            raise CommandError(f"{first['loc'][0]}: {first['msg']}") from problem
        except BadInput as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(str(out))

    def _say(self, done: int, total: int, label: str) -> None:
        """How far it is, on standard error: one line for each kind of work."""
        kind = label.partition(":")[0]
        if kind != getattr(self, "_kind", None):
            self._kind = kind
            self.stderr.write(f"{100 * done // total:3d} %  {kind}")


@contextmanager
def _few_collections() -> Iterator[None]:
    """A report is tables of numbers: searching them for circles takes a tenth of the time, and finds next to none."""
    first, *others = gc.get_threshold()
    gc.set_threshold(max(first, 20_000), *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)
