"""What takes long has threads of its own; what assessors and logins need is never among it."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.urls import reverse

from config.heavy import in_turn, is_heavy

TAKES_A_TURN = """
import sys
from pathlib import Path
from config.heavy import in_turn
with in_turn(Path(sys.argv[1]), turns=1):
    print("mine", flush=True)
    sys.stdin.read()
"""


def head(method: str, address: str) -> bytes:
    return f"{method} {address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


HEAVY = [
    ("GET", reverse("download_judgments", args=["s", "parquet"])),
    ("GET", reverse("download_judgments", args=["s", "csv"]) + "?names"),
    ("GET", reverse("download_study", args=["s"])),
    ("GET", reverse("study_results", args=["s"])),
    ("GET", reverse("report_archive", args=["s", 3])),
    ("POST", reverse("study_upload")),
    ("POST", reverse("study_open", args=["s"])),
    ("GET", reverse("api_judgments_file", args=["s", "parquet"])),
    ("GET", reverse("api_study_file", args=["s"])),
    ("GET", reverse("api_run_archive", args=["s", 3])),
    ("POST", reverse("api_studies")),
    ("POST", reverse("api_judgments", args=["s"])),
    ("GET", "/studies/s/%64ownloads/judgments.parquet"),
    ("GET", "http://localhost" + reverse("download_judgments", args=["s", "parquet"])),
    ("POST", "http://localhost" + reverse("api_judgments", args=["s"])),
]
LIGHT = [
    ("GET", reverse("login")),
    ("POST", reverse("login")),
    ("GET", reverse("work", args=["s"])),
    ("POST", reverse("judgment", args=["s", "abc"])),
    ("POST", reverse("draft", args=["s", "abc"])),
    ("GET", reverse("study", args=["s"])),
    ("GET", reverse("api_studies")),
    ("GET", reverse("api_progress", args=["s"])),
    ("GET", "/static/assess/main.js"),
]


@pytest.mark.parametrize(("method", "address"), HEAVY)
def test_a_request_over_a_whole_study_waits_with_its_like(method, address):
    assert is_heavy(head(method, address))


@pytest.mark.parametrize(("method", "address"), LIGHT)
def test_a_quick_request_never_waits_behind_it(method, address):
    assert not is_heavy(head(method, address))


def test_what_takes_long_takes_turns_with_other_processes_and_goes_on_when_one_is_killed(tmp_path):
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", TAKES_A_TURN, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as other:
        assert other.stdout.readline() == b"mine\n"
        entered = threading.Event()

        def enter() -> None:
            with in_turn(tmp_path, turns=1):
                entered.set()

        waiting = threading.Thread(target=enter)
        waiting.start()
        assert not entered.wait(0.3)
        other.kill()
        assert entered.wait(10)
        waiting.join()


def test_who_waits_takes_whichever_turn_is_free_first_and_nobody_takes_a_third(tmp_path):
    """Whoever waits must not have chosen a turn whose owner is slow: each of the two is given back first once."""
    for first_back in range(2):
        slow_or_quick = [threading.Event(), threading.Event()]
        inside = [threading.Event() for _ in range(4)]

        def hold(number, until, inside=inside):
            with in_turn(tmp_path, turns=2):
                inside[number].set()
                until.wait(20)

        enough = threading.Event()
        people = [threading.Thread(target=hold, args=(n, slow_or_quick[n])) for n in range(2)]
        people += [threading.Thread(target=hold, args=(n, enough)) for n in (2, 3)]
        for number in (0, 1):
            people[number].start()
            assert inside[number].wait(10)
        for waiting in people[2:]:
            waiting.start()
        assert not inside[2].wait(0.2) and not inside[3].is_set()
        slow_or_quick[first_back].set()
        people[first_back].join(10)
        enough.set()
        assert inside[2].wait(10) and inside[3].wait(10), (
            "both by the one turn that is free, one after the other"
        )
        assert people[1 - first_back].is_alive()
        slow_or_quick[1 - first_back].set()
        for one in people:
            one.join(10)


def test_a_disk_that_takes_no_file_keeps_nobody_waiting(tmp_path):
    with in_turn(tmp_path / "not there", turns=1), in_turn(tmp_path / "not there", turns=1):
        pass
