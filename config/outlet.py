"""What goes out to a client, as fast as the client takes it. A thread that has written its answer is free for the next."""

from __future__ import annotations

import errno
import select
import socket
import tempfile
import time
from typing import IO, Any

from gunicorn.http import wsgi  # type: ignore[import-untyped]

from config.intake import IN_MEMORY, PIECE, Room

HELD_MAX = (
    64 * 1024 * 1024
)  # of one answer; a longer one, such as a large export, waits for the client after all
PATIENCE = 60.0  # seconds without any progress


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
        self._room = room
        self._file: IO[bytes] | None = None
        self._sent = self._end = 0  # of the file

    @property
    def held(self) -> int:
        return self._end - self._sent

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        if self.held:
            self.flush()
        if not self.held:
            rest = rest[self._send(rest) :]
        while rest:
            piece = rest[:PIECE]
            if self._end + len(piece) <= HELD_MAX and self._room.take(len(piece)):
                self._hold(piece)
                rest = rest[len(piece) :]
            else:
                self._wait()
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
        self._room.give(self._end)
        self._file, self._sent, self._end = None, 0, 0

    def _wait(self) -> None:
        """Until the client has taken something of what is held, or can take something if nothing is."""
        before, until = self._sent, time.monotonic() + PATIENCE
        writable = select.poll()
        writable.register(self._sock, select.POLLOUT)
        while (left := until - time.monotonic()) > 0:
            if writable.poll(left * 1000):
                held = self.held
                self.flush()
                if not held or not self.held or self._sent > before:
                    return
        # As if the client had gone: gunicorn knows what to do then.
        raise BrokenPipeError(errno.EPIPE, "the client takes nothing")

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
