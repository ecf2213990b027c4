"""Logging in and out. There is no registration: accounts are made on the server (``docs/production.md``)."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from annotation.selectors.tokens import token_count


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("study_list")  # which asks for a login first


class Login(auth_views.LoginView):
    """Django's login; the first one leads to a password of one's own, since the first password was printed."""

    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        first = form.get_user().last_login is None
        response = super().form_valid(form)
        if not first:
            return response
        messages.info(
            self.request, "Choose a password of your own: the one you have just used was for the first time."
        )
        return redirect("password")


class Password(auth_views.PasswordChangeView):
    success_url = reverse_lazy("study_list")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        kept = token_count(form.user)
        tokens = (
            f" API tokens work as before; you have {kept}, and can revoke them under “API tokens”."
            if kept
            else ""
        )
        messages.success(self.request, f"Your password is changed.{tokens}")
        return super().form_valid(form)


login = Login.as_view()
logout = auth_views.LogoutView.as_view()
password = Password.as_view()
