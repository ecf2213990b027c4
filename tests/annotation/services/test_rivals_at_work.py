"""What an experimenter leaves out, hands on or takes away while people judge. On PostgreSQL they really do at once; on SQLite they take turns."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import contextmanager
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.designs import Design
from annotation.errors import Refused
from annotation.export import judgment_rows
from annotation.models import Assessor, Assignment, Judgment, Study, Subject
from annotation.selectors.progress import study_progress
from annotation.services import waves
from annotation.services.assessors import assessor_revoke, flag_raise
from annotation.services.audit import audit_write
from annotation.services.bin import study_bin
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.imports import judgments_import
from annotation.services.order import judgments_in_turn
from annotation.services.persons import assessor_erase, assignment_give
from annotation.services.studies import study_open
from annotation.services.waves import overlap_raise, study_extend
from annotation.services.work import assignment_next, draft_save, judgment_submit
from tests.annotation.services.test_changes import more_documents
from tests.studies import SEE, TIDES, make_study, plausible
from tests.together import at_once

SEE_ONLY = SEE | {"quality": False}
PAIRS = {"kind": "pairwise", "name": "better", "sets": {"pick": "swiss", "per_item": 3, "size": 2}}
POOL = Design(assessors_per_item=2, pool=True)
A_WHILE = 0.4  # seconds: long enough for somebody else to begin, and to wait


def opened(*tasks, **fields):
    study = make_study(*(tasks or (SEE_ONLY,)), **fields)
    study_open(study=study)
    return study


def people(study):
    return list(study.assessors.select_related("study"))


def submit(assignment):
    answer, _ = plausible(assignment)
    judgment_submit(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1)


def judge_all(assessor):
    while assignment := assignment_next(assessor=assessor):
        submit(assignment)


@contextmanager
def meanwhile(job):
    """Somebody else has done the job and not yet committed it."""
    done = threading.Event()

    def run():
        try:
            with transaction.atomic():
                job()
                done.set()
                time.sleep(A_WHILE)
        finally:
            done.set()
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    done.wait()
    try:
        yield
    finally:
        thread.join()


def assert_counted(study):
    for subject in Subject.objects.filter(task__study=study):
        kept = subject.assignments.filter(left_out=False).exclude(state=Assignment.State.ABANDONED)
        assert subject.taken == kept.count() <= subject.wanted


# --- leaving out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["item", "task"])
@pytest.mark.django_db(transaction=True)
def test_a_judgment_that_is_submitted_while_its_item_is_left_out_is_done(what):
    """Before, on PostgreSQL: it was given up as if it was open, somebody else was asked once more, and whoever had judged it could never
    submit it again."""
    study = opened(design=POOL, documents=1, systems=("qx31",))
    assignment = assignment_next(assessor=people(study)[0])
    with meanwhile(partial(submit, assignment)):
        target = study.documents.get() if what == "item" else study.tasks.get()
        exclusion = exclusion_add(study=study, target=target, reason="a bad scan")
    assignment.refresh_from_db()
    assert (assignment.state, assignment.left_out) == (Assignment.State.DONE, True)
    exclusion_end(exclusion=exclusion)
    assert_counted(study)
    for person in people(study):
        judge_all(person)
    assert Judgment.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_piece_that_is_handed_out_while_a_judgment_of_it_is_left_out_is_judged_as_often_as_wanted():
    """Before, on PostgreSQL: three times, where two were wanted."""
    study = opened(design=POOL, documents=1, systems=("qx31",), assessors=4)
    first, second, *others = people(study)
    judge_all(first)
    with meanwhile(partial(assignment_next, assessor=second)):
        exclusion_add(study=study, target=first.assignments.get(), reason="in a hurry")
    assert_counted(study)
    for person in (second, *others):
        judge_all(person)
    assert Judgment.objects.filter(assignment__left_out=False).count() == 2


def with_sets_to_make():
    """A study whose sets so far are judged: whoever asks has one made."""
    study = opened(PAIRS, systems=("a1", "b2", "c3"), documents=1, design=Design(pool=True))
    first, second = people(study)
    while Subject.objects.filter(taken=0).exists():
        submit(assignment_next(assessor=first))
    return study, second


@pytest.mark.parametrize("what", ["item", "task"])
@pytest.mark.django_db(transaction=True)
def test_a_set_that_is_made_while_its_item_is_left_out_is_left_out(what):
    """Before, on PostgreSQL: it counted."""
    study, assessor = with_sets_to_make()
    with meanwhile(partial(assignment_next, assessor=assessor)):
        target = study.documents.get() if what == "item" else study.tasks.get()
        exclusion_add(study=study, target=target, reason="a bad scan")
    assert assessor.assignments.exists()
    assert set(Subject.objects.values_list("left_out", flat=True)) == {True}
    assert set(Assignment.objects.values_list("left_out", flat=True)) == {True}


@pytest.mark.parametrize("what", ["item", "task"])
@pytest.mark.django_db(transaction=True)
def test_no_set_is_made_of_what_is_being_left_out(what):
    """Before, on PostgreSQL: one, which counted."""
    study, assessor = with_sets_to_make()
    target = study.documents.get() if what == "item" else study.tasks.get()
    with meanwhile(partial(exclusion_add, study=study, target=target, reason="a bad scan")):
        assert assignment_next(assessor=assessor) is None


@pytest.mark.django_db
def test_whoever_comes_back_to_a_piece_that_was_left_out_has_it_for_a_while_and_not_for_ever():
    """Before: for ever, and nobody else got it."""
    study = opened(design=POOL, documents=1)
    assignment = assignment_next(assessor=people(study)[0])
    exclusion_end(exclusion=exclusion_add(study=study, target=study.documents.get(), reason="a bad scan"))
    draft_save(assignment=assignment, revision=1, answer=plausible(assignment)[0])
    assignment.refresh_from_db()
    assert assignment.state == Assignment.State.OPEN
    assert assignment.lease_ends_at > timezone.now()
    assert_counted(study)


@pytest.mark.django_db
def test_what_was_erased_a_moment_ago_is_left_out_or_included_in_words():
    study = opened(documents=2, assessors=2)
    assessor = people(study)[0]
    judge_all(assessor)
    judged, other = assessor.assignments.select_related("assessor__study")
    known = exclusion_add(study=study, target=other, reason="twice")
    assessor_erase(assessor=assessor, keep_judgments=False)
    with pytest.raises(Refused, match="erased in the meantime"):
        exclusion_add(study=study, target=judged, reason="late")
    with pytest.raises(Refused, match="erased in the meantime"):
        exclusion_end(exclusion=known)
    with pytest.raises(Refused, match="Only work that is not done"):
        assignment_give(assignment=judged, to=None)
    assert assignment_next(assessor=assessor) is None


# --- handing on ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_what_goes_with_somebody_who_is_erased_is_judged_by_others():
    """Before: where each piece had one judge, nobody got it again."""
    study = opened(documents=2, assessors=2, design=Design(assessors_per_item=1))
    gone, stays = people(study)
    judge_all(gone)
    judge_all(stays)
    assessor_erase(assessor=gone, keep_judgments=False)
    judge_all(stays)
    assert stays.assignments.filter(state=Assignment.State.DONE).count() == 4
    assert_counted(study)


@pytest.mark.django_db
def test_what_was_wanted_no_more_is_judged_where_more_are_wanted_of_each():
    """Before: it was wanted, and nobody got it."""
    study = opened(documents=1, assessors=2, design=Design(assessors_per_item=1))
    one, other = people(study)
    assignment_give(assignment=one.assignments.get(), to=None)
    judge_all(other)
    overlap_raise(study=study, to=2)
    for person in (one, other):
        judge_all(person)
    assert sorted(Subject.objects.values_list("wanted", "taken")) == [(1, 1), (2, 2)]
    assert Judgment.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_several_who_ask_at_once_for_an_item_that_is_wanted_once_more_one_gets_it():
    """Before, on PostgreSQL: an error for one who was a moment late, and the judgment they had sent with it was not taken."""
    for number in range(4):
        study = opened(
            documents=1, assessors=5, design=Design(assessors_per_item=1, order="blocked"), slug=f"s{number}"
        )
        for person in people(study):
            judge_all(person)
        overlap_raise(study=study, to=2)
        got = at_once(*(lambda person=person: [assignment_next(assessor=person)] for person in people(study)))
        assert None not in got  # which stands for whoever has failed
        assert len([one for (one,) in got if one]) == 1


@pytest.mark.django_db(transaction=True)
def test_whoever_asks_for_work_waits_for_nobody_who_has_a_piece_that_is_to_go_back():
    """Before, on PostgreSQL: two who had each other's waited in a circle."""
    study = opened(design=POOL, documents=2)
    first, second = people(study)
    late = assignment_next(assessor=first)
    Assignment.objects.filter(pk=late.pk).update(lease_ends_at=timezone.now())
    begun = time.monotonic()
    with meanwhile(lambda: list(Subject.objects.select_for_update().filter(pk=late.subject_id))):
        assert assignment_next(assessor=second)
        waited = time.monotonic() - begun
    assert connection.vendor == "sqlite" or waited < A_WHILE
    judge_all(second)
    assert_counted(study)


@pytest.mark.parametrize("act", ["revoke", "bin"])
@pytest.mark.django_db(transaction=True)
def test_a_person_is_sent_away_while_they_submit_and_neither_waits_for_the_other(act):
    """Before, on PostgreSQL: until the database ended one of them after a second, in which nobody of the study could submit."""
    study = opened(design=POOL, documents=3)
    assessor = people(study)[0]
    given_up = assignment_next(assessor=assessor)
    Assignment.objects.filter(pk=given_up.pk).update(state=Assignment.State.ABANDONED, lease_ends_at=None)
    at_work = assignment_next(assessor=assessor)
    assert at_work.pk > given_up.pk
    faults = []

    def submits():
        """The locks of a submit that hands out what its assessor had given up before, in their order."""
        try:
            with transaction.atomic():
                list(Assignment.objects.select_for_update(no_key=True).filter(pk=at_work.pk))
                time.sleep(A_WHILE)
                list(Assessor.objects.select_for_update(no_key=True).filter(pk=assessor.pk))
                list(Assignment.objects.select_for_update().filter(pk=given_up.pk))
        except Exception as fault:
            faults.append(fault)

    def sent_away():
        time.sleep(A_WHILE / 2)
        try:
            if act == "revoke":
                assessor_revoke(assessor=people(study)[0])
            else:
                study_bin(study=study, by="somebody")
        except Exception as fault:
            faults.append(fault)

    at_once(submits, sent_away)
    assert not faults


@pytest.mark.django_db(transaction=True)
def test_an_import_and_whoever_revises_do_not_wait_for_each_other():
    """Before, on PostgreSQL: the one had the history, for those who were new, and the other the turn of a submit."""
    study = opened(documents=1, revise=True)
    first = people(study)[0]
    judge_all(first)
    judged = first.assignments.select_related("assessor__study", "subject__task").first()
    table = [dict(row, row=2, assessor="new", position=None) for row in judgment_rows(study)]
    faults = []

    def revises():
        """The locks of a submit that revises, in their order."""
        try:
            with transaction.atomic():
                list(Assignment.objects.select_for_update(no_key=True).filter(pk=judged.pk))
                judgments_in_turn(study)
                time.sleep(A_WHILE)
                audit_write(study=study, action="judgment.revise")
        except Exception as fault:
            faults.append(fault)

    def imports():
        time.sleep(A_WHILE / 2)
        try:
            judgments_import(study=study, rows=table)
        except Exception as fault:
            faults.append(fault)

    at_once(revises, imports)
    assert not faults
    assert_counted(study)


# --- more to judge ------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_wave_comes_into_a_study_that_changes_all_the_time(monkeypatch):
    """Before: an error, where something was written into the history also at the last try, as on PostgreSQL it may be."""
    study = opened(TIDES, documents=1)
    ready = waves._ready

    def changing(*args):
        made = ready(*args)
        audit_write(study=study, action="member.set")
        return made

    monkeypatch.setattr(waves, "_ready", changing)
    assert study_extend(study=study, study_file=more_documents(study, "d2")).documents == 1


@pytest.mark.django_db
def test_a_wave_is_made_ready_once_while_people_are_at_work(monkeypatch):
    """Before: again and again, and at last while the database was locked, where people wrote, began or revised all the time."""
    study = opened(TIDES, documents=1)
    ready, made = waves._ready, []

    def busy(*args):
        made.append(ready(*args))
        flag_raise(assessor=people(study)[0], comment="There is no text.")
        return made[-1]

    monkeypatch.setattr(waves, "_ready", busy)
    study_extend(study=study, study_file=more_documents(study, "d2"))
    assert len(made) == 1


@pytest.mark.django_db
def test_more_judgments_of_each_piece_are_none_of_what_everybody_judges():
    """Before: one more than there were people, so that the study was never done."""
    study = opened(documents=2, assessors=3, design=Design(assessors_per_item=1, shared=("d1",)))
    assert overlap_raise(study=study, to=2) == 2
    for person in people(study):
        judge_all(person)
    assert study_progress(study).left == 0
    assert Judgment.objects.count() == 2 * 3 + 2 * 2


@pytest.mark.django_db
def test_a_set_that_is_made_as_the_overlap_is_raised_is_judged_as_often_as_the_others():
    study = opened(PAIRS, systems=("a1", "b2", "c3"), documents=2, design=Design(pool=True))
    assessor = people(study)[0]  # as a page has read it
    overlap_raise(study=Study.objects.get(pk=study.pk), to=2)
    judge_all(assessor)
    assert set(Subject.objects.values_list("wanted", flat=True)) == {2}
