"""Which requests may take seconds. They wait for each other, and nobody else waits for them (``config.slow_lane``)."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.http.cookie import parse_cookie
from gunicorn.util import split_request_uri  # type: ignore[import-untyped]

# Exports, uploads, reports with their pages and files (one of 500 systems has 125,000 pairs), and pages that compute over a whole study;
# at last what waits for a mail server.
_HEAVY = re.compile(
    rb"""
    (?:GET|HEAD|POST)\ /(?:
        studies/[^/ ?]+/(?:
            downloads/[^ ?]+ | results/ | plan/ | open/ | build/ | report/(?!start/|[0-9]+/(?:cancel|progress)/) | tasks/[^/ ?]+/phase/
          | change/(?:wave|duplicate|overlap)/ | history/[^ ?]+ | preview/ | judgments/ | disagreement/ | materials/[^ ?]+
        )
      | upload/ | new/ | bin/[0-9]+/(?:study\.zip|judgments\.csv)
      | api/v1/studies/[^/ ?]+/(?:study\.zip|open/|judgments[./]|attributes\.|disagreement/|units/|report/runs/[0-9]+/)
      | api/v1/studies/[^/ ?]+/report/\Z
    )
  | POST\ /api/v1/studies/(?:[^/ ?]+/(?:judgments|scores|wave|copy|overlap|table|units|tasks|tasks/[^/ ?]+(?:/phase|/key)?)/)?\Z
  | POST\ /(?:studies/[^/ ?]+/people/mail/|password/forgotten/|api/v1/studies/[^/ ?]+/mail/)
    """,
    re.VERBOSE,
)


def is_heavy(head: bytes) -> bool:
    """By the first line of a request, however its address is spelled."""
    return _HEAVY.match(_asked(head)) is not None


def _asked(head: bytes) -> bytes:
    """Method and path as gunicorn reads them, of ``GET any://host/path?query#fragment`` too, and after an empty line: whoever spells a
    request oddly must not have it answered elsewhere."""
    method, _, rest = head.lstrip(b"\r\n").partition(b"\r\n")[0].partition(b" ")
    target = rest.partition(b" ")[0].decode("latin-1")
    try:
        path = split_request_uri(target).path
    except ValueError:
        return b""  # which gunicorn refuses
    return method + b" " + unquote_to_bytes(path.encode("latin-1"))


_COOKIES = re.compile(rb"\r\ncookie:([^\r\n]*)", re.IGNORECASE)
_AUTHORIZATIONS = re.compile(rb"\r\nauthorization:([^\r\n]*)", re.IGNORECASE)


def asks(head: bytes, address: str) -> bytes:
    """Who asks, as far as what would let them in tells: a token of the API, a session, or a stranger from an address.

    Read as those read it who let people in: whoever spells the same session or token in many ways is one and the same.
    """
    word, _, token = _value(_AUTHORIZATIONS, head).decode("latin-1").partition(" ")
    if word.lower() == "bearer" and _asked(head).partition(b" ")[2].startswith(b"/api/"):
        return b"token " + token.strip().encode()
    cookies = _value(_COOKIES, head).decode(errors="replace")
    session = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME, "")
    return b"session " + session.encode() if session else address.encode()


def _value(header: re.Pattern[bytes], head: bytes) -> bytes:
    """As gunicorn hands it on: a header that was sent several times is one, with commas between."""
    return b",".join(value.strip(b" \t") for value in header.findall(head))
