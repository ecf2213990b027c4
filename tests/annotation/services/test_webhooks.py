"""Webhooks, sent to a real server on this machine: signed, only where the settings say, tried again a few times."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.utils import timezone

from annotation.models import AuditEntry, Judgment, WebhookEvent
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_open
from annotation.services.webhooks import (
    PAUSES,
    finished_studies_tell,
    quality_warnings_raise,
    webhooks_send,
    webhooks_tidy,
)
from annotation.webhook import webhook_problem
from tests import catalogues
from tests.studies import make_study

pytestmark = pytest.mark.django_db
SECRET = "shared with the other side"


class Receiver(HTTPServer):
    """Keeps what it gets, and answers with the next of ``statuses``, else 204."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.is_endless = False  # says “continue” for ever


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        with suppress(OSError):
            while self.server.is_endless:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.02)
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.end_headers()

    do_GET = do_POST  # noqa: N815 - http.server's name

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    server = Receiver()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/hook?for=us"
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]
    settings.WEBHOOK_SECRET = SECRET
    yield server
    server.shutdown()
    server.server_close()


def closed(slug: str = "small"):
    study = make_study(slug=slug)
    study_open(study=study)
    study_close(study=study)
    return study


def test_a_closed_study_is_told_once_and_signed(receiver, settings):
    settings.PUBLIC_URL = "https://judge.example.org"
    closed()
    assert webhooks_send() == 1
    assert webhooks_send() == 0
    ((path, headers, body),) = receiver.got
    assert path == "/hook?for=us"
    moment, _, given = headers["X-Touchstone-Signature"].partition(",v1=")
    expected = hmac.new(SECRET.encode(), moment.removeprefix("t=").encode() + b"." + body, hashlib.sha256)
    assert given == expected.hexdigest()
    told = json.loads(body)
    assert told["event"] == headers["X-Touchstone-Event"] == "study.closed"
    assert told["id"] == headers["X-Touchstone-Delivery"]
    assert told["study"] == {
        "slug": "small",
        "name": "A small study",
        "address": "https://judge.example.org/studies/small/",
    }


def test_a_study_in_which_everything_is_judged_is_told_once(receiver):
    study = make_study()
    study_open(study=study)
    assert finished_studies_tell() == 0, "nothing is judged"
    study_simulate(study=study, seed=1)
    assert finished_studies_tell() == 1
    assert finished_studies_tell() == 0
    webhooks_send()
    told = json.loads(receiver.got[0][2])
    assert told["event"] == "study.finished"
    assert told["headline"].startswith("All ")
    assert told["judgments"] == Judgment.objects.count() > 0


def test_a_quality_warning_is_in_the_history_and_told_once_under_the_pseudonym(receiver):
    study = make_study()
    assessor = study.assessors.first()
    fast = "looks careless: too fast"
    assert quality_warnings_raise(study=study, verdicts={"A01": fast}) == 1
    assert quality_warnings_raise(study=study, verdicts={"A01": fast}) == 0, "it was said"
    both = {"A01": fast, "A02": f"{fast} and no better than chance on repeats"}
    assert quality_warnings_raise(study=study, verdicts=both) == 1
    assert webhooks_send() == 2
    told = [json.loads(body) for _, _, body in receiver.got]
    assert [(one["assessor"], one["verdict"]) for one in told] == list(both.items())
    assert assessor.name not in receiver.got[0][2].decode()
    lines = AuditEntry.objects.filter(chain=study.pk, action="quality.warning")
    assert list(lines.values_list("target", flat=True)) == [
        f"assessor {who}: {words}" for who, words in both.items()
    ]


def test_what_is_not_taken_is_tried_again_ever_later_and_given_up_in_the_end(receiver):
    closed()
    receiver.statuses = [500] * 50
    for attempt in range(len(PAUSES) + 3):
        WebhookEvent.objects.update(next_at=timezone.now())
        assert webhooks_send() == 0
        row = WebhookEvent.objects.get()
        assert row.error == "The other side answered 500."
        assert row.attempts == min(attempt + 1, len(PAUSES) + 1)
    assert row.given_up_at is not None
    assert len(receiver.got) == len(PAUSES) + 1


def test_between_two_attempts_there_is_a_pause(receiver):
    closed()
    receiver.statuses = [503]
    assert webhooks_send() == 0
    assert webhooks_send() == 0, "it is not its turn"
    assert len(receiver.got) == 1
    WebhookEvent.objects.update(next_at=timezone.now())
    assert webhooks_send() == 1


def test_what_was_to_be_told_before_the_clock_was_set_back_is_told(receiver):
    """Before: nobody was told for as long as the clock had once been ahead."""
    closed()
    WebhookEvent.objects.update(next_at=timezone.now() + timedelta(days=400))
    assert webhooks_send() == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(receiver, status):
    closed()
    receiver.statuses = [status]
    assert webhooks_send() == 0
    assert [path for path, _, _ in receiver.got] == ["/hook?for=us"]


def test_an_answer_without_end_holds_nothing_up(receiver, monkeypatch):
    """Before: it was read for ever, and no backup was made meanwhile."""
    monkeypatch.setattr("annotation.webhook.DEADLINE", 0.3)
    receiver.is_endless = True
    closed()
    started = time.monotonic()
    sending = threading.Timer(10, lambda: setattr(receiver, "is_endless", False))  # the test ends in any case
    sending.start()
    assert webhooks_send() == 0
    sending.cancel()
    receiver.is_endless = False
    assert time.monotonic() - started < 5
    assert WebhookEvent.objects.get().error


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"WEBHOOK_HOSTS": []}, "does not name 127.0.0.1"),
        ({"WEBHOOK_HOSTS": ["other.example"]}, "does not name 127.0.0.1"),
        ({"WEBHOOK_SECRET": ""}, "SECRET is not set"),
        (
            {"WEBHOOK_URL": "http://example.org/x", "WEBHOOK_HOSTS": ["example.org"]},
            "must begin with https://",
        ),
        ({"WEBHOOK_URL": "file:///etc/passwd"}, "must be an address"),
        ({"WEBHOOK_URL": "https://a@example.org/", "WEBHOOK_HOSTS": ["example.org"]}, "must be an address"),
        ({"WEBHOOK_URL": "https://[bad"}, "is no address"),
        ({"WEBHOOK_URL": "https://example.org:99999/"}, "is no address"),
    ],
)
def test_nothing_is_sent_where_the_settings_do_not_say_so(receiver, settings, changed, why):
    for name, value in changed.items():
        setattr(settings, name, value)
    closed()
    assert why in webhook_problem()
    marked = [
        key
        for key, files in catalogues.marked(catalogues.EXPERIMENTERS).items()
        if "annotation/webhook.py" in files
    ]
    assert any(why.replace("127.0.0.1", "{host}") in key for key in marked), "it can be translated"
    assert webhooks_send() == 0
    assert receiver.got == []
    assert why in WebhookEvent.objects.get().error


def test_where_no_webhook_is_set_nothing_is_kept_for_one():
    closed()
    assert not WebhookEvent.objects.exists()
    assert (webhooks_send(), finished_studies_tell(), webhook_problem()) == (0, 0, "")


def test_what_was_told_a_month_ago_is_forgotten(receiver):
    closed()
    assert webhooks_tidy() == 0
    WebhookEvent.objects.update(made_at=timezone.now() - timedelta(days=31))
    assert webhooks_tidy() == 1
