"""Error spans in a real browser: mouse, keys alone, fingers; scripts of all sorts; long documents; undo, killed and second tabs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from annotation.export import judgment_rows
from annotation.models import Draft, Judgment, Study
from annotation.services.studies import study_import, study_open
from annotation.services.work import assignment_next, draft_save
from annotation.study_files.schema import DocumentRow, OutputRow, PrefilledRow
from tests.browser.conftest import NARROW, intercept, ready, saved
from tests.studies import study_file

pytestmark = pytest.mark.django_db(transaction=True)

# Where a stretch of a text stands on the page, by code points.
BOX = """(element, [start, end]) => {
  const signs = [...element.textContent];
  const from = signs.slice(0, start).join("").length, to = signs.slice(0, end).join("").length;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = 0, begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue.length;
    if (!begun && from < at + length) { range.setStart(node, from - at); begun = true; }
    if (begun && to <= at + length) { range.setEnd(node, to - at); break; }
    at += length;
  }
  const box = range.getClientRects()[0];
  return { x: box.x, y: box.y, width: box.width, height: box.height };
}"""


def marked_study(sources: list[str], outputs: list[list[str]], prefilled: tuple = (), **config: Any) -> Study:
    """One document with one text for each list of units, for one assessor."""
    systems = ("qx31", "wv77")[: len(outputs)]
    task = {"kind": "error_spans", "name": "errors", **config}
    file = study_file(task, systems=systems, documents=1, assessors=1, prefilled=prefilled)
    materials = replace(
        file.materials,
        documents=(DocumentRow(id="d1", title="A document", units=tuple(sources)),),
        outputs=tuple(
            OutputRow(system=system, document="d1", units=tuple(units))
            for system, units in zip(systems, outputs, strict=True)
        ),
    )
    return study_import(study_file=replace(file, materials=materials))


def text(page: Page, unit: int, side: str = "output", place: int = 0) -> Locator:
    where = f"[data-place='{place}']" if side == "output" else ""
    return page.locator(f".cell[data-side={side}]{where}[data-unit='{unit}'] .span-text")


def middle(field: Locator, words: str) -> tuple[float, float]:
    """The middle of the words on the page."""
    start = field.text_content().index(words)
    box = field.evaluate(BOX, [start, start + len(words)])
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page: Page, field: Locator, word: str) -> None:
    page.mouse.click(*middle(field, word))


def tap(page: Page, field: Locator, word: str) -> None:
    field.scroll_into_view_if_needed()
    page.touchscreen.tap(*middle(field, word))


def drag(page: Page, field: Locator, first: str, last: str) -> None:
    page.mouse.move(*middle(field, first))
    page.mouse.down()
    page.mouse.move(*middle(field, last), steps=5)
    page.mouse.up()


def category(page: Page, typed: str) -> None:
    """Type into the search of the box, and take the first."""
    expect(page.locator(".box-search")).to_be_focused()
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    expect(page.locator("#span-box")).not_to_be_visible()


def errors(page: Page) -> list[str]:
    return [" ".join(words.split()) for words in page.locator(".error-button").all_inner_texts()]


def judged(page: Page, number: int = 1) -> dict[str, Any]:
    for _ in range(100):
        if Judgment.objects.count() == number:
            return Judgment.objects.latest("pk").answer
        page.wait_for_timeout(100)
    raise AssertionError(f"{Judgment.objects.count()} judgments, and {number} were expected")


def spans(answer: dict[str, Any], place: int = 0) -> list[list[tuple]]:
    """Unit by unit: side, parts, severity and category of the errors."""
    return [
        [(span["side"], span["parts"], span["severity"], span["category"]) for span in unit["spans"]]
        for unit in answer["outputs"][place]["units"]
    ]


# --- by mouse -----------------------------------------------------------------------------------------------------------


def test_errors_by_mouse_in_arabic_chinese_and_emoji_with_undo_and_a_killed_tab(first_of, check_access):
    sources = ["The ferry leaves at nine. 🚢", "Ask at the café.", "Black tea."]
    output = [
        "تغادر العبّارة الساعة السابعة.",
        "👩‍✈️ Frag im Cafe\u0301 nach, bitte.",
        "红茶要用开水；绿茶不用。",
    ]
    _, page = first_of(marked_study(sources, [output], preset="mqm", max_errors=2))
    arabic, latin, chinese = (text(page, unit) for unit in (1, 2, 3))
    assert arabic.evaluate("element => getComputedStyle(element).direction") == "rtl"

    # A double click takes a word, whichever way it runs.
    page.mouse.dblclick(*middle(arabic, "السابعة"))
    box = page.get_by_role("dialog", name="“السابعة”")
    expect(box).to_be_visible()
    check_access(page, "the box of an error")
    box.get_by_role("button", name="major").click()
    category(page, "mistr")
    # First and last word; a combining mark and a joined emoji are never cut.
    click(page, latin, "Cafe\u0301")
    click(page, latin, "nach")
    page.keyboard.press("2")
    category(page, "awk")
    drag(page, latin, "👩‍✈️", "Frag")
    page.keyboard.press("Escape")
    assert errors(page) == ["السابعة major · Mistranslation", "Cafe\u0301 nach minor · Awkward"], "dropped"
    # In Chinese a letter is a word.
    drag(page, chinese, "开", "水")
    page.get_by_role("dialog").get_by_role("button", name="minor").click()
    page.locator(".box-list li", has_text="Other").click()
    expect(page.get_by_label("Note")).to_be_focused()
    page.keyboard.type("Wasser, 2 Zeichen")
    page.keyboard.press("Enter")
    # What is missing, in the source and by the button; one too many is refused.
    drag(page, text(page, 3, "source"), "Black", "tea")
    page.keyboard.press("1")
    category(page, "omis")
    page.get_by_role("button", name="Unit 3: something is missing").click()
    expect(page.locator(".cell.problem .hint")).to_have_text("Keep the 2 most severe.")

    # A removal comes back, and goes again.
    page.locator(".error-button", has_text="开水").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".error-button", has_text="开水")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(".error-button", has_text="开水")).to_have_count(1)
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".error-button", has_text="开水")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    # A click on the words opens the box again; all of a unit takes the others away, until it is undone.
    click(page, latin, "Cafe\u0301")
    page.get_by_role("dialog").get_by_role("button", name="major").click()
    expect(page.locator(".error-button", has_text="Cafe\u0301")).to_contain_text("major")
    page.keyboard.press("Control+z")
    drag(page, latin, "Frag", "im")
    page.keyboard.press("2")
    category(page, "non-tr")
    expect(page.locator(".error-button.aside")).to_contain_text("Cafe\u0301 nach")
    page.keyboard.press("Control+z")
    expect(page.locator(".error-button.aside")).to_have_count(0)
    page.keyboard.press("Escape")
    while page.locator(".error-button", has_text="Frag im").count():
        page.keyboard.press("Control+z")
    check_access(page, "error spans")

    # The tab is killed: what was marked is there again.
    saved(page)
    before = errors(page)
    context = page.context
    address = page.url
    page.close()
    page = context.new_page()
    page.goto(address)
    ready(page)
    assert errors(page) == before
    page.get_by_role("button", name="Submit").click()
    answer = judged(page)
    assert spans(answer) == [
        [("output", [[22, 29]], "major", "Accuracy/Mistranslation")],
        [("output", [[13, 23]], "minor", "Style/Awkward")],
        [
            ("output", [[4, 6]], "minor", "Other"),
            ("source", [[0, 9]], "major", "Accuracy/Omission"),
        ],
    ]
    assert answer["outputs"][0]["units"][2]["spans"][0]["note"] == "Wasser, 2 Zeichen"


# --- by keys alone --------------------------------------------------------------------------------------------------------


def test_errors_by_keyboard_alone_with_suggestions_scores_and_what_is_missing(first_of):
    prefilled = (
        PrefilledRow(system="qx31", document="d1", unit=2, start=0, end=5, severity="minor"),
        PrefilledRow(system="qx31", document="d1", unit=2, severity="major"),
    )
    output = ["آخر عبّارة تغادر في التاسعة.", "Dogs 🐕 pay half."]
    study = marked_study(["The last ferry.", "Dogs pay."], [output], prefilled, preset="esa", confirm="each")
    _, page = first_of(study)
    live = page.locator("#live")
    # From wherever one is, arrows lead into the text, and from unit to unit.
    for key, unit in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        page.keyboard.press(key)
        expect(text(page, unit)).to_be_focused()
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem")).to_have_text("Unit 1: give it a score.")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('span-text')"):
            break
    expect(text(page, 1)).to_be_focused()
    # From right to left the next word stands left.
    page.keyboard.press("ArrowLeft")
    expect(live).to_have_text("آخر")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowRight")
    expect(live).to_have_text("عبّارة تغادر")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="“عبّارة تغادر”")).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("#span-box")).not_to_be_visible()
    expect(text(page, 1)).to_be_focused()
    # One letter more at a time, dropped again.
    page.keyboard.press("End")
    page.keyboard.press("Alt+ArrowRight")
    page.keyboard.press("Escape")
    expect(live).to_have_text("Dropped.")
    page.keyboard.press("m")
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("0")
    expect(page.get_by_role("slider", name="Score of unit 1")).to_have_attribute("aria-valuetext", "40")
    page.keyboard.press("Enter")
    expect(text(page, 2)).to_be_focused()

    # Every suggestion wants a key.
    expect(page.locator(".error-button.suggested")).to_have_count(2)
    page.keyboard.press("9")
    page.keyboard.press("0")
    page.get_by_role("button", name="Submit").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_contain_text(
        "Unit 2: “Dogs” was suggested; keep it, change it or remove it."
    )
    page.keyboard.press("Escape")
    for _ in range(10):
        page.keyboard.press("]")
        if "Dogs" in (page.evaluate("document.activeElement.textContent") or ""):
            break
    page.keyboard.press("k")
    expect(page.locator(".error-button", has_text="Dogs")).to_contain_text("kept")
    page.keyboard.press("]")
    page.keyboard.press("Delete")
    expect(page.locator(".error-button.suggested")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(".error-button.suggested")).to_have_count(1)
    page.keyboard.press("Control+y")
    page.get_by_role("button", name="Submit").focus()
    page.keyboard.press("Enter")
    answer = judged(page)
    assert spans(answer) == [
        [("output", [[4, 16]], "major", ""), ("missing", [], "minor", "")],
        [("output", [[0, 5]], "minor", "")],
    ]
    assert [unit["score"] for unit in answer["outputs"][0]["units"]] == [40, 90]
    assert answer["removed"] == [1]


# --- by fingers, side by side -----------------------------------------------------------------------------------------------


def test_two_texts_side_by_side_by_touch_with_an_error_put_in(first_of, new_context, check_access):
    sources = ["Tea needs water.", "It is very hot today."]
    outputs = [["红茶要用开水。", "今天很热。"], ["红茶要开水。", "今天真热啊。"]]
    study = marked_study(
        sources, outputs, preset="esa", sets={"size": 2}, preference=True, attention="inject"
    )
    context = new_context(has_touch=True, is_mobile=True)
    _, page = first_of(study, context=context)
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert page.locator(".cell-letter:visible").all_inner_texts() == ["A", "B", "A", "B"]
    expect(page.locator("#standing")).to_have_text(
        "0 of 4 units done · tap an error’s first and last word · 4 scores to give"
    )
    shown = [text(page, unit, place=place).text_content() for place in (0, 1) for unit in (1, 2)]
    true = {unit for units in outputs for unit in units}
    (altered,) = [words for words in shown if words not in true]
    place, unit = divmod(shown.index(altered), 2)
    field = text(page, unit + 1, place=place)
    tap(page, field, altered[0])
    expect(field.locator("mark.selecting")).to_have_text(altered[0])
    expect(page.locator("#hint")).to_contain_text("choose the last word")
    tap(page, field, altered[1])
    # The reply is lost: what the server has done already is followed, and not asked for again.
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost or '"confirm":true' not in (route.request.post_data or ""):
            return route.continue_()
        lost.append(str(route.fetch().status))
        return route.abort()

    intercept(page, "**/draft/", lose)
    page.get_by_role("dialog").get_by_role("button", name="major").tap()
    page.get_by_role("button", name="Try again").tap()
    expect(page.locator(".put-in:visible")).to_contain_text("and you found it")
    assert lost == ["200"]
    assert text(page, unit + 1, place=place).text_content() in true
    assert page.locator(".error-button").count() == 0
    check_access(page, "two texts side by side")
    page.set_viewport_size(NARROW)
    lines = page.locator("[data-edge=low] .tick-word").first.evaluate(
        "word => { const range = document.createRange(); range.selectNodeContents(word.firstChild); return range.getClientRects().length; }"
    )
    assert lines <= 2, "words of the scale have room"

    for slider in page.get_by_role("slider").all():
        slider.tap()
    # By keyboard what was not asked yet is asked, and each answer has its key.
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="A is better")).to_be_focused()
    expect(page.locator(".preference .hint")).to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator(".preference .hint")).to_have_text("Say which is better, or that they are equal.")
    page.keyboard.press("=")
    expect(page.get_by_role("button", name="They are equal")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="B is better").tap()
    page.get_by_role("button", name="Submit").tap()
    # A low score without errors is asked about, once.
    expect(page.locator(".cell.problem .hint")).to_contain_text("no errors?")
    page.get_by_role("button", name="Submit").tap()
    answer = judged(page)
    assert answer["preference"] == {"winner": 1, "tie": False}
    assert answer["injected"] == {"output": place, "unit": unit + 1, "found": True}


def test_shuffled_units_are_marked_where_they_stand_and_the_page_tells_no_column_apart(first_of):
    units = range(1, 5)
    outputs = [[f"The {word} line {unit} is here." for unit in units] for word in ("sober", "lively")]
    study = marked_study(
        [f"Source {unit}." for unit in units],
        outputs,
        severities=[{"name": "major", "weight": 5}],
        sets={"size": 2},
        shuffle="unit",
        omission="off",
    )
    _, page = first_of(study)
    shown = {
        (unit, place): text(page, unit, place=place).text_content() for unit in units for place in (0, 1)
    }
    assert [sum("sober" in shown[unit, place] for unit in units) for place in (0, 1)] == [2, 2]
    assert "qx31" not in page.content()
    click(page, text(page, 2, place=1), "line")
    click(page, text(page, 2, place=1), "line")
    page.get_by_role("dialog").get_by_role("button", name="major").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".cell.problem .hint")).to_have_text(
        "Unit 1 of A: mark errors or say there are none."
    )
    for unit in units:
        for place in (0, 1):
            if (unit, place) != (2, 1):
                page.locator(f".cell[data-place='{place}'][data-unit='{unit}']").get_by_role(
                    "button", name="No errors"
                ).click()
    page.get_by_role("button", name="Submit").click()
    answer = judged(page)
    assert [len(unit["spans"]) for unit in answer["outputs"][1]["units"]] == [0, 1, 0, 0]
    system = "qx31" if "sober" in shown[2, 1] else "wv77"
    (row,) = [row for row in judgment_rows(study) if row["criterion"] == "error"]
    start = shown[2, 1].index("line")
    assert (row["system"], row["place"], row["unit"]) == (system, 2, f"s1/2/{start}:{start + 4}")


def test_on_a_phone_the_box_leaves_its_words_in_sight_and_a_long_source_its_text(first_of, new_context):
    source = [f"Sentence {n} of the source goes on and on." for n in range(1, 200)]
    output = [f"Sentence {n} of the summary, which is not so long." for n in range(1, 5)]
    study = marked_study(source, [output], preset="mqm")
    _, page = first_of(study, context=new_context(has_touch=True, is_mobile=True))
    page.set_viewport_size(NARROW)
    last = text(page, 4)
    expect(text(page, 1)).to_be_in_viewport(ratio=1)
    last.evaluate("node => node.scrollIntoView({block: 'center'})")
    for _ in range(2):
        page.touchscreen.tap(*middle(last, "long"))
    box = page.locator("#span-box")
    expect(box).to_be_visible()
    mark = last.locator("mark.lit")
    assert mark.bounding_box()["y"] > 48
    assert mark.bounding_box()["y"] + mark.bounding_box()["height"] <= box.bounding_box()["y"]
    on_top = "box => document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).className"
    assert "lit" in page.evaluate(on_top, mark.bounding_box()), "nothing lies over the words"
    box.get_by_role("button", name="major").tap()
    page.locator(".box-list li", has_text="Other").tap()
    # The list has left its room to the note, and is there again when it is asked for.
    expect(page.get_by_label("Note")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("listbox")).not_to_be_visible()
    page.get_by_role("combobox").tap()
    assert page.get_by_role("option").count() > 20, "all of them"
    page.locator(".box-list li", has_text="Awkward").tap()
    expect(box).not_to_be_visible()
    assert errors(page) == ["long major · Awkward"]


def test_what_is_missing_from_the_source_names_the_texts_that_lack_it(first_of):
    outputs = [["A first text."], ["A second text."]]
    study = marked_study(["The whole source."], outputs, preset="esa", side="both", sets={"size": 2})
    _, page = first_of(study)
    drag(page, text(page, 1, "source"), "whole", "source")
    box = page.get_by_role("dialog", name="“whole source”")
    box.get_by_role("button", name="A", exact=True).click()
    # The keys go on where the mouse has been.
    page.keyboard.press("1")
    expect(box).not_to_be_visible()
    assert errors(page) == ["whole source major · B"]
    saved(page)
    assert [len(output["units"][0]["spans"]) for output in Draft.objects.get().answer["outputs"]] == [0, 1]


def swipe(page: Page, slider: Locator, share: float, by: tuple[float, float]) -> None:
    """A finger comes down on a slider, at a share of its width, and moves on."""
    box = slider.bounding_box()
    x, y = box["x"] + box["width"] * share, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    steps = 12

    def send(kind: str, *points: dict[str, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": x, "y": y})
    for step in range(1, steps + 1):
        send("touchMove", {"x": x + by[0] * step / steps, "y": y + by[1] * step / steps})
    send("touchEnd")


def test_scores_by_finger_and_by_digits_are_those_that_were_meant(first_of, new_context):
    """A finger that scrolls the page sets nothing, and a number goes to the text that has the focus, not to the last unit."""
    units = ["The ferry leaves at nine."] * 4
    study = marked_study(units, [units], preset="esa", document_score=True)
    _, page = first_of(study, context=new_context(has_touch=True, is_mobile=True))
    page.set_viewport_size(NARROW)
    slider = page.locator(".cell .slider").first
    swipe(page, slider, 0.3, (6, -110))
    page.wait_for_function("scrollY > 50")
    page.wait_for_timeout(800)  # a draft would be on its way
    expect(page.locator(".slider-value").first).to_have_text("–")
    assert not Draft.objects.exists()

    swipe(page, slider, 0.3, (60, 8))
    saved(page)
    dragged = Draft.objects.get().answer["outputs"][0]["units"][0]["score"]
    assert 40 < dragged < 65
    expect(page.locator(".slider-value").first).to_have_text(f"{dragged:g}")
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".slider-value").first).to_have_text("50")

    page.locator("[data-document] .slider").focus()
    page.keyboard.type("85")
    expect(page.locator(".slider-value")).to_have_text(["50", "–", "–", "–", "85"])


# --- long documents, two tabs ----------------------------------------------------------------------------------------------


def test_one_unit_after_the_other_in_two_tabs(first_of):
    units = [f"Sentence {n} has ten words." for n in range(1, 4)]
    _, page = first_of(marked_study(units, [units], preset="mqm", reveal="stepwise"))
    expect(page.locator(".line:visible")).to_have_count(1)
    go_on = page.locator("[data-primary]")
    go_on.click()
    expect(page.locator(".hint.problem")).to_have_text("Unit 1: mark errors or say there are none.")
    page.keyboard.press("n")
    expect(go_on).to_contain_text("Next unit")
    go_on.click()
    expect(text(page, 2)).to_be_focused()
    expect(page.locator(".hint.problem")).to_have_count(0)
    saved(page)
    # A second tab begins where the first has come to, and goes on by itself.
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    expect(other.locator(".line:visible")).to_have_count(2)
    drag(page, text(page, 2), "has", "words")
    page.keyboard.press("1")
    category(page, "gram")
    page.keyboard.press("Enter")
    expect(text(page, 3)).to_be_focused()
    expect(go_on).to_contain_text("Submit")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    answer = judged(page)
    assert spans(answer) == [[], [("output", [[11, 24]], "major", "Fluency/Grammar")], []]
    # It comes too late, and is told so.
    for unit in (2, 3):
        other.get_by_role("button", name=f"Unit {unit}: no errors").click()
        other.keyboard.press("Enter")
    expect(other.locator("#word")).to_contain_text("You have judged this item already")
    assert Judgment.objects.count() == 1


def test_the_end_of_a_document_of_three_thousand_words_is_reached_and_marked(come_in):
    units = [f"Sentence {n} has ten words, and it goes on and on." for n in range(1, 300)]
    first_piece_first = {"order": "fixed"}
    study = marked_study(
        units, [units], preset="mqm", window={"units": 280, "context": 2}, design=first_piece_first
    )
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assignment = assignment_next(assessor=assessor)
    done = {"outputs": [{"units": [{"none": True}] * 279 + [{}]}]}
    draft_save(assignment=assignment, revision=1, answer=done)
    page = come_in(assessor)
    assert page.locator(".line.context").count() == 2
    expect(page.locator("#standing")).to_contain_text("279 of 280 units done")
    page.keyboard.press("Enter")
    expect(page.locator(".hint.problem")).to_have_text("Unit 280: mark errors or say there are none.")
    last = text(page, 280)
    last.scroll_into_view_if_needed()
    click(page, last, "goes")
    click(page, last, "on")
    expect(page.locator("#span-box")).to_be_in_viewport()
    page.keyboard.press("3")
    category(page, "spell")
    page.get_by_role("button", name="Submit").click()
    found = spans(judged(page))
    assert found[-1] == [("output", [[35, 42]], "neutral", "Fluency/Spelling")]
    assert sum(map(len, found)) == 1


# --- other protocols --------------------------------------------------------------------------------------------------------


def test_categories_of_whole_sentences_and_a_question_about_each_error(first_of, check_access):
    study = marked_study(["A.", "B.", "C."], [["The mayor resigned.", "It rained."]], preset="factuality")
    _, page = first_of(study)
    check_access(page, "factual errors beside a source")
    cell = page.locator(".cell[data-unit='1'][data-side=output]")
    cell.get_by_role("button", name="EntE", exact=True).click()
    cell.get_by_role("button", name="RelE", exact=True).click()
    cell.get_by_role("button", name="RelE", exact=True).click()
    page.get_by_role("button", name="Unit 2: no errors").click()
    page.get_by_role("button", name="Submit").click()
    assert spans(judged(page)) == [[("output", [[0, 19]], "", "EntE")], []]


def test_hallucinations_are_asked_whether_they_are_true_and_words_can_be_added(first_of):
    study = marked_study(["A."], [["The mayor of Brod resigned in May."]], preset="hallucination")
    _, page = first_of(study)
    field = text(page, 1)
    # Three clicks take the unit, and the word that two of them took is not left behind.
    page.mouse.click(*middle(field, "mayor"), click_count=3)
    expect(page.get_by_role("dialog", name="“The mayor of Brod resigned in May.”")).to_be_visible()
    expect(page.locator(".error-button")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".error-button")).to_have_count(0)
    page.mouse.dblclick(*middle(field, "mayor"))
    page.keyboard.press("2")
    page.keyboard.press("y")
    expect(page.locator(".error-button")).to_contain_text("extrinsic")
    click(page, field, "mayor")
    page.keyboard.press("p")
    drag(page, field, "in", "May")
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Submit").click()
    answer = judged(page)
    assert spans(answer) == [[("output", [[4, 9], [27, 33]], "", "extrinsic")]]
    assert answer["outputs"][0]["units"][0]["spans"][0]["true"] is True


def test_words_are_added_to_no_other_error_than_the_one_they_were_asked_for(first_of):
    study = marked_study(["A."], [["The mayor of Brod resigned in May."]], preset="esa")
    _, page = first_of(study)
    field = text(page, 1)
    for word in ("mayor", "Brod", "resigned"):
        page.mouse.dblclick(*middle(field, word))
        page.keyboard.press("1")
    click(page, field, "Brod")
    page.keyboard.press("p")
    page.locator(".error-button", has_text="mayor").click()
    page.keyboard.press("Delete")
    drag(page, field, "in", "May")
    page.keyboard.press("2")
    saved(page)
    found = [span["parts"] for span in Draft.objects.get().answer["outputs"][0]["units"][0]["spans"]]
    assert found == [[[13, 17]], [[18, 26]], [[27, 33]]]


def test_words_are_added_to_no_other_error_once_that_of_a_whole_unit_is_taken_away(first_of):
    study = marked_study(["A."], [["The mayor of Brod resigned in May."]], preset="factuality")
    _, page = first_of(study)
    field = text(page, 1)
    whole = page.locator(".cell[data-unit='1'][data-side=output]").get_by_role(
        "button", name="EntE", exact=True
    )
    whole.click()
    for word in ("mayor", "Brod"):
        page.mouse.dblclick(*middle(field, word))
        page.keyboard.press("1")
    click(page, field, "mayor")
    page.keyboard.press("p")
    whole.click()
    drag(page, field, "in", "May")
    page.keyboard.press("1")
    saved(page)
    found = [span["parts"] for span in Draft.objects.get().answer["outputs"][0]["units"][0]["spans"]]
    assert found == [[[4, 9]], [[13, 17]], [[27, 33]]]
