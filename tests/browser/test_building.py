"""Building a study as a new user would: no file of ours, every step looked at, by touch on a phone and by keyboard alone."""

from __future__ import annotations

import io
import re

import pytest
from django.urls import reverse
from openpyxl import Workbook
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assessor, Judgment, Study
from annotation.services.simulation import study_simulate
from tests.browser.conftest import NARROW, ready
from tests.factories import experimenter, logged_in

pytestmark = pytest.mark.django_db(transaction=True)

LONG = (
    "The ferries stayed in port that day, and nobody crossed the sound before the wind had gone down. " * 30
)
SYSTEMS = ("lead", "extract", "abstract")
HEAD = ("doc_id", "source", "system", "summary")
ROWS = [
    (f"story{d}", f"{d}. {LONG}", s, f"By {s}: no ferries on day {d}. The wind.")
    for d in range(1, 5)
    for s in SYSTEMS
]


@pytest.fixture
def desk(new_context, live_server):
    """An experimenter who is logged in."""

    def enter(**options) -> Page:
        session = logged_in(experimenter("erika")).cookies["sessionid"].value
        context = new_context(**options)
        context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page = context.new_page()
        page.goto(reverse("study_list"))
        return page

    return enter


def spreadsheet(*rows: tuple[str, ...], head: tuple[str, ...] = HEAD) -> dict:
    book = Workbook()
    for row in (head, *rows):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return {"name": "texts.xlsx", "mimeType": "application/octet-stream", "buffer": buffer.getvalue()}


def named(study: Study, name: str) -> Assessor:
    return study.assessors.select_related("study").get(name=name)


def finished(study: Study) -> None:
    """The study is open, and its assessors do their work."""
    study.refresh_from_db()
    assert study.state == Study.State.OPEN
    study_simulate(study=study, seed=1)
    assert Judgment.objects.filter(
        assignment__assessor__study=study, assignment__assessor__name="Ben"
    ).exists()


def test_from_a_spreadsheet_to_judgments_by_touch_on_a_phone(desk, come_in, new_context, check_access):
    page = desk(has_touch=True)
    page.set_viewport_size(NARROW)

    def look(what: str) -> None:
        check_access(page, what)
        page.set_viewport_size(NARROW)

    page.get_by_role("link", name="New study").tap()
    page.get_by_label("Name of the study").fill("Three summarisers")
    # One row names the wrong system, so that a cell is double and another missing.
    wrong = (ROWS[1][0], ROWS[1][1], "lead", ROWS[1][3])
    page.get_by_label("Files").set_input_files(spreadsheet(ROWS[0], wrong, *ROWS[2:]))
    page.get_by_role("button", name="Read the table").tap()
    expect(page.get_by_role("heading", name="1 problem to mend")).to_be_visible()
    look("texts")
    row = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Row 3"))
    row.get_by_label("system").fill("extract")
    row.get_by_role("button", name="Save row 3").tap()
    expect(page.get_by_text("no two are the same")).to_be_visible()
    page.get_by_role("button", name="Use these texts").tap()
    page.get_by_role("link", name="Go on to the task").tap()
    page.get_by_role("button", name="Choose Four qualities").tap()
    expect(page.get_by_role("heading", name="What an assessor sees")).to_be_attached()
    look("settings")
    page.get_by_role("link", name="Done").tap()
    look("tasks")
    page.get_by_role("link", name="Go on to the instructions").tap()
    page.get_by_label("Contact").fill("erika@example.org")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    look("words")
    left_at_once(page)
    page.get_by_label("Contact").fill("erika@example.com")  # and gone at once
    page.get_by_role("link", name="Go on to the design").tap()
    expect(page.get_by_text("12 on 4 documents")).to_be_visible()
    look("design")
    page.get_by_label("How many people judge each piece").fill("1")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    expect(page.get_by_text("12 in all, about 4 each")).to_be_visible()
    page.get_by_label("document by document").check()  # and gone at once
    page.get_by_role("button", name="Go on to control items").tap()
    expect(page.get_by_role("heading", name="Control items: repeats")).to_be_visible()
    look("control items")
    study = Study.objects.get()
    assert study.contact == "erika@example.com"
    assert (study.design["assessors_per_item"], study.design["order"]) == (1, "blocked")
    page.get_by_role("link", name="Go on to check and open").tap()
    look("check")
    page.get_by_role("link", name=re.compile("Go there.*assessors yet")).tap()
    page.get_by_label("Names").fill("Ada\nBen")
    page.get_by_role("button", name="Add").tap()
    page.get_by_role("link", name="Build").tap()
    page.get_by_role("link", name="Check and open").tap()
    page.get_by_label("I know what can no longer change").check()
    page.get_by_role("button", name="Open the study").tap()
    expect(page.get_by_text("The study is open.")).to_be_visible()
    seat = come_in(named(study, "Ada"), started=False, context=new_context(has_touch=True, is_mobile=True))
    seat.set_viewport_size(NARROW)
    seat.get_by_role("button", name="Begin").tap()
    ready(seat)
    for criterion in ("Coherence", "Consistency", "Fluency", "Relevance"):
        seat.get_by_role("radiogroup", name=criterion).locator(".choice-button").nth(2).tap()
    seat.get_by_role("button", name="Submit").tap()
    expect(seat.locator("#item")).to_have_attribute("data-place", re.compile("Item 2 "))
    assert set(Judgment.objects.get().answer["values"].values()) == {3}
    finished(study)


def left_at_once(page: Page) -> None:
    """Whoever types and goes to another address before anything is sent finds the words again."""
    here = page.url
    page.get_by_label("Contact").fill("erika@example.net")
    page.goto(reverse("study_list"))
    for _ in range(100):
        if Study.objects.get().contact == "erika@example.net":
            break
        page.wait_for_timeout(50)
    page.goto(here)
    expect(page.get_by_label("Contact")).to_have_value("erika@example.net")


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until it has the focus."""
    for _ in range(150):
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {wanted}")


def press(page: Page, wanted: Locator) -> None:
    reach(page, wanted)
    page.keyboard.press("Enter")


def test_a_paste_becomes_a_judged_study_by_keyboard_alone_and_settings_show_at_once(desk, come_in):
    page = desk()
    press(page, page.get_by_role("link", name="New study"))
    reach(page, page.get_by_label("Name of the study"))
    page.keyboard.type("Pasted")
    reach(page, page.get_by_label("Or paste cells"))
    page.keyboard.insert_text("\n".join("\t".join(row) for row in (HEAD, *ROWS)))
    press(page, page.get_by_role("button", name="Read the table"))
    expect(page).to_have_url(re.compile("/build/texts/"))
    press(page, page.get_by_role("button", name="Use these texts"))
    expect(page).to_have_url(re.compile("/build/units/"))
    press(page, page.get_by_role("link", name="Go on to the task"))
    expect(page).to_have_url(re.compile("/build/task/"))
    press(page, page.get_by_role("button", name="Choose Side by side"))
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("button", name=re.compile("A is much better"))).to_be_visible()
    # One degree of better in place of three: the assessor's page follows, and whoever types keeps the focus.
    degrees = page.get_by_label("Degrees of better")
    reach(page, degrees)
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    expect(frame.get_by_role("button", name=re.compile("A is much better"))).to_have_count(0)
    expect(frame.get_by_role("button", name=re.compile("A is better"))).to_be_visible()
    assert degrees.evaluate("(element) => element === document.activeElement")
    page.keyboard.press("Control+A")
    page.keyboard.type("nine")
    expect(page.locator("[data-said]")).to_contain_text("must be a whole number")
    study = Study.objects.get()
    assert study.tasks.get().config["strength"] == 1
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    page.get_by_role("link", name="Done").click()  # at once: it waits until this is kept
    expect(page.get_by_role("heading", name="What assessors do")).to_be_visible()
    assert study.tasks.get().config["strength"] == 2
    study.tasks.update(config={**study.tasks.get().config, "strength": 1})
    press(page, page.get_by_role("link", name="Check and open"))
    press(page, page.get_by_role("link", name=re.compile("Go there.*assessors yet")))
    reach(page, page.get_by_label("Names"))
    page.keyboard.type("Ada\nBen")
    press(page, page.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_text("Added: Ada, Ben.")).to_be_visible()
    press(page, page.get_by_role("link", name="Check and open"))
    reach(page, page.get_by_label("I know what can no longer change"))
    page.keyboard.press("Space")
    press(page, page.get_by_role("button", name="Open the study"))
    expect(page.get_by_text("The study is open.")).to_be_visible()

    seat = come_in(named(study, "Ada"), started=False)
    press(seat, seat.get_by_role("button", name="Begin"))
    for number in range(1, 5):
        ready(seat)
        expect(seat.locator("#item")).to_have_attribute("data-place", f"Item {number} of 4")
        seat.keyboard.press("1")
        seat.keyboard.press("Enter")
    expect(seat.get_by_role("heading", name="You have finished")).to_be_visible()
    finished(study)


def test_a_paste_of_megabytes_goes_as_a_file(desk):
    page = desk()
    page.goto(reverse("study_new"))
    page.get_by_label("Name of the study").fill("Large")
    rows = [(f"story{d}", f"{d}. {LONG}", "lead", f"No ferries on day {d}.") for d in range(900)]
    pasted = "\n".join("\t".join(row) for row in (HEAD, *rows))
    page.get_by_label("Or paste cells").evaluate("(field, text) => { field.value = text; }", pasted)
    page.get_by_role("button", name="Read the table").click()
    expect(page.get_by_text("900 rows: 900 documents")).to_be_visible()
