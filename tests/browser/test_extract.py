"""Abstract, extract, links in a browser: by keyboard over reloads, by mouse, and back to the lines."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services.studies import study_import
from annotation.study_files import read_study
from tests.browser.conftest import NARROW, intercept, ready, saved
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def meetings():
    return study_import(study_file=read_study(ROOT / "fixtures" / "extract"))


def submitted():
    """The answer, once the server has it."""
    for _ in range(200):
        if judgment := Judgment.objects.first():
            return judgment.answer
        time.sleep(0.1)
    raise AssertionError("no judgment")


def stage(page, number):
    """The page of this stage is mounted."""
    words = {2: "Take the lines that say what matters", 3: "Which sentences does each line support?"}
    expect(page.locator("#lines-title")).to_have_text(words[number])
    ready(page)


def pressed(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_three_stages_by_keyboard_over_reloads(meetings, first_of, check_access):
    _, page = first_of(meetings)
    boxes = page.locator("textarea")
    boxes.nth(1).focus()
    page.keyboard.type("word " * 61)
    pressed(page, "Control+Enter")
    expect(page.locator("#problem-1")).to_have_text("Write something under “Abstract”.")
    expect(page.locator("#problem-2")).to_have_text("“Decisions” is too long. Words: 61; at most 60.")
    expect(page.locator("#count-2")).to_have_text("61 of 60 words")
    check_access(page, "writing an abstract")
    wide = page.viewport_size
    page.set_viewport_size(NARROW)
    assert page.locator("#lines-title").bounding_box()["y"] < boxes.first.bounding_box()["y"]
    page.set_viewport_size(wide)
    boxes.nth(1).fill("It begins soon.")
    boxes.first.focus()
    page.keyboard.type("People meet. They talk about money.")
    saved(page)
    page.reload()
    ready(page)
    expect(boxes.first).to_have_value("People meet. They talk about money.")
    boxes.first.focus()
    pressed(page, "Control+Enter")
    expect(page.locator("#hint")).to_contain_text("cannot change the abstract afterwards")
    pressed(page, "Control+Enter")
    stage(page, 2)

    lines = page.locator("[data-line]")
    expect(lines.first).to_be_focused()
    pressed(page, "Enter")
    expect(page.locator("#hint")).to_have_text("Take at least one line.")
    pressed(page, "ArrowDown", "Space", "ArrowDown", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown")
    expect(page.locator("#standing")).to_have_text("4 lines taken")
    pressed(page, "Space")
    expect(page.locator("#standing")).to_have_text("3 lines taken")
    saved(page)
    check_access(page, "taking lines")
    page.reload()
    stage(page, 2)
    expect(page.locator("#standing")).to_have_text("3 lines taken")
    taken = [int(line.get_attribute("data-line")) for line in page.locator('[aria-pressed="true"]').all()]
    pressed(page, "Enter")
    stage(page, 3)

    expect(lines).to_have_count(3)
    expect(page.locator("#standing")).to_contain_text("may stay so: A B C")
    pressed(page, "a", "c", "Enter", "a")
    expect(lines.first).to_contain_text("A C")
    pressed(page, "ArrowDown", "Enter")
    expect(page.locator("#hint")).to_have_text(f"Say which sentences line {taken[2]} supports.")
    saved(page)
    check_access(page, "linking lines")
    page.reload()
    stage(page, 3)
    expect(page.locator("#standing")).to_contain_text("Lines linked: 2 of 3")
    pressed(page, "Backspace")
    stage(page, 2)
    page.locator(f'[data-line="{taken[0]}"]').focus()
    pressed(page, "Space", "Enter")
    stage(page, 3)
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("A")
    expect(page.locator("#standing")).to_contain_text("Lines linked: 1 of 2")
    pressed(page, "c", "Enter")
    answer = submitted()
    assert answer["abstract"]["abstract"] == "People meet. They talk about money."
    assert answer["extract"] == taken[1:]
    assert answer["links"] == {str(taken[1]): ["abstract/1"], str(taken[2]): ["decisions/1"]}


def test_three_stages_by_mouse(meetings, first_of):
    _, page = first_of(meetings)
    page.get_by_label("Abstract", exact=True).fill("People meet.")
    page.locator("[data-primary]").click()
    page.locator("[data-primary]").click()
    stage(page, 2)
    lines = page.locator("[data-line]")
    lines.nth(1).click()
    lines.nth(4).click(modifiers=["Shift"])
    expect(page.locator("#standing")).to_have_text("4 lines taken")
    lines.nth(2).click()
    expect(page.locator("#standing")).to_have_text("3 lines taken")
    page.locator("[data-primary]").click()
    stage(page, 3)
    for index in range(3):
        lines.nth(index).click()
        page.locator("[data-sentence]").first.click()
    page.locator("[data-back]").click()
    stage(page, 2)
    page.locator("[data-primary]").click()
    stage(page, 3)
    expect(page.locator("#standing")).to_have_text("Lines linked: 3 of 3")
    page.locator("[data-primary]").click()
    assert list(submitted()["links"].values()) == [["abstract/1"]] * 3


def test_what_is_written_where_another_device_has_gone_on_is_not_said_to_be_saved(
    meetings, first_of, new_context
):
    _, page = first_of(meetings)
    other = new_context(storage_state={"cookies": page.context.cookies(), "origins": []}).new_page()
    other.goto(page.url)
    ready(other)
    page.get_by_label("Abstract", exact=True).fill("People meet.")
    page.locator("[data-primary]").click()
    page.locator("[data-primary]").click()
    stage(page, 2)
    other.get_by_label("Abstract", exact=True).fill("People meet. They talk about money, for an hour.")
    expect(other.locator("#word")).to_contain_text("another tab or device")
    expect(other.locator("#saved")).to_have_text("not saved")
    other.get_by_role("button", name="Reload").click()
    stage(other, 2)


def test_what_was_written_after_a_step_whose_reply_was_lost_is_not_said_to_be_saved(meetings, first_of):
    _, page = first_of(meetings)
    box = page.get_by_label("Abstract", exact=True)
    box.fill("People meet.")
    saved(page)
    page.locator("[data-primary]").click()

    def lose(route):
        route.fetch()
        route.abort()

    intercept(page, "**/draft/", lose)
    page.locator("[data-primary]").click()
    expect(page.locator("#word")).to_contain_text("Offline")
    page.unroute("**/draft/")
    box.fill("People meet. They talk about money, for an hour.")
    expect(page.locator("#word")).to_contain_text("another tab or device")
    page.get_by_role("button", name="Reload").click()
    stage(page, 2)
