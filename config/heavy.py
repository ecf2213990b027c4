"""Which requests may take seconds. They wait for each other, and nobody else waits for them (``config.slow_lane``)."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

# Exports, uploads, reports with their pages and files (one of 500 systems has 125,000 pairs), and pages that compute over a whole study;
# at last what waits for a mail server.
_HEAVY = re.compile(
    rb"""
    (?:GET|HEAD|POST)\ (?:https?://[^/ ]*)?/(?:
        studies/[^/ ?]+/(?:
            downloads/[^ ?]+ | results/ | plan/ | open/ | build/ | report/(?!start/|[0-9]+/(?:cancel|progress)/) | tasks/[^/ ?]+/phase/
          | change/(?:wave|duplicate|overlap)/ | history/[^ ?]+ | preview/ | judgments/ | disagreement/
        )
      | upload/ | new/ | bin/[0-9]+/(?:study\.zip|judgments\.csv)
      | api/v1/studies/[^/ ?]+/(?:study\.zip|open/|judgments[./]|attributes\.|disagreement/|report/runs/[0-9]+/)
      | api/v1/studies/[^/ ?]+/report/[ ?]
    )
  | POST\ (?:https?://[^/ ]*)?/api/v1/studies/(?:[^/ ?]+/(?:judgments|scores|wave|copy|overlap|table|units|tasks|tasks/[^/ ?]+(?:/phase|/key)?)/)?[ ?]
  | POST\ (?:https?://[^/ ]*)?/(?:studies/[^/ ?]+/people/mail/|password/forgotten/|api/v1/studies/[^/ ?]+/mail/)
    """,
    re.VERBOSE,
)


def is_heavy(head: bytes) -> bool:
    """By the first line of a request, however its address is spelled."""
    return _HEAVY.match(unquote_to_bytes(head.partition(b"\r\n")[0])) is not None


_SESSION = re.compile(rb"\r\ncookie:(?:[^\r\n]*[;\s])?sessionid=([^;\s]+)", re.IGNORECASE)
_TOKEN = re.compile(rb"\r\nauthorization:([^\r\n]+)", re.IGNORECASE)


def asks(head: bytes, address: str) -> bytes:
    """Who asks, as far as a header tells: by a token, in a session, or a stranger from an address."""
    found = _TOKEN.search(head) or _SESSION.search(head)
    return found[1].strip() if found else address.encode()
