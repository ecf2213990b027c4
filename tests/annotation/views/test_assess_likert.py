"""Questionnaires over HTTP: the server keeps the clock, and the summary stays closed."""

import json
import uuid
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Judgment
from annotation.selectors.progress import study_progress
from annotation.services.assessors import assessor_link
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.conftest import ROOT
from tests.studies import make_study

pytestmark = pytest.mark.django_db

QUESTIONNAIRE = {
    "kind": "likert",
    "name": "questions",
    "statements": [
        {"name": "clear", "text": "It is clear."},
        {"name": "muddled", "text": "It is muddled.", "polarity": "negative", "pair": "clear"},
    ],
    "familiarisation_minutes": 20,
}
TRANSCRIPT, ABSTRACT = "Long story of d1.", "First of d1."
DONE = {"stage": "statements", "values": {"clear": 5, "muddled": 1}}


@pytest.fixture
def study():
    made = make_study(QUESTIONNAIRE, documents=1, assessors=1)
    study_open(study=made)
    made.link = reverse("join", args=[assessor_link(assessor=made.assessors.get())])
    return made


def browser(study):
    """One of the assessor's devices: all have the same link."""
    client = Client()
    client.get(study.link)
    client.post(reverse("start", args=[study.slug]))
    return client


@pytest.fixture
def client(study):
    return browser(study)


def here(client, study):
    return client.get(reverse("work", args=[study.slug])).url


def page(client, study):
    return client.get(here(client, study)).content.decode()


def post(client, address, **body):
    return client.post(address, json.dumps(body), content_type="application/json")


def go_on(client, study, answer=None):
    """Ask for the next stage of the current item."""
    return post(
        client, f"{here(client, study)}draft/", revision=1, answer=answer or {}, seconds=1, confirm=True
    )


def submit(client, study, answer=None, address=""):
    return post(
        client,
        f"{address or here(client, study)}judgment/",
        client_key=str(uuid.uuid4()),
        revision=1,
        answer=answer or {},
        seconds=1,
    )


def pass_time(**time):
    """Let the current item have been shown that much earlier."""
    Assignment.objects.filter(state="open").exclude(shown_at=None).update(
        shown_at=F("shown_at") - timedelta(**time)
    )


def left(client, study):
    """Seconds on the server's clock, as the page gets them."""
    text = page(client, study)
    found = text.split('id="item-content" type="application/json">')[1].split("</script>")[0]
    return json.loads(found)["left"]


def familiarised(client, study):
    go_on(client, study)
    assert submit(client, study).status_code == 200


# --- familiarisation ------------------------------------------------------------------------------------------------


def test_texts_come_with_the_clock_and_not_before(study, client):
    pass_time(hours=3)  # left lying: the time has not begun
    before = page(client, study)
    assert TRANSCRIPT not in before
    assert ABSTRACT not in before
    assert submit(client, study).status_code == 422
    answer = go_on(client, study).json()
    assert TRANSCRIPT in answer["html"]
    assert ABSTRACT in answer["html"]
    assert 1190 < left(client, study) <= 1200


def test_neither_a_reload_nor_another_device_nor_beginning_again_gives_more_time(study, client):
    go_on(client, study)
    pass_time(minutes=15)
    assert 290 < left(client, study) <= 300
    assert 290 < left(browser(study), study) <= 300
    again = go_on(client, study)
    assert again.status_code == 422
    assert "html" not in again.json()
    for claim in ({"began": 9999.0}, {"began": None}, {"stage": "reading"}):
        assert (
            post(client, f"{here(client, study)}draft/", revision=1, answer=claim, seconds=1).status_code
            == 200
        )
        assert left(client, study) <= 300


def test_after_the_limit_the_server_gives_no_text_whatever_is_asked(study, client):
    go_on(client, study)
    address = here(client, study)
    pass_time(minutes=20, seconds=1)
    assert left(client, study) == 0
    answers = [
        client.get(address),
        browser(study).get(address),
        go_on(client, study),
        post(client, f"{address}draft/", revision=1, answer={}, seconds=1),
        submit(client, study),
        client.get(address, follow=True),
    ]
    for answer in answers:
        assert TRANSCRIPT not in answer.content.decode()
        assert ABSTRACT not in answer.content.decode()
    assert Judgment.objects.count() == 1


def test_the_texts_are_gone_after_going_on_early(study, client):
    first = here(client, study)
    familiarised(client, study)
    assert client.get(first).url == here(client, study)
    assert post(client, f"{first}draft/", revision=1, answer={}, seconds=1, confirm=True).status_code == 409
    assert TRANSCRIPT not in page(client, study)


# --- the summary ----------------------------------------------------------------------------------------------------


def test_the_summary_is_out_of_reach_once_the_statements_begin(study, client):
    familiarised(client, study)
    address = here(client, study)
    assert "Peer" in page(client, study)
    assert "It is clear." not in page(client, study)
    began = go_on(client, study)
    assert "It is clear." in began.json()["html"]
    answers = [
        began,
        client.get(address),
        client.get(address, follow=True),
        browser(study).get(address),
        post(client, f"{address}draft/", revision=1, answer={"stage": "reading"}, seconds=1),
        post(client, f"{address}draft/", revision=1, answer={"stage": "reading"}, seconds=1, confirm=True),
        submit(client, study, {"stage": "reading"}),
        post(client, f"{address}flag/", comment="Let me see it again."),
        client.get(address),
    ]
    for answer in answers:
        assert "Peer" not in answer.content.decode()
    assert "Peer" in submit(client, study, DONE).json()["next"]["html"]  # of the next summary
    assert client.get(address).url == here(client, study)


def test_nothing_is_answered_before_the_statements_begin(study, client):
    familiarised(client, study)
    refused = submit(client, study, DONE)
    assert refused.status_code == 422
    assert refused.json()["missing"][0]["field"] == "stage"
    post(client, f"{here(client, study)}draft/", revision=1, answer=DONE, seconds=1)
    assert "Peer" in page(client, study)


def test_half_a_questionnaire_comes_back_on_another_device(study, client):
    familiarised(client, study)
    go_on(client, study)
    half = {"stage": "statements", "values": {"clear": 4, "muddled": None}}
    post(client, f"{here(client, study)}draft/", revision=1, answer=half, seconds=1)
    other = page(browser(study), study)
    assert '"clear": 4' in other
    assert "It is muddled." in other
    refused = submit(client, study, half)
    assert refused.json()["missing"] == [{"field": "muddled", "message": "Answer statement 2."}]


def test_getting_to_know_a_document_is_no_item(study):
    client = Client()
    client.get(study.link)
    assert "2 items." in client.get(reverse("work", args=[study.slug])).content.decode()
    client = browser(study)
    assert 'data-place="Before item 1 of 2"' in page(client, study)
    familiarised(client, study)
    assert 'data-place="Item 1 of 2"' in page(client, study)
    assert study_progress(study).done == 0
    assert study_progress(study).wanted == 2


def test_several_summaries_follow_one_familiarisation(db):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "likert"))
    study_open(study=study)
    for assessor in study.assessors.all():
        met = [
            (row.subject.document or row.subject.output.document).key
            + (":" if row.subject.output is None else "")
            for row in assessor.assignments.select_related("subject__output__document", "subject__document")
            if not row.subject.practice
        ]
        for item in {name.rstrip(":") for name in met}:
            start = met.index(f"{item}:")
            assert met[start + 1 : start + 5] == [item] * 4
            assert met.count(f"{item}:") == 1
