"""What every answer says of itself, and what the access log says of a request."""

import json
import logging

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from config.headers import JsonLines, WithRequestId, access
from tests.factories import experimenter, logged_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/login/", "/nowhere/", "/api/v1/studies/", "/join/secret/", "/studies/", "/account/"]
)
def test_every_answer_forbids_what_is_not_used_and_has_a_number(address):
    answer = logged_in(experimenter()).get(address)
    assert "no-store" in answer["Cache-Control"]  # not for whoever sits at the browser next
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["X-Request-Id"] != Client().get(address)["X-Request-Id"]


def test_a_proxy_may_number_requests_and_a_stranger_may_not(settings):
    given = {"X-Request-Id": "from-the-proxy-1"}
    assert Client().get("/login/", headers=given)["X-Request-Id"] != "from-the-proxy-1"
    settings.TRUSTED_PROXIES = 1
    assert Client().get("/login/", headers=given)["X-Request-Id"] == "from-the-proxy-1"
    forged = {"X-Request-Id": "two\tlines and more"}
    assert "two" not in Client().get("/login/", headers=forged)["X-Request-Id"]


@pytest.mark.parametrize(
    ("link", "status"), [("join", 403), ("welcome", 404), ("password/new", 404), ("take-part", 404)]
)
def test_the_access_log_has_a_line_without_address_name_or_link(caplog, link, status):
    access.addHandler(caplog.handler)
    caplog.handler.addFilter(WithRequestId())
    level = access.level
    access.setLevel(logging.INFO)
    try:
        answer = Client(REMOTE_ADDR="192.0.2.9").get(f"/{link}/secret-token/")
        Client().post(reverse("login"), {"username": "erika", "password": "x"})
    finally:
        access.setLevel(level)
        access.removeHandler(caplog.handler)
    first = next(record for record in caplog.records if record.name == access.name)
    assert first.getMessage().startswith(f"GET /{link}/…/ {status} ")
    assert first.request_id == answer["X-Request-Id"]
    said = " ".join(record.getMessage() for record in caplog.records)
    assert not any(word in said for word in ("secret-token", "192.0.2.9", "erika"))


def test_nobody_writes_lines_of_their_own_into_the_access_log(caplog):
    access.addHandler(caplog.handler)
    level = access.level
    access.setLevel(logging.INFO)
    try:
        Client().get("/x%0a2026-01-01 INFO forged%1b[31m%c2%85%e2%80%a8/")
    finally:
        access.setLevel(level)
        access.removeHandler(caplog.handler)
    (line,) = (record.getMessage() for record in caplog.records if record.name == access.name)
    assert line.startswith("GET /x\\n2026-01-01 INFO forged\\x1b[31m\\x85\\u2028/ 404 ")


def test_a_request_for_another_host_gets_a_line_and_no_traceback(caplog):
    """Before: fourteen lines of traceback for each, as many as a stranger liked."""
    caplog.handler.addFilter(WithRequestId())
    assert Client().get("/login/", headers={"Host": "evil.example"}).status_code == 400
    assert "Invalid HTTP_HOST header: 'evil.example'" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_database_that_is_away_gets_a_line_and_no_traceback(caplog):
    caplog.handler.addFilter(WithRequestId())
    log = logging.getLogger("django.request")

    def told(fault: Exception) -> str:
        caplog.clear()
        try:
            raise fault
        except Exception:
            log.exception("Internal Server Error: %s", "/join/secret-token/")
        return caplog.text

    away = told(OperationalError("connection failed: the database is in recovery\nDETAIL: more"))
    assert (
        "Internal Server Error: /join/…/ (OperationalError: connection failed: the database is in recovery)"
        in away
    )
    assert "Traceback" not in away
    assert "Traceback" in told(ValueError("a fault of ours"))


def test_a_log_of_json_has_an_object_a_line_with_the_fields_of_the_request(caplog):
    access.addHandler(caplog.handler)
    caplog.handler.addFilter(WithRequestId())
    level = access.level
    access.setLevel(logging.INFO)
    try:
        answer = Client().get("/join/secret-token/")
    finally:
        access.setLevel(level)
        access.removeHandler(caplog.handler)
    line = JsonLines().format(next(record for record in caplog.records if record.name == access.name))
    said = json.loads(line)
    assert "\n" not in line
    assert said["request_id"] == answer["X-Request-Id"]
    assert (said["method"], said["path"], said["status"]) == ("GET", "/join/…/", 403)
    assert isinstance(said["ms"], int)


def test_a_log_of_json_keeps_a_traceback_in_its_line_and_no_link(caplog):
    try:
        raise ValueError("/join/secret-token/ is\nbroken")
    except ValueError:
        logging.getLogger("touchstone.test").exception("It “failed”")
    line = JsonLines().format(caplog.records[-1])
    said = json.loads(line)
    assert "\n" not in line
    assert (said["level"], said["message"]) == ("ERROR", "It “failed”")
    assert "ValueError" in said["exception"]
    assert "secret-token" not in line
