"""One judgment per submit, and no work lost, whatever happens to the tab or the network."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Error, Page, expect

from annotation.models import Draft, Judgment
from annotation.services.assessors import assessor_revoke
from annotation.services.studies import study_close
from tests.browser.conftest import intercept, place, ready, saved, slow_down
from tests.browser.test_error_spans import drag
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db(transaction=True)
SUMMEVAL = {"kind": "rating", "name": "quality", "preset": "summeval"}
HOME = reverse("work", args=["small"])
ANSWERS = {"coherence": 2.0, "consistency": 3.0, "fluency": 4.0, "relevance": 5.0}


def answer(page: Page) -> None:
    for digit in "2345":
        page.keyboard.press(digit)
    expect(page.locator("#item input:checked")).to_have_count(4)


def kill(page: Page) -> None:
    """The tab's process dies: no event of leaving the page is fired."""
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash")
    page.close()


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(100):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError(is_so)


def reopened(page: Page) -> Page:
    """The same person, in the same browser, with a new tab."""
    again = page.context.new_page()
    again.goto(HOME)
    ready(again)
    return again


def test_a_draft_survives_a_killed_tab(first_of):
    assessor, page = first_of(make_study(SEE))
    page.keyboard.press("b")
    page.keyboard.press("2")
    saved(page)
    kill(page)
    page = reopened(page)
    expect(page.locator("[data-step='units.1']")).to_have_attribute("aria-current", "step")
    expect(page.locator("[data-step='units.0'] .grade")).to_have_text("some")
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-peer='1']")).to_have_attribute("aria-pressed", "true")
    assert Draft.objects.get(assignment__assessor=assessor).answer["units"][0] == {"marks": [1], "grade": 0.5}


def test_a_draft_comes_back_on_another_device(first_of, come_in):
    assessor, page = first_of(make_study(SEE))
    page.keyboard.press("a")
    saved(page)
    other = come_in(assessor)
    expect(other.locator("[data-peer='0']")).to_have_attribute("aria-pressed", "true")


def test_what_was_done_offline_survives_a_killed_tab(first_of):
    _, page = first_of(make_study(SEE))
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(page.locator("#saved")).to_have_text("offline, kept here")
    kill(page)
    page.context.set_offline(False)
    page = reopened(page)
    expect(page.locator("[data-peer='0']")).to_have_attribute("aria-pressed", "true")
    saved(page)
    assert Draft.objects.get().answer["units"][0]["marks"] == [0]


def test_a_tab_that_was_left_behind_does_not_replace_what_another_has_saved(first_of):
    """Also where nothing was answered in it: when it is left it sends its seconds, and an answer with them."""
    _, page = first_of(make_study(SUMMEVAL))
    other = reopened(page)
    other.keyboard.press("2")
    saved(other)
    before = Draft.objects.get().answer
    assert before["values"]["coherence"] == 2
    with page.expect_response("**/draft/") as told:
        page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    assert told.value.status == 409
    expect(page.locator("#word")).to_contain_text("another tab or device")
    assert Draft.objects.get().answer == before
    page.wait_for_timeout(
        700
    )  # told once, whoever goes on all the same, or looks at the other tab, is told again
    for again in (
        lambda: page.keyboard.press("5"),
        lambda: page.evaluate("window.dispatchEvent(new Event('pagehide'))"),
    ):
        with page.expect_response("**/draft/") as told:
            again()
        assert told.value.status == 409
        page.wait_for_timeout(700)
    assert Draft.objects.get().answer == before
    page.get_by_role("button", name="Reload").click()
    expect(page.locator("#item input:checked")).to_have_count(1)
    page.keyboard.press("3")
    saved(page)
    assert Draft.objects.get().answer["values"]["consistency"] == 3


def test_a_tab_that_was_only_looked_at_keeps_nobody_from_answering_in_another(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    other = reopened(page)
    with page.expect_response("**/draft/") as told:
        page.evaluate(
            "window.dispatchEvent(new Event('pagehide'))"
        )  # it sends its seconds, and an answer with them
    assert told.value.status == 200
    other.keyboard.press("2")
    saved(other)
    assert Draft.objects.get().answer["values"]["coherence"] == 2


def test_what_was_saved_on_another_device_since_is_newer_than_what_comes_from_one_that_was_offline(
    first_of, new_context
):
    _, page = first_of(make_study(SUMMEVAL))
    cookies = page.context.cookies()
    page.keyboard.press("2")
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("5")
    expect(page.locator("#saved")).to_have_text("offline, kept here")
    other = new_context(storage_state={"cookies": cookies, "origins": []}).new_page()
    other.goto(HOME)
    ready(other)
    other.keyboard.press("3")
    saved(other)
    before = Draft.objects.get().answer
    assert before["values"]["consistency"] == 3
    page.context.set_offline(False)
    expect(page.locator("#word")).to_contain_text("another tab or device")
    assert Draft.objects.get().answer == before


def test_a_draft_whose_answer_was_lost_is_gone_on_from(first_of):
    """The server has it, and the page does not know."""
    _, page = first_of(make_study(SUMMEVAL))
    page.keyboard.press("2")
    saved(page)
    intercept(page, "**/draft/", lambda route: (route.fetch(), route.abort()))
    page.keyboard.press("3")
    expect(page.locator("#saved")).to_have_text("offline, kept here")
    assert Draft.objects.get().answer["values"]["consistency"] == 3
    page.unroute("**/draft/")
    page.keyboard.press("4")
    saved(page)
    assert Draft.objects.get().answer["values"]["fluency"] == 4


def test_what_was_saved_on_another_device_since_is_newer_than_the_copy_of_a_closed_tab(first_of, new_context):
    _, page = first_of(make_study(SUMMEVAL))
    cookies = page.context.cookies()
    page.keyboard.press("2")
    page.goto("about:blank")  # it is left before it hears that the draft has arrived
    until(Draft.objects.exists)
    other = new_context(storage_state={"cookies": cookies, "origins": []}).new_page()
    other.goto(HOME)
    ready(other)
    expect(other.locator("#item input:checked")).to_have_count(1)
    other.keyboard.press("3")
    saved(other)
    before = Draft.objects.get().answer
    assert before["values"]["consistency"] == 3
    page.goto(HOME)
    ready(page)
    expect(page.locator("#item input:checked")).to_have_count(2)
    assert page.evaluate("Object.keys(localStorage)") == []
    assert Draft.objects.get().answer == before


def test_an_answer_that_is_changed_after_it_was_refused_is_sent_as_it_is_shown(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    saved(page)
    intercept(page, "**/judgment/", lambda route: route.fulfill(status=403, body="no"))
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("no longer signed in")
    page.unroute("**/judgment/")
    page.locator("#item input").first.check(force=True)
    saved(page)
    again = reopened(page)
    expect(again.locator("#item")).to_have_attribute("data-place", "Item 1 of 2")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == ANSWERS | {"coherence": 1.0}


def test_a_double_click_stores_one_judgment(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    sent = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/judgment/") else None)
    page.locator("[data-primary]").dblclick()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    page.wait_for_timeout(300)
    assert Judgment.objects.count() == len(sent) == 1
    expect(page.locator(".problem")).to_have_count(0)
    expect(page.locator("#word")).to_be_hidden()


def test_a_request_that_is_sent_again_stores_one_judgment(first_of):
    """The server records the judgment, but its answer is lost on the way back."""
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    saved(page)
    keys = []

    def lose_the_answer(route):
        keys.append(route.request.post_data_json["client_key"])
        if len(keys) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    intercept(page, "**/judgment/", lose_the_answer)
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert len(keys) == 2
    assert len(set(keys)) == 1
    judgment = Judgment.objects.get()
    assert str(judgment.client_key) == keys[0]
    assert judgment.answer["values"] == ANSWERS


def test_a_server_that_is_away_gets_the_judgment_when_it_is_back(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    intercept(page, "**/judgment/", lambda route: route.fulfill(status=503, body="restarting"))
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("kept here and sent again")
    page.unroute("**/judgment/")
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.count() == 1


def test_an_answer_on_its_way_is_not_changed_by_clicks_or_keys(first_of):
    """Also on a slow machine, where every key is heard all the same."""
    _, page = first_of(make_study(SUMMEVAL))
    slow_down(page, 20)
    answer(page)
    saved(page)
    held, drafts = [], []

    def hold(route):
        held.append(route)

    intercept(page, "**/judgment/", hold)
    page.on("request", lambda request: drafts.append(request) if request.url.endswith("/draft/") else None)
    with page.expect_request("**/judgment/"):
        page.keyboard.press("Enter")
    page.get_by_text("very good").first.click(force=True)
    page.keyboard.press("1")
    page.wait_for_timeout(800)
    coherence = page.get_by_role("radiogroup", name="Coherence", include_hidden=True)
    assert coherence.locator("input:checked").get_attribute("value") == "1"
    assert not drafts
    held[0].continue_()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == ANSWERS


def away(page: Page) -> None:
    """Submit, and the server is away."""
    intercept(page, "**/judgment/", lambda route: route.fulfill(status=503, body="restarting"))
    page.locator("[data-primary]").click()
    expect(page.locator("#word")).to_contain_text("kept here and sent again")


def test_what_one_writes_while_an_answer_is_on_its_way_is_not_seen_as_it_would_not_be_sent(first_of):
    _, page = first_of(make_study({"kind": "cross_comprehension", "name": "cross", "questions_min": 1}))
    page.locator("#summary").fill("The ferry sank in March.")
    page.locator("[data-part=question] textarea").first.fill("When did it sink?")
    page.locator("[data-part=answer] textarea").first.fill("March")
    away(page)
    page.locator("#summary").click()
    page.keyboard.type("Nobody died.")
    expect(page.locator("#summary")).to_have_value("The ferry sank in March.")
    intercept(page, "**/judgment/", lambda route: route.fulfill(status=403, body="no"))
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#word")).to_contain_text("no longer signed in")
    page.locator("#summary").fill("The ferry sank in March, and all were saved.")
    page.unroute("**/judgment/")
    page.locator("[data-primary]").click()
    until(Judgment.objects.exists)
    assert Judgment.objects.get().answer["summary"] == "The ferry sank in March, and all were saved."


def test_words_that_one_marks_while_an_answer_is_on_its_way_are_no_error(first_of):
    _, page = first_of(make_study({"kind": "error_spans", "name": "errors", "preset": "esa"}))
    words = page.locator(".cell[data-side=output] .span-text").first
    drag(page, words, "Peer", "0")
    expect(words.locator("mark")).to_have_text("Peer 0")
    away(page)
    for key in ("Control+z", "Control+Enter"):
        page.keyboard.press(key)
    drag(page, words, "says", "d1")
    page.wait_for_timeout(300)
    expect(words.locator("mark")).to_have_text("Peer 0")


def test_two_tabs_give_one_judgment(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    second = reopened(page)
    answer(page)
    answer(second)
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    second.keyboard.press("Enter")
    expect(second.locator("#word")).to_contain_text("judged this item already")
    second.get_by_role("button", name="Go on").click()
    ready(second)
    assert place(second) == "Item 2 of 2"
    assert Judgment.objects.count() == 1


def test_offline_then_online_submits_once(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("Offline")
    assert Judgment.objects.count() == 0
    page.context.set_offline(False)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == ANSWERS


def test_a_submit_that_was_waiting_when_the_tab_died_is_sent_by_the_next_one(first_of):
    _, page = first_of(make_study(SUMMEVAL))
    answer(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("Offline")
    kill(page)
    page.context.set_offline(False)
    page = reopened(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == ANSWERS


def test_a_submit_that_was_waiting_does_not_replace_what_was_saved_on_another_device_since(
    first_of, new_context
):
    _, page = first_of(make_study(SUMMEVAL))
    cookies = page.context.cookies()
    answer(page)
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("Offline")
    kill(page)
    other = new_context(storage_state={"cookies": cookies, "origins": []}).new_page()
    other.goto(HOME)
    ready(other)
    expect(other.locator("#item input:checked")).to_have_count(4)
    other.locator("#item input").first.check(force=True)
    saved(other)
    page.context.set_offline(False)
    page = reopened(page)
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 1 of 2")
    assert not Judgment.objects.exists()
    assert Draft.objects.get().answer["values"] == ANSWERS | {"coherence": 1.0}
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.get().answer["values"] == ANSWERS | {"coherence": 1.0}


def test_a_revoked_link_says_so_and_keeps_the_answer_in_the_browser(first_of):
    assessor, page = first_of(make_study(SUMMEVAL))
    answer(page)
    saved(page)
    assessor_revoke(assessor=assessor)
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text(
        "no longer signed in. Open your link again: your work is kept here"
    )
    kept = page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('touchstone.pending.'))")
    assert len(kept) == 1
    assert Judgment.objects.count() == 0


def test_a_closed_study_says_so_and_takes_the_answer_when_it_is_open_again(first_of):
    assessor, page = first_of(make_study(SUMMEVAL))
    answer(page)
    saved(page)
    study_close(study=assessor.study)
    page.keyboard.press("Enter")
    expect(page.locator("#word")).to_contain_text("not open")
    assessor.study.state = "open"
    assessor.study.save()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 2")
    assert Judgment.objects.count() == 1


def test_a_next_item_whose_script_cannot_be_had_is_said_and_comes_later(first_of):
    """The next item is of another kind, and the network goes away between the submit and that kind's script."""
    script = re.compile(r"/see[^?]*\.js")
    _, page = first_of(make_study(SUMMEVAL, SEE, documents=1, systems=("qx31",), assessors=1))
    page.context.route(script, lambda route: route.abort())
    answer(page)
    page.keyboard.press("Enter")
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_focused()
    expect(page.locator("#word")).to_contain_text(
        "Your answer is saved, but what comes next could not be loaded"
    )
    with page.expect_request(script):
        page.keyboard.press("Enter")
    expect(again).to_be_focused()
    page.context.unroute(script)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-peer='0']")
    ready(page)
    page.get_by_role("dialog", name="Next: Coverage").get_by_role("button", name="Begin").click()
    assert Judgment.objects.get().answer["values"] == ANSWERS
    page.keyboard.press("a")
    saved(page)


def test_a_page_whose_script_cannot_be_had_says_so(first_of):
    script = re.compile(r"/rating[^?]*\.js")
    _, page = first_of(make_study(SUMMEVAL))
    page.keyboard.press("2")
    saved(page)
    page.context.route(script, lambda route: route.abort())
    page.reload()
    expect(page.locator("#word")).to_contain_text("could not be loaded")
    page.context.unroute(script)
    page.get_by_role("button", name="Try again").click()
    ready(page)
    expect(page.locator("#item input:checked")).to_have_count(1)
