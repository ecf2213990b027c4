"""The tasks of a study, as pages and the API ask for them."""

from __future__ import annotations

from annotation.models import Study, Task
from annotation.selectors.plan import next_phase


def tasks_of(study: Study) -> list[Task]:
    """In the order of the study file."""
    return list(study.tasks.all())


def task_find(study: Study, name: str) -> Task | None:
    return study.tasks.select_related("study").filter(name=name).first()


def more_to_come(study: Study) -> bool:
    """Whether a later phase may bring new work to those who have finished."""
    return any(next_phase(task) for task in tasks_of(study))
