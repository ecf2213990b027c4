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
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe
from pydantic import ValidationError

from annotation import markdown
from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.languages import direction, scale_direction
from annotation.models import Assignment, Membership, Study
from annotation.rooms import page_files, page_styles
from annotation.selectors.exhibits import Facts, facts_of_subject
from annotation.selectors.preview import Preview, task_preview
from annotation.selectors.tasks import task_find
from annotation.selectors.work import Progress
from annotation.study_files.schema import Settings
from annotation.tasks.base import NotYet
from annotation.views.exchange import AnswerBody, json_body, problem_response
from annotation.views.guards import View, interface_of, member_required
from annotation.views.manage.frame import MemberRequest
from annotation.words import gettext, script_words, spoken

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
    return render(request, "annotation/manage/preview.html", _context(study, shown, None))


@member_required(VIEWER)
@require_POST
@in_its_language
def preview_draft(request: MemberRequest, study: Study, task: str, place: int) -> JsonResponse:
    """What saving a draft would answer; with ``confirm``, the item at its next stage."""
    shown = _found(study, task, place)
    facts = facts_of_subject(shown.subject)
    try:
        sent = json_body(request, AnswerBody)
        answer = _amended(request, shown, facts, sent.answer)
        if sent.confirm:
            answer = facts.kind.advance(facts.config, facts.exhibit, answer)
    except (NotYet, Refused) as problem:
        return problem_response(problem)
    kept = answer.model_dump(mode="json")
    request.session[SESSION_KEY] = [study.pk, shown.subject.task_id, place, kept]
    reply: dict[str, Any] = {"saved_at": timezone.now().isoformat()}
    if sent.confirm:
        reply["html"] = _html(request, study, shown, kept)
    return JsonResponse(reply)


@member_required(VIEWER)
@require_POST
@in_its_language
def preview_judgment(request: MemberRequest, study: Study, task: str, place: int) -> JsonResponse:
    """What a submit would answer: what is missing, or feedback and the next item. Nothing is recorded."""
    shown = _found(study, task, place)
    facts = facts_of_subject(shown.subject)
    try:
        answer = _amended(request, shown, facts, json_body(request, AnswerBody).answer)
    except Refused as problem:
        return problem_response(problem)
    missing = facts.kind.missing(facts.config, facts.exhibit, answer)
    if missing:
        return problem_response(NotYet(missing))
    request.session.pop(SESSION_KEY, None)
    feedback = []
    if facts.key is not None:
        feedback = facts.kind.feedback(facts.config, facts.exhibit, answer, facts.key)
    following = task_preview(shown.subject.task, place + 1)
    return JsonResponse(
        {
            "status": "saved",
            "feedback": [line._asdict() for line in feedback],
            "next": {
                "url": _url("preview", study, following),
                "html": _html(request, study, following, None),
            }
            if following
            else None,
            "finished_url": None if following else reverse("study_plan", args=[study.slug]),
        }
    )


@member_required(VIEWER)
@require_POST
@in_its_language
def preview_word(request: MemberRequest, study: Study) -> JsonResponse:
    """Where a flag or a message of the preview goes: nowhere, and it says so."""
    return problem_response(Refused(gettext("This is a preview: nothing is sent.")))


# --- what these views share ---------------------------------------------------------------------------------------


def _found(study: Study, name: str, place: int) -> Preview:
    task = found_or_404(task_find(study, name), "There is no such task.")
    return found_or_404(task_preview(task, place), "There is no such item.")


def _amended(request: MemberRequest, shown: Preview, facts: Facts, sent: Any) -> Any:
    """The answer as the server would take it, given what it has of it."""
    task = shown.subject.task
    *place, kept = request.session.get(SESSION_KEY, [None])
    here = place == [task.study_id, task.pk, shown.place]
    previous = facts.answer(kept) if here else None
    try:
        answer = facts.answer(sent)
    except ValidationError:
        raise Refused(gettext("This answer cannot be read.")) from None
    return facts.kind.amend(facts.config, previous, answer)


def _context(study: Study, shown: Preview, answer: dict[str, Any] | None) -> dict[str, Any]:
    subject, task = shown.subject, shown.subject.task
    facts = facts_of_subject(subject)
    parsed = None if answer is None else facts.answer(answer)
    return {
        "study": study,
        "task": task,
        "assignment": Assignment(subject=subject, counts=subject.counts),
        "is_practice": subject.practice,
        **page_files(task.kind),
        "styles": page_styles([task.kind]),
        "place": shown.place,
        "total": shown.total,
        "progress": Progress(
            done=max(0, shown.place - 1 - shown.practice), total=shown.total - shown.practice
        ),
        "content": facts.kind.content(facts.config, facts.exhibit, parsed),
        "answer": answer or {},
        "revision": 1,
        "seconds": 0,
        "raw_seconds": 0,
        "may_revise": False,
        "aids": Settings.model_validate(study.settings).aids,
        "submit_word": gettext("Submit"),
        "words": script_words(interface_of(study)),
        "text_dir": direction(study.language),
        "scale_dir": scale_direction(interface_of(study), study.language),
        "instructions_html": markdown.render(study.instructions),
        "urls": {
            "submit": _url("preview_judgment", study, shown),
            "draft": _url("preview_draft", study, shown),
            "flag": reverse("preview_word", args=[study.slug]),
            "message": reverse("preview_word", args=[study.slug]),
            "home": "",
            "items": "",
        },
    }


def _html(request: MemberRequest, study: Study, shown: Preview, answer: dict[str, Any] | None) -> str:
    return render_to_string("annotation/assess/_item.html", _context(study, shown, answer), request)


def _url(name: str, study: Study, shown: Preview) -> str:
    return reverse(name, args=[study.slug, shown.subject.task.name, shown.place])
