"""Logging in: throttled, never open to the world, and the first password is replaced."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.services.passwords import first_password_make
from config.client_address import ClientAddressMiddleware, network_of
from tests.annotation.views.conftest import log_in
from tests.factories import PASSWORD, experimenter, logged_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_from_zero")]


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


def test_the_printed_password_is_good_for_one_login_and_another_must_be_chosen():
    _, printed = first_password_make(username="erika")
    client = Client()
    response = log_in(client, "erika", printed)
    assert response["Location"] == reverse("password")
    page = client.get(reverse("password")).content.decode()
    assert "Choose a password of your own" in page
    assert "Not now" not in page
    # No page before that, whatever the address.
    for name in ("study_list", "tokens", "study_upload", "api_docs"):
        assert client.get(reverse(name))["Location"] == reverse("password"), name
    assert log_in(Client(), "erika", printed).status_code == 200, "it is used up at once"
    own = "a much better phrase"
    changed = client.post(reverse("password"), {"new_password1": own, "new_password2": own})
    assert changed["Location"] == reverse("study_list")
    assert client.get(reverse("study_list")).status_code == 200
    assert log_in(Client(), "erika", printed).status_code == 200
    assert log_in(Client(), "erika", own)["Location"] == reverse("study_list")


def test_whoever_lost_the_printed_password_gets_in_with_one_that_was_set_on_the_server():
    user, printed = first_password_make(username="erika")
    log_in(Client(), "erika", printed)
    user.refresh_from_db()
    user.set_password("set by changepassword")  # what the command does
    user.save()
    client = Client()
    assert log_in(client, "erika", "set by changepassword")["Location"] == reverse("study_list")
    assert client.get(reverse("study_list")).status_code == 200


def test_an_experimenter_is_logged_out_sooner_than_an_assessor(user, settings):
    client = Client()
    log_in(client, "erika", PASSWORD)
    assert client.session.get_expiry_age() <= 12 * 60 * 60 < settings.SESSION_COOKIE_AGE


def test_whoever_was_inside_is_told_that_the_session_has_ended(user):
    client, ended = Client(), "Your session has ended"
    new = reverse("study_new")
    assert ended not in client.get(new, follow=True).content.decode(), "nobody has been here"
    log_in(client, "erika", PASSWORD)
    client.session.flush()
    page = client.post(new, {"name": "Lost"}, follow=True).content.decode()
    assert ended in page
    assert ended not in client.get("/", follow=True).content.decode()
    assert "account NAME --link" in client.get(reverse("forgotten")).content.decode()


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


def test_wrong_passwords_slow_the_login_down_also_for_the_right_one(user):
    client = Client()
    for _ in range(4):
        assert log_in(client, "erika", "wrong").status_code == 200
    slowed = log_in(client, "erika", "wrong")
    assert slowed.status_code == 429
    assert "Too many attempts" in slowed.content.decode()
    assert int(slowed["Retry-After"]) == 1
    assert log_in(client, "erika", PASSWORD).status_code == 429
    experimenter("other").save()
    assert log_in(client, "other", PASSWORD).status_code == 302, "others can still come in"


def test_many_names_from_one_address_are_slowed_down_too():
    answers = [log_in(Client(), f"name{number}", "wrong").status_code for number in range(60)]
    assert answers[:9] == [200] * 9
    assert 429 in answers
    assert log_in(Client(REMOTE_ADDR="192.0.2.7"), "somebody", "wrong").status_code == 200


def test_the_wait_doubles_and_ends(user, monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: now[0])
    waits = []
    for _ in range(14):
        answer = log_in(Client(), "erika", "wrong")
        waits.append(int(answer.get("Retry-After", 0)))
        now[0] += waits[-1]
    assert waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert log_in(Client(), "erika", PASSWORD).status_code == 302


def test_a_stranger_does_not_lock_the_owner_out_of_the_usual_browser(user):
    usual = Client()
    log_in(usual, "erika", PASSWORD)
    usual.post(reverse("logout"))
    for _ in range(30):
        log_in(Client(), "erika", "wrong")
    assert log_in(Client(), "erika", PASSWORD).status_code == 429
    assert log_in(usual, "erika", PASSWORD)["Location"] == reverse("study_list")
    # What the browser keeps opens nothing by itself, and is good for this name alone.
    thief = Client()
    thief.cookies["known_browser"] = usual.cookies["known_browser"].value
    for _ in range(5):
        log_in(thief, "erika", "wrong")
    assert log_in(thief, "erika", PASSWORD).status_code == 429


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "192.0.2.1", "127.0.0.1"),
        (1, "192.0.2.1", "192.0.2.1"),
        (1, "198.51.100.9, 192.0.2.1", "192.0.2.1"),
        (2, "198.51.100.9, 192.0.2.1, 10.0.0.1", "192.0.2.1"),
        (1, "nonsense", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_behind_a_proxy_the_client_s_address_counts_and_none_that_it_makes_up(
    proxies, forwarded, address, settings, rf
):
    settings.TRUSTED_PROXIES = proxies
    seen = []
    middleware = ClientAddressMiddleware(lambda request: seen.append(request.META["REMOTE_ADDR"]))
    middleware(rf.get("/", headers={"X-Forwarded-For": forwarded}))
    assert seen == [address]


def test_addresses_of_one_ipv6_network_count_as_one():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") == "2001:db8::/64"
    assert network_of("192.0.2.1") == "192.0.2.1"
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"  # a server that listens on IPv6 for both


def test_no_address_and_no_name_is_kept_in_readable_form(user, settings):
    log_in(Client(REMOTE_ADDR="192.0.2.77"), "erika", "wrong")
    kept = b"".join(
        path.read_bytes() + path.name.encode()
        for path in Path(settings.CACHES["throttle"]["LOCATION"]).rglob("*")
        if path.is_file()
    )
    assert b"192.0.2.77" not in kept
    assert b"erika" not in kept


def test_a_login_never_leads_to_another_site(user):
    response = log_in(Client(), "erika", PASSWORD, next="https://evil.example/")
    assert response["Location"] == reverse("study_list")
    # A word alone is an address, too, and not the name of a page of ours.
    assert log_in(Client(), "erika", PASSWORD, next="nowhere")["Location"] == "nowhere"


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
