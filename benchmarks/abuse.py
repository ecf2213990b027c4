"""Does judging stay quick while the server is abused? ``python benchmarks/abuse.py``.

Assessors judge at the pace of people (a pause between two judgments), first in quiet, then while slow clients hold
connections, a study is uploaded again and again, and exports are fetched at once. Printed are the median and the 95th
percentile of a judgment in both, and their ratio, which should stay below three.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import random
import socket
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.servers import START_SECONDS, Server, serving
from tests.visitors import Visitor, submission, urls_of

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
TOKEN = (
    "from django.contrib.auth.models import User; from annotation.models import Study;"
    "from annotation.services.studies import studies_adopt; from annotation.services.tokens import token_create;"
    "user, _ = User.objects.get_or_create(username='bench'); studies_adopt(owner=user);"
    "print(token_create(user=user, name='bench'))"
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
    """All of it at once, until it is over."""
    over = threading.Event()
    headers = {"Authorization": f"Bearer {token}"}

    def ask(method: str, path: str, body: bytes | None = None, **more: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request(method, path, body, headers | more)
            connection.getresponse().read()
        connection.close()

    def export(ending: str) -> None:
        while not over.is_set():
            ask("GET", f"/api/v1/studies/load/judgments.{ending}")

    def upload() -> None:
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        body = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="s.zip"\r\n\r\n'
            + _bomb()
            + b"\r\n--b--\r\n"
        )
        while not over.is_set():
            ask("POST", "/api/v1/studies/", body, **kind)

    jobs = [
        *((export, (ending,)) for ending in ("parquet", "csv", "parquet", "jsonl")),
        (upload, ()),
        (upload, ()),
    ]
    threads = [threading.Thread(target=job, args=given, daemon=True) for job, given in jobs]
    with contextlib.ExitStack() as stack:
        for number in range(slow):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            sock.sendall(
                (b"", b"GET / HTTP/1.1\r\nHost:", b"POST /login/ HTTP/1.1\r\nContent-Length: 9\r\n\r\n")[
                    number % 3
                ]
            )
        for thread in threads:
            thread.start()
        yield
        over.set()
        for thread in threads:
            thread.join(timeout=120)


def _bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.yaml", "name: A\nslug: a\nmaterials:\n  documents: d.jsonl\n")
        archive.writestr("d.jsonl", "".join(f'{{"x{n}": {n}}}\n' for n in range(100_000)))
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
        with abuse(server, token, slow=given.slow):
            abused = told("abused", people(server, links, given.seconds, given.pause))
        print(f"ratio  {abused / quiet:.1f}")


if __name__ == "__main__":
    main()
