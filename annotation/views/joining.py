"""Joining a study by its one link: consent first, then a place, which the same person finds again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation import markdown
from annotation.errors import Refused
from annotation.languages import direction
from annotation.models import Assessor, JoinLink
from annotation.selectors.joining import join_link_of, join_refusal, known_member, rules_of
from annotation.services.joining import assessor_join
from annotation.services.newcomers import newcomer_counted
from annotation.views.guards import assessor_enter, assessor_inside, interface_of, no_entry
from annotation.words import gettext, spoken


@require_http_methods(["GET", "POST"])
@never_cache
def take_part(request: HttpRequest, code: str) -> HttpResponse:
    link = join_link_of(code)
    if link is None:
        return no_entry(request, has_left=False, status=404)
    with spoken(interface_of(link.study)):
        return _take_part(request, link)


def _take_part(request: HttpRequest, link: JoinLink) -> HttpResponse:
    given = _given(request, link)
    known = known_member(link, given)
    if known is None and rules_of(link).identity(given) is None:  # then the browser remembers who it is
        known = assessor_inside(request, link.study.slug)
    if known is not None:
        return _enter(request, known)
    if request.method == "POST":
        try:
            if not newcomer_counted(address=request.META.get("REMOTE_ADDR", "")):
                raise Refused(
                    gettext(
                        "Too many people have begun from your network at once. Try again in a quarter of an hour."
                    )
                )
            return _enter(request, assessor_join(link=link, given=given, consented="consent" in request.POST))
        except Refused as refused:
            return _page(request, link, given, problem=str(refused))
    return _page(request, link, given)


def _given(request: HttpRequest, link: JoinLink) -> dict[str, str]:
    """What the address says, or the form that it led to."""
    sent = request.POST if request.method == "POST" else request.GET
    return rules_of(link).kept({name: sent.get(name, "") for name in rules_of(link).parameters})


def _enter(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    if assessor.token_hash is None:  # revoked, or erased
        return no_entry(request, has_left=False)
    assessor_enter(request, assessor)
    return redirect("work", slug=assessor.study.slug)


def _page(request: HttpRequest, link: JoinLink, given: dict[str, str], problem: str = "") -> HttpResponse:
    study = link.study
    context = {
        "study": study,
        "refusal": join_refusal(link),
        "consent_html": markdown.render(study.consent) if study.consent else "",
        "given": given,
        "problem": problem,
        "text_dir": direction(study.language),
    }
    return render(request, "annotation/assess/take_part.html", context, status=422 if problem else 200)
