"""Is it alive, is it ready, what is to be measured: for programs, without a login, and telling strangers nothing."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from annotation import alive
from annotation.selectors import operations
from config.metering import BOUNDS, KINDS, Meter, kind_of
from tests.studies import make_study

TOKEN = "a token of the settings"


def test_alive_asks_no_database():
    """There is none in this test: asking it would fail."""
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")


@pytest.mark.django_db
def test_ready_names_what_is_wrong_in_a_word(own_data, monkeypatch):
    alive.beat(alive.SLOW_LANE)
    alive.beat(alive.WORKER)
    alive.beat(alive.KEEPER)
    assert Client().get("/readyz").text == "ok\n"
    ahead = time.time() + 400 * 24 * 60 * 60  # heard of before the clock was set back
    os.utime(own_data / "alive" / "keeper", (ahead, ahead))
    assert Client().get("/readyz").text == "keeper away\n"
    alive.beat(alive.KEEPER)
    (own_data / "alive" / "worker").unlink()
    away = Client().get("/readyz")
    assert (away.status_code, away.text) == (200, "worker away\n"), "people can judge without it"
    monkeypatch.setattr(operations, "ROOM_NEEDED", 2**80)
    MigrationRecorder(connection).record_unapplied("annotation", "0001_initial")
    wrong = Client().get("/readyz")
    assert (wrong.status_code, wrong.text) == (503, "migrations\ndisk\nworker away\n")


def test_not_ready_without_a_database(monkeypatch, own_data, django_db_blocker):
    with django_db_blocker.unblock():
        name = connection.settings_dict["NAME"]
        connection.close()
        connection.settings_dict["NAME"] = (
            str(own_data / "nowhere" / "x") if connection.vendor == "sqlite" else "nowhere_x"
        )
        try:
            answer = Client().get("/readyz")
        finally:
            connection.close()
            connection.settings_dict["NAME"] = name
    assert answer.status_code == 503
    assert answer.text.startswith("database\n")


@pytest.mark.django_db
@pytest.mark.usefixtures("own_data")
def test_probes_are_answered_whatever_the_host_and_without_tls(settings):
    settings.ALLOWED_HOSTS = ["judge.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    probe = Client(HTTP_HOST="10.0.0.7:8000")
    assert [probe.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    assert probe.get("/login/").status_code in {301, 400}


# --- metrics ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.usefixtures("own_data")
def test_metrics_are_for_whoever_has_the_token_of_the_settings(settings):
    assert Client().get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for header in ("", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN} "):
        refused = Client().get("/metrics", headers={"Authorization": header})
        assert (refused.status_code, refused.text) == (401, "token\n"), header
    make_study()
    Client().get("/nowhere/")
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    samples = parsed(answer.text)
    assert samples["touchstone_judgments", ""] == 0
    assert samples["touchstone_requests_total", 'status="404"'] >= 1
    assert samples["touchstone_reports_waiting", ""] == 0
    assert "touchstone_last_backup_timestamp_seconds" not in answer.text, "there is none"
    buckets = [
        samples["touchstone_request_duration_seconds_bucket", f'kind="manage",le="{b:g}"'] for b in BOUNDS
    ]
    count = samples["touchstone_request_duration_seconds_count", 'kind="manage"']
    assert buckets == sorted(buckets)
    assert samples["touchstone_request_duration_seconds_bucket", 'kind="manage",le="+Inf"'] == count >= 1


def parsed(text: str) -> dict[tuple[str, str], float]:
    """Strictly as the format has it: a type before its samples, no line that is neither."""
    samples: dict[tuple[str, str], float] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, family, _ = line.split(" ", 3)
            assert word in {"HELP", "TYPE"}
            continue
        found = re.fullmatch(r"(touchstone_\w+)(?:\{(.*)\})? (-?[0-9.]+)", line)
        assert found, line
        assert found[1].startswith(family)
        assert (found[1], found[2] or "") not in samples
        samples[found[1], found[2] or ""] = float(found[3])
    return samples


def test_processes_count_together_and_one_that_is_killed_takes_nothing_along():
    meter = Meter()
    for number in range(3):
        if not (child := os.fork()):
            meter.count("judgment", 200, 0.02)
            meter.count("judgment", 409, 7.0)
            if number == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            os._exit(0)
        os.waitpid(child, 0)
    meter.count("judgment", 200, 60.0)
    assert meter.statuses() == {200: 4, 409: 3}
    found = meter.durations("judgment")
    assert dict(zip([*BOUNDS, "more"], found.counts, strict=True)) == dict.fromkeys(BOUNDS, 0) | {
        0.025: 3,
        10.0: 3,
        "more": 1,
    }
    assert found.seconds == pytest.approx(3 * 7.02 + 60)
    assert meter.durations("api").counts == [0] * (len(BOUNDS) + 1)


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/work/demo/item/abc/judgment/", "judgment"),
        ("GET", "/work/demo/item/abc/judgment/", "assess"),
        ("GET", "/join/secret/", "assess"),
        ("GET", "/api/v1/studies/", "api"),
        ("GET", "/static/a.css", "static"),
        ("GET", "/studies/", "manage"),
    ],
)
def test_requests_are_told_apart_by_what_they_are_for(method, path, kind):
    assert kind_of(method, path) == kind
    assert kind in KINDS
