"""A task as an assessor sees it, to try out: the same page, the same rules, and nothing recorded.

The answer in the making lives in the experimenter's session, because a kind with stages needs the server to remember.
"""

from __future__ import annotations

import functools
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe
from pydantic import ValidationError

from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.models import Membership, Study
from annotation.placing import exhibit_placed
from annotation.selectors.desks import Begun, Desk
from annotation.selectors.exhibits import facts_of_subject
from annotation.selectors.preview import Preview, task_preview
from annotation.selectors.tasks import task_find
from annotation.selectors.work import Progress
from annotation.services.answers import answer_begun, answer_complete
from annotation.views.answering import (
    around_items,
    draft_response,
    item_context,
    item_html,
    study_context,
    submit_response,
    whereabouts,
)
from annotation.views.exchange import AnswerBody, json_body, problem_response, problems_told
from annotation.views.guards import View, interface_of, member_required
from annotation.views.manage.frame import MemberRequest
from annotation.words import gettext, phrase, spoken

VIEWER = Membership.Role.VIEWER
SESSION_KEY = "preview"  # [study id, task id, place, answer] of the item that is being tried out


def in_its_language(view: View) -> View:
    """A preview speaks to experimenters as the pages will to assessors."""

    @functools.wraps(view)
    def speaking(request: HttpRequest, study: Study, **kwargs: Any) -> HttpResponseBase:
        with spoken(interface_of(study)):
            return view(request, study=study, **kwargs)

    return speaking


@member_required(VIEWER)
@require_safe
@never_cache
@xframe_options_sameorigin  # the builder shows it beside the settings
@csp_replace({"frame-ancestors": [SELF]})
@in_its_language
def preview(request: MemberRequest, study: Study, task: str, place: int) -> HttpResponse:
    shown = _found(study, task, place)
    request.session.pop(SESSION_KEY, None)  # a fresh page is a fresh try
    return render(request, "annotation/manage/preview.html", _context(study, shown, _desk(request, shown)))


@member_required(VIEWER)
@require_POST
@in_its_language
@problems_told
def preview_draft(request: MemberRequest, study: Study, task: str, place: int) -> JsonResponse:
    """What saving a draft would answer; with ``confirm``, the item at its next stage."""
    shown = _found(study, task, place)
    sent = json_body(request, AnswerBody)
    desk = _desk(request, shown)
    parsed = _parsed(desk, sent.answer)
    answer = answer_begun(desk.facts, desk.exhibit, desk.answer, parsed, advance=sent.confirm)
    kept = answer.model_dump(mode="json")
    request.session[SESSION_KEY] = [study.pk, shown.subject.task_id, place, kept]
    html = item_html(_context(study, shown, _desk(request, shown))) if sent.confirm else None
    return draft_response(Begun(kept, saved_at=timezone.now()), html)


@member_required(VIEWER)
@require_POST
@in_its_language
@problems_told
def preview_judgment(request: MemberRequest, study: Study, task: str, place: int) -> JsonResponse:
    """What a submit would answer: what is missing, or feedback and the next item. Nothing is recorded."""
    shown = _found(study, task, place)
    sent = json_body(request, AnswerBody)
    desk = _desk(request, shown)
    facts = desk.facts
    answer = answer_complete(facts, desk.exhibit, desk.answer, _parsed(desk, sent.answer))
    request.session.pop(SESSION_KEY, None)
    feedback = []
    if facts.key is not None:
        feedback = facts.kind.feedback(facts.config, desk.exhibit, answer, facts.key)
    following = None
    if found := task_preview(shown.subject.task, place + 1):
        html = item_html(_context(study, found, _desk(request, found)))
        following = (_url("preview", study, found), html)
    finished_url = reverse("study_plan", args=[study.slug])
    return submit_response(feedback=feedback, following=following, finished_url=finished_url)


@member_required(VIEWER)
@require_POST
@in_its_language
def preview_word(request: MemberRequest, study: Study) -> JsonResponse:
    """Where a flag or a message of the preview goes: nowhere, and it says so."""
    return problem_response(Refused(gettext("This is a preview: nothing is sent.")))


# --- what these views share ---------------------------------------------------------------------------------------


def _found(study: Study, name: str, place: int) -> Preview:
    task = found_or_404(task_find(study, name), phrase("There is no such task."))
    return found_or_404(task_preview(task, place), phrase("There is no such item."))


def _desk(request: MemberRequest, shown: Preview) -> Desk:
    """The item with what the session has of its answer."""
    facts, task = facts_of_subject(shown.subject), shown.subject.task
    *place, kept = request.session.get(SESSION_KEY, [None])
    here = place == [task.study_id, task.pk, shown.place]
    exhibit = exhibit_placed(facts.exhibit, shown.places)
    return Desk(facts, exhibit, begun=Begun(kept) if here else None)


def _parsed(desk: Desk, sent: Any) -> Any:
    try:
        return desk.facts.answer(sent)
    except ValidationError:
        raise Refused(gettext("This answer cannot be read.")) from None


def _context(study: Study, shown: Preview, desk: Desk) -> dict[str, Any]:
    subject, task = shown.subject, shown.subject.task
    progress = Progress(max(0, shown.place - 1 - shown.practice), shown.total - shown.practice)
    return {
        **study_context(study),
        **around_items(study, [task.kind]),
        **item_context(desk),
        **whereabouts(progress, counts=subject.counts, is_practice=desk.facts.practice),
        "task": task,
        "number": shown.place,
        "total": shown.total,
        "may_revise": False,
        "urls": {
            "submit": _url("preview_judgment", study, shown),
            "draft": _url("preview_draft", study, shown),
            "flag": reverse("preview_word", args=[study.slug]),
            "message": reverse("preview_word", args=[study.slug]),
            "home": "",
            "items": "",
        },
    }


def _url(name: str, study: Study, shown: Preview) -> str:
    return reverse(name, args=[study.slug, shown.subject.task.name, shown.place])
