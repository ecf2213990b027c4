"""People and what they have done so far, as dealing knows them: loads, systems met, the judgments and keys that go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q

from annotation.designs import Person
from annotation.models import (
    Assessor,
    Assignment,
    Judgment,
    Study,
    Task,
)
from annotation.selectors.exhibits import kind_of
from annotation.tasks.terms import Judged


def loads(study: Study) -> Counter[int]:
    """How many pieces each assessor has."""
    rows = Assignment.objects.filter(assessor__study=study, counts=True).exclude(
        state=Assignment.State.ABANDONED
    )
    return Counter(dict(rows.order_by().values_list("assessor").annotate(n=Count("pk"))))


def systems_met(task: Task) -> dict[tuple[int, str], int]:
    """How many pieces of each system each assessor has in a task."""
    rows = Assignment.objects.filter(subject__task=task, counts=True, subject__output__isnull=False)
    rows = rows.exclude(state=Assignment.State.ABANDONED).order_by()
    counted = rows.values_list("assessor", "subject__output__system__key").annotate(n=Count("pk"))
    return {(assessor, system): number for assessor, system, number in counted}


def people_of(study: Study) -> list[Person]:
    return [person_of(assessor) for assessor in study.assessors.all()]


def person_of(assessor: Assessor) -> Person:
    """An assessor as a design sees one. A pseudonym is never somebody's author id, so it can stand for one."""
    return Person(index=assessor.pk, group=assessor.group, author=assessor.author or assessor.pseudonym)


def judged_so_far(task: Task, *, counted: bool = False) -> Iterator[Judged[Any]]:
    """The newest judgments of the task so far, without practice; with ``counted`` also without what is left out."""
    # Who has been asked to go on with something submitted has it open again; until then what was submitted counts.
    again = Q(state=Assignment.State.OPEN) & Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
    rows = Assignment.objects.filter(left_out=False) if counted else Assignment.objects.all()
    assignments = (
        rows.filter(
            Q(state=Assignment.State.DONE) | again,
            subject__task=task,
            subject__practice=False,
            subject__control="",
            subject__superseded=False,
        )
        .select_related("assessor", "subject__document", "subject__topic", "subject__output")
        .select_related("subject__reference__document", "subject__reference__topic")
        .prefetch_related(Prefetch("judgments", Judgment.objects.order_by("revision")))
        .order_by("subject__order", "assessor_id")
    )
    for assignment in assignments:
        subject, assessor = assignment.subject, assignment.assessor
        about = subject.document or subject.topic
        item = about.key if about else subject.reference.item_key if subject.reference else ""
        yield Judged(
            item=item,
            author=person_of(assessor).author,
            answer=kind_of(task).Answer.model_validate(list(assignment.judgments.all())[-1].answer),
            phase=subject.phase,
            about=subject.reference.key if subject.reference else item,
            assessor=assessor.pseudonym,
        )


def keys_undecided(task: Task, judged: Sequence[Judged[Any]]) -> list[str]:
    """What several people have built a key for, none of which is chosen."""
    builders: dict[str, set[str]] = {}
    for one in _keys_among(task, judged):
        builders.setdefault(one.about, set()).add(one.author)
    return [
        about
        for about, authors in builders.items()
        if len(authors) > 1 and task.choices.get(about) not in authors
    ]


def going_on(task: Task, judged: Sequence[Judged[Any]]) -> list[Judged[Any]]:
    """The judgments without keys that do not go on: of several, only the chosen one does."""
    keys = _keys_among(task, judged)
    several = Counter(one.about for one in keys)
    aside = [one for one in keys if several[one.about] > 1 and task.choices.get(one.about) != one.author]
    return [one for one in judged if not any(one is other for other in aside)]


def _keys_among(task: Task, judged: Sequence[Judged[Any]]) -> list[Judged[Any]]:
    kind = kind_of(task)
    return [one for one in judged if one.phase == kind.phases[0]] if kind.builds else []
