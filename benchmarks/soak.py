"""The server is killed again and again while people judge: ``python benchmarks/soak.py --kills 1000``.

Each round starts the real server, lets assessors judge until some judgments are acknowledged, and kills everything at once
(SIGKILL, nobody can tidy up). Whatever was acknowledged must be there afterwards, once, as it was sent. What was done is kept
in a file beside the data (``--store``): a run that was stopped goes on where it was.

    python benchmarks/soak.py --kills 1000 --store /tmp/soak            # SQLite
    python benchmarks/soak.py --kills 1000 --store /tmp/soak --postgres

Printed in the end: kills, acknowledged, stored, doubled, lost, and the longest time that nobody was answered.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import sys
import threading
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.servers import Server, postgres_database
from tests.visitors import Visitor, submission, urls_of

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
PATIENCE = 300.0


class Soak:
    """Rounds on one database. ``acknowledged`` holds what the server has said is saved, over all rounds."""

    def __init__(self, folder: Path, server: Server, assessors: int, pieces: int) -> None:
        self.folder = folder
        self.server = server
        self.state_path = folder / "soak.json"
        self.state = {"kills": 0, "outage": 0.0, "links": [], "acknowledged": {}}
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

    def save(self) -> None:
        draft = self.state_path.with_suffix(".part")
        draft.write_text(json.dumps(self.state))
        draft.replace(self.state_path)

    def round(self, rng: random.Random) -> None:
        self.server.start()
        stop = threading.Event()
        people = [
            threading.Thread(target=self._work, args=(number, link, stop), daemon=True)
            for number, link in enumerate(self.state["links"])
        ]
        before, wanted = len(self.state["acknowledged"]), rng.randint(5, 40)
        for person in people:
            person.start()
        until = time.monotonic() + PATIENCE
        while len(self.state["acknowledged"]) < before + wanted and time.monotonic() < until:
            if self.finished >= len(people):
                break
            time.sleep(0.005)
        time.sleep(rng.random() * 0.05)  # not always at the same moment of a judgment
        self.server.kill()
        stop.set()
        for person in people:
            person.join(timeout=30)
        self.state["kills"] += 1
        self.state["outage"] = max(self.state["outage"], self.outage)
        self.save()

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
            "kills": self.state["kills"],
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
    pieces: int = 100_000,
    seed: int = 1,
) -> dict[str, float]:
    """So many kills in all, those of earlier runs on the same folder counted; the figures over all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(folder, database_url)
    made = Soak(folder, server, assessors, pieces)
    try:
        while made.state["kills"] < kills:
            made.round(random.Random(f"{seed}/{made.state['kills']}"))
    finally:
        server.kill()
    return made.result()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--pieces", type=int, default=60_000)
    parser.add_argument(
        "--store", type=Path, required=True, help="a folder for data and what was done so far"
    )
    parser.add_argument(
        "--postgres", action="store_true", help="a PostgreSQL server of its own, not resumable"
    )
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres_database()) if given.postgres else ""
        folder = given.store / ("postgres" if url else "sqlite")
        if url and (folder / "soak.json").exists():
            parser.error(f"{folder} is of a PostgreSQL server that is gone; choose another --store")
        figures = soak(
            folder, kills=given.kills, database_url=url, assessors=given.assessors, pieces=given.pieces
        )
    print(" | ".join(figures))
    print(" | ".join(str(value) for value in figures.values()))


if __name__ == "__main__":
    main()
