"""The plan as the study page shows it: how many pieces each assessor gets of each system, task by task.

Before a study opens the numbers come from the plan on paper; afterwards from what was dealt and leased.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.designs import Design, describe, handed_on
from annotation.models import Assessor, Assignment, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.plan import design_of, next_phase, study_plan
from annotation.selectors.progress import count
from annotation.study_files.schema import Settings

Cell = tuple[int, int | None]  # assessor id, system id (None: the piece is nobody's output)


@dataclass(frozen=True)
class TaskTable:
    """One task: its design in words, and assessor × system counts."""

    task: Task
    title: str
    design: Design
    pieces: int
    practice: int
    description: str
    counts: Counter[Cell]
    next_phase: str | None = None  # which phase an owner can open now
    extendable: bool = False  # what was judged since the phase opened can be added to it

    def of_assessor(self, assessor: Assessor) -> int:
        return sum(number for (person, _), number in self.counts.items() if person == assessor.pk)


@dataclass(frozen=True)
class PlanTables:
    tasks: list[TaskTable] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def has_pool(self) -> bool:
        return any(table.design.pool for table in self.tasks)


def plan_tables(study: Study) -> PlanTables:
    return _on_paper(study) if study.state == Study.State.DRAFT else _as_dealt(study)


def _on_paper(study: Study) -> PlanTables:
    plan = study_plan(study)
    systems = dict(study.outputs.values_list("pk", "system_id"))
    tables = []
    for task in plan.tasks:
        counts = Counter(
            (deal.person, systems.get(task.subjects[deal.piece].output or 0))
            for deal in task.deals
            if task.subjects[deal.piece].counts
        )
        tables.append(
            TaskTable(
                task=task.task,
                title=kind_of(task.task).title,
                design=task.design,
                pieces=sum(subject.counts for subject in task.subjects),
                practice=len(task.practice) + sum(subject.practice for subject in task.subjects),
                description=_described(task.task, task.design, len(task.subjects), len(plan.people)),
                counts=counts,
            )
        )
    return PlanTables(tasks=tables, problems=plan.problems)


def _described(task: Task, design: Design, pieces: int, people: int) -> str:
    """In words: the protocol's own way of dealing, else the design's."""
    kind, config = kind_of(task), config_of(task)
    dealt = kind.deal_described(config, design, people) or describe(design, pieces, people)
    phase = task.phase or kind.first_phase(config)
    return " ".join(filter(None, [dealt, handed_on(kind.dealt_as(config, design, phase), _away(task.study))]))


def _away(study: Study) -> str:
    hours = Settings.model_validate(study.settings).reassign_after_hours
    stays_away = f", or who stays away for {count(hours, 'hour')}," if hours else ""
    return f"whose link is revoked{stays_away}"


def _as_dealt(study: Study) -> PlanTables:
    people = study.assessors.count()
    pieces = dict(
        Subject.objects.filter(task__study=study, counts=True)
        .order_by()
        .values_list("task")
        .annotate(n=Count("pk"))
    )
    practice = dict(
        Subject.objects.filter(task__study=study, practice=True)
        .order_by()
        .values_list("task")
        .annotate(n=Count("pk"))
    )
    dealt: dict[int, Counter[Cell]] = {}
    rows = (
        Assignment.objects.filter(assessor__study=study, counts=True)
        .exclude(state=Assignment.State.ABANDONED)
        .order_by()
        .values_list("subject__task", "assessor", "subject__output__system")
        .annotate(n=Count("pk"))
    )
    for task_pk, assessor_pk, system_pk, number in rows:
        dealt.setdefault(task_pk, Counter())[assessor_pk, system_pk] += number
    return PlanTables(
        tasks=[
            TaskTable(
                task=task,
                title=kind_of(task).title,
                design=design_of(study, task),
                pieces=pieces.get(task.pk, 0),
                practice=practice.get(task.pk, 0),
                description=_described(task, design_of(study, task), pieces.get(task.pk, 0), people),
                counts=dealt.get(task.pk, Counter()),
                next_phase=next_phase(task),
                extendable=task.phase not in ("", kind_of(task).first_phase(config_of(task))),
            )
            for task in study.tasks.all()
        ]
    )
