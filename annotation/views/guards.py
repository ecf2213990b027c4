"""Who may come in. Every view has one of these guards; ``tests/annotation/test_permissions.py`` walks them all."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import translation

from annotation.actors import SYSTEM, acting, actor_set
from annotation.errors import Refused
from annotation.models import Study
from annotation.pace import Paces
from annotation.selectors.adjudication import adjudicator_of_session
from annotation.selectors.links import Person
from annotation.selectors.studies import binned_find, membership_find
from annotation.selectors.work import assessor_of_session
from annotation.services.links import person_seen
from annotation.study_files.schema import Settings
from annotation.words import gettext, phrase, spoken

View = Callable[..., HttpResponseBase]
FINGERPRINT = 32
_paces = Paces()


class ActorMiddleware:
    """Whoever a guard lets in acts until the end of the request, and not in the next one of the same thread."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with acting(SYSTEM):
            return self.get_response(request)


class _ByLink(Generic[Person]):
    """People who come in by a personal link, and what they are called: in a session, in a view, in the history."""

    def __init__(self, name: str, of_session: Callable[..., Person | None], *, pace: int) -> None:
        self._name, self._pace = name, pace
        self._of_session: Callable[..., Person | None] = of_session
        self._key = f"{name}s"  # in the session: study slug → [id, fingerprint of the link's hash]

    def enter(self, request: HttpRequest, person: Person) -> None:
        """Exchange a link for a session, so that the token does not stay in the address bar."""
        request.session.cycle_key()
        entered = request.session.get(self._key, {})
        entered[person.study.slug] = [person.pk, (person.token_hash or "")[:FINGERPRINT]]
        request.session[self._key] = entered

    def inside(self, request: HttpRequest, slug: str) -> Person | None:
        """Whose link this browser has opened; a study that was renamed since is found under both slugs."""
        entered = request.session.get(self._key, {})
        for pk, fingerprint in [entered[slug]] if slug in entered else [entered[other] for other in entered]:
            if person := self._of_session(pk=pk, fingerprint=fingerprint, slug=slug):
                return person
        return None

    def required(self, view: View) -> View:
        """Let in only the person whose link this browser has opened; the view gets them, under their name."""

        @functools.wraps(view)
        def guarded(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponseBase:
            person = self.inside(request, slug)
            if person is None:
                return no_entry(request, has_left=True)
            with spoken(interface_of(person.study)):
                if _paces.too_fast(self._pace * person.pk):
                    return _slow_down()
                actor_set(f"{self._name} {person.pseudonym}")
                person_seen(person=person)
                return view(request, **{self._name: person}, **kwargs)

        return guarded


_assessors = _ByLink("assessor", assessor_of_session, pace=1)
_adjudicators = _ByLink("adjudicator", adjudicator_of_session, pace=-1)  # their numbers are their own
assessor_enter, assessor_inside, assessor_required = _assessors.enter, _assessors.inside, _assessors.required
adjudicator_enter, adjudicator_required = _adjudicators.enter, _adjudicators.required


def interface_of(study: Study) -> str:
    """The language of the assessors' pages, as the study file names it."""
    return Settings.model_validate(study.settings).interface


def no_entry(request: HttpRequest, *, has_left: bool, status: int = 403) -> HttpResponse:
    """Nobody knows who this is, so the browser says in which language to tell them."""
    with translation.override(translation.get_language_from_request(request)):
        return render(request, "annotation/assess/no_entry.html", {"has_left": has_left}, status=status)


def _slow_down() -> HttpResponse:
    words = gettext("This browser asks too often. Wait a minute, then go on; what was saved is kept.")
    response = JsonResponse({"status": "slow-down", "message": words}, status=429)
    response["Retry-After"] = "60"
    return response


def experimenter_required(view: View) -> View:
    """Let in whoever has an account; from here on they act."""

    @login_required
    @functools.wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        assert isinstance(request.user, User)  # login_required has seen to it
        actor_set(f"experimenter {request.user.username}")
        return view(request, **kwargs)

    return guarded


def member_required(role: str) -> Callable[[View], View]:
    """Let in only experimenters with this role or one that may do more; the view gets ``study``.

    To everybody else the study does not exist: a stranger must not learn which studies there are.
    """

    def decorate(view: View) -> View:
        @experimenter_required
        @functools.wraps(view)
        def guarded(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponseBase:
            assert isinstance(request.user, User)
            membership = membership_find(request.user, slug)
            if membership is None:
                raise Http404(phrase("There is no such study."))
            if not membership.may(role):
                return render(request, "403.html", status=403)
            request.membership = membership  # type: ignore[attr-defined]
            study: Study = membership.study
            try:
                return view(request, study=study, **kwargs)
            except Study.DoesNotExist:  # an owner has just deleted or replaced it
                raise Http404(phrase("There is no such study any more.")) from None
            except Refused as refused:  # not foreseen by the page: somebody else was quicker
                if request.method != "POST":
                    raise
                messages.error(request, str(refused))
                return redirect("study", slug=study.slug)

        return guarded

    return decorate


def administrator_required(view: View) -> View:
    """Let in only experimenters who look after the accounts of this server."""

    @experimenter_required
    @functools.wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        assert isinstance(request.user, User)
        if not request.user.is_superuser:
            return render(request, "403.html", status=403)
        return view(request, **kwargs)

    return guarded


def binned_required(view: View) -> View:
    """Let in only owners of a study that is in the bin; the view gets ``study``. To everybody else there is none."""

    @experimenter_required
    @functools.wraps(view)
    def guarded(request: HttpRequest, pk: int, **kwargs: Any) -> HttpResponseBase:
        assert isinstance(request.user, User)
        study = binned_find(request.user, pk)
        if study is None:
            raise Http404(phrase("There is no such study in the bin."))
        return view(request, study=study, **kwargs)

    return guarded
