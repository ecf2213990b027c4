"""The pages of a report: what they show, what an address can ask for, and what can be taken away."""

from __future__ import annotations

import csv
import io
import json
import re
import time
import zipfile
from datetime import timedelta
from html import unescape

import pandas as pd
import pytest
from django.db import connection
from django.template import Context, Template
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.analysis.options import ReportOptions
from annotation.models import Run
from annotation.models.runs import SILENCE
from annotation.reports.data import options_of, records, report_data
from annotation.reports.files import ZIPPED, report_files
from annotation.selectors.runs import PATIENCE
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from metrics.report import numbers, printed
from tests.conftest import ROOT
from tests.factories import owner_client, viewer_client
from tests.metrics.report.studies import THREE, report_of
from tests.reports import PAGES, QUICK, finished_run, judge_again, judged_study
from tests.studies import SEE, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("own_data")]

MANY = 200  # metrics from elsewhere, beside the computed ones


@pytest.fixture
def study():
    return judged_study("many", metrics=MANY)


@pytest.fixture
def run(study):
    return finished_run(study)


def address(name: str, study, *args, **query) -> str:
    return reverse(name, args=[study.slug, *args], query=query or None)


def page(client, name: str, study, **query) -> str:
    response = client.get(address(name, study, **query))
    assert response.status_code == 200
    return response.content.decode()


def figures(html: str) -> dict[str, str]:
    """The figures of a page by kind, each with its caption, drawings and links."""
    found = re.findall(r'<figure class="plot (\w+)" id="figure-[^"]+">(.*?)</figure>', html, re.DOTALL)
    return dict(reversed(found))


def names_in(figure: str) -> list[str]:
    """The texts of a figure's drawing for much room."""
    wide = re.search(r'<svg class="(?:wide|only)".*?</svg>', figure, re.DOTALL)
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", wide[0])]


def column(html: str, number: int) -> list[str]:
    """The text of one column of the first table."""
    table = html.split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    rows = table.split("<tr")[1:]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [re.sub(r"<[^>]+>|\s+", " ", row[number]).strip() for row in cells if len(row) > number]


# --- before there is one ------------------------------------------------------------------------------------------


def test_without_judgments_the_page_says_what_is_needed():
    draft = make_study(SEE)
    client = owner_client(draft)
    assert "A report needs judgments. The study is a draft" in page(client, "study_report", draft)
    client.post(address("study_open", draft), {"sure": "1"})
    html = page(client, "study_report", draft)
    assert "Nothing has been judged yet" in html
    assert "Make the report" not in html


def test_an_owner_can_start_it_and_a_viewer_cannot(study):
    assert "Make the report" in page(owner_client(study), "study_report", study)
    html = page(viewer_client(study), "report_metrics", study)
    assert "Make the report" not in html
    assert "An owner or editor of the study can start it." in html


def sent(**changed) -> dict:
    return {
        "normalise": "none",
        "metrics": "rouge-1-f",
        "comparison": "model",
        "interval": "analytic",
        "n_resamples": 100,
        "seed": 1,
    } | changed


def test_starting_queues_a_run_with_the_options_of_the_form(study):
    client = owner_client(study)
    response = client.post(
        address("report_start", study), sent(normalise="z", metrics="rouge-1-f, chrf*", comparison="wmt")
    )
    assert response.status_code == 302
    run = study.runs.get()
    assert run.state == Run.State.QUEUED
    assert (run.options["normalise"], run.options["comparison"]) == ("z", "wmt")
    assert run.options["metrics"] == ["rouge-1-f", "chrf*"]
    assert run.requested_by is not None
    html = client.get(response["Location"]).content.decode()
    assert "Waiting for the worker." in html
    assert address("report_progress", study, run.pk) in html


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("metrics", "rouge-1-fx", "nearest: rouge-1-f"),
        ("normalise", "sideways", "sideways is not one of the available choices"),
        ("n_resamples", "7", "greater than or equal to 100"),
        ("seed", "-1", "greater than or equal to 0"),
    ],
)
def test_a_fault_in_the_form_is_named_and_nothing_starts(study, field, value, said):
    response = owner_client(study).post(address("report_start", study), sent(**{field: value}))
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not study.runs.exists()


# --- while it is made ---------------------------------------------------------------------------------------------


def made(study, **fields) -> Run:
    now = timezone.now()
    return study.runs.create(
        state=Run.State.RUNNING,
        options=QUICK.model_dump(mode="json"),
        started_at=now,
        heartbeat_at=now,
        **fields,
    )


def test_progress_tells_what_how_far_and_how_long(study):
    run = made(study, done=250, total=1000, label="automatic metrics", seconds_left=130)
    html = viewer_client(study).get(address("report_progress", study, run.pk)).content.decode()
    assert "automatic metrics" in html
    assert "25 %, about 2 min left" in html
    assert 'value="250" max="1000"' in html
    assert "Cancel" not in html, "a viewer looks on"
    assert "Cancel" in owner_client(study).get(address("report_progress", study, run.pk)).content.decode()


@pytest.mark.parametrize("state", [Run.State.DONE, Run.State.FAILED, Run.State.CANCELLED])
def test_when_it_is_over_the_page_is_loaded_anew(study, state):
    run = study.runs.create(state=state)
    response = viewer_client(study).get(address("report_progress", study, run.pk))
    assert response["HX-Refresh"] == "true"


def test_no_worker_is_said_together_with_how_to_start_one(study):
    run = study.runs.create(state=Run.State.QUEUED)
    client = owner_client(study)
    assert "db_worker" not in page(client, "study_report", study)
    Run.objects.filter(pk=run.pk).update(requested_at=timezone.now() - PATIENCE - timedelta(seconds=1))
    assert ".venv/bin/python manage.py db_worker" in page(client, "study_report", study)


def test_cancelling_needs_one_click_and_leaves_what_was_there(study, run):
    newer = made(study)
    client = owner_client(study)
    response = client.post(address("report_cancel", study, newer.pk), follow=True)
    html = response.content.decode()
    assert "The last report was cancelled; this is the one before." in html
    assert "How far people agree" in html or "Agreement" in html
    newer.refresh_from_db()
    assert newer.state == Run.State.CANCELLED


def test_a_lost_worker_and_a_failure_are_told_with_a_way_on(study):
    lost = made(study)
    Run.objects.filter(pk=lost.pk).update(heartbeat_at=timezone.now() - SILENCE - timedelta(seconds=1))
    client = owner_client(study)
    html = page(client, "study_report", study)
    assert "has stopped in the middle" in html
    assert "Run again" in html
    client.post(address("report_start", study), sent())
    lost.refresh_from_db()
    assert lost.state == Run.State.FAILED
    study.runs.filter(state=Run.State.QUEUED).update(state=Run.State.FAILED, error="Too few systems.")
    assert "Too few systems." in page(client, "study_report", study)


def test_new_judgments_are_counted_and_the_same_data_are_not_reported_twice(study, run):
    client = owner_client(study)
    assert "newer than this report" not in page(client, "study_report", study)
    judge_again(study)
    assert "1 judgment is newer than this report" in page(client, "study_report", study)
    judge_again(study)
    assert "2 judgments are newer than this report" in page(client, "report_systems", study)
    assert "an owner or editor can run it again" in page(viewer_client(study), "study_report", study)


def test_asking_for_other_options_while_one_is_made_is_not_forgotten_silently(study):
    client = owner_client(study)
    client.post(address("report_start", study), sent())
    again = client.post(address("report_start", study), sent(), follow=True).content.decode()
    assert "with other options" not in again
    other = client.post(address("report_start", study), {**sent(), "seed": "3"}, follow=True).content.decode()
    assert "A report with other options is being made" in other
    assert study.runs.count() == 1


@pytest.mark.parametrize("became", [Run.State.CANCELLED, Run.State.FAILED])
def test_an_outdated_report_says_so_although_a_newer_one_came_to_nothing(study, run, became):
    judge_again(study)
    study.runs.create(state=became, options=run.options, error="Too few systems.")
    html = page(owner_client(study), "study_report", study)
    assert "1 judgment is newer than this report" in html
    assert ("was cancelled" in html) == (became == Run.State.CANCELLED)
    assert html.count("Run again") == 1


def test_running_again_sends_the_options_of_the_last_report(study, run):
    judge_again(study)
    client = owner_client(study)
    html = page(client, "report_systems", study)
    button = dict(re.findall(r'<button class="button small" name="(\w+)" value="(\d+)">Run again', html))
    assert client.post(address("report_start", study), button).status_code == 302
    assert study.runs.first() != run
    assert study.runs.first().options == run.options
    for wrong in ("0", "x", "9" * 30, judged_study("other", metrics=0).runs.create(options={}).pk):
        assert client.post(address("report_start", study), {"again": wrong}).status_code == 404


def test_asking_again_without_a_change_says_that_nothing_has_changed(study, run):
    client = owner_client(study)
    html = client.post(address("report_start", study), {"again": run.pk}, follow=True).content.decode()
    assert "Nothing has changed since this report was made" in html
    assert study.runs.count() == 1


# --- pages --------------------------------------------------------------------------------------------------------


def test_every_page_shows_the_numbers_of_the_report(study, run):
    client = viewer_client(study)
    data = report_data(run.folder).data
    overview = page(client, "study_report", study)
    for sentence in data["headline"]:
        assert sentence in overview
    best = data["human"][0]["systems"]["rows"][0]
    assert f'<td>{best[0]} <span class="muted small">Name of {best[0]}</span></td>' in overview
    systems = page(client, "report_systems", study)
    ranked = [row[0] for row in data["human"][0]["systems"]["rows"]]
    for html in (overview, systems):
        assert [name for name in names_in(figures(html)["systems"]) if name in ranked] == ranked
    assert "Name of qx31" in systems
    assessors = page(client, "report_assessors", study)
    assert column(assessors, 0)[:1] == ["Krippendorff’s α, interval"]
    assert {"assessors", "shares", "speed"} <= set(figures(assessors))
    assert data["methods"][0][:40] in page(client, "report_files", study)


def test_king_and_the_elements_behind_a_score_are_on_the_page_of_comparisons(study, run):
    """Where a report has them; this one has neither."""
    client = viewer_client(study)
    assert {"king", "elements"}.isdisjoint(figures(page(client, "report_comparison", study)))
    made = report_of(THREE, ["bewte", "chrf", "ngram-1-1"]).data
    (run.folder / "report.json").write_text(json.dumps(made), encoding="utf-8")
    html = page(client, "report_comparison", study)
    assert {"king", "elements"} <= set(figures(html))
    assert {"KING", "chrf", "ngram-1-1"} <= set(names_in(figures(html)["king"]))
    assert html.count('id="figure-elements-') == len(made["explained"]) == 3


def test_the_overview_shows_the_best_metric_of_each_family(study, run):
    """The report's own summary has all metrics, the best first; the first of each family is drawn, and then the best of all."""
    data = report_data(run.folder).data
    ranked = [row for row in records(data["meta"][0]["summary"]) if row["pearson"] is not None]
    best = {row["family"]: row["metric"] for row in reversed(ranked)}
    assert ranked[0]["metric"] in best.values()
    shown = names_in(figures(page(viewer_client(study), "study_report", study))["correlations"])
    assert set(best.values()) <= set(shown)
    assert ranked[1]["metric"] in shown


def test_pages_say_what_the_report_says_in_its_own_words(study, run):
    """Every number of the tables is printed as metrics.report prints it; no page has digits of its own."""
    data = report_data(run.folder).data
    section, meta = data["human"][0], data["meta"][0]
    client = viewer_client(study)
    for name, tables in {
        "study_report": [printed.winners_table(data), printed.chosen_agreement_table(data)],
        "report_systems": [
            printed.systems_table(section, data["options"]),
            printed.pairs_table(section, data["options"]),
        ],
        "report_comparison": [printed.rouge_table(section, meta, data["options"])],
    }.items():
        html = unescape(page(client, name, study))
        for table in tables:
            cells = [cell for row in table.rows[:20] for cell in row]
            assert all(f">{cell}<" in html or f">{cell} <span" in html for cell in cells), (
                name,
                table.caption,
            )
            assert table.note in html


def test_the_files_page_has_one_line_for_all_forms_of_a_thing(study, run):
    (run.folder / "tables" / "agreement.tex").write_text("\\toprule", encoding="utf-8")
    html = page(viewer_client(study), "report_files", study)
    for file in report_files(run.folder):
        assert html.count(address("report_download", study, run.pk, file.name)) == 1
    agreement = html.rsplit("Agreement between assessors</td>", 1)[1].split("</tr>", 1)[0]
    assert re.findall(r">(CSV|LaTeX)<", agreement) == ["CSV", "LaTeX"]


def test_the_files_page_names_a_report_whose_long_tables_are_stored_apart(study, run):
    """Before: the page did not open, as nobody knows how large ``report.json`` is until it is asked for."""
    table = next((run.folder / "tables").glob("human-scores*.csv"))
    pd.read_csv(table).to_parquet(table.with_suffix(".parquet"))
    html = page(viewer_client(study), "report_files", study)
    assert address("report_download", study, run.pk, "report.json") in html


def test_no_page_has_inline_style_or_script_or_an_unescaped_name(study, run):
    """Metric names come from a file; here one is hostile."""
    file = run.folder / "report.json"
    hostile = "</script><img src=x onerror=alert(1)>"
    file.write_text(file.read_text().replace("elsewhere-000", hostile.replace("/", "\\/")))
    client = viewer_client(study)
    for name in PAGES:
        html = page(client, name, study, **({"q": hostile} if name == "report_metrics" else {}))
        assert "<img src=x" not in html, name
        assert "style=" not in html, name
        inline = [tag for tag in re.findall(r"<script[^>]*>", html) if "src=" not in tag]
        assert all('type="application/json"' in tag for tag in inline), name
    assert hostile in unescape(figures(page(client, "report_metrics", study, q=hostile))["scatter"])


def test_the_table_of_metrics_is_paged_and_sorted_as_the_address_says(study, run):
    client = viewer_client(study)
    first = page(client, "report_metrics", study)
    values = [float(cell.replace("−", "-")) for cell in column(first, 2) if cell != "–"]
    assert len(values) == 25
    assert values == sorted(values, reverse=True)
    by_name = column(page(client, "report_metrics", study, sort="metric"), 0)
    assert by_name == sorted(by_name)
    second = page(client, "report_metrics", study, page=2)
    assert not set(column(first, 0)) & set(column(second, 0))
    assert "26–50 of" in second


def test_levels_statistics_families_and_options_filter_the_table(study, run):
    client = viewer_client(study)
    rouge = page(client, "report_metrics", study, family="rouge")
    assert set(column(rouge, 1)) == {"rouge"}
    assert 'name="option-stem"' in rouge
    stemmed = page(client, "report_metrics", study, **{"family": "rouge", "option-stem": "no"})
    assert 0 < len(column(stemmed, 0)) < len(column(rouge, 0))
    assert not any("stem" in name for name in column(stemmed, 0))
    items = page(client, "report_metrics", study, level="item", method="kendall")
    assert "Kendall’s τ ↓" not in items
    assert "Kendall’s τ" in items
    assert {"chrf"} <= {name.split(" ")[0] for name in column(items, 0)}
    assert not any(name.startswith("elsewhere") for name in column(items, 0)), (
        "those have scores of systems only"
    )
    assert "elsewhere-117" in page(client, "report_metrics", study, q="117")
    assert "No metric fits." in page(client, "report_metrics", study, q="no such name")


def test_a_metric_that_is_asked_for_is_drawn(study, run):
    client = viewer_client(study)
    scatter = figures(page(client, "report_metrics", study, metric="elsewhere-042"))["scatter"]
    assert "elsewhere-042 and overall" in scatter
    assert {"qx31", "wv77", "kk02", "mm55", "tt68"} <= set(re.findall(r">(\w+)</text>", scatter))
    given = {score.system: score.score for score in study.metricscores.filter(metric="elsewhere-042")}
    (link,) = re.findall(r'href="([^"]+\.csv)"', scatter)
    rows = csv.DictReader(io.StringIO(body(client.get(link)).decode()))
    assert {row["system"]: float(row["metric"]) for row in rows} == given


def test_every_figure_of_a_page_can_be_saved_in_every_form(study, run):
    """The folder of the run holds none of them: they are drawn when they are wanted."""
    client = viewer_client(study)
    assert not (run.folder / "figures").exists()
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "csv": b""}
    for name in ("report_systems", "report_metrics"):
        for figure in figures(page(client, name, study)).values():
            links = re.findall(r'href="([^"]+\.(svg|pdf|png|csv))"', figure)
            assert sorted(form for _, form in links) == sorted(begins)
            for link, form in links:
                response = client.get(link)
                assert response["Content-Disposition"].startswith("attachment"), link
                assert body(response).startswith(begins[form]), link


def test_curves_that_are_chosen_are_those_of_the_file():
    """Which metrics are drawn is in the address of the file as it is in that of the page. Texts of the demo differ enough."""
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_simulate(study=study, seed=1)
    run = finished_run(study)
    data = report_data(run.folder).data
    human = data["meta"][0]
    metrics = list(dict.fromkeys(row["metric"] for row in records(human["prediction"])))[:2]
    client = viewer_client(study)
    html = figures(page(client, "report_comparison", study, curve=metrics))["prediction"]
    (link,) = re.findall(r'href="([^"]+\.csv[^"]*)"', html)
    rows = csv.DictReader(io.StringIO(body(client.get(unescape(link))).decode()))
    assert {row["metric"] for row in rows} == set(metrics)


@pytest.mark.parametrize(
    "query",
    [
        {"level": "x", "method": "y", "sort": "z", "family": "w", "page": "-3", "metric": "nobody"},
        {"human": "nobody", "page": "many"},
        {"task": "x", "criterion": "y", "curve": "nobody", "option-stem": "perhaps"},
    ],
)
def test_an_address_that_asks_for_what_is_not_there_gets_the_default(study, run, query):
    client = viewer_client(study)
    for name in PAGES:
        assert client.get(address(name, study, **query)).status_code == 200


def test_an_older_report_keeps_its_address(study, run):
    newer = finished_run(study)
    client = viewer_client(study)
    assert f"run={newer.pk}" in page(client, "study_report", study)
    old = page(client, "report_systems", study, run=run.pk, human="x")
    assert "There is a newer report" in old
    assert "There is a newer report" not in page(client, "report_systems", study)
    listed = page(client, "report_files", study, run=run.pk)
    assert f"{reverse('study_report', args=[study.slug])}?run={newer.pk}" in listed
    assert "metrics rouge-1-*f chrf, 100 resamples" in listed
    assert f"{reverse('report_metrics', args=[study.slug])}?run={run.pk}&amp;human=x" in old
    for wrong in (newer.pk + 1000, "9" * 30, "0", "abc"):
        assert client.get(address("study_report", study, run=wrong)).status_code == 404


def test_a_report_of_another_study_does_not_exist_here(study, run):
    other = judged_study("other", metrics=0)
    client = viewer_client(other)
    assert client.get(address("study_report", other, run=run.pk)).status_code == 404
    assert client.get(address("report_download", other, run.pk, "report.json")).status_code == 404
    assert client.get(address("report_archive", other, run.pk)).status_code == 404


def test_files_that_are_gone_are_said_to_be_gone(study, run):
    for file in report_files(run.folder, forms=()):
        file.path.unlink()
    assert "files of the last report are gone" in page(owner_client(study), "study_report", study)
    assert owner_client(study).get(address("report_archive", study, run.pk)).status_code == 404


def test_a_report_of_an_earlier_version_can_be_downloaded_and_made_again(study, run):
    file = run.folder / "report.json"
    data = json.loads(file.read_text())
    kept = {name: data[name] for name in ("title", "human", "meta", "figures")}
    file.write_text(json.dumps(kept | {"schema": "touchstone-report/1"}))
    client = owner_client(study)
    for name in PAGES:
        html = page(client, name, study)
        assert "made by an earlier version" in html
        assert "Make the report" in html
    assert client.get(address("report_archive", study, run.pk)).status_code == 200
    assert client.get(address("report_download", study, run.pk, "report.json")).status_code == 200
    figure = f"figures/{data['figures'][0]['name']}.pdf"
    assert client.get(address("report_download", study, run.pk, figure)).status_code == 404


# --- speed --------------------------------------------------------------------------------------------------------


def test_the_number_of_queries_is_the_same_for_every_size(study, run):
    small = judged_study("little", metrics=1, documents=2)
    finished_run(small)
    counts = {}
    for name in PAGES:
        both = []
        for each in (small, study):
            client = viewer_client(each)
            page(client, name, each)
            with CaptureQueriesContext(connection) as captured:
                page(client, name, each)
            both.append(len(captured))
        counts[name] = both
    assert all(one == two <= 30 for one, two in counts.values()), counts


def test_pages_of_two_hundred_metrics_are_small_and_quick(study, run):
    client = viewer_client(study)
    for name in PAGES:
        page(client, name, study)
        begin = time.perf_counter()
        html = page(client, name, study)
        assert time.perf_counter() - begin < 1.5, name
        assert len(html) < 600_000, name


# --- files --------------------------------------------------------------------------------------------------------


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def test_every_file_of_the_report_can_be_downloaded(study, run):
    client = viewer_client(study)
    html = page(client, "report_files", study)
    for file in report_files(run.folder):
        url = address("report_download", study, run.pk, file.name)
        assert f'href="{url}"' in html
    response = client.get(address("report_download", study, run.pk, "tables/agreement.csv"))
    assert response["Content-Disposition"] == 'attachment; filename="agreement.csv"'
    assert body(response) == (run.folder / "tables" / "agreement.csv").read_bytes()
    report = client.get(address("report_download", study, run.pk, "report.html"))
    assert report["Content-Disposition"].startswith("attachment"), "a page from a file never runs here"


@pytest.mark.parametrize(
    "name", ["../../secret.key", "/etc/passwd", "tables/../report.json", "tables", "nothing"]
)
def test_no_name_leads_out_of_the_report(study, run, name):
    url = f"{address('report_files', study)}".replace("files/", f"{run.pk}/files/{name}")
    assert viewer_client(study).get(url).status_code == 404


def test_the_zip_holds_all_files_and_is_always_the_same(study, run):
    client = viewer_client(study)
    first, second = (body(client.get(address("report_archive", study, run.pk))) for _ in range(2))
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names == [f"many-report/{file.name}" for file in report_files(run.folder, forms=ZIPPED)]
        assert any(name.endswith(".svg") for name in names)
        assert archive.read("many-report/report.json") == (run.folder / "report.json").read_bytes()


# --- small things -------------------------------------------------------------------------------------------------


def test_options_in_words_name_what_is_not_usual():
    assert ReportOptions().in_words == "usual options"
    chosen = ReportOptions(
        normalise="z", comparison="wmt", interval="bootstrap-both", n_resamples=5000, seed=1
    )
    assert chosen.in_words == (
        "normalised (z), systems compared as at WMT, bootstrap over both, 5,000 resamples, seed 1"
    )


def test_the_smallest_corrected_p_that_can_be_is_told(study, run):
    """Ten pairs by 10,000 exchanges: 10 / 10,001 is just below .001, so nothing needs to be said; of 66 pairs it does."""
    assert "no corrected p can be below" not in page(viewer_client(study), "report_systems", study)
    file = run.folder / "report.json"
    data = json.loads(file.read_text())
    pairs = data["human"][0]["pairs"]
    many = pairs["columns"].index("n")
    pairs["rows"] = [[*row[:many], 20, *row[many + 1 :]] for row in pairs["rows"]] * 7
    data["human"][0]["comparison"]["method"] = "randomization"
    file.write_text(json.dumps(data))
    assert "and 70 pairs no corrected p can be below .007" in page(
        viewer_client(study), "report_systems", study
    )


def test_options_are_read_from_a_signature():
    assert options_of("rouge-1-f|stem:no|measure:f|level:system|n:3-4|version:touchstone-0.1.0") == {
        "stem": "no",
        "measure": "f",
    }
    assert options_of("") == {}


@given(st.one_of(st.none(), st.floats(-1e6, 1e6)))
def test_numbers_are_printed_as_the_report_prints_them(value):
    shown = Template("{% load report %}{{ value|coefficient:3 }}/{{ value|pvalue }}/{{ value|along }}")
    coefficient, pvalue, along = shown.render(Context({"value": value})).split("/")
    assert unescape(coefficient) == numbers.coefficient(value, 3)
    assert unescape(pvalue) == numbers.pvalue(value)
    assert "e+" not in along
