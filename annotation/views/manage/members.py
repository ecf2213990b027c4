"""The experimenters of a study: roles, and invitations for those who have no account yet."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.account_forms import MemberForm, MemberInviteForm
from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.models import Membership, Study
from annotation.selectors import people as selectors
from annotation.selectors.accounts import invitation_find
from annotation.services import studies as services
from annotation.services.accounts import invitation_make, invitation_withdraw
from annotation.views.guards import member_required
from annotation.views.manage.accounts import invitation_address, invitation_given
from annotation.views.manage.frame import MemberRequest
from annotation.views.manage.people import people_page
from annotation.words import phrase

OWNER = Membership.Role.OWNER


@member_required(OWNER)
@require_POST
def member_set(request: MemberRequest, study: Study) -> HttpResponse:
    """Give somebody a role, or another one."""
    form = MemberForm(request.POST)
    if form.is_valid():
        user: User = form.cleaned_data["username"]
        try:
            services.membership_set(study=study, user=user, role=form.cleaned_data["role"])
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(
                request,
                phrase(
                    "{username} is {cleaned_data} now.",
                    username=user.username,
                    cleaned_data=form.cleaned_data["role"],
                ),
            )
            return redirect("study_people", slug=study.slug)
    return people_page(request, study, member_form=form)


@member_required(OWNER)
@require_POST
def member_remove(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    membership = found_or_404(selectors.member_find(study, pk), phrase("There is no such member."))
    try:
        services.membership_remove(study=study, user=membership.user)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_people", slug=study.slug)
    messages.success(
        request, phrase("{username} no longer sees this study.", username=membership.user.username)
    )
    if membership.user == request.user:
        return redirect("study_list")
    return redirect("study_people", slug=study.slug)


@member_required(OWNER)
@require_POST
@never_cache
def member_invite(request: MemberRequest, study: Study) -> HttpResponse:
    """By mail, or by a link that is shown once: the answer to the form itself shows it."""
    form = MemberInviteForm(request.POST)
    if not form.is_valid():
        return people_page(request, study, invite_form=form)
    email, role = form.cleaned_data["email"], form.cleaned_data["role"]
    link, token = invitation_make(email=email, study=study, role=role)
    return invitation_given(request, link, token) or people_page(
        request, study, new_invitation=invitation_address(request, token)
    )


@member_required(OWNER)
@require_POST
def member_withdraw(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    link = found_or_404(invitation_find(pk, study), phrase("There is no such invitation."))
    invitation_withdraw(link=link)
    messages.success(request, phrase("The invitation is withdrawn."))
    return redirect("study_people", slug=study.slug)
