"""The plan of a study: who will judge what, before anything is written. Opening the study carries it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Prefetch

from annotation.designs import Deal, Design, DesignProblem, Person, Piece, deal, pool_order
from annotation.models import Assignment, Judgment, PracticeItem, Study, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials
from annotation.study_files.schema import Materials
from annotation.tasks.base import Judged, SubjectPlan


@dataclass(frozen=True)
class TaskPlan:
    """One task: its subjects (with database ids), and who gets which. ``order`` serves a pool."""

    task: Task
    phase: str
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


def has_pool(study: Study) -> bool:
    """Whether some task of the study is an open pool."""
    return _has_pool(study.pk, study.opened_at) if study.opened_at else _pool_among(study)


@lru_cache(maxsize=1000)
def _has_pool(study_pk: int, opened_at: datetime) -> bool:
    """A design does not change once the study is open, so every process looks once."""
    return _pool_among(Study.objects.get(pk=study_pk, opened_at=opened_at))


def _pool_among(study: Study) -> bool:
    return any(design_of(study, task).pool for task in study.tasks.all())


def next_phase(task: Task) -> str | None:
    """The phase that comes after the one that is open."""
    phases = kind_of(task).phases
    later = phases[phases.index(task.phase) + 1 :] if task.phase in phases else phases
    return later[0] if later else None


def study_plan(study: Study, *, dealt: bool = True) -> Plan:
    """Deal the first phase of every task to the assessors, on paper; or only list what there is to judge."""
    people = _people(study)
    plan = Plan(people=[person.index for person in people])
    tasks = list(study.tasks.prefetch_related("practice_items"))
    if dealt and not people and not all(design_of(study, task).pool for task in tasks):
        plan.problems.append("There are no assessors yet. Add some, or let the design be a pool.")
        return plan
    materials, ids = study_materials(study)
    for task in tasks:
        practice = list(task.practice_items.all())
        practised = {item.output_id for item in practice}
        try:
            subjects = [
                subject
                for subject in kind_of(task).subjects(config_of(task), materials)
                if subject.output is None or ids["outputs"][subject.output] not in practised
            ]
        except DesignProblem as problem:
            plan.problems.append(f"Task {task.name}: {problem}")
            continue
        phase = kind_of(task).first_phase(config_of(task))
        _plan_task(plan, task, phase, subjects, people if dealt else None, materials, ids, practice)
    return plan


def phase_plan(task: Task, phase: str, *, known: Sequence[dict[str, Any]] = ()) -> Plan:
    """Deal a later phase of one task, from what was judged before; without the subjects that are ``known``."""
    people = _people(task.study)
    plan = Plan(people=[person.index for person in people])
    materials, ids = study_materials(task.study)
    judged = list(judged_so_far(task, ids))
    subjects = [
        subject
        for subject in kind_of(task).later_subjects(config_of(task), materials, phase, judged)
        if _identity(_with_ids(subject, ids)) not in known
    ]
    if known and not subjects:
        return plan
    _plan_task(plan, task, phase, subjects, people, materials, ids, [])
    return plan


def _identity(subject: SubjectPlan) -> dict[str, Any]:
    """What makes a subject the same one: what it is about, whoever judges it."""
    return {
        "output": subject.output,
        "document": subject.document,
        "topic": subject.topic,
        "details": dict(subject.details),
    }


def _people(study: Study) -> list[Person]:
    return [
        Person(index=row.pk, group=row.group, author=row.author or row.pseudonym)
        for row in study.assessors.all()
    ]


def judged_so_far(task: Task, ids: dict[str, list[int]]) -> Iterator[Judged]:
    """The newest judgments of the task so far, without practice."""
    documents: dict[int | None, int] = {pk: index for index, pk in enumerate(ids["documents"])}
    topics: dict[int | None, int] = {pk: index for index, pk in enumerate(ids["topics"])}
    assignments = (
        Assignment.objects.filter(subject__task=task, subject__practice=False, state=Assignment.State.DONE)
        .select_related("assessor", "subject__document", "subject__topic")
        .prefetch_related(Prefetch("judgments", Judgment.objects.order_by("revision")))
        .order_by("subject__order", "assessor_id")
    )
    for assignment in assignments:
        subject, assessor = assignment.subject, assignment.assessor
        item = subject.document or subject.topic
        yield Judged(
            item=item.key if item else "",
            document=documents.get(subject.document_id),
            topic=topics.get(subject.topic_id),
            author=assessor.author or assessor.pseudonym,
            answer=kind_of(task).Answer.model_validate(list(assignment.judgments.all())[-1].answer),
        )


def _plan_task(
    plan: Plan,
    task: Task,
    phase: str,
    subjects: list[SubjectPlan],
    people: list[Person] | None,
    materials: Materials,
    ids: dict[str, list[int]],
    practice: list[PracticeItem],
) -> None:
    """Add one task's phase to the plan, or say why it cannot be dealt."""
    design = design_of(task.study, task)
    nothing = f"Task {task.name}: there is nothing to judge. Check outputs, references and practice."
    if not subjects:
        plan.problems.append(nothing)
        return
    pieces = [_piece(index, subject, materials) for index, subject in enumerate(subjects)]
    # Each task is dealt from its own seed: adding a task must not change the plan of the others.
    seed = task.study.seed * 1009 + task.position
    try:
        deals = _deals(task, phase, design, subjects, pieces, people, seed)
    except DesignProblem as problem:
        plan.problems.append(f"Task {task.name}: {problem}")
        return
    if people and not deals and not design.pool:
        plan.problems.append(nothing)
        return
    if deals:
        # A protocol leaves out what only practice would have needed, such as the full text of a practised surrogate.
        used = sorted({one.piece for one in deals})
        place = {piece: index for index, piece in enumerate(used)}
        subjects, pieces = [subjects[piece] for piece in used], [pieces[piece] for piece in used]
        deals = [Deal(one.person, place[one.piece]) for one in deals]
    plan.tasks.append(
        TaskPlan(
            task=task,
            phase=phase,
            design=design,
            subjects=[_with_ids(subject, ids) for subject in subjects],
            practice=practice,
            deals=deals,
            order=pool_order(pieces, seed=seed) if design.pool else list(range(len(pieces))),
        )
    )


def _deals(
    task: Task,
    phase: str,
    design: Design,
    subjects: list[SubjectPlan],
    pieces: list[Piece],
    people: list[Person] | None,
    seed: int,
) -> list[Deal]:
    """The protocol's own deal, else the design's."""
    if people is None:
        return []
    own = kind_of(task).deal(config_of(task), design, phase, subjects, people, seed=seed)
    if own is not None:
        return own
    return [] if design.pool else deal(design, pieces, people, seed=seed)


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
        authors=subject.authors | (frozenset({output.author} - {""}) if output else frozenset()),
        writer=reference.author if reference else "",
    )
