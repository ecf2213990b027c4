"""Whose request it is, also behind a proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ClientAddressMiddleware:
    """``REMOTE_ADDR`` becomes the client's, as the trusted proxies tell it.

    Each of them adds to ``X-Forwarded-For`` whom it talks to, so that what the last of them wrote stands last. What stands
    before that was sent by the client, who may write there what it likes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.TRUSTED_PROXIES:
            told = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")[-settings.TRUSTED_PROXIES :]
            with suppress(ValueError):  # nothing that is an address: then it is the proxy's that counts
                request.META["REMOTE_ADDR"] = str(ipaddress.ip_address(told[0].strip()))
        return self.get_response(request)


def network_of(address: str) -> str:
    """Who has one address of IPv6 has 2^64 of them: they count as one. But for those that stand for one of IPv4."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 6 and parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
