"""Tokens: seen once, stored hashed, revoked at once; and the only other way into the API is a login."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ApiToken
from annotation.services.joining import join_link_set
from annotation.services.studies import study_open
from annotation.services.tokens import token_create
from tests.annotation.api.programs import ROOT, at_once, program, url
from tests.factories import PASSWORD, assessor_client, experimenter, logged_in, member
from tests.studies import make_study

pytestmark = pytest.mark.django_db

TOKENS = "/account/tokens/"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def shown(page) -> list[str]:
    return re.findall(r"touchstone_[\w-]{43}", page.content.decode())


# --- the page -----------------------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_opens_the_api():
    client = logged_in(experimenter())
    page = client.post(TOKENS, {"name": "nightly export", "password": PASSWORD})
    (token,) = shown(page)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert shown(client.get(TOKENS)) == []
    assert Client().get(ROOT, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize("password", ["guessed", ""])
def test_whoever_sits_at_an_open_browser_makes_no_token(password):
    """Before: a way in that outlives the session, and goes around two-step login."""
    user = experimenter()
    page = logged_in(user).post(TOKENS, {"name": "mine now", "password": password})
    assert (page.status_code, shown(page)) == (422, [])
    assert not user.api_tokens.exists()


def test_a_new_token_is_stored_nowhere_not_even_for_a_moment():
    client = logged_in(experimenter())
    (token,) = shown(client.post(TOKENS, {"name": "nightly export", "password": PASSWORD}))
    assert token not in str([session.get_decoded() for session in Session.objects.all()])
    assert token not in "".join(cookie.value for cookie in client.cookies.values())


def test_loading_the_page_of_a_new_token_again_makes_no_second_one():
    """A browser asks whether to send the form again."""
    client = logged_in(experimenter())
    client.post(TOKENS, {"name": "nightly export", "password": PASSWORD})
    again = client.post(TOKENS, {"name": "nightly export", "password": PASSWORD})
    assert (again.status_code, shown(again)) == (422, [])
    assert ApiToken.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_twice_at_once_makes_one_token():
    user = experimenter()
    clients = [logged_in(user) for _ in range(2)]
    pages = at_once([partial(client.post, TOKENS, {"name": "x", "password": PASSWORD}) for client in clients])
    assert sorted(page.status_code for page in pages) == [200, 422]


def test_a_new_password_keeps_tokens_and_says_so():
    user = experimenter()
    client = logged_in(user)
    (token,) = shown(client.post(TOKENS, {"name": "nightly export", "password": PASSWORD}))
    assert "a new password does not end it" in client.get(TOKENS).content.decode()
    new = "another horse battery staple"
    sent = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    changed = client.post("/password/", sent, follow=True)
    assert "API tokens work as before" in changed.content.decode()
    assert Client().get(ROOT, headers=bearer(token)).status_code == 200


def test_only_the_hash_is_stored():
    token = token_create(user=experimenter(), name="x")
    row = ApiToken.objects.get()
    assert re.fullmatch(r"[0-9a-f]{64}", row.token_hash)
    assert token not in "".join(str(value) for value in ApiToken.objects.values().get().values())


def test_a_revoked_token_opens_nothing():
    user = experimenter()
    token = token_create(user=user, name="x")
    client = logged_in(user)
    revoked = client.post(reverse("token_revoke", args=[user.api_tokens.get().pk]), follow=True)
    assert "no longer works" in revoked.content.decode()
    assert Client().get(ROOT, headers=bearer(token)).status_code == 401


def test_nobody_sees_or_revokes_the_tokens_of_others():
    user, other = experimenter(), experimenter()
    token_create(user=user, name="mine alone")
    assert "mine alone" not in logged_in(other).get(TOKENS).content.decode()
    revoke = reverse("token_revoke", args=[user.api_tokens.get().pk])
    assert logged_in(other).post(revoke).status_code == 404
    assert user.api_tokens.count() == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "Give the token a name"), (" x ", "You have a token “x” already"), ("n" * 81, "80")],
)
def test_a_name_that_cannot_be_used_is_refused_in_words(name, said):
    user = experimenter()
    token_create(user=user, name="x")
    page = logged_in(user).post(TOKENS, {"name": name, "password": PASSWORD})
    assert page.status_code == 422
    assert said in page.content.decode()
    assert user.api_tokens.count() == 1


def test_the_account_menu_leads_to_the_tokens():
    assert f'href="{TOKENS}"' in logged_in(experimenter()).get("/studies/").content.decode()


# --- the way in ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "Bearer touchstone_wrong", "Bearer é\xff", "Basic eDp5", "Token x", "Bearer\x00x"],
)
def test_a_header_that_is_no_token_opens_nothing(header):
    token_create(user=experimenter(), name="x")
    response = Client().get(ROOT, HTTP_AUTHORIZATION=header)
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["error"]["code"] == "not_authenticated"


def test_the_token_of_somebody_who_left_opens_nothing():
    client = program()
    assert client.get(ROOT).status_code == 200
    client.user.is_active = False
    client.user.save()
    assert client.get(ROOT).status_code == 401


def test_a_wrong_token_is_not_made_good_by_a_login():
    """Whoever sends a token means it; a typing error must not go unnoticed because a browser is logged in."""
    client = logged_in(experimenter())
    assert client.get(ROOT).status_code == 200
    assert client.get(ROOT, headers=bearer("touchstone_typo")).status_code == 401


def test_a_login_needs_the_token_against_forgery_to_change_something():
    study = make_study()
    user = program(study).user
    client = Client(enforce_csrf_checks=True)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    refused = client.post(url(study, "open/"))
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["error"]["message"]
    study.refresh_from_db()
    assert study.state == "draft"


def test_the_use_of_a_token_is_noted_but_not_written_with_every_request(django_assert_num_queries):
    client = program()
    client.get(ROOT)
    row = client.user.api_tokens.get()
    assert timezone.now() - row.last_used_at < timedelta(minutes=1)
    with django_assert_num_queries(2) as queries:
        client.get(ROOT)
    assert not [query for query in queries if not query["sql"].startswith("SELECT")]
    earlier = timezone.now() - timedelta(minutes=2)
    ApiToken.objects.update(last_used_at=earlier)
    client.get(ROOT)
    assert client.user.api_tokens.get().last_used_at > earlier


def test_an_assessor_has_no_way_into_the_api():
    study = make_study()
    study_open(study=study)
    client = assessor_client(study.assessors.first())
    for rest in ("", "judgments/", "judgments.csv", "study.zip", "assessors/", "progress/", "scores/"):
        response = client.get(url(study, rest))
        assert response.status_code == 401
        assert "qx31" not in response.content.decode()
    assert client.get("/api/schema/").status_code == 401
    assert client.get("/api/docs/").status_code == 302


# --- how long, and for what ---------------------------------------------------------------------------------------


def test_a_token_ends_when_its_time_is_over():
    user = experimenter()
    token = token_create(user=user, name="a year")
    row = ApiToken.objects.get()
    assert 364 <= (row.expires_at - timezone.now()).days <= 365
    assert Client().get(ROOT, headers=bearer(token)).status_code == 200
    ApiToken.objects.update(expires_at=timezone.now())
    assert Client().get(ROOT, headers=bearer(token)).status_code == 401
    assert token_create(user=user, name="for ever", days=None)
    assert ApiToken.objects.get(name="for ever").expires_at is None


def test_a_token_for_reading_changes_nothing():
    study = make_study()
    user = member(study)
    token = token_create(user=user, name="reads", scope=ApiToken.Scope.READ)
    assert Client().get(url(study), headers=bearer(token)).status_code == 200
    told = Client().post(url(study, "open/"), headers=bearer(token))
    assert told.status_code == 403
    assert "may only read" in told.json()["error"]["message"]


def test_a_token_for_reading_does_not_read_the_join_link():
    """Whoever has its address can judge, which is no reading."""
    study = make_study()
    user = member(study)
    join_link_set(study=study, rules={})
    tokens = {scope: token_create(user=user, name=scope, scope=scope) for scope in ApiToken.Scope.values}
    asked = {
        scope: Client().get(url(study, "join/"), headers=bearer(token)) for scope, token in tokens.items()
    }
    assert {scope: told.status_code for scope, told in asked.items()} == {"read": 403, "write": 200}


def test_the_page_offers_how_long_and_for_what():
    client = logged_in(experimenter())
    page = client.post(TOKENS, {"name": "reads", "scope": "read", "days": "30", "password": PASSWORD})
    assert len(shown(page)) == 1
    row = ApiToken.objects.get()
    assert (row.scope, (row.expires_at - timezone.now()).days) == ("read", 29)
    client.post(TOKENS, {"name": "never", "days": "0", "password": PASSWORD})
    assert ApiToken.objects.get(name="never").expires_at is None
