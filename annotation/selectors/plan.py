"""The plan of a study: who will judge what, before anything is written. Opening the study carries it out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Prefetch

from annotation.designs import Deal, Design, DesignProblem, Person, Piece, deal, pool_order
from annotation.models import Assessor, Assignment, Judgment, PracticeItem, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials
from annotation.selectors.work import REVOKED
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
    already: Counter[int]  # pieces that each of them has, so that loads come out even over all tasks
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
    plan = Plan(people=[person.index for person in people], already=Counter())
    tasks = list(study.tasks.prefetch_related("practice_items"))
    if dealt and not people and not all(design_of(study, task).pool for task in tasks):
        plan.problems.append("There are no assessors yet. Add some, or let the design be a pool.")
        return plan
    materials, ids = study_materials(study)
    for task in tasks:
        practice = list(task.practice_items.all())
        try:
            subjects = _first_subjects(task, practice, materials, ids)
        except DesignProblem as problem:
            plan.problems.append(f"Task {task.name}: {problem}")
            continue
        phase = kind_of(task).first_phase(config_of(task))
        _plan_task(plan, task, phase, subjects, people if dealt else None, materials, ids, practice)
    return plan


def _first_subjects(
    task: Task, practice: Collection[PracticeItem], materials: Materials, ids: dict[str, list[int]]
) -> list[SubjectPlan]:
    """What the first phase of a task has to judge: everything but what is there to practise on."""
    practised = {item.output_id for item in practice}
    return [
        subject
        for subject in kind_of(task).subjects(config_of(task), materials)
        if subject.output is None or ids["outputs"][subject.output] not in practised
    ]


def welcome_plan(task: Task, newcomer: Assessor, *, instead_of: Assessor | None = None) -> list[SubjectPlan]:
    """What somebody who joins an open study gets of a task at once, in order: what everybody gets.

    Whoever comes ``instead_of`` somebody gets that person's order, so that orders stay counterbalanced.
    """
    kind, config, design = kind_of(task), config_of(task), design_of(task.study, task)
    phase = kind.first_phase(config)
    everything = kind.dealt_as(config, design, phase) is None
    if task.phase != phase or design.pool or not (everything or design.shared):
        return []
    materials, ids = study_materials(task.study)
    subjects = [
        subject
        for subject in _first_subjects(task, task.practice_items.all(), materials, ids)
        if everything or subject.item in design.shared
    ]
    pieces = [_piece(index, subject, materials) for index, subject in enumerate(subjects)]
    people = _people(task.study)
    if instead_of:
        new = next(person for person in people if person.index == newcomer.pk)
        others = [person for person in people if person is not new]
        people = [new if person.index == instead_of.pk else person for person in others]
    try:
        deals = _deals(task, phase, design, subjects, pieces, people, _seed(task), already=Counter())
    except DesignProblem:  # none of the people who are left may do it
        return []
    return [_with_ids(subjects[one.piece], ids) for one in deals if one.person == newcomer.pk]


def phase_plan(task: Task, phase: str, *, known: Collection[str] = (), dealt: bool = True) -> Plan:
    """Deal a later phase of one task, from what was judged before; without the subjects that are ``known``."""
    people = [person_of(assessor) for assessor in task.study.assessors.exclude(REVOKED)]
    plan = Plan(people=[person.index for person in people], already=_loads(task.study))
    materials, ids = study_materials(task.study)
    judged = list(judged_so_far(task, ids))
    subjects = [
        subject
        for subject in kind_of(task).later_subjects(config_of(task), materials, phase, judged)
        if identity(_with_ids(subject, ids)) not in known
    ]
    if known and not subjects:
        return plan
    _plan_task(plan, task, phase, subjects, people if dealt else None, materials, ids, [])
    return plan


def identity(subject: SubjectPlan | Subject) -> str:
    """What makes a subject the same one, planned (with database ids) or stored: what it is about, whoever judges it."""
    if isinstance(subject, Subject):
        place = (subject.output_id, subject.reference_id, subject.document_id, subject.topic_id)
    else:
        place = (subject.output, subject.reference, subject.document, subject.topic)
    return json.dumps([place, dict(subject.details)], sort_keys=True)


def _loads(study: Study) -> Counter[int]:
    """How many pieces each assessor has."""
    rows = Assignment.objects.filter(assessor__study=study, counts=True).exclude(
        state=Assignment.State.ABANDONED
    )
    return Counter(dict(rows.order_by().values_list("assessor").annotate(n=Count("pk"))))


def _people(study: Study) -> list[Person]:
    return [person_of(assessor) for assessor in study.assessors.all()]


def person_of(assessor: Assessor) -> Person:
    """An assessor as a design sees one. A pseudonym is never somebody's author id, so it can stand for one."""
    return Person(index=assessor.pk, group=assessor.group, author=assessor.author or assessor.pseudonym)


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
            author=person_of(assessor).author,
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
    seed = _seed(task)
    try:
        deals = _deals(task, phase, design, subjects, pieces, people, seed, plan.already)
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
        plan.already.update(one.person for one in deals if subjects[one.piece].counts)
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
    already: Counter[int],
) -> list[Deal]:
    """The protocol's own deal, else the design's."""
    if people is None:
        return []
    own = kind_of(task).deal(config_of(task), design, phase, subjects, people, seed=seed, already=already)
    return deal(design, pieces, people, seed=seed, already=already) if own is None else own


def _seed(task: Task) -> int:
    """Each task has a seed of its own: adding a task at the end must not change the plan of the others."""
    return task.study.seed * 1009 + task.position


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
