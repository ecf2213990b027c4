"""The worker follows the judgments: what it keeps is what ``metrics`` makes of the whole table, whatever happened in which order."""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import replace
from datetime import timedelta
from itertools import count

import numpy as np
import pandas as pd
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.analysis.following import follow
from annotation.analysis.inputs import attribute_table, judged_table
from annotation.analysis.live import LiveSums
from annotation.analysis.refreshing import monitor_refresh
from annotation.designs import Design
from annotation.errors import Conflict
from annotation.export import rows_of_judgments
from annotation.models import Assignment, Judgment, Monitor, MonitorCell, Study, Subject
from annotation.selectors.following import tasks_followed
from annotation.selectors.readings import ReadingFilter, pieces
from annotation.services import monitor as services
from annotation.services import work
from annotation.services.assessors import assessor_start
from annotation.services.disagreement import disagreement_look
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.persons import assessor_erase
from annotation.services.studies import study_open
from annotation.study_files.schema import Settings
from metrics.frames import check_attributes, check_judgments
from metrics.meta.agreement import agreement
from tests.reports import OVERALL
from tests.studies import SEE, TIDES, make_study, plausible, study_file

pytestmark = pytest.mark.django_db

PAIRS = {"kind": "pairwise", "name": "pairs", "beside": "nothing"}
RANKS = {"kind": "ranking", "name": "ranks", "beside": "nothing", "sets": {"size": 3, "per_item": 2}}
SPANS = {"kind": "error_spans", "name": "errors", "preset": "esa"}
LINES = {"kind": "extract", "name": "lines", "headings": [{"name": "abstract", "needed": True}]}
SYSTEMS = ("qx31", "wv77", "kk02", "mm55")
_keys = count(1)


def opened(*tasks, **fields) -> Study:
    options = {
        "documents": 3, "systems": SYSTEMS, "assessors": 4, "design": Design(assessors_per_item=3),
        "settings": Settings(revise=True),
    }  # fmt: skip
    materials = study_file(documents=3, systems=options["systems"]).materials
    if LINES in tasks:
        said = tuple(f"Line {number} of a long talk." for number in range(1, 8))
        told = tuple(row.model_copy(update={"text": "", "units": said}) for row in materials.documents)
        options["materials"] = replace(materials, documents=told)
    study = make_study(*tasks, **options | fields)
    study_open(study=study)
    for assessor in study.assessors.all():
        assessor_start(assessor=assessor, consented=True)
    return study


def submit(assignment: Assignment, *, seed: int, revision: int = 1) -> None:
    assignment.position += seed  # the answer is drawn by it, and nothing of the row is stored
    answer, stages = plausible(assignment)
    for _ in range(stages):
        work.draft_save(assignment=assignment, revision=revision, answer=answer, advance=True)
    work.judgment_submit(
        assignment=assignment, client_key=f"00000000-0000-4000-8000-{next(_keys):012d}", revision=revision,
        answer=answer, seconds=5,
    )  # fmt: skip


def judge_some(study: Study, rng: random.Random, number: int) -> None:
    people = list(study.assessors.select_related("study"))
    for _ in range(number):
        assignment = work.assignment_next(assessor=rng.choice(people))
        if assignment is not None:
            submit(assignment, seed=rng.randrange(1000))


def revise_one(study: Study, rng: random.Random) -> None:
    if study.tasks.filter(kind="extract").exists():
        return  # what an abstract's sentences were linked with stays: an answer cannot be drawn anew
    rows = Assignment.objects.filter(assessor__study=study, state="done", left_out=False, counts=True)
    chosen = rng.choice(list(rows.select_related("assessor__study", "subject__task").order_by("pk")))
    number = Judgment.objects.filter(assignment=chosen).count()
    submit(chosen, seed=rng.randrange(1000), revision=number + 1)


def live(study: Study) -> dict[tuple[str, str], tuple[str, list[float]]]:
    study.refresh_from_db()
    monitor = services.monitor_of(study=study)
    assert follow(monitor)
    stored = LiveSums(Monitor.objects.get(pk=monitor.pk).sums)
    found = stored.agreement(tasks_followed(study))
    return {
        (row.task, row.criterion): (
            row.coefficient,
            [np.nan if number is None else number for number in (row.value, row.low, row.high)],
        )
        for row in found
    }


def anew(study: Study, coefficients: set[str]) -> pd.DataFrame:
    judgments, attributes = check_judgments(judged_table(study)), check_attributes(attribute_table(study))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return agreement(judgments, attributes=attributes, coefficients=sorted(coefficients), rng=1)


def assert_same(study: Study) -> int:
    found = live(study)
    table = anew(study, {name for name, _ in found.values()}).set_index(["task", "criterion", "coefficient"])
    for (task, criterion), (name, numbers) in found.items():
        expected = table.loc[(task, criterion, name), ["value", "low", "high"]].astype(float)
        np.testing.assert_allclose(
            numbers, expected, atol=1e-9, equal_nan=True, err_msg=f"{task} {criterion}"
        )
    defined = table.dropna(subset="value").reset_index()
    # Of spans by severity only the report tells.
    told = {(row.task, row.criterion) for row in defined.itertuples() if ": " not in row.criterion}
    assert told <= set(found)
    return len(found)


@pytest.mark.parametrize(
    "tasks",
    [(SEE, TIDES), (PAIRS, RANKS), (SPANS,), (LINES,)],
    ids=["values", "comparisons", "spans", "lines"],
)
def test_what_is_kept_is_the_agreement_of_the_whole_table_whatever_happened(tasks):
    study = opened(*tasks)
    rng = random.Random(5)
    people = list(study.assessors.all())
    judge_some(study, rng, 18)
    assert assert_same(study) >= (1 if LINES in tasks else 2)
    judge_some(study, rng, 6)
    revise_one(study, rng)
    assert_same(study)
    out = exclusion_add(study=study, target=people[1], reason="asleep")
    item = exclusion_add(study=study, target=study.documents.get(key="d2"), reason="cut off")
    assert_same(study)
    judge_some(study, rng, 5)
    revise_one(study, rng)
    exclusion_end(exclusion=out)
    assert_same(study)
    exclusion_end(exclusion=item)
    judge_some(study, rng, 4)
    assert_same(study)


def test_a_new_judgment_reads_one_answer_and_writes_one_cell(monkeypatch):
    study = opened(TIDES)
    judge_some(study, random.Random(1), 15)
    live(study)
    read: list[int] = []
    written: list[int] = []
    monkeypatch.setattr(
        "annotation.analysis.following.rows_of_judgments",
        lambda study, pks: read.extend(pks) or rows_of_judgments(study, pks),
    )
    before = services.cells_write
    monkeypatch.setattr(
        services, "cells_write", lambda **given: written.append(len(given["cells"])) or before(**given)
    )
    judge_some(study, random.Random(2), 1)
    live(study)
    assert (len(read), written) == (1, [1])
    live(study)  # nothing came
    assert (len(read), written) == (1, [1])


def test_after_a_new_judgment_no_query_reads_a_whole_table_or_all_of_a_study():
    """Then it costs as much in a large study as in a small one."""
    if connection.vendor != "sqlite":
        return  # it is SQLite that is asked how it finds rows
    study = opened(TIDES)
    judge_some(study, random.Random(1), 15)
    for seed in (2, 3):  # what a process keeps is read the first time
        live(study)
        judge_some(study, random.Random(seed), 1)
    monitor = services.monitor_of(study=study)
    with CaptureQueriesContext(connection) as captured:
        follow(monitor)
    asked = [query["sql"] for query in captured if query["sql"].startswith("SELECT")]
    assert len(asked) > 10
    large = re.compile(r"(SCAN|SEARCH) annotation_(judgment|assignment|subject|output)\b")
    for sql in asked:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
            steps = [row[3] for row in cursor.fetchall() if large.match(row[3])]
        assert not [step for step in steps if "SCAN" in step or "(study_id" in step or "(task_id" in step], (
            sql
        )


def test_the_most_disputed_piece_is_known_and_forgotten_with_its_second_judgment():
    study = opened(
        OVERALL, documents=1, systems=("qx31", "wv77"), assessors=2, design=Design(assessors_per_item=2)
    )
    given = {"qx31": (1, 5), "wv77": (3, 3)}
    for place, assessor in enumerate(study.assessors.select_related("study")):
        while assignment := work.assignment_next(assessor=assessor):
            value = given[Subject.objects.get(pk=assignment.subject_id).output.system.key][place]
            work.judgment_record(
                assignment=assignment,
                client_key=f"00000000-0000-4000-8000-{next(_keys):012d}",
                revision=1,
                answer={"values": {"overall": value}, "confirmed": True},
                seconds=5,
            )
    assert disputed(study) == [("qx31", 1.0), ("wv77", 0.0)]
    exclusion_add(study=study, target=study.assessors.last(), reason="asleep")
    assert disputed(study) == [("qx31", None), ("wv77", None)]


def disputed(study):
    """Pieces in the order in which they are read, by their systems."""
    disagreement_look(study=study)
    return [(row.output.system.key, row.spread) for row in pieces(study, ReadingFilter())]


def test_two_workers_do_not_both_add_the_same_judgment():
    study = opened(TIDES)
    judge_some(study, random.Random(1), 15)
    live(study)
    judge_some(study, random.Random(2), 1)
    first, second = services.monitor_of(study=study), services.monitor_of(study=study)
    assert follow(first)
    with pytest.raises(Conflict):
        follow(second)
    assert_same(study)


def test_a_worker_that_runs_out_of_time_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr("annotation.analysis.following.CELLS", 2)
    study = opened(TIDES)
    judge_some(study, random.Random(1), 15)
    monitor = services.monitor_of(study=study)
    assert not follow(monitor, until=0.0)
    assert MonitorCell.objects.filter(monitor=monitor).count() == 2
    assert Monitor.objects.get(pk=monitor.pk).newest_judgment == 0
    assert_same(study)


def test_a_clock_that_was_ahead_for_a_while_stops_no_monitor(monkeypatch, django_capture_on_commit_callbacks):
    """Before: its numbers stayed those of that day for as long as the clock had once been ahead."""
    study, asked = opened(TIDES), []
    judge_some(study, random.Random(1), 6)
    now = timezone.now()

    def look() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            services.monitor_ask(study=study, enqueue=asked.append)

    with monkeypatch.context() as ahead:
        ahead.setattr(timezone, "now", lambda: now + timedelta(days=400))
        look()
        monitor_refresh(study)
    judge_some(study, random.Random(2), 6)
    look()
    look()
    assert asked == [study.pk] * 2, "once then, and once now"
    snapshot = monitor_refresh(study).snapshot
    assert snapshot["tables"]["judged"] == 12
    assert monitor_refresh(study).snapshot == snapshot, "it is fresh"
    assert abs(timezone.now() - services.monitor_of(study=study).checked_at) < timedelta(days=1)


def test_nothing_stays_of_somebody_who_is_erased():
    study = opened(TIDES)
    judge_some(study, random.Random(1), 15)
    live(study)
    gone = study.assessors.first()
    assessor_erase(assessor=gone, keep_judgments=False)
    for cell in MonitorCell.objects.filter(task__study=study):
        assert gone.pk not in {entry[1] for entry in cell.judged["judged"].values()}
    assert_same(study)
