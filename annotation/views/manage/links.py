"""Personal links on experimenters' pages: whether others can open them, and making a new one."""

from __future__ import annotations

from django.http import HttpResponse

from annotation.models import Adjudicator, Assessor, Study
from annotation.views.manage.frame import MemberRequest
from annotation.views.manage.persons import confirm
from annotation.words import phrase

LOOPBACK = {"localhost", "::1", ":"}


def is_only_here(request: MemberRequest) -> str:
    """The address under which this page was opened, if nobody elsewhere can open it; else empty."""
    host = request.get_host().rsplit(":", 1)[0].strip("[]")
    return f"{request.scheme}://{request.get_host()}" if host in LOOPBACK or host.startswith("127.") else ""


def confirm_new_link(
    request: MemberRequest,
    study: Study,
    person: Assessor | Adjudicator,
    *,
    kept: str,
    back: str = "study_people",
) -> HttpResponse | None:
    """A first link is made at once; a new one asks, as the one before stops working."""
    if not person.token_hash:
        return None
    stops = phrase(
        "The link that {name} has stops working at once, also in browsers where it was opened.",
        name=person.name,
    )
    return confirm(
        request,
        study,
        title=phrase("Make a new link for {name}?", name=person.name),
        follows=[stops, kept],
        act=phrase("Make a new link"),
        back=back,
    )
