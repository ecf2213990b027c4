"""Clients that dawdle, on purpose or on a bad line, at the real server: nobody else notices."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import resource
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.servers import START_SECONDS, Server, serving
from tests.visitors import Visitor

PATIENCE = 30
MANY = 40  # the server has six threads on two cores; eight connections were enough


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("slow")) as made:
        home = str(tmp_path_factory.mktemp("home"))
        made.environment |= {"HOME": home, "XDG_RUNTIME_DIR": home}
        made.start()
        answer(made, "GET", "/login/", patience=START_SECONDS)
        yield made


def answer(
    server: Server,
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    patience: float = PATIENCE,
    **headers: str,
) -> tuple[int, bytes]:
    """Status and body; an answer that does not come within patience is a TimeoutError."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=patience)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@contextlib.contextmanager
def connections(server: Server, sent: bytes, *, window: int = 0) -> Iterator[list[socket.socket]]:
    """Many connections on which this was sent, and nothing is read."""
    with contextlib.ExitStack() as stack:
        opened = []
        for _ in range(MANY):
            sock = stack.enter_context(contextlib.closing(socket.socket()))
            if window:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            sock.settimeout(PATIENCE)
            sock.connect(("127.0.0.1", server.port))
            sock.sendall(sent)
            opened.append(sock)
        yield opened


def big_file(server: Server) -> str:
    """The longest of the static files, which everybody may have."""
    folder = server.data / "static"
    names = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".gz", ".br"}]
    longest = max(names, key=lambda path: path.stat().st_size)
    assert longest.stat().st_size > 1_000_000
    return f"/static/{longest.relative_to(folder)}"


SENT = {
    "nothing": b"",
    "half a header": b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nX-More:",
    "half a body": b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nusername=",
    "a body in chunks": b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nus",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SENT)
def test_clients_that_stop_in_the_middle_keep_nobody_waiting(server, what):
    with connections(server, SENT[what]):
        for _ in range(4):
            assert answer(server, "GET", "/login/")[0] == 200


@pytest.mark.slow
def test_clients_that_ask_and_do_not_read_keep_nobody_waiting(server):
    request = f"GET {big_file(server)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with connections(server, request, window=1024):
        for _ in range(4):
            assert answer(server, "GET", "/login/")[0] == 200


@pytest.mark.slow
def test_clients_that_were_told_that_the_connection_ends_and_stay_keep_nobody_waiting(server):
    request = b"GET /login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with connections(server, request):
        started = time.monotonic()
        for _ in range(4):
            assert answer(server, "GET", "/login/")[0] == 200
        # gunicorn itself waits two seconds for each of the forty, one after the other.
        assert time.monotonic() - started < MANY / 2


@pytest.mark.slow
def test_more_idle_connections_than_places_lock_nobody_out(server):
    with contextlib.ExitStack() as stack:
        for _ in range(1400):
            sock = stack.enter_context(contextlib.closing(socket.socket()))
            sock.settimeout(PATIENCE)
            sock.connect(("127.0.0.1", server.port))
        assert answer(server, "GET", "/login/")[0] == 200


@pytest.mark.slow
def test_more_connections_than_files_end_no_process(server):
    """Before: the first that could not be taken ended it, and everything that it was answering. Most systems allow 1,024 files."""
    web = server.web_processes()
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in web}
    assert min(soft for soft, _ in limits.values()) >= 1000
    for pid, (_, hard) in limits.items():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (150, hard))
    try:
        with contextlib.ExitStack() as stack:
            for _ in range(500):
                sock = stack.enter_context(contextlib.closing(socket.socket()))
                sock.settimeout(PATIENCE)
                sock.connect(("127.0.0.1", server.port))
                with contextlib.suppress(ConnectionError):
                    sock.sendall(SENT["half a body"])
            for pid in web:
                _wait_for(lambda pid=pid: _files(pid) >= 145)
            time.sleep(1)  # in which they are asked for more
            for pid, limit in limits.items():
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
            assert answer(server, "GET", "/login/")[0] == 200
    finally:
        assert server.web_processes() == web


def _files(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def _wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_request_that_comes_slowly_is_answered_like_any_other(server):
    body = b'{"comment": "' + b"x" * 3000 + b'"}'
    pieces = [
        b"POST /api/v1/studies/ HTTP/1.1\r\nHost: local",
        b"host\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Le",
        f"ngth: {len(body)}\r\n\r".encode(),
        b"\n",
        body[:1000],
        body[1000:],
    ]
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
        for piece in pieces:
            sock.sendall(piece)
            time.sleep(0.05)
        told = b""
        while b"not_authenticated" not in told:
            received = sock.recv(4096)
            assert received, told
            told += received
    assert told.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 ")
    assert told.count(b"HTTP/1.1 ") == 2


@pytest.mark.slow
def test_a_large_answer_arrives_whole_however_slowly_it_is_read_and_the_connection_stays(server):
    path = big_file(server)
    expected = (server.data / path.removeprefix("/")).read_bytes()
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(PATIENCE)
        sock.connect(("127.0.0.1", server.port))
        for _ in range(2):
            sock.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.3)
            response = http.client.HTTPResponse(sock)
            response.begin()
            assert response.read() == expected


@pytest.mark.slow
def test_bodies_that_stop_before_their_end_keep_no_room_from_others(server):
    """Before: for a day, as every byte that came gave them more time; and with no byte left, nobody got in at all."""
    almost = 50_000_000
    head = f"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {almost}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for _ in range(24):  # the two processes have room for twenty of them
            sock = stack.enter_context(contextlib.closing(socket.socket()))
            sock.settimeout(PATIENCE)
            sock.connect(("127.0.0.1", server.port))
            with contextlib.suppress(ConnectionError):  # there is no room for this one, either
                sock.sendall(head)
                for _ in range(49):
                    sock.sendall(b"x" * 1_000_000)
        for _ in range(8):
            assert answer(server, "GET", "/login/")[0] == 200
        deadline = time.monotonic() + PATIENCE
        while _taken(server, b"x" * almost) == 503:
            assert time.monotonic() < deadline
            time.sleep(1)


def _taken(server: Server, body: bytes) -> int:
    try:
        return answer(server, "POST", "/login/", body)[0]
    except ConnectionError:  # refused before all of it was sent
        return 503


@pytest.mark.slow
def test_an_upload_that_is_too_large_is_told_so_in_words(server):
    """Its end is passed over on the way in; a form's fields before the file, such as the CSRF token, are not."""
    visitor = Visitor(server.address)
    password = re.search(r"one-time password (\S+)", server.log.read_text())[1]
    own = "a phrase of my own"
    fields = {"username": "experimenter", "password": password}
    assert _send_form(visitor, "/login/", fields) == "/password/"
    assert _send_form(visitor, "/password/", {"new_password1": own, "new_password2": own}) == "/studies/"
    _, page = visitor.get("/upload/")
    part = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    start = part.format("csrfmiddlewaretoken", _token(page))
    start += '--b\r\nContent-Disposition: form-data; name="file"; filename="s.zip"\r\n\r\n'
    body = start.encode() + b"x" * (51 * 1024 * 1024) + b"\r\n--b--\r\n"
    headers = _form_headers(visitor) | {"Content-Type": "multipart/form-data; boundary=b"}
    visitor.connection.request("POST", "/upload/", body, headers)
    response = visitor.connection.getresponse()
    told = response.read().decode()
    assert response.status == 422, told
    assert "The file has 51 MB; a study file may have 50 MB." in told


@pytest.mark.slow
def test_one_who_asks_for_much_that_is_heavy_keeps_nobody_else_waiting(server):
    """Before: all of it was answered before anybody else's, also what nobody waited for any more."""
    head = "GET /studies/demo/results/ HTTP/1.1\r\nHost: localhost\r\nCookie: sessionid={}\r\n\r\n"
    (lane,) = server.slow_lane()
    os.kill(lane, signal.SIGSTOP)
    try:
        with connections(server, _large_upload("greedy")) as greedy:
            time.sleep(2)  # until all of them are there
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as other:
                other.sendall(head.format("modest").encode())
                time.sleep(0.5)
                os.kill(lane, signal.SIGCONT)
                assert other.recv(100).startswith(b"HTTP/1.1 302")
                answered = sum(_has_answer(sock) for sock in greedy)
                assert answered <= MANY / 2, "not all of theirs came first"
            for sock in greedy:
                assert sock.recv(100).startswith(b"HTTP/1.1 403"), "all are answered in the end"
        os.kill(lane, signal.SIGSTOP)
        with contextlib.ExitStack() as stack:
            several = [
                stack.enter_context(connections(server, head.format("greedier").encode())) for _ in range(3)
            ]
            asked = [sock for some in several for sock in some]
            _wait_for(lambda: sum(map(_has_answer, asked)) >= len(asked) - 2 * 51)
            refused = [sock for sock in asked if _has_answer(sock)]
            assert all(sock.recv(100).startswith(b"HTTP/1.1 429") for sock in refused)
            os.kill(lane, signal.SIGCONT)
    finally:
        os.kill(lane, signal.SIGCONT)


def _large_upload(session: str) -> bytes:
    """What takes the slow lane a while, of somebody who need not be logged in: their token is looked for in all of it."""
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="s.zip"\r\n\r\n' + b"x" * 3_000_000
    body += b"\r\n--b--\r\n"
    head = (
        "POST /upload/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Cookie: csrftoken={'a' * 32}; sessionid={session}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _has_answer(sock: socket.socket) -> bool:
    return bool(select.select([sock], [], [], 0)[0])


def _send_form(visitor: Visitor, path: str, fields: dict[str, str]) -> str:
    """Where the answer leads."""
    _, page = visitor.get(path)
    body = urlencode({"csrfmiddlewaretoken": _token(page), **fields})
    visitor.connection.request("POST", path, body, _form_headers(visitor))
    response = visitor.connection.getresponse()
    response.read()
    for cookie in response.headers.get_all("Set-Cookie"):
        name, _, rest = cookie.partition("=")
        visitor.cookies[name] = rest.partition(";")[0]
    return response.headers["Location"]


def _token(page: str) -> str:
    return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]


def _form_headers(visitor: Visitor) -> dict[str, str]:
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    return {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}


def test_what_follows_a_request_on_the_same_connection_is_not_taken_for_the_next(server):
    """Two opinions of where a request ends must do no harm: the connection closes after the first answer."""
    request = b"GET /login/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
        sock.sendall(request + request)
        told = b""
        while received := sock.recv(65536):
            told += received
    assert told.count(b"HTTP/1.1 200 OK") == 1
    assert b"Connection: close" in told
    assert b"Server:" not in told


@pytest.mark.parametrize(
    "length", ["0" * 20 + "43", "9" * 30, "43, 43", "43\r\nContent-Length: 43", "+43", ""]
)
def test_a_body_of_unclear_length_is_never_taken_for_the_next_request(server, length):
    """Before: with a length of more than 18 digits, what came after the answer was. A proxy that sends many people's requests on one
    connection would have given somebody the answer to a request of somebody else's making."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
        sock.sendall(f"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode())
        told = sock.recv(65536)
        assert told.startswith(b"HTTP/1.1 400 ")
        assert b"Connection: close" in told
        with contextlib.suppress(ConnectionError):
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while received := sock.recv(65536):
                told += received
    assert told.count(b"HTTP/1.1 ") == 1


def test_no_header_says_under_which_address_the_server_stands(server):
    """Before: a fault of the server, as gunicorn takes such a header from a proxy on the same machine, and proxies pass it on."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/login/", headers={"Script_Name": "/elsewhere", "Path_Info": "/elsewhere"})
    assert connection.getresponse().status == 200
    connection.close()


def test_what_is_no_request_leaves_a_short_line_in_the_log_and_no_link(server):
    """Before: as it was sent. Mail programs may spell the address of a link in letters that no request may have."""
    before = len(server.log.read_text())
    for line in ("/join/secret-token/?name=\u00e9", "/" + "x" * 4000 + "\u00e9"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as sock:
            sock.sendall(f"GET {line} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert sock.recv(100).startswith(b"HTTP/1.1 400")
    logged = server.log.read_text()[before:]
    assert "/join/…/" in logged
    assert "secret-token" not in logged
    assert max(map(len, logged.splitlines())) < 400


def test_the_server_opens_no_door_outside_of_its_data(server):
    """gunicorn would take commands at a socket in the home folder, one for all servers of a user. It opens it after a while: this is last."""
    assert not list(Path(server.environment["HOME"]).rglob("*"))
