"""What the worker reads to follow a study: which items have changed since it last looked, who is how far, and at what pace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Avg, Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from annotation.models import Assignment, Judgment, Monitor, MonitorCell, Output, SetMember, Study, Subject
from annotation.selectors.disagreement import counted
from annotation.selectors.work import GONE

LATELY = timedelta(days=7)  # whose pace is the present one
SUBJECT = "assignment__subject__"


class CellKey(NamedTuple):
    """One item in one task. A topic has no document, and many documents have no topic of their own: 0 stands there."""

    task: int
    document: int
    topic: int


class Seen(NamedTuple):
    """The judgments of an assignment, all its revisions: how many, the sum of their numbers, the newest."""

    number: int
    stamp: int
    newest: int


def _by_cell(rows: QuerySet[Judgment]) -> QuerySet[Any]:
    def of_item(name: str) -> Coalesce:
        return Coalesce(f"{SUBJECT}output__{name}_id", f"{SUBJECT}{name}_id", 0)

    return rows.annotate(
        of_task=F(f"{SUBJECT}task"), item_document=of_item("document"), item_topic=of_item("topic")
    )


CELL = ("of_task", "item_document", "item_topic")


def _comparable() -> QuerySet[Judgment]:
    """Judgments that agreement counts: among them nothing that has a newer version."""
    return counted().filter(assignment__subject__superseded=False)


def _later(study: Study, after: int) -> QuerySet[Judgment]:
    """Judgments that came after this one, found by their numbers.

    An index on the study would be tempting, and SQLite would read all its judgments by it to find the last; of a sum there is none.
    """
    rows = Judgment.objects.filter(pk__gt=after).annotate(of=F("assignment__assessor__study_id") + 0)
    return rows.filter(of=study.pk)


def newest_judgment(study: Study, *, after: int) -> int:
    """The last one of all, whether it counts or not; ``after`` itself if none came."""
    return _later(study, after).order_by("-pk").values_list("pk", flat=True).first() or after


def judgments_after(study: Study, pk: int) -> int:
    return _later(study, pk).count()


def cells_touched(study: Study, *, after: int, until: int) -> set[CellKey]:
    """The items of judgments that came in between."""
    rows = _later(study, after).filter(pk__lte=until)
    return {CellKey(*key) for key in _by_cell(rows).order_by().values_list(*CELL).distinct()}


def cells_changed(monitor: Monitor) -> set[CellKey]:
    """The items whose judgments are others than when they were last seen: judged, revised, left out, included or erased.

    Two queries over all judgments; nothing is read of an answer.
    """
    judged = _comparable().filter(assignment__assessor__study=monitor.study)
    rows = _by_cell(judged).order_by().values_list(*CELL)
    now = {
        CellKey(task, document, topic): (count, stamp)
        for task, document, topic, count, stamp in rows.annotate(count=Count("pk"), stamp=Sum("pk"))
    }
    known = {
        CellKey(task, document, topic): (count, stamp)
        for task, document, topic, count, stamp in monitor.cells.values_list(
            "task", "document", "topic", "count", "stamp"
        )
    }
    return {key for key in now.keys() | known.keys() if now.get(key, (0, 0)) != known.get(key, (0, 0))}


def cells_known(monitor: Monitor, keys: Collection[CellKey]) -> dict[CellKey, MonitorCell]:
    """What is kept of these items."""
    rows = monitor.cells.filter(
        task__in={key.task for key in keys},
        document__in={key.document for key in keys},
        topic__in={key.topic for key in keys},
    )
    return {CellKey(cell.task_id, cell.document, cell.topic): cell for cell in rows}


def judged_now(keys: Collection[CellKey]) -> dict[CellKey, dict[int, Seen]]:
    """Of these items, the assignments that count and their judgments."""
    documents, topics = ({getattr(key, name) for key in keys} - {0} for name in ("document", "topic"))
    # By the subjects of these items, found by an index of one table after the other: with a join, or the task among the
    # conditions, SQLite reads all subjects of a large study.
    outputs = Output.objects.filter(Q(document__in=documents) | Q(topic__in=topics))
    subjects = Subject.objects.filter(
        Q(output__in=list(outputs.values_list("pk", flat=True)))
        | Q(document__in=documents)
        | Q(topic__in=topics)
    )
    tasks = {key.task for key in keys}
    of_tasks = [pk for pk, task in subjects.order_by().values_list("pk", "task") if task in tasks]
    rows = _by_cell(_comparable()).filter(assignment__subject__in=of_tasks)
    found: dict[CellKey, dict[int, Seen]] = defaultdict(dict)
    for task, document, topic, assignment, *seen in (
        rows.order_by()
        .values_list(*CELL, "assignment")
        .annotate(count=Count("pk"), stamp=Sum("pk"), newest=Max("pk"))
    ):
        found[CellKey(task, document, topic)][assignment] = Seen(*seen)
    return found


def item_ranks(study: Study) -> dict[tuple[str, int], int]:
    """The place of each item among all; later waves come behind, so that a rank stays."""
    return {
        (kind, pk): rank
        for kind, items in (("document", study.documents), ("topic", study.topics))
        for rank, pk in enumerate(items.order_by("pk").values_list("pk", flat=True))
    }


def tasks_followed(study: Study) -> dict[str, tuple[str, str]]:
    """Number → name and kind, in order."""
    return {
        str(pk): (name, kind)
        for pk, name, kind in study.tasks.order_by("position").values_list("pk", "name", "kind")
    }


# --- how far, and how fast ----------------------------------------------------------------------------------------


def people_pace(study: Study, now: datetime | None = None) -> list[dict[str, Any]]:
    """Everybody with work or a judgment: done, still to do, the mean time, and the pace of the last days."""
    now = now or timezone.now()
    real = Q(counts=True)
    never = Q(state=Assignment.State.OPEN, left_out=True)
    assignments = Assignment.objects.filter(real, ~never, assessor__study=study).exclude(
        state=Assignment.State.ABANDONED
    )
    work = assignments.order_by().values_list("assessor").annotate(
        total=Count("pk"), done=Count("pk", filter=Q(state=Assignment.State.DONE))
    )  # fmt: skip
    rows = {assessor: {"assessor": assessor, "total": total, "done": done} for assessor, total, done in work}
    for row in _paces(study, now):
        rows.setdefault(row["assessor"], {"assessor": row["assessor"], "total": 0, "done": 0}).update(
            seconds=row["seconds"],
            last=row["last"].isoformat(),
            per_day=_per_day(row["lately"], row["first"], now),
        )
    return sorted(rows.values(), key=lambda row: row["assessor"])


def _paces(study: Study, now: datetime) -> Iterable[Any]:
    made = Judgment.objects.filter(
        assignment__assessor__study=study, assignment__counts=True, revision=1, imported=False
    )
    return (
        made.order_by()
        .values(assessor=F("assignment__assessor"))
        .annotate(
            seconds=Avg("seconds"),
            first=Min("submitted_at"),
            last=Max("submitted_at"),
            lately=Count("pk", filter=Q(submitted_at__gt=now - LATELY)),
        )
    )


def _per_day(judgments: int, first: datetime, now: datetime) -> float:
    """Over the last days, or since the first judgment; less than a day counts as one, as most people sleep."""
    return judgments / max(1.0, min(LATELY, now - first) / timedelta(days=1))


def judgments_nobody_can_make(study: Study) -> int:
    """How many of those wanted are more than the people who are left: nobody judges a piece twice.

    What a design forbids besides (a document met before, an own text) is not looked at: there may be more of them.
    """
    people = study.assessors.exclude(GONE).exclude(exclusions__in=study.exclusions.filter(ended_at=None))
    done = Q(assignments__state=Assignment.State.DONE)
    short = (
        Subject.objects.filter(task__study=study, counts=True, control="", left_out=False, superseded=False)
        .annotate(
            done=Count("assignments", filter=done & Q(assignments__left_out=False)),
            had=Count("assignments", filter=done & Q(assignments__assessor__in=people.values("pk"))),
        )
        .annotate(short=F("wanted") - F("done") - people.count() + F("had"))
        .filter(short__gt=0, done__lt=F("wanted"))
    )
    return short.aggregate(n=Sum("short"))["n"] or 0


def judgments_by_day(study: Study) -> list[dict[str, Any]]:
    """In the server's time zone."""
    rows = (
        Judgment.objects.filter(assignment__assessor__study=study, assignment__counts=True, revision=1)
        .annotate(day=TruncDate("submitted_at"))
        .order_by("day")
        .values_list("day")
        .annotate(n=Count("pk"))
    )
    return [{"day": day.isoformat(), "judgments": n} for day, n in rows]


def systems_done(study: Study) -> list[dict[str, Any]]:
    """By system, how many judgments there are and how many are wanted; a set counts for each text in it."""
    subjects = Subject.objects.filter(task__study=study, counts=True, control="", left_out=False)
    members = SetMember.objects.filter(subject__in=subjects)
    done = Q(assignments__state=Assignment.State.DONE, assignments__left_out=False)
    of_member = Q(subject__assignments__state=Assignment.State.DONE, subject__assignments__left_out=False)
    wanted: dict[int, int] = defaultdict(int)
    made: dict[int, int] = defaultdict(int)
    alone = subjects.exclude(output=None).order_by()
    for table, rows in (
        (wanted, alone.values_list("output__system").annotate(n=Sum("wanted"))),
        (wanted, members.order_by().values_list("output__system").annotate(n=Sum("subject__wanted"))),
        (made, alone.values_list("output__system").annotate(n=Count("assignments", filter=done))),
        (
            made,
            members.order_by()
            .values_list("output__system")
            .annotate(n=Count("subject__assignments", filter=of_member)),
        ),
    ):
        for system, number in rows:
            table[system] += number or 0
    return [
        {"system": key, "done": made[pk], "wanted": wanted[pk]}
        for pk, key in study.systems.order_by("pk").values_list("pk", "key")
        if wanted[pk]
    ]
