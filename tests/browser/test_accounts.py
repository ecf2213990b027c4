"""Experimenters' accounts, in the browser: invited, and logging in by two steps."""

from __future__ import annotations

import base64
import time

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from annotation import totp
from annotation.services.two_step import two_step_begin
from tests.factories import PASSWORD, experimenter

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_an_invitation_to_a_login_by_two_steps(new_context, check_access, live_server):
    experimenter("admin", is_superuser=True, last_login="2026-01-01T00:00Z")
    page = new_context().new_page()
    page.goto(reverse("login"))
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.goto(reverse("accounts"))
    page.get_by_role("button", name="Invite").click()
    check_access(page, "accounts")
    link = page.get_by_label("An invitation").input_value()

    newcomer = new_context().new_page()
    newcomer.goto(link)
    check_access(newcomer, "invitation")
    newcomer.get_by_label("Username").fill("nora")
    newcomer.get_by_label("New password").fill(PASSWORD)
    newcomer.get_by_label("The same again").fill(PASSWORD)
    newcomer.get_by_role("button", name="Make my account").click()
    expect(newcomer.get_by_text("Welcome, nora.")).to_be_visible()
    newcomer.get_by_text("nora", exact=True).click()
    newcomer.get_by_role("link", name="Your account").click()
    newcomer.get_by_role("link", name="Set it up").click()
    check_access(newcomer, "two steps")
    newcomer.emulate_media(media="print")
    expect(newcomer.get_by_role("img", name="QR code")).to_be_visible()
    newcomer.emulate_media(media="screen")
    nora = User.objects.get(username="nora")
    secret = base64.b32decode(two_step_begin(user=nora))
    before = (
        totp.counter_at(time.time()) - 1
    )  # a code of half a minute ago, so that another is left for the login
    newcomer.get_by_role("textbox", name="Code").fill(totp.hotp(secret, before))
    newcomer.get_by_label("Your password").fill(PASSWORD)
    newcomer.get_by_role("button", name="Switch it on").click()
    expect(newcomer.get_by_role("listitem")).to_have_count(10)
    recovery = newcomer.get_by_role("listitem").first.inner_text()
    newcomer.get_by_role("link", name="I have them").click()
    check_access(newcomer, "account")

    page.goto(reverse("account_one", args=[nora.pk]))
    page.get_by_role("button", name="Make a link").click()
    check_access(page, "account of somebody")

    another = new_context().new_page()
    another.goto(reverse("login"))
    another.get_by_label("Username").fill("nora")
    another.get_by_label("Password").fill(PASSWORD)
    another.get_by_role("button", name="Log in").click()
    another.get_by_label("Code").fill(recovery)
    another.keyboard.press("Enter")
    expect(another.get_by_text("9 are left")).to_be_visible()
