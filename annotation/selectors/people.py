"""The people of a study: its assessors and their links, its experimenters, and what assessors have flagged."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.utils import timezone

from annotation.models import Assessor, Assignment, Erasure, Flag, Judgment, Membership, Study
from annotation.selectors.exhibits import SUBJECT_TEXTS, exhibit_placed, facts_of_subject
from annotation.selectors.work import REVOKED

# --- assessors ----------------------------------------------------------------------------------------------------


def assessors_of(study: Study) -> QuerySet[Assessor]:
    return study.assessors.all()


def assessor_find(study: Study, pk: int) -> Assessor | None:
    """An assessor of this study; of another study they do not exist here."""
    return study.assessors.select_related("study").filter(pk=pk).first()


def assessors_without_link(study: Study) -> QuerySet[Assessor]:
    """Who was never given one. A link that was revoked is not missing."""
    return study.assessors.filter(token_hash=None, token_made_at=None)


def missing_links(study: Study) -> int:
    return assessors_without_link(study).count()


def has_links(study: Study) -> bool:
    return study.assessors.exclude(token_hash=None).exists()


def assignment_find(study: Study, pk: int) -> Assignment | None:
    """A piece of work of somebody in this study."""
    rows = Assignment.objects.filter(assessor__study=study).select_related("assessor__study", "subject__task")
    return rows.filter(pk=pk).first()


def assignment_at(assessor: Assessor, position: int) -> Assignment | None:
    """What stands at this place of somebody's line."""
    rows = assessor.assignments.select_related("assessor__study", "subject__task")
    return rows.filter(position=position).first()


def assessors_to_mail(study: Study, who: str, days: int | None = None) -> list[Assessor]:
    """With a mail address, and not revoked: ``new`` without a link, ``slow`` not here lately though there is work, or ``all``."""
    rows = study.assessors.exclude(email="").exclude(REVOKED)
    if who == "new":
        rows = rows.filter(token_hash=None)
    if who == "slow":
        lately = timezone.now() - timedelta(days=3 if days is None else days)
        to_do = Assignment.objects.filter(
            assessor=OuterRef("pk"), state=Assignment.State.OPEN, counts=True, left_out=False
        )
        rows = rows.exclude(token_hash=None).filter(Q(last_seen_at=None) | Q(last_seen_at__lte=lately))
        rows = rows.filter(Exists(to_do), token_made_at__lte=lately)
    return list(rows.select_related("study"))


def mail_counts(study: Study) -> dict[str, int]:
    known = study.assessors.exclude(email="")
    return {
        "all": study.assessors.count(),
        "known": known.count(),
        "without_link": known.filter(token_hash=None, token_made_at=None).count(),
    }


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


def erasures(study: Study) -> QuerySet[Erasure]:
    return study.erasures.all()


# --- experimenters ------------------------------------------------------------------------------------------------


def members(study: Study) -> QuerySet[Membership]:
    """Owners first, then editors, then viewers."""
    ranks = [When(role=role, then=rank) for rank, role in enumerate(Membership.Role.values)]
    rank = Case(*ranks, output_field=IntegerField())
    return study.memberships.select_related("user").order_by(rank, "user__username")


def member_find(study: Study, pk: int) -> Membership | None:
    """By the number of the membership."""
    return members(study).filter(pk=pk).first()


# --- flags --------------------------------------------------------------------------------------------------------


def flags_open(study: Study) -> int:
    return Flag.objects.filter(assessor__study=study, settled_at=None).count()


def flag_rows(study: Study) -> QuerySet[Flag]:
    """What assessors have told the experimenter, with the item it is about."""
    return (
        Flag.objects.filter(assessor__study=study)
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
    rows = Flag.objects.filter(assessor__study=study).select_related("assessor__study", "assignment")
    return rows.filter(pk=pk).first()
