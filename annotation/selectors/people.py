"""The people of a study: its assessors and their links, its experimenters, and what assessors have flagged."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.models import Assessor, Assignment, Flag, Judgment, Membership, Study
from annotation.selectors.exhibits import SUBJECT_TEXTS, exhibit_placed, facts_of_subject

# --- assessors ----------------------------------------------------------------------------------------------------


def assessors_of(study: Study) -> QuerySet[Assessor]:
    return study.assessors.all()


def assessor_find(study: Study, pk: int) -> Assessor | None:
    """An assessor of this study; of another study they do not exist here."""
    return study.assessors.select_related("study").filter(pk=pk).first()


def assessors_without_link(study: Study) -> QuerySet[Assessor]:
    return study.assessors.filter(token_hash=None)


def missing_links(study: Study) -> int:
    return assessors_without_link(study).count()


def has_links(study: Study) -> bool:
    return study.assessors.exclude(token_hash=None).exists()


def assignment_rows(assessor: Assessor) -> QuerySet[Assignment]:
    """What one assessor gets, in order, with the time of the newest judgment."""
    newest = Judgment.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    return (
        assessor.assignments.select_related(
            "subject__task",
            "subject__output__system",
            "subject__output__document",
            "subject__output__topic",
            "subject__document",
            "subject__topic",
            "subject__reference",
        )
        .annotate(
            seconds=Subquery(newest.values("seconds")[:1]),
            submitted_at=Subquery(newest.values("submitted_at")[:1]),
            revision=Subquery(newest.values("revision")[:1]),
        )
        .order_by("position")
    )


# --- experimenters ------------------------------------------------------------------------------------------------


def members(study: Study) -> QuerySet[Membership]:
    return study.memberships.select_related("user").order_by("role", "user__username")


def member_find(study: Study, pk: int) -> Membership | None:
    """By the number of the membership."""
    return members(study).filter(pk=pk).first()


# --- flags --------------------------------------------------------------------------------------------------------


def flags_open(study: Study) -> int:
    return Flag.objects.filter(assessor__study=study, settled_at=None).count()


def flag_rows(study: Study, *, settled: bool) -> QuerySet[Flag]:
    """What assessors have told the experimenter, with the item it is about."""
    return (
        Flag.objects.filter(assessor__study=study, settled_at__isnull=not settled)
        .select_related(
            "assessor",
            "assignment__subject__task",
            "assignment__subject__output__system",
            "assignment__subject__output__document",
            "assignment__subject__output__topic",
            "assignment__subject__document",
            "assignment__subject__topic",
        )
        .order_by("-made_at", "-pk")
    )


def flag_answers(flags: Iterable[Flag]) -> None:
    """Put beside each flag what the assessor has answered to its item; empty where nothing is submitted."""
    flags = list(flags)
    newer = Judgment.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
    judgments = Judgment.objects.filter(
        ~Exists(newer), assignment__in=[flag.assignment_id for flag in flags if flag.assignment_id]
    )
    read = judgments.select_related(
        "assignment__subject__output__system", *(f"assignment__subject__{path}" for path in SUBJECT_TEXTS)
    ).prefetch_related("assignment__subject__members__output__system")
    said: dict[int | None, str] = {}
    for judgment in read:
        facts = facts_of_subject(judgment.assignment.subject)
        exhibit = exhibit_placed(facts.exhibit, judgment.assignment.places)
        words = facts.kind.answer_in_words(facts.config, exhibit, facts.answer(judgment.answer))
        said[judgment.assignment_id] = words
    for flag in flags:
        flag.answer = said.get(flag.assignment_id or 0, "")  # type: ignore[attr-defined]


def flag_find(study: Study, pk: int) -> Flag | None:
    return Flag.objects.filter(assessor__study=study, pk=pk).first()
