"""The keys of a task whose first phase builds them: who has built what, and which of them goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import QuerySet

from annotation.models import Assignment, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.plan import person_of


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


def building(task: Task) -> QuerySet[Assignment]:
    """The assignments of the phase that builds."""
    rows = Assignment.objects.filter(subject__task=task, subject__phase=kind_of(task).phases[0])
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
