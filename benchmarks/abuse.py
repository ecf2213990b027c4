"""Does judging stay quick while the server is abused? ``python benchmarks/abuse.py``.

Assessors judge at the pace of people (a pause between two judgments), first in quiet, then while slow clients hold
connections, an upload full of faults comes again and again, studies are imported, the report is made, and exports are fetched at
once. Printed are the median and the 95th percentile of a judgment in both, and their ratio, which should stay below three. Whoever
abuses the server does so from a process of their own, so that the clock of those who judge is not held up by them.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import json
import multiprocessing
import random
import socket
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.servers import START_SECONDS, Server, serving
from tests.visitors import Visitor, submission, urls_of

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
STUDIES = 60  # more than are imported meanwhile
# Of whom the first start made: theirs is the study.
TOKEN = (
    "from django.contrib.auth.models import User; from annotation.services.tokens import token_create;"
    "print(token_create(user=User.objects.get(), name='bench'))"
)


def people(server: Server, links: list[str], seconds: float, pause: float) -> list[float]:
    """How long each judgment took."""
    took: list[float] = []
    until = time.monotonic() + seconds

    def work(number: int, link: str) -> None:
        rng = random.Random(number)
        visitor = Visitor(server.address)
        _, page = visitor.get(link)
        url = urls_of(page)["submit"]
        while url and time.monotonic() < until:
            time.sleep(pause * (0.5 + rng.random()))
            sent = submission({"values": dict.fromkeys(CRITERIA, rng.randint(1, 5))})
            started = time.monotonic()
            status, answer = visitor.post(url, sent)
            took.append(time.monotonic() - started)
            if status != 200:
                raise RuntimeError(answer)
            url = f"{answer['next']['url']}judgment/" if answer["next"] else ""

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(links)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


@contextlib.contextmanager
def abuse(server: Server, token: str, *, slow: int):
    """All of it at once, from a process of its own, until it is over; what was answered meanwhile is in the counter then."""
    context = multiprocessing.get_context("fork")
    begun, over, told = context.Event(), context.Event(), context.SimpleQueue()
    process = context.Process(target=_abuse, args=(server.port, token, slow, begun, over, told))
    process.start()
    begun.wait()
    answered: Counter[str] = Counter()
    yield answered
    over.set()
    answered.update(told.get())
    process.join()


def _abuse(port: int, token: str, slow: int, begun: Any, over: Any, told: Any) -> None:
    answered: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {token}"}

    def ask(method: str, path: str, body: bytes | None = None, **more: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request(method, path, body, headers | more)
            answer = connection.getresponse()
            answer.read()
            answered[f"{method} {path.removeprefix('/api/v1/studies')} {answer.status}"] += 1
        connection.close()

    def export(ending: str) -> None:
        while not over.is_set():
            ask("GET", f"/api/v1/studies/load/judgments.{ending}")

    def send_study(content: bytes) -> None:
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="s.zip"\r\n\r\n'
        ask("POST", "/api/v1/studies/", head + content + b"\r\n--b--\r\n", **kind)

    def upload() -> None:
        while not over.is_set():
            send_study(faulty)

    def import_studies() -> None:
        for study in studies:
            if not over.is_set():
                send_study(study)

    def report() -> None:
        seed = 0
        while not over.is_set():
            seed += 1
            sent = json.dumps({"metrics": ["rouge-1-*"], "seed": seed}).encode()
            ask("POST", "/api/v1/studies/load/report/", sent, **{"Content-Type": "application/json"})
            over.wait(2)  # while one is being made, another is refused

    faulty, studies = _bomb(), [_study(f"imported-{number}") for number in range(STUDIES)]
    jobs = [
        (import_studies, ()),
        (report, ()),
        *((export, (ending,)) for ending in ("parquet", "csv", "parquet", "jsonl")),
        (upload, ()),
        (upload, ()),
    ]
    threads = [threading.Thread(target=job, args=given, daemon=True) for job, given in jobs]
    with contextlib.ExitStack() as stack:
        for number in range(slow):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            sock.sendall(
                (b"", b"GET / HTTP/1.1\r\nHost:", b"POST /login/ HTTP/1.1\r\nContent-Length: 9\r\n\r\n")[
                    number % 3
                ]
            )
        for thread in threads:
            thread.start()
        begun.set()
        over.wait()
        for thread in threads:
            thread.join(timeout=120)
    told.put(answered)


def _bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.yaml", "name: A\nslug: a\nmaterials:\n  documents: d.jsonl\n")
        archive.writestr("d.jsonl", "".join(f'{{"x{n}": {n}}}\n' for n in range(100_000)))
    return buffer.getvalue()


def _study(slug: str, texts: int = 400) -> bytes:
    """A study that is taken: a document and two systems' texts about each of so many stories."""
    about = [{"id": f"d{n}", "text": f"Story {n}. " + "It goes on for a while. " * 20} for n in range(texts)]
    outputs = [
        {"system": system, "document": row["id"], "text": row["text"]}
        for row in about
        for system in ("a", "b")
    ]
    head = f"name: A\nslug: {slug}\nmaterials:\n  documents: d.jsonl\n  outputs: o.jsonl\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.yaml", head + "tasks:\n- {kind: rating, name: quality, preset: summeval}\n")
        for name, rows in (("d.jsonl", about), ("o.jsonl", outputs)):
            archive.writestr(name, "".join(f"{json.dumps(row)}\n" for row in rows))
    return buffer.getvalue()


def told(name: str, took: list[float]) -> float:
    median, high = np.percentile(took, [50, 95])
    print(
        f"{name:<6} {len(took):>6} judgments, median {1000 * median:.0f} ms, p95 {1000 * high:.0f} ms",
        flush=True,
    )
    return float(high)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--assessors", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--pause", type=float, default=5, help="seconds between two judgments of one person")
    parser.add_argument("--slow", type=int, default=60, help="slow clients")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        pieces = str(int(given.assessors * (4 + 4 * given.seconds / given.pause)))
        links = server.run(
            "-m", "tests.load_study", "--pieces", pieces, "--assessors", str(given.assessors)
        ).split()
        server.start()
        token = server.run("manage.py", "shell", "-v0", "-c", TOKEN).split()[-1]
        warm = http.client.HTTPConnection("127.0.0.1", server.port, timeout=START_SECONDS)
        warm.request("GET", "/login/")
        warm.getresponse().read()
        quiet = told("quiet", people(server, links, given.seconds, given.pause))
        with abuse(server, token, slow=given.slow) as answered:
            abused = told("abused", people(server, links, given.seconds, given.pause))
        print(f"ratio  {abused / quiet:.1f}")
        print("meanwhile " + ", ".join(f"{what}: {number}" for what, number in sorted(answered.items())))


if __name__ == "__main__":
    main()
