"""Experimenters' accounts in the browser: invited, reset, unlocked, switched off, and logging in by two steps."""

from __future__ import annotations

import base64
import html
import re
import time
from datetime import timedelta

import pytest
import segno
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import totp
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
    attempt_wait,
    attempts_waiting,
)
from annotation.services.bin import study_bin
from annotation.services.passwords import first_password_make
from annotation.services.retention import account_links_tidy
from annotation.services.tokens import token_create, token_used
from tests.factories import PASSWORD, experimenter, logged_in, member, owner_client
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db

OWN = "a much better phrase"


@pytest.fixture(autouse=True)
def counts_from_zero():
    caches["throttle"].clear()
    yield
    caches["throttle"].clear()


@pytest.fixture
def erika() -> User:
    return experimenter("erika", last_login=timezone.now(), email="erika@example.org")


@pytest.fixture
def admin() -> Client:
    return logged_in(experimenter("admin", is_superuser=True))


@pytest.fixture
def now(monkeypatch) -> list[float]:
    """A clock that the test moves: no code is good twice, and the next one is 30 seconds away."""
    clock = [1_800_000_000.0]
    monkeypatch.setattr("annotation.services.two_step.time.time", lambda: clock[0])
    return clock


def log_in(client: Client, username: str, password: str, **fields: str):
    return client.post(reverse("login"), {"username": username, "password": password, **fields})


def address_in(text: str) -> str:
    """The path of the link in a mail or on a page."""
    found = re.search(r"https?://[^/\s]+(/(?:welcome|password/new)/[^\s\"]+)", text)
    assert found, text
    return found[1]


def code_of(user: User, clock: list[float]) -> str:
    secret = TwoStep.objects.get(user=user).secret
    return totp.hotp(base64.b32decode(secret), totp.counter_at(clock[0]))


def switched_on(user: User, clock: list[float]) -> list[str]:
    """Set up as on the page; the recovery codes that it shows."""
    client = logged_in(user)
    page = client.get(reverse("two_step")).content.decode()
    secret = TwoStep.objects.get(user=user).secret
    assert secret[:4] in page
    assert f"secret={secret}" in page
    shown = client.post(
        reverse("two_step"), {"code": code_of(user, clock), "password": PASSWORD}
    ).content.decode()
    clock[0] += 30
    return re.findall(r"<code>([A-Z2-7-]{19})</code>", shown)


def dark_modules(path: str) -> set[tuple[int, int]]:
    """Column and row of every square that the path fills."""
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", path)
    assert "".join(f"M{x} {y}h{n}v1h-{m}z" for x, y, n, m in runs) == path
    assert all(there == back for _, _, there, back in runs)
    return {(int(x) + more, int(y)) for x, y, n, _ in runs for more in range(int(n))}


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


# --- two steps ----------------------------------------------------------------------------------------------------


def test_a_camera_gets_the_address_that_the_link_has_from_a_white_square(erika):
    shown = logged_in(erika).get(reverse("two_step")).content.decode()
    address = html.unescape(re.search(r'href="(otpauth://[^"]+)"', shown)[1])
    assert f"secret={TwoStep.objects.get(user=erika).secret}" in address
    svg = re.search(r"<svg class=\"qr-code\".*?</svg>", shown, re.DOTALL)[0]
    assert 'role="img"' in svg
    assert "style=" not in svg, "the pages' policy allows none"
    [size] = set(map(int, re.findall(r'(?:width|height)="(\d+)"', svg)))
    assert f'viewBox="0 0 {size} {size}"' in svg
    expected = segno.make(address, error="m", micro=False)
    quiet = (size - len(expected.matrix)) // 2
    assert quiet == 4, "as wide as cameras want it"
    assert dark_modules(re.search(r' d="([^"]+)"', svg)[1]) == {
        (x + quiet, y + quiet)
        for y, row in enumerate(expected.matrix)
        for x, is_dark in enumerate(row)
        if is_dark
    }


def test_with_two_steps_the_password_alone_opens_nothing(erika, now):
    switched_on(erika, now)
    client = Client()
    wanted = reverse("study_bin")
    assert log_in(client, "erika", PASSWORD, next=wanted)["Location"] == reverse("login_code")
    assert client.get(reverse("study_list")).status_code == 302
    assert client.get("/api/v1/studies/").status_code == 401
    assert client.post(reverse("login_code"), {"code": "000000"}).status_code == 422
    assert client.get(reverse("study_list")).status_code == 302
    code = code_of(erika, now)
    assert client.post(reverse("login_code"), {"code": f" {code[:3]} {code[3:]} "})["Location"] == wanted
    assert client.get(wanted).status_code == 200
    assert client.session.get_expiry_age() <= 12 * 60 * 60


def test_a_code_is_good_once_also_in_another_browser(erika, now):
    switched_on(erika, now)
    code = code_of(erika, now)
    answers = []
    for client in (Client(), Client()):
        log_in(client, "erika", PASSWORD)
        answers.append(client.post(reverse("login_code"), {"code": code}).status_code)
    assert answers == [302, 422]


def test_a_recovery_code_is_good_once_and_the_rest_are_counted(erika, now):
    codes = switched_on(erika, now)
    assert len(set(codes)) == 10
    stored = repr(TwoStep.objects.get().recovery)
    assert not any(code.replace("-", "") in stored for code in codes)
    client = Client()
    log_in(client, "erika", PASSWORD)
    page = client.post(reverse("login_code"), {"code": codes[3].lower()}, follow=True)
    assert "9 are left" in page.content.decode()
    other = Client()
    log_in(other, "erika", PASSWORD)
    assert other.post(reverse("login_code"), {"code": codes[3]}).status_code == 422
    assert "9 recovery codes left" in client.get(reverse("account")).content.decode()
    fresh = client.post(reverse("recovery_codes"), {"password": PASSWORD}).content.decode()
    assert len(re.findall(r"<code>[A-Z2-7-]{19}</code>", fresh)) == 10
    assert other.post(reverse("login_code"), {"code": codes[4]}).status_code == 422


def test_guessing_codes_is_slowed_down_also_for_the_right_one(erika, now, monkeypatch):
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    switched_on(erika, now)
    client = Client()
    log_in(client, "erika", PASSWORD)
    answers = [client.post(reverse("login_code"), {"code": f"{n:06d}"}).status_code for n in range(6)]
    assert answers == [422] * 5 + [429]
    assert client.post(reverse("login_code"), {"code": code_of(erika, now)}).status_code == 429


def test_patience_does_not_find_a_code(erika, now, monkeypatch):
    """Before: forty guesses an hour for whoever knows the password, as all were forgotten after a quarter of an hour."""
    clock = [1_800_000_000.0]
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: clock[0])
    guess = Attempt(name="erika", address="", slow=SECOND_STEP)
    tried = 0
    while clock[0] < 1_800_000_000 + 3 * 24 * 60 * 60:
        clock[0] += attempt_wait(attempt=guess) or 1
        attempt_failed(attempt=guess)
        tried += 1
    assert tried < 40, "in three days"


def test_a_clock_that_was_ahead_for_a_while_keeps_nobody_out(monkeypatch):
    """Before: whoever had waited for a minute then waited for as long as the clock was ahead."""
    clock = [1_800_000_000.0]
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: clock[0])
    guess = Attempt(name="erika", address="192.0.2.9")
    for _ in range(12):
        attempt_failed(attempt=guess)
    assert attempt_wait(attempt=guess) > 0
    clock[0] -= 400 * 24 * 60 * 60
    assert attempt_wait(attempt=guess) == 0
    attempt_failed(attempt=guess)
    assert attempt_wait(attempt=guess) > 0, "what comes now counts"


def test_whoever_guesses_codes_keeps_the_owner_out_of_nothing(erika, now, monkeypatch):
    codes = switched_on(erika, now)
    usual = Client()
    log_in(usual, "erika", PASSWORD)
    assert usual.post(reverse("login_code"), {"code": code_of(erika, now)}).status_code == 302
    now[0] += 30
    usual.post(reverse("logout"))
    for _ in range(30):
        attempt_failed(attempt=Attempt(name="erika", address="192.0.2.9", slow=SECOND_STEP))
    other = Client()
    log_in(other, "erika", PASSWORD)
    waits = other.post(reverse("login_code"), {"code": code_of(erika, now)})
    assert waits.status_code == 429
    assert "240 minutes" in waits.content.decode()
    assert "A recovery code lets you in" in waits.content.decode()
    log_in(usual, "erika", PASSWORD)
    assert usual.post(reverse("login_code"), {"code": code_of(erika, now)}).status_code == 302
    assert attempts_waiting(name="erika"), "the owner's login gives nobody new tries"
    assert other.post(reverse("login_code"), {"code": codes[0].replace("-", "")}).status_code == 302


def test_an_account_whose_name_differs_in_capitals_neither_is_made_nor_helps_in_guessing(erika, now):
    """Before: a browser in which “ERIKA” had logged in could guess at “erika” as often as it liked."""
    _, token = invitation_make()
    sent = {"username": "ERIKA", "password": OWN, "again": OWN}
    refused = Client().post(reverse("invitation", args=[token]), sent)
    assert refused.status_code == 422
    assert "Somebody has this username already" in refused.content.decode()
    experimenter("ERIKA", password=OWN)  # as in a database from before
    for _ in range(5):
        log_in(Client(), "erika", "wrong")
    thief = Client()
    log_in(thief, "ERIKA", OWN)
    thief.post(reverse("logout"))
    assert log_in(thief, "erika", "wrong").status_code == 429


def test_whoever_sits_at_an_open_browser_switches_no_second_step_on(erika, now):
    """Before: with an app of their own, which kept the owner out."""
    client = logged_in(erika)
    client.get(reverse("two_step"))
    sent = {"code": code_of(erika, now), "password": "guessed"}
    assert client.post(reverse("two_step"), sent).status_code == 422
    assert TwoStep.objects.get().confirmed_at is None


def test_an_administrator_changes_how_they_come_in_only_with_the_password(now):
    """Before: at an open browser, another password by a link, and no second step."""
    boss = experimenter("boss", is_superuser=True)
    switched_on(boss, now)
    client = logged_in(boss)
    page = client.get(reverse("account_one", args=[boss.pk])).content.decode()
    assert "Make a link" not in page
    assert "Switch two-step login off" not in page
    assert client.post(reverse("account_link", args=[boss.pk]))["Location"] == reverse("account")
    assert not AccountLink.objects.exists()
    client.post(reverse("account_set", args=[boss.pk]), {"act": "two_step_off"})
    assert TwoStep.objects.exists()


def test_another_password_forgives_no_guesses_of_codes(erika, now, monkeypatch):
    """Before: whoever read somebody's mail could guess five codes more with every link."""
    monkeypatch.setattr("annotation.services.attempts.time.time", lambda: 1_800_000_000.0)
    switched_on(erika, now)
    for _ in range(6):
        attempt_failed(attempt=Attempt(name="erika", address="192.0.2.9", slow=SECOND_STEP))
    Client().post(reverse("account_reset", args=[reset_make(user=erika)]), {"password": OWN, "again": OWN})
    client = Client()
    assert log_in(client, "erika", OWN)["Location"] == reverse("login_code")
    assert client.post(reverse("login_code"), {"code": "000000"}).status_code == 429


def test_the_second_step_waits_ten_minutes_and_a_new_password_ends_it(erika, now, monkeypatch):
    switched_on(erika, now)
    client = Client()
    log_in(client, "erika", PASSWORD)
    real = time.time
    with monkeypatch.context() as later:
        later.setattr("annotation.views.manage.two_step.time.time", lambda: real() + 601)
        assert client.get(reverse("login_code"))["Location"] == reverse("login")
    log_in(client, "erika", PASSWORD)
    assert client.get(reverse("login_code")).status_code == 200
    erika.set_password(OWN)
    erika.save()
    assert client.get(reverse("login_code"))["Location"] == reverse("login")


def test_it_is_off_until_a_code_has_shown_that_the_app_has_the_key(erika, now):
    client = logged_in(erika)
    client.get(reverse("two_step"))
    assert client.post(reverse("two_step"), {"code": "123", "password": PASSWORD}).status_code == 422
    assert log_in(Client(), "erika", PASSWORD)["Location"] == reverse("study_list")


def test_switching_it_off_asks_for_the_password(erika, now):
    switched_on(erika, now)
    client = logged_in(erika)
    client.post(reverse("two_step_off"), {"password": "guessed"})
    assert TwoStep.objects.exists()
    assert client.get(reverse("two_step"))["Location"] == reverse("account"), "the key is shown no more"
    client.post(reverse("two_step_off"), {"password": PASSWORD})
    assert log_in(Client(), "erika", PASSWORD)["Location"] == reverse("study_list")


def test_an_administrator_switches_it_off_for_somebody_who_lost_the_device(admin, erika, now):
    switched_on(erika, now)
    assert "two steps" in admin.get(reverse("accounts")).content.decode()
    admin.post(reverse("account_set", args=[erika.pk]), {"act": "two_step_off"})
    assert log_in(Client(), "erika", PASSWORD)["Location"] == reverse("study_list")


def test_another_password_by_link_does_not_go_around_the_second_step(erika, now):
    switched_on(erika, now)
    Client().post(reverse("account_reset", args=[reset_make(user=erika)]), {"password": OWN, "again": OWN})
    assert log_in(Client(), "erika", OWN)["Location"] == reverse("login_code")


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
