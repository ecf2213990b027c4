"""The list of studies, upload, and a study's own pages: progress, opening, closing, settings."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import markdown
from annotation.errors import Refused
from annotation.forms import StudyDeleteForm, StudyUploadForm, too_large
from annotation.models import Membership, Study
from annotation.selectors import progress as progress_selectors
from annotation.selectors import studies as selectors
from annotation.selectors.people import has_links
from annotation.selectors.plan import has_pool
from annotation.selectors.plan_tables import plan_warnings
from annotation.selectors.tasks import tasks_of
from annotation.selectors.texts import missing_cells_warning
from annotation.services import studies as services
from annotation.services.bin import study_bin
from annotation.study_files import Problem, StudyFileProblems
from annotation.study_files.schema import Settings
from annotation.views.guards import experimenter_required, member_required
from annotation.views.manage.frame import MemberRequest, heads, page_of, refusals_told, sorted_by, study_page
from annotation.views.manage.persons import confirm
from annotation.words import phrase, phrases

OWNER, EDITOR, VIEWER = Membership.Role.OWNER, Membership.Role.EDITOR, Membership.Role.VIEWER


@login_required
@require_safe
def study_list(request: MemberRequest) -> HttpResponse:
    archived = "archived" in request.GET
    rows, sort = sorted_by(
        request,
        selectors.study_rows(request.user, archived=archived),
        selectors.STUDY_SORTS,
        default="-created",
    )
    columns = heads(
        sort,
        ("name", phrase("Study"), False),
        ("state", phrase("State"), False),
        ("progress", phrase("Judgments"), True),
        ("last", phrase("Last judgment"), True),
        ("created", phrase("Created"), True),
    )
    context = {
        "page": page_of(request, rows),
        "heads": columns,
        "archived": archived,
        "archived_count": selectors.archived_count(request.user),
        "binned_count": selectors.binned_count(request.user),
    }
    return render(request, "annotation/manage/studies.html", context)


@experimenter_required
@require_http_methods(["GET", "POST"])
def study_upload(request: MemberRequest) -> HttpResponse:
    """Import a study file: all of it, or a list of everything that is wrong with it."""
    limit = settings.STUDY_UPLOAD_MAX_BYTES
    if request.method == "GET":
        return upload_page(request, StudyUploadForm(limit=limit))
    form = StudyUploadForm(request.POST, request.FILES, limit=limit)
    valid = form.is_valid()
    sent = int(request.headers.get("Content-Length") or 0)
    if sent > limit and "file" not in request.FILES:
        # It was passed over on the way in (config.uploads); that it is missing is not the user's fault.
        form.errors["file"] = form.error_class([too_large(sent, limit)])
    elif valid:
        try:
            study = services.study_upload(
                source=form.cleaned_data["file"],
                owner=request.user,
                replace=form.cleaned_data["replace"],
            )
        except StudyFileProblems as found:
            return upload_page(request, form, problems=found.problems, status=422)
        except Refused as refused:
            form.add_error("file", str(refused))
        else:
            messages.success(
                request,
                phrase("“{name}” is imported as a draft. Look at its plan, then open it.", name=study.name),
            )
            for warning in [*plan_warnings(study), *missing_cells_warning(study)]:
                messages.warning(request, warning)
            return redirect("study", slug=study.slug)
    return upload_page(request, form, status=422)


def upload_page(
    request: MemberRequest, form: StudyUploadForm, *, problems: Sequence[Problem] = (), status: int = 200
) -> HttpResponse:
    """The form for a study file, with what is wrong with the one that was sent."""
    context = {"form": form, "problems": problems, "limit": form.limit}
    return render(request, "annotation/manage/upload.html", context, status=status)


@member_required(VIEWER)
@require_safe
def study(request: MemberRequest, study: Study) -> HttpResponse:
    """Progress by assessor; what to do next."""
    rows, sort = sorted_by(
        request,
        progress_selectors.assessor_rows(study),
        progress_selectors.ASSESSOR_SORTS,
        default="name",
    )
    page = page_of(request, rows)
    page.object_list = progress_selectors.assessors_with_times(list(page.object_list))
    columns = heads(
        sort,
        ("name", phrase("Assessor"), False),
        ("group", phrase("Group"), False),
        ("done", phrase("Judgments"), True),
        ("", phrase("Mean time"), True),
        ("seen", phrase("Last seen"), True),
    )
    context = {
        "page": page,
        "heads": columns,
        "has_links": has_links(study),
        "tasks": tasks_of(study),
        "pooled": has_pool(study),
    }
    return study_page(request, study, "progress", context)


@member_required(VIEWER)
@require_safe
def study_items(request: MemberRequest, study: Study) -> HttpResponse:
    """Progress by item."""
    rows, sort = sorted_by(
        request, progress_selectors.item_rows(study), progress_selectors.ITEM_SORTS, default="item"
    )
    page = page_of(request, rows)
    page.object_list = progress_selectors.items_with_wanted(study, list(page.object_list))
    columns = heads(
        sort,
        ("item", phrase("Item"), False),
        ("", phrase("Title"), False),
        ("done", phrase("Judgments"), True),
    )
    return study_page(
        request,
        study,
        "progress",
        {"page": page, "heads": columns},
        template="annotation/manage/progress_items.html",
    )


@member_required(EDITOR)
@require_POST
def study_open(request: MemberRequest, study: Study) -> HttpResponse:
    """Opening a draft asks first: it deals the work."""
    follows = [
        phrase("The work is dealt as the plan shows it; whoever joins later gets what is left over."),
        phrase(
            "Texts, tasks, order and seed no longer change. Instructions, deadline, overlap and people "
            "can, and more texts can be added."
        ),
        phrase("Assessors who have a link can begin at once."),
    ]
    if study.state == Study.State.DRAFT and (
        asks := confirm(
            request,
            study,
            title=phrase("Open “{name}”?", name=study.name),
            follows=follows,
            act=phrase("Open the study"),
            back="study_plan",
        )
    ):
        return asks
    try:
        services.study_open(study=study)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_plan", slug=study.slug)
    messages.success(request, phrase("The study is open. Give every assessor a personal link."))
    return redirect("study_people", slug=study.slug)


@member_required(EDITOR)
@require_POST
def study_close(request: HttpRequest, study: Study) -> HttpResponse:
    with refusals_told(request):
        services.study_close(study=study)
        messages.success(request, phrase("The study is closed. It can be opened again."))
    return redirect("study", slug=study.slug)


@member_required(VIEWER)
@require_safe
def study_settings(request: MemberRequest, study: Study) -> HttpResponse:
    return _settings(request, study, StudyDeleteForm(study=study))


def _settings(request: MemberRequest, study: Study, form: StudyDeleteForm, status: int = 200) -> HttpResponse:
    context = {
        "choices": Settings.model_validate(study.settings),
        "tasks": tasks_of(study),
        "instructions_html": markdown.render(study.instructions),
        "has_judgments": selectors.has_judgments(study),
        "bin_days": settings.BIN_DAYS,
        "form": form,
    }
    return study_page(request, study, "settings", context, status=status)


@member_required(OWNER)
@require_POST
def study_delete(request: MemberRequest, study: Study) -> HttpResponse:
    form = StudyDeleteForm(request.POST, study=study)
    if not form.is_valid():
        return _settings(request, study, form, status=422)
    study_bin(study=study, by=request.user.username)
    messages.success(
        request,
        phrases(
            "“{name}” is in the bin, and can be brought back for {n} day.",
            "“{name}” is in the bin, and can be brought back for {n} days.",
            settings.BIN_DAYS,
            name=study.name,
        ),
    )
    return redirect("study_list")
