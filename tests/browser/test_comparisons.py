"""Comparisons in a browser: two texts, a ranking, best and worst; by mouse, by keyboard alone, by touch; any script."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.browser.conftest import NARROW, place, ready, saved
from tests.conftest import ROOT
from tests.studies import make_study, study_file

pytestmark = pytest.mark.django_db(transaction=True)
FOUR = ("qx31", "wv77", "hm02", "ty45")
# Where the first letter and the full stop of a line stand that is added to a text.
ENGLISH_LINE = """element => {
  const line = element.appendChild(document.createTextNode("\\nThe end."));
  return [1, line.length - 1].map((at) => {
    const range = document.createRange();
    range.setStart(line, at);
    range.setEnd(line, at + 1);
    return range.getBoundingClientRect().x;
  });
}"""


def comparison(kind: str, *, systems: tuple[str, ...] = FOUR, documents: int = 1, **config):
    return make_study(
        {"kind": kind, "name": "best", **config}, systems=systems, documents=documents, assessors=1
    )


def answers() -> list[dict]:
    return [judgment.answer for judgment in Judgment.objects.order_by("pk")]


def judged(page: Page, number: int) -> None:
    """So many answers are with the server, and the page has gone on."""
    expect(page.locator("#saved, .code-card, h1").first).to_be_visible()
    for _ in range(100):
        if Judgment.objects.count() == number:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{Judgment.objects.count()} judgments, and {number} were expected")


def pressed(page: Page) -> list[str]:
    """The words on buttons that are pressed, without their keys."""
    return [words.split("\n")[0] for words in page.locator("[aria-pressed=true]").all_inner_texts()]


# --- two texts ----------------------------------------------------------------------------------------------------


def test_a_preference_by_keyboard_alone(first_of):
    _, page = first_of(comparison("pairwise", systems=FOUR[:2], documents=2))
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem")).to_have_text("Say which is better, or that they are equal.")
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="B is better")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("0")
    saved(page)
    page.reload()
    ready(page)
    expect(page.get_by_role("button", name="They are equal")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("1")
    before = place(page)
    page.keyboard.press("Enter")
    expect(page.locator("#item")).not_to_have_attribute("data-place", before)
    assert answers() == [{"reason": "", "choices": {"preference": {"winner": 0, "tie": "", "strength": 0}}}]


def test_a_preference_by_mouse_with_strength_two_questions_and_a_reason(first_of, check_access):
    criteria = [{"name": "fluency", "question": "Which reads better?"}, {"name": "adequacy"}]
    study = comparison("pairwise", systems=FOUR[:2], strength=2, criteria=criteria, reason="required")
    _, page = first_of(study)
    fluency = page.get_by_role("group", name="Fluency")
    fluency.get_by_role("button", name="A is much better").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".hint.problem")).to_have_text(
        "Adequacy: Say which is better, or that they are equal."
    )
    check_access(page, "a preference with two questions")
    page.get_by_role("group", name="Adequacy").get_by_role("button", name="B is better").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#hint-reason")).to_have_text("Give the reason in a sentence.")
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.type("Shorter, 1 of 2.")  # digits go into the sentence
    page.keyboard.press("Enter")
    judged(page, 1)
    assert answers() == [
        {
            "reason": "Shorter, 1 of 2.",
            "choices": {
                "fluency": {"winner": 0, "tie": "", "strength": 2},
                "adequacy": {"winner": 1, "tie": "", "strength": 1},
            },
        }
    ]


def test_differences_are_shown_by_a_key_and_leave_the_text_as_it_is(first_of):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "pairwise"))
    _, page = first_of(study)
    texts = page.locator("[data-text]")
    before = texts.all_text_contents()
    assert page.locator("mark").count() == 0
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Differences")).to_have_attribute("aria-pressed", "true")
    assert page.locator("mark").count() > 0
    assert texts.all_text_contents() == before
    assert texts.first.evaluate("element => getComputedStyle(element).direction") == "rtl"
    page.keyboard.press("d")
    assert page.locator("mark").count() == 0
    assert texts.all_text_contents() == before
    # Every line goes its own way: an English one within an Arabic text ends at its right.
    first, last = texts.first.evaluate(ENGLISH_LINE)
    assert first < last


def test_a_preference_by_touch_survives_a_killed_tab_and_is_undone(come_in, new_context):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "pairwise"))
    study_open(study=study)
    context = new_context(has_touch=True, is_mobile=True)
    page = come_in(study.assessors.select_related("study").first(), context=context)
    page.set_viewport_size(NARROW)
    assert page.locator("[data-text]").first.evaluate("node => getComputedStyle(node).direction") == "rtl"
    choice = page.locator(".choices .choice-button").last
    choice.tap()
    expect(choice).to_have_attribute("aria-pressed", "true")
    saved(page)
    address, chosen = page.url, pressed(page)
    page.close()
    page = context.new_page()
    page.goto(address)
    ready(page)
    assert pressed(page) == chosen
    for row in page.locator(".criterion").all():
        row.locator(".choice-button").first.tap()
    before = place(page)
    page.get_by_role("button", name="Submit").tap()
    expect(page.locator("#item")).not_to_have_attribute("data-place", before)
    page.locator("#undo").get_by_role("button").tap()
    expect(page.locator("#item")).to_have_attribute("data-place", "Earlier item")
    ready(page)
    assert page.url == address
    assert len(pressed(page)) == page.locator(".criterion").count()


# --- ranking ------------------------------------------------------------------------------------------------------


def test_a_ranking_by_keyboard_alone(first_of, check_access):
    _, page = first_of(comparison("ranking", sets={"size": 4}))
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.keyboard.press("1")
    expect(page.locator("[data-order]")).to_have_text("A = C > B")
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem")).to_have_text("D has no rank.")
    check_access(page, "a ranking")
    page.keyboard.press("2")
    expect(page.locator("[data-order]")).to_have_text("A = C > D > B")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("3")
    expect(page.locator("[data-order]")).to_have_text("A > D > C > B")
    page.keyboard.press("Enter")
    judged(page, 1)
    assert answers() == [{"reason": "", "ranks": {"rank": [1, 4, 3, 2]}}]


def test_a_ranking_by_mouse_with_letters_dragged_into_tiers(first_of):
    _, page = first_of(comparison("ranking", sets={"size": 4}, ties=False))
    for letter, tier in (("A", 2), ("B", 1), ("C", 2)):
        drag(page, letter, tier)
    page.get_by_role("button", name="D: rank 4").click()
    expect(page.locator("[data-order]")).to_have_text("B > A = C > D")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".hint.problem")).to_have_text("A and C share rank 2; give them different ranks.")
    drag(page, "C", 3)
    page.get_by_role("button", name="Submit").click()
    judged(page, 1)
    assert answers() == [{"reason": "", "ranks": {"rank": [2, 1, 3, 4]}}]


def drag(page: Page, letter: str, tier: int) -> None:
    chip = page.locator(".chip", has_text=letter).bounding_box()
    goal = page.locator(f".tier[data-tier='{tier}']").bounding_box()
    page.mouse.move(chip["x"] + chip["width"] / 2, chip["y"] + chip["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2, steps=4)
    expect(page.locator(".tier.over")).to_have_count(1)
    page.mouse.up()


def test_five_texts_in_chinese_by_touch_one_below_the_other(come_in, new_context):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "ranking"))
    study_open(study=study)
    context = new_context(has_touch=True, is_mobile=True)
    page = come_in(study.assessors.select_related("study").first(), context=context)
    page.set_viewport_size(NARROW)
    tops = [member.bounding_box()["y"] for member in page.locator(".member").all()]
    assert tops == sorted(set(tops)), "one below the other"
    size = len(tops)
    for number in range(size):
        page.locator(".member").nth(number).locator(".choice-button").nth(number // 2).tap()
    expect(page.locator("[data-order]")).to_have_text(" > ".join(["A = B", "C = D", "E"][: (size + 1) // 2]))
    before = place(page)
    page.get_by_role("button", name="Submit").tap()
    expect(page.locator("#item")).not_to_have_attribute("data-place", before)
    assert answers()[0]["ranks"]["rank"] == [1, 1, 2, 2, 3][:size]


# --- best and worst -----------------------------------------------------------------------------------------------


def test_best_and_worst_by_keyboard_alone(first_of, check_access):
    _, page = first_of(comparison("best_worst"))
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem")).to_have_text("Choose the worst.")
    page.keyboard.down("Shift")
    for _ in range(2):
        page.keyboard.down("Digit2")  # held down, it says the same once
    page.keyboard.up("Digit2")
    page.keyboard.up("Shift")
    expect(page.locator("[data-order]")).to_have_text("Best –, worst B")
    check_access(page, "best and worst")
    # The same key on a French keyboard, which types digits with Shift.
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '\"', code: 'Digit3', bubbles: true}))"
    )
    expect(page.locator("[data-order]")).to_have_text("Best C, worst B")
    page.keyboard.press("4")
    expect(page.locator("[data-order]")).to_have_text("Best D, worst B")
    page.keyboard.press("Enter")
    judged(page, 1)
    assert answers() == [{"reason": "", "best": {"choice": 3}, "worst": {"choice": 1}}]


def test_best_and_worst_by_mouse_survive_a_reload(first_of):
    _, page = first_of(comparison("best_worst"))
    page.get_by_role("button", name="C: best").click()
    page.get_by_role("button", name="A: worst").click()
    page.get_by_role("button", name="A: best").click()
    assert pressed(page) == ["Best"], "choosing one clears the other on that text"
    page.get_by_role("button", name="D: worst").click()
    saved(page)
    page.reload()
    ready(page)
    assert pressed(page) == ["Best", "Worst"]
    page.get_by_role("button", name="Submit").click()
    judged(page, 1)
    assert answers() == [{"reason": "", "best": {"choice": 0}, "worst": {"choice": 3}}]


def test_best_and_worst_by_touch_in_two_tabs(first_of, new_context):
    context = new_context(has_touch=True, is_mobile=True)
    _, page = first_of(comparison("best_worst", documents=2), context=context)
    page.set_viewport_size(NARROW)
    other = context.new_page()
    other.goto(page.url)
    ready(other)
    for tab, best, worst in ((page, "B", "D"), (other, "A", "C")):
        tab.get_by_role("button", name=f"{best}: best").tap()
        tab.get_by_role("button", name=f"{worst}: worst").tap()
        expect(tab.locator("[data-order]")).to_have_text(f"Best {best}, worst {worst}")
    before = place(page)
    page.get_by_role("button", name="Submit").tap()
    expect(page.locator("#item")).not_to_have_attribute("data-place", before)
    other.get_by_role("button", name="Submit").tap()
    expect(other.locator("#word")).to_contain_text("You have judged this item already")
    assert answers() == [{"reason": "", "best": {"choice": 1}, "worst": {"choice": 3}}]


# --- long texts ---------------------------------------------------------------------------------------------------


def test_a_long_source_has_the_height_that_short_texts_leave_and_on_a_phone_no_more_than_its_share(first_of):
    file = study_file(
        {"kind": "ranking", "name": "best", "beside": "source", "sets": {"size": 8}},
        systems=tuple(f"system{number}" for number in range(8)),
        documents=1,
        assessors=1,
    )
    (document,) = file.materials.documents
    long = document.model_copy(update={"units": None, "text": "A word more. " * 1000})
    materials = replace(file.materials, documents=(long,))
    _, page = first_of(study_import(study_file=replace(file, materials=materials)))
    page.set_viewport_size({"width": 1280, "height": 1000})
    above, texts = (page.locator(part).bounding_box()["height"] for part in (".above", ".set"))
    assert above > 400
    assert texts > 400, "all that eight short texts need"
    for digit in range(1, 9):
        page.keyboard.press(str(digit))
    order = page.locator("[data-order]")
    expect(order).to_have_text("A > B > C > D > E > F > G > H")
    assert order.evaluate("node => node.scrollWidth <= node.clientWidth"), "all of it is to be read"
    for small in (NARROW, {"width": 844, "height": 390}):
        page.set_viewport_size(small)
        page.evaluate("window.scrollTo(0, 0)")
        expect(page.locator(".member h2").first).to_be_in_viewport(ratio=1)


def test_long_texts_scroll_together_with_letters_and_buttons_in_sight(first_of):
    file = study_file({"kind": "best_worst", "name": "best"}, systems=FOUR, documents=1, assessors=1)
    outputs = tuple(
        row.model_copy(update={"units": None, "text": f"Text {number}. " + "A word more. " * 1000})
        for number, row in enumerate(file.materials.outputs)
    )
    _, page = first_of(
        study_import(study_file=replace(file, materials=replace(file.materials, outputs=outputs)))
    )
    page.locator(".set").evaluate("element => element.scrollBy(0, 2000)")
    tops = {round(box.bounding_box()["y"]) for box in page.locator("[data-text]").all()}
    assert len(tops) == 1
    assert tops.pop() < -1000
    for number in range(4):
        expect(page.locator(".member h2").nth(number)).to_be_in_viewport()
        expect(page.locator(".member .choice-button").nth(2 * number)).to_be_in_viewport()
    # One below the other, the letter stands under the bar.
    page.set_viewport_size(NARROW)
    page.locator(".member").nth(1).evaluate("node => window.scrollTo(0, node.offsetTop + 900)")
    letter = page.locator(".member h2").nth(1).bounding_box()
    bar = page.locator(".bar").bounding_box()
    assert bar["height"] - 1 <= letter["y"] < 60
