"""Assessors and their personal links."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.addresses import link_address
from annotation.api.base import StudyView, parsed, query
from annotation.api.documented import PAGED, READS, WRITES, operation
from annotation.api.paging import paged
from annotation.api.schemas import AssessorDetail, AssessorPage, NewAssessor, NewLink, PageQuery
from annotation.found import found_or_404
from annotation.models import Assessor
from annotation.selectors.people import assessor_find
from annotation.selectors.progress import assessor_row, assessors_as_added
from annotation.services import assessors as services


class Assessors(StudyView):
    @operation(
        "assessors",
        "assessors_list",
        "The assessors of a study, and how far each is",
        *READS,
        422,
        answer=AssessorPage,
        parameters=PAGED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return paged(
            request, assessors_as_added(self.study), query(PageQuery, request), AssessorPage, _detail
        )

    @operation(
        "assessors",
        "assessor_add",
        "Add an assessor",
        *WRITES,
        409,
        422,
        answer=AssessorDetail,
        status=201,
        takes=NewAssessor,
    )
    def post(self, request: Request, slug: str) -> Response:
        """In an open study a newcomer gets practice, what others leave undone, and what everybody judges, as the plan says."""
        new = parsed(NewAssessor, request.data)
        made = services.assessor_create(study=self.study, name=new.name, group=new.group, author=new.author)
        return Response(_detail(assessor_row(self.study, made.pk)).model_dump(mode="json"), status=201)


class AssessorLink(StudyView):
    @operation("assessors", "link_create", "Make a personal link", *WRITES, answer=NewLink, status=201)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """An earlier link of the same assessor stops working. Only a hash is stored: keep the link."""
        token = services.assessor_link(assessor=self._assessor(pk))
        url = link_address(request, token)
        return Response(NewLink(url=url).model_dump(), status=201)

    @operation("assessors", "link_revoke", "Revoke the link of an assessor", *WRITES, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """It stops working at once, also in browsers where it was opened."""
        services.assessor_revoke(assessor=self._assessor(pk))
        return Response(status=204)

    def _assessor(self, pk: int) -> Assessor:
        return found_or_404(assessor_find(self.study, pk), "There is no such assessor.")


def _detail(row: Assessor) -> AssessorDetail:
    return AssessorDetail(
        id=row.pk,
        name=row.name,
        pseudonym=row.pseudonym,
        group=row.group,
        author=row.author,
        has_link=row.token_hash is not None,
        link_made_at=row.token_made_at if row.token_hash else None,
        started_at=row.started_at,
        last_seen_at=row.last_seen_at,
        paused_at=row.paused_at,
        stopped_at=row.stopped_at,
        checks_failed_at=row.checks_failed_at,
        checks_failed_why=row.checks_failed_why,
        done=row.done,  # type: ignore[attr-defined]
        total=row.total,  # type: ignore[attr-defined]
    )
