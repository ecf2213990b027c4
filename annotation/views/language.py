"""The language of experimenters' pages: the browser's, where a catalogue of their words is given, and English otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers


def spoken_to_experimenters() -> frozenset[str]:
    """The languages of which there is a catalogue (``python -m tests.catalogues de`` begins one)."""
    return frozenset(
        code
        for code, _ in settings.LANGUAGES
        for folder in settings.LOCALE_PATHS
        if (Path(folder) / translation.to_locale(code) / "LC_MESSAGES" / "django.mo").is_file()
    )


class LanguageMiddleware:
    """Assessors' pages have the language that their study names, and say so themselves (``annotation.words``); programs get English."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.languages = spoken_to_experimenters()
        if not self.languages:
            raise MiddlewareNotUsed

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        wanted = translation.get_language_from_request(request)
        if wanted not in self.languages or request.path.startswith("/api/"):
            return self.get_response(request)
        with translation.override(wanted):
            response = self.get_response(request)
        patch_vary_headers(response, ["Accept-Language"])
        return response
