"""Content units in a browser: building and judging by keyboard and by mouse, over reloads, two builders and a new version."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.browser.conftest import ready, saved
from tests.conftest import ROOT
from tests.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)


def example(name):
    study = study_import(study_file=read_study(ROOT / "fixtures" / name))
    study_open(study=study)
    return study


def assessor(study, name):
    return study.assessors.select_related("study").get(name=name)


def last_answer():
    return Judgment.objects.order_by("-pk").first().answer


def answered(number):
    """The server has so many judgments."""
    for _ in range(200):
        if Judgment.objects.count() >= number:
            return
        time.sleep(0.1)
    raise AssertionError(f"{Judgment.objects.count()} judgments, expected {number}")


# --- units of a reference -------------------------------------------------------------------------------------------


@pytest.fixture
def units():
    return example("units_present")


def test_units_are_judged_by_keyboard_and_a_reload_keeps_them(units, come_in, check_access):
    page = come_in(assessor(units, "Noor"))
    rows = page.locator(".asked-unit")
    number = rows.count()
    page.keyboard.press("y")
    page.keyboard.press("n")
    expect(page.locator("#standing")).to_have_text(f"2 of {number} answered")
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_contain_text("Say whether the text has this")
    saved(page)
    check_access(page, "judging units")
    page.reload()
    ready(page)
    expect(page.locator("#standing")).to_have_text(f"2 of {number} answered")
    for _ in range(number - 2):
        page.keyboard.press("y")
    page.keyboard.press("n")  # the last one, after all
    page.keyboard.press("Enter")
    answered(1)
    present = list(last_answer()["present"].values())
    assert (len(present), present.count(0)) == (number, 2)


def test_units_are_judged_by_mouse(units, come_in):
    page = come_in(assessor(units, "Noor"))
    rows = page.locator(".asked-unit")
    number = rows.count()
    for row in rows.all():
        row.get_by_text("not present").click()
    page.locator("[data-primary]").click()
    answered(1)
    assert list(last_answer()["present"].values()) == [0] * number


def test_units_are_written_by_keyboard_with_a_way_back(first_of, check_access):
    study = make_study({"kind": "units_present", "name": "units", "writing": True}, documents=1)
    _, page = first_of(study)
    page.locator("[data-add]").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("The light burns.")
    page.keyboard.press("Enter")
    page.keyboard.type("It burns again.")
    expect(page.locator(".written input")).to_have_count(2)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator(".written input")).to_have_count(1)
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    expect(page.locator(".written input").nth(1)).to_have_value("It burns again.")
    saved(page)
    check_access(page, "writing units")
    page.reload()
    ready(page)
    expect(page.locator(".written input").nth(1)).to_have_value("It burns again.")
    page.locator(".written input").first.focus()
    page.keyboard.press("Control+Enter")
    answered(1)
    assert [unit["text"] for unit in last_answer()["written"]] == ["The light burns.", "It burns again."]
