"""An adjudicator's pages: the assessor's page of the piece, and beside it what was judged, by nobody in particular."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation import markdown
from annotation.found import found_or_404
from annotation.models import Adjudication, Adjudicator
from annotation.selectors import adjudication as selectors
from annotation.selectors.work import task_kinds
from annotation.services import adjudication as services
from annotation.views.answering import (
    around_items,
    draft_response,
    item_context,
    item_html,
    study_context,
    submit_response,
    whereabouts,
)
from annotation.views.exchange import DiscardBody, DraftBody, JudgmentBody, json_body, problems_told
from annotation.views.guards import adjudicator_required
from annotation.words import gettext


@require_GET
@never_cache
@adjudicator_required
def decide(request: HttpRequest, adjudicator: Adjudicator) -> HttpResponse:
    """What there is to decide, and what was decided, to look at again."""
    rows = list(selectors.adjudications_of(adjudicator))
    context = _context(adjudicator) | {
        "instructions_html": markdown.render(adjudicator.study.instructions),
        "following": next((row for row in rows if row.decided_at is None), None),
        "decided": [row for row in rows if row.decided_at is not None],
    }
    return render(request, "annotation/assess/decide.html", context)


@require_GET
@never_cache
@adjudicator_required
def decide_item(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> HttpResponse:
    adjudication = _own(adjudicator, public_id)
    if adjudication.decided_at and not selectors.facts_decided(adjudication).kind.revisable:
        return redirect("decide", slug=adjudicator.study.slug)
    services.adjudication_show(adjudication=adjudication)
    context = _item_context(adjudication) | around_items(adjudicator.study, task_kinds(adjudicator.study))
    return render(request, "annotation/assess/item.html", context)


@require_POST
@adjudicator_required
@problems_told
def decide_draft(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Keep what is begun; with ``confirm``, go to the next stage and get the item's page anew."""
    adjudication = _own(adjudicator, public_id)
    sent = json_body(request, DraftBody)
    saved = services.decision_draft(
        adjudication=adjudication, advance=sent.confirm, **sent.goes_on_from(), **sent.told()
    )
    html = item_html(_item_context(_own(adjudicator, public_id))) if sent.confirm else None
    return draft_response(saved, html)


@require_POST
@adjudicator_required
@problems_told
def decide_judgment(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Record a decision and bring the next item."""
    adjudication = _own(adjudicator, public_id)
    sent = json_body(request, JudgmentBody)
    _, is_new = services.decision_record(adjudication=adjudication, seen=sent.seen, **sent.told())
    following = None
    if found := selectors.adjudication_next(adjudicator):
        services.adjudication_show(adjudication=found)
        following = (_url("decide_item", found), item_html(_item_context(found)))
    finished_url = reverse("decide", args=[adjudicator.study.slug])
    return submit_response(is_new=is_new, following=following, finished_url=finished_url)


@require_POST
@adjudicator_required
@problems_told
def decide_discard(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Drop a change that was not submitted."""
    adjudication = _own(adjudicator, public_id)
    services.decision_discard(adjudication=adjudication, revision=json_body(request, DiscardBody).revision)
    return JsonResponse({"status": "discarded"})


# --- what the views share -----------------------------------------------------------------------------------------


def _own(adjudicator: Adjudicator, public_id: str) -> Adjudication:
    return found_or_404(selectors.adjudication_own(adjudicator, public_id), gettext("There is no such item."))


def _context(adjudicator: Adjudicator) -> dict[str, Any]:
    return study_context(adjudicator.study) | {"adjudicator": adjudicator}


def _item_context(adjudication: Adjudication) -> dict[str, Any]:
    desk = selectors.desk_deciding(adjudication)
    addresses = {name: _url(f"decide_{name}", adjudication) for name in ("draft", "discard")}
    return {
        **_context(adjudication.adjudicator),
        **item_context(desk),
        **whereabouts(selectors.decided_so_far(adjudication.adjudicator), is_done=desk.newest is not None),
        "judged_beside": selectors.judged_beside(adjudication),
        "urls": addresses
        | {
            "submit": _url("decide_judgment", adjudication),
            "home": reverse("decide", args=[adjudication.adjudicator.study.slug]),
        },
    }


def _url(name: str, adjudication: Adjudication) -> str:
    slug = adjudication.adjudicator.study.slug
    return reverse(name, kwargs={"slug": slug, "public_id": adjudication.public_id})
