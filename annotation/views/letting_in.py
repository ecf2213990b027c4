"""Letting an experimenter in: after the password, after the second step, or by an invitation."""

from __future__ import annotations

import time

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login as auth_login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse_lazy

from annotation.services.attempts import AGAIN, BROWSER_YEAR, Attempt, browser_known
from annotation.services.passwords import first_password_use
from annotation.views.first_password import SESSION_KEY
from annotation.words import phrase

BACKEND = "django.contrib.auth.backends.ModelBackend"
BROWSER_COOKIE = "known_browser"
SECOND_STEP_KEY = "second_step"  # in the session: who has given the right password, and not yet the code
MINUTES = 10


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with; an empty one was sent as well."""
    return request.POST if request.method == "POST" else None


def second_step_ask(request: HttpRequest, user: User, address: str) -> HttpResponse:
    """The password was right. Nothing is open before the code is, too."""
    request.session[SECOND_STEP_KEY] = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),  # another password meanwhile: begin again
        "until": time.time() + MINUTES * 60,
        "address": address,
    }
    return redirect("login_code")


def let_in(request: HttpRequest, user: User, address: str) -> HttpResponse:
    """Whoever has proved who they are is logged in; the first time they choose a password of their own."""
    first = user.last_login is None
    used_up = first_password_use(user=user)
    response = enter(request, user, address)
    if used_up:
        request.session[SESSION_KEY] = True
    if used_up or first:
        messages.info(
            request,
            phrase("Choose a password of your own: the one you have just used was for the first time."),
        )
        response["Location"] = str(reverse_lazy("password"))
    return response


def enter(request: HttpRequest, user: User, address: str) -> HttpResponse:
    """Logged in, and on the way to this address, which is never the name of a view. The browser is remembered as one of theirs."""
    auth_login(request, user, backend=BACKEND)
    request.session.set_expiry(settings.EXPERIMENTER_SESSION_AGE)
    response = HttpResponseRedirect(address)
    response.set_cookie(
        BROWSER_COOKIE,
        browser_known(name=user.username),
        max_age=BROWSER_YEAR,
        path=str(reverse_lazy("login")),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def saying_it_again(user: User) -> Attempt:
    """Whoever sits at an open browser says the password once more; guesses are slowed down as those of codes are.

    They are counted for themselves: whoever guesses at the login must not keep the owner from choosing another password.
    """
    return Attempt(name=user.username, address="", slow=AGAIN)


def not_yet(request: HttpRequest, seconds: int, *, second_step: bool = False) -> HttpResponse:
    """Too many wrong passwords or codes."""
    minutes = -(-seconds // 60) if seconds > 120 else 0
    context = {"seconds": seconds, "minutes": minutes, "second_step": second_step}
    response = render(request, "registration/locked.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
