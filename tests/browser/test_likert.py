"""Questionnaires in a browser: from import to results by keyboard, the clock, and the ways to see a closed text again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Draft, Judgment
from annotation.services.studies import study_import
from annotation.study_files import read_study
from tests.browser.conftest import NARROWEST, place, ready, saved
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)

STATEMENTS = [
    {"name": "clear", "text": "It is clear.", "group": "form"},
    {"name": "short", "text": "It is short.", "group": "form"},
    {"name": "muddled", "text": "It is muddled.", "group": "form", "polarity": "negative", "pair": "clear"},
]
TRANSCRIPT, ABSTRACT, SUMMARY = "Long story of d1.", "First of d1.", "says d1."


def study(minutes: float = 20, **config):
    """One document with two summaries, for one assessor: familiarisation and two questionnaires."""
    task = {
        "kind": "likert",
        "name": "questions",
        "statements": STATEMENTS,
        "familiarisation_minutes": minutes,
    }
    return make_study({**task, **config}, documents=1, assessors=1)


def enter(page: Page) -> None:
    """Enter, once the page no longer takes it for the second half of the last one."""
    page.wait_for_timeout(450)
    page.keyboard.press("Enter")


def begin(page: Page) -> None:
    enter(page)
    expect(page.locator("[data-clock]")).to_be_visible()
    ready(page)


def to_reading(page: Page) -> None:
    """Through familiarisation, if there is one, to the first summary."""
    if page.locator("[data-primary]").inner_text().startswith("Begin"):
        begin(page)
        enter(page)
        expect(page.locator(".moves .hint")).to_contain_text("cannot come back")
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="To the statements")).to_be_visible()
    ready(page)


def to_statements(page: Page) -> None:
    enter(page)
    expect(page.locator(".moves .hint")).to_contain_text("cannot see the summary again")
    page.keyboard.press("Enter")
    expect(page.locator(".statements")).to_be_visible()
    ready(page)


def left(page: Page) -> int:
    minutes, seconds = page.locator("[data-clock]").inner_text().removesuffix(" left").split(":")
    return 60 * int(minutes) + int(seconds)


def test_from_import_to_results_by_keyboard(first_of, new_context, live_server):
    """One meeting of the example study, its first two systems, one assessor."""
    file = read_study(ROOT / "fixtures" / "likert")
    outputs = [row for row in file.materials.outputs if row.document == "library"][:2]
    made = study_import(
        study_file=replace(
            file,
            materials=replace(file.materials, outputs=tuple(outputs)),
            assessors=file.assessors[:1],
            design=file.design.model_copy(update={"assessors_per_item": 1}),
            practice=(),
        )
    )
    _, page = first_of(made)
    expect(page.locator("#main .reading").last).to_contain_text("20 minutes")
    to_reading(page)
    for number in (1, 2):
        expect(page.locator("#item")).to_have_attribute("data-place", f"Item {number} of 2")
        human = "carried in" in page.locator(".pane.text").inner_text()
        to_statements(page)
        # The human summary gets the best answers, the other one 2 or 4; negative statements are 5, 6, 10, 11 and 12.
        for statement in range(1, 13):
            negative = statement in {5, 6, 10, 11, 12}
            page.keyboard.press({True: "51", False: "24"}[human][negative])
        expect(page.locator("#hint")).to_have_text("")
        page.keyboard.press("Enter")
        expect(page.locator(".statements")).to_have_count(0)
    expect(page.get_by_role("heading", name="You have finished")).to_be_visible()

    context = new_context()
    cookie = owner_client(made).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    results = context.new_page()
    results.goto(reverse("study_results", args=[made.slug]))
    groups = results.get_by_role("region", name="Means by group").get_by_role("row")
    expect(groups.filter(has_text="kx7140").get_by_role("cell")).to_have_text(["5.00", "5.00", "1"])
    expect(groups.filter(has_text="zf0326").get_by_role("cell")).to_have_text(["2.00", "2.00", "1"])
    for table in ("Means by statement", "Consistency of opposite statements", "Cronbach’s α"):
        expect(results.get_by_role("region", name=table)).to_be_visible()


# --- the clock ------------------------------------------------------------------------------------------------------


def test_the_clock_runs_from_the_begin_and_neither_a_reload_nor_another_device_resets_it(
    first_of, new_context
):
    assessor, page = first_of(study())
    assert TRANSCRIPT not in page.content()
    begin(page)
    expect(page.locator(".pane.text")).to_contain_text(TRANSCRIPT)
    expect(page.locator(".pane.abstract")).to_contain_text(ABSTRACT)
    page.wait_for_timeout(1500)
    before = left(page)
    assert before < 1200
    page.reload()
    ready(page)
    assert left(page) <= before
    device = new_context(storage_state=page.context.storage_state()).new_page()
    device.goto(page.url)
    ready(device)
    assert left(device) <= before
    assert assessor.assignments.get(position=1).state == "open"


def test_at_the_limit_the_texts_close_by_themselves(first_of):
    _, page = first_of(study(minutes=0.05))
    address = page.url
    expect(page.get_by_text("You have 3 seconds at most")).to_be_visible()
    enter(page)
    expect(page.get_by_role("heading", name="The time is over")).to_be_visible()
    assert TRANSCRIPT not in page.locator("#main").inner_text()
    enter(page)
    expect(page.get_by_role("button", name="To the statements")).to_be_visible()
    assert place(page) == "Item 1 of 2"
    assert TRANSCRIPT not in page.content()
    page.goto(address)
    ready(page)
    assert place(page) == "Item 1 of 2"


def test_the_texts_close_also_while_the_network_is_away(first_of):
    _, page = first_of(study(minutes=0.1))
    begin(page)
    page.context.set_offline(True)
    expect(page.get_by_role("heading", name="The time is over")).to_be_visible()
    enter(page)
    expect(page.locator("#word")).to_contain_text("Offline")
    assert TRANSCRIPT not in page.locator("#main").inner_text()
    page.context.set_offline(False)
    expect(page.get_by_role("button", name="To the statements")).to_be_visible()
    assert Judgment.objects.count() == 1


def test_whoever_comes_back_after_the_limit_is_told_and_goes_on(first_of):
    _, page = first_of(study(minutes=0.05))
    with page.expect_response("**/draft/"):
        enter(page)
    page.goto("about:blank")
    page.wait_for_timeout(3000)
    page.goto(reverse("work", args=["small"]))
    expect(page.get_by_role("heading", name="The time is over")).to_be_visible()
    enter(page)
    expect(page.get_by_role("button", name="To the statements")).to_be_visible()
    assert Judgment.objects.count() == 1


def test_a_break_says_that_the_time_for_the_texts_goes_on(first_of):
    _, page = first_of(study())
    begin(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Take a break").click()
    expect(page.get_by_role("dialog", name="A break")).to_contain_text("time for them goes on")
    page.keyboard.press("Enter")
    to_reading_from_texts(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Take a break").click()
    expect(page.get_by_role("dialog", name="A break")).to_contain_text("clock stands still")


def to_reading_from_texts(page: Page) -> None:
    page.locator("[data-primary]").click()
    page.locator("[data-primary]").click()
    expect(page.get_by_role("button", name="To the statements")).to_be_visible()
    ready(page)


# --- the summary ----------------------------------------------------------------------------------------------------


def test_the_summary_is_out_of_reach_once_the_statements_begin(first_of):
    _, page = first_of(study(minutes=0))
    address = page.url
    expect(page.locator(".pane.text")).to_contain_text(SUMMARY)
    second = page.context.new_page()
    second.goto(address)
    ready(second)
    to_statements(page)
    # A tab that was opened before shows the statements too.
    expect(second.locator(".statements")).to_be_visible()
    for tab in (page, second):
        assert SUMMARY not in tab.content()
        tab.reload()
        expect(tab.locator(".statements")).to_be_visible()
        assert SUMMARY not in tab.content()
        tab.go_back()
        assert SUMMARY not in tab.content()
        tab.goto(address)
        expect(tab.locator(".statements")).to_be_visible()
        assert SUMMARY not in tab.content()
    urls = page.evaluate("JSON.parse(document.getElementById('item-urls').textContent)")
    token = next(one["value"] for one in page.context.cookies() if one["name"] == "csrftoken")
    for url in urls.values():
        got = page.request.get(url)
        said = page.request.post(
            url, data={"answer": {"stage": "reading"}, "confirm": True}, headers={"X-CSRFToken": token}
        )
        assert SUMMARY not in got.text() + said.text()
    assert Draft.objects.get().answer["stage"] == "statements"


def test_another_device_that_still_shows_an_earlier_stage_is_taken_along(first_of, new_context):
    _, page = first_of(study())
    device = new_context(storage_state=page.context.storage_state()).new_page()
    device.goto(page.url)
    ready(device)
    begin(page)
    enter(device)
    expect(device.locator("[data-clock]")).to_be_visible()
    assert left(device) <= 1200


def test_answers_survive_a_reload_and_what_is_missing_is_named(first_of):
    _, page = first_of(study(minutes=0))
    to_statements(page)
    page.keyboard.press("4")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    saved(page)
    page.reload()
    ready(page)
    expect(page.locator("#hint")).to_have_text("1 of 3 to answer")
    page.keyboard.press("Enter")
    row = page.get_by_role("radiogroup", name="It is short.")
    expect(row.locator(".hint.problem")).to_have_text("Answer statement 2.")
    expect(row.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == {"clear": 4, "short": 5, "muddled": 2}


def test_seven_points_with_words_of_their_own_by_mouse(first_of):
    words = ["never", "hardly", "seldom", "half", "often", "mostly", "always"]
    _, page = first_of(study(minutes=0, points=7, labels=words))
    page.get_by_role("button", name="To the statements").click()
    page.get_by_role("button", name="To the statements").click()
    for statement in STATEMENTS:
        group = page.get_by_role("radiogroup", name=statement["text"])
        expect(group.get_by_role("radio", name="7 always")).to_have_count(1)
        group.locator(".choice-button").last.click()
    page.locator("[data-primary]").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert set(Judgment.objects.get().answer["values"].values()) == {7}


def test_a_second_enter_does_not_skip_the_next_summary(first_of):
    _, page = first_of(study(minutes=0))
    to_statements(page)
    for key in "111":
        page.keyboard.press(key)
    page.evaluate(
        """() => document.addEventListener("touchstone:swapped", () => setTimeout(() =>
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))))"""
    )
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    page.wait_for_timeout(600)
    expect(page.locator(".pane.text")).to_contain_text(SUMMARY)
    assert not Draft.objects.filter(answer__stage="statements").exists()


def test_every_stage_can_be_used_by_all(first_of, check_access):
    _, page = first_of(study())
    check_access(page, "before the clock runs")
    begin(page)
    check_access(page, "familiarisation")
    to_reading_from_texts(page)
    check_access(page, "a summary")
    to_statements(page)
    check_access(page, "statements")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    check_access(page, "a statement is missing")
    page.set_viewport_size(NARROWEST)
    expect(page.locator("[data-primary]")).to_be_in_viewport(ratio=1)
    assert Assignment.objects.filter(state="done").count() == 1
