"""Cross comprehension in a browser: writing, opening the second phase, judging, results."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services.studies import study_open
from tests.browser.conftest import ready, saved
from tests.factories import PASSWORD, member
from tests.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)

CROSS = {"kind": "cross_comprehension", "name": "crossing"}


@pytest.fixture
def study():
    made = make_study(CROSS, documents=1, systems=("qx31",), assessors=3)
    study_open(study=made)
    return made


def assessor(study, name):
    return study.assessors.select_related("study").get(name=name)


def write(page, summary, *questions):
    """Fill the form by keyboard alone: the summary has the first field, questions and answers follow."""
    page.locator("#summary").focus()
    page.keyboard.type(summary)
    page.locator("#question-1").focus()
    for question, answer in questions:
        page.keyboard.type(question)
        page.keyboard.press("Tab")
        page.keyboard.type(answer)
        page.keyboard.press("Tab")


GOOD = (("Who made the bread?", "Mara"), ("Where was it sold?", "in Orle"))


def test_an_author_writes_by_keyboard_and_a_killed_tab_loses_nothing(study, come_in, check_access):
    page = come_in(assessor(study, "p1"))
    expect(page.get_by_text("Long story of d1.")).to_be_visible()
    page.evaluate(
        """() => {
            window.said = 0;
            const count = () => { window.said += 1; };
            new MutationObserver(count).observe(document.querySelector("#saved"), { childList: true });
        }"""
    )
    write(page, "Mara sold bread in Orle.", *GOOD)
    expect(page.locator("[data-count]")).to_have_text("24 of about 100")
    saved(page)
    # Some seventy keys: what is saved quickly is said when one pauses, and nothing flickers at every key.
    assert 1 <= page.evaluate("window.said") < 10
    page.get_by_role("button", name="Another question").click()
    expect(page.locator("#question-3")).to_be_focused()
    page.get_by_role("button", name="Remove question 3").click()
    expect(page.locator(".asking")).to_have_count(2)
    expect(page.get_by_role("button", name="Remove question 1")).to_be_hidden()
    saved(page)
    check_access(page, "authoring")
    address = page.url
    again = page.context.new_page()
    page.close(run_before_unload=False)
    again.goto(address)
    ready(again)
    expect(again.locator("#summary")).to_have_value("Mara sold bread in Orle.")
    expect(again.locator("#answer-2")).to_have_value("in Orle")
    again.locator("#summary").focus()
    again.keyboard.press("Control+Enter")
    again.wait_for_url("**/finished/")
    assert Judgment.objects.get().answer["summary"] == "Mara sold bread in Orle."
    # There is judging to come, and the code is for the very end.
    expect(again.get_by_role("heading", name="You have finished for now")).to_be_visible()
    expect(again.get_by_text(assessor(study, "p1").completion_code)).to_have_count(0)


def test_rules_are_explained_where_they_are_broken(study, come_in):
    page = come_in(assessor(study, "p1"))
    write(page, "Mara sold bread.", ("Did Mara sell bread?", "yes"), ("What was sold?", "flowers"))
    page.locator("#summary").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#question-1-hint")).to_contain_text("yes or no")
    expect(page.locator("#question-1")).to_be_focused()
    expect(page.locator("#answer-2-hint")).to_contain_text("flowers")
    assert not Judgment.objects.exists()


def test_from_writing_to_judging_to_results(study, come_in, new_context, check_access):
    for number, name in enumerate(("p1", "p2", "p3"), start=1):
        page = come_in(assessor(study, name))
        write(page, f"Mara{number} sold bread in Orle.", ("Who sold bread?", f"Mara{number}"), GOOD[1])
        page.locator("#summary").focus()
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**/finished/")

    member(study, username="owner")
    manager = new_context().new_page()
    manager.goto(reverse("login"))
    manager.fill("input[name=username]", "owner")
    manager.fill("input[name=password]", PASSWORD)
    manager.keyboard.press("Enter")
    manager.wait_for_url("**/password/")
    manager.goto(reverse("study_plan", args=[study.slug]))
    manager.get_by_role("button", name="Open judging").click()
    expect(manager.get_by_text("is open.")).to_be_visible()

    judged = 0
    for name in ("p1", "p2", "p3"):
        page = come_in(assessor(study, name), started=False)
        ready(page)
        if judged == 0:
            check_access(page, "judging")
            expect(page.locator(".choice-button .key")).to_have_text(["0", "1", "2", "3"])
            expect(page.locator("#meanings")).to_contain_text(
                "Irrelevant: an answer, but another one. Not found: no answer at all."
            )
            typed, choices = page.locator("#typed").bounding_box(), page.locator(".choices").bounding_box()
            assert typed["y"] < choices["y"], "one looks for the answer before one judges it"
        while "/item/" in page.url:
            place = page.locator("#item").get_attribute("data-place")
            page.keyboard.press("3")
            page.keyboard.press("Enter")
            judged += 1
            page.wait_for_function(
                "place => location.href.includes('/finished/') || document.querySelector('#item')?.dataset.place !== place",
                arg=place,
            )
    # Three summaries with four foreign questions each, and the machine's with six.
    assert judged == 3 * 4 + 6
    judgments = Judgment.objects.filter(assignment__subject__phase="judging")
    assert {judgment.answer["choice"] for judgment in judgments} == {3}, "a higher digit is more"
    manager.goto(reverse("study_results", args=[study.slug]))
    expect(manager.get_by_text("answer-relevant").first).to_be_visible()


def test_going_back_after_submitting_shows_where_the_judge_stands(study, come_in):
    page = come_in(assessor(study, "p1"))
    first = page.url
    write(page, "Mara sold bread in Orle.", *GOOD)
    page.locator("#summary").focus()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/finished/")
    page.goto(first)
    page.wait_for_url("**/finished/")
