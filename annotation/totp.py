"""One-time codes of an authenticator app: HOTP (RFC 4226) and TOTP (RFC 6238), with what every app understands.

SHA-1, six digits, thirty seconds. What matters of the hash is HMAC, which SHA-1's collisions do not touch.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from urllib.parse import quote, urlencode

DIGITS = 6
PERIOD = 30  # seconds
DRIFT = 1  # periods before and after, for a clock that is off or a person who types slowly
SECRET_BYTES = 20  # as long as the hash, as RFC 4226 recommends


def secret_make() -> str:
    """A new secret, in Base32, as people type it into their app."""
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def hotp(secret: bytes, counter: int, *, digits: int = DIGITS) -> str:
    """The code of this counter.

    >>> hotp(b"12345678901234567890", 0)  # RFC 4226, Appendix D
    '755224'
    """
    mac = hmac.digest(secret, counter.to_bytes(8, "big"), "sha1")
    start = mac[-1] & 0x0F
    number = int.from_bytes(mac[start : start + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def counter_at(seconds: float) -> int:
    return int(seconds // PERIOD)


def counter_of(secret: str, code: str, *, seconds: float, after: int = 0) -> int | None:
    """Which counter this is the code of, near this moment and later than ``after``; None if of none.

    Every candidate is compared, each in the same time: how long it takes tells nothing.
    """
    key = base64.b32decode(secret)
    now = counter_at(seconds)
    found = None
    for counter in range(now - DRIFT, now + DRIFT + 1):
        if hmac.compare_digest(hotp(key, counter).encode(), code.encode()) and counter > after:
            found = counter
    return found


def address(secret: str, *, issuer: str, name: str) -> str:
    """What an app reads from a link: https://github.com/google/google-authenticator/wiki/Key-Uri-Format.

    A colon divides issuer and name, so neither may hold one: the port of a server is set off otherwise.
    """
    issuer, name = issuer.replace(":", " "), name.replace(":", " ")
    label = quote(f"{issuer}:{name}", safe=":")
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': issuer}, quote_via=quote)}"
