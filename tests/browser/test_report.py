"""The report in a real browser: made by a real worker, watched, cancelled, made again, shared, saved; usable by all."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import signal
import struct
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Error, Page, expect

from annotation.analysis.options import ReportOptions
from annotation.models import Membership, Run
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from tests.browser.conftest import NARROW
from tests.conftest import ROOT
from tests.factories import PASSWORD, member
from tests.reports import PAGES, PATIENCE, finished_run, judge_again, judged_study, state, wait_until, working

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_data")]

LONG = 1000 * PATIENCE  # milliseconds: the machine may be busy


@pytest.fixture
def at_desk(new_context):
    """An experimenter of the study, logged in."""

    def enter(study, role: str = Membership.Role.OWNER, **options) -> Page:
        user = member(study, role)
        user.last_login = timezone.now()
        user.save()
        page = new_context(**options).new_page()
        page.goto(reverse("login"))
        page.get_by_label("Username").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url(reverse("study_list"))
        return page

    return enter


@pytest.fixture
def many():
    """A study with two hundred metrics and its report."""
    study = judged_study("many", metrics=200)
    finished_run(study)
    return study


@pytest.fixture
def demo():
    """The demo study, whose texts differ enough for curves and for the grid of AEv."""
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_simulate(study=study, seed=2)
    finished_run(study, ReportOptions(metrics=("rouge-1-f", "aev-*-porter-stop"), n_resamples=100))
    return study


def address(name: str, study, **query) -> str:
    return reverse(name, args=[study.slug], query=query or None)


def ask(page: Page, study, metrics: str, resamples: int = 100) -> Run:
    page.goto(address("study_report", study))
    page.get_by_text("Normalisation, metrics, adjudication, comparison, intervals, seed").click()
    page.get_by_label("Automatic metrics").fill(metrics)
    page.get_by_label("Resamples").fill(str(resamples))
    asked = study.runs.count()
    page.get_by_role("button", name="Make the report").click()
    wait_until(
        lambda: study.runs.count() > asked, "the run"
    )  # a worker that is free has begun before one can look
    return study.runs.first()


def watched(page: Page) -> list[int]:
    """The values that the progress bar shows until the report is there."""
    seen: list[int] = []

    def over() -> bool:
        try:
            shown = page.evaluate("document.querySelector('progress[aria-label=Report]')?.value ?? null")
        except Error:
            return False  # the page is being loaded anew
        if shown is not None and shown not in seen:
            seen.append(shown)
        return page.locator("#making").count() == 0

    wait_until(over, "the report")
    return seen


def plots(page: Page):
    """The drawings that are seen: each figure has one for little and one for much room."""
    return page.locator(".plot .canvas > svg:visible")


# --- making -------------------------------------------------------------------------------------------------------


def test_an_owner_starts_a_report_watches_it_and_runs_it_again_after_a_new_judgment(
    at_desk, new_context, check_access, tmp_path
):
    study = judged_study()
    page = at_desk(study)
    page.goto(address("study", study))
    page.get_by_role("navigation", name="Study").get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", name="No report yet")).to_be_visible()
    check_access(page, "no report yet")
    run = ask(page, study, "rouge-1-f chrf")
    check_access(page, "a report that waits")
    with working() as worker:
        wait_until(lambda: state(run) == Run.State.RUNNING, "the beginning")
        hold_between_writes(worker)  # it must not be done before somebody sees it
        expect(page.get_by_text("Making the report:")).to_be_visible(timeout=LONG)
        worker.send_signal(signal.SIGCONT)
        seen = watched(page)
        # The page loads anew by itself when the report is there.
        expect(page.get_by_role("heading", name="The highest means")).to_be_visible(timeout=LONG)
        expect(plots(page)).to_have_count(2)
        assert seen, "the page told how far it was"
        assert seen == sorted(seen), "progress goes forwards"
        page.get_by_role("navigation", name="Report").get_by_role("link", name="Files").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="report.html").click()
        download.value.save_as(tmp_path / "report.html")
        alone = new_context(offline=True).new_page()
        alone.goto((tmp_path / "report.html").as_uri())
        expect(alone.get_by_role("heading", level=1)).to_contain_text("A small study")

        judge_again(study)
        page.goto(address("study_report", study))
        expect(page.get_by_text("1 judgment is newer than this report – run it again.")).to_be_visible()
        page.get_by_role("button", name="Run again").click()
        expect(page.get_by_text("newer than this report")).to_have_count(0)
        wait_until(lambda: study.runs.filter(state=Run.State.DONE).count() == 2, "the second report")
        expect(page.locator("#making")).to_have_count(0, timeout=LONG)
    assert state(run) == Run.State.DONE
    newest = study.runs.first()
    assert newest.options == run.options, "the same options as before"
    assert newest.newest_judgment > run.newest_judgment
    page.get_by_text("Normalisation, metrics, adjudication, comparison, intervals, seed").click()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("Nothing has changed since this report was made")).to_be_visible()
    assert study.runs.count() == 2


def hold_between_writes(worker: subprocess.Popen) -> None:
    """A process that stands still while it writes to SQLite would keep everybody else from writing."""
    with Path(f"{connection.settings_dict['NAME']}.lock").open("w") as line:
        while True:
            worker.send_signal(signal.SIGSTOP)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            worker.send_signal(signal.SIGCONT)
            time.sleep(0.05)


def test_a_report_can_be_cancelled_while_it_is_made(at_desk):
    study = judged_study()
    page = at_desk(study)
    run = ask(page, study, "", resamples=10_000)
    with working() as worker:
        wait_until(lambda: state(run) == Run.State.RUNNING, "the beginning")
        hold_between_writes(worker)  # it must not be done before somebody sees it
        expect(page.get_by_text("Making the report:")).to_be_visible(timeout=LONG)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("The last report was cancelled")).to_be_visible()
        worker.send_signal(signal.SIGCONT)
        expect(page.get_by_role("button", name="Make the report")).to_be_visible()
        assert state(run) == Run.State.CANCELLED
        # The worker is free again soon: what is asked for next is made.
        again = ask(page, study, "rouge-1-f")
        wait_until(lambda: state(again) not in Run.ACTIVE, "the next report")
    assert state(again) == Run.State.DONE
    assert not run.folder.exists()


def test_a_viewer_sees_a_report_come_and_can_start_or_cancel_nothing(at_desk):
    study = judged_study()
    page = at_desk(study, Membership.Role.VIEWER)
    run = finished_run(study)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, heartbeat_at=timezone.now())
    page.goto(address("study_report", study))
    expect(page.get_by_text("Making the report:")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE)
    expect(page.get_by_role("heading", name="The highest means")).to_be_visible()
    expect(page.get_by_role("button", name="Make the report")).to_have_count(0)


# --- looking ------------------------------------------------------------------------------------------------------


def test_two_hundred_metrics_open_fast(many, at_desk):
    page = at_desk(many)
    page.goto(address("report_metrics", many))
    begin = time.perf_counter()
    page.goto(address("report_metrics", many))
    expect(plots(page)).to_have_count(1)
    assert time.perf_counter() - begin < 5
    assert page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") < 4000
    expect(page.locator("tbody tr")).to_have_count(25)
    page.goto(address("report_comparison", many))
    heat = page.locator(".plot.williams")
    expect(heat.locator("svg[aria-label*='pairs differ significantly']")).to_be_visible()
    assert heat.locator("svg *").count() < 60, "forty thousand cells are a handful of paths"


def test_choices_are_in_the_address_and_can_be_shared(many, at_desk):
    page = at_desk(many)
    page.goto(address("report_metrics", many))
    page.get_by_label("Statistic").select_option("Spearman’s ρ")
    expect(page.get_by_role("columnheader", name="Spearman’s ρ")).to_be_visible()
    page.get_by_label("Family").select_option("rouge")
    expect(page.locator("tbody tr")).to_have_count(12)
    page.locator("[name=option-stem]").select_option("no")
    expect(page.locator("tbody tr")).to_have_count(4)
    page.get_by_role("link", name="rouge-1-stop-f-median").click()
    expect(page.locator(".plot figcaption")).to_contain_text("rouge-1-stop-f-median and overall")
    page.get_by_role("columnheader", name="Metric").get_by_role("link").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Metric")
    shared = page.url
    names = page.locator("tbody th a").all_text_contents()

    guest = at_desk(many, Membership.Role.VIEWER)
    guest.goto(shared)
    assert guest.locator("tbody th a").all_text_contents() == names
    expect(guest.get_by_label("Statistic")).to_have_value("spearman")
    expect(guest.locator("[name=option-stem]")).to_have_value("no")
    expect(guest.locator(".plot figcaption")).to_contain_text("rouge-1-stop-f-median and overall")

    page.go_back()
    expect(page.locator("th[aria-sort=ascending]")).to_have_count(0)


def test_systems_are_named_on_hover_and_focus(many, at_desk):
    page = at_desk(many)
    page.goto(address("report_metrics", many))
    points = page.locator(".point:visible")
    expect(points).to_have_count(5)
    for index in range(5):
        point = points.nth(index)
        point.focus()
        expect(point.locator("text")).to_be_visible()
        assert "human" in point.get_attribute("aria-label")


def test_the_heat_map_is_read_with_pointer_and_keys(many, at_desk):
    page = at_desk(many)
    page.goto(address("report_comparison", many))
    board = page.locator(".plot.williams")
    line = board.locator(".reading-line")
    svg = board.locator("svg")
    svg.hover(position={"x": 300, "y": 100})
    expect(line).to_contain_text("correlates higher than")
    before = line.text_content()
    svg.focus()
    page.keyboard.press("ArrowDown")
    expect(line).not_to_have_text(before)


# --- taking away --------------------------------------------------------------------------------------------------


def saved(page: Page, form: str, tmp_path: Path) -> Path:
    # A click waits for the answer, and the first drawing of a server takes as long as loading what draws.
    with page.expect_download(timeout=LONG) as started:
        page.get_by_role("link", name=f"as {form}").first.click(timeout=LONG)
    path = tmp_path / started.value.suggested_filename
    started.value.save_as(path)
    return path


def test_a_figure_is_saved_as_svg_pdf_png_and_csv(many, at_desk, tmp_path):
    page = at_desk(many)
    page.emulate_media(color_scheme="dark")
    page.goto(address("report_systems", many))
    svg = saved(page, "SVG", tmp_path)
    report = json.loads((many.runs.get().folder / "report.json").read_text())
    assert svg.name == f"systems-{report['human'][0]['slug']}.svg"
    text = svg.read_text()
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "qx31" in text
    assert "var(" not in text, "a file has no page around it that could say which colour that is"
    assert 'fill="#ffffff"' in text, "on white, whatever the page looks like"
    png = saved(page, "PNG", tmp_path).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width > 1200
    assert height > 200
    assert saved(page, "PDF", tmp_path).read_bytes()[:5] == b"%PDF-"
    with saved(page, "CSV", tmp_path).open() as file:
        rows = list(csv.DictReader(file))
    table = report["human"][0]["systems"]
    means = {row[0]: row[table["columns"].index("estimate")] for row in table["rows"]}
    assert {row["system"]: float(row["estimate"]) for row in rows} == means


def test_every_plot_can_be_saved(demo, at_desk):
    """Every link below every figure, asked for by the browser in which the page is open; the test above presses such links."""
    page = at_desk(demo)
    kinds = set()
    for name in ("report_assessors", "report_metrics", "report_comparison"):
        page.goto(address(name, demo), timeout=LONG)
        for plot in page.locator(".plot").all():
            kinds.add(plot.get_attribute("class").split()[-1])
            for form, begins in (("SVG", b"<svg"), ("PDF", b"%PDF-"), ("PNG", b"\x89PNG"), ("CSV", b"")):
                link = plot.get_by_role("link", name=f"as {form}").get_attribute("href")
                answer = page.request.get(link, timeout=LONG)
                assert answer.ok, link
                assert answer.headers["content-disposition"].startswith("attachment")
                assert begins in answer.body()[:200]
                assert len(answer.body()) > 40
                if form == "SVG":
                    ElementTree.fromstring(answer.text())
    assert kinds >= {"assessors", "shares", "speed", "scatter", "williams", "prediction", "aev"}


def test_a_viewer_downloads_the_report_as_one_zip(many, at_desk):
    page = at_desk(many, Membership.Role.VIEWER)
    page.goto(address("report_files", many))
    with page.expect_download() as started:
        page.get_by_role("link", name="Download all as one zip").click()
    assert started.value.suggested_filename == f"many-report-{many.runs.get().pk}.zip"


# --- for all eyes and hands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_can_be_used_by_all(many, at_desk, check_access, name):
    page = at_desk(many)
    page.goto(address(name, many))
    check_access(page, name)
    page.set_viewport_size(NARROW)
    for plot in page.locator(".plot").all():
        assert plot.bounding_box()["width"] <= NARROW["width"]
        (drawing,) = plot.locator(".canvas > svg:visible").all()
        assert drawing.bounding_box()["width"] <= NARROW["width"]
