"""Human scores on a page, and everything to take away."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import analysis
from annotation.downloads import TYPES, attributes_file, judgments_file, study_file
from annotation.models import Membership, Study
from annotation.selectors.adjudication import number_decided
from annotation.selectors.exclusions import left_out
from annotation.selectors.exhibits import kind_of
from annotation.selectors.tasks import tasks_of
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, study_page
from annotation.words import phrase

VIEWER = Membership.Role.VIEWER
USES = ("raw", "adjudicated", "both")  # what scores are made of where adjudicators decided


@member_required(VIEWER)
@require_safe
def study_results(request: MemberRequest, study: Study) -> HttpResponse:
    """Scores per system, task by task, each with the counts it stands on, and what else the kind has to say."""
    decided = number_decided(study)
    asked = request.GET.get("adjudicated", "")
    use = asked if decided and asked in USES else "raw"
    results = analysis.human_results(study, use=use)
    by_task = [
        {
            "name": task.name,
            "title": kind_of(task).title,
            "scores": [row for row in results.scores if row.task == task.name],
            "tables": results.tables.get(task.name, []),
        }
        for task in tasks_of(study)
    ]
    shown = [task for task in by_task if task["scores"] or task["tables"]]
    out = left_out(study)
    context = {
        "by_task": shown,
        "left_out": out,
        "decided": decided,
        "use": use,
        "left_out_judgments": sum(len(row.judgments) for row in out),
    }
    return study_page(request, study, "results", context)


@member_required(VIEWER)
@require_safe
def study_downloads(request: MemberRequest, study: Study) -> HttpResponse:
    return study_page(request, study, "downloads", {})


@member_required(VIEWER)
@require_safe
@never_cache
def download_judgments(request: MemberRequest, study: Study, format: str) -> HttpResponseBase:
    """The long table. Under pseudonyms, so that it can be passed on; members, who know the names, may ask for these."""
    if format not in TYPES:
        raise Http404(phrase("There is no such format."))
    choices = {name: name in request.GET for name in ("all_revisions", "names", "excluded", "decisions")}
    return judgments_file(study, format, **choices)


@member_required(VIEWER)
@require_safe
@never_cache
def download_attributes(request: MemberRequest, study: Study) -> HttpResponseBase:
    """With ``panel`` also the parameters that people came with: whoever knows them can come in as these people, by the join link."""
    panel = "panel" in request.GET
    if panel and not request.membership.may(Membership.Role.EDITOR):
        return render(request, "403.html", status=403)
    return attributes_file(study, panel=panel)


@member_required(VIEWER)
@require_safe
@never_cache
def download_study(request: MemberRequest, study: Study) -> HttpResponse:
    return study_file(study)
