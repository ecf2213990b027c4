"""What is said when another part begins, and at the end."""

import pytest

from annotation.models import Assignment, Judgment
from annotation.selectors.parts import assignment_before, part_beginning, work_done
from annotation.services import work
from annotation.services.simulation import study_simulate
from tests.annotation.services.test_work import GOOD, SEE_ONLY, current, opened, submit
from tests.studies import TIDES, practice

pytestmark = pytest.mark.django_db


def test_a_part_begins_where_practice_ends_and_where_the_task_changes():
    study = opened(
        SEE_ONLY, TIDES, documents=2, systems=("qx31",), assessors=1,
        practice=(practice("coverage", reference="r-d1"),),
    )  # fmt: skip
    first = current(study)
    assert assignment_before(first) is None
    assert part_beginning(first, None) is None
    submit(first)
    counted = current(study)
    part = part_beginning(counted, assignment_before(counted))
    assert (part.after_practice, part.is_practice, part.items, part.time) == (True, False, 1, "")
    submit(counted, GOOD, seconds=0)
    other = current(study)
    part = part_beginning(other, counted)
    assert (part.name, part.after_practice, part.items) == ("Quality", False, 2)
    assert part_beginning(other, other) is None
    assert [(row.name, row.items) for row in work_done(first.assessor).parts] == [("Coverage", 1)]


def test_how_long_a_part_takes_is_told_by_what_others_needed():
    study = opened(SEE_ONLY, TIDES, documents=8, assessors=2)
    study_simulate(study=study, seed=1)
    Judgment.objects.update(seconds=40)
    mine = Assignment.objects.filter(assessor=study.assessors.first())
    coverage = mine.filter(subject__task__name="coverage").first()
    quality = mine.filter(subject__task__name="quality")
    quality.update(state=Assignment.State.OPEN)
    part = part_beginning(quality.first(), coverage)
    assert (part.items, part.time) == (8, "5 min")  # 8 · 40 s
    Judgment.objects.exclude(
        pk__in=Judgment.objects.filter(assignment__subject__task__name="quality")[:2]
    ).delete()
    assert part_beginning(quality.first(), coverage).time == "", "two judgments are too few to tell"


def test_raw_seconds_are_kept_beside_active_ones_and_never_exceed_the_time_that_passed():
    assignment = current(opened(SEE_ONLY))
    work.draft_save(assignment=assignment, revision=1, answer=GOOD, seconds=0, raw_seconds=1e9)
    draft = current(assignment.assessor.study).draft
    assert draft.seconds == 0
    assert 0 <= draft.raw_seconds < 60
    judgment = submit(assignment, seconds=1e9).judgment
    assert judgment.raw_seconds == judgment.seconds < 60
