"""gunicorn's threaded worker, with three things more.

- **A thread is spent only on a request that is there as a whole**, and is free again when its answer is made, however slowly
  the client sends or reads. Connections that wait cost a place in a list; those that dawdle are closed.
- **Two lanes.** What takes seconds (exports, uploads, scores of a whole study) is answered by a process of its own, so that
  nobody who judges or logs in waits behind it (``config.slow_lane``). A thread here only passes the answer on.
- **Connections are spread evenly.** Workers wait for connections at one socket, and whichever wakes first takes one and
  keeps it while the browser keeps it open. One worker may so end up with nearly all browsers while another core is idle.
  Here a worker pauses for a moment before it takes a connection, the longer the more it has: whoever has least is first.
"""

from __future__ import annotations

import errno
import resource
import selectors
import socket
import sys
import time
from collections import deque
from concurrent import futures
from contextlib import suppress
from functools import partial
from typing import Any

from django.conf import settings
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

from config.heavy import asks, is_heavy
from config.intake import PIECE, Intake, Room, plain_answer
from config.outlet import Outlet
from config.slow_lane import hand_in, has_hung_up, staffed
from config.uploads import ENVELOPE

PAUSE = 0.0002  # seconds for each connection that the worker has
LONGEST = 0.02
SLOW_THREADS = 8  # they wait for another process
HEAVY_WAITING = 50  # heavy requests of one who asks, behind the one that is being answered
TOO_MUCH = plain_answer(
    "429 Too Many Requests", "You have asked for too much at once. Try again in a minute."
)
OWN_FILES = 200  # of a process: databases, logs, files that are served, sockets of the slow lane

# As Apache's mod_reqtimeout has them: so long for a header, so long for a body, and longer while bytes keep coming.
HEAD_SECONDS = 20.0
BODY_SECONDS = 20.0
BODY_RATE = 500  # bytes a second
ANSWER_SECONDS = 60.0
ANSWER_RATE = 4096
STALLED_SECONDS = 60.0  # without a byte, however many came before
LINGER_SECONDS = 2.0
ROOM = 512 * 1024 * 1024
# When room is short, whoever has put much aside and moves less than a piece in this time (13 KB a second) gives it back.
DAWDLES_SECONDS = 5.0


class Connection(TConn):
    """gunicorn's, which never blocks. ``deadline`` is of what it is doing now."""

    intake: Intake
    deadline = 0.0
    keep = False
    moved_at = 0.0  # when the last whole piece had come, or gone
    heavy_of = b""  # who asks for something heavy with it

    def begin(self, room: Room) -> None:
        self.intake = Intake(
            room, keep_max=settings.STUDY_UPLOAD_MAX_BYTES + ENVELOPE, keep_less=DROPPED_BODY
        )
        self.began = time.monotonic()
        self.deadline = self.began + HEAD_SECONDS
        self.moved_at, self.moved = self.began, 0
        self.initialized = True

    def take(self, data: bytes) -> None:
        waited_for_head = not self.intake.head
        self.intake.take(data)
        if self.intake.head:
            now = time.monotonic()
            if waited_for_head:
                self.began = now
            in_time = self.began + BODY_SECONDS + self.intake.received / BODY_RATE
            self.deadline = min(in_time, now + STALLED_SECONDS)
            self._moves(self.intake.received, now)

    def begin_to_read(self) -> None:
        now = time.monotonic()
        self.in_time = now + ANSWER_SECONDS + self.sock.held / ANSWER_RATE
        self.deadline = min(self.in_time, now + STALLED_SECONDS)
        self.moved_at, self.moved = now, -self.sock.held

    def read_on(self) -> None:
        """The client has taken something of what is held."""
        now = time.monotonic()
        self.deadline = min(self.in_time, now + STALLED_SECONDS)
        self._moves(-self.sock.held, now)

    def _moves(self, bytes_so_far: int, now: float) -> None:
        if bytes_so_far - self.moved >= PIECE:
            self.moved_at, self.moved = now, bytes_so_far

    @property
    def put_aside(self) -> int:
        return self.intake.put_aside + self.sock.put_aside


# Of a body that is too large: enough for the fields before its file, such as the token against forged requests.
DROPPED_BODY = ENVELOPE


def connections_allowed(wanted: int) -> int:
    """Each may have a file beside its socket, for what it sends or reads; and the process needs some for itself."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files == resource.RLIM_INFINITY else max(1, min(wanted, (files - OWN_FILES) // 2))


class FairWorker(ThreadWorker):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.connections_max = connections_allowed(self.cfg.worker_connections)
        self.worker_connections = sys.maxsize  # never stops accepting: who waits longest makes room
        self.room = Room(ROOM)
        # Connections in the poller, oldest first: those that send, those that read, those that are to hang up. Whatever the poller
        # reports is looked up here first: of several at once, one may have had to make room for another.
        self.sending: dict[Connection, None] = {}
        self.reading: dict[Connection, None] = {}
        self.leaving: dict[Connection, None] = {}
        # By who has something heavy answered: what else they have asked for meanwhile.
        self.heavy: dict[bytes, deque[Connection]] = {}

    def init_process(self) -> None:
        self.slow_pool = staffed(futures.ThreadPoolExecutor(max_workers=SLOW_THREADS), SLOW_THREADS)
        super().init_process()

    def get_thread_pool(self) -> futures.ThreadPoolExecutor:
        return staffed(super().get_thread_pool(), self.cfg.threads)

    # --- in -------------------------------------------------------------------------------------------------------

    def accept(self, listener: Any) -> None:
        pause = PAUSE * (self.nr_conns - len(self.sending) - len(self.leaving))
        time.sleep(min(LONGEST, pause))
        try:
            client_socket, client = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as full:
            if full.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                raise
            self._drop_somebody()  # whoever comes is there still, and is let in the next time
            return
        self._make_room()
        self.nr_conns += 1
        outlet = Outlet(client_socket, self.room)
        connection = Connection(self.cfg, outlet, client, listener.getsockname())
        self._expect_request(connection)

    def _make_room(self) -> None:
        """Somebody who comes takes the place of whoever has been sending, idle or reading for longest."""
        if self.nr_conns >= self.connections_max:
            self._drop_somebody()

    def _drop_somebody(self) -> None:
        for waiting in (self.leaving, self.sending):
            if waiting:
                self._drop(next(iter(waiting)), waiting)
                return
        if self.keepalived_conns:
            idle = self.keepalived_conns.popleft()
            self._unregister(idle)
            self._hang_up(idle)
        elif self.reading:
            self._drop(next(iter(self.reading)), self.reading)

    def on_client_socket_readable(self, conn: Connection, client: Any) -> None:
        """The next request on a connection that was kept open."""
        if conn not in self.keepalived_conns:
            return  # it had to make room for somebody a moment ago
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._expect_request(conn)

    def _expect_request(self, conn: Connection) -> None:
        conn.begin(self.room)
        self.sending[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))
        self._receive(conn)  # most often it is there already

    def _receive(self, conn: Connection, _: Any = None) -> None:
        if conn not in self.sending:
            return
        try:
            data = conn.sock.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except (OSError, MemoryError):
            data = b""
        if not data:
            self._drop(conn, self.sending)
            return
        conn.take(data)
        if self.room.is_short:
            self._hurry(conn)
        if conn.intake.refusal:
            self._leave_poller(conn, self.sending)
            self._refuse(conn)
        elif conn.intake.complete:
            self._leave_poller(conn, self.sending)
            conn.parser = RequestParser(self.cfg, (), conn.client)
            conn.parser.unreader = conn.intake.reader()
            self.enqueue_req(conn)
        elif conn.intake.wants_continue:
            conn.intake.wants_continue = False
            with suppress(OSError):
                conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _hurry(self, newest: Connection | None = None) -> None:
        """Room is short: of those who have put much aside and hardly move, whoever has moved least lately hangs up."""
        late = time.monotonic() - DAWDLES_SECONDS
        dawdling = [
            (conn.moved_at, waiting, conn)
            for waiting in (self.sending, self.reading)
            for conn in waiting
            if conn.put_aside and conn.moved_at < late and conn is not newest
        ]
        for _, waiting, conn in sorted(dawdling, key=lambda one: one[0]):
            if not self.room.is_short:
                return
            self._drop(conn, waiting)

    def _refuse(self, conn: Connection) -> None:
        with suppress(OSError):
            conn.sock.sendall(conn.intake.refusal)
        self._say_goodbye(conn)

    def enqueue_req(self, conn: Connection) -> None:
        if is_heavy(conn.intake.head):
            self._take_turn(conn)
        else:
            self._do(self.tpool.submit(self.handle, conn), conn)

    def _do(self, job: futures.Future[Any], conn: Connection) -> None:
        job.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def _take_turn(self, conn: Connection) -> None:
        """Everybody has one heavy request answered at a time, so that nobody's many keep others waiting."""
        address = conn.client[0] if isinstance(conn.client, tuple) else conn.client
        who = asks(conn.intake.head, str(address))
        waiting = self.heavy.get(who)
        if waiting is not None and len(waiting) >= HEAVY_WAITING:
            conn.intake.refusal = TOO_MUCH
            self._refuse(conn)
            return
        conn.heavy_of = who
        if waiting is None:
            self.heavy[who] = deque()
            self._hand_in(conn)
        else:
            waiting.append(conn)

    def _hand_in(self, conn: Connection) -> None:
        self._do(self.slow_pool.submit(hand_in, conn.intake, conn.client, conn.server, conn.sock), conn)

    def _end_turn(self, conn: Connection) -> None:
        """The next one, of those that somebody still waits for: whoever loads a page ten times gets it once."""
        who, conn.heavy_of = conn.heavy_of, b""
        waiting = self.heavy[who]
        while waiting:
            following = waiting.popleft()
            if not has_hung_up(following.sock):
                self._hand_in(following)
                return
            self._hang_up(following)
        del self.heavy[who]

    def handle_request(self, req: Any, conn: Connection) -> Any:
        req._expected_100_continue = False  # it has been told to go on already
        if conn.intake.surplus:
            req.force_close()
        return super().handle_request(req, conn)

    # --- out ------------------------------------------------------------------------------------------------------

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """The answer is made; the client may still be taking it."""
        conn.intake.close()
        if conn.heavy_of:
            self._end_turn(conn)
        try:
            conn.keep = bool(fs.result()) and not conn.intake.surplus
        except (Exception, futures.CancelledError):
            self._hang_up(conn)
            return
        if not conn.sock.held:
            self._answered(conn)
            return
        conn.begin_to_read()
        self.reading[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self._send_on, conn))

    def _send_on(self, conn: Connection, _: Any) -> None:
        if conn not in self.reading:
            return
        try:
            conn.sock.flush()
        except OSError:
            self._drop(conn, self.reading)
            return
        if conn.sock.held:
            conn.read_on()
        else:
            self._leave_poller(conn, self.reading)
            self._answered(conn)

    def _answered(self, conn: Connection) -> None:
        if not (conn.keep and self.alive):
            self._say_goodbye(conn)
            return
        conn.set_timeout()
        self.keepalived_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn))

    def _say_goodbye(self, conn: Connection) -> None:
        """No more from us; the client hangs up when it has read that. At once it would lose the end of the answer."""
        conn.intake.close()
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._hang_up(conn)
            return
        conn.deadline = time.monotonic() + LINGER_SECONDS
        self.leaving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._ignore, conn))

    def _ignore(self, conn: Connection, _: Any) -> None:
        if conn not in self.leaving:
            return
        try:
            if conn.sock.recv(PIECE):
                return
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            pass
        self._drop(conn, self.leaving)

    # --- the end --------------------------------------------------------------------------------------------------

    def _unregister(self, conn: Connection) -> None:
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(conn.sock)

    def _leave_poller(self, conn: Connection, waiting: dict[Connection, None]) -> None:
        waiting.pop(conn, None)
        self._unregister(conn)

    def _drop(self, conn: Connection, waiting: dict[Connection, None]) -> None:
        self._leave_poller(conn, waiting)
        self._hang_up(conn)

    def _hang_up(self, conn: Connection) -> None:
        conn.intake.close()
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Close those who take too long, whatever they are at. gunicorn asks for this every second."""
        now = time.monotonic()
        for waiting in (self.sending, self.reading, self.leaving):
            for conn in [conn for conn in waiting if conn.deadline < now]:
                self._drop(conn, waiting)
        if self.room.is_short:
            self._hurry()

    def murder_keepalived(self, force: bool = False) -> None:
        super().murder_keepalived(force)
        if not self.alive:
            # Stopping: nobody is to be waited for who has not asked for anything, or has been answered.
            for waiting, over in (
                (self.sending, lambda conn: conn.intake.empty),
                (self.leaving, lambda _: True),
            ):
                for conn in [conn for conn in waiting if over(conn)]:
                    self._drop(conn, waiting)
