"""Reports for tests: a small judged study, quick options, a finished report, and a real worker in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import VERSION, report_build
from annotation.designs import Design
from annotation.models import Judgment, Run, Study
from annotation.selectors.runs import data_hash, newest_data
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files.schema import ScoreRow
from tests.conftest import ROOT
from tests.studies import study_file

SYSTEMS = ("qx31", "wv77", "kk02", "mm55", "tt68")
OVERALL = {
    "kind": "rating",
    "name": "quality",
    "criteria": [{"name": "overall", "steps": [{"value": n, "label": f"step {n}"} for n in range(1, 6)]}],
}
QUICK = ReportOptions(metrics=("rouge-1-*f", "chrf"), n_resamples=100)
PAGES = (
    "study_report",
    "report_systems",
    "report_assessors",
    "report_metrics",
    "report_comparison",
    "report_files",
)
PATIENCE = 120  # seconds: the machine may be busy

_made: dict[tuple[str, str, int], Path] = {}


def judged_study(slug: str = "reported", *, metrics: int = 3, documents: int = 4) -> Study:
    """One rating task of one criterion, judged by two people, and scores of so many metrics from elsewhere."""
    made = study_file(
        OVERALL, documents=documents, systems=SYSTEMS, slug=slug, design=Design(assessors_per_item=2)
    )
    scores = tuple(
        ScoreRow(metric=f"elsewhere-{number:03d}", system=system, item="", score=_score(number, place))
        for number in range(metrics)
        for place, system in enumerate(SYSTEMS)
    )
    study = study_import(study_file=replace(made, materials=replace(made.materials, metric_scores=scores)))
    study_simulate(study=study, seed=2)
    return study


def _score(metric: int, place: int) -> float:
    """Every metric ranks the systems differently, some of them rather well."""
    return round(place + ((metric + 1) * (place + 2) * 7919 % 101) / 101 * (metric % 9), 4)


def finished_run(study: Study, options: ReportOptions = QUICK) -> Run:
    """A run that is done, with the numbers of this study but without drawings. Made once and copied from then on."""
    newest = newest_data(study)
    made = _made_key(study, options)
    if made not in _made:
        report = report_build(study, options, newest=newest)
        folder = Path(tempfile.mkdtemp(prefix="touchstone-report-"))
        (folder / "report.json").write_text(json.dumps(report.data), encoding="utf-8")
        (folder / "report.html").write_text("<!doctype html><title>A report</title>", encoding="utf-8")
        (folder / "tables").mkdir()
        for table in report.tables:
            table.frame.to_csv(folder / "tables" / f"{table.name}.csv", index=False)
        _made[made] = folder
    now = timezone.now()
    chosen = options.model_dump(mode="json")
    run = study.runs.create(
        state=Run.State.DONE,
        options=chosen,
        data_hash=data_hash(study, newest=newest, options=chosen, version=VERSION),
        newest_judgment=newest.judgment,
        newest_score=newest.score,
        started_at=now,
        finished_at=now,
    )
    shutil.rmtree(run.folder, ignore_errors=True)
    shutil.copytree(_made[made], run.folder)
    return run


def _made_key(study: Study, options: ReportOptions) -> tuple[str, str, int]:
    """Two tests may give one slug to different studies, or ask different things of one."""
    return (
        study.slug,
        options.model_dump_json(),
        Judgment.objects.filter(assignment__assessor__study=study).count(),
    )


def report_copy(folder: Path) -> None:
    """The files of a report, of a small study that is not in question."""
    kept = next((path for (slug, *_), path in _made.items() if slug == "reported"), None)
    shutil.copytree(kept or finished_run(judged_study("reported")).folder, folder)


def judge_again(study: Study) -> Judgment:
    """One judgment more: an assessor has revised the last one."""
    last = Judgment.objects.filter(assignment__assessor__study=study).order_by("pk").last()
    return Judgment.objects.create(
        assignment=last.assignment,
        revision=last.revision + 1,
        client_key=f"00000000-0000-0000-0000-{last.pk:012d}",
        answer={**last.answer, "values": {"overall": 1 if last.answer["values"]["overall"] != 1 else 2}},
        shown_at=last.shown_at,
        submitted_at=timezone.now(),
        seconds=7,
    )


@contextmanager
def working() -> Iterator[subprocess.Popen]:
    """A worker, as ``make run`` starts it, on the database and the data folder of the test."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.worker_settings",
        "TOUCHSTONE_TEST_DATABASE": str(connection.settings_dict["NAME"]),
        "TOUCHSTONE_DATA": str(settings.DATA_DIR),
    }
    command = [sys.executable, "manage.py", "db_worker", "--interval", "0.2", "--no-startup-delay", "-v", "0"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, f"waited too long: {what}"
        time.sleep(0.1)


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.state
