"""What somebody who is gone left undone goes to others, as the design allows; and what people get who join late."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.designs import Design
from annotation.errors import Conflict
from annotation.models import Assignment, Study, Subject
from annotation.selectors.plan_tables import plan_tables
from annotation.selectors.progress import headline, study_progress
from annotation.services import handing_on, work
from annotation.services.assessors import assessor_create, assessor_link, assessor_revoke
from annotation.services.dealing import phase_open
from annotation.services.handing_on import item_of
from annotation.services.persons import assignment_give
from annotation.services.studies import study_import, study_open
from annotation.services.waves import overlap_raise
from annotation.study_files import read_study
from annotation.study_files.schema import Settings
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.studies import SEE, TIDES, make_study, plausible, practice
from tests.together import at_once

pytestmark = pytest.mark.django_db

LIKERT = {
    "kind": "likert",
    "name": "questions",
    "statements": [{"name": "clear", "text": "It is clear."}],
    "familiarisation_minutes": 20,
}
CROSS = {"kind": "cross_comprehension", "name": "crossing", "questions_min": 1}
SEE_ONLY = SEE | {"quality": False}
HOURS = Settings(reassign_after_hours=5)


def opened(*tasks, **fields):
    study = make_study(*tasks, **fields)
    study_open(study=study)
    return study


def person(study, name):
    return study.assessors.select_related("study").get(name=name)


def current(study, name):
    return work.assignment_next(assessor=person(study, name))


def judge(assignment):
    """A plausible judgment, through all stages."""
    sent, stages = plausible(assignment)
    for _ in range(stages):
        work.draft_save(assignment=assignment, revision=1, answer=sent, advance=True)
    work.judgment_record(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=sent, seconds=1)


def finish(study, *names):
    """Let these people do all that there is for them, in turn; returns what each of them did, in order."""
    done = {name: [] for name in names}
    for name in names:
        while assignment := current(study, name):
            judge(assignment)
            done[name].append(assignment.subject)
    return done


def revoke(study, *names):
    for name in names:
        assessor_link(assessor=person(study, name))
        assessor_revoke(assessor=person(study, name))


def undone(study):
    kept = Assignment.objects.filter(assessor__study=study, counts=True)
    return kept.filter(state=Assignment.State.OPEN).count()


# --- who is gone --------------------------------------------------------------------------------------------------


def test_work_of_a_missing_assessor_is_taken_over_after_the_time_set():
    study = opened(SEE, settings=HOURS)
    finish(study, "p1")
    assert current(study, "p1") is None
    Assignment.objects.update(dealt_at=timezone.now() - timedelta(hours=6))
    judge(current(study, "p1"))
    assert Assignment.objects.filter(assessor__name="p2", state=Assignment.State.ABANDONED).count() == 1
    study.assessors.filter(name="p2").update(last_seen_at=timezone.now())
    assert current(study, "p1") is None


def test_work_of_somebody_whose_link_is_revoked_is_handed_on_at_once():
    study = opened(SEE)
    finish(study, "p1")
    assert current(study, "p1") is None  # p2 has no link yet, and may still get one
    revoke(study, "p2")
    finish(study, "p1")
    assert undone(study) == 0
    assert headline(study, study_progress(study)) == "All 4 pieces judged once: 4 judgments."


def test_who_gets_a_new_link_keeps_what_nobody_has_taken_over():
    study = opened(SEE, documents=3)
    finish(study, "p1")
    revoke(study, "p2")
    judge(current(study, "p1"))
    assessor_link(assessor=person(study, "p2"))
    assert current(study, "p1") is None
    assert len(finish(study, "p2")["p2"]) == 2


def test_who_waits_for_a_phase_to_open_is_not_gone_when_it_opens():
    study = opened(CROSS, documents=1, systems=(), assessors=3, settings=HOURS)
    finish(study, "p1", "p2", "p3")
    study.assessors.update(last_seen_at=timezone.now() - timedelta(hours=9))
    phase_open(task=study.tasks.get())
    study.assessors.filter(name="p1").update(last_seen_at=timezone.now())
    mine = finish(study, "p1")["p1"]
    assert len(mine) == Assignment.objects.filter(assessor__name="p1", subject__phase="judging").count() == 2


def test_a_phase_is_not_dealt_to_people_whose_link_is_revoked():
    study = opened(CROSS, documents=1, systems=(), assessors=4)
    finish(study, "p1", "p2", "p3", "p4")
    revoke(study, "p4")
    phase_open(task=study.tasks.get())
    assert not Assignment.objects.filter(assessor__name="p4", subject__phase="judging").exists()


def test_a_leased_piece_of_somebody_whose_link_is_revoked_goes_back_to_the_pool():
    study = opened(SEE, design=Design(pool=True), documents=1, systems=("only",))
    lost = current(study, "p1")
    revoke(study, "p1")
    taken = current(study, "p2")
    assert taken.subject == lost.subject
    assert taken.lease_ends_at is not None


# --- in which units -----------------------------------------------------------------------------------------------


def test_whoever_takes_over_goes_on_in_the_order_of_the_other():
    study = opened(SEE, documents=6, systems=("a", "b", "c"))
    theirs = [row.subject for row in person(study, "p2").assignments.all()]
    revoke(study, "p2")
    mine = person(study, "p1").assignments.count()
    assert finish(study, "p1")["p1"][mine:] == theirs


def test_what_is_left_of_a_block_stays_together():
    study = opened(TIDES, design=Design(order="blocked"), documents=2, systems=("a", "b", "c"), assessors=2)
    judge(current(study, "p1"))
    theirs = [row.subject for row in person(study, "p1").assignments.filter(state=Assignment.State.OPEN)]
    revoke(study, "p1")
    taken = finish(study, "p2")["p2"][3:]
    assert taken == theirs
    assert undone(study) == 0


def test_a_block_goes_to_nobody_who_has_met_its_item():
    study = opened(
        TIDES, design=Design(order="blocked", assessors_per_item=2), documents=1, systems=("a", "b")
    )
    judge(current(study, "p1"))
    revoke(study, "p1")
    finish(study, "p2")
    assert undone(study) == 1
    assessor_create(study=study, name="late")
    assert len(finish(study, "late")["late"]) == 1
    assert undone(study) == 0


def test_a_block_goes_to_nobody_who_wrote_an_output_on_its_item():
    study = make_study(TIDES, design=Design(order="blocked"), documents=1, systems=("a", "b"), assessors=1)
    study.outputs.filter(system__key="a").update(author="ida")
    study_open(study=study)
    judge(current(study, "p1"))
    revoke(study, "p1")
    assessor_create(study=study, name="Ida", author="ida")
    assert current(study, "Ida") is None
    assessor_create(study=study, name="Jo")
    assert current(study, "Jo") is not None


def test_in_a_latin_square_nobody_meets_an_item_twice_by_taking_over():
    design = Design(order="latin-square")
    study = opened(TIDES, design=design, documents=3, systems=("a", "b", "c"), assessors=3)
    row = [entry.subject for entry in person(study, "p3").assignments.all()]
    revoke(study, "p3")
    finish(study, "p1", "p2")
    assert undone(study) == 3
    assessor_create(study=study, name="late")
    assert finish(study, "late")["late"] == row
    for assessor in study.assessors.all():
        items = [item_of(entry.subject) for entry in assessor.assignments.filter(state="done")]
        assert len(set(items)) == len(items)


def test_a_model_is_judged_by_its_writer_alone():
    study = make_study(SEE, design=Design(order="model-author"), assessors=1)
    study.assessors.update(author="anna")
    study_open(study=study)
    revoke(study, "p1")
    assessor_create(study=study, name="stranger")
    assert current(study, "stranger") is None
    assessor_create(study=study, name="Anna again", author="anna")
    assert len(finish(study, "Anna again")["Anna again"]) == 4


# --- questionnaires -----------------------------------------------------------------------------------------------


def test_a_questionnaire_is_handed_on_with_its_familiarisation():
    study = opened(LIKERT, documents=1, systems=("a", "b", "c"), assessors=1)
    for _ in range(2):
        judge(current(study, "p1"))  # the document, and one summary of it
    shown = current(study, "p1")
    theirs = [row.subject for row in person(study, "p1").assignments.filter(state=Assignment.State.OPEN)]
    revoke(study, "p1")
    assessor_create(study=study, name="late")
    first, *summaries = finish(study, "late")["late"]
    assert first.shown == {"stage": "familiarise"}
    assert summaries == theirs
    assert set(Subject.objects.filter(counts=True).values_list("taken", "wanted")) == {(1, 1)}
    assert headline(study, study_progress(study)) == "All 3 pieces judged once: 3 judgments."
    with pytest.raises(Conflict, match="somebody else"):
        work.draft_save(assignment=shown, revision=1, answer={}, advance=True)


def test_a_questionnaire_that_is_given_to_somebody_brings_its_familiarisation():
    """Before: they judged a summary of a document that they had not been shown."""
    study = make_study(LIKERT, documents=2, assessors=2)
    study_open(study=study)
    piece = Assignment.objects.filter(counts=True, assessor__name="p1").first()
    to = study.assessors.get(name="p2")
    before = to.assignments.count()
    assignment_give(assignment=piece, to=to)
    new = [row.subject for row in to.assignments.filter(position__gt=before)]
    assert [(item_of(one), one.counts) for one in new] == [
        (item_of(piece.subject), False),
        (item_of(piece.subject), True),
    ]


def test_who_has_not_begun_a_document_loses_all_of_it():
    study = opened(LIKERT, documents=2, assessors=2)
    revoke(study, "p1")
    assert len(finish(study, "p2")["p2"]) == 6
    assessor_link(assessor=person(study, "p1"))
    assert current(study, "p1") is None
    assert undone(study) == 0


# --- cross comprehension ------------------------------------------------------------------------------------------


def crossed(study, *authors):
    finish(study, *authors)
    phase_open(task=study.tasks.get())


def test_pairs_are_handed_on_to_people_who_wrote_neither_text():
    study = opened(CROSS, documents=1, systems=(), assessors=4)
    crossed(study, "p1", "p2", "p3", "p4")
    revoke(study, "p4")
    finish(study, "p1", "p2", "p3")
    assert undone(study) == 0
    for row in Assignment.objects.filter(subject__phase="judging", state=Assignment.State.DONE):
        texts = row.subject.noted
        assert row.assessor.pseudonym not in (texts["summary_author"], texts["question_author"])


def test_pairs_that_only_their_authors_could_judge_wait_for_somebody_who_joins():
    study = opened(CROSS, documents=1, systems=(), assessors=3)
    crossed(study, "p1", "p2", "p3")
    revoke(study, "p3")
    finish(study, "p1", "p2")
    assert undone(study) == 2
    assessor_create(study=study, name="late")
    assert len(finish(study, "late")["late"]) == 2
    assert undone(study) == 0


def test_pairs_stay_in_the_group_of_judges():
    groups = {"authors": "writers", "judges": "judges"}
    study = make_study(CROSS | groups, documents=1, systems=(), assessors=0)
    for name, group in (("w1", "writers"), ("w2", "writers"), ("j1", "judges")):
        assessor_create(study=study, name=name, group=group)
    study_open(study=study)
    crossed(study, "w1", "w2")
    revoke(study, "j1")
    assert current(study, "w1") is None
    assessor_create(study=study, name="w3", group="writers")
    assert current(study, "w3") is None
    assessor_create(study=study, name="j2", group="judges")
    assert len(finish(study, "j2")["j2"]) == 2


def test_who_joins_while_stories_are_written_writes_about_all_of_them():
    study = opened(CROSS, documents=2, systems=(), assessors=2)
    assessor_create(study=study, name="late")
    assert len(finish(study, "late")["late"]) == 2
    crossed(study, "p1", "p2")
    assert (
        len(
            {
                row["summary_author"]
                for row in Subject.objects.filter(phase="judging").values_list("noted", flat=True)
            }
        )
        == 3
    )


def test_who_joins_while_pairs_are_judged_writes_nothing():
    study = opened(CROSS, documents=1, systems=(), assessors=3)
    crossed(study, "p1", "p2", "p3")
    assessor_create(study=study, name="late")
    assert current(study, "late") is None


# --- relevance prediction -----------------------------------------------------------------------------------------


def relevance(**fields):
    study = study_import(study_file=replace(read_study(ROOT / "fixtures" / "relevance"), **fields))
    study_open(study=study)
    return study


def order(study, name):
    return [row.subject for row in person(study, name).assignments.select_related("subject")]


def test_nobody_takes_over_in_relevance_prediction():
    study = relevance()
    first, second = study.assessors.all()[:2]
    revoke(study, second.name)
    assert finish(study, first.name)[first.name] == order(study, first.name)


def test_who_joins_relevance_prediction_takes_the_place_of_somebody_who_is_gone():
    study = relevance()
    names = list(study.assessors.values_list("name", flat=True))
    wanted = study_progress(study).wanted
    gone = names[1]
    for _ in range(10):
        judge(current(study, gone))
    revoke(study, gone)
    assessor_create(study=study, name="late")
    assert order(study, "late") == order(study, gone)
    assert current(study, "late").subject.practice
    finish(study, *(name for name in names if name != gone), "late")
    progress = study_progress(study)
    assert progress.left == 0
    counted = person(study, gone).assignments.filter(state=Assignment.State.DONE, counts=True).count()
    assert progress.done == wanted + counted
    assessor_link(assessor=person(study, gone))
    assert current(study, gone) is None


def test_who_joins_relevance_prediction_gets_everything_though_nobody_is_gone():
    study = relevance(settings=HOURS)
    before = study_progress(study)
    one = before.wanted // study.assessors.count()
    # A day after the opening, and all have been here: the second newcomer must not take the place of the first.
    Assignment.objects.update(dealt_at=timezone.now() - timedelta(hours=24))
    study.assessors.update(last_seen_at=timezone.now())
    for name in ("late", "later"):
        assessor_create(study=study, name=name)
    orders = [order(study, name) for name in ("late", "later")]
    assert set(orders[0]) == set(orders[1])
    assert orders[0] != orders[1]
    assert study_progress(study).wanted == before.wanted + 2 * one


# --- people who join ----------------------------------------------------------------------------------------------


def test_who_joins_judges_the_shared_items_too():
    design = Design(shared=("d1",))
    study = opened(
        SEE, design=design, documents=3, practice=(practice("coverage", document="d3", reference="r-d3"),)
    )
    assessor_create(study=study, name="late")
    rehearsed, *shared = finish(study, "late")["late"]
    assert rehearsed.practice
    assert {subject.output.document.key for subject in shared} == {"d1"}
    assert len(shared) == 2
    assert set(Subject.objects.filter(output__document__key="d1").values_list("taken", "wanted")) == {(3, 3)}


@pytest.mark.parametrize(
    ("task", "design", "words"),
    [
        (
            SEE,
            Design(),
            "whose link is revoked, or who stays away for 5 hours, leaves undone goes to others, piece by piece.",
        ),
        (LIKERT, Design(), "goes to others item by item: what is left of an item stays together"),
        (TIDES, Design(order="latin-square"), "only to people who join later."),
        (CROSS, Design(), "nobody takes over from another; whoever joins later gets all of it"),
    ],
)
def test_the_plan_says_what_becomes_of_undone_work(task, design, words):
    study = make_study(task, design=design, settings=HOURS)
    assert words in plan_tables(study).tasks[0].description
    page = owner_client(study).get(reverse("study_plan", args=[study.slug])).content.decode()
    assert words in page


# --- at the same time ---------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("task", [SEE, LIKERT])
def test_two_who_take_over_at_the_same_time_get_different_work(task):
    study = opened(task, documents=3, assessors=1)
    revoke(study, "p1")
    for name in ("a", "b", "c"):
        assessor_create(study=study, name=name)
    made = at_once(*(lambda name=name: current(study, name) for name in ("a", "b", "c")))
    assert None not in made
    assert len({row.subject_id for row in made}) == 3
    open_now = Assignment.objects.filter(
        state=Assignment.State.OPEN, assessor__in=[row.assessor for row in made]
    )
    subjects = list(open_now.values_list("subject", flat=True))
    assert len(subjects) == len(set(subjects)) == (3 if task is SEE else 9)


@pytest.mark.django_db(transaction=True)
def test_two_who_join_at_the_same_time_do_not_take_the_same_place():
    study = relevance()
    gone = study.assessors.first().name
    people = study.assessors.count()
    revoke(study, gone)
    made = at_once(
        *(
            lambda name=name: assessor_create(study=Study.objects.get(pk=study.pk), name=name)
            for name in ("late", "later")
        )
    )
    assert len({assessor.pseudonym for assessor in made}) == 2
    each = Subject.objects.filter(counts=True).values_list("taken", "wanted")
    assert set(each) == {(people + 1, people + 1)}


@pytest.mark.django_db(transaction=True)
def test_a_judgment_that_comes_while_its_item_is_handed_on_counts_once():
    study = opened(SEE, documents=1, systems=("only",), assessors=1)
    mine = current(study, "p1")
    assessor_create(study=study, name="late")
    revoke(study, "p1")

    def submit():
        try:
            judge(mine)
        except Conflict:
            return False
        return True

    kept, taken = at_once(submit, lambda: current(study, "late"))
    assert kept == (taken is None)
    assert Assignment.objects.exclude(state=Assignment.State.ABANDONED).count() == 1


# --- what is left and not for everybody ---------------------------------------------------------------------------


def test_pieces_that_somebody_may_not_have_are_not_looked_at_one_by_one(monkeypatch):
    """On SQLite the database is locked meanwhile. Before: whoever was done and loaded the page kept everybody waiting, a second
    for 1,500 pieces that somebody who is gone had left."""
    study = opened(TIDES, design=Design(order="latin-square"), documents=4, systems=("a", "b"), assessors=2)
    finish(study, "p1")
    revoke(study, "p2")
    looked_at = []
    real = handing_on._Rules.allow
    monkeypatch.setattr(
        handing_on._Rules, "allow", lambda self, subject: looked_at.append(subject) or real(self, subject)
    )
    assert undone(study) == 4
    assert current(study, "p1") is None
    assert not looked_at


def test_who_is_done_asks_for_more_without_a_lock(monkeypatch):
    """Before: each time the page was loaded."""
    study = opened(SEE)
    finish(study, "p1")
    monkeypatch.setattr(work, "_hand_out", pytest.fail)
    assert current(study, "p1") is None


@pytest.mark.parametrize("order", ["random", "fixed", "latin-square", "blocked"])
def test_the_database_leaves_out_nothing_that_the_rules_allow(order):
    study = opened(
        TIDES,
        SEE,
        documents=4,
        systems=("a", "b"),
        assessors=3,
        design=Design(order=order, assessors_per_item=1),
    )
    judge(current(study, "p1"))
    rules = handing_on._Rules(person(study, "p1"))
    among = set(Subject.objects.filter(rules.among("")))
    left = set(Assignment.objects.filter(rules.among("subject__")).values_list("subject", flat=True))
    everything = Subject.objects.filter(task__study=study, counts=True)
    allowed = {subject for subject in everything if rules.allow(subject)}
    assert allowed
    assert allowed <= among
    assert left <= {subject.pk for subject in among}
    if order in handing_on.ITEM_ONCE:
        assert {subject for subject in among if subject.counts} == allowed < set(everything)


def test_who_gets_one_of_many_pieces_that_are_wanted_once_more_reads_a_few(monkeypatch):
    """Before: all of them, while the database was locked: 5 seconds for each of 16,000 pieces, in which nobody could judge."""
    study = opened(SEE_ONLY, documents=60, systems=("a", "b"), assessors=2)
    overlap_raise(study=study, to=2)
    assessor_create(study=study, name="late")
    read = []
    real = Subject.from_db.__func__
    monkeypatch.setattr(
        Subject, "from_db", classmethod(lambda cls, *row: read.append(row) or real(cls, *row))
    )
    assert current(study, "late") is not None
    assert 0 < len(read) <= 3 * handing_on.AT_A_TIME
    assert Subject.objects.filter(task__study=study, counts=True).count() == 120
