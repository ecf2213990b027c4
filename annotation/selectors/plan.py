"""The plan of a study: who will judge what, before anything is written. Opening the study carries it out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from annotation.designs import Deal, Design, DesignProblem, Person, Piece, deal, pool_order
from annotation.models import PracticeItem, Study, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials
from annotation.study_files.schema import Materials
from annotation.tasks.base import SubjectPlan


@dataclass(frozen=True)
class TaskPlan:
    """One task: its subjects (with database ids), and who gets which. ``order`` serves a pool."""

    task: Task
    design: Design
    subjects: list[SubjectPlan]
    practice: list[PracticeItem]
    deals: list[Deal]  # person: assessor id; piece: index into subjects
    order: list[int]


@dataclass(frozen=True)
class Plan:
    people: list[int]  # assessor ids
    tasks: list[TaskPlan] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def design_of(study: Study, task: Task) -> Design:
    """The task's own design, else the study's."""
    return Design.model_validate(task.design if task.design is not None else study.design)


def study_plan(study: Study, *, dealt: bool = True) -> Plan:
    """Deal every task of the study to its assessors, on paper; or only list what there is to judge."""
    assessors = list(study.assessors.all())
    people = [Person(index=row.pk, group=row.group, author=row.author) for row in assessors]
    plan = Plan(people=[person.index for person in people])
    materials, ids = study_materials(study)
    tasks = list(study.tasks.prefetch_related("practice_items__output"))
    if dealt and not people and not all(design_of(study, task).pool for task in tasks):
        plan.problems.append("There are no assessors yet. Add some, or let the design be a pool.")
        return plan
    for task in tasks:
        try:
            plan.tasks.append(_task_plan(study, task, people if dealt else None, materials, ids))
        except DesignProblem as problem:
            plan.problems.append(f"Task {task.name}: {problem}")
    return plan


def _task_plan(
    study: Study, task: Task, people: list[Person] | None, materials: Materials, ids: dict[str, list[int]]
) -> TaskPlan:
    design = design_of(study, task)
    practice = list(task.practice_items.all())
    practised = {item.output_id for item in practice}
    found = [
        (subject, _with_ids(subject, ids))
        for subject in kind_of(task).subjects(config_of(task), materials)
        if subject.output is None or ids["outputs"][subject.output] not in practised
    ]
    if not found:
        raise DesignProblem(
            "there is nothing to judge. Check the outputs, the references and the practice items."
        )
    pieces = [_piece(index, subject, materials) for index, (subject, _) in enumerate(found)]
    # Each task is dealt from its own seed: adding a task must not change the plan of the others.
    seed = study.seed * 1009 + task.position
    return TaskPlan(
        task=task,
        design=design,
        subjects=[stored for _, stored in found],
        practice=practice,
        deals=[] if design.pool or people is None else deal(design, pieces, people, seed=seed),
        order=pool_order(pieces, seed=seed) if design.pool else list(range(len(pieces))),
    )


def _with_ids(subject: SubjectPlan, ids: dict[str, list[int]]) -> SubjectPlan:
    def stored(kind: str, index: int | None) -> int | None:
        return None if index is None else ids[kind][index]

    return replace(
        subject,
        output=stored("outputs", subject.output),
        reference=stored("references", subject.reference),
        document=stored("documents", subject.document),
        topic=stored("topics", subject.topic),
    )


def _piece(index: int, subject: SubjectPlan, materials: Materials) -> Piece:
    output = materials.outputs[subject.output] if subject.output is not None else None
    reference = materials.references[subject.reference] if subject.reference is not None else None
    return Piece(
        index=index,
        item=subject.item,
        system=output.system if output else "",
        authors=frozenset({output.author} - {""}) if output else frozenset(),
        writer=reference.author if reference else "",
    )
