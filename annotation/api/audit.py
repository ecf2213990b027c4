"""The audit trail of a study."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, query
from annotation.api.documented import PAGED, READS, operation
from annotation.api.paging import paged
from annotation.api.schemas import AuditDetail, AuditPage, AuditQuery
from annotation.selectors.audit import audit_rows

FILTERS = [
    OpenApiParameter("action", str, description="A whole action, or its first part, such as assessor."),
    OpenApiParameter("actor", str, description="Who did it, as the trail names them."),
]


class Audit(StudyView):
    @operation(
        "studies",
        "audit",
        "Who did what when, newest first",
        *READS,
        422,
        answer=AuditPage,
        parameters=[*PAGED, *FILTERS],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every change to the study, its people and its results. Each line holds the hash of the one before."""
        asked = query(AuditQuery, request)
        rows = audit_rows(self.study, action=asked.action, actor=asked.actor)
        return paged(request, rows, asked, AuditPage, AuditDetail.model_validate)
