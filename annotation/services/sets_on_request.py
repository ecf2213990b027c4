"""Sets that follow from judgments so far, made when somebody asks for work, and stored: no seed gives them again."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from django.db import connection
from django.db.models import Max

from annotation.models import Assessor, Assignment, Judgment, SetMember, Study, Subject, Task
from annotation.pairing import next_set, standings
from annotation.picking import Item, Set, Systems
from annotation.selectors.exclusions import items_left_out
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import MaterialIds, study_materials
from annotation.selectors.plan import design_of
from annotation.selectors.subjects import Ground, subject_planned
from annotation.study_files.schema import Materials
from annotation.tasks.terms import OnRequest, SubjectPlan

Texts = dict[str, tuple[int, ...]]  # item → the first output of each different text


def set_make(*, assessor: Assessor, task: Task) -> Subject | None:
    """One more set for this assessor, on an item that has fewest; None where the task makes none, or has all it wants.

    The task is locked: whoever asks at the same moment sees the set that was made here before making another.
    """
    request = kind_of(task).on_request(config_of(task))
    if request is None:
        return None
    if connection.features.has_select_for_update:
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    materials, ids = _materials(assessor.study)
    texts = _texts(materials)
    stored = _Stored(task, materials, ids, texts)
    rng = random.Random(f"{assessor.study.seed}/{task.name}/{stored.number}")
    known = standings(stored.judged(), stored.shown)
    met = stored.items_met(assessor)
    out = items_left_out(assessor.study)
    for item in sorted(
        (item for item in texts if len(stored.made[item]) < request.per_item and item not in out),
        key=lambda item: (len(stored.made[item]), met[item], rng.random()),
    ):
        may = [n for n, output in enumerate(texts[item]) if not _is_own(materials, output, assessor)]
        systems = _systems_of(materials, texts[item])
        how = {"pick": request.pick, "size": request.size}
        chosen = next_set(systems, stored.made[item], known, may=may, rng=rng, **how)  # type: ignore[arg-type]
        if chosen is not None:
            return _create(task, request, Ground.of(task, materials, ids), item, texts[item], chosen, stored)
    return None


@lru_cache(maxsize=8)
def _read(study_pk: int, opened_at: datetime, wave: int) -> tuple[Materials, MaterialIds]:
    """Materials do not change once the study is open but by a wave, so every process reads them once."""
    return study_materials(Study.objects.get(pk=study_pk, opened_at=opened_at))


def _materials(study: Study) -> tuple[Materials, MaterialIds]:
    return _read(study.pk, study.opened_at, study.wave) if study.opened_at else study_materials(study)


def _texts(materials: Materials) -> Texts:
    items = dict.fromkeys(output.item for output in materials.outputs)
    found = {item: tuple(materials.distinct_outputs(item)) for item in items}
    return {item: outputs for item, outputs in found.items() if len(outputs) > 1}


def _systems_of(materials: Materials, outputs: tuple[int, ...]) -> Item:
    return tuple(
        tuple(dict.fromkeys(materials.outputs[same].system for same in materials.same_outputs(output)))
        for output in outputs
    )


def _is_own(materials: Materials, output: int, assessor: Assessor) -> bool:
    """Whether the assessor wrote the text, or one that is the same."""
    authors = {materials.outputs[same].author for same in materials.same_outputs(output)}
    return bool(assessor.author) and assessor.author in authors


class _Stored:
    """The sets of a task so far, by item, as indices into the item's different texts."""

    def __init__(self, task: Task, materials: Materials, ids: MaterialIds, texts: Texts) -> None:
        self.task = task
        place = {
            ids.outputs[same]: (item, index)
            for item, outputs in texts.items()
            for index, output in enumerate(outputs)
            for same in materials.same_outputs(output)
        }
        self.systems = {item: _systems_of(materials, outputs) for item, outputs in texts.items()}
        members: dict[int, dict[int, tuple[str, int]]] = defaultdict(dict)
        self.which = {"subject__task": task, "subject__control": "", "subject__practice": False}
        rows = SetMember.objects.filter(**self.which)
        for subject, output, index in rows.order_by("subject", "index").values_list(
            "subject", "output", "index"
        ):
            members[subject][index] = place[output]
        self.item_of = {subject: next(iter(found.values()))[0] for subject, found in members.items()}
        self.order = {
            subject: [found[index][1] for index in sorted(found)] for subject, found in members.items()
        }
        self.made: dict[str, list[Set]] = {item: [] for item in texts}
        self.shown: Counter[str] = Counter(
            {system: 0 for item in self.systems.values() for text in item for system in text}
        )
        for subject, item in self.item_of.items():
            self.made[item].append(tuple(sorted(self.order[subject])))
            for text in self.order[subject]:
                self.shown.update(self.systems[item][text])
        self.number = len(members)

    def items_met(self, assessor: Assessor) -> Counter[str]:
        """Of how many sets of each item the assessor has been given."""
        rows = Assignment.objects.filter(**self.which, assessor=assessor)
        return Counter(self.item_of[subject] for subject in rows.values_list("subject", flat=True))

    def judged(self) -> Iterator[tuple[list[Systems], list[float]]]:
        """The newest judgment of every assignment: the systems at each place, and the value that each got."""
        kind, config = kind_of(self.task), config_of(self.task)
        which = {f"assignment__{name}": value for name, value in self.which.items()}
        rows = Judgment.objects.filter(**which, assignment__left_out=False)
        newest = {
            assignment: (subject, places, answer)
            for assignment, subject, places, answer in rows.order_by("revision").values_list(
                "assignment", "assignment__subject", "assignment__places", "answer"
            )
        }
        for subject, places, answer in newest.values():
            values = kind.place_values(config, len(places), kind.Answer.model_validate(answer))
            order, systems = self.order[subject], self.systems[self.item_of[subject]]
            yield [systems[order[index]] for index in places], list(values)


def _create(
    task: Task,
    request: OnRequest,
    ground: Ground,
    item: str,
    outputs: tuple[int, ...],
    chosen: Set,
    stored: _Stored,
) -> Subject:
    references = ground.materials.references_of(item) if request.with_reference else ()
    plan = SubjectPlan(
        item=item,
        outputs=tuple(outputs[text] for text in chosen),
        reference=next(iter(references), None),
        set=f"s{len(stored.made[item]) + 1}",
    )
    subject = subject_planned(ground, task.phase, plan)
    members = subject.planned_members  # type: ignore[attr-defined]
    subject.order = (task.subjects.aggregate(last=Max("order"))["last"] or 0) + 1
    subject.wanted = design_of(task.study, task).assessors_per_item
    subject.save()
    for member in members:
        member.subject = subject
    SetMember.objects.bulk_create(members)
    return subject
