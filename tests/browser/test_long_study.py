"""A whole study of long texts, from the personal link to the completion code: once by keyboard alone, once by touch alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assessor, Judgment
from annotation.services.studies import study_open
from annotation.study_files.schema import Design
from tests.browser.conftest import NARROW, ready
from tests.long_studies import long_study

pytestmark = pytest.mark.django_db(transaction=True)

TASKS = (
    {"kind": "rating", "name": "quality", "preset": "summeval"},
    {"kind": "see", "name": "coverage", "quality": False, "advance": True},
)
LIMIT = 10  # items; more than the study has


def to_the_end(page: Page, begin, judge) -> None:
    begin(page)
    for _ in range(LIMIT):
        ready(page)
        before = page.url
        judge(page)
        page.wait_for_function("(before) => location.href !== before", arg=before)
        if page.url.endswith("/finished/"):
            return
    raise AssertionError(f"not finished after {LIMIT} items")


def all_is_judged(page: Page, assessor: Assessor) -> None:
    expect(page.get_by_text(assessor.completion_code)).to_be_visible()
    judgments = Judgment.objects.filter(assignment__assessor=assessor)
    assert judgments.count() == assessor.assignments.count() == 2
    answers = [judgment.answer for judgment in judgments.order_by("pk")]
    assert [answer["values"]["coherence"] for answer in answers if "values" in answer] == [5]
    assert [len(answer["units"]) for answer in answers if "units" in answer] == [60]
    assert all(unit["marks"] for answer in answers if "units" in answer for unit in answer["units"][:1])


# --- by keyboard alone ---------------------------------------------------------------------------------------------


def begin_by_keys(page: Page) -> None:
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.locator("form.begin button:focus").count():
            break
    page.keyboard.press("Enter")


def judge_by_keys(page: Page) -> None:
    if page.locator("dialog#part[open]").count():
        page.wait_for_timeout(500)  # the Enter of the submit is not heard here
        page.keyboard.press("Enter")
        expect(page.locator("dialog#part[open]")).to_have_count(0)
    page.keyboard.press("Space")  # the text is read to its end first
    page.keyboard.press("End")
    if page.locator(".see").count():
        for unit in range(60):
            expect(page.locator(f"[data-step='units.{unit}']")).to_have_attribute("aria-current", "step")
            for key in "0" if unit else "a3":
                page.keyboard.press(key)  # mark and grade agree, so that the next unit comes by itself
    else:
        for _ in range(4):
            page.keyboard.press("5")
    page.keyboard.press("Enter")


# --- by touch alone ------------------------------------------------------------------------------------------------


def begin_by_touch(page: Page) -> None:
    page.get_by_role("button", name="Begin").tap()


def judge_by_touch(page: Page) -> None:
    part = page.locator("dialog#part[open]")
    if part.count():
        part.get_by_role("button", name="Begin").tap()
        expect(part).to_have_count(0)
    if page.locator(".see").count():
        page.locator("[data-peer='0']").tap()
        for unit in range(60):
            expect(page.locator(f"[data-step='units.{unit}']")).to_have_attribute("aria-current", "step")
            page.locator("[data-scale='grades']").get_by_text("none" if unit else "most").tap()
    else:
        for name in ("Coherence", "Consistency", "Fluency", "Relevance"):
            page.get_by_role("radiogroup", name=name).get_by_text("very good").tap()
    page.get_by_role("button", name="Submit").tap()


def test_a_whole_long_study_is_played_by_keyboard_alone_and_by_touch_alone(come_in, new_context):
    study = long_study(*TASKS, documents=1, assessors=2, design=Design(assessors_per_item=2))
    study_open(study=study)
    first, second = study.assessors.select_related("study").order_by("pk")
    page = come_in(first, started=False)
    to_the_end(page, begin_by_keys, judge_by_keys)
    all_is_judged(page, first)
    context = new_context(has_touch=True, is_mobile=True)
    page = come_in(second, started=False, context=context)
    page.set_viewport_size(NARROW)
    to_the_end(page, begin_by_touch, judge_by_touch)
    all_is_judged(page, second)
