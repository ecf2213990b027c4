"""The bin: studies that were deleted, to take away whole or to bring back."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.downloads import judgments_file, study_file
from annotation.errors import Refused
from annotation.models import Study
from annotation.selectors import studies as selectors
from annotation.services.bin import study_restore
from annotation.views.guards import binned_required
from annotation.views.manage.frame import MemberRequest, page_of
from annotation.words import phrase


@login_required
@require_safe
def study_bin(request: MemberRequest) -> HttpResponse:
    kept = timedelta(days=settings.BIN_DAYS)
    page = page_of(request, selectors.binned(request.user))
    rows = [(study, study.deleted_at + kept if study.deleted_at else None) for study in page.object_list]
    context = {"page": page, "rows": rows, "days": settings.BIN_DAYS}
    return render(request, "annotation/manage/bin.html", context)


@binned_required
@require_POST
def bin_restore(request: MemberRequest, study: Study) -> HttpResponse:
    try:
        study_restore(study=study)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_bin")
    messages.success(
        request, phrase("“{name}” is back as it was, with its people, links and judgments.", name=study.name)
    )
    return redirect("study", slug=study.slug)


@binned_required
@require_safe
@never_cache
def bin_study_file(request: MemberRequest, study: Study) -> HttpResponse:
    return study_file(study)


@binned_required
@require_safe
@never_cache
def bin_judgments(request: MemberRequest, study: Study) -> HttpResponseBase:
    """Everything that was judged: all revisions, and what was left out of results."""
    return judgments_file(study, "csv", all_revisions=True, names=True, excluded=True)
