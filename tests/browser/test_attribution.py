"""Attribution in a browser: the source searched and marked by keyboard, and by mouse; citations one pair at a time."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from tests.browser.conftest import NARROW, ready, saved
from tests.conftest import ROOT
from tests.long_studies import long_study

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def first(come_in):
    """The first text of one of the example's tasks, and its page."""

    def opened(task):
        study = study_import(study_file=read_study(ROOT / "fixtures" / "attribution"))
        study.tasks.exclude(name=task).delete()
        study_open(study=study)
        assessor = study.assessors.select_related("study").first()
        page = come_in(assessor)
        output = assessor.assignments.order_by("position").first().subject.output
        return output, page

    return opened


def submitted(page):
    """The answer, once the server has it."""
    for _ in range(200):
        if judgment := Judgment.objects.first():
            return judgment.answer["sentences"]
        page.wait_for_timeout(100)
    raise AssertionError("nothing was submitted")


def test_the_source_is_searched_and_marked_by_keyboard_over_a_reload(first, check_access):
    output, page = first("sources")
    word = output.document.units[3].split()[2]
    found = [n for n, unit in enumerate(output.document.units) if word.lower() in unit.lower()]
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_have_text("Sentence 1: mark what supports it, or choose no support.")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_have_text("Mark what supports sentence 1, or choose no support.")
    page.keyboard.press("/")
    page.keyboard.type(word.upper())
    expect(page.locator("[data-found]")).to_have_text(f"{len(found)} found")
    expect(page.locator(".unit.found")).to_have_count(len(found))
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("a")
    page.keyboard.press("a")
    expect(page.locator('[data-unit][aria-pressed="true"]')).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("b")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_contain_text(
        "You marked units for sentence 2, but say that none supports it."
    )
    saved(page)
    check_access(page, "attribution, the source")
    page.reload()
    ready(page)
    expect(page.locator("[data-sentence]").first).to_contain_text("full")
    expect(page.locator("#question")).to_have_text("How far do the marked units support sentence 2?")
    page.keyboard.press("b")
    for _ in range(len(output.units) - 2):
        page.keyboard.press("ArrowDown")
        page.keyboard.press("-")
    expect(page.locator("[data-label]")).to_have_text("Submit")
    page.keyboard.press("Enter")
    answer = submitted(page)
    marks = sorted({found[0] + 1, found[0] + 2})
    assert answer[0] == {"support": "full", "marks": marks, "citations": {}}
    assert answer[1] == {"support": "none", "marks": [], "citations": {}}
    assert [one["support"] for one in answer[2:]] == ["nothing"] * (len(output.units) - 2)


def test_the_source_is_marked_by_mouse_on_a_phone(first, check_access):
    output, page = first("sources")
    page.set_viewport_size(NARROW)
    units = page.locator("[data-unit]")
    for number in range(len(output.units)):
        units.nth(number).click()
        page.locator('[data-choice="partial"]').click()
        expect(units.nth(number)).to_have_attribute("aria-pressed", "true")
        if number == 0:
            check_access(page, "attribution on a phone")
        page.locator("[data-primary]").click()
    answer = submitted(page)
    expected = [{"support": "partial", "marks": [n + 1], "citations": {}} for n in range(len(output.units))]
    assert answer == expected


def test_citations_come_one_pair_at_a_time(first, check_access):
    output, page = first("cited")
    cited = {unit for units in output.citations for unit in units}
    source = page.content()
    for number, unit in enumerate(output.document.units, start=1):
        assert (unit in source) == (number in cited), "only what is cited is there"
    expected = []
    for s, units in enumerate(output.citations):
        if not units:
            expect(page.get_by_text("This sentence cites nothing.")).to_be_visible()
            expect(page.locator('[data-choice="full"]')).to_be_disabled()
            page.keyboard.press("2")
            expect(page.locator("#hint")).to_contain_text("cites nothing: choose no support")
            page.locator('[data-choice="none"]').click()
            expected.append({"support": "none", "marks": [], "citations": {}})
            continue
        for unit in units:
            expect(page.locator(".cited-unit:visible .unit-text")).to_have_text(
                output.document.units[unit - 1]
            )
            if s == 0:
                check_access(page, "attribution, a pair")
            page.keyboard.press("1")
        expected.append({"support": None, "marks": [], "citations": {str(unit): "partial" for unit in units}})
    # That the last one claims nothing is said of all that it cites.
    page.keyboard.press("-")
    expected[-1] = {"support": "nothing", "marks": [], "citations": {}}
    page.keyboard.press("Enter")
    assert submitted(page) == expected


def test_a_long_source_is_scrolled_searched_and_marked_by_keyboard(first_of, check_access):
    _, page = first_of(long_study({"kind": "attribution", "name": "support"}))
    units = page.locator("[data-unit]")
    assert units.count() > 52, "names of two letters are typed with Shift"
    source = page.locator(".pane.peer")
    source.focus()
    page.keyboard.press("End")
    expect(units.last).to_be_in_viewport()
    expect(page.locator("[data-find]")).to_be_in_viewport()
    find = source.locator(".find").bounding_box()
    words = page.locator(".pane.peer .where").evaluate(
        "(node) => { const range = document.createRange(); range.selectNodeContents(node);"
        " return range.getBoundingClientRect().left; }"
    )
    assert find["x"] + find["width"] <= words, "where one is stands beside the search, not under it"
    page.keyboard.press("Shift+B")
    expect(page.locator("#hint")).to_have_text("b…")
    page.keyboard.press("a")
    expect(units.nth(52)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#hint")).to_have_text("Marked: ba")
    page.keyboard.press("/")
    page.keyboard.press("F1")  # also from a field: it types nothing
    expect(page.get_by_role("dialog", name="Instructions")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-find]")).to_be_focused()
    page.keyboard.press("Escape")
    check_access(page, "attribution of a long text")
