"""Reading aids: off unless the study asks for them, painted over the texts, and a highlighter that stays in the browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.study_files.schema import Settings
from tests.browser.conftest import ready
from tests.long_studies import long_study
from tests.studies import SEE

pytestmark = pytest.mark.django_db(transaction=True)

SUMMEVAL = {"kind": "rating", "name": "quality", "preset": "summeval"}
PAINTED = "(name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString())"


def test_words_shared_with_the_current_unit_are_painted_and_follow_it(first_of):
    _, page = first_of(long_study(SEE, settings=Settings(aids=("shared_words",))))
    first = set(page.evaluate(PAINTED, "shared"))
    assert {"harbour", "Leeds", "closed"} <= first
    page.keyboard.press("ArrowDown")
    expect(page.locator('[data-step="units.1"]')).to_have_attribute("aria-current", "step")
    second = set(page.evaluate(PAINTED, "shared"))
    assert "Engineers" in second
    assert "harbour" not in second


def test_texts_scroll_together_and_a_highlight_outlives_the_page(first_of):
    _, page = first_of(
        long_study(SUMMEVAL, whole=True, settings=Settings(aids=("scroll_together", "highlighter")))
    )
    page.keyboard.press("End")
    page.wait_for_function(
        "() => { const p = document.querySelector('.pane.context');"
        " return p.scrollTop + p.clientHeight >= p.scrollHeight - 4 }"
    )
    page.keyboard.press("Home")
    page.evaluate(
        "() => { const node = document.querySelector('.pane.text .reading').firstChild; const range = document.createRange();"
        " range.setStart(node, 4); range.setEnd(node, 11); getSelection().removeAllRanges(); getSelection().addRange(range) }"
    )
    page.get_by_role("button", name="Highlight").click()
    assert page.evaluate(PAINTED, "own") == ["harbour"]
    page.reload()
    ready(page)
    assert page.evaluate(PAINTED, "own") == ["harbour"]


def test_without_being_asked_for_nothing_is_painted(first_of):
    _, page = first_of(long_study(SEE))
    assert page.evaluate("() => CSS.highlights.size") == 0
