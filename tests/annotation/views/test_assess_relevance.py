"""Relevance prediction over HTTP: forwards only, whatever a browser sends."""

import json
import re
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.export import judgment_rows
from annotation.models import Assignment, Draft, Judgment
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.study_files.schema import Settings
from tests.conftest import ROOT
from tests.factories import assessor_client

pytestmark = pytest.mark.django_db
YES, NO = {"relevant": 1.0}, {"relevant": 0.0}


@pytest.fixture
def study():
    """The example study, in which revising is allowed: relevance prediction does not allow it all the same."""
    file = read_study(ROOT / "fixtures" / "relevance")
    made = study_import(study_file=replace(file, settings=Settings(revise=True)))
    study_open(study=made)
    return made


@pytest.fixture
def ina(study):
    """A browser of the first assessor, who has begun."""
    client = assessor_client(study.assessors.get(name="Ina"))
    client.post(reverse("start", args=[study.slug]))
    return client


def here(client, study):
    """Where the assessor stands."""
    return client.get(reverse("work", args=[study.slug])).url


def post(client, address, **body):
    return client.post(address, json.dumps(body), content_type="application/json")


def submit(client, address, answer=YES, *, key=None, revision=1, seconds=1):
    return post(
        client,
        f"{address}judgment/",
        client_key=str(key or uuid.uuid4()),
        revision=revision,
        answer=answer,
        seconds=seconds,
    )


def test_an_earlier_page_shows_where_the_assessor_stands(study, ina):
    first = here(ina, study)
    assert ina.get(first).status_code == 200
    submit(ina, first)
    second = here(ina, study)
    assert second != first
    answer = ina.get(first)
    assert (answer.status_code, answer.url) == (302, second)


def test_no_page_of_an_item_is_kept_by_a_browser(study, ina):
    assert "no-store" in ina.get(here(ina, study)).headers["Cache-Control"]


def test_a_page_ahead_shows_where_the_assessor_stands(study, ina):
    first = here(ina, study)
    later = Assignment.objects.filter(assessor__name="Ina", shown_at=None).order_by("position").last()
    address = reverse("item", args=[study.slug, later.public_id])
    assert ina.get(address).url == first
    assert submit(ina, address).status_code == 409
    assert not Judgment.objects.exists()


def test_a_replayed_form_is_one_judgment_and_does_not_move_on(study, ina):
    first, key = here(ina, study), uuid.uuid4()
    answer = submit(ina, first, key=key).json()
    again = submit(ina, first, NO, key=key).json()
    assert (answer["status"], again["status"]) == ("saved", "already")
    assert again["next"]["url"] == answer["next"]["url"] == here(ina, study)
    assert Judgment.objects.get().answer == YES


@pytest.mark.parametrize("revision", [1, 2])
def test_a_second_tab_cannot_judge_again(study, ina, revision):
    first = here(ina, study)
    submit(ina, first)
    refused = submit(ina, first, NO, revision=revision)
    assert refused.status_code == 409
    assert Judgment.objects.get().answer == YES


def test_a_draft_cannot_reach_back(study, ina):
    first = here(ina, study)
    submit(ina, first)
    assert post(ina, f"{first}draft/", revision=1, answer=NO, seconds=1).status_code == 409
    assert post(ina, f"{first}draft/", revision=1, answer=NO, seconds=1, confirm=True).status_code == 409
    assert not Draft.objects.exists()


def test_what_was_judged_is_not_listed_as_changeable(study, ina):
    first = here(ina, study)
    submit(ina, first)
    assert first not in ina.get(reverse("items", args=[study.slug])).content.decode()


@pytest.mark.parametrize("answer", [{}, {"relevant": None}, {"relevant": 0.5}, {"relevant": "perhaps"}])
def test_nothing_can_be_skipped(study, ina, answer):
    refused = submit(ina, here(ina, study), answer)
    assert refused.status_code == 422
    assert refused.json()["missing"]


def test_the_practice_event_gives_the_key_as_feedback(study, ina):
    seen = []
    for _ in range(6):
        address = here(ina, study)
        subject = Assignment.objects.get(public_id=address.rstrip("/").split("/")[-1]).subject
        assert subject.practice
        seen += [(subject.key["relevant"], submit(ina, address).json()["feedback"][0]["correct"])]
    assert sorted(seen) == [(0.0, False)] * 3 + [(1.0, True)] * 3
    assert 'class="badge accent">Practice' not in ina.get(here(ina, study)).content.decode()


def test_a_page_tells_neither_the_kind_of_surrogate_nor_its_system(study, ina):
    for _ in range(12):
        address = here(ina, study)
        page = ina.get(address).content.decode()
        assert not re.search(r"\b(HEAD|HUM|jd6038|rw2915)\b", page)
        submit(ina, address)


def test_times_are_kept_active_and_raw(study, ina):
    """The browser says how long somebody was active; it cannot claim more than the time that has passed."""
    for seconds, passed in ((4.0, 60), (4000.0, 60)):
        address = here(ina, study)
        while Assignment.objects.get(public_id=address.rstrip("/").split("/")[-1]).subject.practice:
            submit(ina, address)
            address = here(ina, study)
        shown = timezone.now() - timedelta(seconds=passed)
        Assignment.objects.filter(public_id=address.rstrip("/").split("/")[-1]).update(shown_at=shown)
        submit(ina, address, seconds=seconds)
    first, second = [row for row in judgment_rows(study) if not row["practice"]]
    assert first["seconds"] == 4.0
    assert 60 <= second["seconds"] < 70
    for row in (first, second):
        assert 60 <= (row["submitted_at"] - row["shown_at"]).total_seconds() < 70
