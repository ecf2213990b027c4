"""Whatever goes wrong, the body has one shape; and who asks too often is told to wait."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, override_settings
from rest_framework.throttling import SimpleRateThrottle

from annotation.api.errors import CODES, Error
from tests.annotation.api.programs import ROOT, program, url
from tests.conftest import ROOT as PROJECT
from tests.factories import logged_in
from tests.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study()


def code(response) -> str:
    """The error's code; the body must be an error's and nothing else."""
    assert response["Content-Type"] == "application/json"
    body = response.json()
    Error.model_validate(body, strict=True)
    assert set(body) == {"error"}
    assert set(body["error"]) <= {"code", "message", "details"}
    assert body["error"]["message"]
    assert CODES[response.status_code] == body["error"]["code"]
    return body["error"]["code"]


def test_every_kind_of_error_has_the_same_shape(study):
    client = program(study)
    scores = url(study, "scores/")
    errors = [
        client.post(scores, "{", content_type="application/json"),
        Client().get(ROOT),
        program(study, "viewer").post(url(study, "open/")),
        client.get(ROOT + "nowhere/"),
        client.put(ROOT),
        client.get(ROOT, headers={"accept": "text/html"}),
        client.post(url(study, "close/")),
        client.post(scores, "x", content_type="application/json", CONTENT_LENGTH=60 * 1024**2),
        client.post(scores, "<x/>", content_type="text/xml"),
        client.post(scores, {"scores": 1}, content_type="application/json"),
    ]
    assert [response.status_code for response in errors] == [400, 401, 403, 404, 405, 406, 409, 413, 415, 422]
    assert [code(response) for response in errors] == [CODES[response.status_code] for response in errors]


@pytest.mark.parametrize("method", ["get", "post", "delete", "options"])
@pytest.mark.parametrize(
    "address", ["/api/", "/api/v1/", "/api/v1/studies", "/api/v2/studies/", "/api/v1/studies/a%00b/"]
)
def test_an_address_that_is_none_is_an_error_of_the_same_shape(method, address):
    """Also without the slash at the end: a redirect would turn a POST into a GET."""
    assert code(getattr(program(), method)(address)) == "not_found"


def test_answers_are_not_kept_by_caches(study):
    client = program(study)
    for address in (
        ROOT,
        url(study),
        url(study, "judgments.csv"),
        url(study, "study.zip"),
        ROOT + "nowhere/",
    ):
        assert "no-store" in client.get(address)["Cache-Control"]


def test_a_body_in_chunks_is_refused_not_taken_for_nothing(study):
    """WSGI hands on a body only with its length; a program must not think that it was read."""
    client = program(study)
    client.defaults["HTTP_TRANSFER_ENCODING"] = "chunked"
    response = client.generic("POST", url(study, "scores/"), content_type="text/csv", CONTENT_LENGTH="")
    assert (response.status_code, code(response)) == (411, "length_required")


def test_the_length_of_what_is_not_read_does_not_matter(study):
    """A GET has no body; a client that announces one is not refused."""
    client = program(study)
    assert client.get(url(study), CONTENT_LENGTH=str(60 * 1024**2)).status_code == 200
    assert client.get(url(study), HTTP_TRANSFER_ENCODING="chunked").status_code == 200
    pk = study.assessors.first().pk
    deleted = client.delete(url(study, f"assessors/{pk}/link/"), CONTENT_LENGTH=str(60 * 1024**2))
    assert deleted.status_code == 204


def test_a_fault_of_the_server_is_json_that_tells_nothing_of_the_inside(study):
    client = program(study)
    client.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE annotation_metricscore")
    fault = client.get(url(study, "scores/"))
    assert (fault.status_code, code(fault)) == (500, "fault")
    assert "metricscore" not in fault.content.decode()


def test_a_body_is_read_only_as_far_as_the_address_may_need_it(study):
    """Forty megabytes of numbers took a web process, in which people judge, 40 seconds and more than a gigabyte."""
    client = program(study)
    long = b'"%s"' % (b"x" * 2_500_000)
    refused = client.post(url(study, "assessors/"), long, content_type="application/json")
    assert (refused.status_code, code(refused)) == (413, "too_large")
    for address in ("scores/", "units/"):
        assert code(client.post(url(study, address), long, content_type="application/json")) == "invalid"


def test_a_host_that_is_not_ours_gets_json_too():
    refused = program().get(ROOT, headers={"host": "elsewhere.example"})
    assert (refused.status_code, code(refused)) == (400, "bad_request")
    page = Client().get("/login/", headers={"host": "elsewhere.example"})
    assert (page.status_code, page["Content-Type"].partition(";")[0]) == (400, "text/html")


def test_json_without_end_is_a_bad_request(study):
    response = program(study).post(url(study, "assessors/"), "[" * 200_000, content_type="application/json")
    assert code(response) == "bad_request"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"name": %s}' % (b"9" * 400), "too large"),
        (b'{"name": %s}' % (b"9" * 5_000), "too large"),
        (b'{"name": 1e999}', "too large"),
        (b'{"name": NaN}', "NaN is not a number"),
        (b'{"name": ' + b"[" * 600 + b"]" * 600 + b"}", "nested too deeply"),
        (b'{"name": "\xff"}', "not UTF-8"),
        (b'{"name": "a", "name": "b"}', "there twice"),
    ],
)
@pytest.mark.parametrize("rest", ["assessors/", "report/", "scores/"])
def test_json_that_nobody_can_use_is_a_bad_request_in_words(study, rest, body, words):
    response = program(study).post(url(study, rest), body, content_type="application/json")
    assert code(response) == "bad_request"
    assert words in response.json()["error"]["message"]


def test_a_text_may_hold_a_backslash_u_and_zeros(study):
    name = r"C:\u0000"
    response = program(study).post(url(study, "assessors/"), {"name": name}, content_type="application/json")
    assert (response.status_code, response.json()["name"]) == (201, name)


@pytest.mark.parametrize("after", ["2026-02-30", "1e999", "9" * 5_000, "0x1", "-1", "nan"])
def test_a_place_that_is_no_number_is_said_so(study, after):
    """Where a program goes on is a number of a judgment, not a date."""
    response = program(study).get(url(study, "judgments/"), {"after": after})
    assert code(response) == "invalid"


HALF = "\\ud800"  # as it stands in JSON


@pytest.mark.parametrize(
    ("rest", "body"),
    [
        ("assessors/", f'{{"name": "half {HALF}"}}'),
        ("assessors/", f'{{"name": "x", "{HALF}": 1}}'),
        ("report/", f'{{"metrics": ["{HALF}"]}}'),
        ("report/", f'{{"normalise": "{HALF.upper().replace("U", "u")}"}}'),
        ("scores/", f'{{"scores": [{{"metric": "{HALF}", "system": "qx31", "score": 1}}]}}'),
        ("scores/", f'{{"scores": [{{"{HALF}": 1}}]}}'),
        ("scores/", f'{{"scores": [["{HALF}"]]}}'),
        ("scores/", f'"{HALF}"'),
    ],
)
def test_half_a_surrogate_pair_is_a_bad_request_wherever_it_stands(study, rest, body):
    response = program(study).post(url(study, rest), body, content_type="application/json")
    assert code(response) == "bad_request"
    assert "U+D800" in response.json()["error"]["message"]


def test_a_whole_surrogate_pair_is_a_sign_like_others(study):
    body = '{"name": "\\ud83d\\ude42"}'
    response = program(study).post(url(study, "assessors/"), body, content_type="application/json")
    assert (response.status_code, response.json()["name"]) == (201, "🙂")


@pytest.mark.parametrize(
    "asked",
    ["scores/?metric=%00", "scores/?metric=a&metric=b%00", "scores/?%00=1", "judgments/?limit=%00", "?x=%00"],
)
def test_a_nul_in_a_question_is_a_bad_request(study, asked):
    assert code(program(study).get(url(study, asked))) == "bad_request"


@pytest.mark.parametrize("charset", ["utf-7", "hex", "unicode_escape", "idna", "nonsense"])
def test_no_header_chooses_another_encoding(study, charset):
    """Python has encodings for which there is no text, or only half of a pair."""
    client, kind = program(study), f"; charset={charset}"
    question = client.get(url(study, "scores/?metric=%2B2AA-"), content_type=f"text/plain{kind}")
    assert question.status_code == 200
    sent = client.generic("POST", url(study, "assessors/"), b'{"name": "+2AA-"}', f"application/json{kind}")
    assert (sent.status_code, sent.json()["name"]) == (201, "+2AA-")
    form = b'--x\r\nContent-Disposition: form-data; name="replace"\r\n\r\n+2AA-\r\n--x--\r\n'
    answer = client.generic("POST", ROOT, form, content_type=f"multipart/form-data; boundary=x{kind}")
    assert code(answer) == "invalid"


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data", "multipart/form-data; boundary=x", "multipart/form-data; boundary=é"],
)
@pytest.mark.parametrize("way", ["token", "session"])
def test_a_broken_form_is_a_bad_request(way, content_type):
    client = program()
    if way == "session":
        client = logged_in(client.user)
        client.handler.enforce_csrf_checks = True
    response = client.generic("POST", ROOT, b"--x\r\nbroken", content_type=content_type)
    assert response.status_code in {400, 422} if way == "token" else {400, 403}
    code(response)


def test_a_form_with_too_much_beside_its_file_is_too_large():
    fields = {"file": SimpleUploadedFile("a.zip", b"x"), "replace": "x" * (3 * 1024**2)}
    assert code(program().post(ROOT, fields)) == "too_large"


@override_settings(DATA_UPLOAD_MAX_NUMBER_FIELDS=5)
def test_a_form_with_too_many_fields_is_a_bad_request():
    assert code(program().post(ROOT, {f"f{number}": "x" for number in range(9)})) == "bad_request"


def test_details_of_one_sort_are_told_once_and_reading_ends_after_a_thousand(study):
    rows = [{"metric": "m", "system": f"s{number}", "score": 1} for number in range(1500)]
    refused = program(study).post(
        url(study, "scores/"), json.dumps({"scores": rows}), content_type="application/json"
    )
    details = refused.json()["error"]["details"]
    assert [row.get("line") for row in details[:3]] == [1, 2, 3]
    assert "lines 4 to 1,000" in details[3]["message"]
    assert "more than these 1,000 problems" in details[4]["message"]
    assert len(details) == 5


# --- how often ----------------------------------------------------------------------------------------------------


# A process of the server that is asked 100 times by the same user, as soon as its input ends.
ASKING = """
import sys
import django
django.setup()
from django.contrib.auth.models import User
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView
from rest_framework.test import APIRequestFactory
from annotation.api.throttles import Users

SimpleRateThrottle.THROTTLE_RATES = {"user": "100/hour"}
request = APIRequestFactory().get("/")
request.user = User(pk=7)
print("ready", flush=True)
sys.stdin.read()
print(sum(Users().allow_request(request, APIView()) for _ in range(100)))
"""


@pytest.fixture
def three_a_minute(monkeypatch):
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"user": "3/min", "anon": "3/min"})


def test_who_asks_too_often_is_told_how_long_to_wait(three_a_minute):
    client = program()
    assert [client.get(ROOT).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get(ROOT)
    assert code(refused) == "too_many_requests"
    assert 0 < int(refused["Retry-After"]) <= 60
    assert program().get(ROOT).status_code == 200, "others are not held up"


def test_all_tokens_of_a_user_count_together(three_a_minute, study):
    client = program(study)
    for _ in range(3):
        client.get(url(study))
    assert logged_in(client.user).get(ROOT).status_code == 429


@pytest.mark.parametrize("header", [None, "Bearer touchstone_guess"])
def test_those_who_are_turned_away_count_as_well(three_a_minute, header):
    headers = {"Authorization": header} if header else {}
    found = [Client().get(ROOT, headers=headers).status_code for _ in range(5)]
    assert found == [401, 401, 401, 429, 429]
    assert program().get(ROOT).status_code == 200, (
        "a good token is not held up by strangers of the same address"
    )


def test_all_processes_of_the_server_count_together(tmp_path):
    """Also those who ask at the same moment: of 2 × 100 just 100 come in."""
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ASKING],
            cwd=PROJECT,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOUCHSTONE_DATA": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in asking:
        assert process.stdout.readline() == "ready\n"
    for process in asking:
        process.stdin.close()  # now
    assert sum(int(process.stdout.read()) for process in asking) == 100
    assert all(process.wait() == 0 for process in asking)


def test_a_made_up_forwarding_address_does_not_help(three_a_minute):
    found = [Client().get(ROOT, headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(4)]
    assert found[-1] == 429


@pytest.mark.parametrize(
    ("rest", "body", "field"),
    [
        ("details/", {"instructions": "a\0b"}, "instructions"),
        ("details/", {"consent": "\0"}, "consent"),
        ("pause/", {"message": "a\0"}, "message"),
        ("exclusions/", {"what": "item", "name": "d1", "reason": "a\0"}, "reason"),
        ("exclusions/", {"what": "item", "name": "d\0", "reason": "a"}, "name"),
        ("join/", {"rules": {"finished": {"code": "a\0"}}}, "rules.finished.code"),
        ("join/", {"rules": {"groups": [{"group": "a\0", "places": 1}]}}, "rules.groups.0.group"),
    ],
)
def test_a_text_with_a_nul_is_refused_where_it_stands(study, rest, body, field):
    """PostgreSQL stores none: it was a fault of the server there."""
    response = program(study).post(url(study, rest), body, content_type="application/json")
    assert code(response) == "invalid", rest
    assert [row["field"] for row in response.json()["error"]["details"]] == [field]
