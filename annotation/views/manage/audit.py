"""The history of a study: who did what when, with filters, and as a file."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.downloads import audit_file
from annotation.models import Membership, Study
from annotation.selectors import audit as selectors
from annotation.views.guards import administrator_required, member_required
from annotation.views.manage.frame import MemberRequest, page_of, study_page
from annotation.words import phrase

VIEWER = Membership.Role.VIEWER
FORMATS = ("csv", "jsonl")


@member_required(VIEWER)
@require_safe
def study_audit(request: MemberRequest, study: Study) -> HttpResponse:
    chosen = {name: request.GET.get(name, "")[:200] for name in ("action", "actor", "search")}
    context = {
        "page": page_of(request, selectors.audit_rows(study, **chosen)),
        "actions": selectors.audit_actions(study),
        "actors": selectors.audit_actors(study),
        "chosen": chosen,
    }
    return study_page(request, study, "settings", context, template="annotation/manage/audit.html")


@member_required(VIEWER)
@require_safe
@never_cache
def download_audit(request: MemberRequest, study: Study, format: str) -> HttpResponseBase:
    if format not in FORMATS:
        raise Http404(phrase("There is no such format."))
    return audit_file(study, format)


@administrator_required
@require_safe
@never_cache
def download_server_audit(request: MemberRequest, format: str) -> HttpResponseBase:
    if format not in FORMATS:
        raise Http404(phrase("There is no such format."))
    return audit_file(None, format)
