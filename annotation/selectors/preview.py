"""A task's items in a row, to try out: practice first, then what is judged. Nothing is dealt or stored for it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials

TEXTS = ("output__document__topic", "output__topic", "reference", "document__topic", "topic")


@dataclass(frozen=True)
class Preview:
    """The subject at one place of a task; in a draft it is made up for the occasion and not saved."""

    subject: Subject
    place: int
    total: int


def task_preview(task: Task, place: int) -> Preview | None:
    """What is at this place, counted from 1; None beyond the end."""
    practice = list(task.practice_items.select_related("output__document", "output__topic", "reference"))
    if 1 <= place <= len(practice):
        item = practice[place - 1]
        subject = Subject(
            task=task, output=item.output, reference=item.reference, practice=True, key=item.key, order=place
        )
        return Preview(subject, place, len(practice) + _judged_count(task, practised=practice))
    return _judged(task, place, practised=practice)


def _judged(task: Task, place: int, *, practised: list) -> Preview | None:
    index = place - len(practised) - 1
    if task.study.state == Study.State.DRAFT:
        planned = _planned(task, practised)
        total = len(planned) + len(practised)
        return Preview(planned[index], place, total) if 0 <= index < len(planned) else None
    subjects = Subject.objects.filter(task=task, practice=False).order_by("order")
    found = subjects.select_related("task", *TEXTS)[index : index + 1] if index >= 0 else []
    return next((Preview(row, place, subjects.count() + len(practised)) for row in found), None)


def _judged_count(task: Task, *, practised: list) -> int:
    if task.study.state == Study.State.DRAFT:
        return len(_planned(task, practised))
    return Subject.objects.filter(task=task, practice=False).count()


def _planned(task: Task, practised: list) -> list[Subject]:
    materials, ids = study_materials(task.study)
    skipped = {item.output_id for item in practised}

    def stored(kind: str, index: int | None) -> int | None:
        return None if index is None else ids[kind][index]

    made = [
        Subject(
            task=task,
            phase=plan.phase,
            output_id=stored("outputs", plan.output),
            reference_id=stored("references", plan.reference),
            document_id=stored("documents", plan.document),
            topic_id=stored("topics", plan.topic),
            details=dict(plan.details),
            order=order,
        )
        for order, plan in enumerate(kind_of(task).subjects(config_of(task), materials))
    ]
    return [subject for subject in made if subject.output_id is None or subject.output_id not in skipped]
