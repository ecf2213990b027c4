"""The pages of the API in a real browser: a token is made and copied, and everything can be tried out under the strict policy."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Study
from tests.factories import PASSWORD, member
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db(transaction=True)
LONG = 60_000  # milliseconds


@pytest.fixture
def page(new_context) -> Page:
    study = make_study(SEE)
    page = new_context().new_page()
    page.goto(reverse("login"))
    page.get_by_label("Username").fill(member(study).username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Change password")).to_be_visible()
    page.set_default_timeout(LONG)  # a hundred operations are drawn, and the machine may be busy
    return page


def test_a_token_is_made_from_the_account_menu_and_shown_once(page):
    page.locator("details.menu summary").click()
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name of a new token").fill("nightly")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make a token").click()
    token = page.locator("#new-token").input_value()
    assert token.startswith("touchstone_")
    page.reload()
    expect(page.locator("#new-token")).to_have_count(0)
    page.get_by_role("button", name="Revoke nightly").click()
    expect(page.get_by_text("no longer works")).to_be_visible()
    expect(page.get_by_text("No token yet")).to_be_visible()


def test_the_pages_can_be_used_by_all(page, check_access):
    page.goto(reverse("tokens"))
    page.get_by_label("Name of a new token").fill("nightly")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make a token").click()
    check_access(page, "tokens")
    page.goto(reverse("api_docs"))
    page.locator("#operations-scores-scores_import .opblock-summary-control").click()
    expect(page.locator("#operations-scores-scores_import .responses-table").last).to_be_visible(timeout=LONG)
    check_access(page, "documentation")


def test_the_documentation_shows_every_operation_and_tries_it_out(page):
    page.goto(reverse("api_docs"))
    operations = page.locator(".opblock")
    schema = page.request.get(reverse("api_schema")).json()
    expect(operations).to_have_count(sum(len(methods) for methods in schema["paths"].values()))
    opening = page.locator("#operations-studies-study_open")
    opening.locator(".opblock-summary-control").click()
    opening.get_by_role("button", name="Try it out").click()
    opening.get_by_placeholder("slug").fill("small")
    opening.get_by_role("button", name="Execute").click()
    expect(opening.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert Study.objects.get().state == "open", "the request had the token against forgery"
