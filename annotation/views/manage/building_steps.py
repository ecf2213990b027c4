"""Building a study, the later steps: units, what assessors read, the design and what follows from it, check and open."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import ValidationError

from annotation import analysis, markdown
from annotation.building_forms import CONSENT, DesignForm, OutlookForm, WordsForm
from annotation.designs import Design
from annotation.errors import Overtaken, Refused
from annotation.models import Membership, Study
from annotation.overtaken import fingerprint
from annotation.selectors import building as selectors
from annotation.selectors.outlook import Outlook, long_pieces, task_outlooks
from annotation.selectors.progress import duration
from annotation.selectors.studies import study_size
from annotation.selectors.tasks import tasks_of
from annotation.services import building as services
from annotation.study_files.plain import sentences
from annotation.views.guards import member_required
from annotation.views.manage.building import build_page
from annotation.views.manage.frame import MemberRequest, page_of, seen_again
from annotation.words import phrase

EDITOR = Membership.Role.EDITOR
USUAL_PEOPLE, USUAL_SPREAD = 3, 25


def errors_said(form: Form) -> dict[str, list[str]]:
    """By field, as the script of the steps wants them; what concerns no single field is under ""."""
    return {
        ("" if name == "__all__" else name): [str(one) for one in said] for name, said in form.errors.items()
    }


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
def build_units(request: MemberRequest, study: Study) -> HttpResponse:
    """How texts are cut, one by one; and all of them cut otherwise."""
    if request.method == "POST":
        how = request.POST.get("how", "")
        if how not in services.CUTTERS:
            messages.error(request, phrase("Choose how the texts are to be cut."))
            return redirect("build_units", slug=study.slug)
        try:
            number = services.units_cut_all(study=study, how=how)
        except Refused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, phrase("{number} texts are cut anew.", number=f"{number:,}"))
        return redirect("build_units", slug=study.slug)
    context = {"page": page_of(request, selectors.texts_with_units(study), per_page=20)}
    return build_page(request, study, "units", context)


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
@never_cache
def build_words(request: MemberRequest, study: Study) -> HttpResponseBase:
    """What assessors read, and beside it how it looks. A script sends the form on every change."""
    stored = services.words_of(study)
    if request.method == "GET":
        return _words(request, study, WordsForm(initial=stored))
    form, is_told = WordsForm(request.POST), False
    if form.is_valid():
        try:
            services.words_set(study=study, words=form.cleaned_data, seen=request.POST.get("seen", ""))
        except Refused as refused:
            is_told = isinstance(refused, Overtaken)
            form.add_error(None, str(refused))
    errors = errors_said(form)
    if "live" in request.POST:
        html = {name: markdown.render(request.POST.get(name, "")) for name in ("instructions", "consent")}
        seen = fingerprint(services.words_of(study))
        reply = {"errors": errors, "seen": seen, "html": html}
        return JsonResponse(reply, status=422 if errors else 200)
    if errors:
        return _words(request, study, form, status=422, is_told=is_told)
    messages.success(request, phrase("Saved."))
    return redirect("build_words", slug=study.slug)


def _words(
    request: MemberRequest, study: Study, form: WordsForm, *, status: int = 200, is_told: bool = False
) -> HttpResponse:
    context = {
        "form": form,
        "seen": seen_again(request, services.words_of(study), is_told=is_told),
        "instructions_html": markdown.render(form["instructions"].value() or ""),
        "consent_html": markdown.render(form["consent"].value() or ""),
        "consent_draft": CONSENT,
    }
    return build_page(request, study, "words", context, status=status)


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
@never_cache
def build_design(request: MemberRequest, study: Study) -> HttpResponseBase:
    """Who judges what, in words, and what follows from it. A script sends the form on every change."""
    if request.method == "GET":
        return _design(request, study, DesignForm(initial=study.design))
    form, is_told = DesignForm(request.POST), False
    if form.is_valid():
        try:
            design = Design.model_validate({**study.design, **form.cleaned_data})
            services.design_set(study=study, design=design, seen=request.POST.get("seen", ""))
        except ValidationError as error:
            for _, sentence in sentences(error, Design):
                form.add_error(None, sentence[:1].upper() + sentence[1:])
        except Refused as refused:
            is_told = isinstance(refused, Overtaken)
            form.add_error(None, str(refused))
    if "live" in request.POST:
        errors = errors_said(form)
        follows = render_to_string(
            "annotation/building/_design_follows.html", _design_follows(request, study)
        )
        reply = {"errors": errors, "seen": fingerprint(study.design), "html": {"follows": follows}}
        return JsonResponse(reply, status=422 if errors else 200)
    if form.errors:
        return _design(request, study, form, status=422, is_told=is_told)
    if "go_on" in request.POST:
        return redirect("build_checks", slug=study.slug)
    messages.success(request, phrase("Saved. What follows is below."))
    return redirect("build_design", slug=study.slug)


def _assumed(request: MemberRequest, study: Study) -> OutlookForm:
    """How many people, and how far their judgments spread: as asked for, or as is usual."""
    asked = OutlookForm(request.GET)
    if "people" in request.GET and asked.is_valid():
        return asked
    usual = {"people": study_size(study).assessors or USUAL_PEOPLE, "spread": USUAL_SPREAD}
    return OutlookForm(request.GET if "people" in request.GET else None, initial=usual)


def _design_follows(request: MemberRequest, study: Study) -> dict[str, Any]:
    assumed = _assumed(request, study)
    values = assumed.cleaned_data if assumed.is_valid() else assumed.initial
    people, spread = values["people"], values["spread"]
    outlooks = task_outlooks(study, request.user, people=people)
    return {
        "study": study,
        "assumed": assumed,
        "people": people,
        "spread": spread,
        "outlooks": [(one, _forecast(one, people, spread / 100)) for one in outlooks],
        "shares": {name.replace(":", "_"): 100 * share for name, share in analysis.ASSUMED_SHARES.items()},
        "time": duration(sum(one.seconds_per_person for one in outlooks)),
    }


def _design(
    request: MemberRequest, study: Study, form: DesignForm, *, status: int = 200, is_told: bool = False
) -> HttpResponse:
    context = {
        "form": form,
        "seen": seen_again(request, study.design, is_told=is_told),
        "people_there": study_size(study).assessors,
    }
    return build_page(request, study, "design", context | _design_follows(request, study), status=status)


def _forecast(outlook: Outlook, people: int, spread: float) -> dict[str, Any] | None:
    """In percent of the scale, or of comparisons."""
    if outlook.compares:
        found = analysis.forecast_wins(items=outlook.meetings, people=people, each=outlook.each)
    else:
        found = analysis.forecast_means(
            items=outlook.items, systems=outlook.systems, people=people, each=outlook.each, spread=spread
        )
    if found is None:
        return None
    return {
        "width": 100 * found.width,
        "difference": 100 * found.difference,
        "wins": 50 + 100 * found.difference,
        "n": found.n,
    }


@member_required(EDITOR)
@require_safe
@never_cache
def build_check(request: MemberRequest, study: Study) -> HttpResponse:
    """Everything that is missing, with where to mend it; and what can no longer change once the study is open."""
    missing = selectors.still_missing(study)
    missing += [selectors.Missing(said, "build_task", needed=False) for said in long_pieces(study)]
    context = {
        "missing": missing,
        "ready": not any(one.needed for one in missing),
        "people": study_size(study).assessors,
        "tasks": tasks_of(study),
    }
    return build_page(request, study, "check", context)
