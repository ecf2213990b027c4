"""What goes out to a client, as fast as the client takes it. A thread that has written its answer is free for the next."""

from __future__ import annotations

import errno
import select
import socket
import tempfile
import time
from typing import IO, Any

from gunicorn.http import wsgi  # type: ignore[import-untyped]

from config.intake import IN_MEMORY, PIECE, Room, Share

# Of one answer. A longer one, such as a very large export, waits for the client after all, and others for it.
HELD_MAX = 256 * 1024 * 1024
PATIENCE = 60.0  # seconds without any progress
PATIENCE_WITHOUT_ROOM = 5.0  # seconds in all: meanwhile the thread serves nobody else
STEP = 0.5  # seconds until it is looked whether there is room now


class NoBanner(wsgi.Response):
    """Nobody need know which server this is."""

    def default_headers(self) -> list[str]:
        return [line for line in super().default_headers() if not line.startswith("Server:")]


wsgi.Response = NoBanner


class Outlet:
    """A socket to write to without waiting: what the client does not take yet is held, and sent by ``flush``.

    Only one thread uses it at a time: the one that makes the answer, then the one that has the list of connections.
    """

    def __init__(self, sock: socket.socket, room: Room) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._share = Share(room)
        self._file: IO[bytes] | None = None
        self._sent = self._end = 0  # of the file
        self._without_room = 0.0  # seconds

    @property
    def held(self) -> int:
        return self._end - self._sent

    @property
    def put_aside(self) -> int:
        """Bytes of the room that all share."""
        return self._share.taken

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        if self.held:
            self.flush()
        if not self.held:
            rest = rest[self._send(rest) :]
        while rest:
            piece = rest[:PIECE]
            is_long = self._end + len(piece) > HELD_MAX
            if not is_long and self._share.take(len(piece)):
                self._hold(piece)
                rest = rest[len(piece) :]
            else:
                self._wait() if is_long else self._wait_without_room()
                if not self.held:
                    rest = rest[self._send(rest) :]

    def send(self, data: bytes) -> int:
        self.sendall(data)
        return len(data)

    def flush(self) -> None:
        """Send of what is held as much as the client takes."""
        while self.held and self._file is not None:
            self._file.seek(self._sent)
            piece = self._file.read(PIECE)
            taken = self._send(memoryview(piece))
            self._sent += taken
            if taken < len(piece):
                return
        self._let_go()

    def _send(self, data: memoryview) -> int:
        taken = 0
        while taken < len(data):
            try:
                taken += self._sock.send(data[taken:])
            except (BlockingIOError, InterruptedError):
                break
        return taken

    def _hold(self, data: memoryview) -> None:
        if self._file is None:
            self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed in ``_let_go``
        self._file.seek(self._end)
        self._file.write(data)
        self._end += len(data)

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
        self._share.give()
        self._file, self._sent, self._end = None, 0, 0
        self._without_room = 0.0

    def _wait(self) -> None:
        """Until the client has taken something of what is held, or can take something if nothing is."""
        until = time.monotonic() + PATIENCE
        while (left := until - time.monotonic()) > 0:
            if self._has_taken(left):
                return
        raise _takes_nothing()

    def _wait_without_room(self) -> None:
        """The same, but not for long, whether the client takes something now and then or nothing."""
        if self._without_room > PATIENCE_WITHOUT_ROOM:
            raise _takes_nothing()
        started = time.monotonic()
        self._has_taken(STEP)
        self._without_room += time.monotonic() - started

    def _has_taken(self, seconds: float) -> bool:
        writable = select.poll()
        writable.register(self._sock, select.POLLOUT)
        if not writable.poll(seconds * 1000):
            return False
        held, before = self.held, self._sent
        self.flush()
        return not held or not self.held or self._sent > before

    # What else gunicorn does with a socket. It never blocks, whatever is asked.

    def setblocking(self, flag: bool) -> None:
        pass

    def settimeout(self, value: float | None) -> None:
        pass

    def gettimeout(self) -> float:
        return 0.0

    def close(self) -> None:
        self._let_go()
        self._sock.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def _takes_nothing() -> BrokenPipeError:
    """As if the client had gone: gunicorn knows what to do then."""
    return BrokenPipeError(errno.EPIPE, "the client takes nothing")
