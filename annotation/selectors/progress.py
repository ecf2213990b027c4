"""How far a study is: in all, by assessor and by item, and in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.formats import number_format

from annotation.models import Assessor, Assignment, Exclusion, Judgment, Run, Study, Subject, TextTable
from annotation.words import gettext, phrase, phrases

NO_BREAK = "\N{NO-BREAK SPACE}"
ENOUGH_TO_TELL = 5  # judgments of a task, before its mean time says how long the rest takes
ASSIGNMENT_DONE = Q(assignments__state=Assignment.State.DONE)
COUNTED_DONE = ASSIGNMENT_DONE & Q(assignments__left_out=False)


@dataclass(frozen=True)
class TaskProgress:
    """One task. ``seconds`` is the mean active time of its ``timed`` judgments; practice counts nowhere here."""

    name: str
    wanted: int
    done: int
    seconds: float | None
    timed: int

    @property
    def left(self) -> int:
        return max(0, self.wanted - self.done)


@dataclass(frozen=True)
class StudyProgress:
    """A piece is what is judged, whoever judges it. ``times``: how often, where that is one number for all."""

    tasks: list[TaskProgress]
    pieces: int
    pieces_done: int
    times: int | None
    last_judgment: datetime | None
    agreement: str = ""  # as the last report has it

    @property
    def wanted(self) -> int:
        return sum(task.wanted for task in self.tasks)

    @property
    def done(self) -> int:
        return sum(task.done for task in self.tasks)

    @property
    def left(self) -> int:
        return sum(task.left for task in self.tasks)

    @property
    def seconds_left(self) -> float | None:
        """Active time of all assessors together; None where it is too early to tell."""
        open_tasks = [task for task in self.tasks if task.left]
        if any(task.timed < ENOUGH_TO_TELL or task.seconds is None for task in open_tasks):
            return None
        return sum(task.left * (task.seconds or 0) for task in open_tasks)


def study_progress(study: Study) -> StudyProgress:
    """Five queries, whatever the size of the study."""
    subjects = _pieces(study)
    wanted = {row["task"]: row for row in _wanted_by_task(subjects)}
    done = _done_by_task(study)
    times = {row["task"]: row for row in _times_by_task(study)}
    unfinished = subjects.annotate(done=Count("assignments", filter=COUNTED_DONE)).filter(
        done__lt=F("wanted")
    )
    pieces = sum(row["pieces"] for row in wanted.values())
    least = min((row["least"] for row in wanted.values()), default=None)
    most = max((row["most"] for row in wanted.values()), default=None)
    return StudyProgress(
        tasks=[
            TaskProgress(
                name=row["task__name"],
                wanted=row["total"],
                done=done.get(pk, 0),
                seconds=times[pk]["mean"] if pk in times else None,
                timed=times[pk]["timed"] if pk in times else 0,
            )
            for pk, row in wanted.items()
        ],
        pieces=pieces,
        pieces_done=pieces - unfinished.count(),
        times=least if least == most else None,
        last_judgment=max((row["last"] for row in times.values()), default=None),
        agreement=study.runs.filter(state=Run.State.DONE).values_list("agreement", flat=True).first() or "",
    )


def _pieces(study: Study) -> QuerySet[Subject]:
    """What is to be judged. Control items are no pieces: nobody waits for them; nor for what is left out."""
    return Subject.objects.filter(task__study=study, counts=True, control="", left_out=False)


def _wanted_by_task(subjects: QuerySet[Subject]) -> Iterable[Any]:
    return (
        subjects.values("task", "task__name")
        .annotate(total=Sum("wanted"), pieces=Count("pk"), least=Min("wanted"), most=Max("wanted"))
        .order_by("task__position")
    )


def _done_by_task(study: Study) -> dict[int, int]:
    rows = Assignment.objects.filter(
        assessor__study=study,
        counts=True,
        subject__control="",
        state=Assignment.State.DONE,
        left_out=False,
    )
    return dict(rows.order_by().values_list("subject__task").annotate(n=Count("pk")))


def _times_by_task(study: Study) -> Iterable[Any]:
    """Judgments made elsewhere have no time of ours, and what is left out says nothing; ``last`` counts them all the same."""
    here = Q(imported=False, assignment__left_out=False)
    return (
        Judgment.objects.filter(assignment__assessor__study=study, assignment__counts=True, revision=1)
        .order_by()
        .values(task=F("assignment__subject__task"))
        .annotate(mean=Avg("seconds", filter=here), timed=Count("pk", filter=here), last=Max("submitted_at"))
    )


# --- by assessor --------------------------------------------------------------------------------------------------

ASSESSOR_SORTS = {
    "name": ("name", "pk"),
    "group": ("group", "name", "pk"),
    "done": ("done", "name", "pk"),
    "seen": ("last_seen_at", "name", "pk"),
}


def assessor_rows(study: Study) -> QuerySet[Assessor]:
    """Assessors with ``done`` and ``total`` judgments, practice apart."""
    counted = Q(assignments__counts=True)
    never = Q(assignments__state=Assignment.State.OPEN, assignments__left_out=True)
    return study.assessors.annotate(
        done=Count("assignments", filter=counted & ASSIGNMENT_DONE),
        total=Count(
            "assignments", filter=counted & ~Q(assignments__state=Assignment.State.ABANDONED) & ~never
        ),
        is_excluded=Exists(Exclusion.objects.filter(assessor=OuterRef("pk"), ended_at=None)),
    )


def assessors_as_added(study: Study) -> QuerySet[Assessor]:
    return assessor_rows(study).order_by("pk")


def assessor_row(study: Study, pk: int) -> Assessor:
    return assessor_rows(study).get(pk=pk)


def assessors_with_times(assessors: list[Assessor]) -> list[Assessor]:
    """The assessors of one page, each with the mean ``seconds`` of its judgments (None: there are none)."""
    means = dict(
        Judgment.objects.filter(assignment__assessor__in=assessors, assignment__counts=True, imported=False)
        .order_by()
        .values_list("assignment__assessor")
        .annotate(mean=Avg("seconds"))
    )
    for assessor in assessors:
        assessor.seconds = means.get(assessor.pk)  # type: ignore[attr-defined]
    return assessors


# --- by item ------------------------------------------------------------------------------------------------------

ITEM_SORTS = {"item": ("item_key", "item_document", "item_topic"), "done": ("done", "item_key")}


def item_rows(study: Study) -> QuerySet[Any, Any]:
    """Items with ``done`` judgments, grouped by the database; ``items_with_wanted`` completes a page of them."""
    return (
        _by_item(_pieces(study))
        .values("item_document", "item_topic")
        .annotate(
            item_key=Min(
                Coalesce("output__document__key", "document__key", "output__topic__key", "topic__key")
            ),
            item_title=Min(
                Coalesce("output__document__title", "document__title", "output__topic__title", "topic__title")
            ),
            done=Count("assignments", filter=COUNTED_DONE),
        )
    )


def _by_item(subjects: QuerySet[Subject]) -> QuerySet[Any, Any]:
    """The item of a subject is the document or the topic that its output answers, or that it is itself."""
    return subjects.annotate(
        item_document=Coalesce("output__document_id", "document_id"),
        item_topic=Coalesce("output__topic_id", "topic_id"),
    )


def items_with_wanted(study: Study, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many judgments each item of one page wants. Apart from ``done``, because the join would multiply it."""
    documents = [item["item_document"] for item in items]
    topics = [item["item_topic"] for item in items]
    rows = (
        _by_item(_pieces(study))
        .filter(Q(item_document__in=documents) | Q(item_topic__in=topics))
        .order_by()
        .values_list("item_document", "item_topic")
        .annotate(total=Sum("wanted"))
    )
    wanted = {(document, topic): total for document, topic, total in rows}
    return [{**item, "wanted": wanted[item["item_document"], item["item_topic"]]} for item in items]


# --- in words -----------------------------------------------------------------------------------------------------


def headline(study: Study, progress: StudyProgress) -> str:
    """Whether the study is all right, in one sentence."""
    if study.state == Study.State.DRAFT:
        return _draft_headline(study)
    if not progress.wanted:
        return phrase("There is nothing to judge in this study.")
    together = progress.agreement.replace(" ", NO_BREAK)
    agreed = phrase("; agreement {together} in the last report", together=together) if together else ""
    pieces, judgments = counted(progress.pieces, "piece"), counted(progress.wanted, "judgment")
    judged = judged_times(progress.times)
    if not progress.left:
        done = counted(progress.done, "judgment")
        return phrase(
            "All {pieces} {judged}: {done}{agreed}.", pieces=pieces, judged=judged, done=done, agreed=agreed
        )
    if not progress.done and study.state == Study.State.OPEN:
        return phrase("Open, and nothing judged yet: {judgments} to come.", judgments=judgments)
    so_far = phrase(
        "{n} of {pieces} {judged} ({done} of {judgments})",
        n=f"{progress.pieces_done:,}",
        pieces=pieces,
        judged=judged,
        done=f"{progress.done:,}",
        judgments=judgments,
    )
    if study.state == Study.State.CLOSED:
        return phrase("Closed with {so_far}{agreed}.", so_far=so_far, agreed=agreed)
    return f"{so_far}{agreed}; {time_left(progress.seconds_left)}."


def _draft_headline(study: Study) -> str:
    rows = TextTable.objects.filter(study=study, used_version=0).values_list("summary__rows", flat=True)
    if (read := rows.first()) is not None:
        return phrases(
            "A draft with a table of {n} row, whose texts are not in use yet.",
            "A draft with a table of {n} rows, whose texts are not in use yet.",
            read,
        )
    return phrase(
        "A draft of {outputs} by {systems}, {tasks} and {assessors}; nobody can judge before it opens.",
        outputs=counted(study.outputs.count(), "output"),
        systems=counted(study.systems.count(), "system"),
        tasks=counted(study.tasks.count(), "task"),
        assessors=counted(study.assessors.count(), "assessor"),
    )


def time_left(seconds: float | None) -> str:
    if seconds is None:
        return phrase("too early to say how long the rest takes")
    return phrase("about {time} of judging left", time=duration(seconds))


def duration(seconds: float) -> str:
    """A time as one says it: 40 s, 25 min, 3 h."""
    if seconds < 90:
        return gettext("{n} s", n=max(1, round(seconds)))
    if seconds < 90 * 60:
        return gettext("{n} min", n=round(seconds / 60))
    hours = seconds / 3600
    shown = f"{round(hours):,}" if hours >= 10 else number_format(f"{hours:.1f}".removesuffix(".0"))
    return gettext("{n} h", n=shown)


def judged_times(number: int | None) -> str:
    """How often each piece is judged, where that is the same for all."""
    if number is None:
        return phrase("judged in full")
    if number <= 2:
        return phrase("judged once") if number == 1 else phrase("judged twice")
    return phrases("judged {n} time", "judged {n} times", number)


def count(number: int, noun: str) -> str:
    """A number with its noun, as it is stored, in English: 1 item, 2 items."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def counted(number: int, noun: str) -> str:
    """A number with its noun, as a page says it."""
    return {
        "assessor": phrases("{n} assessor", "{n} assessors", number),
        "hour": phrases("{n} hour", "{n} hours", number),
        "item": phrases("{n} item", "{n} items", number),
        "judgment": phrases("{n} judgment", "{n} judgments", number),
        "output": phrases("{n} output", "{n} outputs", number),
        "piece": phrases("{n} piece", "{n} pieces", number),
        "system": phrases("{n} system", "{n} systems", number),
        "task": phrases("{n} task", "{n} tasks", number),
    }[noun]
