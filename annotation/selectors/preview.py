"""A task's items in a row, to try out: practice first, then what is judged. Nothing is dealt or stored for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import PracticeItem, Study, Subject, Task
from annotation.selectors.plan import study_plan
from annotation.tasks.base import SubjectPlan

TEXTS = ("output__document__topic", "output__topic", "reference", "document__topic", "topic")


@dataclass(frozen=True)
class Preview:
    """The subject at one place of a task; practice, and all of a draft, is made up for the occasion and not saved."""

    subject: Subject
    place: int
    total: int
    practice: int  # so many of them come first


def task_preview(task: Task, place: int) -> Preview | None:
    """What is at this place, counted from 1; None beyond the end."""
    practice = list(task.practice_items.select_related("output__document", "output__topic", "reference"))
    index = place - len(practice) - 1
    planned: Sequence[SubjectPlan] = ()
    if task.study.state == Study.State.DRAFT:
        planned = next(
            (row.subjects for row in study_plan(task.study, dealt=False).tasks if row.task == task), ()
        )
        judged = len(planned)
    else:
        judged = Subject.objects.filter(task=task, practice=False).count()
    if not 1 <= place <= len(practice) + judged:
        return None
    if index < 0:
        subject = _practised(task, practice[place - 1])
    elif planned:
        subject = _planned(task, planned[index])
    else:
        subjects = Subject.objects.filter(task=task, practice=False).order_by("order", "pk")
        subject = subjects.select_related(*TEXTS)[index]
        subject.task = task
    return Preview(subject, place, len(practice) + judged, len(practice))


def _practised(task: Task, item: PracticeItem) -> Subject:
    return Subject(
        task=task, output=item.output, reference=item.reference, practice=True, key=item.key, order=0
    )


def _planned(task: Task, plan: SubjectPlan) -> Subject:
    return Subject(
        task=task,
        phase=plan.phase,
        output_id=plan.output,
        reference_id=plan.reference,
        document_id=plan.document,
        topic_id=plan.topic,
        details=dict(plan.details),
        order=0,
    )
