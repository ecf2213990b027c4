"""The report of a study, made by ``metrics.report`` from all that the study has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from annotation.analysis.inputs import report_inputs
from annotation.analysis.options import ReportOptions
from annotation.models import Study
from annotation.selectors.runs import Newest, newest_data
from metrics import __version__
from metrics.automatic import registry
from metrics.errors import BadInput
from metrics.report import Options, Report, build_report, check_place, write_report
from metrics.report.build import SCHEMA
from metrics.report.options import default_metrics

Progress = Callable[[int, int, str], None]  # done, of how much, at what

WHOLE = 1_000
# Shares of the work that are done when only writing is left, without and with figures.
BUILT, BUILT_OF_ALL = 0.9, 0.6
VERSION = f"touchstone-{__version__} {SCHEMA}"  # of what a report is made by and looks like


def metric_names(patterns: Sequence[str] | None) -> list[str]:
    """The automatic metrics that names and globs stand for; an unknown one is ``BadInput`` and names the nearest."""
    if patterns is None:
        return default_metrics()
    return [choice.name for choice in registry.select(patterns)]


def report_make(
    study: Study, *, options: ReportOptions, out: Path, progress: Progress, figures: bool = False
) -> None:
    """The same files at once and anywhere: what ``manage.py report_study`` does."""
    newest = newest_data(study)
    if not newest.judgment:
        raise BadInput("Nothing has been judged yet: a report needs judgments.")
    metric_names(options.metrics)
    check_place(out)
    built = BUILT_OF_ALL if figures else BUILT
    report = report_build(study, options, newest=newest, progress=progress_part(progress, 0, built))
    write_report(report, out, figures=figures, progress=progress_part(progress, built, 1))


def report_build(
    study: Study, options: ReportOptions, *, newest: Newest, progress: Progress | None = None
) -> Report:
    """Everything that the study has, through ``metrics.report``."""
    return report_of(study, options, report_inputs(study, newest), progress=progress)


def report_of(study: Study, options: ReportOptions, inputs: dict[str, Any], **told: Any) -> Report:
    """The report of these tables; ``told``: whom to tell how far it is, and whom to ask whether to go on."""
    return build_report(**inputs, title=study.name, options=Options(**options.model_dump()), **told)


def progress_part(progress: Progress, begin: float, end: float) -> Progress:
    """For a piece of the work that counts by itself: it moves from one share of the whole to another."""

    def told(done: int, total: int, label: str) -> None:
        progress(round(WHOLE * (begin + (end - begin) * done / max(1, total))), WHOLE, label)

    return told
