"""What the scripts of an assessor's pages send and get, as JSON: the same for real work and for a preview."""

from __future__ import annotations

import functools
import math
import uuid
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Any, TypeVar

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse
from django.http.request import RawPostDataException, UnreadablePostError
from django.http.response import HttpResponseBase
from pydantic import BaseModel, BeforeValidator, ValidationError

from annotation.errors import Closed, Conflict, Refused
from annotation.json_values import has_more_values, json_value
from annotation.study_files.plain import sentences
from annotation.study_files.texts import unstorable
from annotation.tasks.terms import NotYet
from annotation.words import gettext

Body = TypeVar("Body", bound=BaseModel)

BODY_MAX = 512 * 1024  # bytes; a whole summary with all that can be said of it has a tenth of this
VALUES_MAX = 25_000  # numbers, texts, lists and mappings in a body; each costs a hundred times its bytes once it is read
REASONS_SHOWN = 20


class Unreadable(Refused):
    """The body of a request is not what this address takes; the message says why."""


class TooLarge(Unreadable):
    """The body is larger than the server takes."""


def _counted(value: Any) -> float:
    """Seconds as a browser counted them. A clock that went wrong must not cost anybody their answer."""
    counted = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if counted else 0.0


Seconds = Annotated[float, BeforeValidator(_counted)]


class AnswerBody(BaseModel):
    """An answer, whole or half finished; ``confirm``: go on to its next stage. Nothing else matters to a preview."""

    answer: Any = {}  # the kind's business
    confirm: bool = False


class DraftBody(AnswerBody):
    revision: int
    seconds: Seconds = 0.0  # active
    raw_seconds: Seconds = 0.0  # with the page open, idle or not
    seen: str | None = None  # which draft the page goes on from, as far as it knows
    unheard: list[Any] = []  # answers that were sent since; whether they arrived, the page does not know

    def told(self) -> dict[str, Any]:
        """What a service is told of it, of drafts and judgments alike."""
        of_drafts = ("confirm", "seen", "unheard")
        return {name: getattr(self, name) for name in type(self).model_fields if name not in of_drafts}

    def goes_on_from(self) -> dict[str, Any]:
        """What a service is told of a draft alone."""
        return {"seen": self.seen, "unheard": self.unheard}


class JudgmentBody(DraftBody):
    client_key: uuid.UUID
    waited: Seconds = 0.0  # since it was meant: for the network, or until its browser was opened again


class DiscardBody(BaseModel):
    revision: int


class WordBody(BaseModel):
    """A flag or a message."""

    comment: str = ""


def json_body(request: HttpRequest, model: type[Body]) -> Body:
    """The request's body as its type; ``Unreadable`` says in words why it is none."""
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > BODY_MAX:
            raise RequestDataTooBig
        sent = json_value(request.body.decode())
    except RequestDataTooBig:
        raise TooLarge(
            gettext("This is too long: an answer may have {size} KB.", size=BODY_MAX // 1024)
        ) from None
    except (RawPostDataException, UnreadablePostError):
        raise Unreadable("The request could not be read: send JSON, not a form.") from None
    except UnicodeDecodeError:
        raise Unreadable("The request could not be read: it is not UTF-8.") from None
    except ValueError as error:
        raise Unreadable(f"The request could not be read: {error}.") from None
    if has_more_values(sent, VALUES_MAX):
        raise TooLarge(gettext("This is too long: an answer may have {size} KB.", size=BODY_MAX // 1024))
    fault = unstorable(sent)
    if fault:
        raise Unreadable(f"This cannot be stored: {fault}")
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        reasons = " ".join(sentence for _, sentence in islice(sentences(error, model), REASONS_SHOWN))
        raise Unreadable(f"The request could not be read: {reasons}") from None


def problems_told(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """What keeps a view from doing its work becomes its answer, in words."""

    @functools.wraps(view)
    def telling(*args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(*args, **kwargs)
        except (NotYet, Refused) as problem:
            return problem_response(problem)

    return telling


def problem_response(problem: NotYet | Refused) -> JsonResponse:
    """422 for what is missing, 409 for what is there already, 410 for a study that is not open."""
    if isinstance(problem, NotYet):
        return JsonResponse({"missing": [entry._asdict() for entry in problem.missing]}, status=422)
    if isinstance(problem, Conflict):
        told = {"status": "conflict", "message": str(problem)} | (
            {"offer": problem.offer} if problem.offer else {}
        )
        return JsonResponse(told, status=409)
    if isinstance(problem, Unreadable):
        status = 413 if isinstance(problem, TooLarge) else 400
        return JsonResponse({"status": "bad-request", "message": str(problem)}, status=status)
    status = 410 if isinstance(problem, Closed) else 400
    return JsonResponse({"status": "refused", "message": str(problem)}, status=status)
