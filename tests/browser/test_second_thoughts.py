"""Undo after a submit, changes of earlier answers, and words where a request is refused: nothing is lost, nothing pretends."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.models import Draft, Judgment
from tests.browser.conftest import intercept, ready, saved
from tests.studies import TIDES, make_study

pytestmark = pytest.mark.django_db(transaction=True)
SUMMEVAL = {"kind": "rating", "name": "quality", "preset": "summeval"}


def values(number: int) -> list[float]:
    return list(Judgment.objects.order_by("pk")[number].answer["values"].values())


def test_a_slip_is_undone_with_a_key_and_submitted_again(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    first = page.url
    for key in ("1", "1", "1", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#undo")).to_contain_text("Submitted")
    page.keyboard.press("Backspace")
    page.wait_for_url(first)
    ready(page)
    expect(page.locator("#revising")).to_contain_text("Not changed.")
    expect(page.locator("[data-primary]")).to_contain_text("Submit change")
    page.keyboard.press("5")
    expect(page.locator("#saved")).to_have_text("changed, not submitted")
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert (values(0), values(1)) == ([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 5.0])
    # The end of the work has the same way back.
    for key in ("2", "2", "2", "2", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Thank you. You have finished.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    ready(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Earlier item")


def test_a_change_that_is_not_submitted_says_so_warns_and_can_be_discarded(first_of):
    _, page = first_of(make_study(SUMMEVAL, revise=True))
    for key in ("1", "1", "1", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    page.goto("/work/small/items/")
    expect(page.locator(".items li")).to_contain_text("Coherence: very poor")
    page.get_by_role("link", name="Item 1").click()
    ready(page)
    page.keyboard.press("4")
    expect(page.locator("#saved")).to_have_text("changed, not submitted")
    expect(page.locator("#revising")).to_contain_text("Changed, not submitted.")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto("/work/small/items/")
    assert asked == ["beforeunload"]
    expect(page.locator(".items li")).to_contain_text("changed, not submitted")
    page.get_by_role("link", name="Item 1").click()
    ready(page)
    expect(page.locator("#saved")).to_have_text("changed, not submitted")
    page.get_by_role("button", name="Discard the change").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert (Judgment.objects.count(), Draft.objects.filter(revision=2).count()) == (1, 0)


def test_a_session_that_has_ended_asks_for_the_link_and_the_work_is_sent_when_it_is_opened(first_of, come_in):
    assessor, page = first_of(make_study(TIDES))
    page.keyboard.press("4")
    saved(page)
    page.context.clear_cookies()
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("Open your link again")
    expect(page.locator("#word")).not_to_contain_text("ffline")
    with page.expect_response("**/draft/"):
        page.keyboard.press("2")
    again = come_in(assessor, context=page.context)
    expect(again.locator("#item input:checked")).to_have_count(1)
    expect(again.get_by_role("radiogroup", name="Fluency").locator("input").nth(1)).to_be_checked()
    saved(again)
    assert Draft.objects.get().answer["values"]["fluency"] == 2.0
    again.context.clear_cookies()
    again.goto("/work/small/")
    expect(again.get_by_role("heading", name="Open your link again")).to_be_visible()


def test_a_second_tab_offers_what_it_names_and_a_slow_submit_says_that_it_is_busy(first_of):
    _, page = first_of(make_study(SUMMEVAL, revise=True))
    first = page.url
    for key in ("1", "1", "1", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    page.goto(first)
    ready(page)
    other = page.context.new_page()
    other.goto(first)
    ready(other)
    for tab, key in ((page, "2"), (other, "3")):
        tab.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    other.keyboard.press("Enter")
    expect(other.locator("#word")).to_contain_text("Reload it")
    other.get_by_role("button", name="Reload").click()
    ready(other)
    expect(other.get_by_role("radiogroup", name="Relevance").locator("input").nth(1)).to_be_checked()
    held = []
    intercept(other, "**/judgment/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    other.keyboard.press("Enter")
    expect(other.locator("[data-primary].busy")).to_be_visible()
    held[0].continue_()
    expect(other.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
