"""Probes are answered first: they come from the machine itself, which has not the name that people use, and without TLS."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import resolve

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


class ProbesMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in PROBES:
            return self.get_response(request)
        view, args, kwargs = resolve(request.path_info)
        return view(request, *args, **kwargs)
