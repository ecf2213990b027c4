"""Which requests may take seconds. They wait for each other, and nobody else waits for them (``config.web_worker``)."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import unquote_to_bytes

# At once, by all processes of the server together: a core is left to those who judge.
TURNS = max(1, (os.cpu_count() or 1) - 1)
LOOK_AGAIN = 0.01  # seconds; one process of all looks, and what it waits for takes far longer

# Exports, archives and files of reports, uploads, and pages that compute over a whole study.
_HEAVY = re.compile(
    rb"""
    (?:GET|HEAD|POST)\ (?:https?://[^/ ]*)?/(?:
        studies/[^/ ?]+/(?:
            downloads/[^ ?]+ | results/ | plan/ | open/ | build/ | report/[0-9]+/(?:all\.zip|files/) | tasks/[^/ ?]+/phase/
          | change/(?:wave|duplicate)/ | history/[^ ?]+
        )
      | upload/ | new/ | bin/[0-9]+/(?:study\.zip|judgments\.csv)
      | api/v1/studies/[^/ ?]+/(?:study\.zip|open/|judgments\.|attributes\.|report/runs/[0-9]+/)
    )
  | POST\ (?:https?://[^/ ]*)?/api/v1/studies/(?:[^/ ?]+/(?:judgments|scores|wave|copy|table|units|tasks)/)?[ ?]
    """,
    re.VERBOSE,
)


def is_heavy(head: bytes) -> bool:
    """By the first line of a request, however its address is spelled."""
    return _HEAVY.match(unquote_to_bytes(head.partition(b"\r\n")[0])) is not None


@contextmanager
def in_turn(folder: Path, turns: int = TURNS) -> Iterator[None]:
    """Wait until fewer than so many heavy requests are being answered. Where no file can be written, nobody waits.

    Turns are locks on files, which the kernel takes from a process that is killed. So is the gate: whoever holds it is next, and
    takes whichever turn is free first; the others wait at the gate, which lets them in one by one, about as they came.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            locks = [stack.enter_context((folder / f"heavy-{turn}.lock").open("w")) for turn in range(turns)]
            with (folder / "heavy-gate.lock").open("w") as gate:
                fcntl.flock(gate, fcntl.LOCK_EX)
                while not any(map(_taken, locks)):
                    time.sleep(LOOK_AGAIN)
        yield


def _taken(lock: IO[str]) -> bool:
    """Whether it is ours now: it was nobody's."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
