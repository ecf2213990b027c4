"""How an operation is described in the OpenAPI schema: what it takes, what it gives, and every way to be refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel

from annotation.api.errors import Error

Method = TypeVar("Method", bound=Callable[..., Any])
JSON = "application/json"
REFUSALS = {
    400: "The request cannot be read.",
    401: "No token, or one that is not known.",
    403: "Your role in the study, or the token, does not allow it.",
    404: "There is no such thing, or it is not yours to see.",
    405: "This address does not take this method.",
    406: "Only JSON can be given.",
    409: "The rules of the study do not allow it now; the message says why.",
    411: "The body came in chunks, without its length.",
    413: "The request is too large.",
    415: "The body is of a type that is not taken here.",
    422: "What was sent cannot be used; `details` names every problem, and nothing was written.",
    429: "Too many requests; the header `Retry-After` says how many seconds to wait.",
    500: "A fault of the server. Its log says what happened.",
    503: "The disk is full or the database away; the header `Retry-After` says how many seconds to wait.",
}
EVERYWHERE = (400, 401, 405, 429, 500, 503)
POSTED = (411, 413)
READS = (404,)
WRITES = (403, 404)


def operation(
    tag: str,
    name: str,
    summary: str,
    *refusals: int,
    answer: type[BaseModel] | None = None,
    status: int = 200,
    files: Sequence[str] = (),
    takes: Any = None,
    parameters: Sequence[OpenApiParameter] = (),
    location: str = "",
) -> Callable[[Method], Method]:
    """Describe a method of a view; its docstring says more than the summary.

    ``files``: the media types of a download; ``location``: whose address is in the header ``Location``; ``refusals``
    beside those that every address has, every POST, and every one with a body.
    """
    given: dict[Any, Any] = {(status, kind): _said("The file.", OpenApiTypes.BINARY) for kind in files}
    if not files:
        given = {(status, JSON): _said("Done.", answer)} if answer else {status: _said("Done.")}
    codes = {*EVERYWHERE, *refusals}
    codes |= set() if files else {406}
    codes |= {415} if takes else set()
    headers = [_header("Location", f"The address of {location}.", status)] if location else []

    def described(method: Method) -> Method:
        every = codes | set(POSTED if method.__name__ == "post" else ())
        refused = {(code, JSON): _said(REFUSALS[code], Error) for code in sorted(every)}
        return extend_schema(
            tags=[tag],
            operation_id=name,
            summary=summary,
            description=inspect.getdoc(method) or f"{summary}.",
            parameters=[*parameters, *headers],
            request=takes,
            responses=given | refused,
        )(method)

    return described


def _said(description: str, body: Any = None) -> OpenApiResponse:
    return OpenApiResponse(body, description=description)


def _header(name: str, description: str, status: int) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, required=True, response=[status]
    )


def asked(name: str, kind: Any, description: str, **schema: Any) -> OpenApiParameter:
    """A parameter after the question mark; ``schema`` says more about its values."""
    return OpenApiParameter(name, {**_TYPES[kind], **schema}, OpenApiParameter.QUERY, description=description)


_TYPES: dict[Any, dict[str, str]] = {
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
}

PAGED = [
    asked("page", int, "Which page, from 1.", minimum=1, default=1),
    asked("page_size", int, "How many on a page.", minimum=1, maximum=1000, default=100),
]


def form(**fields: dict[str, Any]) -> dict[str, Any]:
    """A form with a file and further fields."""
    properties = {"file": {"type": "string", "format": "binary"}, **fields}
    schema = {"type": "object", "properties": properties, "required": ["file"], "additionalProperties": False}
    return {"multipart/form-data": schema}
