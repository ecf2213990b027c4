"""Human scores on the study page, and what can be downloaded."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.analysis import human_results
from annotation.analysis.human import scale_ends
from annotation.export import COLUMNS
from annotation.models import Judgment
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study, zipped
from tests.factories import owner_client, viewer_client
from tests.studies import SEE, TIDES, make_study, study_file

pytestmark = pytest.mark.django_db


def url(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


@pytest.fixture
def judged():
    study = make_study(SEE, TIDES, documents=3)
    study_simulate(study=study, seed=2)
    return study


# --- results ------------------------------------------------------------------------------------------------------


def test_results_are_the_means_of_the_judgments_with_their_counts(judged):
    """Coverage by hand: per output the mean of its units' grades, then the mean over items."""
    by_output: dict[tuple[str, str], list[float]] = {}
    for judgment in Judgment.objects.filter(assignment__subject__task__name="coverage"):
        output = judgment.assignment.subject.output
        grades = [unit["grade"] for unit in judgment.answer["units"]]
        by_output[output.system.key, output.document.key] = [sum(grades) / len(grades)]
    tables = {(table.task, table.score): table for table in human_results(judged).scores}
    coverage = tables["coverage", "coverage"]
    for row in coverage.systems:
        own = [mean for (system, _), (mean,) in by_output.items() if system == row.system]
        assert row.mean == pytest.approx(sum(own) / len(own))
        assert (row.items, row.judgments) == (3, 3)
    assert [row.mean for row in coverage.systems] == sorted(
        (row.mean for row in coverage.systems), reverse=True
    )
    assert {score for task, score in tables if task == "quality"} >= {"fluency", "adequacy"}


def test_the_page_shows_every_system_with_mean_and_counts(judged):
    page = viewer_client(judged).get(url("study_results", judged)).content.decode()
    assert "Name of qx31" in page
    for score in ("coverage", "coverage-recall", "quality", "fluency", "adequacy"):
        assert f"<h3>{score}</h3>" in page
    assert "style=" not in page, "the policy of the pages forbids inline style"


def test_results_follow_new_judgments(judged):
    before = human_results(judged).scores
    assert human_results(judged).scores == before
    newest = Judgment.objects.filter(assignment__subject__task__name="coverage").latest("pk")
    Judgment.objects.create(
        assignment=newest.assignment,
        revision=2,
        client_key="12345678123456781234567812345678",
        answer={**newest.answer, "units": [{"marks": [0], "grade": 0.25}] * 2},
        shown_at=newest.shown_at,
        submitted_at=newest.submitted_at,
        seconds=1,
    )
    assert human_results(judged).scores != before


def test_without_judgments_the_page_says_when_there_will_be_scores():
    study = make_study(SEE)
    client = owner_client(study)
    assert "The study is a draft: open it first." in client.get(url("study_results", study)).content.decode()
    client.post(url("study_open", study), {"sure": "1"})
    assert "Nothing judged yet." in client.get(url("study_results", study)).content.decode()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_the_ends_of_a_scale_hold_every_mean_and_differ(means):
    low, high = scale_ends(means)
    slack = 1e-9 * max(1, *map(abs, means))
    assert low < high
    assert low - slack <= min(means)
    assert max(means) <= high + slack


# --- downloads ----------------------------------------------------------------------------------------------------


def test_judgments_come_as_csv_jsonl_and_parquet_with_the_same_rows(judged, tmp_path):
    client = viewer_client(judged)
    as_csv = client.get(url("download_judgments", judged, "csv"))
    assert as_csv["Content-Disposition"] == 'attachment; filename="small.judgments.csv"'
    assert as_csv.streaming
    rows = list(csv.DictReader(io.StringIO(body(as_csv).decode())))
    assert list(rows[0]) == COLUMNS
    lines = body(client.get(url("download_judgments", judged, "jsonl"))).decode().splitlines()
    file = tmp_path / "judgments.parquet"
    file.write_bytes(body(client.get(url("download_judgments", judged, "parquet"))))
    table = pq.read_table(file)
    assert len(rows) == len(lines) == table.num_rows > 0
    assert [float(row["value"]) for row in rows] == [json.loads(line)["value"] for line in lines]
    assert [json.loads(line)["value"] for line in lines] == table.column("value").to_pylist()


def test_names_are_for_members_who_ask(judged):
    def assessors(client, query=""):
        sent = body(client.get(url("download_judgments", judged, "csv") + query)).decode()
        return {row["assessor"] for row in csv.DictReader(io.StringIO(sent))}

    for client in (owner_client(judged), viewer_client(judged)):
        assert assessors(client) == {"A01", "A02"}
        assert assessors(client, "?names") == {"p1", "p2"}
        assert "?names" in client.get(url("study_downloads", judged)).content.decode()


def test_attributes_hold_lengths(judged):
    sent = body(viewer_client(judged).get(url("download_attributes", judged))).decode()
    rows = {(row["id"], row["name"]): row["value"] for row in csv.DictReader(io.StringIO(sent))}
    assert rows["qx31/d1", "target"] == "10"


def test_the_downloaded_study_is_the_uploaded_study(tmp_path):
    study = study_import(study_file=study_file())
    response = owner_client(study).get(url("download_study", study))
    assert response.content == zipped(study_file())
    file = tmp_path / "small.zip"
    file.write_bytes(response.content)
    assert read_study(file).slug == "small"


def test_an_unknown_format_does_not_exist(judged):
    assert viewer_client(judged).get(url("download_judgments", judged, "exe")).status_code == 404
