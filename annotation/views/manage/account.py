"""Logging in and out. There is no registration: accounts are made on the server (``docs/production.md``)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from annotation.actors import actor_set
from annotation.selectors.tokens import token_count
from annotation.services.attempts import (
    BROWSER_YEAR,
    Attempt,
    attempt_failed,
    attempt_succeeded,
    attempt_wait,
    browser_known,
)
from annotation.services.passwords import first_password_use, password_changed
from annotation.views.first_password import SESSION_KEY

BROWSER_COOKIE = "known_browser"


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("study_list")  # which asks for a login first


class Login(auth_views.LoginView):
    """Django's login, slower with every wrong password; the first one leads to a password of one's own."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        seconds = attempt_wait(attempt=self._attempt())
        if seconds:
            return self._not_yet(seconds)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        attempt_failed(attempt=self._attempt())
        seconds = attempt_wait(attempt=self._attempt())
        return self._not_yet(seconds) if seconds else super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user: Any = form.get_user()
        first = user.last_login is None
        attempt_succeeded(attempt=self._attempt())
        used_up = first_password_use(user=user)
        response = super().form_valid(form)
        self.request.session.set_expiry(settings.EXPERIMENTER_SESSION_AGE)
        if used_up:
            self.request.session[SESSION_KEY] = True
        if used_up or first:
            messages.info(
                self.request,
                "Choose a password of your own: the one you have just used was for the first time.",
            )
            response = redirect("password")
        self._remember_browser(response, user)
        return response

    def _attempt(self) -> Attempt:
        return Attempt(
            name=self.request.POST.get("username", "")[:200],
            address=self.request.META.get("REMOTE_ADDR", ""),
            browser=self.request.COOKIES.get(BROWSER_COOKIE, ""),
        )

    def _not_yet(self, seconds: int) -> HttpResponse:
        response = render(self.request, "registration/locked.html", {"seconds": seconds}, status=429)
        response["Retry-After"] = str(seconds)
        return response

    def _remember_browser(self, response: HttpResponse, user: User) -> None:
        response.set_cookie(
            BROWSER_COOKIE,
            browser_known(name=user.username),
            max_age=BROWSER_YEAR,
            path=str(reverse_lazy("login")),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


class Password(auth_views.PasswordChangeView):
    """Whoever came in with the printed password need not give it again: it is used up."""

    success_url = reverse_lazy("study_list")

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
        messages.success(self.request, f"Your password is changed.{tokens}")
        return response


login = Login.as_view()
logout = auth_views.LogoutView.as_view()
password = Password.as_view()
