"""Sending a webhook: one POST to the address of the settings, signed, that follows nobody anywhere.

The address is never one of a study's, and its host must be named a second time (``TOUCHSTONE_WEBHOOK_HOSTS``), so that a slip in
one setting sends nothing to a stranger.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
import time
import uuid
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from annotation.words import phrase

SECONDS = 10.0  # for each step: connecting, sending, a piece of the answer
DEADLINE = 30.0  # for all of it: whoever answers a byte at a time, or “continue” without end, must not hold up the backups
LONGEST_ANSWER = 1024
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class NotSent(Exception):
    """In words that the page of operations can show."""


def webhook_wanted() -> bool:
    return bool(settings.WEBHOOK_URL)


def webhook_problem() -> str:
    """Why nothing can be sent, as the settings are; empty if all is well, or no webhook is wanted."""
    if not webhook_wanted():
        return ""
    try:
        address = urlsplit(settings.WEBHOOK_URL)
        host, _ = address.hostname or "", address.port
    except ValueError:
        return phrase("TOUCHSTONE_WEBHOOK_URL is no address.")
    if address.scheme not in {"http", "https"} or not host or address.username or address.fragment:
        return phrase("TOUCHSTONE_WEBHOOK_URL must be an address that begins with https://.")
    if address.scheme == "http" and host not in LOOPBACK:
        return phrase(
            "TOUCHSTONE_WEBHOOK_URL must begin with https://: what is sent names studies and pseudonyms."
        )
    if host not in settings.WEBHOOK_HOSTS:
        return phrase("TOUCHSTONE_WEBHOOK_HOSTS does not name {host}.", host=host)
    if not settings.WEBHOOK_SECRET:
        return phrase("TOUCHSTONE_WEBHOOK_SECRET is not set: without it nobody could tell that it was us.")
    return ""


def signature(body: bytes, moment: int) -> str:
    """``t=…,v1=…``: the moment, and HMAC-SHA256 of moment, a dot and the body, so that an old message cannot be sent again."""
    digest = hmac.new(settings.WEBHOOK_SECRET.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    return f"t={moment},v1={digest.hexdigest()}"


def webhook_post(*, event: str, public_id: uuid.UUID, payload: dict[str, Any]) -> None:
    """``NotSent`` unless the other side has answered with a 2xx; a redirect is no such answer and is not followed."""
    if refusal := webhook_problem():
        raise NotSent(refusal)
    body = json.dumps(payload, ensure_ascii=False, sort_keys=True).encode()
    address = urlsplit(settings.WEBHOOK_URL)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Touchstone",
        "X-Touchstone-Event": event,
        "X-Touchstone-Delivery": str(public_id),
        "X-Touchstone-Signature": signature(body, int(time.time())),
    }
    connection = _connection(address.scheme, address.hostname or "", address.port)
    try:
        connection.connect()
        deadline = threading.Timer(DEADLINE, _hang_up, [connection.sock])
        deadline.start()
    except (OSError, http.client.HTTPException) as problem:
        raise NotSent(f"{type(problem).__name__}: {problem}"[:300]) from problem
    try:
        path = address.path or "/"
        connection.request("POST", f"{path}?{address.query}" if address.query else path, body, headers)
        answer = connection.getresponse()
        answer.read(LONGEST_ANSWER)
    except (OSError, http.client.HTTPException) as problem:
        raise NotSent(f"{type(problem).__name__}: {problem}"[:300]) from problem
    finally:
        deadline.cancel()
        connection.close()
    if not 200 <= answer.status < 300:
        raise NotSent(phrase("The other side answered {status}.", status=answer.status))


def _hang_up(line: socket.socket) -> None:
    """Whoever is reading from it finds it closed. Past TLS, which would first say goodbye to the other side."""
    with suppress(OSError):
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=context)
    return http.client.HTTPConnection(host, port, timeout=SECONDS)
