"""Practice that must be passed, in a browser: a second try, a pause with its message, and the experimenter who lets the person go on."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.checks import Checks
from annotation.services.persons import assessor_resume
from tests.browser.conftest import ready
from tests.studies import make_study, practice

pytestmark = pytest.mark.django_db(transaction=True)
RATING = {
    "kind": "rating",
    "name": "quality",
    "criteria": [{"name": "useful", "steps": [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]}],
}


def answer(page: Page, word: str) -> None:
    """Answer a practice item and read what is said about it."""
    page.get_by_role("radiogroup").get_by_text(word, exact=True).click()
    page.locator("[data-primary]").click()
    feedback = page.locator("#feedback")
    expect(feedback).to_be_visible()
    page.get_by_role("button", name="Continue").click()


def test_practice_that_is_not_passed_begins_anew_and_then_pauses_with_a_message(first_of, check_access):
    study = make_study(
        RATING,
        documents=3,
        practice=(practice("quality", key={"values": {"useful": 1}}),),
        checks=Checks(warm_up={"share": 0.7, "tries": 2}, message="We will write to you, Anna."),
    )
    person, page = first_of(study)
    answer(page, "no")
    expect(page.get_by_role("heading", name="A word before you go on")).to_be_visible()
    expect(page.get_by_text("0% of your answers in the practice were as expected")).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    ready(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Practice 1 of 1")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    expect(page.get_by_text("Keep it as it is")).to_have_count(0)  # it is no change that could be dropped
    answer(page, "no")
    expect(page.get_by_role("heading", name="Your work is paused")).to_be_visible()
    expect(page.get_by_text("We will write to you, Anna.")).to_be_visible()
    check_access(page, "paused by the checks")
    person.refresh_from_db()
    assessor_resume(assessor=person)
    page.goto(reverse("work", args=[study.slug]))
    ready(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 1 of 2")
