"""The page of operations in a real browser: warnings first, a backup at the press of a button, usable by all."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.backups.schedule import backup_if_due
from tests.browser.conftest import NARROW
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_administrator_is_warned_and_makes_a_backup(new_context, check_access, own_data, settings):
    settings.BACKUP_FOLDER = own_data / "backups"
    User.objects.create_superuser("root", password=PASSWORD, last_login=timezone.now())
    page = new_context().new_page()
    page.set_viewport_size(NARROW)
    page.goto(reverse("login"))
    page.get_by_label("Username").fill("root")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.locator("details.menu summary").click()
    page.get_by_role("link", name="Operations").click()
    expect(page.locator(".notice.warning").first).to_contain_text("is not running on this machine")
    page.get_by_role("button", name="Make one now").click()
    expect(page.get_by_text("One was asked for")).to_be_visible()
    expect(page.get_by_role("button", name="Make one now")).to_be_disabled()
    made = backup_if_due()  # as the keeper does
    page.reload()
    expect(page.get_by_role("cell", name=made.path.name)).to_be_visible()
    expect(page.get_by_role("rowheader", name="backup.request")).to_be_visible()
    check_access(page, "operations")
