"""The keys of a task whose first phase builds them: who has built what, and which of them goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from annotation.models import Assignment, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.judged import going_on, judged_so_far, person_of
from annotation.tasks.terms import Judged


@dataclass(frozen=True)
class BuiltKey:
    """One person's key of one thing."""

    author: str  # as in Task.choices
    name: str
    described: str  # how much is in it; empty: not submitted yet
    is_open: bool  # the builder is at it, for the first time or again
    goes_on: bool
    revisions: int


@dataclass(frozen=True)
class KeyRow:
    """What keys are built for, and by whom."""

    about: str
    built: list[BuiltKey] = field(default_factory=list)

    @property
    def submitted(self) -> list[BuiltKey]:
        return [one for one in self.built if one.described]

    @property
    def is_undecided(self) -> bool:
        return len(self.submitted) > 1 and not any(one.goes_on for one in self.built)


def keys_state(study: Study) -> str:
    """What changes results without a judgment: which keys go on, and what is judged by older ones."""
    choices = list(study.tasks.values_list("choices", flat=True))
    older = Subject.objects.filter(task__study=study, superseded=True).count()
    return hashlib.sha256(json.dumps([choices, older], sort_keys=True).encode()).hexdigest()[:16]


def keys_judged_by(task: Task) -> list[Judged[Any]]:
    """The keys that results stand on: what is judged by, and where nothing is yet, what goes on.

    What a builder changes, or the experimenter chooses, after judging has begun counts when it is judged by.
    """
    kind = kind_of(task)
    first, later = kind.phases[:2]
    rows = Subject.objects.filter(task=task, phase=later, superseded=False).order_by("order", "pk")
    items: dict[str, int] = {}
    for pk, document, topic in rows.values_list("pk", "output__document__key", "output__topic__key"):
        items.setdefault(document or topic or "", pk)
    shown = dict(Subject.objects.filter(pk__in=items.values()).values_list("pk", "shown"))
    keys = {item: kind.key_shown(shown[pk]) for item, pk in items.items()}
    in_force = [
        Judged(item=item, author="", answer=key, phase=first, about=item)
        for item, key in keys.items()
        if key is not None
    ]
    known = {one.item for one in in_force}
    others = going_on(task, list(judged_so_far(task, counted=True)))
    return in_force + [one for one in others if one.phase != first or one.item not in known]


def building(task: Task) -> QuerySet[Assignment]:
    """The assignments of the phase that builds, without those of whoever is left out: their keys do not go on."""
    rows = Assignment.objects.filter(
        subject__task=task, subject__phase=kind_of(task).phases[0], left_out=False
    )
    return rows.exclude(state=Assignment.State.ABANDONED).select_related(
        "assessor", "draft", "subject__reference", "subject__document", "subject__topic"
    )


def about_of(assignment: Assignment) -> str:
    """What a key is for, as choices name it: the reference, else the item."""
    subject = assignment.subject
    owner = subject.reference or subject.document or subject.topic
    return owner.key if owner else ""


def key_rows(task: Task) -> list[KeyRow]:
    """All keys of a task that builds some; of one that does not, none."""
    if not kind_of(task).builds:
        return []
    found: dict[str, list[Assignment]] = {}
    for assignment in building(task).prefetch_related("judgments").order_by("subject__order", "assessor_id"):
        found.setdefault(about_of(assignment), []).append(assignment)
    return [KeyRow(about, list(_built(task, about, rows))) for about, rows in found.items()]


def _built(task: Task, about: str, assignments: list[Assignment]) -> Iterator[BuiltKey]:
    kind, config = kind_of(task), config_of(task)
    several = sum(bool(assignment.judgments.all()) for assignment in assignments) > 1
    for assignment in assignments:
        judgments = list(assignment.judgments.all())
        author = person_of(assignment.assessor).author
        described = ""
        if judgments:
            described = kind.key_described(config, kind.Answer.model_validate(judgments[-1].answer))
        yield BuiltKey(
            author=author,
            name=assignment.assessor.name,
            described=described,
            is_open=assignment.state == Assignment.State.OPEN,
            goes_on=bool(judgments) and (not several or task.choices.get(about) == author),
            revisions=len(judgments),
        )
