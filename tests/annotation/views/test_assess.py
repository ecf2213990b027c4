"""An assessor's path over HTTP."""

import json
import re
import uuid
from math import ceil

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Flag, Judgment
from annotation.services.assessors import assessor_link, assessor_revoke
from annotation.services.studies import study_close, study_open
from tests.studies import SEE, TIDES, make_study, practice

pytestmark = pytest.mark.django_db

SEE_ONLY = SEE | {"quality": False}
GOOD = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}


@pytest.fixture
def study():
    made = make_study(SEE_ONLY)
    study_open(study=made)
    return made


def entered(study, name="p1", *, started=True):
    """A browser in which this assessor's link has been opened."""
    client = Client()
    assessor = study.assessors.get(name=name)
    client.get(reverse("join", args=[assessor_link(assessor=assessor)]))
    if started:
        client.post(reverse("start", args=[study.slug]), {"consent": "on"})
    return client


def home(study):
    return reverse("work", args=[study.slug])


def current(client, study):
    """The address of the current item."""
    return client.get(home(study)).url


def post(client, address, **body):
    return client.post(address, json.dumps(body), content_type="application/json")


def submit(client, address, answer=GOOD, *, key=None, revision=1):
    return post(
        client,
        f"{address}judgment/",
        client_key=str(key or uuid.uuid4()),
        revision=revision,
        answer=answer,
        seconds=1,
    )


def test_a_link_becomes_a_session_and_leaves_the_address_bar(study):
    client = Client()
    token = assessor_link(assessor=study.assessors.get(name="p1"))
    answer = client.get(reverse("join", args=[token]))
    assert answer.url == home(study)
    page = client.get(answer.url)
    assert page.status_code == 200
    assert token not in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]


def test_only_a_hash_of_the_token_is_stored(study):
    assessor = study.assessors.get(name="p1")
    token = assessor_link(assessor=assessor)
    assert token not in json.dumps(assessor.__dict__, default=str)


@pytest.mark.parametrize("token", ["x", "A" * 43])
def test_a_wrong_link_is_refused(study, token):
    assert Client().get(reverse("join", args=[token])).status_code == 403


def test_a_revoked_link_ends_open_sessions_at_once(study):
    client = entered(study)
    address = current(client, study)
    assessor_revoke(assessor=study.assessors.get(name="p1"))
    assert client.get(address).status_code == 403
    assert submit(client, address).status_code == 403
    assert not Judgment.objects.exists()


def test_a_new_link_replaces_the_old_one(study):
    client = entered(study)
    assessor_link(assessor=study.assessors.get(name="p1"))
    assert client.get(home(study)).status_code == 403


def test_instructions_are_markdown_without_raw_html():
    study = make_study(
        SEE_ONLY, instructions="# Hello\n\n<script>alert(1)</script> [x](javascript:alert(1)) **bold**"
    )
    study_open(study=study)
    page = entered(study, started=False).get(home(study)).content.decode()
    assert "<strong>bold</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page


def test_consent_is_asked_for_and_needed():
    study = make_study(SEE_ONLY, consent="We store your answers.")
    study_open(study=study)
    client = entered(study, started=False)
    assert "We store your answers." in client.get(home(study)).content.decode()
    refused = client.post(reverse("start", args=[study.slug]))
    assert refused.status_code == 422
    assert study.assessors.get(name="p1").started_at is None
    client.post(reverse("start", args=[study.slug]), {"consent": "on"})
    assert "/item/" in current(client, study)


def test_submit_brings_the_next_item_in_the_same_answer(study):
    client = entered(study)
    first = current(client, study)
    answer = submit(client, first).json()
    assert answer["status"] == "saved"
    assert answer["next"]["url"] == current(client, study) != first
    assert "says d" in answer["next"]["html"]


def test_the_last_submit_leads_to_the_finished_page_with_a_code(study):
    client = entered(study)
    while "/item/" in (address := current(client, study)):
        answer = submit(client, address).json()
    assert answer["next"] is None
    page = client.get(answer["finished_url"]).content.decode()
    assert study.assessors.get(name="p1").completion_code in page
    assert "Messages" not in page
    assert post(client, reverse("message", args=[study.slug]), comment="Was that all?").status_code == 200
    messages = reverse("messages", args=[study.slug])
    assert f'href="{messages}"' in client.get(answer["finished_url"]).content.decode(), "also once read"


def test_the_finished_page_is_not_for_those_who_are_not_finished(study):
    client = entered(study)
    page = client.get(reverse("finished", args=[study.slug]))
    assert page.status_code == 302
    assert page.url == home(study)


def test_the_same_request_sent_twice_gives_one_judgment(study):
    client, key = entered(study), uuid.uuid4()
    address = current(client, study)
    first, second = (submit(client, address, key=key).json() for _ in range(2))
    assert (first["status"], second["status"]) == ("saved", "already")
    assert first["next"]["url"] == second["next"]["url"]
    assert Judgment.objects.count() == 1


def test_a_second_tab_gets_409_and_a_sentence(study):
    client = entered(study)
    address = current(client, study)
    submit(client, address)
    answer = submit(client, address)
    assert answer.status_code == 409
    assert "already" in answer.json()["message"]
    assert Judgment.objects.count() == 1


def test_what_is_missing_is_said(study):
    client = entered(study)
    answer = submit(client, current(client, study), {"units": [{"marks": [0], "grade": 1.0}]})
    assert answer.status_code == 422
    assert answer.json()["missing"][0]["field"] == "units.1"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"nonsense", b"\xff", b'{"client_key": "x", "revision": 1}', b'{"revision": 1}',
             b'{"client_key": "5b0f2a86-9a0c-4f39-8e3b-0f6f0a3c2d11", "revision": "x"}']
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_refused(study, body):
    client = entered(study)
    answer = client.post(f"{current(client, study)}judgment/", body, content_type="application/json")
    assert answer.status_code == 400
    assert not Judgment.objects.exists()


def test_a_draft_comes_back_on_another_device(study):
    client = entered(study)
    address = current(client, study)
    post(client, f"{address}draft/", revision=1, answer={"units": [{"marks": [1], "grade": None}]}, seconds=0)
    assessor = study.assessors.get(name="p1")
    elsewhere = Client()
    token = assessor_link(assessor=assessor)
    elsewhere.get(reverse("join", args=[token]))
    page = elsewhere.get(current(elsewhere, study)).content.decode()
    assert re.search(r'"marks": \[1\]', page)


def test_a_draft_must_say_which_revision_it_is_of(study):
    client = entered(study)
    assert post(client, f"{current(client, study)}draft/", answer={}).status_code == 400


def test_an_assignment_of_somebody_else_does_not_exist(study):
    mine, yours = entered(study, "p1"), entered(study, "p2")
    address = current(mine, study)
    assert yours.get(address).status_code == 404
    assert submit(yours, address).status_code == 404
    assert post(yours, f"{address}draft/", revision=1, answer={}).status_code == 404
    assert post(yours, f"{address}flag/", comment="x").status_code == 404


def test_an_item_opens_only_when_it_is_its_turn(study):
    client = entered(study)
    now = current(client, study)
    ahead = Assignment.objects.filter(assessor__name="p1", shown_at=None).first()
    answer = client.get(reverse("item", args=[study.slug, ahead.public_id]))
    assert answer.url == now


def test_nothing_can_be_judged_ahead_of_its_turn(study):
    client = entered(study)
    current(client, study)
    ahead = Assignment.objects.filter(assessor__name="p1", shown_at=None).first()
    assert submit(client, reverse("item", args=[study.slug, ahead.public_id])).status_code == 409


def test_a_submitted_item_leads_to_the_current_one(study):
    client = entered(study)
    first = current(client, study)
    submit(client, first)
    assert client.get(first).url == current(client, study)


def test_where_revising_is_allowed_a_submitted_item_opens_again():
    study = make_study(SEE_ONLY, revise=True)
    study_open(study=study)
    client = entered(study)
    first = current(client, study)
    submit(client, first)
    assert client.get(first).status_code == 200
    assert first in client.get(reverse("items", args=[study.slug])).content.decode()
    other = {"units": [{"marks": [], "grade": 0.0}, {"marks": [], "grade": 0.0}]}
    assert submit(client, first, other, revision=2).status_code == 200
    assert Judgment.objects.count() == 2


def test_earlier_items_are_numbered_as_they_were_submitted_however_many_there_are(monkeypatch):
    monkeypatch.setattr("annotation.views.assess.ITEMS_PER_PAGE", 3)
    study = make_study(SEE_ONLY, documents=7, revise=True)
    study_open(study=study)
    client = entered(study)
    submitted = []
    while "/item/" in (address := current(client, study)):
        submitted.append(address)
        submit(client, address)
    assert len(submitted) > 6, "more than two pages"
    numbers = {}
    for page in range(1, ceil(len(submitted) / 3) + 1):
        listed = client.get(reverse("items", args=[study.slug]), {"page": page}).content.decode()
        rows = re.findall(r'<li value="(\d+)">\s*<a href="([^"]+)">Item (\d+)</a>', listed)
        assert rows
        numbers |= {address: (int(shown), int(value)) for value, address, shown in rows}
    assert numbers == {address: (place, place) for place, address in enumerate(submitted, start=1)}


def test_the_reference_is_in_no_answer_before_fluency_is_confirmed():
    study = make_study(TIDES)
    study_open(study=study)
    client = entered(study)
    address = current(client, study)
    assert "First of d" not in client.get(address).content.decode()
    refused = post(client, f"{address}draft/", revision=1, answer={"values": {}}, confirm=True)
    assert refused.status_code == 422
    confirmed = post(client, f"{address}draft/", revision=1, answer={"values": {"fluency": 3}}, confirm=True)
    assert "First of d" in confirmed.json()["html"]
    post(client, f"{address}draft/", revision=1, answer={"values": {"fluency": 5}})
    assert '"fluency": 3' in client.get(address).content.decode()


def test_practice_says_how_much_of_it_there_is():
    rows = [practice("coverage", system=system, reference="r-d1") for system in ("qx31", "wv77")]
    study = make_study(SEE_ONLY, TIDES, practice=(*rows, practice("quality")))
    study_open(study=study)
    client = entered(study)
    assert 'data-place="Practice 1 of 2"' in client.get(current(client, study)).content.decode()
    submit(client, current(client, study))
    assert 'data-place="Practice 2 of 2"' in client.get(current(client, study)).content.decode()
    submit(client, current(client, study))
    assert 'data-place="Item 1 of ' in client.get(current(client, study)).content.decode()


def test_practice_gives_feedback_before_the_next_item():
    key = {"units": [{"marks": [0], "grade": 0.5}]}
    study = make_study(SEE_ONLY, practice=(practice("coverage", reference="r-d1", key=key),))
    study_open(study=study)
    client = entered(study)
    answer = submit(client, current(client, study)).json()
    assert answer["feedback"][0]["message"].startswith("Unit 1")
    assert answer["next"]


def test_a_closed_study_says_so_and_takes_nothing(study):
    client = entered(study)
    address = current(client, study)
    study_close(study=study)
    assert submit(client, address).status_code == 410
    assert client.get(address).url == home(study)
    assert client.get(home(study)).status_code == 200


def test_flags_and_messages_reach_the_experimenter(study):
    client = entered(study)
    address = current(client, study)
    assert post(client, f"{address}flag/", comment="Text is cut off").status_code == 200
    assert post(client, reverse("message", args=[study.slug]), comment="Hello").status_code == 200
    assert post(client, f"{address}flag/", comment="  ").status_code == 400
    assert set(Flag.objects.values_list("comment", flat=True)) == {"Text is cut off", "Hello"}


def test_texts_are_escaped_and_keep_direction():
    study = make_study(SEE_ONLY)
    study.outputs.update(units=["<b>bold</b>", "שלום"], text="<b>bold</b>")
    study_open(study=study)
    client = entered(study)
    page = client.get(current(client, study)).content.decode()
    assert "<b>bold</b>" not in page
    assert "&lt;b&gt;bold" in page
    assert 'dir="auto"' in page


def test_pages_forbid_inline_script_and_framing(study):
    client = entered(study)
    answer = client.get(current(client, study))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert not re.search(r"<script(?![^>]*(src=|application/json))", answer.content.decode())
    assert not re.search(r"\sstyle=", answer.content.decode())


def test_a_post_without_csrf_token_is_refused(study):
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("join", args=[assessor_link(assessor=study.assessors.get(name="p1"))]))
    assert client.post(reverse("start", args=[study.slug])).status_code == 403


@pytest.mark.parametrize("size", [2, 30])
def test_the_number_of_queries_does_not_grow_with_the_study(size, django_assert_max_num_queries):
    study = make_study(SEE_ONLY, documents=size)
    study_open(study=study)
    client = entered(study)
    address = current(client, study)
    with django_assert_max_num_queries(9):
        client.get(address)
    with django_assert_max_num_queries(18):
        submit(client, address)


@pytest.mark.parametrize("size", [2, 10])
def test_the_list_of_earlier_items_asks_as_often_however_many_there_are(size, django_assert_max_num_queries):
    study = make_study(SEE_ONLY, documents=size, revise=True)
    study_open(study=study)
    client = entered(study)
    while "/item/" in (address := current(client, study)):
        submit(client, address)
    with django_assert_max_num_queries(10):
        assert client.get(reverse("items", args=[study.slug])).status_code == 200


def test_nothing_is_handed_out_before_the_assessor_has_begun(study):
    client = entered(study, started=False)
    assert client.get(reverse("items", args=[study.slug])).url == home(study)
    assert not Assignment.objects.exclude(shown_at=None).exists()


@pytest.mark.parametrize("comment", ["a\x00b", "\ud800"])
def test_characters_that_no_database_stores_are_refused(study, comment):
    client = entered(study)
    assert post(client, reverse("message", args=[study.slug]), comment=comment).status_code == 400
    assert (
        post(client, f"{current(client, study)}draft/", revision=1, answer={"x": comment}).status_code == 400
    )


def test_the_completion_code_can_still_be_found_after_the_study_closed(study):
    client = entered(study)
    while "/item/" in (address := current(client, study)):
        submit(client, address)
    study_close(study=study)
    page = client.get(home(study), follow=True)
    assert study.assessors.get(name="p1").completion_code in page.content.decode()
