"""Every page that an assessor meets, in every state that looks different: no serious problem for axe, wide and narrow,
light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.services.studies import study_close
from tests.browser.conftest import ready, saved
from tests.studies import SEE, TIDES, make_study, practice

pytestmark = pytest.mark.django_db(transaction=True)


def rating(preset: str) -> dict:
    return {"kind": "rating", "name": "quality", "preset": preset}


def test_the_pages_around_the_work(first_of, check_access):
    task = {**rating("qa-correctness"), "name": "only"}
    study = make_study(
        task, documents=1, systems=("qx31",), consent="I *agree*.", revise=True, contact="a@b.c"
    )
    _, page = first_of(study, started=False)
    check_access(page, "welcome")
    page.get_by_label("agree to take part").check()
    page.get_by_role("button", name="Begin").click()
    ready(page)
    page.goto("/work/small/items/")
    check_access(page, "no earlier items")
    page.goto("/work/small/")
    ready(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="You have finished")).to_be_visible()
    check_access(page, "finished")
    page.goto("/work/small/items/")
    check_access(page, "earlier items")
    study_close(study=study)
    page.goto("/join/unknown/")
    check_access(page, "no entry")
    page.goto("/nowhere/")
    check_access(page, "not found")


def test_the_see_page_in_all_its_states(first_of, check_access):
    key = {"units": [{"marks": [0], "grade": 1.0}, {"grade": 0.0}], "quality": {"cohesion": 0.5}}
    study = make_study({**SEE, "related": True}, practice=(practice("coverage", reference="r-d1", key=key),))
    _, page = first_of(study)
    check_access(page, "an untouched item")
    page.keyboard.press("Enter")
    check_access(page, "what is missing")
    for pressed in "a3":
        page.keyboard.press(pressed)
    saved(page)
    check_access(page, "a marked and graded unit")
    for pressed in ("Enter", "0", "Enter", "1"):
        page.keyboard.press(pressed)
    check_access(page, "the quality of the peer")
    for pressed in ("2", "3", "4", "Enter"):
        page.keyboard.press(pressed)
    expect(page.get_by_role("region", name="Practice: how your answer compares")).to_be_visible()
    check_access(page, "feedback")


def test_the_see_page_of_2004(first_of, check_access):
    _, page = first_of(make_study({**SEE, "variant": "duc2004"}))
    page.keyboard.press("a")
    check_access(page, "the model as a whole")


def test_the_dialogs_the_menu_and_words_of_the_page(first_of, check_access):
    _, page = first_of(make_study(SEE))
    page.locator(".menu summary").click()
    check_access(page, "menu")
    page.keyboard.press("Escape")
    for name in ("keys", "flag", "message", "break"):
        page.evaluate(f"document.getElementById('{name}').showModal()")
        check_access(page, name)
        page.keyboard.press("Escape")
    page.context.set_offline(True)
    page.locator("#main").focus()
    for pressed in ("0", "Enter", "0", "Enter", "1", "1", "1", "Enter"):
        page.keyboard.press(pressed)
    expect(page.locator("#word")).to_be_visible()
    check_access(page, "offline")


def test_the_rating_page_of_tides_before_and_after_the_reference(first_of, check_access):
    _, page = first_of(make_study(TIDES))
    page.keyboard.press("4")
    check_access(page, "fluency")
    page.keyboard.press("Enter")
    expect(page.locator(".context")).to_contain_text("First of d")
    check_access(page, "adequacy")


@pytest.mark.parametrize("preset", ["duc2004", "summeval", "direct-assessment"])
def test_rating_pages(first_of, check_access, preset):
    _, page = first_of(make_study(rating(preset)))
    check_access(page, f"untouched {preset}")
    page.keyboard.press("3")
    check_access(page, f"begun {preset}")
