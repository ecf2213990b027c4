"""Handing on: what somebody who is gone has left undone goes to others, in the units that the design allows.

``designs.handed_on`` says the same in words, for the plan page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet

from annotation.designs import Design
from annotation.models import Assessor, Assignment, Output, SetMember, Subject
from annotation.selectors.exhibits import config_of, kind_of, outputs_of
from annotation.selectors.judged import person_of
from annotation.selectors.plan import design_of
from annotation.selectors.work import assignments_left
from annotation.services.assignments import assignment_add, assignments_kept, locked
from annotation.tasks.terms import Record

Item = tuple[int | None, int | None]  # document and topic


def work_take_over(*, assessor: Assessor) -> Assignment | None:
    """Take over the first that somebody who is gone left undone and that this assessor may do, if there is any.

    Whoever takes over goes on where the other stopped: a row of a Latin square stays one person's as far as it can.
    """
    rules = _Rules(assessor)
    # A leased piece is not among it: its lease runs out, and the pool has it again.
    for left in _of_others(assignments_left(assessor.study).filter(lease_ends_at=None), assessor, rules):
        design = rules.allow(left.subject)
        if design is None:
            continue
        unit = _block(left, _undone()) if design.order == "blocked" else [left]
        if first := _hand_on(unit, assessor):
            return first
    return _take_wanted(assessor, rules)


def _take_wanted(assessor: Assessor, rules: _Rules) -> Assignment | None:
    """What was dealt and wants one more judgment: somebody's is left out of results, or the overlap was raised."""
    for subject in _wanted_by(_wanted(assessor), rules):
        design = rules.allow(subject)
        if design is None:
            continue
        unit = _wanted_of_item(subject, assessor) if design.order == "blocked" else [subject]
        if first := _hand_out_wanted(unit, assessor):
            return first
    return None


def _undone() -> QuerySet[Assignment]:
    return Assignment.objects.filter(state=Assignment.State.OPEN, left_out=False)


def _wanted(assessor: Assessor) -> QuerySet[Subject]:
    """Least judged first. What was dealt to nobody is not among it: its judgments were made elsewhere."""
    mine = assignments_kept(assessor).filter(subject=OuterRef("pk"))
    dealt = Assignment.objects.filter(subject=OuterRef("pk")).exclude(state=Assignment.State.ABANDONED)
    return (
        Subject.objects.filter(
            ~Exists(mine),
            Exists(dealt),
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


def _wanted_of_item(subject: Subject, assessor: Assessor) -> list[Subject]:
    rows = _wanted(assessor).filter(task=subject.task)
    return [row for row in rows if item_of(row) == item_of(subject)]


def _of_others(left: QuerySet[Assignment], assessor: Assessor, rules: _Rules) -> Iterator[Assignment]:
    """What this assessor has not met and perhaps may do."""
    mine = assignments_kept(assessor).filter(subject=OuterRef("subject"))
    rows = (
        left.filter(~Exists(mine), counts=True)
        .exclude(assessor=assessor)
        .filter(subject__control="")  # what controls one person says nothing of another
        .order_by("assessor_id", "position")
    )
    whole = (
        rows.select_related("subject__task", "subject__output", "subject__reference")
        .prefetch_related(Prefetch("subject__members__output", Output.objects.defer("text", "units")))
        .defer(
            "subject__output__text",
            "subject__output__units",
            "subject__reference__text",
            "subject__reference__units",
        )
    )
    for pk in rules.outlined(rows, "subject__"):
        if found := whole.filter(pk=pk).first():
            yield found


def _wanted_by(wanted: QuerySet[Subject], rules: _Rules) -> Iterator[Subject]:
    """What wants one more judgment, of those that this assessor perhaps may do; a pool hands it out by itself."""
    for pk in rules.outlined(wanted, "", pools=False):
        if found := wanted.filter(pk=pk).first():
            yield found


def may_judge(*, assessor: Assessor, subject: Subject) -> bool:
    """Whether the design lets this assessor have a piece that was somebody else's."""
    return _Rules(assessor).allow(subject) is not None


class _Rules:
    """What one assessor may take over; what that depends on is read once."""

    def __init__(self, assessor: Assessor) -> None:
        self.assessor = assessor
        self.person = person_of(assessor)
        self._met: dict[int, set[Item]] = {}
        self._tasks = {task.pk: task for task in assessor.study.tasks.all()}
        self._designs: dict[tuple[int, str], Design | None] = {}

    def allow(self, subject: Subject) -> Design | None:
        """The design under which the assessor may take this over; None: not at all."""
        if self.person.author in {one.author for same in outputs_of(subject) for one in same}:
            return None
        author = subject.reference.author if subject.reference else None
        return self._allow(subject.task_id, subject.phase, subject.noted, item_of(subject), author)

    def outlined(self, rows: QuerySet[Any], subject: str, *, pools: bool = True) -> Iterator[int]:
        """The keys of the rows that may be allowed, in their order, by the little that tells most of them apart.

        Everybody who writes waits meanwhile, and there may be tens of thousands that this assessor may not have.
        """
        own = SetMember.objects.filter(
            subject=OuterRef(f"{subject}pk"), output__author=self.person.author, output__author__gt=""
        )
        names = (
            *("pk", f"{subject}task_id", f"{subject}phase", f"{subject}noted", f"{subject}reference__author"),
            *(f"{subject}output_id", f"{subject}output__document_id", f"{subject}output__topic_id"),
            *(f"{subject}document_id", f"{subject}topic_id", f"{subject}output__author"),
        )
        outlines = rows.filter(~Exists(own)).select_related(None).prefetch_related(None).defer(None)
        # All at once: what is found is written to while the rest is read.
        for pk, task, phase, noted, model, output, *about, document, topic, author in list(
            outlines.values_list(*names)
        ):
            item: Item = (about[0], about[1]) if output else (document, topic)
            if author == self.person.author:
                continue
            design = self._allow(task, phase, noted, item, model)
            if design is not None and (pools or not design.pool):
                yield pk

    def _allow(self, task: int, phase: str, noted: Any, item: Item, model: str | None) -> Design | None:
        """``model``: who wrote the reference, if there is one."""
        if (task, phase) not in self._designs:
            of = self._tasks[task]
            designed = design_of(self.assessor.study, of)
            self._designs[task, phase] = kind_of(of).dealt_as(config_of(of), designed, phase)
        design = self._designs[task, phase]
        if design is None:
            return None
        if design.order == "model-author" and model != self.person.author:
            return None
        if design.order in {"blocked", "latin-square"} and item in self._items_met(task):
            return None
        of = self._tasks[task]
        record = Record(noted=noted, phase=phase)
        return design if kind_of(of).may_take_over(config_of(of), self.person, record) else None

    def _items_met(self, task: int) -> set[Item]:
        """Items of which the assessor has a piece in the task, or has written an output."""
        if task not in self._met:
            mine = assignments_kept(self.assessor).filter(subject__task=task, counts=True)
            met = {item_of(row.subject) for row in mine.select_related("subject__output")}
            written = Output.objects.filter(study=self.assessor.study, author=self.person.author)
            self._met[task] = met | set(written.values_list("document_id", "topic_id"))
        return self._met[task]


def item_of(subject: Subject) -> Item:
    """What the subject is about: the output's document or topic, or its own."""
    about = subject.output or subject
    return about.document_id, about.topic_id


def _block(left: Assignment, among: QuerySet[Assignment]) -> list[Assignment]:
    """What is left of the item, with what prepares for it."""
    rows = among.filter(
        assessor=left.assessor_id,
        subject__task=left.subject.task,
        subject__practice=False,
        subject__control="",
    )
    item = item_of(left.subject)
    return [row for row in rows.select_related("subject__output") if item_of(row.subject) == item]


def _hand_on(unit: list[Assignment], assessor: Assessor) -> Assignment | None:
    """All of the unit, in its order; None if somebody else is at it this very moment."""
    rows = Assignment.objects.filter(pk__in=[row.pk for row in unit], state=Assignment.State.OPEN)
    # Whoever has the first row has them all: two who ask at once must not get a part of the unit each.
    if not locked(rows.filter(pk=min((row.pk for row in unit), default=0))) or len(locked(rows)) < len(unit):
        return None
    rows.update(state=Assignment.State.ABANDONED)
    return _added([row.subject for row in unit], assessor, Q(assignments__in=unit))


def _hand_out_wanted(unit: list[Subject], assessor: Assessor) -> Assignment | None:
    """All of the unit; None if somebody else is at it this very moment."""
    pks = [subject.pk for subject in unit]
    wanting = Subject.objects.filter(pk__in=pks, taken__lt=F("wanted")).order_by("pk")
    if len(locked(wanting)) < len(pks):
        return None
    Subject.objects.filter(pk__in=pks).update(taken=F("taken") + 1)
    return _added(unit, assessor, Q(pk__in=pks))


def _added(unit: list[Subject], assessor: Assessor, within: Q) -> Assignment:
    subjects = [*_preparation(unit[0], assessor, within), *unit]
    added = [assignment_add(assessor=assessor, subject=subject) for subject in subjects]
    return added[0]


def _preparation(subject: Subject, assessor: Assessor, within: Q) -> list[Subject]:
    """What must come before the unit and is not ``within`` it, since whoever left had it behind them already."""
    found = Subject.objects.filter(task=subject.task, counts=False, practice=False).exclude(
        Q(assignments__in=assignments_kept(assessor)) | within
    )
    missing = [other for other in found if item_of(other) == item_of(subject)]
    for other in missing:
        Subject.objects.filter(pk=other.pk).update(taken=F("taken") + 1, wanted=F("wanted") + 1)
    return missing
