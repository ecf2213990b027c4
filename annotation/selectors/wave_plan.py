"""The plan of a wave: what texts and tasks that were added to an open study bring to judge, and who gets it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from annotation.designs import DesignProblem, Person
from annotation.models import Study, Subject
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import MaterialIds
from annotation.selectors.judged import loads, person_of, systems_met
from annotation.selectors.plan import Plan, PlanProblem, design_of, plan_task
from annotation.selectors.subjects import Ground, control_subjects, first_subjects, subject_planned
from annotation.selectors.work import GONE
from annotation.study_files.schema import DocumentRow, Materials, TopicRow
from annotation.tasks.terms import SubjectPlan
from annotation.words import phrase


@dataclass(frozen=True)
class Added:
    """What a wave brings to a study, by database id; of what is not stored yet, by the number below zero that stands for it."""

    documents: frozenset[int]
    topics: frozenset[int]
    references: frozenset[int]
    outputs: frozenset[int]

    def concerns(self, subject: Subject, outputs: Collection[int]) -> bool:
        return bool(
            self.outputs.intersection(outputs)
            or subject.reference_id in self.references
            or subject.document_id in self.documents
            or subject.topic_id in self.topics
        )


def wave_people(study: Study) -> list[Person]:
    """Who gets something of a wave."""
    gone = GONE | Q(exclusions__isnull=False, exclusions__ended_at=None)
    return [person_of(assessor) for assessor in study.assessors.exclude(gone)]


def wave_plan(
    study: Study, added: Added, read: tuple[Materials, MaterialIds], new: Sequence[Ground] = ()
) -> Plan:
    """Deal what texts and tasks that are added to an open study bring to judge.

    ``read``: its materials, with what is added; ``new``: tasks that are added.
    """
    people = wave_people(study)
    plan = Plan(people=[person.index for person in people], already=loads(study))
    stored = study.tasks.prefetch_related("practice_items", "control_items")
    for ground in [*(Ground.of(task, *read) for task in stored), *new]:
        task = ground.task
        phase = kind_of(task).first_phase(config_of(task))
        try:
            subjects, controls = first_subjects(ground), control_subjects(ground)
        except DesignProblem as problem:
            plan.problems.append(PlanProblem.of(task, problem))
            continue
        if not task.phase and not (task.pk and task.subjects.exists()):  # a task that is new itself
            plan_task(plan, ground, phase, subjects, people, controls)
            continue
        fresh = [one for one in subjects if _is_added(ground, phase, one, added)]
        if why := _wave_breaks(ground, phase, fresh, added):
            plan.problems.append(PlanProblem(f"Task {task.name}: {why}"))
        elif fresh:
            empty = replace(ground, practice=[], controls=[])
            plan_task(plan, empty, phase, fresh, people, [], met=systems_met(task))
    return plan


def with_added(read: tuple[Materials, MaterialIds], new: Materials) -> tuple[Materials, MaterialIds, Added]:
    """The materials of a study with new ones behind them, as they will be read once those are stored.

    What is new has −1, −2 … for its database id.
    """
    known, ids = read

    def after(name: str) -> Any:
        return (*getattr(known, name), *getattr(new, name))

    def numbers(name: str) -> list[int]:
        return [-number for number in range(1, len(getattr(new, name)) + 1)]

    fresh = {name: numbers(name) for name in ("topics", "documents", "references", "outputs")}
    names = (*fresh, "systems", "questions", "units")
    return (
        replace(known, **{name: after(name) for name in names}),
        MaterialIds(
            **{name: getattr(ids, name) + numbers for name, numbers in fresh.items()},
            document_of=ids.document_of | _by_id(new.documents, fresh["documents"]),
            topic_of=ids.topic_of | _by_id(new.topics, fresh["topics"]),
        ),
        Added(**{name: frozenset(numbers) for name, numbers in fresh.items()}),
    )


def _by_id(rows: Sequence[DocumentRow | TopicRow], numbers: list[int]) -> dict[str, int]:
    return {row.id: number for row, number in zip(rows, numbers, strict=True)}


def _is_added(ground: Ground, phase: str, one: SubjectPlan, added: Added) -> bool:
    outputs = [ground.ids.outputs[output] for output in one.outputs]
    return added.concerns(subject_planned(ground, phase, one), outputs)


def _wave_breaks(ground: Ground, phase: str, new: list[SubjectPlan], added: Added) -> str:
    """Why these cannot be added to what people judge already; empty: they can."""
    task, ids = ground.task, ground.ids
    if new and task.phase != phase:
        return phrase(
            "it is in its phase “{phase}”; what is new would have to be judged in “{later}” first.",
            phase=task.phase,
            later=phase,
        )
    old = [
        one
        for one in new
        if ids.document_of.get(one.item) not in added.documents
        and ids.topic_of.get(one.item) not in added.topics
    ]
    if any(one.set for one in old):
        return phrase(
            "item {item} is compared in sets already; a further text would change them. Add new items "
            "instead.",
            item=old[0].item,
        )
    if old and design_of(task.study, task).order == "latin-square":
        return phrase(
            "item {item} is in the Latin square already; a further text would break it. Add new items "
            "instead.",
            item=old[0].item,
        )
    return ""
