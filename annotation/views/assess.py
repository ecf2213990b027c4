"""An assessor's pages: guard, load, service, render."""

from __future__ import annotations

import functools
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation import markdown
from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.models import Assessor, Assignment, Study
from annotation.selectors import work as selectors
from annotation.selectors.adjudication import adjudicator_of_link
from annotation.selectors.check_items import study_checks
from annotation.selectors.discussion import has_threads, thread_of
from annotation.selectors.halts import halt_of
from annotation.selectors.joining import ending_of
from annotation.selectors.lines import LINES
from annotation.selectors.parts import assignment_before, part_beginning, work_done
from annotation.selectors.plan import has_pool
from annotation.selectors.tasks import more_to_come
from annotation.selectors.versions import text_changes
from annotation.selectors.work import Progress
from annotation.services import assessors as assessor_services
from annotation.services import work as services
from annotation.study_files.schema import Settings
from annotation.views.answering import (
    around_items,
    draft_response,
    item_context,
    item_html,
    study_context,
    submit_response,
    whereabouts,
)
from annotation.views.exchange import (
    DiscardBody,
    DraftBody,
    JudgmentBody,
    WordBody,
    json_body,
    problem_response,
    problems_told,
)
from annotation.views.guards import (
    adjudicator_enter,
    assessor_enter,
    assessor_required,
    no_entry,
)
from annotation.words import gettext

ITEMS_PER_PAGE = 30
ITEM = "__item__"  # where the item of an address goes
GO_BACK_AFTER = 15  # seconds: time to read the last page, and to undo a slip


@require_GET
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Open a personal link: a session takes the token's place."""
    assessor = selectors.assessor_of_link(token)
    if assessor is None:
        adjudicator = adjudicator_of_link(token)
        if adjudicator is None:
            return no_entry(request, has_left=False)
        adjudicator_enter(request, adjudicator)
        return redirect("decide", slug=adjudicator.study.slug)
    assessor_enter(request, assessor)
    return redirect("work", slug=assessor.study.slug)


@require_GET
@never_cache
@assessor_required
def work(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """Where an assessor stands: the instructions first, then always the current item."""
    study = assessor.study
    if study.state != Study.State.OPEN:
        if selectors.is_all_done(assessor):
            return redirect("finished", slug=study.slug)
        return render(request, "annotation/assess/not_open.html", _context(assessor))
    halt = halt_of(assessor)
    if halt == "changed":
        return _changes(request, assessor)
    if halt == "stopped":
        return _ended(request, assessor)
    if halt:
        if halt == "deadline" and selectors.is_all_done(assessor):
            return redirect("finished", slug=study.slug)
        return render(request, "annotation/assess/not_open.html", _context(assessor) | {"halt": halt})
    if assessor.notice:
        assessor_services.notice_read(assessor=assessor)
        return render(request, "annotation/assess/notice.html", _context(assessor))
    if assessor.started_at and "instructions" not in request.GET:
        return _to_current(assessor)
    return _welcome(request, assessor)


def _ended(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """Failed the checks: why, and what somebody who came by the join link gets then."""
    ending = ending_of(assessor)
    context = _context(assessor) | {"ending": ending, "message": study_checks(assessor.study).message}
    response = render(request, "annotation/assess/stopped.html", context)
    if ending.url:
        response["Refresh"] = f"{GO_BACK_AFTER}; url={ending.url}"
    return response


def _changes(request: HttpRequest, assessor: Assessor, problem: str = "") -> HttpResponse:
    """What has changed in the instructions since this assessor read them."""
    context = _context(assessor) | {"changes": text_changes(assessor), "problem": problem}
    return render(request, "annotation/assess/changes.html", context, status=422 if problem else 200)


def _welcome(request: HttpRequest, assessor: Assessor, problem: str = "") -> HttpResponse:
    asks_consent = assessor.study.consent and not assessor.consented_at
    context = _context(assessor) | {
        "instructions_html": markdown.render(assessor.study.instructions),
        "consent_html": markdown.render(assessor.study.consent) if asks_consent else "",
        "problem": problem,
    }
    return render(request, "annotation/assess/welcome.html", context, status=422 if problem else 200)


@require_POST
@assessor_required
def start(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    try:
        assessor_services.assessor_start(
            assessor=assessor,
            consented="consent" in request.POST,
            version=_number(request.POST.get("version", "")),
        )
    except Refused as refused:
        page = _changes if assessor.started_at else _welcome
        return page(request, assessor, problem=str(refused))
    return redirect("work", slug=assessor.study.slug)


def _number(sent: str) -> int | None:
    return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 9 else None


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
    if not _at_work(assessor):
        return redirect("work", slug=assessor.study.slug)
    if assignment.state == Assignment.State.DONE and not services.may_revise(assignment):
        return _to_current(assessor)
    if assignment.shown_at is None:
        # Ahead of its turn: the plan's order is part of the design.
        return _to_current(assessor)
    context = _item_context(assessor, assignment) | around_items(
        assessor.study, selectors.task_kinds(assessor.study)
    )
    context["flags"] = _thread_shown(assignment)
    if not context["answer"]:
        context["part"] = part_beginning(assignment, assignment_before(assignment))
    return render(request, "annotation/assess/item.html", context)


@require_GET
@never_cache
@assessor_required
def items(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """What the assessor has submitted, to go back to where the study allows it."""
    if not _at_work(assessor):
        return redirect("work", slug=assessor.study.slug)
    if not Settings.model_validate(assessor.study.settings).revise:
        return _to_current(assessor)
    page = Paginator(selectors.revisable_assignments(assessor), ITEMS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    # The newest comes first and has the highest number; what was submitted first is number 1.
    last = page.paginator.count - page.start_index() + 1
    rows = [selectors.earlier_item(assignment) for assignment in page]
    context = {"page": page, "numbered": [(last - index, row) for index, row in enumerate(rows)]}
    return render(request, "annotation/assess/items.html", _context(assessor) | context)


@require_GET
@never_cache
@assessor_required
def finished(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    halt = halt_of(assessor)
    if assessor.study.state == Study.State.OPEN and halt in ("", "changed"):
        if halt or not assessor.started_at or services.assignment_next(assessor=assessor):
            return redirect("work", slug=assessor.study.slug)
    elif not selectors.is_all_done(assessor):
        return redirect("work", slug=assessor.study.slug)
    last = selectors.assessor_last_judgment(assessor)
    undoable = last if last and services.may_undo(last.assignment, last) else None
    context = _context(assessor) | {"more_to_come": more_to_come(assessor.study), "undoable": undoable}
    context["done"] = work_done(assessor)
    context["has_threads"] = has_threads(assessor)
    context["ending"] = ending = ending_of(assessor)
    response = render(request, "annotation/assess/finished.html", context)
    if ending.url and not context["more_to_come"]:
        response["Refresh"] = f"{GO_BACK_AFTER}; url={ending.url}"
    return response


@require_POST
@assessor_required
@problems_told
def draft(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """Save a draft; with ``confirm``, go to the next stage and get the item's page anew."""
    assignment = _own(assessor, public_id)
    sent = json_body(request, DraftBody)
    saved = services.draft_save(
        assignment=assignment, advance=sent.confirm, **sent.goes_on_from(), **sent.told()
    )
    if not sent.confirm:
        return draft_response(saved, None)
    again = _own(assessor, public_id)
    return draft_response(saved, _item_html(assessor, again, flags=_thread_shown(again)))


@require_POST
@assessor_required
@problems_told
def judgment(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """Record a judgment and bring the next item, in one round trip."""
    assignment = LINES.find(assessor, public_id) or _own(assessor, public_id)
    sent = json_body(request, JudgmentBody)
    recorded, line = services.judgment_submit(assignment=assignment, seen=sent.seen, **sent.told())
    following, finished_url = None, ""
    if line:
        part = part_beginning(line.current, assignment)
        html = _item_html(assessor, line.current, progress=line.progress, part=part)
        following = (_url("item", assessor, line.current), html)
    else:
        is_halted = recorded.verdict.again or halt_of(assessor)
        finished_url = _url("work" if is_halted else "finished", assessor)
    may_undo = services.may_undo(assignment, recorded.judgment)
    return submit_response(
        is_new=recorded.new,
        feedback=recorded.feedback,
        following=following,
        finished_url=finished_url,
        undo_url=_url("undo", assessor, assignment) if may_undo else None,
    )


@require_POST
@assessor_required
def undo(request: HttpRequest, assessor: Assessor, public_id: str) -> HttpResponse:
    """Open again what was submitted a moment ago: for a script its address, for a form the page itself."""
    assignment = _own(assessor, public_id)
    is_form = request.content_type != "application/json"
    try:
        services.judgment_undo(assignment=assignment)
    except Refused as refused:
        return _to_current(assessor) if is_form else problem_response(refused)
    url = _url("item", assessor, assignment)
    return redirect(url) if is_form else JsonResponse({"url": url})


@require_POST
@assessor_required
@problems_told
def discard(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """Drop a change that was not submitted."""
    assignment = _own(assessor, public_id)
    services.draft_discard(assignment=assignment, revision=json_body(request, DiscardBody).revision)
    return JsonResponse({"status": "discarded"})


@require_POST
@assessor_required
@problems_told
def flag(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    return _flag(request, assessor, _own(assessor, public_id))


@require_POST
@assessor_required
@problems_told
def message(request: HttpRequest, assessor: Assessor) -> JsonResponse:
    return _flag(request, assessor, None)


def _flag(request: HttpRequest, assessor: Assessor, assignment: Assignment | None) -> JsonResponse:
    sent = json_body(request, WordBody)
    assessor_services.flag_raise(assessor=assessor, assignment=assignment, comment=sent.comment)
    return JsonResponse({"status": "sent"})


# --- what the views share -----------------------------------------------------------------------------------------


def _thread_shown(assignment: Assignment) -> list[dict[str, Any]]:
    """What was said about this item, for the page: whose words, and whether they are new."""
    return [{"text": word.text, "mine": not word.by, "new": word.is_new} for word in thread_of(assignment)]


def _at_work(assessor: Assessor) -> bool:
    """Whether items may be shown: the study is open, the instructions are read, and nothing halts it."""
    is_open = assessor.study.state == Study.State.OPEN
    return is_open and assessor.started_at is not None and not halt_of(assessor)


def _own(assessor: Assessor, public_id: str) -> Assignment:
    assignment = selectors.assignment_find(assessor=assessor, public_id=public_id)
    return found_or_404(assignment, gettext("There is no such item."))


def _context(assessor: Assessor, progress: Progress | None = None) -> dict[str, Any]:
    study = assessor.study
    return study_context(study) | {
        "assessor": assessor,
        "progress": progress or selectors.assessor_progress(assessor, pooled=has_pool(study)),
        "may_revise": Settings.model_validate(study.settings).revise,
    }


def _item_context(
    assessor: Assessor, assignment: Assignment, progress: Progress | None = None
) -> dict[str, Any]:
    newest = selectors.judgment_newest(assignment) if selectors.was_submitted(assignment) else None
    desk = selectors.desk_of(assignment, newest)
    around, is_practice = _context(assessor, progress), desk.facts.practice
    addresses = ("draft", "flag", "undo", "discard")
    return {
        **around,
        **item_context(desk),
        **whereabouts(
            around["progress"],
            counts=assignment.counts,
            is_done=assignment.state == Assignment.State.DONE,
            is_practice=is_practice,
            practised=selectors.practice_progress(assignment) if is_practice else None,
        ),
        "urls": {name: _url(name, assessor, assignment) for name in addresses}
        | {
            "submit": _url("judgment", assessor, assignment),
            "message": _url("message", assessor),
            "messages": _url("messages", assessor),
            "read": _url("messages_read", assessor, assignment),
            "home": _url("work", assessor),
            "items": _url("items", assessor),
        },
    }


def _item_html(
    assessor: Assessor,
    assignment: Assignment,
    progress: Progress | None = None,
    **more: Any,
) -> str:
    return item_html(_item_context(assessor, assignment, progress) | more)


def _url(name: str, assessor: Assessor, assignment: Assignment | None = None) -> str:
    if assignment is None:
        return _address(name, assessor.study.slug)
    before, after = _address(name, assessor.study.slug, of_item=True).rsplit(ITEM, 1)
    return f"{before}{assignment.public_id}{after}"


@functools.lru_cache(maxsize=10_000)
def _address(name: str, slug: str, *, of_item: bool = False) -> str:
    """A page names a dozen addresses that differ in their item alone, and ``reverse`` takes long for each."""
    return reverse(name, kwargs={"slug": slug} | ({"public_id": ITEM} if of_item else {}))
