"""A task to try out: the assessor's page and rules, and nothing recorded."""

import json
import re

import pytest
from django.urls import reverse

from annotation.models import Assignment, Draft, Flag, Judgment, Subject
from annotation.selectors.exhibits import facts_of_subject
from annotation.selectors.preview import task_preview
from annotation.services.studies import study_open
from tests.factories import owner_client, viewer_client
from tests.studies import SEE, TIDES, make_study, plausible_answer, practice

pytestmark = pytest.mark.django_db

FLUENT = {"values": {"fluency": 4}}


def url(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


def post(client, address: str, sent: dict):
    return client.post(address, sent, content_type="application/json")


def content(page: str) -> dict:
    return json.loads(re.search(r'<script id="item-content" type="application/json">(.*?)</script>', page)[1])


def recorded() -> int:
    return sum(model.objects.count() for model in (Judgment, Draft, Flag))


@pytest.mark.parametrize("is_open", [False, True])
def test_every_item_of_every_task_can_be_tried_in_a_draft_and_in_an_open_study(is_open):
    study = make_study(SEE, TIDES, practice=(practice("coverage", reference="r-d1"),))
    client = viewer_client(study)
    if is_open:
        study_open(study=study)
    before = Subject.objects.count(), Assignment.objects.count()
    for task in study.tasks.all():
        shown = set()
        for place in range(1, 5):
            page = client.get(url("preview", study, task.name, place))
            assert page.status_code == 200
            text = page.content.decode()
            assert "Nothing is recorded." in text
            assert "qx31" not in text.replace(study.slug, "")
            shown.add(json.dumps(content(text)))
        assert len(shown) == 4, "every place shows another item"
        for beyond in (0, 5):
            assert client.get(url("preview", study, task.name, beyond)).status_code == 404
    assert (Subject.objects.count(), Assignment.objects.count()) == before
    assert client.get(url("preview", study, "no-such-task", 1)).status_code == 404


def test_practice_comes_first_and_gives_its_feedback():
    key = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}
    study = make_study(SEE | {"quality": False}, practice=(practice("coverage", reference="r-d1", key=key),))
    client = owner_client(study)
    page = client.get(url("preview", study, "coverage", 1)).content.decode()
    assert "Practice" in page
    other = {"units": [{"marks": [], "grade": 0.0}, {"marks": [], "grade": 0.0}]}
    reply = post(client, url("preview_judgment", study, "coverage", 1), {"answer": other}).json()
    assert any(not line["correct"] for line in reply["feedback"])
    assert reply["next"]["url"] == url("preview", study, "coverage", 2)
    assert recorded() == 0


def test_a_submit_says_what_is_missing_and_otherwise_goes_on_without_recording():
    study = make_study(SEE)
    client = owner_client(study)
    address = url("preview_judgment", study, "coverage", 1)
    missing = post(client, address, {"answer": {}})
    assert missing.status_code == 422
    assert missing.json()["missing"][0]["field"] == "units.0"
    task = study.tasks.get()
    subject = task_preview(task, 1).subject
    facts = facts_of_subject(subject)
    answer, _ = plausible_answer(facts, facts.exhibit, seed=1)
    reply = post(client, address, {"answer": answer}).json()
    assert "Nothing is recorded" not in reply["next"]["html"], "only the item is swapped, not the strip"
    assert content(reply["next"]["html"])["peer"]
    assert recorded() == 0


def test_the_last_item_leads_back_to_the_plan():
    study = make_study(TIDES | {"preset": "direct-assessment"}, documents=1)
    client = owner_client(study)
    reply = post(
        client, url("preview_judgment", study, "quality", 2), {"answer": {"values": {"adequacy": 50}}}
    ).json()
    assert reply["next"] is None
    assert reply["finished_url"] == url("study_plan", study)


def test_stages_work_as_for_an_assessor_and_a_fresh_page_is_a_fresh_try():
    study = make_study(TIDES)
    client = owner_client(study)
    draft, submit = url("preview_draft", study, "quality", 1), url("preview_judgment", study, "quality", 1)
    first = content(client.get(url("preview", study, "quality", 1)).content.decode())
    assert first["context"] is None
    assert post(client, draft, {"answer": {}, "confirm": True}).status_code == 422
    whole = {"values": {"fluency": 4, "adequacy": 3}, "confirmed": True}
    assert post(client, submit, {"answer": whole}).status_code == 422, "confirmed only by the server"
    revealed = post(client, draft, {"answer": FLUENT, "confirm": True}).json()
    assert content(revealed["html"])["context"]["text"]
    assert post(client, submit, {"answer": {"values": {"fluency": 1, "adequacy": 3}}}).status_code == 200
    post(client, draft, {"answer": FLUENT, "confirm": True})
    again = content(client.get(url("preview", study, "quality", 1)).content.decode())
    assert again["context"] is None
    assert recorded() == 0


def test_what_was_tried_on_one_item_does_not_open_another():
    study = make_study(TIDES)
    client = owner_client(study)
    post(client, url("preview_draft", study, "quality", 1), {"answer": FLUENT, "confirm": True})
    whole = {"values": {"fluency": 4, "adequacy": 3}, "confirmed": True}
    assert post(client, url("preview_judgment", study, "quality", 2), {"answer": whole}).status_code == 422


def test_flags_and_messages_of_a_preview_go_nowhere_and_say_so():
    study = make_study(SEE)
    reply = post(owner_client(study), url("preview_word", study), {"comment": "Broken"})
    assert reply.status_code == 400
    assert reply.json()["message"] == "This is a preview: nothing is sent."
    assert recorded() == 0


@pytest.mark.parametrize("sent", ["nonsense", "[]", '{"answer": 3}', '{"answer": {"units": "x"}}'])
def test_what_cannot_be_read_is_refused_and_not_a_crash(sent):
    study = make_study(SEE)
    client = owner_client(study)
    for name in ("preview_draft", "preview_judgment"):
        response = client.post(url(name, study, "coverage", 1), sent, content_type="application/json")
        assert response.status_code in (200, 400, 422)
    assert recorded() == 0


def test_a_draft_of_cross_comprehension_shows_what_authors_will_see():
    """Its default is authoring, a phase that a draft has not opened yet."""
    study = make_study({"kind": "cross_comprehension", "name": "crossing"}, systems=(), assessors=3)
    client = owner_client(study)
    page = client.get(url("preview", study, "crossing", 1))
    assert page.status_code == 200
    assert content(page.content.decode())["phase"] == "authoring"
    sent = {"summary": "A story.", "questions": [{"question": "What is it?", "answer": "story"}] * 2}
    assert post(client, url("preview_judgment", study, "crossing", 1), {"answer": sent}).status_code == 200
