"""Whatever the body of a request holds, an assessor's address answers in words, and never with a fault."""

import json
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.export import judgment_rows
from annotation.models import Draft, Flag, Judgment
from annotation.services.studies import study_open
from tests.annotation.test_permissions import addresses
from tests.annotation.views.test_assess import GOOD, SEE_ONLY, current, entered
from tests.factories import owner_client
from tests.studies import make_study

pytestmark = pytest.mark.django_db

KEY = str(uuid.UUID(int=5))
WRITTEN = r"C:\u0000\new"  # as somebody types it: a backslash, a u, four zeros


@pytest.fixture
def study():
    made = make_study(SEE_ONLY)
    study_open(study=made)
    return made


@pytest.fixture(params=["judgment", "draft", "flag", "message", "preview_judgment", "preview_draft"])
def address(request, study):
    """A browser, and an address to which an assessor's page, or the preview of one, sends JSON."""
    if request.param.startswith("preview"):
        place = reverse(request.param, args=[study.slug, study.tasks.get().name, 1])
        return owner_client(study), place
    client = entered(study)
    if request.param == "message":
        return client, reverse("message", args=[study.slug])
    return client, f"{current(client, study)}{request.param}/"


def raw(client: Client, place: str, body: bytes, content_type: str = "application/json"):
    client.raise_request_exception = False
    return client.post(place, body, content_type=content_type)


def refused(answer) -> str:
    """The words of a 400; nothing was stored."""
    assert answer.status_code == 400, answer.content[:200]
    assert not (Judgment.objects.exists() or Draft.objects.exists() or Flag.objects.exists())
    return answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"seconds": %s}' % (b"9" * 400), "too large"),
        (b'{"revision": %s}' % (b"9" * 5_000), "too large"),
        (b'{"seconds": 1e999}', "too large"),
        (b'{"seconds": NaN}', "NaN is not a number"),
        (b'{"answer": {"x": Infinity}}', "Infinity is not a number"),
        (b'{"answer": ' + b"[" * 600 + b"]" * 600 + b"}", "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"comment": "\\ud83d"}', "half a character"),
        (b'{"answer": {"\\udfff": 1}}', "half a character"),
        (b'{"comment": "a\\u0000b"}', "NUL"),
        (b'{"answer": {"a\\u0000": 1}}', "NUL"),
        (b'{"comment": "\xff"}', "not UTF-8"),
        (b'{"comment": 1, "comment": 2}', "there twice"),
        (b"", "Expecting value"),
        (b"[]", "must be a mapping"),
        (b"7", "must be a mapping"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused_in_words(address, body, words):
    assert words in refused(raw(*address, body))


def test_a_form_in_place_of_json_is_refused_in_words(address, study):
    """A check against forgery reads a form before the view does, and then it cannot be read again."""
    client, place = address
    client.raise_request_exception = False
    client.handler.enforce_csrf_checks = True
    client.cookies["csrftoken"] = token = "a" * 32
    form = {"answer": "{}", "file": SimpleUploadedFile("a.json", b"{}")}
    assert "JSON" in refused(client.post(place, form, headers={"X-CSRFToken": token}))


def test_a_body_over_the_limit_is_refused_in_words(address):
    client, place = address
    for size in (600_000, 3 * 1024**2):
        answer = raw(client, place, json.dumps({"comment": "x" * size}).encode())
        assert answer.status_code == 413
        assert answer.json()["message"] == "This is too long: an answer may have 512 KB."


def test_a_body_of_too_many_values_is_refused_before_any_of_them_is_read(study):
    """120,000 empty objects in half a megabyte kept a processor busy for seconds, and became a draft of megabytes."""
    client = entered(study)
    sent = {"revision": 1, "answer": {"outputs": [{}] * 30_000}}
    answer = raw(client, f"{current(client, study)}draft/", json.dumps(sent).encode())
    assert (answer.status_code, answer.json()["status"]) == (413, "bad-request")
    assert not Draft.objects.exists()


def test_an_answer_of_nothing_but_faults_gets_no_long_reply():
    """12,000 criteria that there are not: 900 KB came back for 145."""
    study = make_study({"kind": "rating", "name": "quality", "preset": "summeval"})
    study_open(study=study)
    client = entered(study)
    answer = {"values": {f"k{number}": 1 for number in range(12_000)}}
    sent = {"client_key": KEY, "revision": 1, "answer": answer}
    told = raw(client, f"{current(client, study)}judgment/", json.dumps(sent).encode())
    assert told.status_code == 422
    assert len(told.content) < 20_000


@pytest.mark.parametrize("seconds", [None, "x", [], {}, True, -5, "9" * 400])
def test_a_clock_that_went_wrong_costs_nobody_their_answer(study, seconds):
    client = entered(study)
    sent = {"client_key": KEY, "revision": 1, "answer": GOOD, "seconds": seconds}
    answer = raw(client, f"{current(client, study)}judgment/", json.dumps(sent).encode())
    assert answer.status_code == 200
    assert Judgment.objects.get().seconds == 0


def test_a_message_may_hold_a_backslash_u_and_zeros(study):
    client = entered(study)
    answer = raw(client, reverse("message", args=[study.slug]), json.dumps({"comment": WRITTEN}).encode())
    assert answer.status_code == 200
    assert Flag.objects.get().comment == WRITTEN


def test_what_somebody_writes_may_hold_a_backslash_u_and_zeros():
    """From the page through the database to the export and to what others judge."""
    study = make_study({"kind": "cross_comprehension", "name": "crossing", "questions_min": 1})
    study_open(study=study)
    client = entered(study)
    written = {"summary": WRITTEN, "questions": [{"question": WRITTEN, "answer": WRITTEN}]}
    place = current(client, study)
    draft = {"revision": 1, "answer": written, "seconds": 1}
    assert raw(client, f"{place}draft/", json.dumps(draft).encode()).status_code == 200
    assert json.dumps(WRITTEN) in client.get(place).content.decode()
    answer = raw(client, f"{place}judgment/", json.dumps(draft | {"client_key": KEY}).encode())
    assert answer.status_code == 200
    assert Judgment.objects.get().answer["summary"] == WRITTEN
    assert WRITTEN in {row["label"] for row in judgment_rows(study)}


@pytest.mark.parametrize("place", ["item/a%00b/", "item/a%00b/draft/", "item/%ED%A0%80/"])
def test_an_address_that_no_item_has_does_not_exist(study, place):
    client = entered(study)
    client.raise_request_exception = False
    home = reverse("work", args=[study.slug])
    assert client.get(f"{home}{place}").status_code == 404
    assert raw(client, f"{home}{place}", b"{}").status_code == 404


@pytest.mark.parametrize("token", ["a%00b", "%ED%A0%80", "%FF"])
def test_a_link_that_nobody_has_opens_nothing(token):
    assert Client().get(f"/join/{token}/").status_code == 403


def test_a_nul_after_the_question_mark_is_a_bad_request(study):
    client = owner_client(study)
    client.raise_request_exception = False
    for asked in ("q=%00", "q=a%00b&topics", "page=%00", "%00=1"):
        assert client.get(f"{reverse('study_materials', args=[study.slug])}?{asked}").status_code == 400
    assert Client().get("/login/?next=%00").status_code == 400


def test_a_nul_in_a_cookie_is_a_bad_request(study):
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "\0" * 32
    assert client.get("/login/").status_code == 400


@pytest.mark.parametrize("charset", ["idna", "rot13", "base64", "no-such-thing"])
def test_a_form_in_an_encoding_that_is_none_of_text_is_refused(charset):
    client = Client(raise_request_exception=False)
    body = b'--x\r\nContent-Disposition: form-data; name="username"\r\n\r\n..\xc3\xa4\r\n--x--\r\n'
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    answer = client.generic("POST", reverse("login"), body, content_type=kind)
    assert answer.status_code == 400


def test_no_number_in_an_address_is_too_large_for_the_server(study):
    """Before: taking back piece 10 to the 30 was a fault on SQLite, whose numbers end before that."""
    owner = owner_client(study)
    names = {
        "slug": study.slug,
        "task": study.tasks.get().name,
        "kind": "outputs",
        "name": "x",
        "program": "x",
    }
    with_number = [one for one in addresses() if "<int:" in str(one.pattern)]
    assert len(with_number) > 20
    for pattern in with_number:
        given = {name: names.get(name, 10**30) for name in pattern.pattern.converters}
        place = reverse(pattern.name, kwargs=given)
        for ask in (owner.get, owner.post):
            assert ask(place).status_code in {200, 302, 403, 404, 405, 422}, place
