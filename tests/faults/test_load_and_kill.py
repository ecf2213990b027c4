"""Fifty assessors at the real server, which is killed midway: nothing acknowledged is lost, nothing counted twice."""

from __future__ import annotations

import http.client
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from tests import postgres
from tests.servers import Server, postgres_database, serving
from tests.visitors import Visitor, submission, urls_of

ASSESSORS = 50
PIECES = 200
PATIENCE = 240  # seconds that an assessor waits for a server that is gone
T = TypeVar("T")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def server(request, tmp_path) -> Iterator[Server]:
    if request.param == "sqlite":
        with serving(tmp_path) as made:
            yield made
    elif postgres.binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    else:
        with postgres_database() as url, serving(tmp_path, url) as made:
            yield made


class Crowd:
    """Assessors in a thread each; what the server acknowledged, and what had to be sent again."""

    def __init__(self, server: Server, links: list[str]) -> None:
        self.server = server
        self.acknowledged: dict[tuple[str, uuid.UUID], dict] = {}
        self.resent = 0
        self.problems: list[str] = []
        self.threads = [
            threading.Thread(target=self._work, args=(number, link), daemon=True)
            for number, link in enumerate(links)
        ]
        for thread in self.threads:
            thread.start()

    def wait_for(self, number: int) -> None:
        while len(self.acknowledged) < number and not self.problems and self.busy():
            time.sleep(0.02)

    def busy(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def _work(self, number: int, link: str) -> None:
        try:
            self._judge_all(number, link)
        except Exception as problem:
            self.problems.append(f"assessor {number}: {problem!r}")

    def _judge_all(self, number: int, link: str) -> None:
        visitor = Visitor(self.server.address)
        _, page = self._patiently(lambda: visitor.get(link))
        url = urls_of(page)["submit"]
        turn = number
        while url:
            values = dict.fromkeys(("coherence", "consistency", "fluency", "relevance"), 1 + turn % 5)
            sent = submission({"values": values})
            status, answer = self._patiently(lambda url=url, sent=sent: visitor.post(url, sent))
            assert status == 200, answer
            self.acknowledged[url.split("/")[-3], uuid.UUID(sent["client_key"])] = values
            if turn % 5 == 0:  # a double click: the same once more
                status, again = self._patiently(lambda url=url, sent=sent: visitor.post(url, sent))
                assert (status, again["status"]) == (200, "already"), again
            url = f"{answer['next']['url']}judgment/" if answer["next"] else ""
            turn += 1

    def _patiently(self, send: Callable[[], T]) -> T:
        """Send until an answer comes: whatever was not acknowledged is sent again."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return send()
            except (OSError, http.client.HTTPException):
                if time.monotonic() > deadline:
                    raise
                self.resent += 1
                time.sleep(0.1)


@pytest.mark.slow
def test_every_acknowledged_judgment_is_there_exactly_once_after_the_server_was_killed(server):
    links = server.run(
        "-m", "tests.load_study", "--pieces", str(PIECES), "--assessors", str(ASSESSORS)
    ).split()
    server.start()
    crowd = Crowd(server, links)
    crowd.wait_for(PIECES // 3)
    server.kill()
    by_then = len(crowd.acknowledged)
    server.start()
    for thread in crowd.threads:
        thread.join(timeout=PATIENCE)

    assert not crowd.problems
    assert not crowd.busy()
    assert PIECES // 3 <= by_then < PIECES, "the server was not killed midway"
    assert crowd.resent, "nobody was interrupted by the kill"
    stored = server.judgments()
    assert {
        (place, key): json.loads(answer)["values"] for place, key, _, answer in stored
    } == crowd.acknowledged
    assert Counter(place for place, *_ in stored).most_common(1)[0][1] == 1
    assert {revision for _, _, revision, _ in stored} == {1}
    assert len(stored) == PIECES
