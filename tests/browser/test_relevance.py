"""Relevance prediction in a browser: from import to results by keyboard, and the ways in which somebody might go back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment, Study
from annotation.services.studies import study_import
from annotation.study_files import read_study
from tests.browser.conftest import NARROWEST, begin_part, place, ready, saved
from tests.conftest import ROOT
from tests.factories import owner_client

pytestmark = pytest.mark.django_db(transaction=True)
ORDER = ["HEAD", "HUM", "full", "HUM", "HEAD", "full"]  # of two documents, one in each half


def small_study(*, practice: bool = False) -> Study:
    """Two documents of the example study, six items; with practice, three items of another event come first."""
    file = read_study(ROOT / "fixtures" / "relevance")
    kept = {"ferry-1", "ferry-3", *(["clock-1"] if practice else [])}
    topics = [
        topic.model_copy(update={"gold": {key: value for key, value in topic.gold.items() if key in kept}})
        for topic in file.materials.topics
        if kept & set(topic.gold)
    ]
    materials = replace(
        file.materials,
        topics=tuple(topics),
        documents=tuple(row for row in file.materials.documents if row.id in kept),
        outputs=tuple(row for row in file.materials.outputs if row.document in kept),
    )
    config = {**file.tasks[0].config, "practice_topics": ["clock"] if practice else []}
    tasks = (file.tasks[0].model_copy(update={"config": config}),)
    return study_import(
        study_file=replace(file, materials=materials, tasks=tasks, assessors=file.assessors[:1])
    )


def judge(page: Page, key: str) -> None:
    """Choose and submit, and wait for what comes next."""
    before = page.evaluate("document.getElementById('item-urls').textContent")
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "(before) => document.getElementById('item-urls')?.textContent !== before"
        " || !document.getElementById('feedback').hidden",
        arg=before,
    )


def practise(page: Page) -> None:
    for _ in range(3):
        judge(page, "1")
        expect(page.locator("#feedback")).to_contain_text("Relevant, as we would say.")
        page.keyboard.press("Enter")
        expect(page.locator("#feedback")).to_be_hidden()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 1 of 6")


@pytest.fixture
def at_work(first_of) -> Page:
    _, page = first_of(small_study())
    return page


def is_relevant(shown: str) -> bool:
    """Everything of ferry-1 is relevant; of ferry-3 only the headline is taken to be."""
    ours = ("No boats before summer", "All ferries on Marrow", "Elspeth Rook")
    return any(words in shown for words in ours) or ("Puffins return" in shown and "Wardens" not in shown)


def row(page: Page, table: str, name: str) -> Locator:
    region = page.get_by_role("region", name=table)
    return region.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))


def test_from_import_to_results_by_keyboard(first_of, new_context, live_server):
    study = small_study(practice=True)
    _, page = first_of(study)
    practise(page)
    for number in range(1, 7):
        expect(page.locator("#item")).to_have_attribute("data-place", f"Item {number} of 6")
        begin_part(page)
        page.keyboard.press("1" if is_relevant(page.locator(".pane.text").inner_text()) else "0")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="You have finished")).to_be_visible()
    counted = Judgment.objects.filter(assignment__counts=True).order_by("submitted_at")
    assert [judgment.assignment.subject.noted["kind"] for judgment in counted] == ORDER

    context = new_context()
    cookie = owner_client(study).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    results = context.new_page()
    results.goto(reverse("study_results", args=[study.slug]))
    by_kind = "Agreement by kind of surrogate"
    expect(row(results, by_kind, "HEAD").get_by_role("cell")).to_have_text(["0.500", "2", "0.500", "2"])
    expect(row(results, by_kind, "HUM").get_by_role("cell")).to_have_text(["1.000", "2", "1.000", "2"])
    expect(row(results, by_kind, "full").get_by_role("cell")).to_have_text(["–", "–", "1.000", "2"])
    for table in (
        "Agreement by event",
        "Agreement by assessor",
        "Surrogate against full text",
        "Time per judgment",
    ):
        expect(results.get_by_role("region", name=table)).to_contain_text("HEAD")


# --- no going back --------------------------------------------------------------------------------------------------


def test_the_back_button_shows_where_the_assessor_stands(at_work):
    page = at_work
    judge(page, "1")
    judge(page, "0")
    page.reload()
    ready(page)
    judge(page, "1")
    assert place(page) == "Item 4 of 6"
    text = page.locator(".pane.text").inner_text()
    for _ in range(3):
        page.go_back()
        if page.url.startswith("about:"):
            break
        ready(page)
        assert place(page) == "Item 4 of 6"
        assert page.locator(".pane.text").inner_text() == text
    assert Judgment.objects.count() == 3


def test_an_earlier_address_and_a_later_one_show_where_the_assessor_stands(at_work):
    page = at_work
    earlier = page.url
    judge(page, "1")
    page.goto(earlier)
    ready(page)
    assert place(page) == "Item 2 of 6"
    later = Judgment.objects.latest("pk").assignment.assessor.assignments.filter(shown_at=None).last()
    page.goto(reverse("item", args=["relevance-prediction", later.public_id]))
    ready(page)
    assert place(page) == "Item 2 of 6"


def test_a_replayed_form_changes_nothing(at_work):
    page = at_work
    with page.expect_request("**/judgment/") as sent:
        judge(page, "1")
    request = sent.value
    headers = {name: request.headers[name] for name in ("x-csrftoken", "content-type")}
    for body in (request.post_data_json, {**request.post_data_json, "answer": {"relevant": 0.0}}):
        again = page.request.post(request.url, data=body, headers=headers).json()
        assert again["status"] == "already"
    other = {**request.post_data_json, "client_key": "6f2c1f63-9f5b-4a53-9d5e-0a5a0c6e0e11"}
    assert page.request.post(request.url, data=other, headers=headers).status == 409
    assert Judgment.objects.get().answer == {"relevant": 1.0}
    page.reload()
    ready(page)
    assert place(page) == "Item 2 of 6"


def test_a_second_tab_is_told_and_sent_on(at_work):
    page = at_work
    second = page.context.new_page()
    second.goto(page.url)
    ready(second)
    judge(page, "1")
    second.keyboard.press("0")
    second.keyboard.press("Enter")
    expect(second.locator("#word")).to_contain_text("judged this item already")
    second.get_by_role("button", name="Go on").click()
    ready(second)
    assert place(second) == "Item 2 of 6"
    assert Judgment.objects.get().answer == {"relevant": 1.0}


def test_nothing_goes_on_without_a_choice(at_work):
    page = at_work
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_have_text("Choose relevant or not relevant.")
    expect(page.locator("#live")).to_have_text("Choose relevant or not relevant.")
    expect(page.get_by_role("radio").first).to_be_focused()
    assert not Judgment.objects.exists()
    expect(page.locator(".choice-button")).to_have_text(["0 not relevant", "1 relevant"])
    page.get_by_role("radiogroup").get_by_text("not relevant").click()
    page.locator("[data-primary]").click()
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 6")
    assert Judgment.objects.get().answer == {"relevant": 0.0}


# --- for everybody --------------------------------------------------------------------------------------------------


def test_surrogate_and_full_text_can_be_judged_by_all(at_work, check_access):
    page = at_work
    check_access(page, "a surrogate")
    page.keyboard.press("1")
    saved(page)
    check_access(page, "chosen")
    page.keyboard.press("Enter")
    expect(page.locator("#item")).to_have_attribute("data-place", "Item 2 of 6")
    judge(page, "1")
    page.keyboard.press("Enter")
    check_access(page, "full text, nothing chosen")
    page.set_viewport_size(NARROWEST)
    for button in page.locator(".choice-button, [data-primary]").all():
        expect(button).to_be_in_viewport(ratio=1)
