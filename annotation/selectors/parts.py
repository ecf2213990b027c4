"""The parts of an assessor's work: what comes next when a task begins, and at the end what was done."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Avg, Count, Sum

from annotation.models import Assessor, Assignment, Judgment
from annotation.selectors.exhibits import facts_of
from annotation.selectors.progress import duration

ENOUGH_TO_TELL = 3  # judgments before we say how long one takes


@dataclass(frozen=True)
class Part:
    """What an assessor is told before a part begins."""

    name: str
    is_practice: bool
    after_practice: bool  # the same task, and now it counts
    items: int
    time: str  # about how long they take; empty: too early to say


@dataclass(frozen=True)
class DonePart:
    name: str
    items: int


@dataclass(frozen=True)
class Done:
    """What an assessor has done in all."""

    parts: list[DonePart]
    time: str


def task_words(name: str) -> str:
    """A task's name as one reads it."""
    return name.replace("-", " ").replace("_", " ").capitalize()


def part_beginning(assignment: Assignment, before: Assignment | None) -> Part | None:
    """The part that begins with this assignment, if another one was done before it."""
    if before is None or assignment.state != Assignment.State.OPEN:
        return None
    facts, known = facts_of(assignment), facts_of(before)
    if (facts.task, facts.practice) == (known.task, known.practice):
        return None
    mine = Assignment.objects.filter(
        assessor=assignment.assessor_id,
        state=Assignment.State.OPEN,
        subject__task=facts.task,
        subject__practice=facts.practice,
    )
    items = mine.filter(counts=True).count() or mine.count()
    judged = Judgment.objects.filter(
        assignment__subject__task=facts.task,
        assignment__counts=True,
        assignment__left_out=False,
        seconds__isnull=False,
    ).aggregate(mean=Avg("seconds"), n=Count("pk"))
    known_time = judged["n"] >= ENOUGH_TO_TELL and not facts.practice
    return Part(
        name=task_words(facts.task_name),
        is_practice=facts.practice,
        after_practice=facts.task == known.task,
        items=items,
        time=duration(judged["mean"] * items) if known_time else "",
    )


def assignment_before(assignment: Assignment) -> Assignment | None:
    """What the same assessor has done just before this one."""
    if assignment.position <= 1:
        return None
    earlier = Assignment.objects.filter(
        assessor=assignment.assessor_id, state=Assignment.State.DONE, position__lt=assignment.position
    )
    before = earlier.order_by("-position").first()
    if before:
        before.assessor = assignment.assessor
    return before


def work_done(assessor: Assessor) -> Done:
    """The assessor's own judgments, task by task, and the active time that went into them."""
    done = assessor.assignments.filter(state=Assignment.State.DONE, counts=True)
    rows = done.values("subject__task__name").annotate(n=Count("pk")).order_by("subject__task__position")
    spent = Judgment.objects.filter(assignment__assessor=assessor).aggregate(all=Sum("seconds"))["all"]
    return Done(
        parts=[DonePart(task_words(row["subject__task__name"]), row["n"]) for row in rows],
        time=duration(spent) if spent else "",
    )
