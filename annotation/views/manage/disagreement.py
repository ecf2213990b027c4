"""Where people disagree: the queue, what counts as disagreement, who decides, and what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.addresses import link_address
from annotation.errors import Refused
from annotation.forms import AdjudicatorsForm, DisagreementForm, GiveForm
from annotation.found import found_or_404
from annotation.models import Adjudicator, Membership, Study
from annotation.selectors import adjudication as deciding
from annotation.selectors import disagreement as selectors
from annotation.selectors.exclusions import exclusions_of
from annotation.services import adjudication as services
from annotation.services.disagreement import disagreement_look
from annotation.services.disagreement import disagreement_set as queue_set
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told, study_page
from annotation.views.manage.links import confirm_new_link, is_only_here
from annotation.views.manage.persons import confirm
from annotation.words import phrase, phrases

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER
SHOWN = ("open", "given", "decided")
PER_PAGE = 25
BACK = "study_disagreement"


@member_required(VIEWER)
@require_safe
@never_cache
def study_disagreement(request: MemberRequest, study: Study) -> HttpResponse:
    return _page(request, study)


def _page(
    request: MemberRequest,
    study: Study,
    *,
    form: DisagreementForm | None = None,
    people_form: AdjudicatorsForm | None = None,
    new_links: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    is_behind = disagreement_look(study=study)
    queue = selectors.queue_of(study)
    queue.study = study
    show = request.GET.get("show", "")
    show = show if show in SHOWN else "open"
    page = page_of(request, selectors.queue_rows(queue, show), per_page=PER_PAGE)
    names = request.membership.may(EDITOR)
    said = selectors.said_of(study, [row.pk for row in page.object_list], names=names)
    decided = (
        deciding.decided_in_words(study, [row.pk for row in page.object_list]) if show == "decided" else {}
    )
    context: dict[str, Any] = {
        "page": page,
        "rows": [(row, said.get(row.pk, []), decided.get(row.pk, "")) for row in page.object_list],
        "show": show,
        "counts": selectors.queue_counts(queue),
        "queue": queue,
        "thresholds": selectors.thresholds(queue),
        "is_behind": is_behind,
        "form": form or DisagreementForm(initial={"by": queue.by, "threshold": queue.threshold}),
        "people": deciding.adjudicators_of(study),
        "people_form": people_form or AdjudicatorsForm(),
        "new_links": new_links,
        "only_here": is_only_here(request),
        "left_out": list(exclusions_of(study)),
    }
    return study_page(
        request,
        study,
        "results",
        context,
        template="annotation/manage/disagreement.html",
        status=422 if form or people_form else 200,
    )


@member_required(EDITOR)
@require_POST
def disagreement_set(request: MemberRequest, study: Study) -> HttpResponse:
    form = DisagreementForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form=form)
    queue_set(study=study, **form.cleaned_data)
    messages.success(request, phrase("The queue goes by this from now on."))
    return redirect("study_disagreement", slug=study.slug)


@member_required(EDITOR)
@require_POST
def adjudications_give(request: MemberRequest, study: Study) -> HttpResponse:
    """Some pieces of the queue, those ticked on the page or all that it shows, to one adjudicator."""
    form = GiveForm(request.POST)
    named = request.POST.getlist("shown" if "all" in request.POST else "piece")
    pieces = [int(sent) for sent in named if sent.isdecimal() and len(sent) < 16]
    person = deciding.adjudicator_find(study, form.cleaned_data["adjudicator"]) if form.is_valid() else None
    if person is None:
        messages.error(request, phrase("Choose who is to decide."))
        return redirect("study_disagreement", slug=study.slug)
    with refusals_told(request):
        given = services.adjudications_give(
            study=study, subjects=selectors.subjects_named(study, pieces), adjudicator=person
        )
        messages.success(
            request,
            phrases(
                "Given to {name}: {n} piece.", "Given to {name}: {n} pieces.", len(given), name=person.name
            ),
        )
    return redirect("study_disagreement", slug=study.slug)


@member_required(EDITOR)
@require_POST
def adjudication_back(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """By the piece: it can be given to somebody else."""
    found = found_or_404(deciding.adjudication_find(study, pk), phrase("This piece is not given to anybody."))
    with refusals_told(request):
        services.adjudication_take_back(adjudication=found)
        messages.success(request, phrase("Taken back. It can be given to somebody else."))
    return redirect("study_disagreement", slug=study.slug)


@member_required(EDITOR)
@require_POST
@never_cache
def adjudicators_add(request: MemberRequest, study: Study) -> HttpResponse:
    """New adjudicators with their links, which the answer to the form shows once."""
    form = AdjudicatorsForm(request.POST)
    if form.is_valid():
        try:
            added = services.adjudicators_add(study=study, names=form.cleaned_data["names"])
        except Refused as refused:
            form.add_error("names", str(refused))
        else:
            return _with_links(request, study, added)
    return _page(request, study, people_form=form)


@member_required(EDITOR)
@require_POST
@never_cache
def adjudicator_link(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = found_or_404(deciding.adjudicator_find(study, pk), phrase("There is no such adjudicator."))
    kept = phrase("What they have decided and begun is kept: the new link brings them back to it.")
    asks = confirm_new_link(request, study, found, kept=kept, back=BACK)
    return asks or _with_links(request, study, [found])


@member_required(EDITOR)
@require_POST
def adjudicator_remove(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = found_or_404(deciding.adjudicator_find(study, pk), phrase("There is no such adjudicator."))
    follows = [
        phrase("{name} cannot go on: the link stops working at once.", name=found.name),
        phrase("What they have not decided goes back to the queue."),
        phrase("What they have decided stays, without their name."),
    ]
    asks = confirm(
        request,
        study,
        title=phrase("Remove {name}?", name=found.name),
        follows=follows,
        act=phrase("Remove"),
        back=BACK,
    )
    if asks:
        return asks
    services.adjudicator_remove(adjudicator=found)
    messages.success(request, phrase("{name} decides no more.", name=found.name))
    return redirect("study_disagreement", slug=study.slug)


def _with_links(request: MemberRequest, study: Study, people: Iterable[Adjudicator]) -> HttpResponse:
    links = [(row.name, link_address(request, services.adjudicator_link(adjudicator=row))) for row in people]
    return _page(request, study, new_links=links)
