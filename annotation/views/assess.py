"""An assessor's pages: guard, load, service, render."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation import markdown
from annotation.errors import Closed, Conflict, Refused
from annotation.models import Assessor, Assignment, Study
from annotation.rooms import page_files, page_styles
from annotation.selectors import work as selectors
from annotation.selectors.exhibits import facts_of
from annotation.selectors.plan import has_pool, next_phase
from annotation.services import assessors as assessor_services
from annotation.services import work as services
from annotation.study_files.schema import Settings
from annotation.tasks import KINDS
from annotation.tasks.base import NotYet
from annotation.views.guards import assessor_enter, assessor_required


@require_GET
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Open a personal link: a session takes the token's place."""
    found = (
        Assessor.objects.select_related("study")
        .filter(token_hash=assessor_services.token_hash(token))
        .first()
    )
    if found is None:
        return render(request, "annotation/assess/no_entry.html", status=403)
    assessor_enter(request, found)
    return redirect("work", slug=found.study.slug)


@require_GET
@never_cache
@assessor_required
def work(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """Where an assessor stands: the instructions first, then always the current item."""
    study = assessor.study
    if study.state != Study.State.OPEN:
        if _all_done(assessor):
            return redirect("finished", slug=study.slug)
        return render(request, "annotation/assess/not_open.html", _context(assessor))
    if assessor.started_at and "instructions" not in request.GET:
        return _to_current(assessor)
    return _welcome(request, assessor)


def _welcome(request: HttpRequest, assessor: Assessor, problem: str = "") -> HttpResponse:
    context = _context(assessor) | {
        "instructions_html": markdown.render(assessor.study.instructions),
        "consent_html": markdown.render(assessor.study.consent) if assessor.study.consent else "",
        "problem": problem,
    }
    return render(request, "annotation/assess/welcome.html", context, status=422 if problem else 200)


@require_POST
@assessor_required
def start(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    try:
        assessor_services.assessor_start(assessor=assessor, consented="consent" in request.POST)
    except Refused as refused:
        return _welcome(request, assessor, problem=str(refused))
    return redirect("work", slug=assessor.study.slug)


def _to_current(assessor: Assessor) -> HttpResponse:
    assignment = services.assignment_next(assessor=assessor)
    if assignment is None:
        return redirect("finished", slug=assessor.study.slug)
    return redirect("item", slug=assessor.study.slug, public_id=assignment.public_id)


@require_GET
@never_cache
@assessor_required
def item(request: HttpRequest, assessor: Assessor, public_id: str) -> HttpResponse:
    """One item. An item that was submitted opens only where the study lets assessors revise."""
    assignment = _own(assessor, public_id)
    if assessor.study.state != Study.State.OPEN or not assessor.started_at:
        return redirect("work", slug=assessor.study.slug)
    if assignment.state == Assignment.State.DONE and not services.may_revise(assignment):
        return _to_current(assessor)
    if assignment.shown_at is None:
        # Ahead of its turn: the plan's order is part of the design.
        return _to_current(assessor)
    # The next item may be of another kind and comes without a page of its own.
    styles = page_styles(selectors.task_kinds(assessor.study))
    return render(
        request, "annotation/assess/item.html", _item_context(assessor, assignment) | {"styles": styles}
    )


@require_GET
@never_cache
@assessor_required
def items(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """What the assessor has submitted, to go back to where the study allows it."""
    if assessor.study.state != Study.State.OPEN or not assessor.started_at:
        return redirect("work", slug=assessor.study.slug)
    if not Settings.model_validate(assessor.study.settings).revise:
        return _to_current(assessor)
    revisable = [slug for slug, kind in KINDS.items() if kind.revisable]
    done = (
        assessor.assignments.filter(
            state=Assignment.State.DONE, counts=True, subject__task__kind__in=revisable
        )
        .select_related("subject__task")
        .order_by("-position")
    )
    return render(request, "annotation/assess/items.html", _context(assessor) | {"done": done[:500]})


@require_GET
@never_cache
@assessor_required
def finished(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    if assessor.study.state == Study.State.OPEN:
        if not assessor.started_at or services.assignment_next(assessor=assessor):
            return redirect("work", slug=assessor.study.slug)
    elif not _all_done(assessor):
        return redirect("work", slug=assessor.study.slug)
    more = any(next_phase(task) for task in assessor.study.tasks.all())
    return render(request, "annotation/assess/finished.html", _context(assessor) | {"more_to_come": more})


@require_POST
@assessor_required
def draft(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """Save a draft; with ``confirm``, go to the next stage and get the item's page anew."""
    assignment = _own(assessor, public_id)
    sent = _body(request)
    revision = _revision(sent)
    if sent is None or revision is None:
        return _bad_request()
    try:
        saved = services.draft_save(
            assignment=assignment,
            revision=revision,
            answer=sent.get("answer", {}),
            seconds=_number(sent.get("seconds")),
            advance=sent.get("confirm") is True,
        )
    except (NotYet, Refused) as problem:
        return _problem(problem)
    answer: dict[str, Any] = {"saved_at": saved.saved_at.isoformat()}
    if sent.get("confirm") is True:
        answer["html"] = _item_html(request, assessor, _own(assessor, public_id))
    return JsonResponse(answer)


@require_POST
@assessor_required
def judgment(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """Record a judgment and bring the next item, in one round trip."""
    assignment = _own(assessor, public_id)
    sent = _body(request)
    revision, client_key = _revision(sent), _client_key(sent)
    if sent is None or revision is None or client_key is None:
        return _bad_request()
    try:
        recorded, following = services.judgment_submit(
            assignment=assignment,
            client_key=client_key,
            revision=revision,
            answer=sent.get("answer", {}),
            seconds=_number(sent.get("seconds")),
        )
    except (NotYet, Refused) as problem:
        return _problem(problem)
    return JsonResponse(
        {
            "status": "saved" if recorded.new else "already",
            "feedback": [line._asdict() for line in recorded.feedback],
            "next": {
                "url": _url("item", assessor, following),
                "html": _item_html(request, assessor, following),
            }
            if following
            else None,
            "finished_url": None if following else _url("finished", assessor),
        }
    )


@require_POST
@assessor_required
def flag(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    return _flag(request, assessor, _own(assessor, public_id))


@require_POST
@assessor_required
def message(request: HttpRequest, assessor: Assessor) -> JsonResponse:
    return _flag(request, assessor, None)


def _flag(request: HttpRequest, assessor: Assessor, assignment: Assignment | None) -> JsonResponse:
    sent = _body(request)
    if sent is None:
        return _bad_request()
    try:
        assessor_services.flag_raise(
            assessor=assessor, assignment=assignment, comment=str(sent.get("comment", ""))
        )
    except Refused as refused:
        return _problem(refused)
    return JsonResponse({"status": "sent"})


# --- what the views share -----------------------------------------------------------------------------------------


def _own(assessor: Assessor, public_id: str) -> Assignment:
    assignment = selectors.assignment_find(assessor=assessor, public_id=public_id)
    if assignment is None:
        raise Http404("There is no such item.")
    return assignment


def _context(assessor: Assessor) -> dict[str, Any]:
    study = assessor.study
    return {
        "study": study,
        "assessor": assessor,
        "progress": selectors.assessor_progress(assessor, pooled=has_pool(study)),
        "may_revise": Settings.model_validate(study.settings).revise,
    }


def _item_context(assessor: Assessor, assignment: Assignment) -> dict[str, Any]:
    newest = selectors.judgment_newest(assignment) if assignment.state == Assignment.State.DONE else None
    answer = selectors.assignment_answer(assignment, newest)
    saved = selectors.assignment_draft(assignment, newest)
    facts = facts_of(assignment)
    return _context(assessor) | {
        "assignment": assignment,
        "is_practice": facts.practice,
        "practised": selectors.practice_progress(assignment) if facts.practice else None,
        "content": selectors.assignment_content(assignment, answer),
        "answer": answer or {},
        "revision": newest.revision + 1 if newest else 1,
        "seconds": saved.seconds if saved else 0,
        **page_files(facts.kind.slug),
        "urls": {
            "submit": _url("judgment", assessor, assignment),
            "draft": _url("draft", assessor, assignment),
            "flag": _url("flag", assessor, assignment),
            "message": _url("message", assessor),
            "home": _url("work", assessor),
            "items": _url("items", assessor),
        },
    }


def _item_html(request: HttpRequest, assessor: Assessor, assignment: Assignment) -> str:
    return render_to_string("annotation/assess/_item.html", _item_context(assessor, assignment), request)


def _url(name: str, assessor: Assessor, assignment: Assignment | None = None) -> str:
    kwargs = {"slug": assessor.study.slug} | ({"public_id": assignment.public_id} if assignment else {})
    return reverse(name, kwargs=kwargs)


def _all_done(assessor: Assessor) -> bool:
    states = set(assessor.assignments.values_list("state", flat=True))
    return Assignment.State.DONE in states and Assignment.State.OPEN not in states


def _body(request: HttpRequest) -> dict[str, Any] | None:
    """The JSON object that was sent; None for what is none, or holds characters that no database stores."""
    try:
        sent = json.loads(request.body)
        text = json.dumps(sent, ensure_ascii=False).encode()
    except (UnicodeError, json.JSONDecodeError, RecursionError):
        return None
    return sent if isinstance(sent, dict) and b"\\u0000" not in text else None


def _revision(sent: dict[str, Any] | None) -> int | None:
    try:
        return int(sent["revision"]) if sent else None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _client_key(sent: dict[str, Any] | None) -> uuid.UUID | None:
    try:
        return uuid.UUID(str(sent["client_key"])) if sent else None
    except (KeyError, ValueError):
        return None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _bad_request() -> JsonResponse:
    return JsonResponse({"status": "bad-request", "message": "The request could not be read."}, status=400)


def _problem(problem: NotYet | Refused) -> JsonResponse:
    """422 for what is missing, 409 for what is there already, 410 for a study that is not open."""
    if isinstance(problem, NotYet):
        return JsonResponse({"missing": [entry._asdict() for entry in problem.missing]}, status=422)
    if isinstance(problem, Conflict):
        return JsonResponse({"status": "conflict", "message": str(problem)}, status=409)
    status = 410 if isinstance(problem, Closed) else 400
    return JsonResponse({"status": "refused", "message": str(problem)}, status=status)
