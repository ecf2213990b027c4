"""The server is killed again and again while people judge: ``python benchmarks/soak.py --kills 1000``.

Assessors judge at the real server without a pause. Ever again something is killed (SIGKILL, nobody can tidy up): a web process in
the middle of what it does, with PostgreSQL also the database, which then recovers by itself, and every tenth time everything at once,
after which the server is started anew. Whatever was acknowledged must be there in the end, once, as it was sent. What was done is
kept in a folder (``--store``): a run that was stopped goes on where it was.

    python benchmarks/soak.py --kills 1000 --store /tmp/soak            # SQLite
    python benchmarks/soak.py --kills 1000 --store /tmp/soak --postgres

Printed in the end: kills, of what, acknowledged, stored, doubled, lost, and the longest time that nobody was answered.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import uuid
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import postgres
from tests.servers import Server
from tests.visitors import Visitor, submission, urls_of

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
PATIENCE = 300.0
EVERYTHING, WEB, DATABASE = "everything", "a web process", "the database"


class Soak:
    """Rounds on one database. ``acknowledged`` holds what the server has said is saved, over all rounds."""

    def __init__(self, folder: Path, server: Server, assessors: int, pieces: int) -> None:
        self.folder = folder
        self.server = server
        self.state_path = folder / "soak.json"
        self.state = {"kills": {}, "outage": 0.0, "links": [], "acknowledged": {}}
        if self.state_path.exists():
            self.state = json.loads(self.state_path.read_text())
        if not self.state["links"]:
            server.run("manage.py", "migrate", "-v0")
            arguments = ("--pieces", str(pieces), "--assessors", str(assessors))
            self.state["links"] = server.run("-m", "tests.load_study", *arguments).split()
        self.lock = threading.Lock()
        self.last_answer = time.monotonic()
        self.outage = 0.0
        self.finished = 0
        self.parts = [WEB, WEB, WEB, DATABASE] if server.database_url else [WEB]

    @property
    def kills(self) -> int:
        return sum(self.state["kills"].values())

    def save(self) -> None:
        draft = self.state_path.with_suffix(".part")
        draft.write_text(json.dumps(self.state))
        draft.replace(self.state_path)

    def round(self, rng: random.Random, kills: int) -> None:
        """Start the server, kill parts of it, and in the end everything."""
        if self.server.database_url:
            self._database_processes()  # it may still be recovering, and the server would refuse to start
        self.server.start()
        stop = threading.Event()
        people = [
            threading.Thread(target=self._work, args=(number, link, stop), daemon=True)
            for number, link in enumerate(self.state["links"])
        ]
        for person in people:
            person.start()
        for number in range(1, kills + 1):
            self._wait_for_judgments(rng.randint(3, 20))
            time.sleep(rng.random() * 0.05)  # not always at the same moment of a judgment
            what = EVERYTHING if number == kills else rng.choice(self.parts)
            if what == DATABASE:
                self._kill_database(rng)
            elif what == WEB:
                os.kill(rng.choice(self.server.web_processes()), signal.SIGKILL)
            else:
                stop.set()
                self.server.kill()
            self.state["kills"][what] = self.state["kills"].get(what, 0) + 1
        for person in people:
            person.join(timeout=30)
        self.state["outage"] = max(self.state["outage"], self.outage)
        self.save()

    def _wait_for_judgments(self, number: int) -> None:
        wanted = len(self.state["acknowledged"]) + number
        until = time.monotonic() + PATIENCE
        while len(self.state["acknowledged"]) < wanted and self.finished < len(self.state["links"]):
            if time.monotonic() > until:
                raise RuntimeError(f"nobody could judge for {PATIENCE:.0f} s")
            time.sleep(0.005)

    def _kill_database(self, rng: random.Random) -> None:
        """One of its processes: PostgreSQL then ends all others, recovers from its log, and goes on."""
        while True:
            with contextlib.suppress(ProcessLookupError, IndexError):  # between two of them
                os.kill(rng.choice(self._database_processes()), signal.SIGKILL)
                return
            time.sleep(0.1)

    def _database_processes(self) -> list[int]:
        """Those that work for the server, once the database is there."""
        query = (
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with psycopg.connect(self.server.database_url, autocommit=True) as connection:
                    return sorted(pid for (pid,) in connection.execute(query))
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _work(self, number: int, link: str, stop: threading.Event) -> None:
        visitor = Visitor(self.server.address)
        url, turn = "", number
        while not stop.is_set():
            try:
                if not url:
                    _, page = visitor.get(link)
                    if "item-urls" not in page:
                        self.finished += 1
                        return
                    url = urls_of(page)["submit"]
                sent = submission({"values": dict.fromkeys(CRITERIA, 1 + turn % 5)})
                status, answer = visitor.post(url, sent)
            except (OSError, http.client.HTTPException, AssertionError):
                time.sleep(0.02)
                continue
            if status == 200:
                self._note(f"{url.split('/')[-3]} {sent['client_key']}", sent["answer"])
                url = f"{answer['next']['url']}judgment/" if answer["next"] else ""
                turn += 1
            else:
                url = ""  # it had arrived before the kill: the next item is asked for

    def _note(self, key: str, answer: dict) -> None:
        with self.lock:
            self.state["acknowledged"][key] = answer
            now = time.monotonic()
            self.outage = max(self.outage, now - self.last_answer)
            self.last_answer = now

    def result(self) -> dict[str, float]:
        stored: dict[str, list] = {}
        for place, key, revision, answer in self.server.judgments():
            value = json.loads(answer) if isinstance(answer, str) else answer
            stored.setdefault(f"{place} {uuid.UUID(str(key))}", []).append((revision, value["values"]))
        places = [key.split()[0] for key in stored]
        acknowledged = self.state["acknowledged"]
        return {
            "kills": self.kills,
            **{f"of {what}": number for what, number in sorted(self.state["kills"].items())},
            "acknowledged": len(acknowledged),
            "stored": sum(map(len, stored.values())),
            "doubled": len(places) - len(set(places)) + sum(len(rows) > 1 for rows in stored.values()),
            "lost": sum(
                key not in stored or stored[key][0][1] != answer["values"]
                for key, answer in acknowledged.items()
            ),
            "longest outage (s)": round(self.state["outage"], 1),
        }


def soak(
    folder: Path,
    *,
    kills: int,
    database_url: str = "",
    assessors: int = 20,
    pieces: int = 40_000,
    per_round: int = 10,
    seed: int = 1,
) -> dict[str, float]:
    """So many kills in all, those of earlier runs on the same folder counted; the figures over all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(folder, database_url)
    made = Soak(folder, server, assessors, pieces)
    try:
        while made.kills < kills:
            made.round(random.Random(f"{seed}/{made.kills}"), min(per_round, kills - made.kills))
    finally:
        server.kill()
    return made.result()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--pieces", type=int, default=40_000)
    parser.add_argument(
        "--store", type=Path, required=True, help="a folder for data and what was done so far"
    )
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server of its own")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        # What the database's own user must reach is beside the folder that is ours alone.
        url = stack.enter_context(postgres.server(given.store / "database")) if given.postgres else ""
        figures = soak(
            given.store / ("postgres" if url else "sqlite"),
            kills=given.kills,
            database_url=url,
            assessors=given.assessors,
            pieces=given.pieces,
        )
    print(" | ".join(figures))
    print(" | ".join(str(value) for value in figures.values()))


if __name__ == "__main__":
    main()
