"""The second step of a login: asked for after the password; set up and switched off by its owner."""

from __future__ import annotations

import time

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotation import totp
from annotation.account_forms import WRONG, CodeForm, PasswordForm, SetUpForm
from annotation.actors import actor_set
from annotation.errors import Refused
from annotation.qr import qr_code
from annotation.selectors.accounts import two_step_of, user_active
from annotation.services import two_step as services
from annotation.services.attempts import (
    SECOND_STEP,
    Attempt,
    attempt_failed,
    attempt_succeeded,
    attempt_wait,
)
from annotation.views.letting_in import (
    BROWSER_COOKIE,
    SECOND_STEP_KEY,
    let_in,
    not_yet,
    saying_it_again,
    sent,
)
from annotation.views.manage.frame import MemberRequest, refusals_told
from annotation.words import phrase


def _waiting(request: HttpRequest) -> tuple[User, str] | None:
    """Who is between the two steps, and where they want to go."""
    kept = request.session.get(SECOND_STEP_KEY)
    user = user_active(kept["user"]) if kept and kept["until"] > time.time() else None
    if kept and user and constant_time_compare(kept["password"], user.get_session_auth_hash()):
        return user, kept["address"]
    request.session.pop(SECOND_STEP_KEY, None)
    return None


@require_http_methods(["GET", "POST"])
@never_cache
def login_code(request: HttpRequest) -> HttpResponse:
    waiting = _waiting(request)
    if waiting is None:
        return redirect("login")
    user, address = waiting
    form = CodeForm(sent(request))
    attempt = Attempt(
        # Nobody guesses a recovery code: the owner comes in by one, however many codes others have tried.
        name="" if services.is_recovery_code(request.POST.get("code", "")) else user.username,
        address=request.META.get("REMOTE_ADDR", ""),
        browser=request.COOKIES.get(BROWSER_COOKIE, ""),
        slow=SECOND_STEP,
    )
    if request.method == "POST":
        if seconds := attempt_wait(attempt=attempt):
            return not_yet(request, seconds, second_step=True)
        if form.is_valid():
            actor_set(f"experimenter {user.username}")
            used = services.two_step_check(user=user, code=form.cleaned_data["code"])
            if used:
                attempt_succeeded(attempt=attempt)
                request.session.pop(SECOND_STEP_KEY, None)
                response = let_in(request, user, address)
                if used == "recovery":
                    row = two_step_of(user)
                    left = len(row.recovery) if row else 0
                    words = phrase(
                        "That recovery code is used up; {left} are left. Make new ones under “Your account”.",
                        left=left,
                    )
                    messages.warning(request, words)
                return response
            attempt_failed(attempt=attempt)
            form.add_error(
                "code", phrase("This is not the code, or it was used before. Wait for the next one.")
            )
    return render(
        request, "registration/code.html", {"form": form}, status=422 if request.method == "POST" else 200
    )


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def two_step(request: MemberRequest) -> HttpResponse:
    """Set it up: the key goes into an app, and a code of the app shows that it did. Whoever sits at an open browser must not do that."""
    actor_set(f"experimenter {request.user.username}")
    attempt = saying_it_again(request.user)
    if request.method == "POST" and (seconds := attempt_wait(attempt=attempt)):
        return not_yet(request, seconds)
    form = SetUpForm(sent(request), user=request.user)
    if form.has_error("password", WRONG):
        attempt_failed(attempt=attempt)
    try:
        secret = services.two_step_begin(user=request.user, anew=request.method == "GET")
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("account")
    if request.method == "POST" and form.is_valid():
        try:
            codes = services.two_step_confirm(user=request.user, code=form.cleaned_data["code"])
        except Refused as refused:
            form.add_error("code", str(refused))
        else:
            return _codes(request, codes, is_new=True)
    address = totp.address(secret, issuer=f"Touchstone {request.get_host()}", name=request.user.username)
    context = {
        "form": form,
        "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        "address": address,
        "qr": qr_code(address),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/manage/two_step.html", context, status=status)


@login_required
@require_POST
@sensitive_post_parameters()
def two_step_off(request: MemberRequest) -> HttpResponse:
    if not _is_owner_of_account(request):
        return redirect("account")
    with refusals_told(request):
        services.two_step_off(user=request.user)
        messages.success(request, phrase("Two-step login is off: the password alone lets you in."))
    return redirect("account")


@login_required
@require_POST
@never_cache
@sensitive_post_parameters()
def recovery_codes(request: MemberRequest) -> HttpResponse:
    """New recovery codes, shown by the answer to the form itself: behind a redirect they would have to be stored."""
    if not _is_owner_of_account(request):
        return redirect("account")
    try:
        return _codes(request, services.recovery_codes_renew(user=request.user), is_new=False)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("account")


def _is_owner_of_account(request: MemberRequest) -> bool:
    """Whoever sits at an open browser must know the password, too; guesses are slowed down as at the login."""
    actor_set(f"experimenter {request.user.username}")
    attempt = saying_it_again(request.user)
    if seconds := attempt_wait(attempt=attempt):
        messages.error(request, phrase("Too many attempts. Try again in {seconds} seconds.", seconds=seconds))
        return False
    if PasswordForm(request.POST, user=request.user).is_valid():
        return True
    attempt_failed(attempt=attempt)
    messages.error(request, phrase("This is not your password."))
    return False


def _codes(request: MemberRequest, codes: list[str], *, is_new: bool) -> HttpResponse:
    return render(request, "annotation/manage/recovery_codes.html", {"codes": codes, "is_new": is_new})
