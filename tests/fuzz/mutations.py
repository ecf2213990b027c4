"""Good input, spoilt in ways that have been trouble somewhere: seeded, so that a failure can be had again.

``TOUCHSTONE_FUZZ`` is how many cases there are over all targets: 500 in ``make test``, 10,000 in ``make fuzz``.
"""

from __future__ import annotations

import os
import random

CASES = int(os.environ.get("TOUCHSTONE_FUZZ", "500"))
TARGETS = 8
NASTY = [
    *(b"\0", b"%00", b"\\u0000", b"\\ud800", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28", b"\xed\xa0\x80"),
    *(
        b"9" * 400,
        b"-" + b"9" * 5000,
        b"1e999",
        b"-1e999",
        b"NaN",
        b"Infinity",
        b"-0",
        b"0x1",
        b"1_000",
        b"\xd9\xa3",
    ),
    *(
        b"[" * 300,
        b"{" * 300,
        b'{"a":' * 200,
        b"]",
        b"}",
        b'"',
        b"'",
        b",",
        b":",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b";",
    ),
    *(
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"~",
        b"!!python/object:os.system",
        b"&a *a",
        b"<<: *x",
        b"- - - -",
    ),
    *(
        b"0000-00-00",
        b"99999-12-31T00:00:00Z",
        b"9999-12-31T23:59:59-14:00",
        b"0001-01-01T00:00:00+14:00",
        b"2026-02-30",
    ),
    *(
        b"=1+1",
        b"../../etc/passwd",
        b"/dev/zero",
        b"C:\\x",
        b"http://127.0.0.1/",
        b"<script>",
        b"{{ 7*7 }}",
        b"%s%n",
    ),
    *("\u202e\u2028\u0085\ufeff\U0001f600".encode(), "ﬀ＝１".encode(), b"a" * 10_000),
]


def per_target() -> int:
    return max(1, CASES // TARGETS)


def spoilt(data: bytes, rng: random.Random) -> bytes:
    """The data with one to four things changed."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(made) + 1)
        end = min(len(made), place + rng.choice([1, 1, 2, 8, 40]))
        match rng.randrange(7):
            case 0 if made and place < len(made):
                made[place] ^= 1 << rng.randrange(8)
            case 1:
                del made[place:end]
            case 2:
                made[place:place] = rng.choice(NASTY)
            case 3:
                made[place:end] = rng.choice(NASTY)
            case 4:
                made[place:place] = made[place:end] * rng.choice([1, 2, 50])
            case 5:
                other = rng.randrange(len(made) + 1)
                made[other:other] = made[place:end]
            case _:
                del made[rng.randrange(len(made) + 1) :]
    return bytes(made)
