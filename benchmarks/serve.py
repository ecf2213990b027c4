"""How many judgments the real server takes, and how fast: ``python benchmarks/serve.py``.

Fifty assessors work without a pause at the server that ``make run`` starts, in a study of 500 and in one of 50,000
pieces, on SQLite and on PostgreSQL. "Submit" records a judgment and brings the next item in the same round trip; "next item"
loads an item's page. All assessors press at once and nobody reads, so latencies are those of a full house: with n assessors and
r answers a second, the mean is n / r. Processor time is the server's alone, without PostgreSQL's own, and says most on a busy machine.
Memory is the proportional set size of all processes of the server, before anybody comes and after the load.

``--thinking 1000`` measures instead 1,000 assessors who each give a judgment every ten seconds (``--think``), as people do.

``benchmarks/doccano.py`` has doccano beside it in the same minutes. On two cores with SQLite, 20 assessors: Potato takes 12–18 judgments a
second, Label Studio 12–13.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

# A script finds its own folder on the path; what it needs is one above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.servers import Server, postgres_database, serving
from tests.visitors import Visitor, urls_of

ANSWERS = {
    "rating": {"values": {"coherence": 4, "consistency": 3, "fluency": 5, "relevance": 2}},
    "see": {
        "units": [{"marks": [0], "grade": 0.5}] * 5,
        "quality": {"grammaticality": 1, "cohesion": 0.75, "coherence": 0.5},
    },
}
DATABASES = ["sqlite", "postgres"]
SETTLE = 5.0  # seconds until nothing is left of the start
WARM_UP = 1.0  # seconds at the beginning of each phase that do not count
LIMIT = 120.0  # seconds after which an answer is given up


class Line:
    """A connection kept open: as little work per request as possible, so that the load does not slow the server."""

    def __init__(self, visitor: Visitor, page: str) -> None:
        self.host, self.port = visitor.host.split(":")
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        self.head = (
            f"Host: {visitor.host}\r\nCookie: {cookies}\r\nX-CSRFToken: {visitor.cookies['csrftoken']}\r\n"
        )
        self.item = urls_of(page)["submit"].removesuffix("judgment/")

    def open(self) -> None:
        self.socket = socket.create_connection((self.host, int(self.port)), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, method: str, path: str, body: str = "") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\n{self.head}"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(f"{head}\r\n{body}".encode())
        got = b""
        while (end := got.find(b"\r\n\r\n")) < 0:
            got += self._received()
        if not got.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"{method} {path}: {got[:300]!r}")
        start = got.lower().index(b"content-length:", 0, end) + len("content-length:")
        length = int(got[start : got.index(b"\r", start)])
        parts, missing = [got[end + 4 :]], length - (len(got) - end - 4)
        while missing > 0:
            parts.append(self._received())
            missing -= len(parts[-1])
        return b"".join(parts)

    def _received(self) -> bytes:
        got = self.socket.recv(65536)
        if not got:
            raise ConnectionError("the server hung up")
        return got


def next_item(line: Line, answer: str) -> bool:
    line.ask("GET", line.item)
    return True


def submit(line: Line, answer: str) -> bool:
    """Judge the current item; False when that was the last."""
    sent = f'{{"client_key": "{uuid.uuid4()}", "revision": 1, "seconds": 1.5, "answer": {answer}}}'
    got = line.ask("POST", f"{line.item}judgment/", sent)
    mark = b'"url": "'
    start = got.find(mark)
    if start >= 0:
        line.item = got[start + len(mark) : got.index(b'"', start + len(mark))].decode()
    return start >= 0


@dataclass
class Phase:
    """What one kind of request took. ``processor``: seconds of the server's processes, warming up included."""

    seconds: float = 0
    processor: float = 0
    asked: int = 0
    times: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds

    def quantile(self, share: float) -> float:
        """In milliseconds."""
        return 1000 * float(np.quantile(self.times, share))


def processor_seconds(server: Server) -> float:
    """What the server's processes have used so far, from Linux's ``/proc``."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # a process may end while one looks
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == server.process.pid:  # its process group
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(server: Server) -> float:
    """The memory of the server's processes; what they share is counted once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((process / "stat").read_text().rpartition(")")[2].split()[2]) == server.process.pid:
                found = re.search(r"^Pss:\s+(\d+) kB", (process / "smaps_rollup").read_text(), re.MULTILINE)
                total += int(found[1]) if found else 0
    return total / 1024


def press(
    server: Server,
    lines: list[Line],
    request: Callable[[Line, str], bool],
    answer: str,
    seconds: float,
    think: float = 0,
) -> Phase:
    """All lines at once, again and again, for so many seconds or until the work runs out.

    With ``think``, everybody pauses between two requests, for so many seconds in the mean.
    """
    phase = Phase(processor=-processor_seconds(server))
    start = threading.Barrier(len(lines) + 1)
    opens = closes = 0.0
    last: list[float] = []

    def work(line: Line) -> None:
        start.wait()
        done = 0.0
        try:
            line.open()
            more = True
            while more and time.perf_counter() < closes:
                if think:
                    line.socket.close()  # a browser's connection is not kept while somebody reads
                    time.sleep(random.uniform(0, 2 * think))
                began = time.perf_counter()
                if think:
                    line.open()
                more = request(line, answer)
                done = time.perf_counter()
                phase.asked += 1
                if began >= opens and done <= closes:
                    phase.times.append(done - began)
        except (OSError, RuntimeError) as problem:
            phase.problems.append(str(problem))
        last.append(done)

    threads = [threading.Thread(target=work, args=(line,)) for line in lines]
    for thread in threads:
        thread.start()
    opens = time.perf_counter() + WARM_UP
    closes = opens + seconds
    start.wait()
    for thread in threads:
        thread.join()
    phase.processor += processor_seconds(server)
    for line in lines:
        line.socket.close()
    phase.seconds = min(closes, max(last)) - opens
    if phase.problems:
        raise RuntimeError(f"{len(phase.problems)} assessors failed, the first: {phase.problems[0]}")
    return phase


def enter(server: Server, links: list[str]) -> list[Line]:
    """Open every personal link, as a browser would."""
    lines = []
    for link in links:
        visitor = Visitor(server.address)
        _, page = visitor.get(link)
        visitor.connection.close()
        lines.append(Line(visitor, page))
    return lines


@contextlib.contextmanager
def served_study(
    pieces: int, assessors: int, database: str, options: argparse.Namespace
) -> Iterator[tuple[Server, list[str]]]:
    """A server that is not started yet, with a study that has work for everybody and the whole time, and its links."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="touchstone-bench-")))
        url = stack.enter_context(postgres_database()) if database == "postgres" else ""
        server = stack.enter_context(serving(folder, url, options.port))
        # A small study is judged several times over.
        per_piece = max(1, min(assessors, 10_000 // pieces))
        study = [f"--pieces={pieces}", f"--assessors={assessors}", f"--per-piece={per_piece}"]
        study += [f"--kind={options.kind}"] + (["--pool"] if options.pool else [])
        yield server, server.run("-m", "tests.load_study", *study).split()


def measure(pieces: int, database: str, options: argparse.Namespace) -> dict[str, float]:
    """One study, one server, both phases."""
    answer = json.dumps(ANSWERS[options.kind])
    with served_study(pieces, options.assessors, database, options) as (server, links):
        counts = json.loads(server.run("-m", "benchmarks.queries", links[-1], answer))
        server.start()
        time.sleep(SETTLE)
        idle = megabytes(server)
        lines = enter(server, links[: options.assessors])
        submits = press(server, lines, submit, answer, options.seconds)
        nexts = press(server, lines, next_item, answer, options.seconds)
        loaded = megabytes(server)
    return {
        "judgments per second": submits.rate,
        "submit p50, ms": submits.quantile(0.50),
        "submit p95, ms": submits.quantile(0.95),
        "submit, processor ms": 1000 * submits.processor / submits.asked,
        "next items per second": nexts.rate,
        "next item p50, ms": nexts.quantile(0.50),
        "next item p95, ms": nexts.quantile(0.95),
        "next item, processor ms": 1000 * nexts.processor / nexts.asked,
        "memory, idle, MB": idle,
        "memory, loaded, MB": loaded,
        **{f"queries: {page}": number for page, number in counts.items()},
    }


def think_and_judge(database: str, options: argparse.Namespace) -> None:
    """Many assessors as people are: each reads for a while, submits, and reads the next."""
    number, answer = options.thinking, json.dumps(ANSWERS[options.kind])
    pieces = max(options.pieces[0], 20 * number)
    with served_study(pieces, number, database, options) as (server, links):
        server.start()
        lines = enter(server, links[:number])
        phase = press(server, lines, submit, answer, options.seconds, options.think)
        memory = megabytes(server)
    times = ", ".join(f"p{share} {phase.quantile(share / 100):,.0f} ms" for share in (50, 95, 99))
    print(
        f"{database}: {number:,} assessors, {options.think:g} s a judgment: {phase.rate:.0f} judgments a second, {times}, "
        f"{1000 * phase.processor / phase.asked:.1f} processor ms, {memory:.0f} MB"
    )


def show(results: dict[int, dict[str, float]]) -> None:
    sizes = list(results)
    print(f"{'':26}" + "".join(f"{f'{size:,} pieces':>16}" for size in sizes) + f"{'growth':>10}")
    for name, first in results[sizes[0]].items():
        numbers = [results[size][name] for size in sizes]
        growth = first / numbers[-1] if name.endswith("per second") else numbers[-1] / first
        cells = "".join(f"{number:>16,.{1 if 'processor' in name else 0}f}" for number in numbers)
        print(f"{name:26}{cells}{growth:>9.2f}×")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--assessors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pieces", type=int, nargs="+", default=[500, 50_000])
    parser.add_argument("--kind", choices=ANSWERS, default="rating")
    parser.add_argument("--pool", action="store_true", help="an open pool instead of dealt work")
    parser.add_argument("--database", choices=DATABASES, nargs="+", default=DATABASES)
    parser.add_argument(
        "--thinking", type=int, default=0, metavar="N", help="N assessors who take their time"
    )
    parser.add_argument("--think", type=float, default=10.0, metavar="SECONDS", help="default: %(default)s")
    parser.add_argument("--port", type=int, help="default: any free one")
    options = parser.parse_args()
    for database in options.database:
        print(
            f"{options.thinking or options.assessors} assessors, {options.kind}, {'pool' if options.pool else 'dealt'}, "
            f"{database}, {os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        if options.thinking:
            think_and_judge(database, options)
        else:
            show({pieces: measure(pieces, database, options) for pieces in options.pieces})
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
