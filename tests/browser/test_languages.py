"""The pages in other languages than English: nothing English is left on them, and Arabic runs from right to left."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.study_files.schema import Settings
from annotation.words import gettext, script_words, spoken
from tests import catalogues
from tests.long_studies import long_study
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db(transaction=True)

TIDES = {"kind": "rating", "name": "tides", "preset": "tides"}
SLIDER = {"kind": "rating", "name": "quality", "preset": "direct-assessment"}
SHOWN = """() => [...document.querySelectorAll('body *')].flatMap((node) =>
  [...node.childNodes].filter((child) => child.nodeType === 3 && !node.closest('script, .reading, .unit-text'))
    .map((child) => child.textContent.trim())
    .concat(['aria-label', 'aria-valuetext', 'placeholder'].map((name) => node.getAttribute(name) ?? '')))"""


def english_on(page: Page, interface: str) -> list[str]:
    """What the page says in English although there is another word for it."""
    with spoken(interface):
        keys = {
            key for domain in catalogues.DOMAINS for key in catalogues.marked(domain) if isinstance(key, str)
        }
        others = {key for key in keys if gettext(key) != key and script_words(interface).get(key, "") != key}
    return sorted(set(page.evaluate(SHOWN)) & others)


@pytest.mark.parametrize("interface", ["de", "zh"])
def test_a_rating_is_given_in_the_language_of_the_study(first_of, interface):
    _, page = first_of(make_study(TIDES, SLIDER, assessors=1, settings=Settings(interface=interface)))
    expect(page.locator("html")).to_have_attribute("lang", {"de": "de", "zh": "zh-hans"}[interface])
    assert english_on(page, interface) == []
    page.keyboard.press("Enter")  # nothing is answered yet: it says what is missing
    expect(page.locator(".criterion .hint.problem")).not_to_be_empty()
    assert english_on(page, interface) == []
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(page.locator(".context .reading")).to_be_visible()
    page.keyboard.press("?")
    assert english_on(page, interface) == []
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(page.locator("#saved[data-state=saved]")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#undo")).to_be_visible()
    assert english_on(page, interface) == []
    judged = Judgment.objects.get()
    assert judged.answer["values"] == {"fluency": 5.0, "adequacy": 3.0}
    assert judged.seconds > 0  # a number that a page writes for a script is no number for people


def test_arabic_runs_from_right_to_left(first_of, check_access):
    study = long_study(SEE, language="ar", settings=Settings(interface="ar"))
    _, page = first_of(study)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert english_on(page, "ar") == []
    peer, model = page.locator(".pane.peer").bounding_box(), page.locator(".pane.model").bounding_box()
    assert peer["x"] > model["x"]  # what is read first stands right
    grades = page.locator('[data-scale="grades"] button')
    assert grades.first.bounding_box()["x"] > grades.last.bounding_box()["x"]
    expect(page.locator(".pane.model [aria-current] .state")).to_have_text("◀")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    check_access(page, "SEE in Arabic")
