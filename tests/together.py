"""Things that happen at the same time, each in a thread with a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def at_once(*jobs: Callable[[], Any]) -> list[Any]:
    """Start the jobs together and return what they return."""
    results: list[Any] = [None] * len(jobs)
    start = threading.Barrier(len(jobs))

    def run(place: int, job: Callable[[], Any]) -> None:
        try:
            start.wait()
            results[place] = job()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
