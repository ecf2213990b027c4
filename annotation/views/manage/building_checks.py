"""Building a study, the step of check items: repeats, texts made worse, items with a known answer, and people who fail."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from pydantic import ValidationError

from annotation.building_forms import ChecksForm
from annotation.checks import Checks
from annotation.errors import Overtaken, Refused
from annotation.models import Membership, Study
from annotation.overtaken import fingerprint
from annotation.selectors.check_items import study_checks
from annotation.selectors.checks_outlook import checks_outlooks, keyed_items
from annotation.selectors.studies import study_size
from annotation.services import building as services
from annotation.study_files.plain import sentences
from annotation.views.guards import member_required
from annotation.views.manage.building import build_page
from annotation.views.manage.building_steps import USUAL_PEOPLE, errors_said
from annotation.views.manage.frame import MemberRequest, seen_again
from annotation.words import phrase

EDITOR = Membership.Role.EDITOR


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
@never_cache
def build_checks(request: MemberRequest, study: Study) -> HttpResponseBase:
    """How many check items, and beside them what follows. A script sends the form on every change."""
    stored = study_checks(study)
    if request.method == "GET":
        return _page(
            request, study, ChecksForm(initial=ChecksForm.shown(stored, known=bool(keyed_items(study).known)))
        )
    form, is_told = ChecksForm(request.POST), False
    if form.is_valid():
        try:
            checks = Checks.model_validate(form.checks(stored))
            services.checks_set(study=study, checks=checks, seen=request.POST.get("seen", ""))
        except ValidationError as error:
            for _, sentence in sentences(error, Checks):
                form.add_error(None, sentence[:1].upper() + sentence[1:])
        except Refused as refused:
            is_told = isinstance(refused, Overtaken)
            form.add_error(None, str(refused))
    errors = errors_said(form)
    if "live" in request.POST:
        follows = render_to_string("annotation/building/_checks_follow.html", _follows(request, study))
        seen = fingerprint(study.checks)
        reply = {"errors": errors, "seen": seen, "html": {"follows": follows}}
        return JsonResponse(reply, status=422 if errors else 200)
    if errors:
        return _page(request, study, form, status=422, is_told=is_told)
    messages.success(request, phrase("Saved. What follows is beside it."))
    return redirect("build_checks", slug=study.slug)


def _follows(request: MemberRequest, study: Study) -> dict[str, Any]:
    people = study_size(study).assessors or USUAL_PEOPLE
    outlooks = checks_outlooks(study, request.user, people=people)
    return {
        "study": study,
        "outlooks": outlooks,
        "people": people,
        "people_there": study_size(study).assessors,
        "minutes": sum(one.minutes for one in outlooks),
    }


def _page(
    request: MemberRequest, study: Study, form: ChecksForm, *, status: int = 200, is_told: bool = False
) -> HttpResponse:
    seen = seen_again(request, study.checks, is_told=is_told)
    context = {"form": form, "seen": seen, "keyed": keyed_items(study)}
    return build_page(request, study, "checks", context | _follows(request, study), status=status)
