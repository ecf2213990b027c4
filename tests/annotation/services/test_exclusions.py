"""Leaving a person, a judgment, an item or a task out of results, and what follows for scores and for others' work."""

from __future__ import annotations

import io
from itertools import count

import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.analysis import human_results
from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.designs import Design
from annotation.errors import Refused
from annotation.export import attribute_rows, judgment_rows
from annotation.models import Assignment, AuditEntry, Judgment, Subject
from annotation.selectors.exclusions import exclusion_of, left_out
from annotation.selectors.progress import study_progress
from annotation.selectors.runs import newest_data, staleness
from annotation.services import work
from annotation.services.assessors import assessor_create, assessor_start
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.studies import study_open
from tests.studies import SEE, TIDES, make_study, plausible

pytestmark = pytest.mark.django_db
_keys = count(1)


def judge(assessor, most: int = 1000) -> int:
    """Judge what comes until nothing more does; returns how much that was."""
    assessor_start(assessor=assessor, consented=True)
    done = 0
    while done < most and (assignment := work.assignment_next(assessor=assessor)):
        answer, stages = plausible(assignment)
        for _ in range(stages):
            work.draft_save(assignment=assignment, revision=1, answer=answer, advance=True)
        work.judgment_submit(
            assignment=assignment, client_key=f"00000000-0000-4000-8000-{next(_keys):012d}", revision=1,
            answer=answer, seconds=5,
        )  # fmt: skip
        done += 1
    return done


def opened(*tasks, **fields):
    study = make_study(*(tasks or (TIDES,)), **fields)
    study_open(study=study)
    return study


def judged(*tasks, **fields):
    study = opened(*tasks, **fields)
    for assessor in study.assessors.all():
        judge(assessor)
    return study


def table(study, **choices) -> pd.DataFrame:
    return pd.DataFrame(list(judgment_rows(study, **choices)))


def test_a_person_who_is_left_out_is_in_no_row_and_no_score():
    study = judged()
    out = study.assessors.first()
    before = table(study)
    exclusion_add(study=study, target=out, reason="0.1 s per item")
    after = table(study)
    assert set(before["assessor"]) == {"A01", "A02"}
    assert set(after["assessor"]) == {"A02"}
    assert all(
        row.assessors == 1 for one in human_results(study).scores for row in one.systems if row.judgments
    )
    exclusion_end(exclusion=exclusion_of(study, out))
    pd.testing.assert_frame_equal(table(study), before)


def test_an_export_with_what_is_left_out_says_why_and_metrics_do_not_count_it():
    from metrics.frames import check_judgments, scored

    study = judged()
    exclusion_add(study=study, target=study.assessors.first(), reason="asleep")
    rows = table(study, excluded=True)
    assert set(rows.loc[rows["assessor"] == "A01", "excluded"]) == {"assessor A01: asleep"}
    assert set(rows.loc[rows["assessor"] == "A02", "excluded"]) == {""}
    assert set(scored(check_judgments(rows))["assessor"]) == {"A02"}


def test_the_attributes_and_the_report_say_how_many_and_why():
    study = judged()
    assignment = study.assessors.first().assignments.filter(counts=True).select_related("assessor").first()
    exclusion_add(study=study, target=assignment, reason="spilt coffee")
    said = [(row["name"], row["value"]) for row in attribute_rows(study) if row["scope"] == "excluded"]
    assert dict(said) == {
        "what": f"judgment A01/{assignment.position}",
        "reason": "spilt coffee",
        "judgments": "1",
        "values": "2",  # adequacy and fluency
    }
    report = report_build(study, ReportOptions(metrics=("rouge-1-f",)), newest=newest_data(study))
    lines = [row for row in report.data["left_out"] if "coffee" in row["why"]]
    assert [(row["what"], row["count"]) for row in lines] == [("values", 2)]
    assert "spilt coffee" in str(report.data["methods"])


def test_an_item_or_a_task_that_is_left_out_is_asked_of_nobody_and_wanted_no_more():
    study = opened(SEE, TIDES)
    wanted = study_progress(study).wanted
    exclusion_add(study=study, target=study.documents.get(key="d1"), reason="broken text")
    exclusion_add(study=study, target=study.tasks.get(name="coverage"), reason="wrong scale")
    for assessor in study.assessors.all():
        judge(assessor)
    rows = table(study)
    assert set(rows["item"]) == {"d2"}
    assert set(rows["task"]) == {"quality"}
    progress = study_progress(study)
    assert (progress.left, progress.done, wanted) == (0, 2, 8)
    exclusion_end(exclusion=exclusion_of(study, study.documents.get(key="d1")))
    assert study_progress(study).left == 2


@pytest.mark.parametrize("pool", [False, True])
def test_work_of_a_person_who_is_left_out_is_judged_by_others(pool):
    study = opened(documents=3, assessors=2, design=Design(assessors_per_item=1, pool=pool))
    first, second = study.assessors.all()
    judge(first, most=2)
    exclusion_add(study=study, target=first, reason="careless")
    assert work.assignment_next(assessor=first) is None
    judge(second)
    progress = study_progress(study)
    assert (progress.left, progress.done) == (0, progress.wanted)
    assert set(table(study)["assessor"]) == {"A02"}
    assert Judgment.objects.filter(assignment__assessor=first).count() == 2


def test_work_of_one_judgment_that_is_left_out_goes_to_somebody_else():
    study = judged(design=Design(assessors_per_item=1), assessors=2)
    first, second = study.assessors.all()
    assignment = first.assignments.filter(counts=True).first()
    exclusion_add(study=study, target=assignment, reason="slipped")
    assert work.assignment_next(assessor=first) is None, "nobody judges the same again"
    assert judge(second) == 1
    assert second.assignments.filter(subject=assignment.subject).exists()


def test_a_block_goes_to_others_as_a_whole():
    study = opened(SEE, documents=2, assessors=2, design=Design(assessors_per_item=1, order="blocked"))
    first, second = study.assessors.all()
    judge(first, most=1)
    exclusion_add(study=study, target=first, reason="careless")
    judge(second)
    assert study_progress(study).left == 0
    assert set(table(study)["assessor"]) == {"A02"}


def test_somebody_who_joins_later_takes_over_what_is_left_out():
    study = judged(design=Design(assessors_per_item=2), assessors=2)
    exclusion_add(study=study, target=study.assessors.first(), reason="careless")
    newcomer = assessor_create(study=study, name="Nina")
    assert judge(newcomer) == 4
    assert study_progress(study).left == 0


def test_what_others_judged_meanwhile_counts_beside_what_is_included_again():
    study = judged(design=Design(assessors_per_item=1), assessors=2)
    first, second = study.assessors.all()
    exclusion = exclusion_add(study=study, target=first, reason="careless")
    judge(second)
    exclusion_end(exclusion=exclusion)
    progress = study_progress(study)
    assert (progress.done, progress.left) == (6, 0)
    assert all(row.taken == row.wanted for row in Subject.objects.filter(task__study=study, practice=False))


def test_open_work_that_others_have_not_taken_comes_back_with_its_assessor():
    study = opened(design=Design(assessors_per_item=1), assessors=2)
    first = study.assessors.first()
    exclusion = exclusion_add(study=study, target=first, reason="a mistake")
    exclusion_end(exclusion=exclusion)
    assert judge(first) == 2
    assert not Assignment.objects.filter(state="abandoned").exists()


def test_a_submit_of_somebody_just_left_out_is_kept_and_does_not_count():
    study = opened(design=Design(assessors_per_item=1), assessors=2)
    first = study.assessors.first()
    assessor_start(assessor=first, consented=True)
    assignment = work.assignment_next(assessor=first)
    exclusion_add(study=study, target=first, reason="careless")
    answer, stages = plausible(assignment)
    for _ in range(stages):
        work.draft_save(assignment=assignment, revision=1, answer=answer, advance=True)
    recorded, following = work.judgment_submit(
        assignment=assignment, client_key="00000000-0000-4000-8000-aaaaaaaaaaaa", revision=1, answer=answer,
        seconds=1,
    )  # fmt: skip
    assert (recorded.new, following) == (True, None)
    assert table(study).empty


def test_a_judgment_left_out_twice_is_counted_once():
    study = judged()
    first = study.assessors.first()
    mine = first.assignments.filter(counts=True).count()
    exclusion_add(study=study, target=study.documents.get(key="d1"), reason="broken")
    exclusion_add(study=study, target=first, reason="careless")
    numbers = [len(row.judgments) for row in left_out(study)]
    both = Assignment.objects.filter(assessor__study=study, left_out=True, counts=True).count()
    assert sum(numbers) == both < mine + numbers[0]


def test_leaving_out_needs_a_reason_and_happens_once():
    study = judged()
    first = study.assessors.first()
    with pytest.raises(Refused, match="Say why"):
        exclusion_add(study=study, target=first, reason="  ")
    exclusion = exclusion_add(study=study, target=first, reason="careless")
    with pytest.raises(Refused, match="left out already: careless"):
        exclusion_add(study=study, target=first, reason="again")
    exclusion_end(exclusion=exclusion)
    with pytest.raises(Refused, match="included again already"):
        exclusion_end(exclusion=exclusion)


def test_a_report_is_out_of_date_once_something_is_left_out():
    study = judged()
    run = study.runs.create(newest_judgment=newest_data(study).judgment)
    assert not staleness(run)
    exclusion_add(study=study, target=study.assessors.first(), reason="careless")
    run.refresh_from_db()
    assert staleness(run).exclusions


def test_exclude_and_include_from_the_command_line():
    study = judged()
    out = io.StringIO()
    call_command("exclude", study.slug, "--assessor", "A01", "--reason", "careless", stdout=out)
    assert out.getvalue() == "assessor A01 is left out: 2 judgments\n"
    with pytest.raises(CommandError, match="left out already"):
        call_command("exclude", study.slug, "--assessor", "p1", "--reason", "careless")
    call_command("include", study.slug, "--assessor", "p1", stdout=out)
    with pytest.raises(CommandError, match="nothing to include"):
        call_command("include", study.slug, "--assessor", "p1")
    position = study.assessors.first().assignments.filter(counts=True).first().position
    call_command("exclude", study.slug, "--judgment", f"A01/{position}", "--reason", "slip", stdout=out)
    call_command("exclude", study.slug, "--item", "d2", "--reason", "broken", stdout=out)
    with pytest.raises(CommandError, match="no item “d9”"):
        call_command("exclude", study.slug, "--item", "d9", "--reason", "broken")
    assert AuditEntry.objects.filter(action__startswith="results.").count() == 4


def test_attributes_ask_as_often_for_many_that_are_left_out_as_for_one(django_assert_max_num_queries):
    study = judged(assessors=3, design=Design(assessors_per_item=3))
    done = list(Assignment.objects.filter(counts=True).order_by("pk"))
    exclusion_add(study=study, target=done[0], reason="A slip.")
    with CaptureQueriesContext(connection) as one:
        list(attribute_rows(study))
    for assignment in done[1:6]:
        exclusion_add(study=study, target=assignment, reason="A slip.")
    with django_assert_max_num_queries(len(one)):
        rows = list(attribute_rows(study))
    told = [row["value"] for row in rows if row["scope"] == "excluded" and row["name"] == "values"]
    assert told == ["2"] * 6, "TIDES asks for fluency and adequacy"
