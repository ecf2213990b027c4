"""Keys that people build in the first phase of a task: which goes on, and opening one again."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Refused
from annotation.models import Assignment, Draft, Study, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.judged import person_of
from annotation.selectors.keys import about_of, building
from annotation.selectors.work import desk_of
from annotation.services.audit import audit_write
from annotation.words import phrase


@transaction.atomic
def key_choose(*, task: Task, about: str, author: str) -> None:
    """Let this builder's key go on. What was judged by another is judged again once the phase is extended."""
    task.refresh_from_db(from_queryset=Task.objects.select_for_update(no_key=True), fields=["choices"])
    chosen = _submitted(task, about, author)
    before = task.choices.get(about)
    was = next((row for row in _of(task, about) if person_of(row.assessor).author == before), None)
    task.choices = {**task.choices, about: author}
    task.save(update_fields=["choices"])
    audit_write(
        study=task.study,
        action="key.choose",
        target=f"task {task.name}, {about}",
        # Under pseudonyms: whoever is erased must not stay in the trail by an author id, which may be a name.
        before={"builder": was.assessor.pseudonym} if was else None,
        after={"builder": chosen.assessor.pseudonym},
    )


@transaction.atomic
def key_reopen(*, task: Task, about: str, author: str, join: bool = False) -> None:
    """Give a builder the submitted key to go on with, as a revision; with ``join``, all builders' keys in one.

    What was submitted counts until the revision is. A change that the builder has begun already is gone on with.
    """
    if task.study.state != Study.State.OPEN:
        raise Refused(phrase("Open the study first."))
    # Whoever saves or submits at this moment is done with it before, and what they have sent is what is opened.
    locked = Assignment.objects.select_for_update(no_key=True).filter(pk=_submitted(task, about, author).pk)
    list(locked.values_list("pk"))
    assignment = _submitted(task, about, author)
    if assignment.state == Assignment.State.OPEN:
        raise Refused(phrase("{name} is at it already.", name=assignment.assessor.name))
    newest = list(assignment.judgments.all())[-1]
    answer = desk_of(assignment, newest).stored or newest.answer
    if join:
        answer = _joined(task, assignment, answer)
    Draft.objects.update_or_create(
        assignment=assignment,
        defaults={
            "revision": newest.revision + 1,
            "answer": answer,
            "seconds": 0,
            "raw_seconds": 0,
            "saved_at": timezone.now(),
        },
    )
    Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.OPEN)
    if join:
        key_choose(task=task, about=about, author=author)
    audit_write(
        study=task.study,
        action="key.join" if join else "key.reopen",
        target=f"task {task.name}, {about}",
        after={"builder": assignment.assessor.pseudonym},
    )


def _submitted(task: Task, about: str, author: str) -> Assignment:
    if not kind_of(task).builds:
        raise Refused(phrase("Task {name} builds no key.", name=task.name))
    for assignment in _of(task, about):
        if person_of(assignment.assessor).author == author and assignment.judgments.all():
            return assignment
    raise Refused(phrase("There is no such key for {about}.", about=about))


def _of(task: Task, about: str) -> list[Assignment]:
    rows = building(task).prefetch_related("judgments").order_by("assessor_id")
    return [assignment for assignment in rows if about_of(assignment) == about]


def _joined(task: Task, first: Assignment, answer: dict[str, Any]) -> dict[str, Any]:
    kind, config = kind_of(task), config_of(task)
    others = [
        list(other.judgments.all())[-1].answer
        for other in _of(task, about_of(first))
        if other.pk != first.pk and other.judgments.all()
    ]
    if not others:
        raise Refused(phrase("Nobody else has built a key for this, so there is nothing to join."))
    try:
        joined = kind.joined(config, [kind.Answer.model_validate(one) for one in (answer, *others)])
    except ValidationError:
        raise Refused(phrase("Together these keys are too much for one key; choose one of them.")) from None
    if joined is None:
        raise Refused(phrase("Keys of this task cannot be joined; choose one of them."))
    return joined.model_dump(mode="json")
