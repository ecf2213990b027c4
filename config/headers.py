"""What every answer says of itself, and a line about every request, without who asked."""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation.means import is_out_of_means
from config.metering import kind_of, meter
from config.probes import PROBES

request_id: ContextVar[str] = ContextVar("request_id", default="-")
access = logging.getLogger("touchstone.access")

# Nothing of this is used; a text that got into a page must not be able to ask for it.
PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "autoplay", "camera", "display-capture", "encrypted-media"),
        *("geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment"),
        *("publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
    )
)
LONGEST = 200  # characters of what the system says is wrong
_GIVEN = re.compile(r"[\w.-]{8,64}", re.ASCII)
# Addresses that open something to whoever has them: personal links, invitations, another password, joining.
_LINK = re.compile(r"/(join|welcome|password/new|take-part)/[^/\s?#]+")


# What would begin another line, or tell a terminal what to do.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _unlinked(text: str) -> str:
    """A link is as good as a password: whoever reads a log must not find it there."""
    return _LINK.sub(r"/\1/…", text)


def _in_a_line(text: str) -> str:
    """Whoever asks for an address must not write lines of their own into a log."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class HeadersMiddleware:
    """First of all, so that static files and refusals have them too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "") if settings.TRUSTED_PROXIES else ""
        number = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex[:16]
        token = request_id.set(number)
        started = time.monotonic()
        try:
            response = self.get_response(request)
            response.headers.setdefault("Permissions-Policy", PERMISSIONS)
            response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            # Static files say otherwise; a page must not come back to whoever sits at the browser next.
            response.headers.setdefault("Cache-Control", "no-store, private")
            response["X-Request-Id"] = number
            seconds = time.monotonic() - started
            if request.path_info not in PROBES:
                meter.count(kind_of(request.method, request.path_info), response.status_code, seconds)
            if access.isEnabledFor(logging.INFO):
                # No address and no name.
                path = _in_a_line(_unlinked(request.path))
                took = 1000 * seconds
                fields = {
                    "method": request.method,
                    "path": path,
                    "status": response.status_code,
                    "ms": round(took),
                }
                words = (request.method, path, response.status_code, took)
                access.info("%s %s %d %.0f ms", *words, extra={"fields": fields})
            return response
        finally:
            request_id.reset(token)


class WithRequestId(logging.Filter):
    """So that what goes wrong can be told from the line of the request that it happened in; never with a link in it.

    A disk that is full, a database that is away or a stranger's request that Django refuses (another host's name, say) gets a line, and
    no traceback: nobody's program is at fault, and the log must not fill what is left of the disk.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        fault = record.exc_info[1] if record.exc_info else None
        if fault is not None and is_out_of_means(fault):
            words = (str(fault).strip().splitlines() or [""])[0][:LONGEST]
            record.msg = _unlinked(f"{record.getMessage()} ({type(fault).__name__}: {words})")
            record.args = ()
            record.exc_info = record.exc_text = None
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        if record.name.startswith("gunicorn.") and not record.args:
            # What is no request stands there as it was sent: whole, and with the link of whoever's mail program spells it oddly.
            record.msg = _unlinked(str(record.msg))[:LONGEST]
        if isinstance(record.args, tuple):  # Django logs the address of what it refuses
            record.args = tuple(
                _unlinked(given) if isinstance(given, str) else given for given in record.args
            )
        return True


class JsonLines(logging.Formatter):
    """A line of the log as an object, for programs that collect logs; what a request was is in fields of its own."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "request_id", "-"),
            "process": record.process,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            said["exception"] = _unlinked(self.formatException(record.exc_info))
        return json.dumps(said, ensure_ascii=False, default=str)
