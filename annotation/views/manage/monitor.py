"""The monitor of a running study, and the reading of judgments."""

from __future__ import annotations

import hashlib

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import analysis
from annotation.models import Membership, Study
from annotation.selectors import readings
from annotation.selectors.monitor import monitor_page, progress_kept
from annotation.selectors.people import assessors_of
from annotation.selectors.progress import study_progress
from annotation.selectors.studies import systems_of
from annotation.selectors.tasks import tasks_of
from annotation.services.disagreement import disagreement_look
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, page_of, study_page

VIEWER = Membership.Role.VIEWER
PIECES = 8


@member_required(VIEWER)
@require_safe
@never_cache
def study_monitor(request: MemberRequest, study: Study) -> HttpResponse:
    """The whole page; or, for its own script, what is on it now, and nothing at all if that is what it shows already."""
    may_change = request.membership.may(Membership.Role.EDITOR)
    monitor = analysis.monitor_request(study=study)
    progress = progress_kept(monitor) or study_progress(study)
    shown = monitor_page(study, monitor, progress, may_change=may_change)
    context = {
        "study": study,
        "monitor": shown,
        "page": page_of(request, shown.people),
        "counted": progress,
        "may_change": may_change,
    }
    content = render_to_string("annotation/manage/_monitor.html", context, request=request)
    seen = hashlib.sha256(content.encode()).hexdigest()[:16]
    context |= {"content": mark_safe(content), "seen": seen}  # noqa: S308 - our own template has escaped it
    if not getattr(request, "htmx", False):
        return study_page(request, study, "monitor", context)
    if request.GET.get("seen") == seen:
        return HttpResponse(status=204)
    return render(request, "annotation/manage/_monitor_live.html", context)


@member_required(VIEWER)
@require_safe
def study_judgments(request: MemberRequest, study: Study) -> HttpResponse:
    """Judgments with their texts, side by side."""
    is_behind = disagreement_look(study=study)
    asked = readings.ReadingFilter.of(request.GET)
    may_change = request.membership.may(Membership.Role.EDITOR)
    page = page_of(request, readings.pieces(study, asked), per_page=PIECES)
    page.object_list = readings.pieces_read(study, list(page.object_list), asked, names=may_change)
    context = {
        "page": page,
        "is_behind": is_behind,
        "asked": asked,
        "tasks": tasks_of(study),
        "systems": systems_of(study),
        "people": assessors_of(study),
        "choices": {"sort": readings.SORTS, "control": readings.CONTROLS, "left_out": readings.LEFT_OUT},
    }
    return study_page(request, study, "monitor", context, template="annotation/manage/judgments.html")
