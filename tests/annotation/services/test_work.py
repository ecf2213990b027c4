"""Assignments, drafts and judgments: nothing acknowledged is lost, nothing is counted twice."""

import uuid
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.designs import Design
from annotation.errors import Closed, Conflict, Refused
from annotation.export import judgment_rows
from annotation.models import Assignment, Draft, Judgment, Study, Subject
from annotation.selectors.work import assignment_draft, assignment_find, desk_of, judgment_newest
from annotation.services import work
from annotation.services.assessors import assessor_create
from annotation.services.imports import judgments_import
from annotation.services.studies import study_close, study_delete, study_open
from annotation.tasks.terms import NotYet
from tests.studies import SEE, TIDES, make_study, practice
from tests.together import at_once

pytestmark = pytest.mark.django_db

SEE_ONLY = SEE | {"quality": False}
GOOD = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}
OTHER = {"units": [{"marks": [], "grade": 0.0}, {"marks": [], "grade": 0.0}]}


def opened(*tasks, **fields):
    study = make_study(*tasks, **fields)
    study_open(study=study)
    return study


def current(study, name="p1"):
    return work.assignment_next(assessor=study.assessors.select_related("study").get(name=name))


def submit(assignment, answer=GOOD, *, key=None, revision=1, seconds=0.0):
    return work.judgment_record(
        assignment=assignment,
        client_key=key or uuid.uuid4(),
        revision=revision,
        answer=answer,
        seconds=seconds,
    )


def test_the_same_submit_again_changes_nothing():
    assignment = current(opened(SEE_ONLY))
    key = uuid.uuid4()
    first, second = submit(assignment, key=key), submit(assignment, OTHER, key=key)
    assert (first.new, second.new) == (True, False)
    assert second.judgment == first.judgment
    assert Judgment.objects.get().answer["units"][0]["grade"] == 1.0


def test_a_second_tab_gets_a_conflict_and_the_first_answer_counts():
    assignment = current(opened(SEE_ONLY))
    submit(assignment)
    with pytest.raises(Conflict, match="first answer counts"):
        submit(assignment, OTHER)
    assert Judgment.objects.count() == 1


def test_the_database_itself_refuses_a_second_judgment_of_a_revision():
    assignment = current(opened(SEE_ONLY))
    made = submit(assignment).judgment
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.create(
            assignment=assignment, revision=1, client_key=uuid.uuid4(), answer={}, seconds=0,
            shown_at=made.shown_at, submitted_at=made.submitted_at,
        )  # fmt: skip


def test_a_judgment_is_never_changed_or_deleted():
    made = submit(current(opened(SEE_ONLY))).judgment
    with pytest.raises(Refused):
        made.save()
    with pytest.raises(Refused):
        made.delete()


def test_where_revising_is_allowed_a_correction_adds_a_revision():
    assignment = current(opened(SEE_ONLY, revise=True))
    submit(assignment)
    submit(assignment, OTHER, revision=2)
    assert [judgment.revision for judgment in assignment.judgments.all()] == [1, 2]
    with pytest.raises(Conflict, match="another tab"):
        submit(assignment, GOOD, revision=2)


def test_an_incomplete_answer_is_refused_and_nothing_is_stored():
    assignment = current(opened(SEE_ONLY))
    with pytest.raises(NotYet) as refused:
        submit(assignment, {"units": [{"marks": [0], "grade": None}]})
    assert [entry.field for entry in refused.value.missing] == ["units.0", "units.1"]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("answer", [{"units": "all"}, {"colour": 1}, {"units": [{"marks": ["x"]}]}, []])
def test_an_unreadable_answer_is_refused(answer):
    with pytest.raises(NotYet, match="cannot be read"):
        submit(current(opened(SEE_ONLY)), answer)


def test_a_draft_comes_back_and_goes_with_the_judgment():
    study = opened(SEE_ONLY)
    work.draft_save(assignment=current(study), revision=1, answer={"units": [{"marks": [1]}]}, seconds=0)
    assignment = current(study)
    assert assignment.draft.answer["units"][0]["marks"] == [1]
    submit(assignment)
    assert not Draft.objects.exists()


def test_a_late_draft_does_not_reopen_a_judged_item():
    assignment = current(opened(SEE_ONLY))
    submit(assignment)
    with pytest.raises(Conflict):
        work.draft_save(assignment=assignment, revision=1, answer=OTHER)


def test_a_late_draft_is_not_the_beginning_of_the_next_revision():
    """A tab sends its draft as it is closed, and it arrives after the other tab's judgment."""
    assignment = current(opened(SEE_ONLY, revise=True))
    submit(assignment)
    with pytest.raises(Conflict, match="another tab"):
        work.draft_save(assignment=assignment, revision=1, answer=OTHER)
    assert not Draft.objects.exists()
    work.draft_save(assignment=assignment, revision=2, answer=OTHER)
    with pytest.raises(Conflict, match="another tab"):
        work.draft_save(assignment=assignment, revision=1, answer=GOOD)
    assert Draft.objects.get().answer["units"][0]["grade"] == 0.0


def test_a_draft_replaces_only_the_one_that_its_page_has_seen():
    """A page that was left open while another one went on, and that sends what it has when it is closed."""
    study = opened(SEE_ONLY)
    assignment = current(study)
    one, two = ({"units": [{"marks": [n], "grade": grade}]} for n, grade in ((0, 1), (1, 0.5)))
    work.draft_save(assignment=assignment, revision=1, answer=one, seen="")
    seen = desk_of(current(study), None).seen
    with pytest.raises(Conflict, match="another tab") as refused:
        work.draft_save(assignment=assignment, revision=1, answer={}, seen="")
    assert refused.value.offer == "reload"
    with pytest.raises(Conflict):
        work.draft_save(assignment=assignment, revision=1, answer=two, seen="another")
    assert desk_of(current(study), None).seen == seen
    work.draft_save(assignment=assignment, revision=1, answer=one, seen="")  # the same: nothing is lost
    work.draft_save(assignment=assignment, revision=1, answer=two, seen=seen)
    work.draft_save(
        assignment=assignment, revision=1, answer=one
    )  # too many replies were lost: it cannot know
    assert desk_of(current(study), None).seen == seen
    work.draft_save(  # this page's own, of which it has not heard
        assignment=assignment, revision=1, answer=two, seen="another", unheard=["odd", {}, one]
    )
    with pytest.raises(Conflict):
        work.draft_save(assignment=assignment, revision=1, answer={}, seen="another", unheard=[{}, one])


@pytest.mark.parametrize("seen", ["", None])
def test_a_submit_that_has_waited_does_not_replace_a_draft_that_was_saved_since(seen):
    """As one does that a browser had kept and sends by itself. Whoever submits now means it, and whoever had the newest draft as well."""
    study = opened(SEE_ONLY)
    assignment = current(study)

    def late(waited, seen):
        return work.judgment_submit(
            assignment=assignment,
            client_key=uuid.uuid4(),
            revision=1,
            answer=GOOD,
            seconds=1,
            seen=seen,
            waited=waited,
        )

    work.draft_save(assignment=assignment, revision=1, answer=OTHER)
    for waited in (3600.0, 1e300):
        with pytest.raises(Conflict, match="another tab"):
            late(waited, seen)
    assert Draft.objects.get().answer["units"][0]["grade"] == 0.0
    Draft.objects.update(saved_at=timezone.now() - timedelta(hours=2))
    newest = desk_of(current(study), None).seen
    late(3600.0, None if seen is None else newest)
    assert Judgment.objects.get().answer["units"][0]["grade"] == 1.0


@pytest.mark.django_db(transaction=True)
def test_a_draft_that_meets_a_judgment_is_not_the_beginning_of_the_next_revision():
    study = opened(SEE_ONLY, revise=True, documents=5)
    for _ in range(10):
        assignment = current(study) or current(study, "p2")

        def draft(assignment=assignment):
            with suppress(Conflict):
                work.draft_save(assignment=assignment, revision=1, answer=OTHER)

        at_once(draft, lambda assignment=assignment: submit(assignment))
        now = assignment_find(assessor=assignment.assessor, public_id=assignment.public_id)
        newest = judgment_newest(now)
        assert assignment_draft(now, newest) is None
        assert desk_of(now, newest).stored["units"][0]["grade"] == 1.0


@pytest.mark.parametrize(
    ("sent", "kept"), [(-5, 0), (3, 3), (10**9, 60), (float("nan"), 0), (float("inf"), 60)]
)
def test_active_seconds_are_checked_against_the_clock(sent, kept):
    assignment = current(opened(SEE_ONLY))
    Assignment.objects.update(shown_at=timezone.now() - timedelta(seconds=60))
    assert submit(assignment, seconds=sent).judgment.seconds == pytest.approx(kept, abs=1)


def test_fluency_is_fixed_by_the_server_once_confirmed():
    assignment = current(opened(TIDES))
    work.draft_save(assignment=assignment, revision=1, answer={"values": {"fluency": 2}}, advance=True)
    made = submit(assignment, {"values": {"fluency": 5, "adequacy": 4}, "confirmed": True}).judgment
    assert made.answer["values"] == {"fluency": 2, "adequacy": 4}


def test_a_page_of_an_earlier_stage_is_not_told_that_its_draft_is_kept():
    assignment = current(opened(TIDES))
    work.draft_save(assignment=assignment, revision=1, answer={"values": {"fluency": 2}}, advance=True)
    late = {"values": {"fluency": 5}, "confirmed": False}
    for unheard in ([], [{"values": {"fluency": 2}, "confirmed": False}]):
        with pytest.raises(Conflict, match="another tab or device"):
            work.draft_save(assignment=assignment, revision=1, answer=late, seen="", unheard=unheard)
    assert Draft.objects.get().answer["values"]["fluency"] == 2


def test_a_change_to_what_was_imported_is_kept_as_often_as_it_is_saved():
    """A table gives ratings as confirmed, and a page where nothing is judged alone knows of no confirmation."""
    study = opened({"kind": "rating", "name": "quality", "preset": "summeval"}, revise=True)
    assignment = current(study)
    values = dict.fromkeys(("coherence", "consistency", "fluency", "relevance"), 3.0)
    submit(assignment, {"values": values})
    rows = [row | {"row": number} for number, row in enumerate(judgment_rows(study, names=True), start=2)]
    Judgment.objects.all().delete()
    assert judgments_import(study=study, rows=rows).judgments == 1
    assignment = assignment_find(assessor=assignment.assessor, public_id=assignment.public_id)
    for fluency in (4.0, 5.0):
        changed = {"values": values | {"fluency": fluency}, "confirmed": False}
        work.draft_save(assignment=assignment, revision=2, answer=changed)
        assert Draft.objects.get().answer["values"]["fluency"] == fluency


def test_a_judgment_without_the_confirmation_is_refused():
    with pytest.raises(NotYet, match="Confirm fluency"):
        submit(current(opened(TIDES)), {"values": {"fluency": 5, "adequacy": 4}, "confirmed": True})


def test_a_revision_keeps_fluency():
    assignment = current(opened(TIDES, revise=True))
    work.draft_save(assignment=assignment, revision=1, answer={"values": {"fluency": 2}}, advance=True)
    submit(assignment, {"values": {"adequacy": 4}})
    made = submit(assignment, {"values": {"fluency": 1, "adequacy": 5}}, revision=2).judgment
    assert made.answer["values"] == {"fluency": 2, "adequacy": 5}


def test_practice_comes_first_gives_feedback_and_is_not_dealt_again():
    key = {"units": [{"marks": [0], "grade": 0.5}]}
    study = opened(SEE_ONLY, practice=(practice("coverage", reference="r-d1", key=key),))
    assignment = current(study)
    assert assignment.subject.practice
    feedback = submit(assignment).feedback
    assert "we would say some" in feedback[0].message
    following = current(study)
    assert not following.subject.practice
    dealt = Subject.objects.filter(practice=False).values_list("output", flat=True)
    assert assignment.subject.output_id not in dealt


def test_closing_stops_judgments_and_opening_again_goes_on():
    study = opened(SEE_ONLY)
    assignment = current(study)
    study_close(study=study)
    with pytest.raises(Closed):
        submit(assignment)
    study_open(study=study)
    assert submit(assignment).new


def test_everything_is_done_once_and_then_there_is_nothing():
    study = opened(SEE_ONLY)
    for name in ("p1", "p2"):
        while assignment := current(study, name):
            submit(assignment)
    assert Judgment.objects.count() == 4
    assert set(Subject.objects.values_list("taken", flat=True)) == {1}


def test_a_study_with_judgments_cannot_be_deleted():
    study = opened(SEE_ONLY)
    submit(current(study))
    with pytest.raises(Refused, match="never deleted"):
        study_delete(study=study)
    assert Study.objects.exists()


POOL = Design(pool=True, assessors_per_item=1)


def test_a_pool_leases_the_least_judged_item_to_one_assessor_at_a_time():
    study = opened(SEE_ONLY, design=POOL, documents=1)
    mine, yours = current(study, "p1"), current(study, "p2")
    assert mine.subject != yours.subject
    assert current(study, "p1") == mine
    submit(mine)
    assert current(study, "p1") is None


def test_an_abandoned_lease_returns_to_the_pool():
    study = opened(SEE_ONLY, design=POOL, documents=1, systems=("only",))
    mine = current(study, "p1")
    assert current(study, "p2") is None
    Assignment.objects.update(lease_ends_at=timezone.now() - timedelta(seconds=1))
    yours = current(study, "p2")
    assert yours.subject == mine.subject
    with pytest.raises(Conflict, match="somebody else"):
        submit(mine)
    assert submit(yours).new
    assert Subject.objects.get().taken == 1


def test_a_lease_of_a_clock_that_was_ahead_ends_like_any_other():
    study = opened(SEE_ONLY, design=POOL, documents=1, systems=("only",))
    mine = current(study, "p1")
    Assignment.objects.update(lease_ends_at=timezone.now() + timedelta(days=400))
    assert current(study, "p2") is None
    ends = Assignment.objects.get().lease_ends_at
    assert ends < timezone.now() + timedelta(days=2), "from now on, as long as a lease is"
    assert submit(mine).new


def test_who_comes_back_in_time_keeps_an_abandoned_item():
    study = opened(SEE_ONLY, design=POOL, documents=1, systems=("only",))
    mine = current(study, "p1")
    Assignment.objects.update(lease_ends_at=timezone.now() - timedelta(seconds=1))
    assert submit(mine).new
    assert current(study, "p2") is None


def test_who_let_a_lease_run_out_can_get_the_item_again():
    study = opened(SEE_ONLY, design=POOL, documents=1, systems=("only",))
    for name in ("p1", "p2"):
        assert current(study, name) is not None
        Assignment.objects.update(lease_ends_at=timezone.now() - timedelta(seconds=1))
    again = current(study, "p1")
    assert again is not None
    assert submit(again).new


def test_nobody_gets_an_own_output_from_the_pool():
    study = make_study(SEE_ONLY, design=POOL, documents=1, assessors=0)
    study.outputs.update(author="ida")
    assessor_create(study=study, name="Ida", author="ida")
    assessor_create(study=study, name="Jo")
    study_open(study=study)
    assert current(study, "Ida") is None
    assert current(study, "Jo") is not None


def test_newcomers_of_an_open_pool_get_practice_first():
    study = opened(SEE_ONLY, design=POOL, practice=(practice("coverage", reference="r-d1"),))
    assessor_create(study=study, name="late")
    first = current(study, "late")
    assert first.subject.practice
    submit(first)
    assert not current(study, "late").subject.practice


def test_a_study_without_assessors_says_so_when_opened():
    study = make_study(SEE_ONLY, assessors=0)
    with pytest.raises(Refused, match="no assessors"):
        study_open(study=study)
    assert not Subject.objects.exists()


def test_the_plan_gives_nobody_an_own_output():
    study = make_study(SEE_ONLY, assessors=0)
    study.outputs.update(author="ida")
    assessor_create(study=study, name="Ida", author="ida")
    assessor_create(study=study, name="Jo")
    study_open(study=study)
    assert not study.assessors.get(name="Ida").assignments.exists()


def test_opening_a_study_twice_at_once_deals_once():
    """A double click: both requests have loaded the draft before either opens it."""
    study = make_study(SEE_ONLY, design=Design(pool=True))
    again = Study.objects.get(pk=study.pk)
    study_open(study=study)
    with pytest.raises(Refused, match="open already"):
        study_open(study=again)
    assert Subject.objects.count() == 4


def test_a_number_without_end_is_not_saved_as_a_draft():
    assignment = current(opened(SEE_ONLY))
    with pytest.raises(NotYet):
        work.draft_save(assignment=assignment, revision=1, answer={"coverage": float("inf")})
    assert not Draft.objects.exists()


def test_a_blank_that_nobody_asked_for_does_not_spoil_the_export():
    study = opened(SEE)
    quality = {"grammaticality": 1.0, "cohesion": 1.0, "coherence": 1.0, "no-such-thing": None}
    submit(current(study), GOOD | {"quality": quality})
    assert [row["criterion"] for row in judgment_rows(study)][-3:] == [
        "grammaticality",
        "cohesion",
        "coherence",
    ]


def test_a_clock_that_was_set_back_stores_no_negative_time():
    assignment = current(opened(SEE_ONLY))
    Assignment.objects.update(shown_at=timezone.now() + timedelta(hours=2))
    assert work.draft_save(assignment=assignment, revision=1, answer=GOOD, seconds=5).seconds == 5
    judgment = submit(assignment, seconds=7).judgment
    assert judgment.seconds == 7
    assert judgment.shown_at <= judgment.submitted_at
