"""Wrong passwords make logging in slower, and never lock anybody out for good.

Counted are failures by address, whatever the name; by name, whatever the address; and, for browsers in which somebody has
logged in under this name before, by browser alone (OWASP's "device cookies"). So whoever guesses gets slower with each
guess, and the owner of the name, in the usual browser, does not notice.

What is kept is a keyed hash of name or address, for a quarter of an hour; of codes of the second step for a day, because six digits
are few: whoever knows the password must not find the code by patience. Recovery codes are long, and never wait for a name.
"""

from __future__ import annotations

import math
import secrets
import time
from typing import NamedTuple

from django.core import signing
from django.core.cache import caches
from django.utils.crypto import salted_hmac

from annotation.counts import CACHE, alone
from config.client_address import network_of

FORGOTTEN_AFTER = 15 * 60  # seconds
SALT = "annotation.attempts"
SECOND_STEP = "second-step"
AGAIN = "again"  # the password, by somebody who is in already
FORGOTTEN = "forgotten"
BROWSER_YEAR = 60 * 60 * 24 * 365


class Limit(NamedTuple):
    """So many failures are free; then the wait begins with a second and doubles, up to the longest."""

    free: int
    longest: int
    remembered: int = FORGOTTEN_AFTER  # seconds


BY_NAME = Limit(free=5, longest=60)
BY_BROWSER = Limit(free=5, longest=60)
BY_ADDRESS = Limit(free=10, longest=300)
BY_SLOW_NAME = Limit(free=5, longest=600)
BY_CODE = Limit(
    free=5, longest=4 * 60 * 60, remembered=24 * 60 * 60
)  # two dozen on the first day, then six a day


class Attempt(NamedTuple):
    """Somebody who wants to log in. ``browser`` is what ``browser_known`` gave the browser, if anything; without a
    ``name`` or an ``address`` none is counted.

    ``slow``: for what nobody does often, and is short (a code of six digits) or sends mail; counted for itself.
    """

    name: str
    address: str
    browser: str = ""
    slow: str = ""

    def counts(self) -> list[tuple[str, Limit]]:
        name = self.name.strip().casefold()
        by_address = [(_key("address", network_of(self.address)), BY_ADDRESS)] if self.address else []
        if number := _number(self.browser, self.name):
            limit = BY_CODE if self.slow == SECOND_STEP else BY_BROWSER
            return [(_key(f"browser{self.slow}", number), limit)]
        if not name:
            return by_address
        if self.slow:
            limit = BY_CODE if self.slow == SECOND_STEP else BY_SLOW_NAME
            return [(_key(self.slow, name), limit), *by_address]
        return [(_key("name", name), BY_NAME), *by_address]


def attempt_wait(*, attempt: Attempt) -> int:
    """Seconds until this login may be tried; 0: now."""
    now = time.time()
    waits = []
    for key, limit in attempt.counts():
        failures, last = caches[CACHE].get(key, (0, 0.0))
        # What is to come was noted by a clock that has been set back since, perhaps by years: nobody waits so long.
        if failures >= limit.free and last <= now + limit.longest:
            delay = min(limit.longest, 2.0 ** min(failures - limit.free, 20))
            waits.append(last + delay - now)
    return max(0, math.ceil(max(waits, default=0)))


def attempt_failed(*, attempt: Attempt) -> None:
    with alone():
        for key, limit in attempt.counts():
            failures, _last = caches[CACHE].get(key, (0, 0.0))
            caches[CACHE].set(key, (failures + 1, time.time()), limit.remembered)


def attempt_succeeded(*, attempt: Attempt) -> None:
    """Failures under this name are forgiven; those of the address are not: it may have guessed other names.

    Of a second step only what was counted in this browser: whoever guesses elsewhere must not begin anew with every login of the owner.
    """
    number = _number(attempt.browser, attempt.name)
    with alone():
        if number:
            caches[CACHE].delete(_key(f"browser{attempt.slow}", number))
        if not (number and attempt.slow):
            caches[CACHE].delete(_key(attempt.slow or "name", attempt.name.strip().casefold()))


def attempts_forget(*, name: str, second_step: bool) -> None:
    """Failures under this name are forgiven; those of a second step only where whoever asks has not to pass it.

    Then those of somebody who is in already stay: an administrator's open browser must not forgive its own guesses.
    """
    kinds = ("name", SECOND_STEP) if second_step else ("name", AGAIN)
    with alone():
        caches[CACHE].delete_many(_key(kind, name.strip().casefold()) for kind in kinds)


def attempts_waiting(*, name: str) -> int:
    """Seconds until somebody may try this name, in a browser that is not known; 0: now."""
    return max(
        attempt_wait(attempt=Attempt(name=name, address="")),
        attempt_wait(attempt=Attempt(name=name, address="", slow=SECOND_STEP)),
    )


def browser_known(*, name: str) -> str:
    """What a browser keeps in which somebody has logged in under this name."""
    return signing.dumps([name.strip(), secrets.token_urlsafe(12)], salt=SALT)


def _number(browser: str, name: str) -> str:
    """The browser's, if it is one of exactly this name: whoever has an account “ERIKA” must not guess at “erika” unseen."""
    try:
        known, number = signing.loads(browser, salt=SALT, max_age=BROWSER_YEAR) if browser else ("", "")
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return number if known == name.strip() else ""


def _key(kind: str, value: str) -> str:
    return f"attempts-{kind}-{salted_hmac(SALT, value).hexdigest()}"
