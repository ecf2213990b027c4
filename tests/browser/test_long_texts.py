"""Texts of 3,000 words and models of 60 units: everything can be read and judged by keyboard, and the page says where one is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import saved
from tests.long_studies import long_study
from tests.studies import SEE

pytestmark = pytest.mark.django_db(transaction=True)

SUMMEVAL = {"kind": "rating", "name": "quality", "preset": "summeval"}
SLIDER = {"kind": "rating", "name": "quality", "preset": "direct-assessment"}
LIKERT = {"kind": "likert", "name": "agree", "preset": "murray"}
CROSS = {"kind": "cross_comprehension", "name": "crossing"}
RELEVANCE = {"kind": "relevance", "name": "relevant", "kinds": ["qx31"]}


def top(page: Page, pane: str) -> float:
    return page.locator(pane).evaluate("(node) => node.scrollTop")


def scrolls_by_keys(page: Page, pane: str) -> None:
    """Space, Page Up and Down, Home and End act on the text, and it says where one is."""
    height = page.locator(pane).evaluate("(node) => node.clientHeight")
    where = page.locator(f"{pane} .where")
    expect(where).to_contain_text("page 1 of ")
    for key, down in (("Space", True), ("PageDown", True), ("PageUp", False), ("Shift+Space", False)):
        before = top(page, pane)
        page.keyboard.press(key)
        moved = top(page, pane) - before
        assert (moved if down else -moved) > height / 2, key
    page.keyboard.press("End")
    pages = (where.text_content() or "").split(" of ")[1]
    expect(where).to_have_text(f"page {pages} of {pages}")
    expect(page.locator("#live")).to_have_text(f"page {pages} of {pages}")
    page.keyboard.press("Home")
    assert top(page, pane) == 0


def test_a_rating_is_read_by_keyboard_wherever_the_focus_is(first_of, check_access):
    _, page = first_of(long_study(SUMMEVAL, whole=True))
    page.keyboard.press("Tab")
    scrolls_by_keys(page, ".pane.text")
    page.keyboard.press("5")
    expect(page.get_by_role("radiogroup", name="Consistency").locator("input").first).to_be_focused()
    scrolls_by_keys(page, ".pane.text")
    expect(page.locator("#item input:checked")).to_have_count(1)
    # Each text is a region with a name, on the way of the Tab key, and keys scroll the one that has the focus.
    source = page.get_by_role("region", name="Source")
    source.focus()
    scrolls_by_keys(page, ".pane.context")
    check_access(page, "a long text and a long source")


def test_reading_again_does_not_move_a_slider(first_of):
    _, page = first_of(long_study(SLIDER, whole=True))
    page.keyboard.press("4")
    page.keyboard.press("2")
    expect(page.get_by_role("slider")).to_be_focused()
    scrolls_by_keys(page, ".pane.text")
    expect(page.locator(".slider-value")).to_have_text("42")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".slider-value")).to_have_text("52")


def test_a_document_to_get_to_know_is_read_by_keyboard(first_of):
    _, page = first_of(long_study(LIKERT, whole=True))
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    page.wait_for_timeout(500)  # the second half of a double Enter is not heard
    page.keyboard.press("Enter")
    expect(page.locator("[data-clock]")).to_be_visible()
    scrolls_by_keys(page, ".pane.abstract")
    page.get_by_role("region", name="The whole text").focus()
    scrolls_by_keys(page, ".pane.text")


@pytest.mark.parametrize("task", [RELEVANCE, CROSS], ids=["relevance", "authoring"])
def test_documents_are_read_by_keyboard(first_of, task):
    _, page = first_of(long_study(task, whole=True))
    scrolls_by_keys(page, ".pane.text")


def test_the_peer_of_see_is_read_by_keyboard_and_a_typed_word_scrolls_nothing(first_of, check_access):
    _, page = first_of(long_study(SEE, language="ar"))
    scrolls_by_keys(page, ".pane.peer")
    page.keyboard.press("a")
    saved(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Flag this item").click()
    page.keyboard.type("a b c")
    assert top(page, ".pane.peer") == 0
    page.keyboard.press("Escape")
    check_access(page, "sixty units in Arabic")
