"""Experimenters' accounts in the browser: invited, reset, unlocked, switched off."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import AccountLink, AuditEntry, Membership, TwoStep
from annotation.services.accounts import (
    account_active_set,
    account_administrator_set,
    administrator_ensure,
    invitation_make,
    reset_make,
)
from annotation.services.attempts import (
    SECOND_STEP,
    Attempt,
    attempt_failed,
)
from annotation.services.bin import study_bin
from annotation.services.passwords import first_password_make
from annotation.services.retention import account_links_tidy
from annotation.services.tokens import token_create, token_used
from tests.annotation.views.conftest import OWN, log_in, switched_on
from tests.factories import PASSWORD, experimenter, logged_in, member, owner_client
from tests.studies import SEE, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_from_zero")]


def address_in(text: str) -> str:
    """The path of the link in a mail or on a page."""
    found = re.search(r"https?://[^/\s]+(/(?:welcome|password/new)/[^\s\"]+)", text)
    assert found, text
    return found[1]


# --- invited ------------------------------------------------------------------------------------------------------


def test_an_invitation_by_link_makes_an_account_with_its_role_and_works_once(admin):
    study = make_study(SEE)
    owner = owner_client(study)
    page = owner.post(reverse("member_invite", args=[study.slug]), {"role": "editor"})
    path = address_in(page.content.decode())
    newcomer = Client()
    assert study.name in newcomer.get(path).content.decode()
    newcomer.get(path)  # mail programs open links, too: nothing is used up by that
    answer = newcomer.post(path, {"username": "nora", "password": OWN, "again": OWN})
    assert answer["Location"] == reverse("study_list")
    assert newcomer.get(reverse("study", args=[study.slug])).status_code == 200
    assert study.memberships.get(user__username="nora").role == Membership.Role.EDITOR
    assert log_in(Client(), "nora", OWN)["Location"] == reverse("study_list")
    again = Client().post(path, {"username": "second", "password": OWN, "again": OWN})
    assert again.status_code == 404
    assert not User.objects.filter(username="second").exists()
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"account.invite", "account.make", "member.set"} <= actions


def test_an_invitation_by_mail_goes_out_and_its_link_is_not_on_the_page(admin):
    answer = admin.post(reverse("account_invite"), {"email": "nora@example.org"}, follow=True)
    assert "went to nora@example.org" in answer.content.decode()
    assert "/welcome/" not in answer.content.decode()
    (sent,) = mail.outbox
    assert sent.to == ["nora@example.org"]
    answer = Client().post(address_in(sent.body), {"username": "nora", "password": OWN, "again": OWN})
    assert answer.status_code == 302
    assert User.objects.get(username="nora").email == "nora@example.org"


def test_mail_that_cannot_be_sent_leaves_the_link_to_be_passed_on(admin, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nobody listens there
    page = admin.post(reverse("account_invite"), {"email": "nora@example.org"}).content.decode()
    assert "could not be sent" in page
    assert address_in(page)


def test_somebody_who_has_an_account_takes_part_with_it(erika):
    study = make_study(SEE)
    member(study)
    _, token = invitation_make(study=study, role="viewer")
    client = logged_in(erika)
    assert "Take part as erika" in client.get(reverse("invitation", args=[token])).content.decode()
    assert client.post(reverse("invitation", args=[token])).status_code == 302
    assert study.memberships.get(user=erika).role == "viewer"
    _, other = invitation_make(study=study, role="owner")
    client.post(reverse("invitation", args=[other]))
    assert study.memberships.get(user=erika).role == "viewer", (
        "a link does not change a role that somebody has"
    )


@pytest.mark.parametrize("why", ["over", "withdrawn", "binned"])
def test_an_invitation_that_is_no_longer_good_opens_nothing(why):
    study = make_study(SEE)
    client = owner_client(study)
    link, token = invitation_make(study=study, role="viewer")
    if why == "over":
        AccountLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert account_links_tidy() == 1
    elif why == "withdrawn":
        client.post(reverse("member_withdraw", args=[study.slug, link.pk]))
    else:
        study_bin(study=study, by="owner")
    page = Client().get(reverse("invitation", args=[token]))
    assert page.status_code == 404
    assert "not good any more" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"username": "erika", "password": OWN, "again": OWN}, "already"),
        ({"username": "a b\n", "password": OWN, "again": OWN}, "valid username"),
        ({"username": "nora", "password": "short", "again": "short"}, "too short"),
        ({"username": "nora", "password": OWN, "again": "other"}, "not the same"),
        ({}, "Choose a name."),
    ],
)
def test_what_is_wrong_with_a_new_account_is_said_and_the_link_stays_good(erika, fields, words):
    _, token = invitation_make()
    page = Client().post(reverse("invitation", args=[token]), fields)
    assert page.status_code == 422
    assert words in page.content.decode()
    assert Client().get(reverse("invitation", args=[token])).status_code == 200


# --- roles --------------------------------------------------------------------------------------------------------


def test_an_editor_changes_a_study_and_sees_no_button_that_only_owners_may_press():
    study = make_study(SEE)
    editor = logged_in(member(study, Membership.Role.EDITOR))
    people = editor.get(reverse("study_people", args=[study.slug])).content.decode()
    assert "Add assessors" in people
    assert "you are an editor" in people
    for name in ("member_set", "member_invite"):
        assert reverse(name, args=[study.slug]) not in people
    settings_page = editor.get(reverse("study_settings", args=[study.slug])).content.decode()
    assert "Change this study" in settings_page
    assert "Delete this study" not in settings_page
    assert "Build" in settings_page
    editor.post(reverse("assessors_add", args=[study.slug]), {"names": "Zoe"})
    assert study.assessors.filter(name="Zoe").exists()
    person = study.assessors.first()
    page = editor.get(reverse("assessor", args=[study.slug, person.pk])).content.decode()
    assert "Pause" in page
    assert "Erase" not in page


def test_roles_are_given_and_the_last_owner_stays(erika):
    study = make_study(SEE)
    owner = member(study)
    client = logged_in(owner)
    client.post(reverse("member_set", args=[study.slug]), {"username": "erika", "role": "editor"})
    assert study.memberships.get(user=erika).role == "editor"
    page = client.post(
        reverse("member_set", args=[study.slug]), {"username": owner.username, "role": "editor"}
    )
    assert "A study needs an owner" in page.content.decode()


@pytest.mark.parametrize("how", ["removed", "viewer", "off"])
def test_whoever_is_owner_no_more_does_not_come_back_by_an_invitation_of_their_own(erika, admin, how):
    study = make_study(SEE)
    owner = owner_client(study)
    other = logged_in(erika)
    owner.post(reverse("member_set", args=[study.slug]), {"username": "erika", "role": "owner"})
    kept = address_in(
        owner.post(reverse("member_invite", args=[study.slug]), {"role": "viewer"}).content.decode()
    )
    own = address_in(
        other.post(reverse("member_invite", args=[study.slug]), {"role": "owner"}).content.decode()
    )
    assert Client().get(own).status_code == 200
    member_pk = study.memberships.get(user=erika).pk
    if how == "removed":
        owner.post(reverse("member_remove", args=[study.slug, member_pk]))
    elif how == "viewer":
        owner.post(reverse("member_set", args=[study.slug]), {"username": "erika", "role": "viewer"})
    else:
        admin.post(reverse("account_set", args=[erika.pk]), {"act": "off"})
    assert Client().get(own).status_code == 404
    assert Client().get(kept).status_code == 200, "others' invitations stay"


# --- another password ---------------------------------------------------------------------------------------------


def test_a_forgotten_password_is_mended_by_mail_and_ends_every_session(erika):
    elsewhere = logged_in(erika)
    assert elsewhere.get(reverse("study_list")).status_code == 200
    for who in ("erika", "ERIKA@example.org", "nobody", "nobody@example.org"):
        page = Client().post(reverse("forgotten"), {"who": who})
        assert "If there is such an account" in page.content.decode(), "the same words for everybody"
    assert [sent.to for sent in mail.outbox] == [["erika@example.org"]] * 2
    first, second = (address_in(sent.body) for sent in mail.outbox)
    assert Client().get(first).status_code == 404, "a newer link ends the one before"
    client = Client()
    assert client.post(second, {"password": OWN, "again": OWN})["Location"] == reverse("login")
    assert client.get(reverse("study_list")).status_code == 302, "it lets nobody in by itself"
    assert elsewhere.get(reverse("study_list")).status_code == 302
    assert log_in(Client(), "erika", OWN).status_code == 302
    assert log_in(Client(), "erika", PASSWORD).status_code == 200
    assert client.post(second, {"password": PASSWORD, "again": PASSWORD}).status_code == 404


def test_asking_for_mails_is_slowed_down(erika, monkeypatch):
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    answers = [Client().post(reverse("forgotten"), {"who": "erika"}).status_code for _ in range(8)]
    assert answers == [200] * 5 + [429] * 3
    assert len(mail.outbox) == 5


def test_an_administrator_gives_a_link_to_another_password(admin, erika):
    page = admin.post(reverse("account_link", args=[erika.pk])).content.decode()
    assert Client().post(address_in(page), {"password": "1", "again": "1"}).status_code == 422
    assert Client().post(address_in(page), {"password": OWN, "again": OWN}).status_code == 302
    assert log_in(Client(), "erika", OWN).status_code == 302


def test_a_link_of_an_account_that_was_switched_off_opens_nothing(erika, admin):
    token = reset_make(user=erika)
    account_active_set(user=erika, active=False)
    assert Client().get(reverse("account_reset", args=[token])).status_code == 404


@pytest.mark.parametrize("changed", ["password", "mail address"])
def test_a_link_to_another_password_ends_when_its_owner_changes_how_they_come_in(erika, changed):
    """Before: whoever had read the mail could use the link although its owner had seen to it."""
    path = reverse("account_reset", args=[reset_make(user=erika, email=erika.email)])
    client = logged_in(erika)
    if changed == "password":
        sent = {"old_password": PASSWORD, "new_password1": OWN, "new_password2": OWN}
        client.post(reverse("password"), sent)
    else:
        client.post(reverse("account"), {"email": "new@example.org", "password": PASSWORD})
    assert Client().get(path).status_code == 404


def test_a_mail_that_a_stranger_asked_for_leads_where_the_settings_say(erika, settings):
    """Before: to the port that the stranger had named."""
    settings.PUBLIC_URL, settings.PUBLIC_URL_GIVEN = "https://judge.example.org", True
    Client().post(reverse("forgotten"), {"who": "erika"}, headers={"Host": "testserver:6666"})
    assert "https://judge.example.org/password/new/" in mail.outbox[0].body
    assert "6666" not in mail.outbox[0].body


@pytest.mark.parametrize("name", ["account", "password"])
def test_guessing_the_password_in_an_open_browser_is_slowed_down(erika, name, monkeypatch):
    """Before: as many guesses as one liked."""
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    client = logged_in(erika)

    def sent(password: str) -> int:
        own = {"email": "thief@example.org", "password": password}
        other = {"old_password": password, "new_password1": OWN, "new_password2": OWN}
        return client.post(reverse(name), own if name == "account" else other).status_code

    assert sent("") in {200, 422}  # nothing was guessed
    answers = [sent(f"guess {n}") for n in range(6)]
    assert answers[-1] == 429
    assert 429 not in answers[:-1]
    assert sent(PASSWORD) == 429
    erika.refresh_from_db()
    assert erika.email == "erika@example.org"
    assert erika.check_password(PASSWORD)


def test_whoever_guesses_at_the_login_keeps_nobody_who_is_in_from_another_password(erika, monkeypatch):
    """Before: failed logins and codes of somebody elsewhere made the owner wait just when it mattered."""
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    client = logged_in(erika)
    for slow in ("", SECOND_STEP):
        for _ in range(12):
            attempt_failed(attempt=Attempt(name=erika.username, address="127.0.0.1", slow=slow))
    changed = {"old_password": PASSWORD, "new_password1": OWN, "new_password2": OWN}
    assert client.post(reverse("password"), changed).status_code == 302


def test_no_link_is_stored_as_it_is(erika):
    tokens = [reset_make(user=erika), invitation_make()[1]]
    stored = repr(list(AccountLink.objects.values())) + repr(list(AuditEntry.objects.values()))
    assert not any(token in stored for token in tokens)


# --- unlocked, switched off, administrators -----------------------------------------------------------------------


def test_unlocking_forgets_wrong_passwords(admin, erika, monkeypatch):
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    for _ in range(8):
        attempt_failed(attempt=Attempt(name="erika", address="192.0.2.9"))
    assert log_in(Client(), "erika", PASSWORD).status_code == 429
    assert "must wait" in admin.get(reverse("accounts")).content.decode()
    admin.post(reverse("account_unlock", args=[erika.pk]))
    assert "must wait" not in admin.get(reverse("accounts")).content.decode()
    assert log_in(Client(), "erika", PASSWORD).status_code == 302


def test_an_account_that_is_switched_off_opens_nothing_and_can_be_switched_on(admin, erika):
    token, session = token_create(user=erika, name="program"), logged_in(erika)
    admin.post(reverse("account_set", args=[erika.pk]), {"act": "off"})
    assert session.get(reverse("study_list")).status_code == 302
    assert token_used(token=token) is None
    assert log_in(Client(), "erika", PASSWORD).status_code == 200
    admin.post(reverse("account_set", args=[erika.pk]), {"act": "on"})
    assert log_in(Client(), "erika", PASSWORD).status_code == 302


def test_somebody_is_always_left_who_looks_after_accounts(admin, erika):
    me = User.objects.get(username="admin")
    for act in ("off", "experimenter"):
        page = admin.post(reverse("account_set", args=[me.pk]), {"act": act}, follow=True)
        assert "Somebody must be left" in page.content.decode()
    admin.post(reverse("account_set", args=[erika.pk]), {"act": "administrator"})
    admin.post(reverse("account_set", args=[me.pk]), {"act": "experimenter"})
    assert admin.get(reverse("accounts")).status_code == 403
    assert logged_in(erika).get(reverse("accounts")).status_code == 200


def test_the_first_account_looks_after_the_others_also_in_a_database_from_before():
    user, _ = first_password_make(username="first")
    assert user.is_superuser
    user.is_superuser = False
    user.save()
    experimenter("second")
    administrator_ensure()
    administrator_ensure()
    assert [row.username for row in User.objects.filter(is_superuser=True)] == ["first"]


def test_the_command_does_what_the_page_does(erika, capsys, now):
    switched_on(erika, now)
    call_command("account", "erika", "--two-step-off", "--unlock", "--administrator", "--link")
    assert Client().get(address_in(capsys.readouterr().out)).status_code == 200
    erika.refresh_from_db()
    assert erika.is_superuser
    assert not TwoStep.objects.exists()
    for arguments in (["nobody", "--link"], ["erika"], ["erika", "--two-step-off"]):
        with pytest.raises(CommandError):
            call_command("account", *arguments)


def test_the_page_of_accounts_asks_as_often_for_many_as_for_few(admin, django_assert_num_queries):
    with django_assert_num_queries(5) as few:
        admin.get(reverse("accounts"))
    for number in range(12):
        experimenter(f"more{number}")
        invitation_make(email=f"m{number}@example.org")
    with django_assert_num_queries(len(few)):
        admin.get(reverse("accounts"))


def test_a_mail_address_of_one_s_own_is_changed_with_the_password(erika):
    client = logged_in(erika)
    client.post(reverse("account"), {"email": "thief@example.org", "password": "guessed"})
    erika.refresh_from_db()
    assert erika.email == "erika@example.org"
    client.post(reverse("account"), {"email": "new@example.org", "password": PASSWORD})
    erika.refresh_from_db()
    assert erika.email == "new@example.org"


def test_making_somebody_an_administrator_is_in_the_audit_trail(erika):
    account_administrator_set(user=erika, administrator=True)
    assert AuditEntry.objects.get(action="account.administrator").target == "experimenter erika"
