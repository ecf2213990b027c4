"""An adjudicator's pages: the assessor's page of the piece, and beside it what was judged, by nobody in particular."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation import markdown
from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.languages import direction, scale_direction
from annotation.models import Adjudication, Adjudicator
from annotation.rooms import page_files, page_styles
from annotation.selectors import adjudication as selectors
from annotation.selectors.work import task_kinds
from annotation.services import adjudication as services
from annotation.study_files.schema import Settings
from annotation.tasks.base import NotYet
from annotation.views.exchange import DiscardBody, DraftBody, JudgmentBody, json_body, problem_response
from annotation.views.guards import adjudicator_required, interface_of
from annotation.words import gettext, script_words


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
    context = _item_context(adjudication) | {
        "styles": page_styles(task_kinds(adjudicator.study)),
        "instructions_html": markdown.render(adjudicator.study.instructions),
        "words": script_words(interface_of(adjudicator.study)),
    }
    return render(request, "annotation/assess/item.html", context)


@require_POST
@adjudicator_required
def decide_draft(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Keep what is begun; with ``confirm``, go to the next stage and get the item's page anew."""
    adjudication = _own(adjudicator, public_id)
    try:
        sent = json_body(request, DraftBody)
        saved_at = services.decision_draft(
            adjudication=adjudication,
            revision=sent.revision,
            answer=sent.answer,
            seconds=sent.seconds,
            raw_seconds=sent.raw_seconds,
            advance=sent.confirm,
        )
    except (NotYet, Refused) as problem:
        return problem_response(problem)
    answer: dict[str, Any] = {"saved_at": saved_at.isoformat()}
    if sent.confirm:
        answer["html"] = _item_html(request, _own(adjudicator, public_id))
    return JsonResponse(answer)


@require_POST
@adjudicator_required
def decide_judgment(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Record a decision and bring the next item."""
    adjudication = _own(adjudicator, public_id)
    try:
        sent = json_body(request, JudgmentBody)
        _, is_new = services.decision_record(
            adjudication=adjudication,
            client_key=sent.client_key,
            revision=sent.revision,
            answer=sent.answer,
            seconds=sent.seconds,
            raw_seconds=sent.raw_seconds,
        )
    except (NotYet, Refused) as problem:
        return problem_response(problem)
    following = selectors.adjudication_next(adjudicator)
    if following:
        services.adjudication_show(adjudication=following)
    return JsonResponse(
        {
            "status": "saved" if is_new else "already",
            "feedback": [],
            "next": {"url": _url("decide_item", following), "html": _item_html(request, following)}
            if following
            else None,
            "finished_url": None if following else reverse("decide", args=[adjudicator.study.slug]),
            "undo_url": None,
        }
    )


@require_POST
@adjudicator_required
def decide_discard(request: HttpRequest, adjudicator: Adjudicator, public_id: str) -> JsonResponse:
    """Drop a change that was not submitted."""
    try:
        sent = json_body(request, DiscardBody)
        services.decision_discard(adjudication=_own(adjudicator, public_id), revision=sent.revision)
    except Refused as refused:
        return problem_response(refused)
    return JsonResponse({"status": "discarded"})


# --- what the views share -----------------------------------------------------------------------------------------


def _own(adjudicator: Adjudicator, public_id: str) -> Adjudication:
    return found_or_404(selectors.adjudication_own(adjudicator, public_id), gettext("There is no such item."))


def _context(adjudicator: Adjudicator) -> dict[str, Any]:
    study = adjudicator.study
    settings = Settings.model_validate(study.settings)
    return {
        "study": study,
        "adjudicator": adjudicator,
        "aids": settings.aids,
        "text_dir": direction(study.language),
        "scale_dir": scale_direction(settings.interface, study.language),
    }


def _item_context(adjudication: Adjudication) -> dict[str, Any]:
    newest = selectors.decision_newest(adjudication)
    revision = newest.revision + 1 if newest else 1
    draft = adjudication.draft if adjudication.draft_revision == revision else None
    answer = draft or (newest.answer if newest else None)
    facts = selectors.facts_decided(adjudication)
    content = facts.kind.content(
        facts.config,
        selectors.exhibit_decided(adjudication),
        facts.answer(answer) if answer is not None else None,
    )
    addresses = {name: _url(f"decide_{name}", adjudication) for name in ("draft", "discard")}
    return _context(adjudication.adjudicator) | {
        "assignment": {"state": "done" if newest else "open", "counts": True},
        "progress": selectors.decided_so_far(adjudication.adjudicator),
        "content": content,
        "answer": answer or {},
        "revision": revision,
        "is_changed": bool(newest and draft and draft != newest.answer),
        "submit_word": gettext("Submit change") if newest else gettext("Submit"),
        "seconds": adjudication.draft_seconds if draft else 0,
        "raw_seconds": adjudication.draft_raw_seconds if draft else 0,
        "judged_beside": selectors.judged_beside(adjudication),
        **page_files(facts.kind.slug),
        "urls": addresses
        | {
            "submit": _url("decide_judgment", adjudication),
            "home": reverse("decide", args=[adjudication.adjudicator.study.slug]),
        },
    }


def _item_html(request: HttpRequest, adjudication: Adjudication) -> str:
    return render_to_string("annotation/assess/_item.html", _item_context(adjudication), request)


def _url(name: str, adjudication: Adjudication) -> str:
    slug = adjudication.adjudicator.study.slug
    return reverse(name, kwargs={"slug": slug, "public_id": adjudication.public_id})
