"""Threads between an assessor and the experimenter: flags and messages on one side, answers on the other."""

from __future__ import annotations

import re

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.actors import actor
from annotation.errors import Refused
from annotation.models import Assessor, Assignment, Flag, Reply, Study
from annotation.services.audit import audit_write
from annotation.words import phrase

LONGEST = 5_000  # characters of an answer
MOST = 50  # answers in a thread
SHORTEST_NAME = 3  # letters of a system's name that is looked for in an answer


class NamesASystem(Refused):
    """An answer names a system, which an assessor must not learn."""


@transaction.atomic
def reply_send(*, flag: Flag, comment: str, names_are_fine: bool = False) -> Reply:
    """Answer in the thread of this flag, which is settled by it until the assessor writes back.

    An answer that has the id or the name of a system in it is refused, unless whoever writes it has looked: the word may mean
    something else.
    """
    assessor, assignment = flag.assessor, flag.assignment
    study = assessor.study
    comment = comment.strip()
    if not comment:
        raise Refused(phrase("Write a few words first."))
    if len(comment) > LONGEST:
        raise Refused(
            phrase("The answer is too long: it may have {longest} characters.", longest=f"{LONGEST:,}")
        )
    # One at a time, so that the count of unread answers and the bound hold.
    Assessor.objects.select_for_update(no_key=True).get(pk=assessor.pk)
    if Reply.objects.filter(assessor=assessor, assignment=assignment).count() >= MOST:
        raise Refused(phrase("There are {most} answers here already. Reach them in another way.", most=MOST))
    named = None if names_are_fine else _system_named(study, comment)
    if named:
        raise NamesASystem(
            f"“{named}” is what a system is called, and assessors must not learn which system wrote what. Say it in another "
            "way, or send it all the same if the word means something else."
        )
    reply = Reply.objects.create(assessor=assessor, assignment=assignment, comment=comment, made_by=actor())
    Assessor.objects.filter(pk=assessor.pk).update(answers_unread=F("answers_unread") + 1)
    _flags_settle(assessor, assignment)
    audit_write(
        study=study,
        action="flag.answer",
        target=thread_words(assessor, assignment),
        after={"characters": len(comment)},
    )
    return reply


def thread_words(assessor: Assessor, assignment: Assignment | None) -> str:
    """What a thread is called in the history, where nobody's words are kept: whoever is erased must not stay there."""
    return f"thread {assessor.pseudonym}" + (f"/{assignment.position}" if assignment else "")


def _system_named(study: Study, comment: str) -> str:
    """The first id or name of a system that stands in the text as a word of its own."""
    for key, name in study.systems.values_list("key", "name"):
        for word in (key, name):
            if len(word) >= SHORTEST_NAME and re.search(
                rf"(?<!\w){re.escape(word)}(?!\w)", comment, re.IGNORECASE
            ):
                return word
    return ""


@transaction.atomic
def thread_settle(*, flag: Flag) -> None:
    """Nothing in it waits for an answer any more."""
    if _flags_settle(flag.assessor, flag.assignment):
        audit_write(
            study=flag.assessor.study,
            action="flag.settle",
            target=thread_words(flag.assessor, flag.assignment),
        )


def _flags_settle(assessor: Assessor, assignment: Assignment | None) -> int:
    waiting = Flag.objects.filter(assessor=assessor, assignment=assignment, settled_at=None)
    return waiting.update(settled_at=timezone.now())


@transaction.atomic
def replies_read(*, assessor: Assessor, assignment: Assignment | None = None) -> None:
    """The assessor has seen the answers about this item, or without one all that there are."""
    if not assessor.answers_unread:
        return
    unread = Reply.objects.filter(assessor=assessor, read_at=None)
    Assessor.objects.select_for_update(no_key=True).get(pk=assessor.pk)
    (unread.filter(assignment=assignment) if assignment else unread).update(read_at=timezone.now())
    Assessor.objects.filter(pk=assessor.pk).update(answers_unread=unread.count())
