"""Logging in by two steps: the code of an app, recovery codes, and what keeps guesses away."""

from __future__ import annotations

import html
import re
import time

import pytest
import segno
from django.test import Client
from django.urls import reverse

from annotation.models import AccountLink, TwoStep
from annotation.services.accounts import (
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
from tests.annotation.views.conftest import OWN, code_of, log_in, switched_on
from tests.factories import PASSWORD, experimenter, logged_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_from_zero")]


def dark_modules(path: str) -> set[tuple[int, int]]:
    """Column and row of every square that the path fills."""
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", path)
    assert "".join(f"M{x} {y}h{n}v1h-{m}z" for x, y, n, m in runs) == path
    assert all(there == back for _, _, there, back in runs)
    return {(int(x) + more, int(y)) for x, y, n, _ in runs for more in range(int(n))}


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


def test_a_key_that_somebody_saw_at_an_open_browser_is_none_of_the_one_its_owner_sets_up(erika, now):
    client = logged_in(erika)

    def shown() -> str:
        client.get(reverse("two_step"))
        return TwoStep.objects.get(user=erika).secret

    seen, own = shown(), shown()
    assert seen != own
    sent = {"code": code_of(erika, now), "password": "wrong"}
    assert client.post(reverse("two_step"), sent).status_code == 422
    assert TwoStep.objects.get(user=erika).secret == own, "whoever mistypes need not begin again"
    assert client.post(reverse("two_step"), sent | {"password": PASSWORD}).status_code == 200
    assert TwoStep.objects.get(user=erika).confirmed_at


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
    for n in range(5):
        client.post(reverse("two_step_off"), {"password": f"guessed {n}"})
    client.post(reverse("account_unlock", args=[boss.pk]))
    client.post(reverse("two_step_off"), {"password": PASSWORD})
    assert TwoStep.objects.exists(), "guesses in an open browser are not forgiven by it"


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
