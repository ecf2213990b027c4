"""A task's items in a row, to try out: practice first, then what is judged. Nothing is dealt or stored for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Study, Subject, Task
from annotation.selectors.exhibits import SUBJECT_SETS, SUBJECT_TEXTS, outputs_of, units_with_places
from annotation.selectors.plan import study_plan
from annotation.selectors.subjects import practice_of
from annotation.sets import Places, drawn_by_unit


@dataclass(frozen=True)
class Preview:
    """The subject at one place of a task; practice, and all of a draft, is made up for the occasion and not saved."""

    subject: Subject
    place: int
    total: int
    practice: int  # so many of them come first
    places: Places  # of a set, drawn as for an assessor


def task_preview(task: Task, place: int) -> Preview | None:
    """What is at this place, counted from 1; None beyond the end."""
    practice = practice_of(task)
    planned: Sequence[Subject] = ()
    stored = Subject.objects.filter(task=task, practice=False).order_by("order", "pk")
    if task.study.state == Study.State.DRAFT:
        plan = study_plan(task.study, dealt=False)
        planned = next((row.subjects for row in plan.tasks if row.task == task), ())
        judged = len(planned)
    else:
        judged = stored.count()
    if not 1 <= place <= len(practice) + judged:
        return None
    index = place - len(practice) - 1
    if index < 0:
        subject = practice[place - 1]
    elif planned:
        subject = planned[index]
    else:
        subject = stored.select_related(*SUBJECT_TEXTS).prefetch_related(*SUBJECT_SETS)[index]
    subject.task = task
    return Preview(subject, place, len(practice) + judged, len(practice), _places(subject, place))


def _places(subject: Subject, place: int) -> Places:
    """Where the texts of a set stand: drawn as for an assessor, unit by unit where the study says so, and the same whenever it is opened."""
    if not subject.set_id:
        return []
    size = len(outputs_of(subject))
    rng = random.Random(f"{subject.task.study.seed}/preview/{subject.task.name}/{place}")
    units = units_with_places(subject)
    return drawn_by_unit(size, units, rng) if units else rng.sample(range(size), size)
