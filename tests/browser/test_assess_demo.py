"""The whole demo study by mouse, from the personal link to the completion code. By keyboard and by touch: ``test_long_study.py``."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assessor, Assignment, Judgment, Study
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.browser.conftest import begin_part
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT = 60  # items; more than any assessor of the demo has


@pytest.fixture
def demo() -> Study:
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_open(study=study)
    return study


def is_see(page: Page) -> bool:
    return page.locator(".see").count() > 0


def is_finished(page: Page) -> bool:
    return page.url.endswith("/finished/")


def judge_to_the_end(page: Page, judge) -> None:
    """Judge item after item; each judgment brings another item, or the end."""
    for _ in range(LIMIT):
        page.wait_for_selector("#item[data-ready]")
        begin_part(page)
        before = page.url
        judge(page)
        page.wait_for_function("(before) => location.href !== before", arg=before)
        if is_finished(page):
            return
    raise AssertionError(f"not finished after {LIMIT} items")


def all_is_judged_once(assessor: Assessor) -> None:
    done = assessor.assignments.filter(state=Assignment.State.DONE)
    assert done.count() == assessor.assignments.count() > 0
    judgments = Judgment.objects.filter(assignment__assessor=assessor)
    assert judgments.count() == done.count()
    assert all(judgment.seconds > 0 for judgment in judgments)
    assert judgments.filter(assignment__subject__practice=True).exists()


def see_by_mouse(page: Page) -> None:
    units = page.locator("[data-step^='units.']").count()
    for unit in range(units):
        if unit % 2:
            page.locator("[data-scale='grades']").get_by_text("none").click()
        else:
            page.locator("[data-peer]").first.click()
            page.locator("[data-scale='grades']").get_by_text("most").click()
        page.locator("[data-primary]").click()
    for _ in range(page.locator("[data-step^='quality.']").count()):
        page.locator("[data-scale='levels']").get_by_text("some").click()
    submit_by_mouse(page)


def rating_by_mouse(page: Page) -> None:
    page.get_by_role("radiogroup", name="Fluency").get_by_text("good", exact=True).click()
    page.get_by_role("button", name="Confirm fluency").click()
    adequacy = page.get_by_role("radiogroup", name="Adequacy")
    expect(adequacy.locator("input:enabled")).to_have_count(5)
    adequacy.get_by_text("most", exact=True).click()
    submit_by_mouse(page)


def submit_by_mouse(page: Page) -> None:
    feedback = page.locator("[data-continue]")
    page.get_by_role("button", name="Submit").click()
    if page.locator(".bar .badge").count():
        feedback.click()


def test_an_assessor_does_the_whole_demo_by_mouse(demo, come_in):
    assessor = demo.assessors.select_related("study").first()
    page = come_in(assessor, started=False)
    page.get_by_role("button", name="Begin").click()
    judge_to_the_end(page, lambda page: see_by_mouse(page) if is_see(page) else rating_by_mouse(page))
    expect(page.get_by_text(assessor.completion_code)).to_be_visible()
    all_is_judged_once(assessor)
