"""For programs that watch over the server: is it alive, is it ready, what is to be measured. Nobody logs in here.

They are answered before anything asks for a host name or for TLS (``config.probes``): a probe comes from the machine itself.
"""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.selectors.operations import away, facts, not_ready
from config.exposition import CONTENT_TYPE, exposition
from config.metering import meter

PLAIN = "text/plain; charset=utf-8"


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers: no database, no disk."""
    return HttpResponse("ok\n", content_type=PLAIN)


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether people can work here, else a word for each thing that is wrong. A part that is away is named, and no reason to
    send people elsewhere: they can judge without it."""
    faults = not_ready()
    words = [*faults, *(f"{part} away" for part in away())]
    body = "".join(f"{word}\n" for word in words) if words else "ok\n"
    return HttpResponse(body, content_type=PLAIN, status=503 if faults else 200)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Only with the token of the settings; without one there is nothing here."""
    if not settings.METRICS_TOKEN:
        raise Http404("Nothing is measured here.")
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        refused = HttpResponse("token\n", content_type=PLAIN, status=401)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    return HttpResponse(exposition(facts(), meter), content_type=CONTENT_TYPE)
