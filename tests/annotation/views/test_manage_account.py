"""Logging in: throttled, never open to the world, and the first password is replaced."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import PASSWORD, experimenter, logged_in

pytestmark = pytest.mark.django_db


def log_in(client: Client, username: str, password: str, **fields: str):
    return client.post(reverse("login"), {"username": username, "password": password, **fields})


@pytest.fixture
def user():
    made = experimenter("erika")
    made.last_login = timezone.now()
    made.save()
    return made


def test_the_root_leads_through_the_login_to_the_studies(user):
    client = Client()
    page = client.get("/", follow=True)
    assert page.redirect_chain[-1][0] == f"{reverse('login')}?next={reverse('study_list')}"
    response = log_in(client, "erika", PASSWORD, next=reverse("study_list"))
    assert response["Location"] == reverse("study_list")
    assert client.get("/", follow=True).status_code == 200


def test_the_first_login_leads_to_a_password_of_ones_own():
    experimenter("erika", password="printed-once")
    client = Client()
    response = log_in(client, "erika", "printed-once")
    assert response["Location"] == reverse("password")
    assert "Choose a password of your own" in client.get(response["Location"]).content.decode()
    own = "a much better phrase"
    changed = client.post(
        reverse("password"), {"old_password": "printed-once", "new_password1": own, "new_password2": own}
    )
    assert changed["Location"] == reverse("study_list")
    assert log_in(Client(), "erika", "printed-once").status_code == 200, "the printed password is over"
    assert log_in(Client(), "erika", own)["Location"] == reverse("study_list")


def test_a_weak_password_is_refused_in_words(user):
    client = logged_in(user)
    page = client.post(
        reverse("password"), {"old_password": PASSWORD, "new_password1": "erika", "new_password2": "erika"}
    )
    assert "too short" in page.content.decode()


def test_a_wrong_password_says_so_without_saying_which_part_is_wrong(user):
    wrong_password = log_in(Client(), "erika", "wrong").context["form"].non_field_errors()
    wrong_name = log_in(Client(), "nobody", "wrong").context["form"].non_field_errors()
    assert list(wrong_password) == list(wrong_name)
    assert len(wrong_name) == 1


def test_five_failures_lock_the_login_also_for_the_right_password(user):
    client = Client()
    for _ in range(4):
        assert log_in(client, "erika", "wrong").status_code == 200
    locked = log_in(client, "erika", "wrong")
    assert locked.status_code == 429
    assert "Too many attempts" in locked.content.decode()
    assert log_in(client, "erika", PASSWORD).status_code == 429
    experimenter("other").save()
    assert log_in(client, "other", PASSWORD).status_code == 302, "others can still come in"


def test_a_login_never_leads_to_another_site(user):
    response = log_in(Client(), "erika", PASSWORD, next="https://evil.example/")
    assert response["Location"] == reverse("study_list")


def test_logging_out_takes_a_post_and_ends_the_session(user):
    client = logged_in(user)
    assert client.get(reverse("logout")).status_code == 405
    client.post(reverse("logout"))
    assert client.get(reverse("study_list")).status_code == 302


def test_there_is_no_way_to_register():
    assert Client().get("/register/").status_code == 404
    assert "register" not in Client().get(reverse("login")).content.decode().lower()


def test_pages_carry_the_policy_that_forbids_inline_script(user):
    policy = logged_in(user).get(reverse("study_list"))["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
