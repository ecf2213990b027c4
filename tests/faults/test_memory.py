"""The server's processes get no more memory, as the kernel refuses it: told in words, work is kept, and no process ends."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
import resource
import zipfile
from pathlib import Path

import pytest

from annotation.management.parts import memory_bound, memory_limits
from benchmarks.abuse import CRITERIA, TOKEN
from config.intake import Intake, Room
from tests.servers import Server, serving
from tests.visitors import Visitor, submission, urls_of

SLACK = 40 * 2**20  # what a process may still take
LARGE = 20 * 2**20  # bytes of texts in one upload


def limit(server: Server, more: int) -> None:
    """Processes that answer requests may have so much more than they have now; -1: as much as there is."""
    for pid in server.web_processes() + server.slow_lane():
        status = Path(f"/proc/{pid}/status").read_text()
        now = 1024 * int(re.search(r"VmSize:\s+(\d+)", status)[1])
        allowed = now + more if more >= 0 else resource.RLIM_INFINITY
        resource.prlimit(pid, resource.RLIMIT_AS, (allowed, resource.RLIM_INFINITY))


def large_study() -> bytes:
    buffer = io.BytesIO()
    rows = "".join(f'{{"id": "d{n}", "text": "{n:x} {"word " * 200}"}}\n' for n in range(LARGE // 1000))
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("study.yaml", "name: A\nslug: large\nmaterials:\n  documents: d.jsonl\n")
        archive.writestr("d.jsonl", rows)
    return buffer.getvalue()


def upload(visitor: Visitor, token: str) -> tuple[int, str]:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="s.zip"\r\n\r\n'
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=b"}
    visitor.connection.request("POST", "/api/v1/studies/", head + large_study() + b"\r\n--b--\r\n", headers)
    answer = visitor.connection.getresponse()
    return answer.status, answer.read().decode()


def test_without_memory_an_upload_is_refused_in_words_and_people_go_on(tmp_path):
    with serving(tmp_path) as server:
        (link,) = server.run("-m", "tests.load_study", "--pieces", "20", "--assessors", "1").split()
        server.start()
        token = server.run("manage.py", "shell", "-v0", "-c", TOKEN).split()[-1]
        person = Visitor(server.address)
        urls = urls_of(person.get(link)[1])
        answer = {"values": dict.fromkeys(CRITERIA, 2)}
        assert person.post(urls["draft"], {"revision": 1, "answer": answer, "seconds": 1})[0] == 200
        processes = server.web_processes() + server.slow_lane()
        for pid in server.slow_lane():  # what is uploaded must not take the memory of those who judge
            assert resource.prlimit(pid, resource.RLIMIT_DATA)[0] != resource.RLIM_INFINITY

        limit(server, SLACK)
        for _ in range(3):
            status, told = upload(Visitor(server.address), token)
            assert status == 503
            assert "error" in json.loads(told)
        sent = submission(answer)
        status, told = person.post(urls["submit"], sent)
        assert status in (200, 503)

        limit(server, -1)
        assert f"{CRITERIA[0]}" in person.get(link)[1]
        assert person.post(urls["submit"], sent)[0] == 200
        ((*_, stored),) = server.judgments()
        assert json.loads(stored)["values"] == answer["values"]
        assert server.web_processes() + server.slow_lane() == processes


def test_a_request_that_cannot_be_put_aside_is_refused_in_words():
    """Before: the fault came up where connections are waited for, and ended the process."""
    intake = Intake(Room(2**30), keep_max=2**30, keep_less=0)
    intake.take(b"POST /login/ HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # no file may grow further, as on a full disk
    try:
        intake.take(b"x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert b"503 Service Unavailable" in intake.refusal
    assert b"no room left" in intake.refusal
    intake.close()


@pytest.mark.parametrize(
    ("groups", "files", "limits"),
    [
        ("0::/\n", {"memory.max": "2000"}, [2000]),  # a container
        (
            "0::/system.slice/touchstone.service\n",
            {"system.slice/touchstone.service/memory.max": "4000", "system.slice/memory.max": "max"},
            [4000],
        ),
        (
            "0::/docker/7\n",
            {"memory.max": "2000"},
            [2000],
        ),  # which sees its own at the top, under a name from outside
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "3000"}, [3000]),
        ("4:cpu,cpuacct:/\n0::/\n", {}, []),
    ],
)
def test_a_service_has_no_more_memory_than_systemd_or_a_container_gives_it(groups, files, limits, tmp_path):
    """Before: ``MemoryMax=4G`` of the unit was not seen, and an upload that needed more ended the whole service."""
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{content}\n")
    (tmp_path / "groups").write_text(groups)
    assert memory_limits(tmp_path / "groups", tmp_path) == limits


def test_who_makes_reports_has_a_share_of_the_memory():
    """Before: a report took what there was, and the kernel ended whatever process it chose."""

    def greedy() -> None:
        memory_bound(0.01)
        try:
            bytearray(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
        except MemoryError:
            os._exit(0)
        os._exit(1)

    child = multiprocessing.get_context("fork").Process(target=greedy)
    child.start()
    child.join(timeout=30)
    assert child.exitcode == 0
