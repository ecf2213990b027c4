"""The server itself, for administrators' programs."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import AdministratorView
from annotation.api.documented import operation
from annotation.api.operation_schemas import ServerDetail
from annotation.selectors.operations import operations
from annotation.services.operations import backup_request


class Operations(AdministratorView):
    @operation("server", "operations", "How the server is", 403, answer=ServerDetail)
    def get(self, request: Request) -> Response:
        """Warnings first, each with what to do; then disk, parts, queue, backups, versions and sizes."""
        return Response(ServerDetail.of(operations()).model_dump(mode="json"))


class Backups(AdministratorView):
    @operation("server", "backup_request", "Make a backup now", 403, 409, status=202)
    def post(self, request: Request) -> Response:
        """As soon as the keeper comes to it. `GET /api/v1/operations/` lists it when it is done."""
        backup_request(by=self.user.username)
        return Response(status=202)
