"""What takes seconds is answered by a process of its own: all of a request gets there, and all of the answer back."""

from __future__ import annotations

import hashlib
import http.client
import io
import multiprocessing
import os
import re
import resource
import signal
import socket
import threading
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from annotation.management.parts import _Web
from config import slow_lane
from config.intake import Intake, Room
from config.outlet import Outlet

LONG = b"x" * 3_000_000
MUCH = 200 * 2**20
kept: list[bytearray] = []


forking = multiprocessing.get_context("fork")
begun, done = forking.Event(), forking.Event()


def application(environ, start_response):
    """Says what it was asked; or takes its time."""
    begun.set()
    if environ["PATH_INFO"] == "/waits":
        time.sleep(60)
    if environ["PATH_INFO"] == "/keeps":
        kept.append(bytearray(MUCH))
    done.set()
    read = environ["wsgi.input"].read()
    start_response("200 OK", [("X-Client", environ["REMOTE_ADDR"]), ("X-Process", str(os.getpid()))])
    yield hashlib.sha256(read).hexdigest().encode()
    yield LONG


def started() -> BaseProcess:
    process = forking.Process(target=slow_lane.serve, args=(_Web().cfg, application), daemon=True)
    process.start()
    return process


@pytest.fixture
def lane(monkeypatch):
    monkeypatch.setattr(slow_lane, "PATIENCE", 20.0)
    monkeypatch.setattr(slow_lane, "GRACE", 0.5)
    begun.clear()
    done.clear()
    slow_lane.door.cache_clear()
    slow_lane.door()
    process = started()
    yield process
    process.kill()
    process.join()
    for end in slow_lane.door():
        end.close()
    slow_lane.door.cache_clear()


def asked(request: bytes) -> http.client.HTTPResponse:
    """The answer that a client gets who has sent this from 192.0.2.7."""
    intake = Intake(Room(2**30), keep_max=2**30, keep_less=0)
    for start in range(0, len(request), 50_000):
        intake.take(request[start : start + 50_000])
    assert intake.complete
    ours, theirs = socket.socketpair()
    got: list[bytes] = []

    def read() -> None:
        with theirs:
            while piece := theirs.recv(65_536):
                got.append(piece)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    outlet = Outlet(ours, Room(2**30))
    slow_lane.hand_in(intake, ("192.0.2.7", 4711), ("127.0.0.1", 80), outlet)
    while outlet.held:
        outlet.flush()
    outlet.close()
    reading.join(20)
    answer = http.client.HTTPResponse(_Read(b"".join(got)))
    answer.begin()
    return answer


class _Read:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._content)


def test_a_long_request_and_a_long_answer_come_through_whole_and_the_client_is_known(lane):
    body = os.urandom(2_000_000)
    head = f"POST /upload/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    answer = asked(head + body)
    assert answer.status == 200
    assert answer.read() == hashlib.sha256(body).hexdigest().encode() + LONG
    assert (answer.headers["X-Client"], answer.headers["X-Process"]) == ("192.0.2.7", str(lane.pid))
    assert (answer.headers["Connection"], answer.headers["Server"]) == ("close", None)


def test_what_is_no_request_is_refused_as_everywhere(lane):
    assert asked(b"GET /upload/ HTTP/1.1\r\nHost : spaced\r\n\r\n").status == 400


def test_who_waits_for_a_process_that_is_killed_is_told_so(lane):
    def kill_it() -> None:
        begun.wait(20)
        lane.kill()

    threading.Thread(target=kill_it, daemon=True).start()
    answer = asked(b"GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.status == 503
    assert b"Try again" in answer.read()


def test_what_was_handed_in_while_it_was_away_is_answered_by_the_next(lane):
    following = started()
    os.kill(following.pid, signal.SIGSTOP)
    lane.kill()
    lane.join()
    coming = threading.Timer(0.5, os.kill, (following.pid, signal.SIGCONT))
    coming.start()
    answer = asked(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (answer.status, answer.headers["X-Process"]) == (200, str(following.pid))
    following.terminate()
    following.join(20)
    assert following.exitcode == 0, "it ends when it is told to"


def test_what_nobody_waits_for_any_more_is_not_done(lane):
    """They were told that it was not; whoever tries again must not have it twice."""
    os.kill(lane.pid, signal.SIGSTOP)
    intake = Intake(Room(2**30), keep_max=2**30, keep_less=0)
    intake.take(b"POST /upload/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
    slow_lane.PATIENCE = 0.2
    assert list(slow_lane._answer(intake, ("192.0.2.7", 4711), ("127.0.0.1", 80))) == []
    slow_lane.PATIENCE = 20.0
    os.kill(lane.pid, signal.SIGCONT)
    assert asked(b"GET / HTTP/1.1\r\nHost : spaced\r\n\r\n").status == 400, "the next one has its turn"
    assert not done.is_set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopping_waits_a_moment_and_not_for_ever(lane, number):
    threading.Thread(
        target=asked, args=(b"GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n",), daemon=True
    ).start()
    assert begun.wait(20)
    os.kill(lane.pid, number)
    lane.join(20)
    assert lane.exitcode == 0


def test_it_ends_after_a_while_when_nothing_is_being_answered(lane, monkeypatch):
    monkeypatch.setattr(slow_lane, "ENDS_AFTER", 2)
    lane.kill()
    lane.join()
    process = started()
    for _ in range(2):
        assert asked(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200
    process.join(20)
    assert process.exitcode == 0


def test_it_ends_when_half_of_its_memory_is_used_up(lane):
    """Before: on a small machine it refused what a fresh process has room for, until the server was started anew."""
    now = int(re.search(r"VmData:\s+(\d+)", Path(f"/proc/{lane.pid}/status").read_text())[1]) * 1024

    def limit(more: float) -> None:
        resource.prlimit(lane.pid, resource.RLIMIT_DATA, (int(now + more * MUCH), resource.RLIM_INFINITY))

    limit(3)
    answer = asked(b"GET /keeps HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (answer.status, len(answer.read())) == (200, 64 + len(LONG))
    lane.join(2)
    assert lane.exitcode is None, "a third is not half"
    limit(1.5)
    lane.join(20)
    assert lane.exitcode == 0
    following = started()
    assert asked(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200
    following.kill()
    following.join()
