"""What a client sends, put aside until all of it is there. Nobody waits for it but the list of connections.

A request is parsed by gunicorn; here is only found out where it ends. Whatever follows it on the same connection is thrown
away and the connection closed after the answer, so that two opinions of where a request ends can do no harm.
"""

from __future__ import annotations

import re
import tempfile
import threading
from typing import IO

from gunicorn.http.unreader import Unreader  # type: ignore[import-untyped]

HEAD_MAX = 64 * 1024
IN_MEMORY = 256 * 1024  # of a request or an answer; what is longer lies in a temporary file
PIECE = 64 * 1024
SENT_MAX = 2**30  # of a body, also of one that is passed over
END_OF_HEAD = b"\r\n\r\n"

_LENGTHS = re.compile(rb"\r\ncontent-length[^\r\n:]*:([^\r\n]*)", re.IGNORECASE)
_NUMBER = re.compile(rb"[0-9]{1,18}")
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_EXPECT = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)


class Room:
    """Bytes that may be put aside by all connections of a process together."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._short = size // 4
        self._lock = threading.Lock()

    @property
    def is_short(self) -> bool:
        """Time for those who dawdle to give some of it back."""
        return self._left < self._short

    def take(self, size: int) -> bool:
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give(self, size: int) -> None:
        with self._lock:
            self._left += size


class Share:
    """What one request or answer has of the room.

    What fits into memory takes nothing of it: there are only so many connections, and whoever logs in, judges or asks for a page must
    find room however much others have put aside.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._size = 0
        self.taken = 0

    def take(self, size: int) -> bool:
        more = max(0, self._size + size - IN_MEMORY) - self.taken
        if more and not self._room.take(more):
            return False
        self._size += size
        self.taken += more
        return True

    def give(self) -> None:
        self._room.give(self.taken)
        self._size = self.taken = 0


class Intake:
    """One request on its way in. ``keep_max``: of a body that is longer only the first ``keep_less`` bytes are kept.

    Django then reads from the header how long it was, and says in words that it is too long.
    """

    def __init__(self, room: Room, *, keep_max: int, keep_less: int) -> None:
        self.complete = False
        self.refusal = b""  # an answer that ends the connection, instead of handing the request on
        self.wants_continue = False
        self.surplus = False  # more has come than this request
        self.received = 0
        self.head = b""
        self._limits = keep_max, keep_less
        self._share = Share(room)
        self._started = bytearray()
        self._left = 0  # of the body: still to come
        self._keep = 0  # of the body: still to be kept
        self._file: IO[bytes] | None = None

    @property
    def empty(self) -> bool:
        return self.received == 0

    @property
    def put_aside(self) -> int:
        """Bytes of the room that all share."""
        return self._share.taken

    def take(self, data: bytes) -> None:
        """The next bytes from the connection."""
        self.received += len(data)
        if self.head:
            self._take_body(data)
            return
        searched = max(0, len(self._started) - len(END_OF_HEAD))
        self._started += data
        end = self._started.find(END_OF_HEAD, searched)
        if end >= 0:
            end += len(END_OF_HEAD)
            self.head = bytes(self._started[:end])
            self._begin_body(bytes(self._started[end:]))
        elif len(self._started) > HEAD_MAX:
            self.refusal = plain_answer("431 Request Header Fields Too Large", "The header is too long.")

    def _begin_body(self, data: bytes) -> None:
        lengths = [length.strip(b" \t") for length in _LENGTHS.findall(self.head)]
        chunked = _CHUNKED.search(self.head)
        if len(lengths) > 1 or not all(map(_NUMBER.fullmatch, lengths)):
            # Not left to gunicorn: it reads some of these as a number, and its answer would leave the body for the next request.
            self.refusal = plain_answer("400 Bad Request", "The Content-Length is no number.")
            return
        # In chunks: no page takes it, and the API says so; what comes of it is thrown away.
        self._left = 0 if chunked or not lengths else int(lengths[0])
        if self._left > SENT_MAX:
            self.refusal = plain_answer("413 Content Too Large", "This is more than the server takes.")
            return
        keep_max, keep_less = self._limits
        self._keep = self._left if self._left <= keep_max else keep_less
        self.wants_continue = bool(_EXPECT.search(self.head)) and not data and self._left > 0
        self.surplus = chunked is not None
        self._store(self.head)
        self._take_body(data)

    def _take_body(self, data: bytes) -> None:
        own, more = data[: self._left], data[self._left :]
        self._store(own[: self._keep])
        self._keep -= min(self._keep, len(own))
        self._left -= len(own)
        self.surplus = self.surplus or bool(more)
        self.complete = self._left == 0

    def _store(self, data: bytes) -> None:
        if self.refusal:
            return
        if not self._share.take(len(data)):
            self.refusal = plain_answer(
                "503 Service Unavailable", "The server has too much to do. Try again in a minute."
            )
            return
        try:
            if self._file is None:
                self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed in ``close``
            self._file.write(data)
        except (OSError, MemoryError):  # the disk is full, or the memory: that must not end the process
            self.refusal = plain_answer(
                "503 Service Unavailable", "The server has no room left. Try again in a minute."
            )

    def reader(self) -> Unreader:
        """What gunicorn reads the request from. It never waits."""
        assert self._file is not None
        self._file.seek(0)
        return FromFile(self._file)

    def fileno(self) -> int:
        """The request as a file, for another process."""
        assert self._file is not None
        number = self._file.fileno()
        self._file.flush()
        return number

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        self._share.give()


class FromFile(Unreader):
    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self._file.read(max(PIECE, min(size_hint or 0, 2**20)))


def plain_answer(status: str, words: str) -> bytes:
    """An answer without the application, which ends the connection."""
    body = f"{words}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + body
