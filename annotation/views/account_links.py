"""Links that invite an experimenter, and those that lead to another password. Whoever has one need not be logged in.

A GET uses nothing up: programs that look through mail open every link in it.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.account_forms import ForgottenForm, NewPasswordForm, WelcomeForm
from annotation.actors import actor_set
from annotation.addresses import mailed_address
from annotation.errors import Refused
from annotation.selectors.accounts import link_find
from annotation.services import accounts as services
from annotation.services.attempts import FORGOTTEN, Attempt, attempt_failed, attempt_wait
from annotation.views.letting_in import enter, not_yet, sent
from annotation.words import phrase


def _over(request: HttpRequest) -> HttpResponse:
    return render(request, "registration/link_over.html", status=404)


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters()
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Make an account; somebody who is logged in takes part in the study with the one that they have."""
    link = link_find(token, invites=True)
    if link is None:
        return _over(request)
    if isinstance(request.user, User):
        return _with_account(request, token, request.user)
    form = WelcomeForm(sent(request))
    if request.method == "POST" and form.is_valid():
        name, password = form.cleaned_data["username"], form.cleaned_data["password"]
        actor_set(f"experimenter {name.strip()}")
        try:
            user = services.invitation_accept(token=token, username=name, password=password)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, phrase("Welcome, {username}.", username=user.username))
            return enter(request, user, reverse("study_list"))
    status = 422 if request.method == "POST" else 200
    return render(request, "registration/invitation.html", {"form": form, "link": link}, status=status)


def _with_account(request: HttpRequest, token: str, user: User) -> HttpResponse:
    if request.method == "POST":
        actor_set(f"experimenter {user.username}")
        try:
            study = services.invitation_join(token=token, user=user)
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect("study_list")
        messages.success(request, phrase("You are in “{name}” now.", name=study.name))
        return redirect("study", slug=study.slug)
    return render(request, "registration/invitation.html", {"link": link_find(token, invites=True)})


@require_http_methods(["GET", "POST"])
@never_cache
@sensitive_post_parameters()
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Choose another password. It lets nobody in by itself: the login, with both its steps, comes afterwards."""
    link = link_find(token, invites=False)
    if link is None or link.user is None:
        return _over(request)
    form = NewPasswordForm(sent(request))
    if request.method == "POST" and form.is_valid():
        actor_set(f"experimenter {link.user.username}")
        try:
            services.reset_use(token=token, password=form.cleaned_data["password"])
        except Refused as refused:
            form.add_error("password", str(refused))
        else:
            messages.success(request, phrase("Your password is changed. Log in with it."))
            return redirect("login")
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "username": link.user.username}
    return render(request, "registration/reset.html", context, status=status)


@require_http_methods(["GET", "POST"])
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """A link by mail. Whether there is such an account is not told."""
    form = ForgottenForm(sent(request))
    if request.method == "POST" and form.is_valid():
        who = form.cleaned_data["who"]
        attempt = Attempt(name=who, address=request.META.get("REMOTE_ADDR", ""), slow=FORGOTTEN)
        if seconds := attempt_wait(attempt=attempt):
            return not_yet(request, seconds)
        attempt_failed(attempt=attempt)  # each counts: mail must not become a flood
        services.forgotten_mail(
            who=who, address=lambda token: mailed_address(request, reverse("account_reset", args=[token]))
        )
        return render(request, "registration/forgotten.html", {"sent": True})
    status = 422 if request.method == "POST" else 200
    return render(request, "registration/forgotten.html", {"form": form}, status=status)
