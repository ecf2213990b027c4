"""What every item's page has: the clock, breaks, flags, messages, the keys, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft, Flag, Judgment
from annotation.services.studies import study_close
from tests.browser.conftest import ready, saved
from tests.long_studies import long_study
from tests.studies import SEE, make_study, practice

pytestmark = pytest.mark.django_db(transaction=True)
ONE = {"kind": "rating", "name": "quality", "preset": "qa-correctness"}


def menu(page: Page, name: str) -> None:
    page.locator(".menu summary").click()
    page.locator(".menu").get_by_text(name).click()


def seconds(page: Page) -> float:
    """What the page would send now."""
    with page.expect_request("**/draft/") as sent:
        page.keyboard.press("1")
        page.clock.run_for(1000)
    return sent.value.post_data_json["seconds"]


@pytest.fixture
def timed(first_of, new_context) -> Page:
    """An item on a page whose time only passes when the test says so."""
    context = new_context()
    context.clock.install()
    _, page = first_of(make_study(ONE), context=context)
    return page


def test_active_seconds_count_while_the_assessor_is_at_work(timed):
    start = seconds(timed)
    for _ in range(4):
        timed.clock.run_for(10_000)
        timed.mouse.move(100, 100 + _)
    assert seconds(timed) - start == pytest.approx(41, abs=2)


def test_idle_time_counts_for_a_minute_and_the_words_on_the_screen_and_then_the_page_asks(timed):
    start = seconds(timed)
    timed.clock.run_for(600_000)
    expect(timed.locator("#still")).to_contain_text("Still reading?")
    # A dozen words can be read here, at 150 a minute.
    assert seconds(timed) - start == pytest.approx(65, abs=4)
    expect(timed.locator("#still")).to_be_hidden()


def test_still_reading_of_a_long_text_counts_and_both_counts_are_sent(first_of, new_context):
    context = new_context()
    context.clock.install()
    _, page = first_of(long_study(ONE, whole=True), context=context)
    start = seconds(page)
    page.clock.run_for(100_000)
    assert seconds(page) - start == pytest.approx(101, abs=3)
    page.clock.run_for(1_800_000)
    with page.expect_request("**/draft/") as sent:
        page.keyboard.press("0")
        page.clock.run_for(1000)
    body = sent.value.post_data_json
    assert body["raw_seconds"] - body["seconds"] > 1_000


def test_a_break_covers_the_texts_and_stops_the_clock(timed):
    start = seconds(timed)
    menu(timed, "Take a break")
    dialog = timed.get_by_role("dialog", name="A break")
    assert dialog.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 800}
    timed.clock.run_for(30_000)
    timed.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    assert seconds(timed) - start == pytest.approx(1, abs=1.5)
    # Enter goes on with the work, and does not open the menu again.
    timed.keyboard.press("Enter")
    expect(timed.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")


def test_after_fifty_minutes_a_break_is_offered_also_in_the_middle_of_an_item(timed):
    """Before: only after a submit, so that nobody at an item of hours was ever asked."""
    timed.evaluate("sessionStorage.setItem('touchstone.worked', '2980')")
    expect(timed.locator("#rest")).to_be_hidden()
    for step in range(4):
        timed.clock.run_for(10_000)
        timed.mouse.move(100, 100 + step)
    expect(timed.locator("#rest")).to_be_visible()


def test_the_time_of_earlier_visits_is_kept(first_of):
    assessor, page = first_of(make_study(ONE))
    page.wait_for_timeout(1500)
    page.goto("/work/small/?instructions")
    expect(page.get_by_role("link", name="Back to work")).to_be_visible()
    draft = Draft.objects.get(assignment__assessor=assessor)
    assert draft.seconds > 1
    page.get_by_role("link", name="Back to work").click()
    ready(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().seconds > draft.seconds


def test_a_broken_item_is_flagged_with_a_comment(first_of):
    assessor, page = first_of(make_study(ONE))
    menu(page, "Flag this item")
    dialog = page.get_by_role("dialog", name="Flag this item")
    page.keyboard.type("The text is cut off. 1 2 3")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_be_hidden()
    flag = Flag.objects.get()
    assert (flag.assessor, flag.comment) == (assessor, "The text is cut off. 1 2 3")
    assert flag.assignment == assessor.assignments.get(position=1)
    expect(page.locator("#item input:checked")).to_have_count(0)
    expect(page.locator(".menu summary")).to_be_focused()
    expect(page.locator("#flagged")).to_be_visible()
    page.reload()
    ready(page)
    expect(page.locator("#flagged")).to_be_visible()
    menu(page, "Flag this item")
    expect(page.locator("#flags-said")).to_have_text("The text is cut off. 1 2 3")


def test_a_message_to_the_experimenter_stays_when_it_cannot_be_sent(first_of):
    _, page = first_of(make_study(ONE))
    menu(page, "Write to the experimenter")
    dialog = page.get_by_role("dialog", name="Write to the experimenter")
    dialog.get_by_label("Your message").fill("When is lunch?")
    page.context.set_offline(True)
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.get_by_role("alert")).to_contain_text("try again")
    page.context.set_offline(False)
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_be_hidden()
    assert Flag.objects.get(assignment=None).comment == "When is lunch?"


def test_practice_gives_feedback_and_does_not_count(first_of):
    key = {"values": {"correctness": 1.0}}
    study = make_study(ONE, practice=(practice("quality", key=key),))
    _, page = first_of(study)
    expect(page.locator(".bar .badge")).to_have_text("Practice 1 of 1")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    feedback = page.get_by_role("region", name="Practice: how your answer compares")
    expect(feedback).to_contain_text("you said wrong, we would say correct")
    expect(page.get_by_text("Long story of d1")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 1 of 2")
    expect(page.locator(".bar progress")).to_have_attribute("value", "0")
    assert Judgment.objects.get().assignment.subject.practice


def test_the_page_is_light_or_dark_as_the_system_says_until_it_is_switched(first_of, new_context):
    _, page = first_of(make_study(ONE), context=new_context(color_scheme="dark"))
    background = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(background)
    menu(page, "Light page")
    light = page.evaluate(background)
    assert light != dark
    page.reload()
    assert page.evaluate(background) == light
    page.locator(".menu summary").click()
    expect(page.locator(".menu").get_by_text("Dark page")).to_be_visible()


def test_progress_is_shown_and_the_end_gives_a_completion_code(first_of):
    assessor, page = first_of(make_study(ONE))
    for number in (1, 2):
        ready(page)
        expect(page.locator(".bar-place")).to_contain_text(f"Item {number} of 2")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="You have finished")).to_be_visible()
    expect(page.get_by_text(assessor.completion_code)).to_be_visible()


def test_consent_is_asked_for_and_needed(first_of):
    assessor, page = first_of(make_study(ONE, consent="I *agree*."), started=False)
    page.get_by_role("button", name="Begin").click()
    assert page.url.endswith("/work/small/")
    page.get_by_label("agree to take part").check()
    page.get_by_role("button", name="Begin").click()
    ready(page)
    assessor.refresh_from_db()
    assert assessor.started_at


def test_the_link_s_token_does_not_stay_in_the_address(first_of):
    _, page = first_of(make_study(ONE), started=False)
    assert "/join/" not in page.url


def test_tab_order_follows_the_page_and_focus_is_always_visible(first_of):
    _, page = first_of(make_study(SEE))
    places = []
    for _ in range(14):
        page.keyboard.press("Tab")
        places.append(
            page.evaluate(
                """() => {
                  const node = document.activeElement, box = node.getBoundingClientRect();
                  const outline = getComputedStyle(node);
                  return [node.className, box.width > 0, outline.outlineStyle !== "none"];
                }"""
            )
        )
    assert places[0][0] == "skip"
    assert all(width and outline for _, width, outline in places[:12]), places
    assert [name for name, *_ in places].index("unit") < [name for name, *_ in places].index("choice-button")


def test_a_study_that_closes_meanwhile_is_named_on_the_way_in(first_of):
    assessor, page = first_of(make_study(ONE))
    page.keyboard.press("1")
    saved(page)
    study_close(study=assessor.study)
    page.goto("/work/small/")
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
