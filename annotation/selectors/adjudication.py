"""What an adjudicator sees: the piece as an assessor sees it, and beside it what was judged, by nobody in particular."""

from __future__ import annotations

import random
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.models import Adjudication, Adjudicator, Decision, Judgment, Study
from annotation.selectors.desks import Begun, Desk
from annotation.selectors.disagreement import newest_of
from annotation.selectors.exhibits import (
    Facts,
    answer_moved,
    exhibit_placed,
    exhibit_since,
    facts_in,
    facts_of_subject,
)
from annotation.selectors.links import person_of_link, still_in
from annotation.selectors.work import Progress

LINES_SHOWN = 200  # of one judgment

# --- people -------------------------------------------------------------------------------------------------------


def adjudicators_of(study: Study) -> QuerySet[Adjudicator]:
    """With how much they have to decide, and have decided."""
    return study.adjudicators.annotate(
        given=Count("adjudications"),
        decided=Count("adjudications", filter=Q(adjudications__decided_at__isnull=False)),
    ).order_by("pk")


def adjudicator_counted(adjudicator: Adjudicator) -> Adjudicator:
    """One of ``adjudicators_of``, as it stands now."""
    return adjudicators_of(adjudicator.study).get(pk=adjudicator.pk)


def adjudicator_find(study: Study, pk: int) -> Adjudicator | None:
    return study.adjudicators.select_related("study").filter(pk=pk).first()


def adjudicator_of_link(token: str) -> Adjudicator | None:
    return person_of_link(Adjudicator, token)


def adjudicator_of_session(*, pk: int, fingerprint: str, slug: str) -> Adjudicator | None:
    """The adjudicator of a session, if the link it came from is still valid."""
    rows = Adjudicator.objects.select_related("study").filter(study__deleted_at=None)
    return still_in(rows.filter(pk=pk).first(), fingerprint=fingerprint, slug=slug)


# --- their work ---------------------------------------------------------------------------------------------------


def adjudications_of(adjudicator: Adjudicator) -> QuerySet[Adjudication]:
    """In the order in which they were given, without what counts no more."""
    rows = adjudicator.adjudications.filter(subject__superseded=False)
    return rows.select_related("subject__task").order_by("number")


def adjudication_own(adjudicator: Adjudicator, public_id: str) -> Adjudication | None:
    """One of the adjudicator's own; anybody else's does not exist for them."""
    found = adjudications_of(adjudicator).filter(public_id=public_id).first()
    if found:
        found.adjudicator = adjudicator
    return found


def adjudication_next(adjudicator: Adjudicator) -> Adjudication | None:
    found = adjudications_of(adjudicator).filter(decided_at=None).first()
    if found:
        found.adjudicator = adjudicator
    return found


def decided_so_far(adjudicator: Adjudicator) -> Progress:
    counts = adjudications_of(adjudicator).order_by().aggregate(total=Count("pk"), done=Count("decided_at"))
    return Progress(done=counts["done"], total=counts["total"])


def adjudication_find(study: Study, pk: int) -> Adjudication | None:
    rows = Adjudication.objects.filter(adjudicator__study=study).select_related("adjudicator__study")
    return rows.filter(subject__pk=pk).first()


def decision_newest(adjudication: Adjudication) -> Decision | None:
    return adjudication.decisions.order_by("-revision").first()


def facts_decided(adjudication: Adjudication) -> Facts:
    return facts_in(adjudication.adjudicator.study, adjudication.subject_id)


def desk_deciding(adjudication: Adjudication) -> Desk:
    """The piece before its adjudicator."""
    facts, newest = facts_decided(adjudication), decision_newest(adjudication)
    exhibit = exhibit_since(facts.exhibit, adjudication.places, adjudication.shown_at)
    begun = None
    if (
        adjudication.draft is not None
        and adjudication.draft_revision == (newest.revision if newest else 0) + 1
    ):
        begun = Begun(adjudication.draft, adjudication.draft_seconds, adjudication.draft_raw_seconds)
    return Desk(facts, exhibit, newest, begun)


@dataclass(frozen=True)
class JudgedBeside:
    """What one of the judges said, line by line; ``number`` says which in an order that belongs to this piece alone."""

    number: int
    lines: list[str]


def judged_beside(adjudication: Adjudication) -> list[JudgedBeside]:
    """Everybody's newest judgment, without names, pseudonyms or times, and of a set with the texts where they stand here."""
    study = adjudication.adjudicator.study
    judgments = list(newest_of(study, [adjudication.subject_id]).order_by("assignment"))
    random.Random(f"{study.seed}/judges/{adjudication.subject_id}").shuffle(judgments)
    return [
        JudgedBeside(number, _told(adjudication, judgment))
        for number, judgment in enumerate(judgments, start=1)
    ]


def _told(adjudication: Adjudication, judgment: Judgment) -> list[str]:
    facts = facts_of_subject(judgment.assignment.subject)
    shown = exhibit_placed(facts.exhibit, adjudication.places)
    answer = answer_moved(
        facts, facts.answer(judgment.answer), judgment.assignment.places, adjudication.places
    )
    return facts.kind.answer_told(facts.config, shown, answer)[:LINES_SHOWN]


# --- what was decided ---------------------------------------------------------------------------------------------


def decisions_of(study: Study, *, all_revisions: bool = False) -> QuerySet[Decision]:
    """What counts as decided: not about anything that is left out or has a newer version."""
    rows = Decision.objects.filter(
        adjudication__adjudicator__study=study,
        adjudication__subject__superseded=False,
        adjudication__subject__left_out=False,
    )
    if not all_revisions:
        newer = Decision.objects.filter(
            adjudication=OuterRef("adjudication"), revision__gt=OuterRef("revision")
        )
        rows = rows.filter(~Exists(newer))
    return rows


def pieces_decided(study: Study) -> dict[str, int]:
    """How many pieces of each task are decided, in the order of the tasks."""
    counted = (
        decisions_of(study)
        .order_by("adjudication__subject__task__position")
        .values(task=F("adjudication__subject__task__name"))
        .annotate(n=Count("pk"))
    )
    return {row["task"]: row["n"] for row in counted}


def decided_in_words(study: Study, subjects: list[int]) -> dict[int, str]:
    """By subject what was decided last, in a line, for the experimenter."""
    rows = decisions_of(study).filter(adjudication__subject__in=subjects)
    found = {}
    for decision in rows.select_related("adjudication"):
        adjudication = decision.adjudication
        facts = facts_in(study, adjudication.subject_id)
        shown = exhibit_placed(facts.exhibit, adjudication.places)
        found[adjudication.subject_id] = facts.kind.answer_in_words(
            facts.config, shown, facts.answer(decision.answer)
        )
    return found


def number_decided(study: Study) -> int:
    return sum(pieces_decided(study).values())
