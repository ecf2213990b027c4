"""What is put aside for connections is bounded, and whoever asks for something short needs none of it."""

from __future__ import annotations

import selectors
import socket
import time
from collections import deque

import pytest

from annotation.management.parts import _Web
from config import outlet as outlets
from config.intake import IN_MEMORY, Intake, Room
from config.outlet import Outlet
from config.web_worker import Connection, FairWorker


def posted(room: Room, body: bytes) -> Intake:
    intake = Intake(room, keep_max=2**30, keep_less=0)
    intake.take(f"POST / HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return intake


@pytest.fixture
def sockets():
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with ours, theirs:
        yield ours, theirs


def test_a_short_request_finds_room_where_there_is_none():
    """Before: whoever filled the room, without a login, kept everybody out."""
    full = Room(0)
    assert posted(full, b"x" * 100_000).complete
    assert b"503" in posted(full, b"x" * (IN_MEMORY + 1)).refusal


def test_what_a_long_request_took_is_given_back():
    room = Room(900_000)
    intake = posted(room, b"x" * 1_000_000)
    assert intake.complete
    assert room.is_short
    assert intake.put_aside > 700_000
    intake.close()
    assert not room.is_short
    assert room.take(900_000)


def test_a_short_answer_finds_room_where_there_is_none(sockets):
    ours, _ = sockets
    outlet = Outlet(ours, Room(0))
    outlet.sendall(b"x" * IN_MEMORY)
    assert outlet.held
    assert not outlet.put_aside


def test_no_thread_waits_long_for_a_client_when_there_is_no_room(sockets, monkeypatch):
    """Before: a minute for every byte that the client took."""
    monkeypatch.setattr(outlets, "PATIENCE_WITHOUT_ROOM", 0.5)
    monkeypatch.setattr(outlets, "STEP", 0.1)
    ours, theirs = sockets
    outlet = Outlet(ours, Room(0))
    started = time.monotonic()
    with pytest.raises(BrokenPipeError):
        for _ in range(1000):
            outlet.sendall(b"x" * 100_000)
            theirs.recv(1)
    assert time.monotonic() - started < 20


def test_an_answer_goes_on_when_there_is_room_again(sockets, monkeypatch):
    monkeypatch.setattr(outlets, "STEP", 0.1)
    ours, _ = sockets
    room = Room(2_000_000)
    assert room.take(2_000_000)
    outlet = Outlet(ours, room)
    outlet.sendall(b"x" * 100_000)
    room.give(2_000_000)
    outlet.sendall(b"x" * 1_000_000)
    assert outlet.put_aside > 700_000
    outlet.close()
    assert not room.is_short


@pytest.fixture
def worker():
    """Only what has to do with connections; no process, and no listening socket."""
    made = object.__new__(FairWorker)
    made.cfg, made.room, made.nr_conns, made.alive = _Web().cfg, Room(2**20), 0, True
    made.sending, made.reading, made.leaving, made.keepalived_conns = {}, {}, {}, deque()
    made.poller, made.connections_max = selectors.DefaultSelector(), 1
    yield made
    made.poller.close()


@pytest.mark.parametrize("doing", ["sending", "reading", "leaving", "idle"])
def test_whoever_made_room_a_moment_ago_is_not_counted_out_twice(worker, sockets, doing):
    """Of several that the poller reports at once. Before: the count fell below zero, which ended the process, connections and all."""
    ours, _ = sockets
    conn = Connection(worker.cfg, Outlet(ours, worker.room), ("192.0.2.7", 4711), ("127.0.0.1", 80))
    worker.nr_conns = 1
    worker._expect_request(conn)
    if doing != "sending":
        worker._leave_poller(conn, worker.sending)
        conn.set_timeout()
    if doing == "reading":
        conn.sock.sendall(b"x" * IN_MEMORY)
        worker.reading[conn] = None
    elif doing == "leaving":
        worker._say_goodbye(conn)
    elif doing == "idle":
        conn.keep = True
        worker._answered(conn)
    worker._make_room()
    assert worker.nr_conns == 0
    reported = {
        "sending": worker._receive,
        "reading": worker._send_on,
        "leaving": worker._ignore,
        "idle": worker.on_client_socket_readable,
    }
    reported[doing](conn, conn.sock)
    assert worker.nr_conns == 0
