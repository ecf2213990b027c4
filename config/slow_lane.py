"""A process of its own for requests that take seconds (``config.heavy``).

Whoever judges shares neither Python's lock nor a thread with an export, and the kernel prefers them: this process is nice. A web
process that has the whole of such a request hands it in at the door, as a file, with one end of a pair of sockets for the
answer; what comes out at the other end goes to the client, at the client's pace. Nobody outside can reach the door: it has no
address, and is known to processes that were started from one.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

from config.intake import PIECE, FromFile, Intake, plain_answer
from config.outlet import Outlet

# At once: a core is left to those who judge.
TURNS = max(1, (os.cpu_count() or 1) - 1)
LETTER = 64 * 1024
PATIENCE = 900.0  # seconds for the next bytes of an answer
GRACE = 10.0  # seconds for what is being answered when the server is stopped
ENDS_AFTER = 300  # requests, when nothing is being answered: statistics need much memory, and a fresh process has not loaded them

ENDED = plain_answer("503 Service Unavailable", "The server could not finish this. Try again in a minute.")


def staffed(pool: futures.ThreadPoolExecutor, threads: int) -> futures.ThreadPoolExecutor:
    """The pool with all its threads: where memory is short none can be started, which would end the process."""
    everybody = threading.Barrier(threads + 1)
    for _ in range(threads):
        pool.submit(everybody.wait)
    everybody.wait()
    return pool


@cache
def door() -> tuple[socket.socket, socket.socket]:
    """Where requests are handed in, and where they are taken. Opened before the processes that use it are started."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


def hand_in(intake: Intake, client: Any, server: Any, outlet: Outlet) -> None:
    """Have it answered, and pass the answer on as it comes. If none comes, the client is told so."""
    answered = False
    for piece in _answer(intake, client, server):
        outlet.sendall(piece)
        answered = True
    if not answered:
        outlet.sendall(ENDED)


def _answer(intake: Intake, client: Any, server: Any) -> Iterator[bytes]:
    ours, theirs = socket.socketpair()
    with ours, suppress(OSError):  # no room for the file, or nothing comes for too long
        with theirs:
            letter = json.dumps([client, server]).encode()
            _wait_for_room()
            socket.send_fds(door()[0], [letter], [theirs.fileno(), intake.fileno()])
        ours.settimeout(PATIENCE)
        while piece := ours.recv(PIECE):
            yield piece


def _wait_for_room() -> None:
    """Only a few letters lie behind the door. A time limit on the socket itself would be one for all processes."""
    room = select.poll()
    room.register(door()[0], select.POLLOUT)
    if not room.poll(PATIENCE * 1000):
        raise TimeoutError


def serve(cfg: Any, application: Any) -> None:
    """Take what is handed in and answer it, until the server is stopped."""
    lane = _Lane(cfg, application)
    parent, stopped = os.getppid(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    door()[1].settimeout(1.0)
    turns = threading.Semaphore(TURNS)
    pool = staffed(futures.ThreadPoolExecutor(max_workers=TURNS), TURNS)
    answered, empty = 0, _memory()
    asked: set[futures.Future[None]] = set()
    while not stopped.is_set() and os.getppid() == parent:
        if not turns.acquire(timeout=1.0):
            continue
        asked = {one for one in asked if not one.done()}
        is_full = answered > 0 and _is_full(empty)
        if not asked and (is_full or answered >= ENDS_AFTER):
            break  # whatever lies behind the door is for the next one
        request = None if is_full else _take(door()[1])
        if request is None:
            turns.release()
            futures.wait(asked, timeout=1.0 if is_full else 0.0)
            continue
        job = pool.submit(lane.answer, *request)
        job.add_done_callback(lambda _: turns.release())
        asked.add(job)
        answered += 1
    futures.wait(asked, timeout=GRACE)
    os._exit(0)  # whatever still runs has had its time


def _is_full(empty: int) -> bool:
    """Whether more than half is used up of what this process may have beside what it began with. Libraries keep for themselves what a
    large table needed, so that the next one would be refused that a fresh process has room for."""
    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return most != resource.RLIM_INFINITY and _memory() > (empty + most) / 2


def _memory() -> int:
    """Bytes of data, as the limit counts them."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:  # only Linux has it
        return 0


def _take(taking: socket.socket) -> tuple[list[Any], socket.socket, IO[bytes]] | None:
    try:
        letter, received, _, _ = socket.recv_fds(taking, LETTER, 2)
    except (TimeoutError, InterruptedError):
        return None
    answer, request = received
    return json.loads(letter), socket.socket(fileno=answer), os.fdopen(request, "rb")


def has_hung_up(sock: socket.socket | Outlet) -> bool:
    try:
        return not sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


class _Lane(ThreadWorker):
    """What gunicorn does with a request once it is there, and nothing else of it."""

    def __init__(self, cfg: Any, application: Any) -> None:
        super().__init__(0, os.getppid(), [], application, cfg.timeout, cfg, Logger(cfg))
        self.wsgi = application

    def answer(self, parties: list[Any], sock: socket.socket, request: IO[bytes]) -> None:
        client, server = (tuple(one) if isinstance(one, list) else one for one in parties)
        with sock, request:
            if has_hung_up(sock):
                return  # they were told that it was not done, and may ask again
            request.seek(0)
            conn = TConn(self.cfg, sock, client, server)
            conn.initialized = True
            conn.parser = RequestParser(self.cfg, (), client)
            conn.parser.unreader = FromFile(request)
            self.handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        req._expected_100_continue = False  # it has been told to go on already
        req.force_close()
        return super().handle_request(req, conn)
