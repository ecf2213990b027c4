"""The report of a study: its making, its pages, its files. Viewers look and download, owners start and cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from annotation import analysis, downloads
from annotation.analysis.options import ReportOptions
from annotation.errors import Refused
from annotation.models import Membership, Run, Study
from annotation.reports import pages
from annotation.reports.data import Record, ReportData, report_data, reporting
from annotation.reports.files import report_file
from annotation.reports.metric_table import MetricQuery, chosen_metric, metric_table
from annotation.selectors import runs as selectors
from annotation.selectors.studies import system_names
from annotation.services.runs import run_cancel
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, heads, page_of, refusals_told, study_page
from annotation.views.report_form import ReportForm
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER
SECTIONS = (
    ("overview", "Overview", "study_report"),
    ("systems", "Systems", "report_systems"),
    ("assessors", "Assessors", "report_assessors"),
    ("metrics", "Metrics", "report_metrics"),
    ("comparison", "Comparison", "report_comparison"),
    ("files", "Files", "report_files"),
)
KEPT = ("run", "human")  # choices that go along from page to page
PER_PAGE = 25

Contents = Callable[[ReportData, Record | None], dict[str, Any]]


# --- pages --------------------------------------------------------------------------------------------------------


@member_required(VIEWER)
@require_safe
def study_report(request: MemberRequest, study: Study) -> HttpResponse:
    """Who wins, how sure; and the making of the report."""

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        links = {
            "systems": lambda row: _link(request, study, "report_systems", human=row["slug"]),
            "assessors": lambda row: _link(
                request, study, "report_assessors", task=row["task"], criterion=row["criterion"]
            ),
            "metrics": lambda row: _link(request, study, "report_metrics", human=row["slug"]),
        }
        return pages.overview(report, human, system_names(study), links)

    return _page(request, study, "overview", contents)


@member_required(VIEWER)
@require_safe
def report_systems(request: MemberRequest, study: Study) -> HttpResponse:
    """Systems by one human score, and every pair of them."""

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        found = pages.systems(report, human, system_names(study))
        return {**found, "page": page_of(request, found.get("pair_rows", []), per_page=PER_PAGE)}

    return _page(request, study, "systems", contents)


@member_required(VIEWER)
@require_safe
def report_assessors(request: MemberRequest, study: Study) -> HttpResponse:
    """Agreement, bias and speed on one scale."""

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        scales = pages.scales(report)
        asked = (request.GET.get("task", ""), request.GET.get("criterion", ""))
        scale = asked if asked in scales else next(iter(scales), None)
        found = pages.assessors(report, scale)
        return {
            **found,
            "scales": scales,
            "scale": scale,
            "page": page_of(request, found.get("people_rows", []), per_page=PER_PAGE),
        }

    return _page(request, study, "assessors", contents)


@member_required(VIEWER)
@require_safe
def report_metrics(request: MemberRequest, study: Study) -> HttpResponse:
    """All metrics at one level by one statistic; one of them against people, system by system."""
    query = MetricQuery.of(request.GET)

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        if human is None:
            return {"why": report.missing("human")}
        table = metric_table(report, human, query)
        columns = heads(
            query.sort,
            ("metric", "Metric", False),
            ("family", "Family", False),
            ("statistic", reporting.METHODS[query.method], True),
            ("", "Interval", True),
            ("pvalue", "p", True),
            ("n", "n", True),
        )
        return {
            "query": query,
            "levels": reporting.LEVELS,
            "methods": reporting.METHODS,
            "table": table,
            "page": page_of(request, table.rows, per_page=PER_PAGE),
            "heads": columns,
            "chosen": chosen_metric(report, human, table, query),
            "correlations_why": report.missing("correlations", human),
            "programs": pages.programs(report),
            **pages.best_of_metrics(report, human),
        }

    return _page(request, study, "metrics", contents)


@member_required(VIEWER)
@require_safe
def report_comparison(request: MemberRequest, study: Study) -> HttpResponse:
    """Metrics against each other."""

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        found = pages.comparison(report, human, request.GET.getlist("curve"))
        return {**found, "page": page_of(request, found.get("rouge_rows", []), per_page=PER_PAGE)}

    return _page(request, study, "comparison", contents)


@member_required(VIEWER)
@require_safe
def report_files_page(request: MemberRequest, study: Study) -> HttpResponse:
    """Everything to take away, and the methods paragraph."""

    def contents(report: ReportData, human: Record | None) -> dict[str, Any]:
        earlier = [
            (run, ReportOptions.model_validate(run.options).in_words) for run in selectors.runs_done(study)
        ]
        return {**pages.files(report, human), "earlier": earlier}

    return _page(request, study, "files", contents)


def _page(request: MemberRequest, study: Study, section: str, contents: Contents) -> HttpResponse:
    """A page of the report that the address names, or of the newest; without one, how to get it."""
    asked = request.GET.get("run", "")
    shown = selectors.run_done(study, _number(asked) if asked else None)
    if asked and shown is None:
        raise Http404(phrase("There is no such report."))
    context = _making(study, shown)
    if shown is None or not shown.has_files:
        return study_page(request, study, "report", context, template="annotation/report/none.html")
    report = report_data(shown.folder)
    if not report.is_current:
        context["is_of_another_version"] = True
        return study_page(request, study, "report", context, template="annotation/report/none.html")
    human = report.human(request.GET.get("human"))
    context |= {
        "section": section,
        "sections": SECTIONS,
        "humans": report.humans,
        "human": human,
        "kept": _kept(request),
    }
    context |= contents(report, human)
    return study_page(request, study, "report", context, template=f"annotation/report/{section}.html")


def _kept(request: MemberRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in KEPT if request.GET.get(name)}


def _link(request: MemberRequest, study: Study, name: str, **more: str) -> str:
    """Another page of the report, with the choices that go along."""
    return reverse(name, args=[study.slug], query={**_kept(request), **more})


def _number(asked: str) -> int:
    """The number of a run in an address; 0, which none has, for what is no number."""
    return int(asked) if asked.isdecimal() and len(asked) < 18 else 0


def _run(study: Study, pk: int) -> Run:
    """The run that the address names, whatever became of it."""
    run = selectors.run_of(study, pk)
    if run is None:
        raise Http404(phrase("There is no such report."))
    return run


def _making(study: Study, shown: Run | None) -> dict[str, Any]:
    """What is shown, what is being made, what went wrong with the last attempt, and whether all is up to date."""
    newest = selectors.run_newest(study)
    last = newest or shown
    options = last.options if last else {}
    latest = selectors.run_done(study) if shown else None
    return {
        "run": shown,
        "newer": latest if latest != shown else None,
        "chosen_options": ReportOptions.model_validate(shown.options).in_words if shown else "",
        "newest": newest,
        "stale": selectors.staleness(shown) if shown else None,
        "worker_is_missing": newest is not None and selectors.worker_is_missing(newest),
        "form": ReportForm.with_options(options),
    }


# --- making -------------------------------------------------------------------------------------------------------


@member_required(EDITOR)
@require_POST
def report_start(request: MemberRequest, study: Study) -> HttpResponse:
    """Ask for a report: with the choices of the form, or with those of an earlier one (``again``)."""
    if again := request.POST.get("again"):
        earlier = _run(study, _number(again))
        options = ReportOptions.model_validate(earlier.options)
    else:
        form = ReportForm(request.POST)
        if not form.is_valid():
            context = {**_making(study, selectors.run_done(study)), "form": form}
            return study_page(
                request, study, "report", context, template="annotation/report/none.html", status=422
            )
        options = form.options()
    try:
        run = analysis.report_request(study=study, options=options, user=request.user)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_report", slug=study.slug)
    if run.is_active and run.options != options.model_dump(mode="json"):
        messages.warning(
            request,
            phrase("A report with other options is being made. Ask again when it is done, or cancel it."),
        )
    if run.state == Run.State.DONE:
        messages.info(request, phrase("Nothing has changed since this report was made: it is up to date."))
        if run != selectors.run_done(study):
            return redirect(f"{reverse('study_report', args=[study.slug])}?run={run.pk}")
    return redirect("study_report", slug=study.slug)


@member_required(EDITOR)
@require_POST
def report_cancel(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    run = _run(study, pk)
    with refusals_told(request):
        run_cancel(run=run)
    return redirect("study_report", slug=study.slug)


@member_required(VIEWER)
@require_safe
@never_cache
def report_progress(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """How far it is, for a page that asks again and again; when it is over, the page comes anew."""
    run = _run(study, pk)
    if not run.is_active or run.is_lost:
        return HttpResponseClientRefresh()
    context = {
        "study": study,
        "newest": run,
        "may_change": request.membership.may(EDITOR),
        "worker_is_missing": selectors.worker_is_missing(run),
    }
    return render(request, "annotation/report/_progress.html", context)


# --- files --------------------------------------------------------------------------------------------------------


@member_required(VIEWER)
@require_safe
@never_cache
def report_download(request: MemberRequest, study: Study, pk: int, name: str) -> HttpResponseBase:
    """One file of a report; ``curve`` asks for a figure of significance prediction with other metrics."""
    run = selectors.run_done(study, pk)
    file = report_file(run.folder, name, curves=request.GET.getlist("curve")) if run else None
    if file is None:
        raise Http404(phrase("There is no such file."))
    return downloads.report_download(file)


@member_required(VIEWER)
@require_safe
@never_cache
def report_archive(request: MemberRequest, study: Study, pk: int) -> HttpResponseBase:
    """All files of a report."""
    run = selectors.run_done(study, pk)
    if run is None or not run.has_files:
        raise Http404(phrase("There is no such report."))
    return downloads.report_archive(study, run)
