"""Building a study: a new one, its texts, its tasks. Each step keeps what there is; a study in the making is a draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.building_forms import NewStudyForm, TableForm
from annotation.config_form import Given, checked, edited, form_fields, form_values, full_values
from annotation.errors import Overtaken, Refused
from annotation.forms import StudyUploadForm
from annotation.found import found_or_404
from annotation.models import Membership, Study, Task
from annotation.overtaken import fingerprint
from annotation.selectors import building as selectors
from annotation.selectors.files import study_materials
from annotation.selectors.studies import has_outputs
from annotation.selectors.tasks import task_find, tasks_of
from annotation.services import building as services
from annotation.services.studies import study_upload
from annotation.study_files import StudyFileProblems
from annotation.tables import ROLES, TableProblem
from annotation.tasks import KINDS, TEMPLATES
from annotation.views.guards import experimenter_required, member_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told, seen_again, study_page
from annotation.views.manage.studies import upload_page
from annotation.words import phrase, phrase_lazy

EDITOR = Membership.Role.EDITOR
STEPS = (
    ("texts", phrase_lazy("Texts"), "build_texts"),
    ("units", phrase_lazy("Units"), "build_units"),
    ("task", phrase_lazy("Task"), "build_task"),
    ("words", phrase_lazy("Instructions"), "build_words"),
    ("design", phrase_lazy("Design"), "build_design"),
    ("checks", phrase_lazy("Control items"), "build_checks"),
    ("check", phrase_lazy("Check and open"), "build_check"),
)
PER_PAGE = 20


def build_page(
    request: MemberRequest,
    study: Study,
    step: str,
    context: dict[str, Any],
    *,
    template: str = "",
    status: int = 200,
) -> HttpResponse:
    """A step in its frame; of a study that is open, what there is instead."""
    frame = {"steps": STEPS, "step": step, **context}
    name = (template or step) if study.state == Study.State.DRAFT else "too_late"
    return study_page(
        request, study, "build", frame, template=f"annotation/building/{name}.html", status=status
    )


@experimenter_required
@require_http_methods(["GET", "POST"])
def study_new(request: MemberRequest) -> HttpResponse:
    """A name and a table of texts: the rest is asked for afterwards."""
    sent = request.method == "POST"
    form = NewStudyForm(
        request.POST if sent else None, request.FILES if sent else None, limit=settings.STUDY_UPLOAD_MAX_BYTES
    )
    if sent and form.is_valid():
        try:
            if form.is_study_file():
                return _imported(request, form)
            study = services.study_from_table(
                owner=request.user,
                name=form.cleaned_data["name"],
                language=form.cleaned_data["language"],
                source_language=form.cleaned_data["source_language"],
                files=form.contents(),
                max_bytes=settings.STUDY_UNPACKED_MAX_BYTES,
            )
        except (TableProblem, Refused) as problem:
            form.add_error("tables" if form.cleaned_data["tables"] else "pasted", str(problem))
        else:
            return redirect("build_texts", slug=study.slug)
    context = {"form": form, "limit": form.limit}
    return render(request, "annotation/building/new.html", context, status=422 if form.errors else 200)


def _imported(request: MemberRequest, form: NewStudyForm) -> HttpResponse:
    """A study file has a name of its own, and all the rest."""
    try:
        study = study_upload(source=form.cleaned_data["tables"][0], owner=request.user)
    except StudyFileProblems as found:
        return upload_page(
            request,
            StudyUploadForm(limit=settings.STUDY_UPLOAD_MAX_BYTES),
            problems=found.problems,
            status=422,
        )
    return redirect("study", slug=study.slug)


# --- texts ----------------------------------------------------------------------------------------------------------


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
@never_cache
def build_texts(request: MemberRequest, study: Study) -> HttpResponse:
    """The table, what its columns are, what is wrong with its rows, and who wrote about what."""
    if request.method == "GET":
        return _texts(request, study)
    try:
        if "upload" in request.POST:
            return _upload(request, study)
        seen = _number(request.POST.get("version", ""))
        if "use" in request.POST:
            services.texts_use(study=study, seen=seen)
            messages.success(request, phrase("The study has these texts now."))
            return redirect("build_units", slug=study.slug)
        if "mend" in request.POST or "drop" in request.POST:
            row = _number(request.POST.get("mend", request.POST.get("drop", "")))
            cells = None if "drop" in request.POST else request.POST.getlist("cell")
            services.table_row_mend(study=study, seen=seen, row=row, cells=cells)
        else:
            services.table_change(
                study=study,
                seen=seen,
                roles=request.POST.getlist("role"),
                header="header" in request.POST,
            )
    except Refused as refused:
        messages.error(request, str(refused))
        return _texts(request, study, status=409)
    return redirect("build_texts", slug=study.slug)


def _upload(request: MemberRequest, study: Study) -> HttpResponse:
    form = TableForm(request.POST, request.FILES, limit=settings.STUDY_UPLOAD_MAX_BYTES)
    if form.is_valid():
        try:
            services.table_store(
                study=study, files=form.contents(), max_bytes=settings.STUDY_UNPACKED_MAX_BYTES
            )
            return redirect("build_texts", slug=study.slug)
        except TableProblem as problem:
            form.add_error("tables" if form.cleaned_data["tables"] else "pasted", str(problem))
    return _texts(request, study, form=form, status=422)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Refused(phrase("This page is out of date. Load it again."))
    return int(text)


def _texts(
    request: MemberRequest, study: Study, *, form: TableForm | None = None, status: int = 200
) -> HttpResponse:
    table = selectors.table_of(study)
    context: dict[str, Any] = {
        "table": table,
        "form": form or TableForm(limit=settings.STUDY_UPLOAD_MAX_BYTES),
        "limit": settings.STUDY_UPLOAD_MAX_BYTES,
        "has_texts": table is None and has_outputs(study),
    }
    if table is not None:
        everything = "all" in request.GET
        issues = selectors.issues_of(table)
        fatal = [issue for issue in issues if issue.fatal and issue.row is not None]
        matrix = selectors.matrix_shown(table, everything=everything)
        problems = page_of(request, fatal, per_page=PER_PAGE)
        context |= {
            "summary": table.summary,
            "columns": _columns(table.summary, table.roles),
            "roles": ROLES.items(),
            "of_the_table": [issue.message for issue in issues if issue.row is None],
            "page": problems,
            "faulty": selectors.faulty_rows(table, list(problems.object_list)),
            "asides": [issue for issue in issues if not issue.fatal][:PER_PAGE],
            "asides_in_all": sum(1 for issue in issues if not issue.fatal),
            "first_row": 2 if table.summary["has_header"] else 1,
            "matrix": matrix,
            "matrix_rows": matrix.rows[:100],
            "everything": everything,
            "usable": not any(issue.fatal for issue in issues),
            "used": table.used_version == table.version,
        }
    return build_page(request, study, "texts", context, status=status)


def _columns(summary: dict[str, Any], roles: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"name": name, "role": role, "cells": [row[place] for row in summary["sample"]]}
        for place, (name, role) in enumerate(zip(summary["columns"], roles, strict=True))
    ]


# --- tasks ----------------------------------------------------------------------------------------------------------


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
def build_task(request: MemberRequest, study: Study) -> HttpResponse:
    """What assessors are to do: the tasks there are, and templates to add one."""
    status = 200
    if request.method == "POST":
        template = found_or_404(
            TEMPLATES.get(request.POST.get("template", "")), phrase("There is no such template.")
        )
        materials, _ = study_materials(study)
        try:
            task = services.task_from_template(study=study, template=template, materials=materials)
        except Refused as refused:
            messages.error(request, str(refused))
            status = 409
        else:
            return redirect("build_settings", slug=study.slug, task=task.name)
    materials = selectors.few_materials(study)
    context = {
        "tasks": [(task, KINDS[task.kind].title) for task in tasks_of(study)],
        "templates": selectors.template_fits(materials),
        "has_texts": bool(materials.outputs or materials.documents),
    }
    return build_page(request, study, "task", context, status=status)


@member_required(EDITOR)
@require_POST
def build_task_remove(request: MemberRequest, study: Study, task: str) -> HttpResponse:
    found = found_or_404(task_find(study, task), phrase("There is no such task."))
    with refusals_told(request):
        services.task_remove(study=study, task=found)
    return redirect("build_task", slug=study.slug)


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
@never_cache
@csp_update({"frame-src": [SELF]})
def build_settings(request: MemberRequest, study: Study, task: str) -> HttpResponseBase:
    """The settings of a task, beside the assessor's page as they make it. A script sends the form on every change."""
    found = found_or_404(task_find(study, task), phrase("There is no such task."))
    if request.method == "GET":
        return _settings(request, study, found)
    model = KINDS[found.kind].Config
    values = form_values(model, edited(request.POST.dict()))
    if "add" in request.POST or "remove" in request.POST:
        return _settings(request, study, found, given=Given(values), added=request.POST.get("add", ""))
    config, given = checked(model, values, preset=found.config.get("preset", ""))
    is_told = False
    if not given.errors:
        try:
            found = services.task_configure(
                study=study, task=found, config=config, seen=request.POST.get("seen", "")
            )
        except Refused as refused:
            is_told = isinstance(refused, Overtaken)
            given.errors[""] = [str(refused)]
    if "live" in request.POST:
        reply = {"errors": given.errors, "seen": fingerprint(found.config)}
        return JsonResponse(reply, status=422 if given.errors else 200)
    if given.errors:
        return _settings(request, study, found, given=given, status=422, is_told=is_told)
    messages.success(request, phrase("Saved."))
    return redirect("build_settings", slug=study.slug, task=found.name)


def _settings(
    request: MemberRequest,
    study: Study,
    task: Task,
    *,
    given: Given | None = None,
    added: str = "",
    status: int = 200,
    is_told: bool = False,
) -> HttpResponse:
    model = KINDS[task.kind].Config
    values = given.values if given else full_values(model, task.config)
    context = {
        "task": task,
        "title": KINDS[task.kind].title,
        "fields": form_fields(model, values, errors=given.errors if given else {}),
        "of_the_whole": given.of_the_whole if given else [],
        "added": added,
        "unsaved": given is not None,
        "seen": seen_again(request, task.config, is_told=is_told),
        "has_texts": selectors.has_texts(study),
    }
    return build_page(request, study, "task", context, template="settings", status=status)
