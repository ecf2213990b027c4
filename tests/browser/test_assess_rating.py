"""The rating page: steps, sliders, what stands beside the text, and what is hidden until a first answer is confirmed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft, Judgment
from tests.browser.conftest import NARROWEST, intercept, ready, saved
from tests.studies import TIDES, make_study

pytestmark = pytest.mark.django_db(transaction=True)
REFERENCE = "First of d"


def rating(preset: str, **fields) -> dict:
    return {"kind": "rating", "name": "quality", "preset": preset, **fields}


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def values(page: Page) -> dict:
    """Submit what is complete; the stored values."""
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    return Judgment.objects.get().answer["values"]


def test_digits_go_to_the_first_unanswered_criterion_and_advance(first_of):
    _, page = first_of(make_study(rating("duc2005")))
    press(page, "5 4 3 2 1")
    stored = values(page)
    assert list(stored.values()) == [5.0, 4.0, 3.0, 2.0, 1.0]


def test_letters_of_2004_have_keys_of_their_own_and_seven_questions_are_asked(first_of):
    _, page = first_of(make_study(rating("duc2004")))
    press(page, "a b c d e a a")
    assert list(values(page).values()) == [1.0, 0.75, 0.5, 0.25, 0.0, 1.0, 1.0]


def test_an_answer_can_be_changed_by_moving_back_to_its_criterion(first_of):
    _, page = first_of(make_study(rating("summeval")))
    press(page, "5 5 5 5 ArrowUp ArrowUp 1 j 2")
    assert list(values(page).values()) == [5.0, 1.0, 2.0, 5.0]


def test_a_mouse_can_do_it_all(first_of):
    _, page = first_of(make_study(rating("summeval")))
    for name in ("Coherence", "Consistency", "Fluency", "Relevance"):
        page.get_by_role("radiogroup", name=name).get_by_text("very good").click()
    # Words and ground of a choice change in the same moment: else they are white on white for a while.
    chosen = page.locator(".choice-button:has(:checked)").first
    change = """(node) => {
        const look = () => { const { color, backgroundColor } = getComputedStyle(node); return [color, backgroundColor]; };
        const after = look();
        node.querySelector("input").checked = false;
        const before = look();
        node.querySelector("input").checked = true;
        return [before, look(), after];
    }"""
    before, at_once, after = chosen.evaluate(change)
    assert before != after == at_once
    page.locator("[data-primary]").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert set(Judgment.objects.get().answer["values"].values()) == {5.0}


def test_what_is_missing_is_named_and_focused(first_of):
    _, page = first_of(make_study(rating("summeval")))
    press(page, "5")
    page.locator("[data-primary]").click()
    row = page.get_by_role("radiogroup", name="Consistency")
    expect(row.locator(".hint.problem")).to_have_text("Rate consistency.")
    expect(row.locator("input").first).to_be_focused()
    expect(page.locator("#live")).to_have_text("Rate consistency.")


def test_answers_to_questions_use_the_steps_in_their_order(first_of):
    _, page = first_of(make_study(rating("qa-correctness")))
    expect(page.locator(".guideline")).to_contain_text("flooded")
    expect(page.locator(".choice-button .key")).to_have_text(["0", "1", "2"])
    # The question stands left of the answer.
    question, answer = (page.locator(f".pane.{name}").bounding_box() for name in ("context", "text"))
    assert question["x"] < answer["x"]
    press(page, "1")
    assert values(page) == {"correctness": 0.5}


def test_the_context_can_be_folded_and_gives_its_room_to_the_text(first_of):
    _, page = first_of(make_study(rating("summeval")))
    context = page.get_by_text("Long story of")
    expect(context).to_be_visible()
    before = page.locator(".pane.text").bounding_box()["width"]
    page.get_by_role("heading", name="Source").click()
    expect(context).to_be_hidden()
    assert page.locator(".pane.text").bounding_box()["width"] > 1.5 * before


# --- TIDES ---------------------------------------------------------------------------------------------------------


def test_the_reference_is_not_in_the_page_before_fluency_is_confirmed(first_of):
    _, page = first_of(make_study(TIDES))
    assert REFERENCE not in page.content()
    assert REFERENCE not in page.request.get(page.url).text()
    press(page, "4")
    saved(page)
    page.reload()
    ready(page)
    assert REFERENCE not in page.content()
    press(page, "Enter")
    expect(page.locator(".context")).to_contain_text(REFERENCE)


def test_a_slip_of_the_key_can_be_mended_before_confirming_and_not_after(first_of):
    _, page = first_of(make_study(TIDES))
    press(page, "4 2 Enter")
    expect(page.locator(".context")).to_contain_text(REFERENCE)
    fluency = page.get_by_role("radiogroup", name="Fluency")
    expect(fluency.get_by_role("radio", checked=True)).to_be_disabled()
    press(page, "5")
    expect(page.get_by_role("radiogroup", name="Adequacy").get_by_role("radio", name="all")).to_be_checked()
    assert values(page) == {"fluency": 2.0, "adequacy": 5.0}


def test_adequacy_waits_for_fluency(first_of):
    _, page = first_of(make_study(TIDES))
    expect(page.get_by_role("radiogroup", name="Adequacy").locator("input:enabled")).to_have_count(0)
    press(page, "Enter")
    expect(page.locator(".hint.problem")).to_have_text("Rate fluency.")
    assert not Draft.objects.filter(answer__confirmed=True).exists()


def test_nothing_moves_when_the_reference_is_revealed(first_of):
    _, page = first_of(make_study(TIDES))
    page.set_viewport_size({"width": 1280, "height": 900})  # in a lower one the questions come one at a time
    press(page, "4")
    saved(page)
    watched = ".text .reading, .choice-button, [data-primary]"
    measure = (
        "(nodes) => nodes.map((node) => [node.getBoundingClientRect().x, node.getBoundingClientRect().y])"
    )
    before = page.locator(watched).evaluate_all(measure)[:-1]
    press(page, "Enter")
    expect(page.locator(".context")).to_contain_text(REFERENCE)
    assert page.locator(watched).evaluate_all(measure)[:-1] == before


def test_a_revision_keeps_fluency_and_changes_adequacy_only(first_of):
    assessor, page = first_of(make_study(TIDES, revise=True))
    press(page, "4 Enter")
    expect(page.locator(".context")).to_contain_text(REFERENCE)
    ready(page)
    press(page, "5 Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    first = assessor.assignments.get(state="done")
    page.goto(f"/work/small/item/{first.public_id}/")
    ready(page)
    expect(page.get_by_role("radiogroup", name="Fluency").locator("input:enabled")).to_have_count(0)
    press(page, "1 Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    newest = first.judgments.order_by("-revision").first()
    assert newest.revision == 2
    assert newest.answer["values"] == {"fluency": 4.0, "adequacy": 1.0}


# --- sliders -------------------------------------------------------------------------------------------------------


@pytest.fixture
def slider_page(first_of) -> Page:
    _, page = first_of(make_study(rating("direct-assessment")))
    return page


def test_a_slider_has_no_thumb_and_no_value_until_touched(slider_page):
    page = slider_page
    expect(page.locator(".thumb")).to_be_hidden()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "not chosen yet")
    press(page, "Enter")
    expect(page.locator(".criterion .hint.problem")).to_have_text("Rate adequacy.")
    page.keyboard.press("Tab")
    expect(page.locator(".thumb")).to_be_hidden()
    assert not Judgment.objects.exists()


def test_a_slider_takes_a_typed_number_and_enter_ends_it_before_it_submits(slider_page):
    page = slider_page
    press(page, "7 5")
    expect(page.locator(".slider-value")).to_have_text("75")
    press(page, "Enter")
    for told in ("#live", "#hint"):
        expect(page.locator(told)).to_have_text("75. Enter again goes on.")
    assert not Judgment.objects.exists()
    assert values(page) == {"adequacy": 75.0}


def test_a_slider_takes_zero_as_an_answer(slider_page):
    press(slider_page, "0 Enter")
    assert values(slider_page) == {"adequacy": 0.0}


def test_a_slider_takes_clicks_and_drags(slider_page):
    page = slider_page
    box = page.locator(".track").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.click(box["x"] + box["width"] * 0.2, middle)
    expect(page.locator(".slider-value")).to_have_text("20")
    page.mouse.move(box["x"] + box["width"] * 0.2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=5)
    page.mouse.up()
    assert values(page) == {"adequacy": 60.0}


def test_a_slider_moves_by_one_and_by_ten(slider_page):
    page = slider_page
    page.get_by_role("slider").focus()
    press(page, "4 0 ArrowRight Shift+ArrowUp ArrowLeft ArrowLeft")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "49")
    press(page, "Home PageDown End")  # these scroll the text
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", "49")
    press(page, "Shift+End")
    expect(page.locator(".slider-value")).to_have_text("100")
    press(page, "Shift+Home")
    expect(page.locator(".slider-value")).to_have_text("0")


def test_on_a_narrow_screen_the_button_stays_in_view_and_labels_are_whole(first_of):
    _, page = first_of(make_study(rating("summeval")))
    page.set_viewport_size(NARROWEST)
    expect(page.locator("[data-primary]")).to_be_in_viewport(ratio=1)
    cut = page.locator(".choice-button").evaluate_all(
        "(nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.textContent)"
    )
    assert cut == []


def test_what_was_changed_after_a_confirmation_whose_reply_was_lost_is_not_shown_as_confirmed(first_of):
    _, page = first_of(make_study(TIDES))
    press(page, "4")
    saved(page)
    intercept(page, "**/draft/", lambda route: (route.fetch(), route.abort()))
    press(page, "Enter")
    expect(page.locator("#word")).to_contain_text("Offline")
    page.unroute("**/draft/")
    intercept(page, "**/draft/", lambda route: route.abort())
    press(page, "2")
    expect(page.locator("#saved")).to_have_text("offline, kept here")
    page.goto("about:blank")
    page.unroute("**/draft/")
    page.go_back()
    ready(page)
    expect(page.locator("[data-criterion=fluency] .hint")).to_have_text("Confirmed, and fixed now")
    assert Draft.objects.get().answer["values"]["fluency"] == 4
    expect(page.locator("[data-criterion=fluency] .choice-button:has(:checked)")).to_have_attribute(
        "data-grade", "4.0"
    )
