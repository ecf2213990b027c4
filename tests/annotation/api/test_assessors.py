"""Assessors and links through the API."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import Client

from annotation.models import Assessor
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_open
from tests.annotation.api.programs import at_once, program, url
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db


def add(client, study, **fields):
    return client.post(url(study, "assessors/"), fields, content_type="application/json")


def test_an_assessor_is_added_and_listed():
    study = make_study(SEE)
    client = program(study)
    made = add(client, study, name="Zoë 李", group="b", author="anna")
    assert made.status_code == 201
    row = made.json()
    assert (row["name"], row["group"], row["author"], row["has_link"]) == ("Zoë 李", "b", "anna", False)
    listed = client.get(url(study, "assessors/")).json()
    assert listed["count"] == 3
    assert listed["results"][-1] == row


def test_the_list_says_how_far_each_is(django_assert_num_queries):
    study = make_study(SEE, documents=3)
    study_simulate(study=study, seed=1)
    client = program(study)
    client.get(url(study, "assessors/"))
    with django_assert_num_queries(4):
        rows = client.get(url(study, "assessors/")).json()["results"]
    assert [(row["pseudonym"], row["done"], row["total"]) for row in rows] == [("A01", 3, 3), ("A02", 3, 3)]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": " x"}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x", "group": "g" * 81}, "group"),
        ({"name": "x", "rank": 1}, "rank"),
    ],
)
def test_an_assessor_that_cannot_be_is_refused_by_field(fields, field):
    study = make_study(SEE)
    refused = add(program(study), study, **fields)
    assert refused.status_code == 422
    assert [detail["field"] for detail in refused.json()["error"]["details"]] == [field]
    assert study.assessors.count() == 2


@pytest.mark.django_db(transaction=True)
def test_assessors_who_are_added_at_the_same_moment_all_come_in():
    """Each with a pseudonym of their own, and a name only once."""
    study = make_study(SEE)
    clients = [program(study) for _ in range(4)]
    added = at_once(
        [partial(add, client, study, name=f"new {place}") for place, client in enumerate(clients)]
    )
    assert [response.status_code for response in added] == [201] * 4
    assert len({response.json()["pseudonym"] for response in added}) == 4
    same = at_once([partial(add, client, study, name="same") for client in clients])
    assert sorted(response.status_code for response in same) == [201, 409, 409, 409]


def test_a_name_that_is_taken_is_refused():
    study = make_study(SEE)
    refused = add(program(study), study, name="p1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")


def test_a_newcomer_to_an_open_study_can_join():
    study = make_study(SEE | {"design": {"pool": True}})
    study_open(study=study)
    client = program(study)
    pk = add(client, study, name="late").json()["id"]
    link = client.post(url(study, f"assessors/{pk}/link/")).json()["url"]
    assert Client().get(link, follow=True).status_code == 200


def test_a_link_is_made_shown_once_and_revoked():
    study = make_study(SEE)
    study_open(study=study)
    client = program(study)
    pk = study.assessors.first().pk
    made = client.post(url(study, f"assessors/{pk}/link/"))
    assert made.status_code == 201
    link = made.json()["url"]
    assert link.startswith("http://testserver/join/")
    assert link.rsplit("/", 2)[1] not in client.get(url(study, "assessors/")).content.decode()
    assert Client().get(link)["Location"] == f"/work/{study.slug}/"
    assert client.get(url(study, "assessors/")).json()["results"][0]["has_link"]
    revoked = client.delete(url(study, f"assessors/{pk}/link/"))
    assert (revoked.status_code, revoked.content) == (204, b"")
    assert Client().get(link).status_code == 403
    row = client.get(url(study, "assessors/")).json()["results"][0]
    assert (row["has_link"], row["link_made_at"]) == (False, None)


def test_a_second_link_ends_the_first():
    study = make_study(SEE)
    study_open(study=study)
    client = program(study)
    pk = study.assessors.first().pk
    first, second = (client.post(url(study, f"assessors/{pk}/link/")).json()["url"] for _ in range(2))
    assert Client().get(first).status_code == 403
    assert Client().get(second).status_code == 302


def test_assessors_of_another_study_cannot_be_reached():
    here, there = make_study(slug="here"), make_study(slug="there")
    client = program(here)
    pk = there.assessors.first().pk
    assert client.post(url(here, f"assessors/{pk}/link/")).status_code == 404
    assert client.delete(url(here, f"assessors/{pk}/link/")).status_code == 404
    assert client.post(url(here, f"assessors/{10**30}/link/")).status_code == 404
    assert not Assessor.objects.filter(study=there).exclude(token_hash=None).exists()
