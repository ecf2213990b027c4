"""Threads between assessors and the experimenter, as both sides read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet

from annotation.models import Assessor, Assignment, Flag, Reply, Study
from annotation.selectors.people import flag_answers, flag_rows


@dataclass(frozen=True)
class Word:
    """One entry of a thread. ``by``: the experimenter who wrote it; empty: the assessor."""

    text: str
    at: datetime
    by: str = ""
    is_new: bool = False  # the assessor has not read it yet


@dataclass
class Thread:
    """``flag`` is the first in it, by whose number the thread is known."""

    flag: Flag
    words: list[Word] = field(default_factory=list)
    waits: bool = False  # for an answer
    has_new: bool = False


def thread_of(assignment: Assignment) -> list[Word]:
    """What was said about an item of an assessor, in the order in which it was said."""
    return _woven(assignment.flags.all(), assignment.replies.all())


def _woven(flags: Iterable[Flag], replies: Iterable[Reply]) -> list[Word]:
    said = [Word(flag.comment, flag.made_at) for flag in flags]
    answered = [Word(reply.comment, reply.made_at, reply.made_by, reply.read_at is None) for reply in replies]
    return sorted([*said, *answered], key=lambda word: word.at)


def has_threads(assessor: Assessor) -> bool:
    return assessor.flags.exists()


def threads_of(assessor: Assessor) -> list[Thread]:
    """All threads of an assessor, the one in which something was said last first."""
    flags = assessor.flags.select_related("assignment__subject__task").order_by("made_at", "pk")
    threads = _threads(list(flags), list(assessor.replies.all()))
    return sorted(threads, key=lambda thread: thread.words[-1].at, reverse=True)


def _threads(flags: list[Flag], replies: list[Reply]) -> list[Thread]:
    by_place: dict[tuple[int, int | None], tuple[list[Flag], list[Reply]]] = {}
    for flag in flags:
        by_place.setdefault((flag.assessor_id, flag.assignment_id), ([], []))[0].append(flag)
    for reply in replies:
        if (place := (reply.assessor_id, reply.assignment_id)) in by_place:
            by_place[place][1].append(reply)
    return [
        Thread(
            flag=mine[0],
            words=_woven(mine, theirs),
            waits=any(flag.settled_at is None for flag in mine),
            has_new=any(reply.read_at is None for reply in theirs),
        )
        for mine, theirs in by_place.values()
    ]


def thread_keys(study: Study, *, settled: bool) -> QuerySet[Any]:
    """The threads of a study that wait for an answer, or those that do not, the newest first."""
    keys = (
        Flag.objects.filter(assessor__study=study)
        .order_by()
        .values("assessor", "assignment")
        .annotate(first=Min("pk"), last=Max("made_at"), waiting=Count("pk", filter=Q(settled_at=None)))
    )
    kept = keys.filter(waiting=0) if settled else keys.filter(waiting__gt=0)
    return kept.order_by("-last", "-first")


def threads_at(study: Study, keys: Iterable[dict[str, Any]]) -> list[Thread]:
    """The threads of these keys, in their order, with what the assessors answered to the items."""
    wanted = [(key["assessor"], key["assignment"]) for key in keys]
    where = Q(pk__in=[])
    for assessor, assignment in wanted:
        where |= Q(assessor=assessor, assignment=assignment)
    flags = list(flag_rows(study).filter(where).order_by("made_at", "pk"))
    threads = _threads(flags, list(Reply.objects.filter(where)))
    flag_answers(thread.flag for thread in threads)
    by_place = {(thread.flag.assessor_id, thread.flag.assignment_id): thread for thread in threads}
    return [by_place[place] for place in wanted if place in by_place]
