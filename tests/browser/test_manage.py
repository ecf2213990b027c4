"""The experimenter's path in a real browser, from the login to the results; and whether its pages can be used by all."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Draft, Flag, Judgment, Study
from annotation.services import work
from annotation.services.assessors import flag_raise
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_import, study_open
from annotation.study_files import read_study, zipped
from tests.browser.conftest import ready
from tests.conftest import ROOT
from tests.factories import PASSWORD, experimenter, member
from tests.studies import SEE, TIDES, make_study, study_file

pytestmark = pytest.mark.django_db(transaction=True)


def log_in(page: Page, username: str, password: str = PASSWORD) -> None:
    page.goto(reverse("login"))
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


@pytest.fixture
def at_desk(new_context):
    """An experimenter who is logged in and has been here before."""

    def enter(user=None, **options) -> Page:
        user = user or experimenter("erika")
        user.last_login = timezone.now()
        user.save()
        page = new_context(**options).new_page()
        log_in(page, user.username)
        expect(page).to_have_url(reverse("study_list"))
        return page

    return enter


def upload(page: Page, name: str, data: bytes) -> None:
    page.get_by_role("link", name="Upload a study file").click()
    page.get_by_label("Study file").set_input_files(
        {"name": name, "mimeType": "application/zip", "buffer": data}
    )
    page.get_by_role("button", name="Upload and check").click()


def tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Study").get_by_role("link", name=name).click()


def test_an_experimenter_goes_from_the_first_login_to_the_results(new_context, come_in):
    experimenter("erika", password="printed-on-start")
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()

    log_in(page, "erika", "printed-on-start")
    expect(page.get_by_text("Choose a password of your own")).to_be_visible()
    page.get_by_label("Old password").fill("printed-on-start")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("You have no study yet")).to_be_visible()

    upload(page, "demo.zip", zipped(read_study(ROOT / "fixtures" / "demo")))
    expect(page.get_by_role("heading", level=1)).to_have_text("Three stories, four summarisers")
    expect(page.get_by_text("A draft of")).to_be_visible()

    tab(page, "Plan")
    plan = page.get_by_role("region", name="Plan of coverage").get_by_role("row")
    expect(plan).to_have_count(1 + 4)
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The work is dealt as the plan shows it")).to_be_visible()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is open.")).to_be_visible()

    page.get_by_role("button", name="Create link for Ada").click()
    page.get_by_role("button", name="Copy the link of Ada").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.get_by_label("Ada", exact=True).input_value()
    assert link.startswith(page.url.split("/studies/")[0] + "/join/")
    tab(page, "People")
    expect(page.get_by_label("Ada", exact=True)).to_have_count(0)

    assessor = new_context().new_page()
    assessor.goto(link)
    expect(assessor.get_by_text("Three stories, four summarisers").first).to_be_visible()
    page.get_by_role("button", name="Revoke the link of Ada").click()
    page.get_by_role("button", name="Revoke the link").click()
    expect(page.get_by_text("The link of Ada no longer works.")).to_be_visible()
    assert assessor.reload().status == 403

    study_simulate(study=Study.objects.get(), seed=4)
    tab(page, "Progress")
    expect(page.locator(".headline")).to_contain_text("judged twice")
    page.get_by_role("link", name="Judgments").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Judgments")
    page.get_by_role("link", name="By item").click()
    expect(page.locator("tbody tr")).to_have_count(3)

    tab(page, "Results")
    expect(page.get_by_role("heading", name="coverage", exact=True, level=3)).to_be_visible()
    expect(page.get_by_role("heading", name="fluency", level=3)).to_be_visible()
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("The study is closed.")).to_be_visible()
    tab(page, "Downloads")
    with page.expect_download() as started:
        page.get_by_role("link", name="demo.judgments.csv", exact=True).click()
    assert started.value.suggested_filename == "demo.judgments.csv"


def test_a_study_file_with_faults_is_answered_with_all_of_them(at_desk, check_access):
    page = at_desk()
    broken = study_file(slug="small")
    materials = broken.materials
    object.__setattr__(materials, "outputs", materials.outputs[:1] * 2)
    upload(page, "bad.zip", zipped(broken))
    expect(page.get_by_text("Nothing was imported.")).to_be_visible()
    expect(page.locator(".problems tbody tr").first).to_contain_text("outputs.jsonl")
    check_access(page, "upload with problems")
    assert not Study.objects.exists()


def test_the_whole_row_of_a_study_is_its_link(at_desk):
    study = make_study(SEE)
    Study.objects.update(name="Withoutaspace" * 12)
    study.assessors.filter(pk=study.assessors.first().pk).update(name="Longname" * 14)
    page = at_desk(member(study))
    page.get_by_role("row").nth(1).get_by_role("cell").last.click(force=True)
    expect(page).to_have_url(reverse("study", args=[study.slug]))
    for name in (
        "study",
        "study_people",
        "study_list",
    ):  # long names are broken, and push nothing off the page
        page.goto(reverse(name, args=[] if name == "study_list" else [study.slug]))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_the_head_of_a_long_table_stays_in_sight(at_desk):
    study = make_study(SEE, documents=45)
    page = at_desk(member(study))
    page.goto(reverse("study_materials", args=[study.slug]))
    page.mouse.wheel(0, 900)
    page.wait_for_function("window.scrollY > 600")
    assert page.locator("thead th").first.bounding_box()["y"] == pytest.approx(0, abs=2)


def test_a_link_can_be_copied_where_there_is_no_clipboard(at_desk):
    """On a server without TLS browsers have no clipboard for pages; the older way must do."""
    study = make_study(SEE)
    page = at_desk(member(study))
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(reverse("study_people", args=[study.slug]))
    page.get_by_role("button", name="Create 2 missing links").click()
    page.get_by_role("button", name="Copy all, one per line").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    page.get_by_text("Add assessors").click()
    page.get_by_label("Names").fill("")
    page.get_by_label("Names").press("Control+v")
    pasted = page.get_by_label("Names").input_value().splitlines()
    assert [line.split("\t")[0] for line in pasted] == ["p1", "p2"]
    assert all("/join/" in line for line in pasted)
    # Printed, they are a sheet to cut: nothing else is on it.
    page.emulate_media(media="print")
    expect(page.get_by_label("p2", exact=True)).to_be_visible()
    for other in (page.get_by_role("heading", name="Assessors"), page.locator("main table").first):
        expect(other).to_be_hidden()


def test_a_preview_is_tried_by_keyboard_and_records_nothing(at_desk):
    study = make_study(TIDES)
    page = at_desk(member(study))
    page.goto(reverse("study_plan", args=[study.slug]))
    page.get_by_role("link", name="Preview of quality").click()
    ready(page)
    expect(page.get_by_text("Nothing is recorded.")).to_be_visible()
    expect(page.get_by_role("button", name="Previous item")).to_be_disabled()
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("First of d1.")).to_be_visible()
    page.wait_for_timeout(450)  # a double click must not reach the next stage, so the page waits a moment
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page).to_have_url(reverse("preview", args=[study.slug, "quality", 2]))
    expect(page.locator("[data-place]").first).to_have_text("Item 2 of 4")
    page.get_by_role("button", name="Next item").click()
    expect(page).to_have_url(reverse("preview", args=[study.slug, "quality", 3]))
    page.get_by_role("link", name="Leave").click()
    expect(page).to_have_url(reverse("study_plan", args=[study.slug]))
    assert not any(model.objects.exists() for model in (Judgment, Draft, Flag))


def test_a_locked_login_says_what_to_do(new_context, check_access):
    experimenter("erika")
    page = new_context().new_page()
    for _ in range(5):
        log_in(page, "erika", "wrong")
    expect(page.get_by_role("heading", name="Too many attempts")).to_be_visible()
    check_access(page, "locked")


# --- for all eyes and hands ---------------------------------------------------------------------------------------

TABS = ("study", "study_items", "study_people", "study_plan", "study_materials", "study_flags", "study_results",
        "study_downloads", "study_settings")  # fmt: skip


def check_tabs(page: Page, study: Study, check_access) -> None:
    for name in TABS:
        page.goto(reverse(name, args=[study.slug]))
        check_access(page, f"{name} of a study that is {study.state}")


def test_the_pages_of_an_open_study_can_be_used_by_all(at_desk, check_access):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_simulate(study=study, seed=1)
    assessor = study.assessors.first()
    flag_raise(assessor=assessor, assignment=assessor.assignments.first(), comment="Cut off")
    page = at_desk(member(study))
    study.refresh_from_db()
    check_tabs(page, study, check_access)
    page.goto(reverse("study_flags", args=[study.slug]) + "?settled")
    check_access(page, "settled flags, none")
    page.goto(reverse("assessor", args=[study.slug, assessor.pk]))
    check_access(page, "an assessor")
    page.goto(reverse("study_people", args=[study.slug]))
    page.get_by_role("button", name="missing link").click()
    page.get_by_text("Add assessors").click()
    page.get_by_text("Add an experimenter").click()
    check_access(page, "people with new links and open forms")
    page.get_by_role("button", name="Give the role").evaluate("button => button.form.noValidate = true")
    page.get_by_role("button", name="Give the role").click()
    expect(page.locator(".errorlist").first).to_be_visible()
    check_access(page, "people with a fault in a form")


def test_the_pages_of_a_draft_can_be_used_by_all(at_desk, check_access):
    study = make_study(SEE, TIDES, assessors=0, name="A study with a rather long name " * 4)
    page = at_desk(member(study))
    check_access(page, "list of studies")
    check_tabs(page, study, check_access)
    document = study.documents.first()
    page.goto(reverse("study_item", args=[study.slug, "document", document.pk]))
    check_access(page, "an item")
    page.get_by_role("link", name="Re-cut").first.click()
    page.get_by_label("Units, one per line").fill("Something else")
    page.get_by_role("button", name="Save the units").click()
    expect(page.locator(".errorlist")).to_be_visible()
    check_access(page, "units with a fault")
    for task in ("coverage", "quality"):
        page.goto(reverse("preview", args=[study.slug, task, 1]))
        ready(page)
        check_access(page, f"preview of {task}")


def test_login_upload_and_empty_pages_can_be_used_by_all(new_context, at_desk, check_access):
    page = new_context().new_page()
    page.goto(reverse("login"))
    check_access(page, "login")
    page = at_desk()
    check_access(page, "no studies")
    page.goto(reverse("study_upload"))
    check_access(page, "upload")
    page.get_by_text("erika", exact=True).click()
    check_access(page, "upload with the menu open")
    page.goto(reverse("password"))
    check_access(page, "password")
    page.goto("/no/such/page/")
    check_access(page, "not found")


def test_an_open_study_in_the_middle_of_its_work_can_be_used_by_all(at_desk, check_access):
    study = make_study(SEE, TIDES, documents=4)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    work.assignment_next(assessor=assessor)
    page = at_desk(member(study, "viewer"))
    for name in ("study", "study_items", "study_plan", "study_results"):
        page.goto(reverse(name, args=[study.slug]))
        check_access(page, f"{name}, nothing judged")
    study_close(study=study)
    page.goto(reverse("study", args=[study.slug]))
    check_access(page, "closed")
