"""The schema, the documentation that is made of it, and the answer where there is nothing."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ApiView


@extend_schema(exclude=True)
class Schema(ApiView):
    """The OpenAPI schema, as JSON."""

    def get(self, request: Request) -> Response:
        return Response(SchemaGenerator().get_schema(request=request, public=True))


@login_required
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """What can be asked for, to read and to try out."""
    return render(request, "annotation/manage/api_docs.html")


@extend_schema(exclude=True)
class NothingHere(ApiView):
    """Every other address under ``/api/``: an error of our shape, and no redirect that would lose what was sent."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404("There is no such address. All of them end in a slash or a file’s ending.")
