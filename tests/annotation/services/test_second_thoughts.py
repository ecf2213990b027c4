"""Undoing a submit, and changes that are not submitted: judgments are only ever added."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import Closed, Conflict
from annotation.export import judgment_rows
from annotation.models import Draft, Judgment
from annotation.selectors.work import assignment_find
from annotation.services import work
from annotation.services.assessors import assessor_start
from annotation.services.studies import study_close
from annotation.study_files.schema import Settings
from tests.annotation.services.test_work import GOOD, OTHER, SEE_ONLY, current, opened, submit
from tests.factories import assessor_client
from tests.studies import TIDES, practice

pytestmark = pytest.mark.django_db


def again(assignment):
    return assignment_find(assessor=assignment.assessor, public_id=assignment.public_id)


def test_an_undone_judgment_counts_until_its_revision_is_submitted_and_both_are_kept():
    study = opened(SEE_ONLY)
    assignment = current(study)
    first = submit(assignment).judgment
    draft = work.judgment_undo(assignment=again(assignment))
    assert (draft.revision, draft.answer) == (2, first.answer)
    assert work.judgment_undo(assignment=again(assignment)) == draft, (
        "a request that is sent again changes nothing"
    )
    assert [row["revision"] for row in judgment_rows(study)] == [1, 1, 1]
    second = submit(again(assignment), OTHER, revision=2).judgment
    assert list(Judgment.objects.order_by("revision")) == [first, second]
    assert {row["revision"] for row in judgment_rows(study)} == {2}
    assert not Draft.objects.exists()
    with pytest.raises(Conflict, match="first answer counts"):
        submit(again(assignment), GOOD, revision=3)


def test_undoing_is_over_after_a_minute_and_after_the_next_judgment():
    study = opened(SEE_ONLY)
    assignment = current(study)
    submit(assignment)
    old = timezone.now() - timedelta(minutes=2)
    Judgment.objects.update(submitted_at=old)
    with pytest.raises(Conflict, match="too late"):
        work.judgment_undo(assignment=again(assignment))
    Judgment.objects.update(submitted_at=timezone.now())
    submit(current(study))
    with pytest.raises(Conflict, match="too late"):
        work.judgment_undo(assignment=again(assignment))
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    "refused",
    [
        {"settings": Settings(undo=False)},
        {"practice": (practice("coverage", reference="r-d1"),)},
    ],
    ids=["the study says no", "practice"],
)
def test_undoing_is_refused_where_it_is_not_allowed(refused):
    assignment = current(opened(SEE_ONLY, **refused))
    submit(assignment)
    with pytest.raises(Conflict):
        work.judgment_undo(assignment=again(assignment))


def test_undoing_needs_a_judgment_and_an_open_study():
    study = opened(SEE_ONLY)
    assignment = current(study)
    with pytest.raises(Conflict, match="not submitted"):
        work.judgment_undo(assignment=assignment)
    submit(assignment)
    study_close(study=study)
    with pytest.raises(Closed):
        work.judgment_undo(assignment=again(assignment))


def test_undoing_does_not_open_what_was_fixed_before_the_reference_was_seen():
    assignment = current(opened(TIDES))
    work.draft_save(assignment=assignment, revision=1, answer={"values": {"fluency": 4.0}}, advance=True)
    submit(again(assignment), {"values": {"fluency": 4.0, "adequacy": 2.0}})
    work.judgment_undo(assignment=again(assignment))
    changed = submit(again(assignment), {"values": {"fluency": 1.0, "adequacy": 3.0}}, revision=2).judgment
    assert changed.answer["values"] == {"fluency": 4.0, "adequacy": 3.0}


def test_discarding_a_change_leaves_the_judgment_and_ends_what_undo_allowed():
    assignment = current(opened(SEE_ONLY))
    with pytest.raises(Conflict):
        work.draft_discard(assignment=assignment, revision=1)
    submit(assignment)
    work.judgment_undo(assignment=again(assignment))
    work.draft_save(assignment=again(assignment), revision=2, answer=OTHER)
    for _ in range(2):
        work.draft_discard(assignment=again(assignment), revision=2)
    assert Judgment.objects.get().answer["units"][0]["grade"] == 1.0
    with pytest.raises(Conflict):
        work.draft_save(assignment=again(assignment), revision=2, answer=OTHER)


def test_the_list_of_earlier_items_shows_texts_answers_and_changes_that_wait():
    study = opened(SEE_ONLY, revise=True)
    assignment = current(study)
    submit(assignment)
    client = assessor_client(assignment.assessor)
    assessor_start(assessor=assignment.assessor, consented=True)
    page = client.get("/work/small/items/").content.decode()
    assert "Peer " in page
    assert "Coverage: all 1, none 1" in page
    assert "changed, not submitted" not in page
    work.draft_save(assignment=again(assignment), revision=2, answer=OTHER)
    assert "changed, not submitted" in client.get("/work/small/items/").content.decode()
