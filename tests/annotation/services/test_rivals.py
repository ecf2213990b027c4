"""Two who change a study at the same moment. On PostgreSQL they really do; on SQLite they take turns."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import suppress
from functools import partial

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotation.designs import Design
from annotation.errors import Closed, Conflict, Refused
from annotation.export import judgment_rows
from annotation.models import (
    Adjudication,
    Adjudicator,
    Assessor,
    Assignment,
    Draft,
    Erasure,
    Flag,
    Judgment,
    Membership,
    Output,
    ProgramAnswer,
    Study,
    Subject,
    Task,
)
from annotation.overtaken import fingerprint
from annotation.selectors.exhibits import exhibit_shown
from annotation.services import dealing, imports, studies, work
from annotation.services.adjudication import (
    adjudications_give,
    adjudicator_link,
    adjudicator_remove,
    adjudicators_add,
)
from annotation.services.assessors import assessor_link, assessor_revoke, flag_raise
from annotation.services.building import design_set, task_configure, task_remove
from annotation.services.changes import study_change, study_rename
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.exclusions import exclusion_add
from annotation.services.keys import key_reopen
from annotation.services.mail import assessor_email_set
from annotation.services.persons import assessor_cap, assessor_erase, assessor_pause, assignment_give
from annotation.services.programs import program_answer, program_enter, program_next
from annotation.services.studies import (
    membership_remove,
    membership_set,
    study_close,
    study_delete,
    study_import,
    study_open,
    units_cut,
)
from annotation.services.waves import overlap_raise, study_extend
from annotation.services.work import assignment_next, draft_save, judgment_submit, judgment_undo
from annotation.study_files.schema import Settings
from tests.annotation.services.test_changes import more_documents
from tests.annotation.test_keys import UNITS, all_present, builders, write
from tests.factories import experimenter, member
from tests.keyed_studies import answer_all, answer_one
from tests.studies import SEE, make_study, plausible, plausible_answer, study_file
from tests.together import at_once

ROUNDS = 8
OWNER, VIEWER = Membership.Role.OWNER, Membership.Role.VIEWER
SEE_ONLY = SEE | {"quality": False}
POOL = Design(assessors_per_item=2, pool=True)


def refusing(job):
    """The job, with what it refuses in words."""

    def run():
        with suppress(Refused, Study.DoesNotExist):
            return job()

    return run


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["remove", "demote"])
def test_two_owners_who_send_each_other_away_leave_one(how):
    """Before, on PostgreSQL: none in 49 of 60 rounds."""
    ann, ben = experimenter("ann"), experimenter("ben")
    study = make_study()
    for _ in range(ROUNDS):
        for user in (ann, ben):
            membership_set(study=study, user=user, role=OWNER)

        def away(user):
            if how == "remove":
                return refusing(lambda: membership_remove(study=study, user=user))
            return refusing(lambda: membership_set(study=study, user=user, role=VIEWER))

        at_once(away(ann), away(ben))
        assert study.memberships.filter(role=OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_study_that_is_deleted_during_a_submit_is_either_gone_or_keeps_the_judgment():
    for number in range(ROUNDS):
        study = make_study(SEE_ONLY, slug=f"s{number}")
        study_open(study=study)
        assessor = study.assessors.select_related("study").first()
        assignment = assignment_next(assessor=assessor)
        answer, _ = plausible(assignment)
        faults: list[Exception] = []

        def job(act, faults=faults):
            def run():
                try:
                    act()
                except Refused:
                    pass
                except Exception as fault:
                    faults.append(fault)

            return run

        at_once(
            job(
                lambda assignment=assignment, answer=answer: judgment_submit(
                    assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1
                )
            ),
            job(lambda study=study: study_delete(study=Study.objects.get(pk=study.pk))),
        )
        assert not faults, faults
        kept = Judgment.objects.filter(assignment__assessor__study__slug=f"s{number}").count()
        assert kept == Study.objects.filter(slug=f"s{number}").count()


@pytest.mark.django_db(transaction=True)
def test_whoever_is_at_work_in_a_study_that_is_deleted_is_told_in_words():
    study = make_study(SEE_ONLY)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assignment = assignment_next(assessor=assessor)
    answer, _ = plausible(assignment)
    study_delete(study=Study.objects.get(pk=study.pk))
    with pytest.raises(Closed, match="taken away"):
        judgment_submit(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1)
    with pytest.raises(Closed, match="taken away"):
        draft_save(assignment=assignment, revision=1, answer=answer)
    with pytest.raises(Closed, match="taken away"):
        flag_raise(assessor=assessor, comment="Where is it?")


@pytest.mark.django_db
def test_an_open_study_is_not_replaced_under_the_hands_of_people_at_work():
    """Before: their links and drafts were gone."""
    study = make_study()
    study_open(study=study)
    assessor = study.assessors.first()
    assessor_link(assessor=assessor)
    with pytest.raises(Refused, match="is open: people are at work"):
        study_import(study_file=study_file(), replace=True)
    assessor.refresh_from_db()
    study_close(study=Study.objects.get(pk=study.pk))
    assert study_import(study_file=study_file(), replace=True).pk != study.pk


@pytest.mark.django_db
def test_a_stranger_is_not_told_of_a_study_by_its_slug():
    make_study()
    with pytest.raises(Refused) as told:
        study_import(study_file=study_file(), owner=experimenter("stranger"))
    assert str(told.value) == "The slug “small” cannot be used here. Choose another one."


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["exclude", "erase"])
def test_whoever_is_left_out_or_erased_in_the_middle_of_a_submit_gets_an_answer(how):
    """Before, on PostgreSQL, each waited for the other: one of the two ended in a fault of the server."""
    study = make_study(SEE_ONLY, documents=ROUNDS, assessors=ROUNDS, design=POOL)
    study_open(study=study)
    for assessor in study.assessors.select_related("study"):
        Assessor.objects.filter(pk=assessor.pk).update(started_at=timezone.now())
        assignment = assignment_next(assessor=assessor)
        answer, _ = plausible(assignment)
        faults: list[Exception] = []

        def noting(job, faults=faults):
            def run():
                try:
                    return refusing(job)()
                except Exception as fault:
                    faults.append(fault)

            return run

        def submit(assignment=assignment, answer=answer):
            return judgment_submit(
                assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1
            )

        def leave_out(assessor=assessor):
            if how == "exclude":
                return exclusion_add(study=study, target=assessor, reason="A robot.")
            return assessor_erase(assessor=assessor, keep_judgments=False)

        at_once(noting(submit), noting(leave_out))
        assert not faults
    assert not Subject.objects.filter(taken__gt=F("wanted")).exists()


@pytest.mark.django_db(transaction=True)
def test_whoever_is_given_a_piece_while_they_ask_for_one_gets_both():
    """Before, on PostgreSQL, both could get the same place in line: a fault of the server for one of the two."""
    study = make_study(SEE_ONLY, documents=ROUNDS, assessors=2, design=POOL)
    study_open(study=study)
    giver, taker = study.assessors.select_related("study")
    study.assessors.update(started_at=timezone.now())
    faults: list[Exception] = []
    for _ in range(ROUNDS):
        piece = assignment_next(assessor=giver)

        def give(piece=piece):
            try:
                refusing(lambda: assignment_give(assignment=piece, to=taker))()
            except Exception as fault:
                faults.append(fault)

        def ask():
            try:
                Assignment.objects.filter(assessor=taker).update(state=Assignment.State.DONE)
                assignment_next(assessor=taker)
            except Exception as fault:
                faults.append(fault)

        at_once(give, ask)
    assert not faults


@pytest.mark.django_db(transaction=True)
def test_a_wave_is_dealt_while_somebody_takes_over_what_another_has_left():
    """Before, on PostgreSQL, both could get the same place in line."""
    study = make_study(SEE_ONLY, documents=6, assessors=3, design=Design(assessors_per_item=1))
    study_open(study=study)
    study.assessors.update(started_at=timezone.now())
    gone, taker, _ = study.assessors.select_related("study")
    assessor_link(assessor=gone)
    assessor_revoke(assessor=gone)
    left = Assignment.objects.filter(assessor=gone)
    faults: list[Exception] = []
    for number in range(7, 11):
        given, over = more_documents(study, f"d{number}"), threading.Event()

        def extend(given=given, over=over):
            try:
                study_extend(study=study, study_file=given)
            except Exception as fault:
                faults.append(fault)
            finally:
                over.set()

        def take(over=over):
            """The same piece again and again, as if there were no end of them."""
            try:
                while not over.is_set():
                    Assignment.objects.filter(assessor=taker, subject__in=left.values("subject")).delete()
                    left.update(state=Assignment.State.OPEN)
                    Assignment.objects.filter(assessor=taker).update(state=Assignment.State.DONE)
                    assignment_next(assessor=taker)
            except Exception as fault:
                faults.append(fault)

        at_once(extend, take)
    assert not faults


@pytest.mark.parametrize("change", ["task", "design"])
@pytest.mark.django_db
def test_a_study_is_opened_as_it_is_and_not_as_it_was_planned(change, monkeypatch):
    """Before: whoever opened it while another took its task away had an open study without anything to judge, for good."""
    study = make_study(SEE_ONLY, design=Design(assessors_per_item=1))
    plan = dealing.planned

    def changed_meanwhile(given: Study) -> dealing.Planned:
        made = plan(given)
        other = Study.objects.get(pk=study.pk)
        if change == "task":
            task_remove(study=other, task=other.tasks.get())
        else:
            design_set(study=other, design=Design(assessors_per_item=2), seen=fingerprint(other.design))
        return made

    monkeypatch.setattr(dealing, "planned", changed_meanwhile)
    if change == "task":
        with pytest.raises(Refused, match="task"):
            study_open(study=study)
        assert Study.objects.get(pk=study.pk).state == Study.State.DRAFT
    else:
        study_open(study=study)
        assert set(Subject.objects.filter(task__study=study).values_list("wanted", flat=True)) == {2}


def outcome(job):
    """Whether the job was done or refused in words; where it fails, ``at_once`` has nothing to tell."""

    def run():
        try:
            job()
        except Refused:
            return "refused"
        return "done"

    return run


def judged_by_two() -> tuple[Study, list[Subject]]:
    """An open study in which two people have judged every piece."""
    study = make_study(SEE_ONLY, design=Design(assessors_per_item=2))
    study_open(study=study)
    for assessor in study.assessors.select_related("study"):
        while assignment := assignment_next(assessor=assessor):
            judgment_submit(
                assignment=assignment,
                client_key=uuid.uuid4(),
                revision=1,
                answer=plausible(assignment)[0],
                seconds=1,
            )
    return study, list(Subject.objects.filter(task__study=study, counts=True))


@pytest.mark.django_db(transaction=True)
def test_an_adjudicator_who_is_removed_while_given_work_is_gone_in_words():
    """Before: a broken foreign key in half of the rounds, and on PostgreSQL now and then a deadlock."""
    study, pieces = judged_by_two()
    for round_number in range(ROUNDS):
        (person,) = adjudicators_add(study=study, names=[f"Dana {round_number}"])
        one, two, three = (Adjudicator.objects.select_related("study").get(pk=person.pk) for _ in range(3))
        given = {"study": study, "subjects": pieces[:1], "adjudicator": one}
        *others, removal = at_once(
            outcome(partial(adjudications_give, **given)),
            outcome(partial(adjudicator_link, adjudicator=two)),
            outcome(partial(adjudicator_remove, adjudicator=three)),
        )
        assert removal == "done"
        assert set(others) <= {"done", "refused"}
        assert not Adjudicator.objects.filter(pk=person.pk).exists()
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(
    "late",
    [
        lambda assessor: assessor_link(assessor=assessor),
        lambda assessor: assessor_revoke(assessor=assessor),
        lambda assessor: assessor_pause(assessor=assessor, message="Call Ann Example."),
        lambda assessor: assessor_cap(assessor=assessor, judgments=3),
        lambda assessor: assessor_email_set(assessor=assessor, email="ann@example.org"),
        lambda assessor: assessor_erase(assessor=assessor, keep_judgments=False),
    ],
    ids=["link", "revoke", "pause", "cap", "email", "erase"],
)
@pytest.mark.django_db
def test_a_late_change_brings_nothing_back_of_somebody_who_was_erased(late, keep):
    """Before: a new link or a mail address was written into the row of somebody erased, or the server failed."""
    study, _ = judged_by_two()
    seen = study.assessors.select_related("study").first()
    assessor_erase(assessor=study.assessors.select_related("study").get(pk=seen.pk), keep_judgments=keep)
    with pytest.raises(Refused, match="in the meantime"):
        late(seen)
    for row in Assessor.objects.filter(pk=seen.pk):
        assert (row.token_hash, row.email, row.pause_message, row.load_cap) == (None, "", "", None)
    assert Erasure.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_studies_that_want_the_same_slug_at_once_leave_it_to_one():
    """Before, on PostgreSQL: the other one failed with an error of the database."""
    studies = [make_study(SEE_ONLY, slug=f"s{number}") for number in range(2)]
    for round_ in range(ROUNDS):
        slug, faults = f"wanted-{round_}", []

        def rename(study, slug=slug, faults=faults):
            try:
                study_rename(study=Study.objects.get(pk=study.pk), slug=slug)
            except Refused as refused:
                faults.append(str(refused))

        at_once(*(partial(rename, study) for study in studies))
        assert Study.objects.filter(slug=slug).count() == 1
        assert [fault for fault in faults if slug in fault] == faults
        assert len(faults) == 1


@pytest.mark.django_db
def test_what_is_not_given_stays_as_somebody_else_has_just_left_it():
    """Before: whoever changed the name by the API set contact and deadline back to what they were when the request came."""
    study = make_study(SEE_ONLY)
    seen = Study.objects.get(pk=study.pk)
    study_change(study=study, given={"contact": "ada@example.org", "instructions": "Read twice."})
    study_change(study=seen, given={"name": "Another name"})
    study.refresh_from_db()
    assert (study.name, study.contact) == ("Another name", "ada@example.org")
    assert study.instructions.strip() == "Read twice."


# --- two tabs of one person, and what others do meanwhile ---------------------------------------------------------


def only_postgres(test):
    """On SQLite whoever writes takes turns with everybody: there is no such test there."""
    return test if connection.vendor == "postgresql" else None


def submitted(assignment, revision=1):
    answer, _ = plausible(assignment)
    return judgment_submit(
        assignment=assignment, client_key=uuid.uuid4(), revision=revision, answer=answer, seconds=1
    )


@pytest.mark.django_db(transaction=True)
def test_an_undo_that_is_asked_for_twice_at_once_opens_one_draft():
    """Before, on PostgreSQL: who waited for the other saw no draft, and failed."""
    study = make_study(SEE_ONLY, documents=ROUNDS)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    for _ in range(ROUNDS):
        assignment = assignment_next(assessor=assessor)
        submitted(assignment)
        drafts = at_once(*[partial(judgment_undo, assignment=assignment)] * 3)
        assert {draft and draft.pk for draft in drafts} == {Draft.objects.get(assignment=assignment).pk}


@only_postgres
@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_submit_at_once_do_not_wait_for_each_other(monkeypatch):
    """Before: one had the piece, and waited for its turn; the other had the turn, and waited for the piece, to extend its lease."""
    study = make_study(SEE_ONLY, documents=4, design=POOL, settings=Settings(revise=True))
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    first = assignment_next(assessor=assessor)
    submitted(first)
    second = assignment_next(assessor=assessor)
    both = threading.Barrier(2, timeout=20)
    real = work.judgments_in_turn
    later = threading.local()

    def in_turn(study):
        both.wait()  # each has its piece
        if later.is_it:
            time.sleep(0.3)
        real(study)

    def tab(assignment, revision, *, last):
        def run():
            later.is_it = last
            recorded, line = submitted(assignment, revision=revision)
            return recorded.new and line is not None

        return run

    monkeypatch.setattr(work, "judgments_in_turn", in_turn)
    assert at_once(tab(first, 2, last=False), tab(second, 1, last=True)) == [True, True]


@only_postgres
@pytest.mark.django_db(transaction=True)
def test_a_word_about_a_piece_does_not_wait_for_whoever_submits_it():
    """Before: with the history locked. Whoever wrote into it with judgments in turn waited, and the submit for them."""
    study = make_study(SEE_ONLY)
    study_open(study=study)
    assignment = assignment_next(assessor=study.assessors.select_related("study").first())
    has_it, is_said = threading.Event(), threading.Event()

    @transaction.atomic
    def submit():
        work._for_writing(assignment)
        has_it.set()
        return is_said.wait(timeout=10)

    def say():
        has_it.wait(timeout=10)
        flag_raise(assessor=assignment.assessor, assignment=assignment, comment="Broken.")
        is_said.set()

    assert at_once(submit, say)[0]


def judged_elsewhere():
    """The first piece that the first person of a study gets, judged in another study, as a table has it."""
    elsewhere = make_study(SEE_ONLY, slug="elsewhere", design=POOL)
    study_open(study=elsewhere)
    submitted(assignment_next(assessor=elsewhere.assessors.select_related("study").first()))
    return [row | {"study": "", "row": 2} for row in judgment_rows(elsewhere)]


@only_postgres
@pytest.mark.django_db(transaction=True)
def test_an_import_of_what_somebody_is_handed_at_this_moment_is_refused_in_words(monkeypatch):
    """Before: it failed, and nobody said why."""
    study = make_study(SEE_ONLY, design=POOL)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    real = imports._Importer.begin

    def begin(importer):
        real(importer)
        at_once(partial(assignment_next, assessor=assessor))

    rows = judged_elsewhere()
    monkeypatch.setattr(imports._Importer, "begin", begin)
    with pytest.raises(Refused, match="send it again"):
        imports.judgments_import(study=study, rows=rows)
    assert not Judgment.objects.filter(assignment__assessor=assessor).exists()


@only_postgres
@pytest.mark.django_db(transaction=True)
def test_whoever_submits_what_is_imported_at_this_moment_is_told_that_it_is_judged(monkeypatch):
    """Before: the import was refused, however long it took to write."""
    study = make_study(SEE_ONLY, design=POOL)
    study_open(study=study)
    assignment = assignment_next(assessor=study.assessors.select_related("study").first())
    told: list[Exception] = []

    def submits():
        try:
            submitted(assignment)
        except Exception as fault:
            told.append(fault)
        finally:
            connection.close()

    late = threading.Thread(target=submits)
    real = imports._Importer.begin

    def begin(importer):
        late.start()
        time.sleep(0.2)
        real(importer)

    rows = judged_elsewhere()
    monkeypatch.setattr(imports._Importer, "begin", begin)
    assert imports.judgments_import(study=study, rows=rows).judgments == 1
    late.join()
    assert [type(fault) for fault in told] == [Conflict]
    assert Judgment.objects.get(assignment=assignment).imported


@pytest.mark.django_db
def test_nothing_of_somebody_who_was_erased_comes_after():
    """A request that had begun before. Before: a draft, a judgment or a message of theirs was stored all the same."""
    study = make_study(SEE_ONLY)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assignment = assignment_next(assessor=assessor)
    answer, _ = plausible(assignment)
    assessor_erase(assessor=Assessor.objects.get(pk=assessor.pk), keep_judgments=True)
    with pytest.raises(Closed):
        draft_save(assignment=assignment, revision=1, answer=answer)
    with pytest.raises(Closed):
        submitted(assignment)
    with pytest.raises(Closed):
        flag_raise(assessor=assessor, comment="It is me, Ann.")
    assert not any(model.objects.exists() for model in (Draft, Judgment, Flag))


@pytest.mark.django_db(transaction=True)
def test_the_overlap_of_a_task_that_two_raise_at_once_is_raised_once():
    """Before: three judgments of each where two were asked for, since the second went by the task as it was."""
    study = make_study(SEE_ONLY, assessors=3)
    study_open(study=study)

    def raising():
        own = Study.objects.get(pk=study.pk)
        return refusing(partial(overlap_raise, study=own, to=2, task=own.tasks.get()))

    at_once(raising(), raising())
    assert set(Subject.objects.filter(task__study=study).values_list("wanted", flat=True)) == {2}


@pytest.mark.django_db(transaction=True)
def test_a_study_that_only_a_program_has_judged_is_not_replaced():
    """Before: its answers were gone, and nobody was told."""
    study = make_study(SEE_ONLY)
    owner = member(study)
    study_open(study=study)
    turn = program_next(program=program_enter(study=study, name="letters"))
    answer, _ = plausible_answer(turn.facts, turn.exhibit, seed=1)
    assert program_answer(item=turn.item, stage=1, answer=answer)
    study_close(study=study)
    with pytest.raises(Refused, match="A program has judged this study"):
        study_import(study_file=study_file(SEE_ONLY), owner=owner, replace=True)
    assert ProgramAnswer.objects.get().item_id == turn.item.pk


@pytest.mark.django_db(transaction=True)
def test_a_study_is_either_opened_or_replaced(monkeypatch):
    """Before, on PostgreSQL: whoever opened it was told that it is open, and it was a draft again."""
    study = make_study(SEE_ONLY)
    owner, own = member(study), Study.objects.get(pk=study.pk)
    looked, opened = threading.Event(), threading.Event()
    refuse = studies._refuse_judged

    def slowly(old):
        looked.set()
        opened.wait(0.5)
        refuse(old)

    monkeypatch.setattr(studies, "_refuse_judged", slowly)

    def opening():
        looked.wait()
        study_open(study=own)
        opened.set()
        return "open"

    replacing = partial(study_import, study_file=study_file(SEE_ONLY), owner=owner, replace=True)
    replaced, state = at_once(refusing(replacing), refusing(opening))
    assert (replaced is None) == (state == "open")
    assert Study.objects.get(slug=study.slug).state == (state or "draft")


@pytest.mark.django_db(transaction=True)
def test_a_text_that_is_cut_while_the_study_opens_is_dealt_as_it_is():
    """Before: on PostgreSQL the study was dealt by the units that the text had before."""
    study = make_study(SEE_ONLY)
    own = Study.objects.get(pk=study.pk)
    text = Output.objects.select_related("study").filter(study=study).first()
    was_cut, looked = threading.Event(), []

    def cutting():
        with transaction.atomic():
            units_cut(text=text, units=[*text.units[0].rsplit(" ", 1), *text.units[1:]])
            was_cut.set()
            time.sleep(0.3)

    def opening():
        was_cut.wait()
        study_open(study=own)
        looked.append(Output.objects.get(pk=text.pk).units)

    hands = dealing._hands

    def seen(study):
        looked.append(Output.objects.get(pk=text.pk).units)
        return hands(study)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dealing, "_hands", seen)
        at_once(cutting, opening)
    assert looked[-1] == looked[-2], "the last plan was made of the text as it is"
    assert len(looked[-1]) == 3


@pytest.mark.django_db(transaction=True)
def test_settings_of_a_task_that_is_removed_at_this_moment_are_refused_in_words():
    """Before: a fault of the server, and a task that was removed twice had two lines in the history."""
    study = make_study(SEE_ONLY, {**SEE_ONLY, "name": "other"})
    first, second = Task.objects.filter(study=study), Task.objects.get(study=study, name="other")
    task_remove(study=study, task=first.get(name="other"))
    with pytest.raises(Refused, match="Task other was removed in the meantime"):
        task_configure(study=study, task=second, config=second.config, seen=fingerprint(second.config))
    with pytest.raises(Refused, match="Task other was removed in the meantime"):
        task_remove(study=study, task=second)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_close_a_study_one_is_told_that_it_is_closed():
    study = make_study(SEE_ONLY)
    study_open(study=study)
    other = Study.objects.get(pk=study.pk)
    study_close(study=study)
    with pytest.raises(Refused, match="Only an open study can be closed"):
        study_close(study=other)


@pytest.mark.django_db(transaction=True)
def test_a_new_version_of_a_key_comes_while_people_judge_by_the_old_one():
    """Before, on PostgreSQL: in four of five rounds most of the requests failed, as each waited for the other; in the fifth a third person
    was to judge what two had already."""
    for number in range(2):
        study = make_study(UNITS, documents=4, assessors=6, design=POOL, slug=f"s{number}")
        study.assessors.filter(name="p1").update(group="w")
        study.assessors.exclude(name="p1").update(group="r")
        study_open(study=study)
        answer_all(study, builders, only={"p1"})
        phase_open(task=study.tasks.get())
        readers = list(study.assessors.select_related("study").filter(group="r"))
        for reader in readers:
            answer_one(found := assignment_next(assessor=reader), all_present(found, exhibit_shown(found)))
        builder = study.assessors.select_related("study").get(name="p1")
        for about in ("r-d1", "r-d2", "r-d3"):
            key_reopen(task=study.tasks.get(), about=about, author=builder.pseudonym)
        while again := assignment_next(assessor=builder):
            answer_one(again, write("Mara baked.", "It was bread."))
        faults: list[Exception] = []

        def judging(reader, faults=faults):
            try:
                while found := assignment_next(
                    assessor=Assessor.objects.select_related("study").get(pk=reader.pk)
                ):
                    with suppress(Refused):  # what it is judged by has changed: it comes again
                        answer = all_present(found, exhibit_shown(found))
                        revision = found.draft.revision if hasattr(found, "draft") else 1
                        judgment_submit(
                            assignment=found,
                            client_key=uuid.uuid4(),
                            revision=revision,
                            answer=answer,
                            seconds=1,
                        )
            except Exception as fault:
                faults.append(fault)

        renewed = at_once(
            lambda study=study: phase_extend(task=study.tasks.get()),
            *(partial(judging, reader) for reader in readers),
        )[0]
        assert not faults
        assert renewed
        for subject in Subject.objects.filter(task__study=study, phase="judging", superseded=False):
            assert subject.assignments.exclude(state=Assignment.State.ABANDONED).count() == subject.taken == 2
