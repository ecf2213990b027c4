"""The plan of a wave: what texts and tasks that were added to an open study bring to judge, and who gets it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from django.db.models import Q

from annotation.designs import DesignProblem
from annotation.models import Study, Subject
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials
from annotation.selectors.judged import loads, person_of, systems_met
from annotation.selectors.plan import Plan, PlanProblem, design_of, plan_task
from annotation.selectors.subjects import Ground, control_subjects, first_subjects, subject_planned
from annotation.selectors.work import GONE
from annotation.tasks.terms import SubjectPlan
from annotation.words import phrase


@dataclass(frozen=True)
class Added:
    """What a wave has brought to a study, by database id."""

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


def wave_plan(study: Study, added: Added) -> Plan:
    """Deal what texts and tasks that were added to an open study bring to judge."""
    gone = GONE | Q(exclusions__isnull=False, exclusions__ended_at=None)
    people = [person_of(assessor) for assessor in study.assessors.exclude(gone)]
    plan = Plan(people=[person.index for person in people], already=loads(study))
    materials, ids = study_materials(study)
    for task in study.tasks.prefetch_related("practice_items", "control_items"):
        ground = Ground.of(task, materials, ids)
        phase = kind_of(task).first_phase(config_of(task))
        try:
            subjects, controls = first_subjects(ground), control_subjects(ground)
        except DesignProblem as problem:
            plan.problems.append(PlanProblem.of(task, problem))
            continue
        if not task.phase and not task.subjects.exists():  # a task that is new itself
            plan_task(plan, ground, phase, subjects, people, controls)
            continue
        new = [one for one in subjects if _is_added(ground, phase, one, added)]
        if why := _wave_breaks(ground, phase, new, added):
            plan.problems.append(PlanProblem(f"Task {task.name}: {why}"))
        elif new:
            empty = replace(ground, practice=[], controls=[])
            plan_task(plan, empty, phase, new, people, [], met=systems_met(task))
    return plan


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
