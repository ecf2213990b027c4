"""The server itself, for administrators: what is wrong and what to do, what runs, what it takes, backups, and who did what."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.selectors import audit as audit_selectors
from annotation.selectors import operations as selectors
from annotation.services.operations import backup_request
from annotation.views.guards import administrator_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told
from annotation.words import phrase


@administrator_required
@require_safe
@never_cache
def operations(request: MemberRequest) -> HttpResponse:
    found = selectors.operations()
    context = {
        "server": found,
        "hours": settings.BACKUP_HOURS,
        "kept": settings.BACKUPS_KEPT,
        "folder": settings.BACKUP_FOLDER,
        "has_metrics": bool(settings.METRICS_TOKEN),
        "latest": audit_selectors.server_rows()[:5],
    }
    return render(request, "annotation/manage/operations.html", context)


@administrator_required
@require_POST
def backup_now(request: MemberRequest) -> HttpResponse:
    with refusals_told(request):
        backup_request(by=request.user.username)
        messages.success(request, phrase("A backup is being made. This page shows it when it is done."))
    return redirect("operations")


@administrator_required
@require_safe
@never_cache
def server_history(request: MemberRequest) -> HttpResponse:
    """What belongs to no study: accounts, tokens, backups."""
    chosen = {name: request.GET.get(name, "")[:200] for name in ("action", "actor", "search")}
    context = {
        "page": page_of(request, audit_selectors.server_rows(**chosen)),
        "actions": audit_selectors.server_values("action"),
        "actors": audit_selectors.server_values("actor"),
        "chosen": chosen,
    }
    return render(request, "annotation/manage/server_history.html", context)
