"""Content units in a browser: building and judging by keyboard and by mouse, over reloads, two builders and a new version."""

from __future__ import annotations

import time

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Judgment
from annotation.services.dealing import phase_open
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.study_files.schema import (
    ContentUnitRow,
    DocumentRow,
    Materials,
    OutputRow,
    ReferenceRow,
    SystemRow,
)
from tests.browser.conftest import NARROW, ready, saved
from tests.conftest import ROOT
from tests.factories import PASSWORD, member
from tests.long_studies import sentences
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
    # Letters that are composed of several keys, as in Chinese: each key is seen until the letter is there.
    keys = page.context.new_cdp_session(page)
    for composed in ("d", "de", "deng"):
        place = {"selectionStart": len(composed), "selectionEnd": len(composed)}
        keys.send("Input.imeSetComposition", {"text": composed, **place})
    keys.send("Input.insertText", {"text": "灯"})
    expect(page.locator(".written textarea")).to_have_count(2)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator(".written textarea")).to_have_count(1)
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    expect(page.locator(".written textarea").nth(1)).to_have_value("It burns again.灯")
    saved(page)
    check_access(page, "writing units")
    page.reload()
    ready(page)
    expect(page.locator(".written textarea").nth(1)).to_have_value("It burns again.灯")
    page.locator(".written textarea").first.focus()
    page.keyboard.press("Control+Enter")
    answered(1)
    assert [unit["text"] for unit in last_answer()["written"]] == ["The light burns.", "It burns again.灯"]


def test_a_word_that_is_still_being_composed_is_submitted_with_the_others(first_of):
    """A tap on a button leaves a field its focus on some phones, and the word in it open."""
    _, page = first_of(make_study({"kind": "units_present", "name": "units", "writing": True}, documents=1))
    page.locator("[data-add]").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("It burns again.")
    keys = page.context.new_cdp_session(page)
    keys.send("Input.imeSetComposition", {"text": "deng", "selectionStart": 4, "selectionEnd": 4})
    expect(page.locator(".written textarea")).to_have_value("It burns again.deng")
    page.locator("[data-primary]").dispatch_event("click")
    answered(1)
    assert [unit["text"] for unit in last_answer()["written"]] == ["It burns again.deng"]


# --- nuggets ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def nuggets():
    return make_study({"kind": "nuggets", "name": "facts"}, documents=1, assessors=1)


def words_selected(page, field, count):
    """The first words of a text, selected by keys."""
    field.focus()
    page.keyboard.press("Home")
    for _ in range(count - 1):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")


def test_a_key_is_made_by_keyboard_over_a_reload_and_judged(nuggets, first_of, check_access):
    _, page = first_of(nuggets)
    words_selected(page, page.locator("[data-text]").first, 2)
    expect(page.locator("#picked")).not_to_be_empty()
    page.keyboard.press("n")
    page.keyboard.press("v")
    page.keyboard.press("c")
    page.keyboard.press("n")
    page.keyboard.type("a typed fact that nobody answered")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#hint")).to_contain_text("is vital or okay")
    page.keyboard.press("o")
    page.keyboard.press("u")
    expect(page.locator(".nugget-card textarea").first).to_have_value("a typed fact that nobody answered")
    page.keyboard.press("Control+z")
    expect(page.locator(".nugget-card textarea").nth(1)).to_have_value("a typed fact that nobody answered")
    page.keyboard.press("Control+y")
    page.keyboard.press("s")
    expect(page.locator(".nugget-card")).to_have_count(3)
    page.keyboard.press("Escape")
    page.locator(".unit-cards").click(position={"x": 3, "y": 3})
    saved(page)
    check_access(page, "making a key")
    page.reload()
    ready(page)
    expect(page.locator(".nugget-card")).to_have_count(3)
    expect(page.locator("[data-covered]").first).to_be_checked()
    page.locator("[data-text]").first.focus()
    page.keyboard.press("]")
    page.keyboard.press("m")
    page.keyboard.press("]")
    expect(page.locator(".nugget-card")).to_have_count(2)
    page.keyboard.press("Control+Enter")
    answered(1)
    made = last_answer()["nuggets"]
    assert [nugget["status"] for nugget in made] == ["okay", "vital"]
    assert made[0]["text"] == "a typed fact; that nobody answered"
    page.wait_for_url("**/finished/")
    phase_open(task=nuggets.tasks.get())
    page.goto(reverse("work", args=[nuggets.slug]))
    ready(page)
    page.keyboard.press("1")
    page.keyboard.press("b")
    expect(page.locator("[data-evidence]").first).to_have_text("shown by B")
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    saved(page)
    check_access(page, "judging nuggets")
    page.keyboard.press("Enter")
    answered(2)
    first, second = last_answer()["support"].values()
    assert (first, second) == ({"value": 1, "strings": [2]}, {"value": 0, "strings": []})


def test_a_key_without_a_vital_nugget_is_asked_about_once_by_mouse(nuggets, first_of):
    _, page = first_of(nuggets)
    page.locator("[data-new]").click()
    field = page.locator(".nugget-card textarea")
    field.fill("a long fact\nof two lines, " * 12)
    assert field.evaluate("field => field.scrollHeight <= field.clientHeight"), "all of it is seen"
    assert "\n" not in field.input_value()
    field.fill("fact")
    page.get_by_role("button", name="okay").click()
    page.locator("[data-primary]").click()
    expect(page.locator("#hint")).to_contain_text("F will be undefined")
    assert not Judgment.objects.exists()
    page.locator("[data-primary]").click()
    answered(1)


# --- pyramids ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def pyramid():
    """One topic with three models; two people build, and a third matches."""
    made = study_import(study_file=read_study(ROOT / "fixtures" / "pyramid"))
    made.tasks.filter(name="given").delete()
    task = made.tasks.get()
    task.config = {"builders": "builders", "judges": "matchers", "builders_per_item": 2}
    task.save()
    made.topics.filter(key="library").delete()
    study_open(study=made)
    return made


def test_a_pyramid_is_built_by_keyboard_over_a_reload(pyramid, come_in, check_access):
    page = come_in(assessor(pyramid, "Geno"))
    models = page.locator("[data-text]")
    # From wherever one is, arrows lead into a text; words that stand selected need no Enter.
    for key in ("ArrowRight", *["Shift+ArrowRight"] * 4, "n"):
        page.keyboard.press(key)
    expect(page.locator(".unit-head")).to_have_text("1A storm closed the port")
    words_selected(page, models.nth(3), 7)
    page.keyboard.press("a")
    expect(page.locator(".weight")).to_have_text("2")
    words_selected(page, models.nth(3), 2)
    page.keyboard.press("a")
    expect(page.locator("#hint")).to_contain_text("has words of Model 4 already")
    page.keyboard.press("Escape")
    models.nth(0).focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.press("p")
    expect(page.locator("#hint")).to_contain_text("words of one model")
    page.keyboard.press(",")
    page.keyboard.press("p")
    page.keyboard.press("l")
    page.keyboard.type("The port was closed")
    page.keyboard.press("Enter")
    words_selected(page, models.nth(1), 3)
    page.keyboard.press("n")
    page.keyboard.press("Control+z")
    expect(page.locator(".unit-head")).to_have_count(1)
    page.keyboard.press("Control+y")
    expect(page.locator(".unit-head")).to_have_count(2)
    expect(page.locator("#standing")).to_have_text("2 units · none of Model 3")
    page.keyboard.press("f")
    page.keyboard.type("monday")
    expect(page.locator("[data-found]")).to_have_text("3 found")
    page.keyboard.press("Enter")
    expect(page.locator("mark.found-now")).to_have_count(1)
    page.keyboard.press("Escape")
    saved(page)
    check_access(page, "building a pyramid")
    page.reload()
    ready(page)
    expect(page.locator(".unit-head")).to_have_count(2)
    page.locator("[data-text]").first.focus()
    page.keyboard.press("[")
    page.keyboard.press("j")
    page.keyboard.press("[")
    page.keyboard.press("Control+Enter")
    answered(1)
    units = last_answer()["scus"]
    assert units[0]["label"] == "The port was closed"
    parts = {one["reference"]: one["parts"] for one in units[0]["contributors"]}
    assert parts["harbour-anna"] == [[0, 23], [108, 109]]


def test_two_pyramids_are_built_by_mouse_one_is_chosen_and_matched_and_a_new_version_comes_again(
    pyramid, come_in, new_context, check_access
):
    for name in ("Geno", "Hedda"):
        page = come_in(assessor(pyramid, name))
        page.locator("[data-text]").first.dblclick(position={"x": 30, "y": 12})
        expect(page.locator("#picked")).not_to_be_empty()
        page.locator("[data-new]").click()
        page.locator('[data-keep="label"]').fill(f"A storm, says {name}")
        saved(page)
        page.locator("[data-primary]").click()
        answered(1 if name == "Geno" else 2)
    member(pyramid, username="olga")
    boss = new_context().new_page()
    boss.goto(reverse("login"))
    boss.fill("input[name=username]", "olga")
    boss.fill("input[name=password]", PASSWORD)
    boss.keyboard.press("Enter")
    boss.wait_for_url("**/password/")
    boss.goto(reverse("study_plan", args=[pyramid.slug]))
    boss.get_by_role("button", name="Open matching").click()
    expect(boss.get_by_text("several people have built a key for harbour")).to_be_visible()
    boss.get_by_role("button", name="Choose the key of Hedda for harbour").click()
    expect(boss.get_by_text("goes on", exact=True)).to_be_visible()
    check_access(boss, "keys on the plan page")
    boss.get_by_role("button", name="Open matching").click()
    expect(boss.get_by_text("The phase “matching” of built is open.")).to_be_visible()
    page = come_in(assessor(pyramid, "Ivo"))
    expect(page.locator(".unit-head")).to_have_text("A storm, says Hedda")
    assert '"weight"' not in page.content(), "a weight tells what others found important"
    before = Judgment.objects.count()
    page.locator("[data-primary]").click()
    expect(page.locator("#hint")).to_contain_text("Match these words, or set them aside")
    page.locator(".unit-head").click()
    page.keyboard.press("w")
    page.keyboard.press("a")
    expect(page.locator("#standing")).to_have_text("Every word is matched or set aside")
    page.locator(".unit-card.chosen").get_by_role("button", name="Remove").click()
    page.keyboard.press("w")
    # Enter that ends the composing of a letter is not yet one that adds.
    page.locator("[data-filter]").dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    expect(page.locator("#picked")).not_to_be_empty()
    page.keyboard.press("o")
    saved(page)
    check_access(page, "matching a pyramid")
    page.keyboard.press("Control+Enter")
    answered(before + 1)
    boss.goto(reverse("study_plan", args=[pyramid.slug]))
    boss.get_by_role("button", name="Open again the key of Hedda for harbour").click()
    expect(boss.get_by_text("at work", exact=True)).to_be_visible()
    builder = come_in(assessor(pyramid, "Hedda"))
    expect(builder.locator(".unit-head")).to_have_count(1)
    builder.locator(".unit-head").click()
    builder.locator('[data-keep="label"]').fill("A storm, says Hedda again")
    builder.locator("[data-primary]").click()
    answered(before + 2)
    boss.goto(reverse("study_plan", args=[pyramid.slug]))
    boss.get_by_role("button", name="Add what is new").click()
    expect(boss.get_by_text("new to judge.")).to_be_visible()
    page = come_in(assessor(pyramid, "Ivo"))
    expect(page.locator(".unit-head")).to_have_text("A storm, says Hedda again")


def test_on_a_phone_a_pyramid_can_be_read_and_says_that_it_needs_more_room(pyramid, come_in):
    page = come_in(assessor(pyramid, "Geno"))
    page.set_viewport_size(NARROW)
    expect(page.get_by_text("Building needs a wider screen")).to_be_visible()
    expect(page.locator("[data-text]").last).to_be_visible()
    expect(page.locator("[data-new]")).to_be_hidden()


def test_four_models_of_250_words_stand_two_by_two_on_a_laptop_and_every_text_scrolls(first_of, check_access):
    study = make_study(
        {"kind": "pyramid", "name": "pyramid", "prefilled": True},
        documents=1,
        assessors=1,
        materials=Materials(
            documents=(DocumentRow(id="d1", title="A long story", text="A story."),),
            references=tuple(
                ReferenceRow(id=f"r{n}", document="d1", units=sentences("en", 20, start=n)) for n in range(4)
            ),
            outputs=(OutputRow(system="qx31", document="d1", text="Peer."),),
            systems=(SystemRow(id="qx31"),),
            units=(
                ContentUnitRow(
                    id="1",
                    document="d1",
                    text="Donau" * 40,
                    contributors=({"reference": "r0", "parts": [[0, 11]]},),
                ),
            ),
        ),
    )
    _, page = first_of(study)
    assert page.locator(".built").evaluate("pane => pane.scrollWidth - pane.clientWidth") == 0
    assert min(len(text.split()) for text in page.locator("[data-text]").all_inner_texts()) > 200
    boxes = [model.bounding_box() for model in page.locator(".model").all()]
    assert boxes[0]["y"] == boxes[1]["y"] < boxes[2]["y"] == boxes[3]["y"]
    page.keyboard.press("f")
    page.keyboard.type("the")
    page.keyboard.press("Shift+Enter")
    expect(page.locator("mark.found-now")).to_be_in_viewport()
    check_access(page, "four long models")


def test_ctrl_enter_that_is_held_down_or_pressed_twice_submits_one_text(first_of):
    """Where words may stay unmatched, a text that nobody has seen yet would be complete."""
    documents = [f"d{number}" for number in range(1, 7)]
    study = make_study(
        {"kind": "pyramid", "name": "pyramid", "building": False, "cover": False},
        assessors=1,
        materials=Materials(
            documents=tuple(DocumentRow(id=one, title=one, text="A story.") for one in documents),
            references=tuple(
                ReferenceRow(id=f"r-{one}", document=one, text="A ferry sank.") for one in documents
            ),
            outputs=tuple(OutputRow(system="qx31", document=one, text="A ship sank.") for one in documents),
            systems=(SystemRow(id="qx31"),),
            units=tuple(
                ContentUnitRow(
                    id="1",
                    document=one,
                    text="A ferry sank",
                    contributors=({"reference": f"r-{one}", "parts": [[0, 12]]},),
                )
                for one in documents
            ),
        ),
    )
    _, page = first_of(study)
    place = page.locator("#item").get_attribute
    first = place("data-place")
    held = page.context.new_cdp_session(page)
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 2}
    held.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    expect(page.locator("#item")).not_to_have_attribute("data-place", first)
    for _ in range(20):
        held.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "autoRepeat": True, **enter})
        page.wait_for_timeout(30)
    held.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
    assert Judgment.objects.count() == 1

    second = place("data-place")
    page.evaluate("""document.addEventListener("touchstone:swapped", () => setTimeout(() =>
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true })), 100))""")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#item")).not_to_have_attribute("data-place", second)
    page.wait_for_timeout(500)
    assert Judgment.objects.count() == 2
