"""The desk yields to the text, phones keep the question in view, SEE's grades stand beside their unit, parts have a page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.study_files.schema import OutputRow, SystemRow
from tests.browser.conftest import NARROW, begin_part, ready, saved
from tests.long_studies import long_materials, long_study, long_text
from tests.studies import SEE, SYSTEMS, TIDES, make_study, practice

pytestmark = pytest.mark.django_db(transaction=True)
SUMMEVAL = {"kind": "rating", "name": "quality", "preset": "summeval"}
ONE = {"kind": "rating", "name": "answers", "preset": "qa-correctness"}
SLIDER = {"kind": "rating", "name": "quality", "preset": "direct-assessment"}
SEVEN = {"kind": "rating", "name": "quality", "preset": "duc2004"}
LIKERT = {"kind": "likert", "name": "agree", "preset": "murray"}
PAIRS = {"kind": "pairwise", "name": "better"}
LOW = {"width": 1366, "height": 650}
ACROSS = {"width": 844, "height": 390}
HUGE = {"width": 1920, "height": 1080}


def height(page: Page, selector: str) -> float:
    return page.locator(selector).bounding_box()["height"]


def is_within(page: Page, selector: str) -> bool:
    """Whether all of an element can be seen, and nothing lies over its middle."""
    return page.locator(selector).first.evaluate(
        """(node) => {
          const box = node.getBoundingClientRect();
          const on = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return box.top >= 0 && box.bottom <= innerHeight && (node.contains(on) || on.contains(node));
        }"""
    )


def test_the_desk_yields_to_the_text(first_of):
    _, page = first_of(long_study(SUMMEVAL, whole=True))
    page.set_viewport_size(LOW)
    assert height(page, ".pane.text") > 400, "at least fourteen lines"
    expect(page.locator(".criterion:visible")).to_have_count(1)
    page.get_by_text("very good").first.click()
    expect(page.get_by_role("radiogroup", name="Consistency")).to_be_visible()
    page.keyboard.press("4")
    expect(page.locator("[data-stepper]")).to_have_text("3 of 4")
    page.get_by_role("button", name="Question before").click()
    expect(page.get_by_role("radiogroup", name="Consistency")).to_be_visible()
    before = height(page, ".pane.text")
    page.keyboard.press("f")
    assert height(page, ".pane.text") > before + 50
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem:visible")).to_have_text("Rate fluency.")
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    # Across, nothing is cut off: text and question stand side by side.
    page.set_viewport_size(ACROSS)
    assert is_within(page, "[data-primary]")
    assert is_within(page, ".criterion.current .choice-button")
    # On a very wide screen the questions stand in a rail, and the text has all the height.
    page.set_viewport_size(HUGE)
    assert height(page, ".pane.text") > 1000
    assert page.locator(".rating-desk").bounding_box()["x"] > 1400
    expect(page.locator(".criterion:visible")).to_have_count(4)


def test_a_short_text_stands_near_its_question_and_a_slider_keeps_the_measure(first_of):
    _, page = first_of(make_study(SLIDER))
    text = page.locator(".pane.text .reading").bounding_box()
    desk = page.locator(".rating-desk").bounding_box()
    assert desk["y"] - text["y"] - text["height"] < 60
    assert page.locator(".slider").bounding_box()["width"] <= 37 * 16


@pytest.mark.parametrize("task", [LIKERT, PAIRS], ids=["questionnaire", "pair"])
def test_text_and_question_stand_together_whatever_the_study_asks(first_of, task):
    """Each kind alone: no style sheet of another kind helps it out."""
    _, page = first_of(make_study(task))
    page.set_viewport_size(HUGE)
    texts = page.locator(".reading:visible")
    first, last = texts.first.bounding_box(), texts.last.bounding_box()
    primary = page.locator("[data-primary]").bounding_box()
    assert first["x"] > 140, "a text stands in the middle of its column"
    assert primary["x"] + primary["width"] < last["x"] + 900, "and what leads on is not at the other end"
    if task is LIKERT:
        assert primary["y"] - last["y"] < 300
    # Across, the button keeps its distance from the window's edge, and a letter from its text.
    page.set_viewport_size(ACROSS)
    page.locator("[data-primary]").scroll_into_view_if_needed()
    assert is_within(page, "[data-primary]")
    primary = page.locator("[data-primary]").bounding_box()
    assert primary["x"] + primary["width"] <= ACROSS["width"] - 8
    if task is PAIRS:
        page.evaluate("window.scrollTo(0, 0)")
        letter, text = page.locator(".member h2").first, page.locator(".member .reading").first
        assert text.bounding_box()["y"] >= letter.bounding_box()["y"] + letter.bounding_box()["height"] - 1


def test_many_questions_leave_the_text_more_than_half_of_a_laptop(first_of):
    _, page = first_of(long_study(SEVEN, whole=True))
    assert height(page, ".pane.text") > 400
    expect(page.locator(".criterion:visible")).to_have_count(1)
    page.keyboard.press("b")
    expect(page.locator("[data-stepper]")).to_have_text("2 of 7")


def test_on_a_phone_what_is_asked_is_never_hidden(first_of, new_context):
    context = new_context(has_touch=True, is_mobile=True)
    _, page = first_of(make_study(TIDES), context=context)
    page.set_viewport_size(NARROW)
    page.locator("[data-primary]").tap()
    expect(page.locator(".hint.problem:visible")).to_have_text("Rate fluency.")
    assert is_within(page, ".hint.problem:visible")
    page.get_by_text("good", exact=True).tap()
    page.get_by_role("button", name="Confirm fluency").tap()
    expect(page.locator(".context")).to_contain_text("First of d")
    ready(page)
    assert is_within(page, ".criterion.current .choice-button")
    assert is_within(page, ".pane.context h2")
    expect(page.locator(".choice-button .key:visible")).to_have_count(0)
    page.context.set_offline(True)
    page.get_by_text("much", exact=True).tap()
    expect(page.locator("#saved")).to_have_text("offline, kept here")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    assert is_within(page, "#saved")
    page.context.set_offline(False)
    saved(page)


def test_on_a_phone_long_texts_are_compared_without_scrolling_through_them(first_of, new_context):
    texts = [OutputRow(system=system, document="d1", text=long_text("en") + system) for system in SYSTEMS]
    materials = replace(
        long_materials(documents=1), outputs=tuple(texts), systems=tuple(SystemRow(id=one) for one in SYSTEMS)
    )
    criteria = [{"name": "fluency"}, {"name": "adequacy"}]
    study = make_study({**PAIRS, "beside": "source", "criteria": criteria}, materials=materials, assessors=1)
    context = new_context(has_touch=True, is_mobile=True)
    _, page = first_of(study, context=context)
    for size in (ACROSS, NARROW):
        page.set_viewport_size(size)
        assert is_within(page, ".criterion.current .choice-button")
        assert is_within(page, "[data-primary]")
        expect(page.locator(".criterion:visible")).to_have_count(1)
    # From text to text, and back to where one was reading.
    ways = page.get_by_role("navigation", name="Go to a text").get_by_role("button")
    expect(ways).to_have_text(["Source", "A", "B"])
    ways.nth(2).tap()
    assert is_within(page, "#letter-1")
    page.evaluate("window.scrollBy(0, 700)")
    there = page.evaluate("window.scrollY")
    ways.nth(1).tap()
    assert is_within(page, "#letter-0")
    expect(ways.nth(1)).to_have_attribute("aria-current", "true")
    ways.nth(2).tap()
    assert page.evaluate("window.scrollY") == there
    # An answer leads to the next question.
    page.get_by_role("group", name="Fluency").get_by_text("B is better").tap()
    page.get_by_role("group", name="Adequacy").get_by_text("A is better").tap()
    page.get_by_role("button", name="Submit").tap()
    page.wait_for_url("**/finished/")
    assert [choice["winner"] for choice in Judgment.objects.get().answer["choices"].values()] == [1, 0]


def test_sixty_units_are_graded_where_they_stand(first_of):
    _, page = first_of(long_study({**SEE, "quality": False, "advance": True}))
    for unit in range(3):
        page.keyboard.press("a")
        beside = page.locator("[data-scale='grades']").bounding_box()
        row = page.locator(f"[data-step='units.{unit}']").bounding_box()
        assert 0 <= beside["y"] - row["y"] - row["height"] < 60
        page.keyboard.press("3")
        expect(page.locator(f"[data-step='units.{unit + 1}']")).to_have_attribute("aria-current", "step")
    expect(page.locator("[data-unit-place]")).to_have_text("Unit 4 of 60 · 3 done")
    expect(page.locator("#live")).to_have_text("most. Unit 4 of 60")
    # Unit bq: beyond a … z and aa … az, by the two letters of its name; it is scrolled to, and said.
    page.keyboard.press("Shift+B")
    page.keyboard.press("q")
    far = page.locator("[data-peer='68']")
    expect(far).to_have_attribute("aria-pressed", "true")
    expect(far).to_be_in_viewport(ratio=1)
    expect(page.locator("#live")).to_have_text("bq marked")
    # What a unit is marked for lights up, under the pointer and by keyboard.
    page.locator("[data-peer='0'] [data-partner='1']").hover()
    expect(page.locator("[data-step='units.1']")).to_have_class("unit done partner")
    page.locator("[data-peer='0']").focus()
    expect(page.locator(".unit.partner")).to_have_count(3)
    # A text that is dragged over is selected, and not marked.
    box = page.locator("[data-peer='1'] .unit-text").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 10, steps=5)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()").startswith("Engineers")
    expect(page.locator("[data-peer='1']")).to_have_attribute("aria-pressed", "false")
    page.set_viewport_size(HUGE)
    left = page.locator(".peer .units").bounding_box()
    assert left["x"] > 100, "the text stands in the middle of its column"


def test_texts_and_scales_of_arabic_run_from_right_to_left(first_of):
    _, page = first_of(long_study(SLIDER, language="ar", whole=True))
    track = page.locator(".track").bounding_box()
    page.mouse.click(track["x"] + track["width"] * 0.9, track["y"] + 3)
    expect(page.locator(".slider-value")).to_have_text("10")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".slider-value")).to_have_text("11")


def test_a_page_stands_between_the_parts_and_the_end_says_what_was_done(first_of, check_access):
    tasks = (SUMMEVAL, {**SEE, "quality": False})
    given = (practice("quality"),)
    _, page = first_of(make_study(*tasks, documents=2, systems=("qx31",), assessors=1, practice=given))
    expect(page.locator(".bar progress")).to_have_attribute("max", "1")
    for key in ("5", "5", "5", "5", "Enter"):
        page.keyboard.press(key)
    part = page.get_by_role("dialog", name="Now it counts")
    expect(part).to_contain_text("1 item")
    for key in ("F1", "h"):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name="Instructions")).to_contain_text("Judge well.")
        page.keyboard.press("Escape")
        expect(part).to_be_visible()
    begin_part(page)
    page.keyboard.press("h")
    over = page.get_by_role("dialog", name="Instructions")
    expect(over).to_contain_text("Judge well.")
    page.keyboard.press("Escape")
    for key in ("5", "5", "5", "5", "Enter"):
        page.keyboard.press(key)
    part = page.get_by_role("dialog", name="Next: Coverage")
    expect(part).to_contain_text("grade: more is higher")
    expect(part.locator("dt").first.locator("kbd")).to_have_text(["0", "4"])
    check_access(page, "between two parts")
    page.wait_for_timeout(500)  # the Enter of the submit is not heard here
    page.keyboard.press("Enter")
    expect(part).to_be_hidden()
    for number in (2, 3):
        expect(page.locator("#item")).to_have_attribute("data-place", f"Item {number} of 3")
        ready(page)
        for key in ("0", "Enter", "0", "Enter"):
            page.keyboard.press(key)
    expect(page.get_by_text("Coverage: 2 items")).to_be_visible()
    assert Judgment.objects.count() == 4


def test_text_size_and_line_spacing_are_kept(first_of):
    _, page = first_of(make_study(ONE))
    size = "getComputedStyle(document.querySelector('.pane.text .reading')).fontSize"
    before = page.evaluate(size)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Larger text").click()
    page.get_by_role("button", name="Lines wider").click()
    assert page.evaluate(size) == "20px" != before
    page.reload()
    ready(page)
    assert page.evaluate(size) == "20px"


@pytest.mark.parametrize(("language", "task"), [("ja", SUMMEVAL), ("ar", SEE)], ids=["ja", "ar"])
def test_long_pages_at_200_and_400_percent(first_of, check_access, language, task):
    """A zoomed window is a smaller one: 1280 × 1024 at 200 % and 400 %."""
    _, page = first_of(long_study(task, language=language, whole=task is SUMMEVAL))
    for zoomed in ({"width": 640, "height": 512}, {"width": 320, "height": 256}):
        page.set_viewport_size(zoomed)
        assert page.evaluate("document.documentElement.scrollWidth") <= zoomed["width"]
        page.locator("[data-primary]").scroll_into_view_if_needed()
        assert is_within(page, "[data-primary]")
    check_access(page, language)
