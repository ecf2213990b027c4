"""What is left out of results."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, parsed
from annotation.api.documented import READS, WRITES, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.schemas import ExclusionDetail, ExclusionList, NewExclusion
from annotation.found import found_or_404
from annotation.selectors import exclusions as selectors
from annotation.services import exclusions as services


class Exclusions(StudyView):
    @operation(
        "results", "exclusions_list", "What is left out of results, and why", *READS, answer=ExclusionList
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = [_detail(row) for row in selectors.left_out(self.study)]
        return Response(ExclusionList(results=rows).model_dump(mode="json"))

    @operation(
        "results",
        "exclusion_add",
        "Leave something out of results",
        *WRITES,
        409,
        422,
        answer=ExclusionDetail,
        status=201,
        takes=NewExclusion,
    )
    def post(self, request: Request, slug: str) -> Response:
        """A person, a judgment, an item or a task. Judgments stay stored; others are asked to judge again what a person or
        a judgment leaves open. A person who is left out gets no more work."""
        new = parsed(NewExclusion, request.data)
        target = selectors.target_named(self.study, new.what, new.name)
        if target is None:
            message = f"There is no {new.what} “{new.name}” in this study."
            raise Invalid("Nothing was left out.", [Detail(field="name", message=message)])
        made = services.exclusion_add(study=self.study, target=target, reason=new.reason)
        row = next(row for row in selectors.left_out(self.study) if row.exclusion.pk == made.pk)
        return Response(_detail(row).model_dump(mode="json"), status=201)


class OneExclusion(StudyView):
    @operation("results", "exclusion_end", "Include it again", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """It counts again from now on; what others have judged in its place counts too."""
        found = found_or_404(selectors.exclusion_find(self.study, pk), "There is no such exclusion.")
        services.exclusion_end(exclusion=found)
        return Response(status=204)


def _detail(row: selectors.LeftOut) -> ExclusionDetail:
    return ExclusionDetail(
        id=row.exclusion.pk,
        what=row.what,
        reason=row.exclusion.reason,
        judgments=len(row.judgments),
        made_at=row.exclusion.made_at,
        made_by=row.exclusion.made_by,
    )
