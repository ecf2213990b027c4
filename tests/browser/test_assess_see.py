"""The SEE page: marks, grades, quality, in all its variants, by keys, on wide and narrow screens."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from tests.browser.conftest import NARROWEST, intercept, ready, saved
from tests.studies import SEE, make_study, study_file

pytestmark = pytest.mark.django_db(transaction=True)


def with_texts(task: dict, *, peer: tuple[str, ...], model: tuple[str, ...], language: str = "en"):
    """A study on these units alone."""
    materials = study_file(task).materials
    materials = replace(
        materials,
        outputs=tuple(row.model_copy(update={"units": peer}) for row in materials.outputs),
        references=tuple(row.model_copy(update={"units": model}) for row in materials.references),
    )
    return make_study(task, materials=materials, language=language)


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def submitted(page: Page) -> dict:
    """Submit what is complete; the stored answer."""
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    return Judgment.objects.get().answer


def test_every_unit_is_marked_and_graded_with_its_own_marks(first_of):
    _, page = first_of(make_study(SEE))
    press(page, "a b 3 Enter 0 Enter 4 3 2")
    answer = submitted(page)
    assert answer["units"] == [{"marks": [0, 1], "grade": 0.75}, {"marks": [], "grade": 0.0}]
    assert answer["quality"] == {"grammaticality": 1.0, "cohesion": 0.75, "coherence": 0.5}


def test_marks_are_underlined_and_units_of_the_model_show_their_state(first_of):
    _, page = first_of(make_study(SEE))
    page.locator("[data-peer='0']").click()
    underline = "getComputedStyle(document.querySelector('[data-peer=\"0\"] .unit-text')).textDecorationLine"
    assert page.evaluate(underline) == "underline"
    page.get_by_role("button", name="most").click()
    page.locator("[data-primary]").click()
    expect(page.locator("[data-step='units.0'] .grade")).to_have_text("most")
    expect(page.locator("[data-step='units.0'] .state")).to_have_text("✓")
    expect(page.locator("[data-step='units.1']")).to_have_attribute("aria-current", "step")
    assert page.evaluate(underline) == "none"
    expect(page.locator("[data-peer='0'] .elsewhere")).to_have_text("→ 1")


def test_one_can_go_back_to_any_unit_before_submitting(first_of):
    _, page = first_of(make_study(SEE))
    press(page, "a 1 Enter b 1 Enter 1 1 1")
    page.locator("[data-step='units.0']").click()
    press(page, "a b 1")
    assert submitted(page)["units"][0] == {"marks": [1], "grade": 0.25}


def test_arrows_move_through_peer_units_and_space_marks(first_of):
    _, page = first_of(make_study(SEE))
    press(page, "ArrowRight ArrowRight Space")
    expect(page.locator("[data-peer='1']")).to_be_focused()
    expect(page.locator("[data-peer='1']")).to_have_attribute("aria-pressed", "true")
    press(page, "ArrowLeft Space ArrowRight Space")
    expect(page.locator("[data-peer='0']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-peer='1']")).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("Enter", "Grade unit 1: mark what matches it, or choose none."),
        ("a Enter", "Grade unit 1."),
        ("a 0 Enter", "You marked units for unit 1 but graded it none."),
        ("2 Enter", "Mark the peer units that match unit 1, or grade it none."),
    ],
)
def test_what_does_not_fit_together_is_named_and_keeps_one_there(first_of, keys, message):
    _, page = first_of(make_study(SEE))
    press(page, keys)
    expect(page.locator("#hint.problem")).to_contain_text(message)
    expect(page.locator("#live")).to_contain_text(message)
    expect(page.locator("[data-step='units.0']")).to_have_attribute("aria-current", "step")
    assert not Judgment.objects.exists()


def test_the_server_s_word_on_what_is_missing_is_shown_where_it_belongs(first_of):
    """The page's own checks are a courtesy; what counts is the server's."""
    _, page = first_of(make_study(SEE))

    def spoiled(route):
        sent = route.request.post_data_json
        sent["answer"]["units"][1]["grade"] = None
        route.continue_(post_data=sent)

    intercept(page, "**/judgment/", spoiled)
    press(page, "a 1 Enter 0 Enter 1 1 1 Enter")
    expect(page.locator("#hint.problem")).to_contain_text("Grade unit 2")
    expect(page.locator("[data-step='units.1']")).to_be_focused()
    page.unroute("**/judgment/")
    assert submitted(page)["units"][1] == {"marks": [], "grade": 0.0}


def test_the_scale_of_2002_has_six_grades_on_digits(first_of):
    _, page = first_of(make_study({**SEE, "scale": "duc2002", "quality": False}))
    expect(page.locator("[data-scale='grades'] .key")).to_have_text(["0", "1", "2", "3", "4", "5"])
    press(page, "a 4 Enter a 1")
    assert [unit["grade"] for unit in submitted(page)["units"]] == [0.8, 0.2]


def test_in_2004_the_model_is_judged_as_a_whole(first_of):
    _, page = first_of(make_study({**SEE, "variant": "duc2004", "quality": False}))
    press(page, "a b 2")
    answer = submitted(page)
    assert (answer["units"], answer["marks"], answer["coverage"]) == ([], [0, 1], 0.5)


def test_the_question_on_unmarked_units_names_them_and_is_dropped_when_there_are_none(first_of):
    _, page = first_of(make_study({**SEE, "related": True, "quality": False}))
    press(page, "a 1 Enter 0 Enter")
    expect(page.locator("#question")).to_contain_text("unmarked units")
    expect(page.locator("#hint")).to_have_text("Unmarked: b")
    expect(page.locator("[data-label]")).to_have_text("Next")
    press(page, "ArrowUp b 2")
    expect(page.locator("[data-label]")).to_have_text("Submit")
    assert submitted(page)["related"] is None


def test_units_beyond_z_are_marked_with_shift(first_of):
    peer = tuple(f"Unit {number}." for number in range(30))
    _, page = first_of(with_texts(SEE, peer=peer, model=("One.",)))
    expect(page.locator("[data-peer='27'] .key")).to_have_text("ab")
    press(page, "Shift+B")
    expect(page.locator("[data-peer='27']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-peer='1']")).to_have_attribute("aria-pressed", "false")
    # H marks a unit here, and F1 opens the instructions over the page.
    press(page, "h")
    expect(page.locator("[data-peer='7']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("dialog[open]")).to_have_count(0)
    press(page, "F1")
    expect(page.get_by_role("dialog", name="Instructions")).to_contain_text("Judge well.")
    press(page, "Escape")
    expect(page.locator("[data-peer='7']")).to_have_attribute("aria-pressed", "true")


def test_single_keys_can_be_switched_off(first_of):
    _, page = first_of(make_study(SEE))
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.get_by_label("act on the page").uncheck()
    press(page, "Escape a 1 ?")
    expect(page.locator("[data-peer='0']")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".choice-button[aria-pressed='true']")).to_have_count(0)
    expect(page.locator("dialog[open]")).to_have_count(0)
    press(page, "ArrowDown")
    expect(page.locator("[data-step='units.1']")).to_have_attribute("aria-current", "step")


def test_on_a_narrow_screen_the_current_unit_and_the_grades_stay_in_view(first_of):
    peer = tuple(f"Sentence number {number} of a rather long text. " * 2 for number in range(20))
    _, page = first_of(with_texts(SEE, peer=peer, model=("First of the model.", "Second of the model.")))
    page.set_viewport_size(NARROWEST)
    page.locator("[data-peer='19']").click()
    page.get_by_role("button", name="some").click()
    page.locator("[data-primary]").click()
    expect(page.locator("[data-peer='19']")).to_be_in_viewport()
    expect(page.get_by_text("Second of the model.")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="none")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("First of the model.")).to_be_hidden()
    page.locator("[data-fold]").click()
    page.locator("[data-step='units.0']").click()
    expect(page.get_by_text("First of the model.")).to_be_in_viewport(ratio=1)


def test_the_current_unit_is_kept_in_view_on_a_wide_screen(first_of):
    model = tuple(f"Sentence number {number} of a long model. " * 3 for number in range(30))
    _, page = first_of(with_texts(SEE, peer=("One.",), model=model))
    for _ in range(20):
        page.keyboard.press("ArrowDown")
    expect(page.locator("[data-step='units.20']")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="hardly any")).to_be_in_viewport(ratio=1)


def test_texts_are_shown_as_data_with_their_direction_and_line_breaks(first_of):
    peer = ("<b>bold</b> & <script>alert(1)</script>", "Two\nlines")
    study = with_texts(SEE, peer=peer, model=("قال أطباء في ليدز.", "W" * 400), language="ar")
    _, page = first_of(study)
    texts = page.locator(".peer .unit-text")
    expect(texts.nth(0)).to_have_text(peer[0])
    heights = [texts.nth(number).bounding_box()["height"] for number in (0, 1)]
    assert heights[1] > 1.8 * heights[0]
    arabic = page.locator(".model .unit-text").first
    assert arabic.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    expect(arabic).to_have_attribute("lang", "ar")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_nothing_moves_when_a_mark_or_a_grade_appears(first_of):
    _, page = first_of(make_study(SEE))

    def boxes():
        return page.locator(".unit-text, .choice-button, [data-primary]").evaluate_all(
            "(nodes) => nodes.map((node) => JSON.stringify(node.getBoundingClientRect()))"
        )

    before = boxes()
    press(page, "a 1")
    saved(page)
    assert boxes() == before


def test_an_earlier_item_can_be_revised_where_the_study_allows_it(first_of):
    assessor, page = first_of(make_study({**SEE, "quality": False}, revise=True))
    press(page, "a 4 Enter 0 Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Earlier items").click()
    page.get_by_role("link", name="Item").first.click()
    ready(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Earlier item")
    press(page, "ArrowUp 2 Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    stored = Judgment.objects.filter(assignment__assessor=assessor).order_by("revision")
    assert [judgment.answer["units"][0]["grade"] for judgment in stored] == [1.0, 0.5]


def test_the_next_item_comes_in_place_and_scrolled_to_its_top(first_of):
    model = tuple(f"Sentence number {number} of a long model. " * 3 for number in range(30))
    _, page = first_of(with_texts({**SEE, "quality": False}, peer=("One.",), model=model))
    page.evaluate("window.stayed = true")
    for _ in model:
        press(page, "0 Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    ready(page)
    assert page.evaluate("window.stayed")
    assert page.evaluate("document.querySelector('.model').scrollTop") == 0
    assert page.title().startswith("Item 2 of 2")
    assert page.url.endswith(f"/item/{_current(page)}/")
    expect(page.locator("#main")).to_be_focused()


def _current(page: Page) -> str:
    return page.evaluate("JSON.parse(document.getElementById('item-urls').textContent).submit").split("/")[-3]
