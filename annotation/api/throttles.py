"""How often one may ask: counted by all server processes together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.cache import caches
from django.utils.connection import ConnectionProxy
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from annotation.counts import CACHE, alone

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports this module


class Counted(SimpleRateThrottle):
    """REST framework reads a count and then writes it: those who ask at the same moment do that one after another."""

    cache = ConnectionProxy(caches, CACHE)  # type: ignore[assignment]

    def allow_request(self, request: Request, view: APIView) -> bool:
        with alone():
            return super().allow_request(request, view)


class Users(Counted, UserRateThrottle):
    """All tokens and browsers of a user together."""

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return super().get_cache_key(request, view) if request.user.is_authenticated else None


class Strangers(Counted, AnonRateThrottle):
    """Everybody else, by address."""
