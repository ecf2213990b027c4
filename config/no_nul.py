"""Addresses and cookies without NUL: no name holds one, and PostgreSQL refuses to be asked for it."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NUL = "\0"
API = "/api/"
CHARSETS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252"}


class NoNulMiddleware:
    """A NUL after the question mark (``%00``) or in a cookie is a bad request. In a path it leads nowhere anyway."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%00" in (asked := request.META.get("QUERY_STRING", "")) or NUL in asked:
            raise BadRequest("There is a NUL (%00) after the question mark; no name holds one.")
        if any(NUL in value for value in request.COOKIES.values()):
            raise BadRequest("There is a NUL in a cookie.")
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        if charset not in CHARSETS and not request.path_info.startswith(API):  # which does not look at it
            # Python knows encodings that are none of text; a header must not choose one for the fields of a form.
            raise BadRequest("Send forms in UTF-8.")
        return self.get_response(request)
