"""Assessors and their links, experimenters' roles, flags."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from annotation.models import Assessor, Flag, Membership
from annotation.services import work
from annotation.services.assessors import assessor_link, assessor_start, flag_raise
from annotation.services.studies import study_open
from tests.factories import assessor_client, experimenter, logged_in, member, owner_client
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study(SEE)


@pytest.fixture
def client(study):
    return owner_client(study)


def url(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


def links_on(page) -> list[str]:
    return re.findall(r'value="(http://testserver/join/[^"]+)"', page.content.decode())


# --- links --------------------------------------------------------------------------------------------------------


def test_a_link_is_shown_once_and_lets_its_assessor_in(study, client):
    assessor = study.assessors.first()
    page = client.post(url("assessor_link", study, assessor.pk), follow=True)
    (link,) = links_on(page)
    assert links_on(client.get(url("study_people", study))) == [], "a second look shows no link"
    entered = Client().get(link, follow=True)
    assert entered.status_code == 200
    assert study.name in entered.content.decode()


def test_a_link_is_stored_only_as_a_hash(study, client):
    assessor = study.assessors.first()
    page = client.post(url("assessor_link", study, assessor.pk), follow=True)
    token = links_on(page)[0].rstrip("/").split("/")[-1]
    assessor.refresh_from_db()
    assert token not in str(Assessor.objects.values().get(pk=assessor.pk))
    assert all(token not in str(session.get_decoded()) for session in Session.objects.all())


def test_the_page_with_links_is_not_kept_by_caches(study, client):
    page = client.post(url("assessor_link", study, study.assessors.first().pk), follow=True)
    assert "no-store" in page["Cache-Control"]


def test_a_new_link_ends_the_old_one(study, client):
    assessor = study.assessors.first()
    (first,) = links_on(client.post(url("assessor_link", study, assessor.pk), follow=True))
    asked = client.post(url("assessor_link", study, assessor.pk), follow=True)
    assert "stops working at once" in asked.content.decode()
    assert Client().get(first).status_code == 302, "nothing has happened yet"
    (second,) = links_on(client.post(url("assessor_link", study, assessor.pk), {"sure": "1"}, follow=True))
    assert Client().get(first).status_code == 403
    assert Client().get(second).status_code == 302


def test_missing_links_are_made_at_once_and_others_are_left_alone(study, client):
    kept = assessor_link(assessor=study.assessors.first())
    page = client.post(url("assessor_links", study), follow=True)
    assert len(links_on(page)) == 1
    assert Client().get(reverse("join", args=[kept])).status_code == 302


def test_a_revoked_link_stops_at_once(study, client):
    study_open(study=study)
    assessor = study.assessors.first()
    browser = assessor_client(assessor)
    assert browser.get(url("work", study)).status_code == 200
    asked = client.post(url("assessor_revoke", study, assessor.pk))
    assert "goes to others" in asked.content.decode()
    assert browser.get(url("work", study)).status_code == 200, "nothing has happened yet"
    client.post(url("assessor_revoke", study, assessor.pk), {"sure": "1"})
    assert browser.get(url("work", study)).status_code == 403
    page = client.get(url("study_people", study)).content.decode()
    assert "revoked" in page
    assert "Create 1 missing link<" in page, "only the other has none"


# --- assessors ----------------------------------------------------------------------------------------------------


def test_names_are_added_one_per_line(study, client):
    client.post(url("assessors_add", study), {"names": "Ada\n\n  Ben \n", "group": "g1"})
    added = study.assessors.exclude(name__startswith="p")
    assert [(row.name, row.group, row.pseudonym) for row in added] == [
        ("Ada", "g1", "A03"),
        ("Ben", "g1", "A04"),
    ]


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        ({"names": "  \n "}, "Write at least one name."),
        ({"names": "Ada\nAda"}, "A name is there twice."),
        ({"names": "Ada\np1"}, "There is an assessor “p1” already."),
        ({"names": "x" * 121}, "A name may have 120 letters."),
        ({"names": "Ada\nBen", "author": "anna"}, "Several people cannot be the same author"),
    ],
)
def test_a_list_with_a_fault_adds_nobody_and_says_why(study, client, sent, word):
    page = client.post(url("assessors_add", study), sent)
    assert page.status_code == 422
    assert word in page.content.decode()
    assert study.assessors.count() == 2


def test_whoever_joins_an_open_study_without_a_pool_is_announced_as_having_little_to_do(study, client):
    assert "was dealt when it opened" not in client.get(url("study_people", study)).content.decode()
    study_open(study=study)
    assert "was dealt when it opened" in client.get(url("study_people", study)).content.decode()


def test_a_wrong_name_is_removed_from_a_draft_and_the_others_move_up(study, client):
    first = study.assessors.first()
    client.post(url("assessor_remove", study, first.pk))
    client.post(url("assessors_add", study), {"names": "Ada"})
    assert sorted(study.assessors.values_list("name", "pseudonym")) == [("Ada", "A02"), ("p2", "A01")]


def test_nobody_is_removed_once_work_is_dealt(study, client):
    study_open(study=study)
    page = client.post(url("assessor_remove", study, study.assessors.first().pk), follow=True)
    assert "Revoke the link instead" in page.content.decode()
    assert study.assessors.count() == 2


def test_the_page_of_an_assessor_shows_what_they_get_and_have_done(study, client):
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assessor_start(assessor=assessor, consented=True)
    work.assignment_next(assessor=assessor)
    page = client.get(url("assessor", study, assessor.pk))
    rows = page.context["page"].object_list
    assert [row.position for row in rows] == [1, 2]
    assert [row.shown_at is not None for row in rows] == [True, False]
    assert assessor.completion_code in page.content.decode()


# --- experimenters ------------------------------------------------------------------------------------------------


def test_an_experimenter_gets_a_role_another_role_and_none(study, client):
    vera = experimenter("vera")
    sees = logged_in(vera)
    assert sees.get(url("study", study)).status_code == 404
    client.post(url("member_set", study), {"username": "vera", "role": "viewer"})
    assert sees.get(url("study", study)).status_code == 200
    assert sees.post(url("study_open", study)).status_code == 403
    client.post(url("member_set", study), {"username": "vera", "role": "owner"})
    assert sees.post(url("study_open", study), {"sure": "1"}).status_code == 302
    membership = study.memberships.get(user=vera)
    client.post(url("member_remove", study, membership.pk))
    assert sees.get(url("study", study)).status_code == 404


def test_the_last_owner_can_neither_go_nor_become_a_viewer(study):
    owner = member(study, username="olga")
    client = logged_in(owner)
    page = client.post(url("member_set", study), {"username": "olga", "role": "viewer"})
    assert page.status_code == 422
    assert "A study needs an owner." in page.content.decode()
    page = client.post(url("member_remove", study, study.memberships.get().pk), follow=True)
    assert "A study needs an owner." in page.content.decode()
    assert study.memberships.get().role == Membership.Role.OWNER


def test_whoever_leaves_a_study_lands_on_the_list(study, client):
    owner = member(study)
    response = logged_in(owner).post(url("member_remove", study, study.memberships.get(user=owner).pk))
    assert response["Location"] == reverse("study_list")


def test_an_unknown_username_is_named(study, client):
    page = client.post(url("member_set", study), {"username": "nobody", "role": "viewer"})
    assert page.status_code == 422
    assert "There is no experimenter with this username." in page.content.decode()


# --- flags --------------------------------------------------------------------------------------------------------


def test_a_flag_is_counted_shown_with_its_item_and_settled(study, client):
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assignment = work.assignment_next(assessor=assessor)
    flag = flag_raise(assessor=assessor, assignment=assignment, comment="Cut <b>off</b>\nin the middle")
    page = client.get(url("study_flags", study)).content.decode()
    assert '<span class="badge warning">1</span>' in page
    assert "Cut &lt;b&gt;off&lt;/b&gt;" in page
    assert assignment.subject.output.system.key in page
    assert assignment.subject.output.document.key in page
    page = client.post(url("flag_settle", study, flag.pk), follow=True).content.decode()
    assert "No open flags" in page
    assert "in the middle" in client.get(url("study_flags", study) + "?settled").content.decode()
    assert Flag.objects.get().settled_at is not None


def test_a_message_without_an_item_is_shown_too(study, client):
    flag_raise(assessor=study.assessors.first(), comment="Away until Monday")
    page = client.get(url("study_flags", study)).content.decode()
    assert "Away until Monday" in page
    assert "a message" in page


def test_links_are_shown_once_and_stored_nowhere(study, client):
    """Before: in the session, until the next page had shown them."""
    page = client.post(f"/studies/{study.slug}/people/links/")
    links = re.findall(r"/join/([\w-]{43})/", page.content.decode())
    assert len(set(links)) == study.assessors.count()
    stored = str([session.get_decoded() for session in Session.objects.all()])
    assert not [link for link in links if link in stored]
    assert "no-store" in page["Cache-Control"]
    assert "/join/" not in client.get(f"/studies/{study.slug}/people/").content.decode()
