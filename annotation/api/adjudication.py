"""Where people disagree: the queue, who decides, and what they are given."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.addresses import link_address
from annotation.api.adjudication_schemas import (
    AdjudicatorDetail,
    AdjudicatorLink,
    AdjudicatorList,
    DisagreementPage,
    DisagreementQuery,
    DisagreementRow,
    NewAdjudicator,
    Pieces,
    ThresholdDetail,
    ThresholdSetting,
)
from annotation.api.base import StudyView, parsed, query
from annotation.api.documented import PAGED, READS, WRITES, asked, operation
from annotation.api.paging import paged
from annotation.export import place_of
from annotation.found import found_or_404
from annotation.models import Adjudicator, Subject
from annotation.selectors import adjudication as deciding
from annotation.selectors import disagreement as selectors
from annotation.selectors.exhibits import facts_in
from annotation.services import adjudication as services
from annotation.services.disagreement import disagreement_look, disagreement_set


class Disagreements(StudyView):
    @operation(
        "adjudication",
        "disagreement_list",
        "Pieces on which people disagree, the worst first",
        *READS,
        422,
        answer=DisagreementPage,
        parameters=[
            *PAGED,
            asked("show", str, "open: given to nobody; given: to be decided; decided.", default="open"),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Pieces that two people or more have judged and that are at or beyond the threshold. Judgments that came since the
        queue was last asked for are looked at first, as many as can be in a moment; ask again for the rest."""
        choices = query(DisagreementQuery, request)
        disagreement_look(study=self.study)
        rows = selectors.queue_rows(selectors.queue_of(self.study), choices.show)
        return paged(request, rows, choices, DisagreementPage, self._row)

    @operation(
        "adjudication",
        "disagreement_set",
        "What counts as disagreement",
        *WRITES,
        422,
        answer=ThresholdDetail,
        takes=ThresholdSetting,
    )
    def post(self, request: Request, slug: str) -> Response:
        """By the spread (a share of the scale) or by what a piece adds to α (1 is chance). Without a threshold, what is usual for
        each task."""
        sent = parsed(ThresholdSetting, request.data)
        queue = disagreement_set(study=self.study, by=sent.by, threshold=sent.threshold)
        queue.study = self.study
        tasks = {one.task: one.at for one in selectors.thresholds(queue)}
        found = ThresholdDetail(by=sent.by, threshold=queue.threshold, tasks=tasks)
        return Response(found.model_dump(mode="json"))

    def _row(self, subject: Any) -> DisagreementRow:
        facts = facts_in(self.study, subject.pk)
        place = place_of(facts, subject.output.system.key if subject.output else "")
        adjudication = getattr(subject, "adjudication", None)
        return DisagreementRow(
            id=subject.pk,
            task=subject.task.name,
            item=place.item,
            system=place.system,
            set=subject.set_id,
            distance=subject.distance,
            criterion=subject.criterion or "",
            judges=subject.judges or 0,
            adjudicator=adjudication.adjudicator.pseudonym if adjudication else None,
            decided_at=adjudication.decided_at if adjudication else None,
        )


class OnePiece(StudyView):
    @operation("adjudication", "adjudication_take_back", "Take a piece back", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """From whoever was to decide it, so that it can be given to somebody else. What is decided stays."""
        found = found_or_404(
            deciding.adjudication_find(self.study, pk), "This piece is not given to anybody."
        )
        services.adjudication_take_back(adjudication=found)
        return Response(status=204)


class Adjudicators(StudyView):
    @operation("adjudication", "adjudicators_list", "Who decides", *READS, answer=AdjudicatorList)
    def get(self, request: Request, slug: str) -> Response:
        rows = [_detail(row) for row in deciding.adjudicators_of(self.study)]
        return Response(AdjudicatorList(results=rows).model_dump(mode="json"))

    @operation(
        "adjudication",
        "adjudicator_add",
        "Add somebody who decides",
        *WRITES,
        409,
        422,
        answer=AdjudicatorLink,
        status=201,
        takes=NewAdjudicator,
    )
    def post(self, request: Request, slug: str) -> Response:
        """With a personal link, which is given this once. They see what others judged, so they are no assessors."""
        sent = parsed(NewAdjudicator, request.data)
        (added,) = services.adjudicators_add(study=self.study, names=[sent.name])
        return self.linked(request, added, status=201)

    def linked(self, request: Request, adjudicator: Adjudicator, *, status: int = 200) -> Response:
        token = services.adjudicator_link(adjudicator=adjudicator)
        link = link_address(request, token)
        found = AdjudicatorLink(**_detail(adjudicator).model_dump(), link=link)
        return Response(found.model_dump(mode="json"), status=status)


class OneAdjudicator(StudyView):
    @operation("adjudication", "adjudicator_remove", "Remove somebody who decides", *WRITES, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """The link stops working, and what is undecided goes back to the queue. Decisions stay, without the name."""
        services.adjudicator_remove(adjudicator=_found(self, pk))
        return Response(status=204)


class AdjudicatorNewLink(Adjudicators):
    http_method_names = ["post"]

    @operation(
        "adjudication", "adjudicator_link", "Make a new personal link", *WRITES, answer=AdjudicatorLink
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:  # type: ignore[override]
        """The link before it stops working at once."""
        return self.linked(request, _found(self, pk))


class PiecesGive(StudyView):
    @operation(
        "adjudication",
        "adjudications_give",
        "Give pieces to somebody who decides",
        *WRITES,
        409,
        422,
        answer=AdjudicatorDetail,
        takes=Pieces,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """By their ids in the list of disagreements: all of them or none."""
        person = _found(self, pk)
        sent = parsed(Pieces, request.data)
        subjects: list[Subject] = selectors.subjects_named(self.study, sent.pieces)
        services.adjudications_give(study=self.study, subjects=subjects, adjudicator=person)
        return Response(_detail(deciding.adjudicator_counted(person)).model_dump(mode="json"))


def _found(view: StudyView, pk: int) -> Adjudicator:
    return found_or_404(deciding.adjudicator_find(view.study, pk), "There is no such adjudicator.")


def _detail(row: Any) -> AdjudicatorDetail:
    return AdjudicatorDetail(
        id=row.pk,
        name=row.name,
        pseudonym=row.pseudonym,
        has_link=row.token_hash is not None,
        given=getattr(row, "given", 0),
        decided=getattr(row, "decided", 0),
    )
