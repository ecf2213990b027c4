"""What every address of the API shares: who may come in, how often, with how much, and how input is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest
from django.utils.cache import add_never_cache_headers
from pydantic import BaseModel, ValidationError
from rest_framework.exceptions import APIException, MethodNotAllowed, PermissionDenied
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.actors import actor_set
from annotation.api.errors import Detail, Invalid, LengthRequired, TooLarge
from annotation.models import ApiToken, Membership, Study
from annotation.selectors.studies import membership_find
from annotation.study_files.plain import sentences
from config.uploads import ENVELOPE

Model = TypeVar("Model", bound=BaseModel)


class ApiView(APIView):
    """Only for experimenters: an assessor's session opens nothing here, so that nothing here can break blindness."""

    http_method_names = ["get", "head", "post", "delete"]
    takes_much = False  # in a body that is no file: a table, or a long text

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        # Python knows encodings that are none of text; a header must not choose one of them for the fields of a form.
        request.encoding = "utf-8"
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        actor_set(f"experimenter {self.user.username} (API)")
        if request.method == "POST":
            _check_length(request, self._longest_body())

    def _longest_body(self) -> int:
        """In bytes. Files and tables are read where nobody waits for it; everything else in a process that answers those who judge."""
        if self.takes_much or MultiPartParser in self.parser_classes:
            return int(settings.STUDY_UPLOAD_MAX_BYTES)
        return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)

    # REST framework counts only requests that it lets in; here those that it turns away count as well.

    def perform_authentication(self, request: Request) -> None:
        try:
            super().perform_authentication(request)
        except APIException:
            super().check_throttles(request)
            raise

    def check_permissions(self, request: Request) -> None:
        super().check_throttles(request)
        super().check_permissions(request)
        if request.method not in SAFE_METHODS:
            writes_required(request)

    def check_throttles(self, request: Request) -> None:
        """Done already, in ``check_permissions``."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    @property
    def user(self) -> User:
        user = self.request.user
        assert isinstance(user, User)  # nobody else is let in
        return user


def writes_required(request: Request) -> None:
    """Not with a token that may only read."""
    token = request.auth
    if isinstance(token, ApiToken) and token.scope == ApiToken.Scope.READ:
        raise PermissionDenied(
            "This token may only read. Make another under “API tokens” to change anything."
        )


class AdministratorView(ApiView):
    """For whoever looks after this server and its accounts."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not self.user.is_superuser:
            raise PermissionDenied("Only an administrator of this server may do this.")


def _check_length(request: Request, limit: int) -> None:
    length = request.META.get("CONTENT_LENGTH")
    if "Transfer-Encoding" in request.headers and not length:
        raise LengthRequired("Send the body as a whole, with a Content-Length, not in chunks.")
    if int(length or 0) > limit + ENVELOPE:
        raise TooLarge(f"A request may have {limit // 1024**2} MB.")


class StudyView(ApiView):
    """An address of one study. To strangers it does not exist; a viewer reads, an editor also changes."""

    membership: Membership
    read_by: str = Membership.Role.VIEWER  # the least role that may read
    changed_by: str = Membership.Role.EDITOR  # the least role that may do anything but read

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        membership = membership_find(self.user, kwargs["slug"])
        if membership is None:
            raise Http404("There is no such study.")
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        self.membership = membership
        needed = self.read_by if request.method in SAFE_METHODS else self.changed_by
        if not membership.may(needed):
            who = "an owner or an editor" if needed == Membership.Role.EDITOR else "an owner"
            raise PermissionDenied(f"Only {who} of the study may do this.")

    @property
    def study(self) -> Study:
        return self.membership.study


class AnyType(DefaultContentNegotiation):
    """For downloads: the address says which format it is, whatever the client would accept."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


def parsed(model: type[Model], given: Any) -> Model:
    """Input as its type, or every reason why it is not one."""
    try:
        found = model.model_validate(given)
    except ValidationError as error:
        raise Invalid(
            "The request cannot be used as it is.",
            [
                Detail(field=".".join(map(str, place)) or None, message=sentence)
                for place, sentence in sentences(error, model)
            ],
        ) from None
    if places := list(_with_nul(found)):
        message = "holds the character NUL (U+0000); remove it."
        raise Invalid(
            "The request cannot be used as it is.",
            [Detail(field=".".join(place) or None, message=message) for place in places],
        )
    return found


def _with_nul(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a text holds what no database stores. Rows of a table have a reader of their own, who names them."""
    if isinstance(value, BaseModel):
        for name, part in value:
            yield from _with_nul(part, (*place, name))
    elif isinstance(value, list | tuple):
        if any(isinstance(part, str) and "\0" in part for part in value):
            yield place
        for number, part in enumerate(value):
            if isinstance(part, BaseModel):
                yield from _with_nul(part, (*place, str(number)))
    elif isinstance(value, str) and "\0" in value:
        yield place


def query(model: type[Model], request: Request) -> Model:
    """What stands after the question mark, as its type."""
    return parsed(model, request.query_params.dict())


def uploaded(request: Request) -> tuple[UploadedFile, dict[str, Any]]:
    """The ``file`` of a form, and the other fields."""
    sent: Any = request.data
    fields: dict[str, Any] = dict(sent.items())
    file = fields.pop("file", None)
    if not isinstance(file, UploadedFile):
        raise Invalid(
            "There is no file in the request.",
            [
                Detail(
                    field="file", message="Send a file in the field “file” of a form (multipart/form-data)."
                )
            ],
        )
    return file, fields
