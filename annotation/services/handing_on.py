"""Handing on: what somebody who is gone has left undone goes to others, in the units that the design allows.

``designs.handed_on`` says the same in words, for the plan page.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet

from annotation.designs import Design
from annotation.models import Assessor, Assignment, Erasure, Output, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of, outputs_of
from annotation.selectors.judged import person_of
from annotation.selectors.plan import design_of
from annotation.selectors.work import assignments_left
from annotation.services.assignments import assignment_add, assignments_kept, locked
from annotation.tasks.terms import Record

Item = tuple[int | None, int | None]  # document and topic
AT_A_TIME = 20  # rows that are read with their texts' authors, until one may be had
ITEM_ONCE = frozenset({"blocked", "latin-square"})  # orders in which nobody meets an item twice
ITEM_FIELDS = ("document", "topic", "output__document", "output__topic")  # what ``item_of`` looks at


def work_take_over(*, assessor: Assessor) -> Assignment | None:
    """Take over the first that somebody who is gone left undone and that this assessor may do, if there is any.

    Whoever takes over goes on where the other stopped: a row of a Latin square stays one person's as far as it can.
    """
    rules = _Rules(assessor)
    for left in _of_others(assessor, rules):
        design = rules.allow(left.subject)
        if design is None:
            continue
        unit = _block(left, _undone()) if design.order == "blocked" else [left]
        if first := _hand_on(unit, assessor):
            return first
    return _take_wanted(assessor, rules)


def is_work_left(*, assessor: Assessor) -> bool:
    """Whether there was anything to take over a moment ago: for whoever asks before the database is locked."""
    rules = _Rules(assessor)
    return any(rules.allow(left.subject) for left in _of_others(assessor, rules)) or any(
        rules.allow(subject) for subject in _wanted_one_by_one(assessor, rules)
    )


def _take_wanted(assessor: Assessor, rules: _Rules) -> Assignment | None:
    """What was dealt and wants one more judgment: somebody's is left out of results, or the overlap was raised."""
    for subject in _wanted_one_by_one(assessor, rules):
        design = rules.allow(subject)
        if design is None or design.pool:  # a pool hands it out by itself
            continue
        unit = _wanted_of_item(subject, assessor) if design.order == "blocked" else [subject]
        if first := _hand_out_wanted(unit, assessor):
            return first
    return None


def _undone() -> QuerySet[Assignment]:
    return Assignment.objects.filter(state=Assignment.State.OPEN, left_out=False)


def _wanted(assessor: Assessor) -> QuerySet[Subject]:
    """Least judged first. What was dealt to nobody is not among it: its judgments were made elsewhere. What was dealt to somebody who
    was erased with it looks as if it was not."""
    mine = assignments_kept(assessor).filter(subject=OuterRef("pk"))
    dealt = Assignment.objects.filter(subject=OuterRef("pk"))
    erased = Erasure.objects.filter(study=assessor.study, kept=False)
    return (
        Subject.objects.filter(
            ~Exists(mine),
            Exists(dealt) | Exists(erased),
            task__study=assessor.study,
            counts=True,
            control="",  # what controls one person says nothing of another
            left_out=False,
            superseded=False,
            taken__lt=F("wanted"),
        )
        .select_related("task", "output", "reference")
        .prefetch_related(Prefetch("members__output", Output.objects.defer("text", "units")))
        .defer("output__text", "output__units", "reference__text", "reference__units")
        .order_by("task__position", "taken", "order", "pk")
    )


def _wanted_one_by_one(assessor: Assessor, rules: _Rules) -> Iterator[Subject]:
    """Some at a time: of thousands that are wanted once more, the first is mostly the one. Task by task, as an index has them."""
    for task in assessor.study.tasks.order_by("position"):
        rows = _wanted(assessor).filter(rules.among(""), task=task, practice=False)
        yield from rows.order_by("practice", "taken", "order", "pk").iterator(chunk_size=AT_A_TIME)


def _wanted_of_item(subject: Subject, assessor: Assessor) -> list[Subject]:
    return list(_wanted(assessor).filter(_about(item_of(subject)), task=subject.task))


def _of_others(assessor: Assessor, rules: _Rules) -> Iterator[Assignment]:
    """What others have left and this assessor has not met. A leased piece is not among it: its lease runs out, and the pool has it
    again."""
    mine = assignments_kept(assessor).filter(subject=OuterRef("subject"))
    left = assignments_left(assessor.study).filter(rules.among("subject__"), lease_ends_at=None)
    rows = (
        left.filter(~Exists(mine), counts=True)
        .exclude(assessor=assessor)
        .filter(subject__control="")  # what controls one person says nothing of another
        .select_related("subject__task", "subject__output", "subject__reference")
        .prefetch_related(Prefetch("subject__members__output", Output.objects.defer("text", "units")))
        .defer(
            "subject__output__text",
            "subject__output__units",
            "subject__reference__text",
            "subject__reference__units",
        )
        .order_by("assessor_id", "position")
    )
    yield from rows.iterator(chunk_size=AT_A_TIME)


def may_judge(*, assessor: Assessor, subject: Subject) -> bool:
    """Whether the design lets this assessor have a piece that was somebody else's."""
    return _Rules(assessor).allow(subject) is not None


class _Rules:
    """What one assessor may take over; what that depends on is read once."""

    def __init__(self, assessor: Assessor) -> None:
        self.assessor = assessor
        self.person = person_of(assessor)
        self._met: dict[int, set[Item]] = {}

    def among(self, subject: str) -> Q:
        """What the database can tell of ``allow``, for rows whose subject is at that path.

        Thousands of pieces may be left of which this assessor may have none, as of a Latin square. Whoever asks for work asks
        while the database is locked, and may ask again and again: looking at each of them here would keep everybody waiting.
        """
        found = Q(pk__in=[])
        for task in self.assessor.study.tasks.all():
            kind, config, dealt = kind_of(task), config_of(task), design_of(self.assessor.study, task)
            for phase in {"", *kind.phases}:
                design = kind.dealt_as(config, dealt, phase)
                if design is None or not kind.takes_part(config, phase, self.person):
                    continue
                rows = Q(**{f"{subject}task": task, f"{subject}phase": phase})
                if design.order == "model-author":
                    rows &= Q(**{f"{subject}reference__author": self.person.author})
                if design.order in ITEM_ONCE:
                    rows &= ~self._item_met(task, subject)
                found |= rows
        return found

    def _item_met(self, task: Task, subject: str) -> Q:
        """As ``_items_met`` says it, in the database."""
        mine = assignments_kept(self.assessor).filter(subject__task=task, counts=True)
        written = Output.objects.filter(study=self.assessor.study, author=self.person.author)
        known = Q()
        for name, among in (("document", {}), ("topic", {"document": None})):
            for about in (f"{subject}output__", subject):
                only = {f"{about}{field}": value for field, value in among.items()}
                for rows, path in ((mine, "subject__output__"), (mine, "subject__"), (written, "")):
                    ids = rows.exclude(**{f"{path}{name}": None}).order_by().values(f"{path}{name}")
                    known |= Q(**only, **{f"{about}{name}__in": ids})
        return known

    def allow(self, subject: Subject) -> Design | None:
        """The design under which the assessor may take this over; None: not at all."""
        task, reference = subject.task, subject.reference
        kind, config = kind_of(task), config_of(task)
        design = kind.dealt_as(config, design_of(self.assessor.study, task), subject.phase)
        if design is None or not kind.may_take_over(
            config, self.person, Record(noted=subject.noted, phase=subject.phase)
        ):
            return None
        if self.person.author in {one.author for same in outputs_of(subject) for one in same}:
            return None
        if design.order == "model-author" and (reference is None or reference.author != self.person.author):
            return None
        if design.order in ITEM_ONCE and item_of(subject) in self._items_met(task.pk):
            return None
        return design

    def _items_met(self, task: int) -> set[Item]:
        """Items of which the assessor has a piece in the task, or has written an output."""
        if task not in self._met:
            mine = assignments_kept(self.assessor).filter(subject__task=task, counts=True)
            rows = Subject.objects.filter(assignments__in=mine).select_related("output")
            met = {item_of(subject) for subject in rows.only(*ITEM_FIELDS)}
            written = Output.objects.filter(study=self.assessor.study, author=self.person.author)
            self._met[task] = met | set(written.values_list("document_id", "topic_id"))
        return self._met[task]


def item_of(subject: Subject) -> Item:
    """What the subject is about: the output's document or topic, or its own."""
    about = subject.output or subject
    return about.document_id, about.topic_id


def _about(item: Item, subject: str = "") -> Q:
    """Rows whose subject, at that path, has this ``item_of``."""
    document, topic = item

    def at(path: str) -> Q:
        return Q(**{f"{subject}{path}document": document, f"{subject}{path}topic": topic})

    alone = Q(**{f"{subject}output": None})
    return alone & at("") | ~alone & at("output__")


def _block(left: Assignment, among: QuerySet[Assignment]) -> list[Assignment]:
    """What is left of the item, with what prepares for it."""
    rows = among.filter(
        assessor=left.assessor_id,
        subject__task=left.subject.task,
        subject__practice=False,
        subject__control="",
    )
    return list(rows.filter(_about(item_of(left.subject), "subject__")).select_related("subject__output"))


def _hand_on(unit: list[Assignment], assessor: Assessor) -> Assignment | None:
    """All of the unit, in its order; None if somebody else is at it this very moment."""
    rows = _undone().filter(pk__in=[row.pk for row in unit])
    # Whoever has the first row has them all: two who ask at once must not get a part of the unit each.
    if not locked(rows.filter(pk=min((row.pk for row in unit), default=0))) or len(locked(rows)) < len(unit):
        return None
    rows.update(state=Assignment.State.ABANDONED)
    return _added([row.subject for row in unit], assessor, Q(assignments__in=unit))


def _hand_out_wanted(unit: list[Subject], assessor: Assessor) -> Assignment | None:
    """All of the unit; None if somebody else is at it this very moment."""
    pks = [subject.pk for subject in unit]
    wanting = Subject.objects.filter(pk__in=pks, taken__lt=F("wanted"), left_out=False, superseded=False)
    # Of an item others may have got all that was wanted a moment ago.
    if not pks or len(locked(wanting.order_by("pk"))) < len(pks):
        return None
    Subject.objects.filter(pk__in=pks).update(taken=F("taken") + 1)
    return _added(unit, assessor, Q(pk__in=pks))


def _added(unit: list[Subject], assessor: Assessor, within: Q) -> Assignment:
    subjects = [*preparation(unit[0], assessor, within), *unit]
    added = [assignment_add(assessor=assessor, subject=subject) for subject in subjects]
    return added[0]


def preparation(subject: Subject, assessor: Assessor, within: Q) -> list[Subject]:
    """What must come before the unit and is not ``within`` it, since whoever left had it behind them already."""
    # What has a newer version counts no more, and prepares for nothing.
    rows = Subject.objects.filter(task=subject.task, counts=False, practice=False, superseded=False)
    found = rows.exclude(Q(assignments__in=assignments_kept(assessor)) | within)
    missing = list(found.filter(_about(item_of(subject))))
    for other in missing:
        Subject.objects.filter(pk=other.pk).update(taken=F("taken") + 1, wanted=F("wanted") + 1)
    return missing
