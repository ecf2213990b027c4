"""What there is to judge in a task, on paper: from a study file's materials to subjects as they would be stored.

The one way from a plan, which speaks of indices into the materials, to a subject, which has database ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from annotation.designs import DesignProblem, bounded
from annotation.models import Control, ControlItem, PracticeItem, SetMember, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of, members_of
from annotation.selectors.files import MaterialIds
from annotation.study_files.schema import Materials
from annotation.tasks.terms import SubjectPlan


@dataclass(frozen=True)
class Ground:
    """What a plan is made from: the materials with their ids, and what is set aside in one task."""

    task: Task
    materials: Materials
    ids: MaterialIds
    practice: list[PracticeItem]
    controls: list[ControlItem]

    @classmethod
    def of(cls, task: Task, materials: Materials, ids: MaterialIds) -> Ground:
        return cls(task, materials, ids, list(task.practice_items.all()), list(task.control_items.all()))


def first_subjects(ground: Ground) -> list[SubjectPlan]:
    """What the first phase of a task has to judge: everything but what is there to practise on, or serves as gold."""
    apart = {item.output_id for item in ground.practice}
    apart |= {item.output_id for item in ground.controls if item.type == Control.GOLD}
    return [
        subject
        for subject in numbered(_all_subjects(ground), ground.materials)
        if not apart.intersection(ground.ids.outputs[output] for output in subject.outputs)
    ]


def _all_subjects(ground: Ground) -> Iterable[SubjectPlan]:
    return bounded(kind_of(ground.task).subjects(config_of(ground.task), ground.materials))


def numbered(subjects: Iterable[SubjectPlan], materials: Materials) -> Iterator[SubjectPlan]:
    """Sets get their ids, within the task and the item, whatever else is left out later."""
    numbers: Counter[str] = Counter()
    for subject in subjects:
        if len(subject.outputs) < 2:
            yield subject
            continue
        if len({materials.outputs[output].whole_text.strip() for output in subject.outputs}) < len(
            subject.outputs
        ):
            raise DesignProblem(
                f"a set of item “{subject.item}” has one text twice; its kind must choose different texts."
            )
        numbers[subject.item] += 1
        yield replace(subject, set=f"s{numbers[subject.item]}")


def control_subjects(ground: Ground) -> list[SubjectPlan]:
    """What the control items of a task make of its subjects: the first that shows the output, with the reference if one is named."""
    if not ground.controls:
        return []
    index_of = {pk: index for index, pk in enumerate(ground.ids.outputs)}
    reference_of = {pk: index for index, pk in enumerate(ground.ids.references)}
    subjects = list(numbered(_all_subjects(ground), ground.materials))
    found = []
    for number, item in enumerate(ground.controls):
        named = reference_of.get(item.reference_id) if item.reference_id else None
        original = next(
            (
                subject
                for subject in subjects
                if index_of[item.output_id] in subject.outputs and named in {None, subject.reference}
            ),
            None,
        )
        if original is None:
            raise DesignProblem(f"control item {number + 1} is about an output that this task does not show.")
        found.append(replace(original, control=number))
    return found


def subject_planned(ground: Ground, phase: str, plan: SubjectPlan) -> Subject:
    """The one way from a plan to a subject: with database ids, and not stored yet."""
    ids = ground.ids
    control = None if plan.control is None else ground.controls[plan.control]
    document, topic = plan.document, plan.topic
    subject = Subject(
        task=ground.task,
        phase=phase,
        output_id=None if plan.output is None else ids.outputs[plan.output],
        reference_id=None if plan.reference is None else ids.references[plan.reference],
        document_id=None if document is None else ids.documents[document],
        topic_id=None if topic is None else ids.topics[topic],
        set_id=plan.set,
        shown=dict(plan.shown),
        noted=dict(plan.noted),
        practice=plan.practice,
        counts=plan.counts,
        key=plan.key and dict(plan.key),
        control_item=control,
        control=control.type if control else Control.NONE,
        order=0,
    )
    subject.planned_members = []  # type: ignore[attr-defined]
    if plan.set:
        _set_planned(subject, ground, plan)
    return subject


class PlannedSubjects(Sequence[Subject]):
    """Subjects as they would be stored, each made when it is asked for: most pages need few of them, or only how many there are."""

    def __init__(self, ground: Ground, phase: str, plans: Sequence[SubjectPlan]) -> None:
        self.plans = plans
        self._ground, self._phase = ground, phase
        self._made: dict[int, Subject] = {}

    def __len__(self) -> int:
        return len(self.plans)

    @overload
    def __getitem__(self, index: int) -> Subject: ...
    @overload
    def __getitem__(self, index: slice) -> list[Subject]: ...
    def __getitem__(self, index: int | slice) -> Subject | list[Subject]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place not in self._made:
            self._made[place] = subject_planned(self._ground, self._phase, self.plans[place])
        return self._made[place]

    def output_ids(self, place: int) -> list[int]:
        """The outputs that the subject at this place is about; only a set is made for that."""
        plan = self.plans[place]
        if plan.set:
            return output_ids(self[place])
        return [] if plan.output is None else [self._ground.ids.outputs[plan.output]]


def _set_planned(subject: Subject, ground: Ground, plan: SubjectPlan) -> None:
    """A set is about the item of its outputs, and has all outputs with its texts as members."""
    row = ground.materials.outputs[plan.outputs[0]]
    subject.document_id = ground.ids.document_of.get(row.document)
    subject.topic_id = ground.ids.topic_of.get(row.topic)
    subject.planned_members = [  # type: ignore[attr-defined]
        SetMember(output_id=ground.ids.outputs[same], index=index)
        for index, output in enumerate(plan.outputs)
        for same in ground.materials.same_outputs(output)
    ]


def practice_of(task: Task) -> list[Subject]:
    """What a task's practice items would be stored as."""
    return practice_planned(task, list(task.practice_items.all()), kind_of(task).first_phase(config_of(task)))


def practice_planned(task: Task, items: list[PracticeItem], phase: str) -> list[Subject]:
    return [
        Subject(
            task=task,
            phase=phase,
            output_id=item.output_id,
            reference_id=item.reference_id,
            practice=True,
            counts=False,
            key=item.key,
            order=order,
        )
        for order, item in enumerate(items)
    ]


def identity(subject: Subject) -> str:
    """What makes a subject the same one, planned or stored: what it is about, whoever judges it."""
    about = (subject.output_id, subject.reference_id, subject.document_id, subject.topic_id)
    members = [(member.index, member.output_id) for member in members_of(subject)] if subject.set_id else []
    return json.dumps([about, members, subject.control_item_id, subject.shown, subject.noted], sort_keys=True)


def output_ids(subject: Subject) -> list[int]:
    """The outputs that a subject is about, planned or stored."""
    if subject.output_id is not None:
        return [subject.output_id]
    return [member.output_id for member in members_of(subject)] if subject.set_id else []
