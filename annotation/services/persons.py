"""What can be done with one person of a running study: pause, cap, hand a piece of work on, erase."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation.actors import actor
from annotation.errors import Refused
from annotation.models import Assessor, Assignment, Draft, Erasure, Flag, Judgment, Reply, Study, Subject
from annotation.selectors.exclusions import is_excluded
from annotation.selectors.judged import person_of
from annotation.services.assignments import assignment_add, assignments_kept
from annotation.services.audit import audit_write
from annotation.services.exclusions import assignments_wait, reasons_forget, results_settle
from annotation.services.handing_on import may_judge, preparation
from annotation.services.links import person_wait
from annotation.services.monitor import monitor_forget
from annotation.services.rows import rows_update
from annotation.words import gettext_noop, phrase

ERASED = "erased"
WHY_OF_ERASED = "The person was erased since; why they were left out is not kept."


def _named(assessor: Assessor) -> str:
    return f"assessor {assessor.pseudonym}"


@transaction.atomic
def assessor_pause(*, assessor: Assessor, message: str) -> None:
    """Nothing more is handed out to this person, who reads the message; their work waits."""
    message = " ".join(message.split())
    if len(message) > 500:
        raise Refused(phrase("The message may have 500 characters."))
    person_wait(assessor)
    assessor.paused_at = assessor.paused_at or timezone.now()
    assessor.pause_message = message
    assessor.save(update_fields=["paused_at", "pause_message"])
    # Not the words: they may name the person, who may be erased one day, and the history stays as it is.
    told = {"characters": len(message)}
    audit_write(study=assessor.study, action="assessor.pause", target=_named(assessor), after=told)


@transaction.atomic
def assessor_resume(*, assessor: Assessor) -> None:
    """After a pause, or although the study has stopped them; its rule does not stop the same person again."""
    person_wait(assessor)
    if assessor.paused_at is None and assessor.stopped_at is None:
        raise Refused(phrase("{name} is not paused.", name=assessor.name))
    assessor.paused_at, assessor.pause_message, assessor.stopped_at = None, "", None
    assessor.save(update_fields=["paused_at", "pause_message", "stopped_at"])
    audit_write(study=assessor.study, action="assessor.resume", target=_named(assessor))


@transaction.atomic
def assessor_cap(*, assessor: Assessor, judgments: int | None) -> None:
    """So many judgments at most; what was dealt to them stays theirs. None: no cap."""
    if judgments is not None and judgments < 1:
        raise Refused(phrase("A cap is at least one judgment. To stop somebody, pause or revoke."))
    person_wait(assessor)
    before, assessor.load_cap = assessor.load_cap, judgments
    assessor.save(update_fields=["load_cap"])
    audit_write(
        study=assessor.study,
        action="assessor.cap",
        target=_named(assessor),
        before={"judgments": before},
        after={"judgments": judgments},
    )


# --- one piece of work --------------------------------------------------------------------------------------------


@transaction.atomic
def assignment_give(*, assignment: Assignment, to: Assessor | None) -> Assignment | None:
    """Give a piece that is not done to somebody else, last in their line, or to nobody: then it is wanted no more.

    The receiver is told when they come.
    """
    row = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("subject__task")
        .filter(pk=assignment.pk)
        .first()
    )
    giver = assignment.assessor
    # What was submitted and is open again is its author's: it counts until they submit the change. Of somebody who was erased nothing is left.
    if row is None or row.state != Assignment.State.OPEN or not row.counts or row.judgments.exists():
        raise Refused(phrase("Only work that is not done can be given to somebody else."))
    if row.subject.control:
        raise Refused(phrase("It checks how carefully this person judges, and says nothing of anybody else."))
    if row.left_out:
        raise Refused(phrase("It is left out of results: where it is wanted, others have it already."))
    if to is not None:
        # Whoever is being handed work at this moment has it first: two pieces must not get the same place in line.
        Assessor.objects.select_for_update(no_key=True).get(pk=to.pk)
        _refuse_receiver(row.subject, giver, to)
    Assignment.objects.filter(pk=row.pk).update(state=Assignment.State.ABANDONED, lease_ends_at=None)
    Draft.objects.filter(assignment=row).delete()
    subject = Subject.objects.filter(pk=row.subject_id)
    given = None
    if to is None:
        subject.update(taken=F("taken") - 1, wanted=F("wanted") - 1)
    else:
        for before in preparation(row.subject, to, Q(pk=row.subject_id)):
            assignment_add(assessor=to, subject=before)
        given = assignment_add(assessor=to, subject=row.subject)
        Assessor.objects.filter(pk=to.pk).update(
            notice=gettext_noop("You were given work that somebody else has left.")
        )
    audit_write(
        study=giver.study,
        action="assignment.give",
        target=f"{_named(giver)}, place {row.position}",
        after={"to": to.pseudonym if to else "nobody"},
    )
    return given


def _refuse_receiver(subject: Subject, giver: Assessor, to: Assessor) -> None:
    if to.study_id != giver.study_id or to.pk == giver.pk:
        raise Refused(phrase("Choose somebody else of this study."))
    if to.token_hash is None and to.token_made_at:
        raise Refused(phrase("The link of {name} is revoked: they could not open it.", name=to.name))
    if is_excluded(to):
        raise Refused(phrase("{name} is left out of results.", name=to.name))
    if to.stopped_at:
        raise Refused(
            phrase("{name} has failed the checks and gets nothing more. Let them go on first.", name=to.name)
        )
    if assignments_kept(to).filter(subject=subject).exists():
        raise Refused(phrase("{name} has this piece already; nobody judges the same twice.", name=to.name))
    if not may_judge(assessor=to, subject=subject):
        raise Refused(
            phrase(
                "The design does not let {name} judge this: it is a text of their own, or an item they know.",
                name=to.name,
            )
        )


# --- erasing ------------------------------------------------------------------------------------------------------


@transaction.atomic
def assessor_erase(*, assessor: Assessor, keep_judgments: bool) -> None:
    """For good, as when consent is withdrawn: nothing of the person stays. Judgments go, or stay without a trace of who made them.

    What the person wrote to the experimenter goes in any case. Others judge again what goes. What they wrote for others to judge is part
    of the study once it has been given out: it stays, and says no more who wrote it.
    """
    study = assessor.study
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    # Before the person: a submit has locked one of them, and then refers to who made it.
    assignments_wait(assessor)
    person_wait(assessor)
    pseudonym = assessor.pseudonym
    author = person_of(assessor).author
    mine = Judgment.objects.filter(assignment__assessor=assessor)
    number = mine.filter(assignment__counts=True).values("assignment").distinct().count()
    Draft.objects.filter(assignment__assessor=assessor).delete()
    Flag.objects.filter(assessor=assessor).delete()
    Reply.objects.filter(assessor=assessor).delete()
    nobody = f"{ERASED}-{secrets.token_hex(4)}"
    _writer_rename(study, {pseudonym, author}, nobody)
    if keep_judgments:
        _make_nobody(assessor, nobody)
        _author_forget(study, author, nobody)
        reasons_forget(assessor=assessor, words=WHY_OF_ERASED)
    else:
        _author_forget(study, author, "")
        mine.delete()
        Assignment.objects.filter(assessor=assessor).delete()
        Assessor.objects.filter(pk=assessor.pk).delete()
    Erasure.objects.create(study=study, by=actor(), judgments=number, kept=keep_judgments)
    results_settle(study=study)
    Study.objects.filter(pk=study.pk).update(results_version=F("results_version") + 1)
    monitor_forget(study=study)
    kept = {"judgments": number, "kept": keep_judgments}
    audit_write(study=study, action="assessor.erase", target=f"assessor {pseudonym}", after=kept)


def _make_nobody(assessor: Assessor, nobody: str) -> None:
    """The row stays, since its judgments hang on it; everything in it that says who it was goes. Open work goes to others."""
    open_work = assessor.assignments.filter(state=Assignment.State.OPEN)
    Assessor.objects.filter(pk=assessor.pk).update(
        name=nobody,
        pseudonym=nobody,
        group="",
        author="",
        token_hash=None,
        token_made_at=timezone.now(),  # revoked: what is open goes to others
        token_expires_at=None,
        started_at=None,
        last_seen_at=None,
        completion_code="",
        email="",
        mailed_at=None,
        joined_at=None,
        consented_at=None,
        panel={},
        panel_key=None,
        paused_at=None,
        pause_message="",
        checks_failed_at=None,
        checks_failed_why="",
        stopped_at=None,
        notice="",
    )
    open_work.filter(lease_ends_at__isnull=False).update(lease_ends_at=timezone.now())


def _author_forget(study: Study, author: str, nobody: str) -> None:
    """Where tasks say whose key goes on: it is nobody's from now on, or there is none."""
    for task in study.tasks.select_for_update(no_key=True):
        if author in task.choices.values():
            others = {about: nobody if chosen == author else chosen for about, chosen in task.choices.items()}
            task.choices = {about: chosen for about, chosen in others.items() if chosen}
            task.save(update_fields=["choices"])


def _writer_rename(study: Study, known_as: set[str], nobody: str) -> None:
    """What was written here is judged under its writer's author id or pseudonym, in the export as well. Texts of the study file keep
    the names that they came with, which may be the system's: an output is one of them, and so is a question that the file asks."""
    asked = set(study.questions.filter(author__in=known_as).values_list("document", "question"))

    def is_theirs(subject: Subject, name: str, value: object) -> bool:
        what, _, of = name.rpartition("_")
        if of != "author" or value not in known_as:
            return False
        if what == "question":
            return not asked or (subject.document_id, subject.shown["question"]) not in asked
        return subject.output_id is None

    renamed = []
    rows = Subject.objects.filter(task__study=study).exclude(phase="").exclude(noted={})
    # What pieces show may be much, and people wait: it is read where it tells something.
    shown = ["shown"] if asked else []
    for subject in rows.only("noted", "document", "output", *shown).iterator():
        noted = {
            name: nobody if is_theirs(subject, name, value) else value
            for name, value in subject.noted.items()
        }
        if noted != subject.noted:
            subject.noted = noted
            renamed.append(subject)
    rows_update(renamed, ["noted"])
