"""Addresses that are given to people, whole."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from rest_framework.request import Request


def mailed_address(request: HttpRequest, path: str) -> str:
    """For a mail that a stranger has asked for: the settings say where it leads, if they do. What the request says of itself is the
    stranger's, who may at least choose another port of this host.
    """
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL_GIVEN else request.build_absolute_uri(path)


def link_address(request: HttpRequest | Request, token: str) -> str:
    """The address of a personal link, as whoever asks reaches this server."""
    return request.build_absolute_uri(reverse("join", args=[token]))
