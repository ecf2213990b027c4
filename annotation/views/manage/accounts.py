"""The accounts of this server, for whoever looks after them. That opens no study: those are their members'."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.account_forms import InviteForm
from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.models import AccountLink
from annotation.selectors import accounts as selectors
from annotation.services import accounts as services
from annotation.services import two_step
from annotation.services.attempts import attempts_waiting
from annotation.views.guards import administrator_required
from annotation.views.manage.frame import MemberRequest, page_of, refusals_told
from annotation.views.manage.links import is_only_here
from annotation.words import phrase


def _user(pk: int) -> User:
    return found_or_404(selectors.account_find(pk), phrase("There is no such account."))


@administrator_required
@require_safe
@never_cache
def accounts(request: MemberRequest) -> HttpResponse:
    return _page(request)


def _page(
    request: MemberRequest, *, form: InviteForm | None = None, new_link: tuple[str, str] | None = None
) -> HttpResponse:
    page = page_of(request, selectors.account_rows())
    for row in page.object_list:
        row.waiting = attempts_waiting(name=row.username)
    context: dict[str, Any] = {
        "page": page,
        "invitations": selectors.invitations(),
        "form": form or InviteForm(),
        "new_link": new_link,
        "only_here": is_only_here(request),
    }
    return render(request, "annotation/manage/accounts.html", context, status=422 if form else 200)


@administrator_required
@require_safe
@never_cache
def account_one(request: MemberRequest, pk: int) -> HttpResponse:
    return _one(request, _user(pk))


def _one(request: MemberRequest, user: User, *, new_link: tuple[str, str] | None = None) -> HttpResponse:
    context = {
        "account": user,
        "waiting": attempts_waiting(name=user.username),
        "new_link": new_link,
        "only_here": is_only_here(request),
    }
    return render(request, "annotation/manage/account_one.html", context)


@administrator_required
@require_POST
@never_cache
def account_invite(request: MemberRequest) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form)
    link, token = services.invitation_make(email=form.cleaned_data["email"])
    return invitation_given(request, link, token) or _page(
        request, new_link=(phrase("An invitation"), invitation_address(request, token))
    )


def invitation_address(request: MemberRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[token]))


def invitation_given(request: MemberRequest, link: AccountLink, token: str) -> HttpResponse | None:
    """By mail, if there is an address; None: the link must be shown."""
    if not link.email:
        return None
    if services.invitation_mail(link=link, address=invitation_address(request, token)):
        messages.success(request, phrase("The invitation went to {email}.", email=link.email))
        return redirect("study_people", slug=link.study.slug) if link.study else redirect("accounts")
    messages.error(
        request, phrase("The mail to {email} could not be sent. Pass the link on yourself.", email=link.email)
    )
    return None


@administrator_required
@require_POST
def invitation_withdraw(request: MemberRequest, pk: int) -> HttpResponse:
    link = found_or_404(selectors.invitation_find(pk), phrase("There is no such invitation."))
    services.invitation_withdraw(link=link)
    messages.success(request, phrase("The invitation is withdrawn."))
    return redirect("accounts")


@administrator_required
@require_POST
@never_cache
def account_link(request: MemberRequest, pk: int) -> HttpResponse:
    """A link to choose another password, to pass on by hand. Nobody needs one for themselves who is in already."""
    user = _user(pk)
    if user.pk == request.user.pk:
        return _with_the_password(request)
    token = services.reset_make(user=user)
    address = request.build_absolute_uri(reverse("account_reset", args=[token]))
    return _one(request, user, new_link=(f"For {user.username}", address))


@administrator_required
@require_POST
def account_unlock(request: MemberRequest, pk: int) -> HttpResponse:
    user = _user(pk)
    services.account_unlock(user=user)
    messages.success(request, phrase("{username} can log in without waiting.", username=user.username))
    return redirect("account_one", pk=pk)


@administrator_required
@require_POST
def account_set(request: MemberRequest, pk: int) -> HttpResponse:
    """Switch an account off or on, make somebody an administrator or not, or switch their second step off."""
    user, act = _user(pk), request.POST.get("act", "")
    if act == "two_step_off" and user.pk == request.user.pk:
        return _with_the_password(request)
    with refusals_told(request):
        if act in ("off", "on"):
            services.account_active_set(user=user, active=act == "on")
        elif act in ("administrator", "experimenter"):
            services.account_administrator_set(user=user, administrator=act == "administrator")
        elif act == "two_step_off":
            two_step.two_step_off(user=user)
        else:
            raise Refused(phrase("There is nothing to change."))
        messages.success(request, phrase("Saved."))
    # Whoever has just stopped being an administrator sees accounts no more.
    return redirect("account_one", pk=pk) if user.pk != request.user.pk else redirect("account")


def _with_the_password(request: MemberRequest) -> HttpResponse:
    """How an administrator comes in themselves is changed where the password is asked for: the browser may be left open."""
    messages.error(request, phrase("Change how you come in yourself here, with your password."))
    return redirect("account")
