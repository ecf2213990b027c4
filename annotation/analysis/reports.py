"""The one door to ``metrics``: the long table in, human scores of the study page and reports out.

A report is made in the background: ``report_request`` puts it on the queue, a worker (``manage.py db_worker``) runs
``report_task``, and the row of the run tells pages how far it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan, log10
from pathlib import Path
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django_tasks import task
from pyarrow import parquet

from annotation.export import ATTRIBUTE_COLUMNS, COLUMNS, attribute_rows, judgment_rows
from annotation.models import Run, Study
from annotation.reports.options import ReportOptions
from annotation.selectors.runs import Newest, data_hash, newest_data
from annotation.selectors.texts import output_rows, reference_rows, score_rows
from annotation.services import runs
from annotation.services.pulse import Pulse
from metrics import __version__
from metrics.automatic import registry
from metrics.errors import BadInput
from metrics.frames import check_attributes, check_judgments, read_judgments
from metrics.human import human_summary
from metrics.human.tables import ResultTable, human_tables
from metrics.report import (
    Cancelled,
    Options,
    Report,
    agreement_in_short,
    build_report,
    check_place,
    write_report,
)
from metrics.report.options import default_metrics

__all__ = [
    "BadInput",
    "Results",
    "ScoreTable",
    "SystemMean",
    "human_results",
    "judgment_table",
    "metric_names",
    "report_make",
    "report_request",
]

Progress = Callable[[int, int, str], None]  # done, of how much, at what

WHOLE = 1_000
BUILT = 0.7  # the share of the work that is done when only drawing and writing are left
VERSION = f"touchstone-{__version__}"
WENT_WRONG = "Something went wrong that should not have; the worker’s log says what."

log = logging.getLogger(__name__)

KEEP_SECONDS = 24 * 3600
MOST_ROWS = (
    1_000_000  # of one table of judgments: a small file of Parquet may hold far more than fits into memory
)
MEANINGS = {
    "coverage": "How much of the model text the output expresses: the mean grade of its units.",
    "coverage-recall": "The share of model units of which anything is expressed.",
    "coverage-length-adjusted": "Coverage and brevity, half and half.",
    "coverage-duc2004": "Matching units times the overall estimate, over the model’s units; can exceed 1.",
    "quality": "The mean of the quality criteria.",
    "assessment": "The mean of coverage and quality.",
    "combined": "The mean of adequacy and fluency.",
    "likert": "The mean over all statements, negative ones reversed.",
    "relevance-prediction": "The share of judgments that equal the same assessor’s on the full text.",
    "gold-agreement": "The share of judgments that equal the external key.",
}


@dataclass(frozen=True)
class SystemMean:
    """One system's line: the mean over items, what it stands on, and where its dot is (percent of the scale)."""

    system: str
    name: str
    mean: float | None
    items: int
    judgments: int
    assessors: int
    place: float | None


@dataclass(frozen=True)
class ScoreTable:
    """One score of one task, best system first; ``low`` and ``high`` are the ends of its scale."""

    task: str
    score: str
    meaning: str
    low: str
    high: str
    systems: list[SystemMean]


@dataclass(frozen=True)
class Results:
    """The scores of a study, and by task the further tables that its kind has."""

    scores: list[ScoreTable]
    tables: dict[str, list[ResultTable]]


def human_results(study: Study) -> Results:
    """Scores and tables. Judgments are append-only: the newest one tells whether they have changed."""
    newest = newest_data(study).judgment
    if not newest:
        return Results(scores=[], tables={})
    key = f"human-results/{study.pk}/{newest}"
    found = cache.get(key)
    if found is None:
        found = _human_results(study)
        cache.set(key, found, KEEP_SECONDS)
    return found


def _human_results(study: Study) -> Results:
    judgments = check_judgments(_table(judgment_rows(study), COLUMNS))
    attributes = check_attributes(_table(attribute_rows(study), ATTRIBUTE_COLUMNS))
    summary = human_summary(judgments, attributes)
    names = dict(study.systems.values_list("key", "name"))
    scores = [
        _score_table(str(task), str(score), rows, names)
        for (task, score), rows in summary.groupby(["task", "score"], sort=False)
    ]
    return Results(scores=scores, tables=human_tables(judgments, attributes))


def _table(rows: Iterator[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns)


def _score_table(task: str, score: str, rows: pd.DataFrame, names: dict[str, str]) -> ScoreTable:
    ordered = rows.sort_values(["mean", "system"], ascending=[False, True], na_position="last")
    known = [float(mean) for mean in ordered["mean"] if not isnan(mean)]
    low, high = scale_ends(known)
    return ScoreTable(
        task=task,
        score=score,
        meaning=MEANINGS.get(score, ""),
        low=f"{low:g}",
        high=f"{high:g}",
        systems=[_system_mean(row, names, low, high) for row in ordered.to_dict("records")],
    )


def _system_mean(row: dict[Any, Any], names: dict[str, str], low: float, high: float) -> SystemMean:
    mean = None if isnan(row["mean"]) else float(row["mean"])
    return SystemMean(
        system=str(row["system"]),
        name=names.get(str(row["system"]), ""),
        mean=mean,
        items=int(row["items"]),
        judgments=int(row["judgments"]),
        assessors=int(row["assessors"]),
        place=None if mean is None else round(100 * (mean - low) / (high - low), 2),
    )


def scale_ends(means: list[float]) -> tuple[float, float]:
    """Round ends around all means, so that differences can be seen and the ends can be read.

    Dots, unlike bars, need no zero; two means that are equal to the eye get a scale all the same.
    """
    if not means:
        return 0.0, 1.0
    least, most = min(means), max(means)
    spread = max(most - least, abs(most) * 0.1, 0.1)
    step = 10.0 ** floor(log10(spread))
    low, high = floor(least / step) * step, ceil(most / step) * step
    return (low, high) if high > low else (low - step, high + step)


def judgment_table(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a checked long table; ``row`` is the row that a user sees, None stands for an empty cell."""
    if path.suffix == ".parquet":
        _refuse_too_many_rows(path)
    table = read_judgments(path)
    first = 1 if path.suffix in {".jsonl", ".ndjson", ".parquet"} else 2  # row 1 of a CSV file is its header
    for row, cells in enumerate(table.to_dict("records"), start=first):
        yield {"row": row, **{str(name): None if _empty(value) else value for name, value in cells.items()}}


def _refuse_too_many_rows(path: Path) -> None:
    try:
        rows = parquet.read_metadata(path).num_rows
    except (OSError, ValueError):
        return  # whoever reads it says what is wrong
    if rows > MOST_ROWS:
        raise BadInput(f"{path.name}: has {rows:,} rows; import at most {MOST_ROWS:,} at once")


def _empty(value: Any) -> bool:
    return value is None or bool(pd.isna(value))


# --- reports ------------------------------------------------------------------------------------------------------


def metric_names(patterns: Sequence[str] | None) -> list[str]:
    """The automatic metrics that names and globs stand for; an unknown one is ``BadInput`` and names the nearest."""
    if patterns is None:
        return default_metrics()
    return [choice.name for choice in registry.select(patterns)]


def report_request(*, study: Study, options: ReportOptions, user: User | None = None) -> Run:
    """Ask for the report of the data as they are now. It may be there already, or on its way."""
    chosen = options.model_dump(mode="json")
    return runs.run_request(
        study=study,
        options=chosen,
        version=VERSION,
        enqueue=lambda run: report_task.enqueue(run.pk),
        user=user,
    )


@task()
def report_task(pk: int) -> None:
    """What the worker does."""
    run = Run.objects.select_related("study").filter(pk=pk).first()
    if run is None:
        return
    if not runs.run_start(run=run):
        return
    try:
        with Pulse(run) as pulse:
            inputs = _inputs_of(run)
            report = _built(
                run.study,
                ReportOptions.model_validate(run.options),
                inputs,
                progress=_part(pulse.progress, 0, BUILT),
                cancelled=pulse.cancelled,
            )
            draft = runs.draft_folder(run) / "report"
            write_report(report, draft, progress=_part(pulse.progress, BUILT, 1), cancelled=pulse.cancelled)
        _reconnect()
        runs.run_finish(run=run, draft=draft, agreement=agreement_in_short(report.data))
    except Cancelled:
        runs.files_discard(run=run)
    except BadInput as problem:
        runs.run_fail(run=run, error=str(problem))
    except Exception:
        log.exception("Run %s failed.", pk)
        _reconnect()
        runs.run_fail(run=run, error=WENT_WRONG)
    except BaseException:
        # The worker is told to stop at once; there is just time to say so.
        runs.run_fail(run=run, error=runs.WORKER_GONE)
        raise


def _inputs_of(run: Run) -> dict[str, Any]:
    """The data of this moment, and their hash in the run: read again if something came in between."""
    while True:
        newest = newest_data(run.study)
        before = data_hash(run.study, newest=newest, options=run.options, version=VERSION)
        inputs = _inputs(run.study, newest)
        if data_hash(run.study, newest=newest, options=run.options, version=VERSION) == before:
            runs.run_data(run=run, newest=newest, digest=before)
            return inputs


def _reconnect() -> None:
    """After an hour of computing, the database may have closed the connection."""
    if connection.connection is not None and not connection.is_usable():
        connection.close()


def report_make(study: Study, *, options: ReportOptions, out: Path, progress: Progress) -> None:
    """The same files at once and anywhere: what ``manage.py report_study`` does."""
    newest = newest_data(study)
    if not newest.judgment:
        raise BadInput("Nothing has been judged yet: a report needs judgments.")
    metric_names(options.metrics)
    check_place(out)
    report = report_build(study, options, newest=newest, progress=_part(progress, 0, BUILT))
    write_report(report, out, progress=_part(progress, BUILT, 1))


def _part(progress: Progress, begin: float, end: float) -> Progress:
    """For a piece of the work that counts by itself: it moves from one share of the whole to another."""

    def told(done: int, total: int, label: str) -> None:
        progress(round(WHOLE * (begin + (end - begin) * done / max(1, total))), WHOLE, label)

    return told


def report_build(
    study: Study, options: ReportOptions, *, newest: Newest, progress: Progress | None = None
) -> Report:
    """Everything that the study has, through ``metrics.report``."""
    return _built(study, options, _inputs(study, newest), progress=progress)


def _inputs(study: Study, newest: Newest) -> dict[str, Any]:
    references = _frame(reference_rows(study))
    return {
        "judgments": _table(judgment_rows(study, until=newest.judgment), COLUMNS),
        "attributes": _table(attribute_rows(study), ATTRIBUTE_COLUMNS),
        # Metrics compare outputs with references: without these, there is nothing to compute.
        "outputs": None if references is None else _frame(output_rows(study)),
        "references": references,
        "scores": _frame(score_rows(study)),
    }


def _built(study: Study, options: ReportOptions, inputs: dict[str, Any], **told: Any) -> Report:
    return build_report(**inputs, title=study.name, options=Options(**options.model_dump()), **told)


def _frame(rows: Iterator[dict[str, Any]]) -> pd.DataFrame | None:
    found = list(rows)
    return pd.DataFrame(found) if found else None
