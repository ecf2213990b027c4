"""Addresses that are given to people, whole."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from rest_framework.request import Request


def link_address(request: HttpRequest | Request, token: str) -> str:
    """The address of a personal link, as whoever asks reaches this server."""
    return request.build_absolute_uri(reverse("join", args=[token]))
