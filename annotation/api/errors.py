"""What goes wrong, always in the same shape: ``{"error": {"code", "message", "details"?}}``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.views import defaults
from pydantic import BaseModel
from rest_framework.exceptions import APIException, NotAuthenticated, ParseError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.errors import Refused
from annotation.means import is_out_of_means
from annotation.models import Study
from annotation.study_files import Problem, StudyFileProblems

PREFIX = "/api/"
CODES = {
    400: "bad_request",
    401: "not_authenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    409: "refused",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    500: "fault",
    503: "unavailable",
}
UNAVAILABLE = (
    "The server cannot store anything at the moment: its disk is full, or its database is away. Nothing is lost; "
    "try again in a minute, and tell whoever runs the server if it goes on."
)
SHOWN_DETAILS = 1000  # a file of another format has a problem on every line


class Detail(BaseModel):
    """One thing that is wrong: where it is, as far as that can be told, and what."""

    file: str | None = None
    line: int | None = None
    field: str | None = None
    message: str


class ErrorBody(BaseModel):
    code: str
    message: str
    details: list[Detail] | None = None


class Error(BaseModel):
    """The body of every answer that is not a success."""

    error: ErrorBody


class Invalid(APIException):
    """What was sent can be read, but it cannot be used; nothing was written."""

    status_code = 422

    def __init__(self, message: str, details: Iterable[Detail] = ()):
        super().__init__(message)
        self.details: Sequence[Detail] = list(details)


class NotNow(APIException):
    """The rules of the study do not allow it now."""

    status_code = 409

    def __init__(self, message: str, details: Iterable[Detail] = ()):
        super().__init__(message)
        self.details: Sequence[Detail] = list(details)


class LengthRequired(APIException):
    """The body came in chunks; what WSGI hands on of it is nothing."""

    status_code = 411


class TooLarge(APIException):
    status_code = 413


def invalid_file(problems: Iterable[Problem]) -> Invalid:
    """Every problem of a file, by file and line."""
    found = list(problems)
    many = "there is a problem" if len(found) == 1 else f"there are {len(found):,} problems"
    return Invalid(
        f"Nothing was imported: {many}.",
        [Detail(file=row.file or None, line=row.line, message=row.message) for row in found],
    )


def error_response(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's handler, with our body. None: a fault of ours, which ``server_error`` answers."""
    known = _as_api_exception(exception)
    response = exception_handler(known, context)
    if response is None:
        return None
    details = getattr(known, "details", ())
    body: dict[str, Any] = {
        "code": CODES.get(response.status_code, "error"),
        "message": _message(known, response),
    }
    if details:
        shown = [detail.model_dump(exclude_none=True) for detail in details[:SHOWN_DETAILS]]
        if len(details) > SHOWN_DETAILS:
            shown.append({"message": f"{len(details) - SHOWN_DETAILS:,} more are not listed."})
        body["details"] = shown
    response.data = {"error": body}
    return response


def _as_api_exception(exception: Exception) -> Exception:
    if isinstance(exception, StudyFileProblems):
        return invalid_file(exception.problems)
    if isinstance(exception, Refused):
        return NotNow(str(exception))
    if isinstance(exception, RequestDataTooBig):
        return TooLarge("The fields of the form are too large.")
    if isinstance(exception, (SuspiciousOperation, MultiPartParserError)):
        return ParseError("The request cannot be read.")
    if isinstance(exception, Study.DoesNotExist):
        return Http404("There is no such study any more.")  # an owner has just deleted or replaced it
    return exception


def _message(exception: Exception, response: Response) -> str:
    if isinstance(exception, NotAuthenticated):
        return "Send a token: “Authorization: Bearer …”. Tokens are made on the page “API tokens” of your account."
    data = response.data
    return str(data.get("detail", "")) if isinstance(data, dict) else str(data)


# --- before and after REST framework ------------------------------------------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler400``: what Django itself refuses, such as a host that is not ours."""
    if not request.path_info.startswith(PREFIX):
        return defaults.bad_request(request, exception)
    words = str(exception) if isinstance(exception, BadRequest) else "The request cannot be read."
    return _plain(400, words)


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``: a fault of ours. The log has what happened; the answer tells nothing of the inside."""
    if is_out_of_means(sys.exc_info()[1]):
        return _unavailable(request)
    if not request.path_info.startswith(PREFIX):
        return defaults.server_error(request)
    return _plain(500, "Something went wrong here that should not have; the server’s log says what.")


def _unavailable(request: HttpRequest) -> HttpResponse:
    """503, and when to try again. The scripts of an assessor's page keep what they have and send it again."""
    response: HttpResponse
    if request.path_info.startswith(PREFIX):
        response = _plain(503, UNAVAILABLE)
    elif request.content_type == "application/json":
        response = JsonResponse({"status": "unavailable", "message": UNAVAILABLE}, status=503)
    else:
        response = HttpResponse(render_to_string("503.html", {"words": UNAVAILABLE}), status=503)
    response["Retry-After"] = "60"
    return response


def _plain(status: int, message: str) -> JsonResponse:
    return JsonResponse({"error": {"code": CODES[status], "message": message}}, status=status)
