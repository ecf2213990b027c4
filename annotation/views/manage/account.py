"""Logging in and out, and one's own account. There is no registration: accounts are made by invitation (``docs/production.md``)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_http_methods, require_safe

from annotation.account_forms import WRONG, AccountEmailForm
from annotation.actors import actor_set
from annotation.selectors.accounts import two_step_of
from annotation.selectors.tokens import token_count
from annotation.services.accounts import account_email_set
from annotation.services.attempts import Attempt, attempt_failed, attempt_succeeded, attempt_wait
from annotation.services.passwords import password_changed
from annotation.views.first_password import SESSION_KEY
from annotation.views.letting_in import (
    BROWSER_COOKIE,
    let_in,
    not_yet,
    saying_it_again,
    second_step_ask,
    sent,
)
from annotation.views.manage.frame import MemberRequest
from annotation.words import phrase


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("study_list")  # which asks for a login first


class Login(auth_views.LoginView):
    """Django's login, slower with every wrong password; the first one leads to a password of one's own."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        seconds = attempt_wait(attempt=self._attempt())
        if seconds:
            return not_yet(request, seconds)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        attempt_failed(attempt=self._attempt())
        seconds = attempt_wait(attempt=self._attempt())
        return not_yet(self.request, seconds) if seconds else super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user: Any = form.get_user()
        attempt_succeeded(attempt=self._attempt())
        if two_step_of(user):
            return second_step_ask(self.request, user, self.get_success_url())
        return let_in(self.request, user, self.get_success_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Whoever was logged in here before and asked for a page of their own is told why this one comes."""
        was_inside = BROWSER_COOKIE in self.request.COOKIES
        asked = self.get_redirect_url() not in {"", str(reverse_lazy("study_list"))}
        has_ended = was_inside and asked and self.request.method == "GET"
        return super().get_context_data(**kwargs) | {"has_ended": has_ended}

    def _attempt(self) -> Attempt:
        return Attempt(
            name=self.request.POST.get("username", "")[:200],
            address=self.request.META.get("REMOTE_ADDR", ""),
            browser=self.request.COOKIES.get(BROWSER_COOKIE, ""),
        )


class Password(auth_views.PasswordChangeView):
    """Whoever came in with the printed password need not give it again: it is used up."""

    success_url = reverse_lazy("study_list")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # With the printed password, which is used up, there is nothing to guess.
        asked = self.get_form_class() is PasswordChangeForm
        seconds = attempt_wait(attempt=saying_it_again(self._user())) if asked else 0
        return not_yet(request, seconds) if seconds else super().post(request, *args, **kwargs)

    def form_invalid(self, form: PasswordChangeForm) -> HttpResponse:
        if form.has_error("old_password", "password_incorrect"):
            attempt_failed(attempt=saying_it_again(self._user()))
        return super().form_invalid(form)

    def _user(self) -> User:
        assert isinstance(self.request.user, User)  # nobody else is let in
        return self.request.user

    def get_form_class(self) -> Any:
        return SetPasswordForm if self.request.session.get(SESSION_KEY) else PasswordChangeForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"must": bool(self.request.session.get(SESSION_KEY))}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        kept = token_count(form.user)
        tokens = (
            f" API tokens work as before; you have {kept}, and can revoke them under “API tokens”."
            if kept
            else ""
        )
        response = super().form_valid(form)
        actor_set(f"experimenter {form.user.get_username()}")
        password_changed(user=form.user)
        update_session_auth_hash(self.request, form.user)
        self.request.session.pop(SESSION_KEY, None)
        messages.success(self.request, phrase("Your password is changed.{tokens}", tokens=tokens))
        return response


@login_required
@require_http_methods(["GET", "POST"])
def account(request: MemberRequest) -> HttpResponse:
    """One's own account: where a forgotten password is mended, and the second step of the login."""
    user = request.user
    attempt = saying_it_again(user)
    if request.method == "POST" and (seconds := attempt_wait(attempt=attempt)):
        return not_yet(request, seconds)
    form = AccountEmailForm(sent(request), user=user, initial={"email": user.email})
    if form.has_error("password", WRONG):
        attempt_failed(attempt=attempt)
    if request.method == "POST" and form.is_valid():
        actor_set(f"experimenter {user.username}")
        account_email_set(user=user, email=form.cleaned_data["email"])
        messages.success(request, phrase("Saved."))
        return redirect("account")
    context = {"form": form, "two_step": two_step_of(user), "tokens": token_count(user)}
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/account.html", context, status=status)


login = Login.as_view()
logout = auth_views.LogoutView.as_view()
password = Password.as_view()
