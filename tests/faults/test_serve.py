"""``make run``: what it prints, and what becomes of it when a part of it dies."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.servers import Server

PATIENCE = 60


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path)
    yield made
    made.kill()


def part_of(server: Server, name: str) -> int | None:
    """One of the server's children: the background worker, or who answers what takes seconds."""
    for children in Path(f"/proc/{server.process.pid}/task").glob("*/children"):
        for child in children.read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == f"ts-{name}":
                return int(child)
    return None


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
    return found


def get(server: Server, path: str, **headers: str) -> tuple[int, str]:
    """As a probe of this machine asks; redirects are answers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_command_in_the_wrong_folder_says_where_it_looked(server):
    """TOUCHSTONE_DATA was given to ``make run`` and forgotten for the next command."""
    for command in (["import_study", "fixtures/demo"], ["export_study", "demo", "--out", "x"]):
        with pytest.raises(RuntimeError, match="There is no database in") as told:
            server.run("manage.py", *command)
        assert "Traceback" not in str(told.value)


@pytest.mark.slow
def test_nothing_goes_on_alone_where_the_terminal_is_closed_or_the_first_process_is_killed(server):
    """Before: gunicorn took the one for a wish to read its settings anew, and nobody saw the other; the port stayed taken, by a server
    without exports, reports and backups."""
    for number in (signal.SIGHUP, signal.SIGKILL):
        heard = signal.signal(
            signal.SIGHUP, signal.SIG_DFL
        )  # whoever runs the tests under nohup does not hear it
        server.start()
        signal.signal(signal.SIGHUP, heard)
        if number == signal.SIGHUP:
            os.killpg(server.process.pid, number)  # as the kernel does to whoever is in front
        else:
            server.process.kill()
        server.process.wait(timeout=PATIENCE)
        wait_for(lambda: not processes_of(server))
        assert not server.answers()


def processes_of(server: Server) -> list[int]:
    """All that is in the group of the process that was started first, itself being gone."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # a process may end while one looks
            state, _, group = (process / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(group) == server.process.pid and state != "Z":
                found.append(int(process.name))
    return found


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_while_pages_go_on_and_links_that_were_taken_back_are_not_printed(
    server,
):
    server.environment |= {
        "TOUCHSTONE_BACKUP_HOURS": "1",
        "TOUCHSTONE_METRICS_TOKEN": "token",
        "TOUCHSTONE_LOG": "json",
        "TOUCHSTONE_ACCESS_LOG": "-",
        "TOUCHSTONE_TLS": "1",
        "TOUCHSTONE_HOSTS": "judge.example.org",
    }
    server.start()
    backups = server.data / "backups"
    wait_for(lambda: list(backups.glob("touchstone-*.zip")))
    assert get(server, "/healthz") == (200, "ok\n")
    wait_for(lambda: get(server, "/readyz") == (200, "ok\n"))
    assert get(server, "/login/")[0] in {301, 400}, "it is not for this name, and not without TLS"
    status, told = get(server, "/metrics", Authorization="Bearer token")
    assert status == 200
    assert "touchstone_last_backup_timestamp_seconds" in told
    assert 'touchstone_part_silence_seconds{part="keeper"}' in told
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith("{")]
    assert ("/healthz", 200) in [(line.get("path"), line.get("status")) for line in lines]

    left = server.data / "slow-lane" / "half.upload.zip"  # as an upload on its way is there
    wait_for(left.parent.exists)
    left.write_text("half of an upload")
    for name in ("worker", "slow_lane"):
        first = wait_for(lambda name=name: part_of(server, name))
        os.kill(first, signal.SIGKILL)
        second = wait_for(lambda name=name, first=first: (part := part_of(server, name)) != first and part)
        assert second != first
        assert server.answers()
    secure = {"Host": "judge.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    assert get(server, "/upload/", **secure)[0] == 302, "answered by the one that was started anew"
    assert not left.exists(), "which has tidied up first"
    server.process.terminate()
    assert server.process.wait(timeout=PATIENCE) == 0

    printed = re.findall(r"/join/(\S+)/", server.log.read_text())
    assert len(set(printed)) == 4
    server.run(
        "manage.py",
        "shell",
        "-v0",
        "-c",
        "from annotation.models import Assessor;"
        "from annotation.services.assessors import assessor_revoke;"
        "assessor_revoke(assessor=Assessor.objects.get(name='Ada'))",
    )
    server.log.write_text("")
    server.start()
    assert re.findall(r"/join/(\S+)/", server.log.read_text()) == printed[1:]
