"""Two who change the same thing: whoever comes second, from a page that was loaded before the first was done, is told."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from annotation.errors import Overtaken

CHANGED = "Somebody else has changed this in the meantime. Here is how it stands now; make your change again."


def fingerprint(value: Any) -> str:
    """What tells whether a part of a study, or a draft, was changed elsewhere since it was read; short enough to be sent along."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def refuse_overtaken(now: Any, seen: str | None) -> None:
    """``now``: how it stands, within the lock; ``seen``: the fingerprint of what the change was made from. None: whoever asks, a program
    perhaps, says all of it, whatever was there before."""
    if seen is not None and fingerprint(now) != seen:
        raise Overtaken(CHANGED)
