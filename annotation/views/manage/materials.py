"""The plan of a study, its materials, and units cut by hand."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import Overtaken, Refused
from annotation.forms import UnitsForm
from annotation.found import found_or_404
from annotation.models import Assessor, Membership, Output, Reference, Study, System
from annotation.selectors import studies as selectors
from annotation.selectors.exclusions import exclusion_of
from annotation.selectors.people import assessors_of
from annotation.selectors.plan_tables import TaskTable, plan_tables
from annotation.selectors.tasks import task_find
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.keys import key_choose, key_reopen
from annotation.services.studies import units_cut
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told, seen_again, study_page
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER


@member_required(VIEWER)
@require_safe
def study_plan(request: MemberRequest, study: Study) -> HttpResponse:
    """Who gets what: before the study opens, as it would be dealt; afterwards, as it was."""
    plan = plan_tables(study)
    page = page_of(request, assessors_of(study))
    systems = selectors.systems_of(study)
    tables = [(table, _grid(table, list(page.object_list), systems)) for table in plan.tasks]
    context = {"plan": plan, "tables": tables, "page": page, "systems": systems}
    return study_page(request, study, "plan", context)


@member_required(EDITOR)
@require_POST
def task_phase(request: MemberRequest, study: Study, task: str) -> HttpResponse:
    """Open the next phase of a task, or add to the open one what has been written since."""
    found = found_or_404(task_find(study, task), phrase("There is no such task."))
    with refusals_told(request):
        if "extend" in request.POST:
            new = phase_extend(task=found)
            messages.success(
                request,
                phrase("{new} new to judge.", new=new)
                if new
                else phrase("Nothing new has been written since."),
            )
        else:
            phase_open(task=found)
            messages.success(
                request, phrase("The phase “{phase}” of {name} is open.", phase=found.phase, name=found.name)
            )
    return redirect("study_plan", slug=study.slug)


@member_required(EDITOR)
@require_POST
def task_key(request: MemberRequest, study: Study, task: str) -> HttpResponse:
    """Choose the key that goes on, give one back to its builder, or join all into one."""
    found = found_or_404(task_find(study, task), phrase("There is no such task."))
    about, author = request.POST.get("about", ""), request.POST.get("author", "")
    with refusals_told(request):
        if "choose" in request.POST:
            key_choose(task=found, about=about, author=author)
            messages.success(request, phrase("This key of {about} goes on.", about=about))
        else:
            key_reopen(task=found, about=about, author=author, join="join" in request.POST)
            messages.success(request, phrase("The key of {about} is open to its builder again.", about=about))
    return redirect("study_plan", slug=study.slug)


def _grid(
    table: TaskTable, assessors: list[Assessor], systems: list[System]
) -> list[tuple[Assessor, int, list[int]]]:
    return [
        (
            assessor,
            table.of_assessor(assessor),
            [table.counts[assessor.pk, system.pk] for system in systems],
        )
        for assessor in assessors
    ]


@member_required(VIEWER)
@require_safe
def study_materials(request: MemberRequest, study: Study) -> HttpResponse:
    """Systems, and the documents or topics they answer."""
    has_topics, has_documents = selectors.has_topics(study), selectors.has_documents(study)
    kind = "topic" if has_topics and ("topics" in request.GET or not has_documents) else "document"
    search = request.GET.get("q", "").strip()
    rows = selectors.topic_rows(study, search) if kind == "topic" else selectors.document_rows(study, search)
    context = {
        "systems": selectors.system_rows(study),
        "kind": kind,
        "has_both": has_topics and has_documents,
        "search": search,
        "page": page_of(request, rows),
    }
    return study_page(request, study, "materials", context)


@member_required(VIEWER)
@require_safe
def study_item(request: MemberRequest, study: Study, kind: str, pk: int) -> HttpResponse:
    """One document or topic with its references and outputs, in units."""
    item = selectors.item_find(study, kind, pk)
    if item is None:
        raise Http404(phrase("There is no such item."))
    context = {
        "item": item,
        "kind": kind,
        "references": selectors.item_references(item),
        "page": page_of(request, selectors.item_outputs(item), per_page=25),
        "excluded": exclusion_of(study, item),
    }
    return study_page(request, study, "materials", context, template="annotation/manage/item.html")


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
def study_units(request: MemberRequest, study: Study, kind: str, pk: int) -> HttpResponse:
    """Cut an output or a reference anew, while the study is a draft."""
    text = selectors.text_find(study, kind, pk)
    if text is None:
        raise Http404(phrase("There is no such text."))
    sent = request.POST if request.method == "POST" else None
    form = UnitsForm(sent, initial={"units": "\n".join(text.units)})
    if form.is_valid():
        try:
            units_cut(text=text, units=form.cleaned_data["units"], seen=request.POST.get("seen"))
        except Overtaken as overtaken:
            messages.error(request, str(overtaken))
            return redirect("study_units", slug=study.slug, kind=kind, pk=pk)
        except Refused as refused:
            form.add_error("units", str(refused))
        else:
            messages.success(request, phrase("The text now has {n} units.", n=len(text.units)))
            return _back_to_item(study, text)
    context = {"text": text, "kind": kind, "form": form, "seen": seen_again(request, text.units)}
    return study_page(
        request,
        study,
        "materials",
        context,
        template="annotation/manage/units.html",
        status=422 if form.errors else 200,
    )


def _back_to_item(study: Study, text: Output | Reference) -> HttpResponse:
    if text.document_id:
        return redirect("study_item", slug=study.slug, kind="document", pk=text.document_id)
    return redirect("study_item", slug=study.slug, kind="topic", pk=text.topic_id)
