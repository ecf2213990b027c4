"""gunicorn's threaded worker, with connections spread evenly.

Workers wait for connections at one socket, and whichever wakes first takes one and keeps it while the browser keeps it
open. One worker may so end up with nearly all browsers while another core is idle. Here a worker pauses for a moment
before it takes a connection, the longer the more it has: whoever has fewest is first.
"""

from __future__ import annotations

import time
from typing import Any

from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

PAUSE = 0.0002  # seconds for each connection that the worker has
LONGEST = 0.02


class FairWorker(ThreadWorker):
    def accept(self, listener: Any) -> None:
        time.sleep(min(LONGEST, PAUSE * self.nr_conns))
        super().accept(listener)
