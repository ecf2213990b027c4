"""Assessors and their links, and what assessors have flagged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.account_forms import MemberForm, MemberInviteForm
from annotation.addresses import link_address
from annotation.errors import Refused
from annotation.forms import AssessorsForm, CapForm, EmailForm, PauseForm
from annotation.found import found_or_404
from annotation.models import Assessor, Membership, Study
from annotation.selectors import people as selectors
from annotation.selectors.accounts import invitations
from annotation.selectors.exclusions import exclusion_of
from annotation.selectors.monitor import quality_of_person
from annotation.selectors.plan import has_pool
from annotation.selectors.programs import program_states
from annotation.services import assessors as assessor_services
from annotation.services.mail import assessor_email_set
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told, study_page
from annotation.views.manage.links import confirm_new_link, is_only_here
from annotation.views.manage.persons import confirm
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER


@member_required(VIEWER)
@require_safe
@never_cache
def study_people(request: MemberRequest, study: Study) -> HttpResponse:
    return people_page(request, study)


def people_page(
    request: MemberRequest,
    study: Study,
    *,
    assessors_form: AssessorsForm | None = None,
    member_form: MemberForm | None = None,
    invite_form: MemberInviteForm | None = None,
    new_links: Sequence[tuple[str, str]] = (),
    new_invitation: str = "",
) -> HttpResponse:
    context: dict[str, Any] = {
        "page": page_of(request, selectors.assessors_of(study)),
        "without_link": selectors.missing_links(study),
        "new_links": new_links,
        "programs": program_states(study),
        "members": selectors.members(study),
        "invitations": invitations(study),
        "new_invitation": new_invitation,
        "assessors_form": assessors_form or AssessorsForm(),
        "member_form": member_form or MemberForm(),
        "invite_form": invite_form or MemberInviteForm(),
        "pooled": has_pool(study),
        "only_here": is_only_here(request),
        "erased": selectors.erasures(study),
    }
    wrong = assessors_form or member_form or invite_form
    return study_page(request, study, "people", context, status=422 if wrong else 200)


def _assessor(study: Study, pk: int) -> Assessor:
    return found_or_404(selectors.assessor_find(study, pk), phrase("There is no such assessor."))


@member_required(VIEWER)
@require_safe
def assessor(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """What one assessor gets and has done."""
    found = _assessor(study, pk)
    context = {
        "assessor": found,
        "page": page_of(request, selectors.assignment_rows(found)),
        "excluded": exclusion_of(study, found),
        **quality_of_person(study, found),
        "email_form": EmailForm(initial={"email": found.email}),
        "cap_form": CapForm(initial={"judgments": found.load_cap}),
        "pause_form": PauseForm(initial={"message": found.pause_message}),
    }
    return study_page(request, study, "people", context, template="annotation/manage/assessor.html")


@member_required(EDITOR)
@require_POST
def assessors_add(request: MemberRequest, study: Study) -> HttpResponse:
    form = AssessorsForm(request.POST)
    if not form.is_valid():
        return people_page(request, study, assessors_form=form)
    names = form.cleaned_data["names"]
    try:
        added = assessor_services.assessors_add(
            study=study,
            names=names,
            group=form.cleaned_data["group"],
            author=form.cleaned_data["author"],
        )
    except Refused as refused:
        form.add_error("names", str(refused))
        return people_page(request, study, assessors_form=form)
    for person in added:
        if person.name in form.emails:
            assessor_email_set(assessor=person, email=form.emails[person.name])
    messages.success(request, phrase("Added: {names}.", names=", ".join(names)))
    return redirect("study_people", slug=study.slug)


@member_required(EDITOR)
@require_POST
@never_cache
def assessor_link(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """A first link at once; a new one asks, as the one before stops working."""
    found = _assessor(study, pk)
    kept = phrase("What they have done and begun is kept: the new link brings them back to it.")
    return confirm_new_link(request, study, found, kept=kept) or _make_links(request, study, [found])


@member_required(EDITOR)
@require_POST
@never_cache
def assessor_links(request: MemberRequest, study: Study) -> HttpResponse:
    """A link for everybody who has none."""
    return _make_links(request, study, selectors.assessors_without_link(study))


def _make_links(request: MemberRequest, study: Study, assessors: Iterable[Assessor]) -> HttpResponse:
    """The answer to the form itself shows the links. Behind a redirect they would have to be stored until then."""
    links = [
        (row.name, link_address(request, token))
        for row, token in assessor_services.assessor_links(assessors=assessors)
    ]
    return people_page(request, study, new_links=links)


@member_required(EDITOR)
@require_POST
def assessor_revoke(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = _assessor(study, pk)
    follows = [
        phrase(
            "{name} cannot go on: the link stops working at once, also in browsers where it was opened.",
            name=found.name,
        ),
        phrase("What they have submitted counts, unless you leave it out of results."),
        phrase("What they have not done goes to others, as the plan says."),
        phrase("A new link lets them in again."),
    ]
    asks = confirm(
        request,
        study,
        title=phrase("Revoke the link of {name}?", name=found.name),
        follows=follows,
        act=phrase("Revoke the link"),
    )
    if asks:
        return asks
    assessor_services.assessor_revoke(assessor=found)
    messages.success(request, phrase("The link of {name} no longer works.", name=found.name))
    return redirect("study_people", slug=study.slug)


@member_required(EDITOR)
@require_POST
def assessor_remove(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = _assessor(study, pk)
    with refusals_told(request):
        assessor_services.assessor_remove(assessor=found)
        messages.success(request, phrase("{name} is removed.", name=found.name))
    return redirect("study_people", slug=study.slug)
