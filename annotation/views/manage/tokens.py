"""An experimenter's tokens for the API: made, seen once, revoked."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.account_forms import WRONG
from annotation.errors import Refused
from annotation.forms import TokenForm
from annotation.found import found_or_404
from annotation.models import ApiToken
from annotation.selectors import tokens as selectors
from annotation.services import tokens as services
from annotation.services.attempts import attempt_failed, attempt_wait
from annotation.views.guards import experimenter_required
from annotation.views.letting_in import not_yet, saying_it_again
from annotation.views.manage.frame import MemberRequest
from annotation.words import phrase


@experimenter_required
@require_http_methods(["GET", "POST"])
@never_cache
def tokens(request: MemberRequest) -> HttpResponse:
    """The answer to the form itself shows the new token. Behind a redirect it would have to be stored until then."""
    user, attempt = request.user, saying_it_again(request.user)
    if request.method == "GET":
        return _page(request, TokenForm(user=user))
    if seconds := attempt_wait(attempt=attempt):
        return not_yet(request, seconds)
    form = TokenForm(request.POST, user=user)
    if form.has_error("password", WRONG):
        attempt_failed(attempt=attempt)
    if form.is_valid():
        name = form.cleaned_data["name"]
        try:
            token = services.token_create(
                user=user,
                name=name,
                scope=form.cleaned_data["scope"] or ApiToken.Scope.WRITE,
                days=form.cleaned_data["days"],
            )
            return _page(request, TokenForm(user=user), new_token=(name, token))
        except Refused as refused:
            form.add_error("name", str(refused))
    return _page(request, form, status=422)


def _page(
    request: MemberRequest, form: TokenForm, *, new_token: tuple[str, str] | None = None, status: int = 200
) -> HttpResponse:
    context = {"tokens": selectors.tokens_of(request.user), "new_token": new_token, "form": form}
    return render(request, "annotation/manage/tokens.html", context, status=status)


@experimenter_required
@require_POST
def token_revoke(request: MemberRequest, pk: int) -> HttpResponse:
    token = found_or_404(selectors.token_find(request.user, pk), phrase("There is no such token."))
    services.token_revoke(token=token)
    messages.success(request, phrase("The token “{name}” no longer works.", name=token.name))
    return redirect("tokens")
