"""Sets that follow from judgments so far, made when somebody asks for work, and stored: no seed gives them again."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, Max, QuerySet

from annotation.models import Assessor, Assignment, Judgment, SetMember, Study, Subject, Task
from annotation.pairing import Standing, next_set, points_count
from annotation.picking import Item, Set, Systems
from annotation.selectors.exclusions import items_left_out
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import MaterialIds, study_materials
from annotation.selectors.plan import design_of
from annotation.selectors.subjects import Ground, subject_planned
from annotation.study_files.schema import Materials
from annotation.tasks.terms import OnRequest, SubjectPlan

Texts = dict[str, tuple[int, ...]]  # item → the first output of each different text


class _Fixed(NamedTuple):
    """What does not change once the study is open, but by a wave."""

    materials: Materials
    ids: MaterialIds
    texts: Texts
    systems: dict[str, Item]  # item → the systems behind each of its texts
    place: dict[int, tuple[str, int]]  # database id of an output → its item and text


def set_make(*, assessor: Assessor, task: Task) -> Subject | None:
    """One more set for this assessor, on an item that has fewest; None where the task makes none, or has all it wants.

    The task is locked: whoever asks at the same moment sees the set that was made here before making another.
    """
    request = kind_of(task).on_request(config_of(task))
    if request is None:
        return None
    if connection.features.has_select_for_update:
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    task = Task.objects.select_related("study").get(pk=task.pk)  # the overlap may have been raised since
    if task.exclusions.filter(ended_at=None).exists():  # left out a moment ago
        return None
    fixed, tally, _ = _so_far(task)
    materials, ids, texts = fixed.materials, fixed.ids, fixed.texts
    rng = random.Random(f"{assessor.study.seed}/{task.name}/{len(tally.order)}")
    known = tally.standings()
    met = tally.items_met(task, assessor)
    out = items_left_out(assessor.study)
    for item in sorted(
        (item for item in texts if len(tally.made[item]) < request.per_item and item not in out),
        key=lambda item: (len(tally.made[item]), met[item], rng.random()),
    ):
        may = [n for n, output in enumerate(texts[item]) if not _is_own(materials, output, assessor)]
        how = {"pick": request.pick, "size": request.size}
        chosen = next_set(fixed.systems[item], tally.made[item], known, may=may, rng=rng, **how)  # type: ignore[arg-type]
        if chosen is not None:
            number = len(tally.made[item]) + 1
            return _create(task, request, Ground.of(task, materials, ids), item, texts[item], chosen, number)
    return None


def sets_read_ahead(*, study: Study) -> None:
    """Read what was judged so far, for whoever is about to ask for work: before the database is locked, and each row once.

    What comes after it is read again by whoever makes a set. Within a transaction nothing is kept: what it sees may be undone.
    """
    if study.opened_at is None or connection.in_atomic_block:
        return
    for pk in _tasks_on_request(study.pk, study.opened_at, study.wave):
        _, tally, key = _so_far(Task.objects.select_related("study").get(pk=pk))
        if len(_KEPT) >= MOST_KEPT and pk not in _KEPT:
            _KEPT.clear()
        _KEPT[pk] = (key, tally)


MOST_KEPT = 50  # tasks of which a process keeps what was judged
_KEPT: dict[int, tuple[_Key, _Tally]] = {}


@lru_cache(maxsize=1000)
def _tasks_on_request(study_pk: int, opened_at: datetime, wave: int) -> tuple[int, ...]:
    tasks = Task.objects.filter(study=study_pk, study__opened_at=opened_at)
    return tuple(task.pk for task in tasks if kind_of(task).on_request(config_of(task)) is not None)


class _Key(NamedTuple):
    """Of what a tally holds: leaving out and including again counts ``results_version`` up."""

    opened_at: datetime | None
    wave: int
    results_version: int
    config: str


def _so_far(task: Task) -> tuple[_Fixed, _Tally, _Key]:
    """The sets of a task at this moment: those that were read before, and what has come since."""
    for _ in range(TRIES):
        with suppress(_Outdated, Study.DoesNotExist):
            return _as_read(task)
    return _as_read(task)


TRIES = 3  # to read it all while no wave comes


class _Outdated(Exception):
    """A wave has come while the study was read: there are sets of texts that were not there before."""


def _as_read(task: Task) -> tuple[_Fixed, _Tally, _Key]:
    study = Study.objects.only("opened_at", "wave", "results_version").get(pk=task.study_id)
    key = _Key(study.opened_at, study.wave, study.results_version, json.dumps(task.config))
    fixed = _read(study.pk, study.opened_at, study.wave) if study.opened_at else _fixed(task.study)
    kept = _KEPT.get(task.pk)
    tally = kept[1] if kept and kept[0] == key else _Tally.empty(fixed)
    return fixed, tally.read_on(task, fixed), key


@lru_cache(maxsize=8)
def _read(study_pk: int, opened_at: datetime, wave: int) -> _Fixed:
    """Every process reads it once."""
    return _fixed(Study.objects.get(pk=study_pk, opened_at=opened_at, wave=wave))


def _fixed(study: Study) -> _Fixed:
    materials, ids = study_materials(study)
    texts = _texts(materials)
    return _Fixed(
        materials,
        ids,
        texts,
        systems={item: _systems_of(materials, outputs) for item, outputs in texts.items()},
        place={
            ids.outputs[same]: (item, index)
            for item, outputs in texts.items()
            for index, output in enumerate(outputs)
            for same in materials.same_outputs(output)
        },
    )


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


class _Judged(NamedTuple):
    """The newest judgment of an assignment: the systems at each place, and the value that each got."""

    revision: int
    texts: list[Systems]
    values: list[float]


@dataclass(frozen=True)
class _Tally:
    """The sets of a task so far, and how they were judged. Nothing in it is changed, so that threads may share it."""

    item_of: dict[int, str]  # subject → its item
    order: dict[int, list[int]]  # subject → its texts, as indices into the item's different texts
    made: dict[str, tuple[Set, ...]]  # by item
    shown: Counter[str]
    judged: dict[int, _Judged]  # by assignment
    won: Counter[str]
    lost: Counter[str]
    last_member: int = 0  # the last row that was read
    last_judgment: int = 0

    @classmethod
    def empty(cls, fixed: _Fixed) -> _Tally:
        systems = (system for item in fixed.systems.values() for text in item for system in text)
        return cls(
            item_of={},
            order={},
            made=dict.fromkeys(fixed.texts, ()),
            shown=Counter(dict.fromkeys(systems, 0)),
            judged={},
            won=Counter(),
            lost=Counter(),
        )

    def read_on(self, task: Task, fixed: _Fixed) -> _Tally:
        """With what was made and judged since. Judgments are read first: their sets are there by then."""
        judgments, last_judgment = self._new_judgments(task)
        rows = _about_sets_after(self.last_member, SetMember.objects.all(), "subject", task)
        members = list(rows.order_by("subject", "index").values_list("pk", "subject", "output", "index"))
        if not judgments and not members:
            return replace(self, last_judgment=last_judgment)
        return self._with_sets(members, fixed)._with_judgments(judgments, last_judgment, task, fixed)

    def _new_judgments(self, task: Task) -> tuple[list[tuple[Any, ...]], int]:
        # On SQLite rows come one after the other; elsewhere those of a study do.
        last = Judgment.objects.aggregate(last=Max("pk"))["last"] if connection.vendor == "sqlite" else 0
        rows = Judgment.objects.filter(assignment__left_out=False)
        rows = _about_sets_after(self.last_judgment, rows, "assignment__subject", task)
        names = ("assignment", "revision", "assignment__subject", "assignment__places", "answer")
        found = list(rows.order_by("pk").values_list("pk", *names))
        return found, max(self.last_judgment, last or 0, *(pk for pk, *_ in found[-1:]))

    def _with_sets(self, rows: list[tuple[int, int, int, int]], fixed: _Fixed) -> _Tally:
        found: dict[int, dict[int, tuple[str, int]]] = defaultdict(dict)
        for _, subject, output, index in rows:
            if output not in fixed.place:
                raise _Outdated
            found[subject][index] = fixed.place[output]
        item_of, order, made = dict(self.item_of), dict(self.order), dict(self.made)
        shown = Counter(self.shown)
        for subject, members in found.items():
            item = next(iter(members.values()))[0]
            texts = [members[index][1] for index in sorted(members)]
            item_of[subject], order[subject] = item, texts
            made[item] = (*made[item], tuple(sorted(texts)))
            for text in texts:
                shown.update(fixed.systems[item][text])
        last = max((pk for pk, *_ in rows), default=self.last_member)
        return replace(self, item_of=item_of, order=order, made=made, shown=shown, last_member=last)

    def _with_judgments(
        self, rows: list[tuple[Any, ...]], last_judgment: int, task: Task, fixed: _Fixed
    ) -> _Tally:
        kind, config = kind_of(task), config_of(task)
        judged, won, lost = dict(self.judged), Counter(self.won), Counter(self.lost)
        newest: dict[int, tuple[Any, ...]] = {}
        for _, assignment, revision, *rest in rows:
            if assignment not in newest or newest[assignment][0] < revision:
                newest[assignment] = (revision, *rest)
        for assignment, (revision, subject, places, answer) in newest.items():
            if before := judged.get(assignment):
                if before.revision >= revision:
                    continue
                points_count(won, lost, before.texts, before.values, times=-1)
            values = list(kind.place_values(config, len(places), kind.Answer.model_validate(answer)))
            order, systems = self.order[subject], fixed.systems[self.item_of[subject]]
            judged[assignment] = _Judged(revision, [systems[order[index]] for index in places], values)
            points_count(won, lost, judged[assignment].texts, values)
        return replace(self, judged=judged, won=won, lost=lost, last_judgment=last_judgment)

    def standings(self) -> dict[str, Standing]:
        return {
            system: Standing(self.won[system], self.lost[system], shown)
            for system, shown in self.shown.items()
        }

    def items_met(self, task: Task, assessor: Assessor) -> Counter[str]:
        """Of how many sets of each item the assessor has been given."""
        rows = _about_sets(Assignment.objects.filter(assessor=assessor), "subject", task)
        return Counter(self.item_of[subject] for subject in rows.values_list("subject", flat=True))


def _about_sets(rows: QuerySet[Any], subject: str, task: Task) -> QuerySet[Any]:
    """Those about the task's pieces, and not about what is there to practise on or to control people by."""
    about = {"task": task, "control": "", "practice": False}
    return rows.filter(**{f"{subject}__{name}": value for name, value in about.items()})


def _about_sets_after(last: int, rows: QuerySet[Any], subject: str, task: Task) -> QuerySet[Any]:
    """The same of rows after one that was read. An expression keeps databases from going through all sets of the task for them."""
    if not last:
        return _about_sets(rows, subject, task)
    about = {"its_task": task.pk, f"{subject}__control": "", f"{subject}__practice": False}
    return rows.filter(pk__gt=last).annotate(its_task=F(f"{subject}__task") + 0).filter(**about)


def _create(
    task: Task,
    request: OnRequest,
    ground: Ground,
    item: str,
    outputs: tuple[int, ...],
    chosen: Set,
    number: int,
) -> Subject:
    references = ground.materials.references_of(item) if request.with_reference else ()
    plan = SubjectPlan(
        item=item,
        outputs=tuple(outputs[text] for text in chosen),
        reference=next(iter(references), None),
        set=f"s{number}",
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
