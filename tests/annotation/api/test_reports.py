"""Reports through the API: asked for, watched, cancelled, taken away."""

from __future__ import annotations

import json
import time

import pytest

from annotation.models import Run
from annotation.services.studies import study_open
from tests.annotation.api.programs import program, url
from tests.reports import PATIENCE, finished_run, judge_again, judged_study, working
from tests.studies import SEE, make_study

QUICK = {"metrics": ["rouge-1-*f"], "n_resamples": 100}


def ask(client, study, **options):
    return client.post(url(study, "report/"), options, content_type="application/json")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_report_is_asked_for_made_by_the_worker_and_read():
    study = judged_study("asked")
    client = program(study)
    assert client.get(url(study, "report/")).status_code == 404
    asked = ask(client, study, **QUICK)
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    with working():
        deadline = time.monotonic() + PATIENCE
        while (run := client.get(url(study, "report/run/")).json())["state"] in {"queued", "running"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert (run["state"], run["error"], run["percent"], run["stale"]) == ("done", "", 100, False)
    response = client.get(url(study, "report/"))
    assert response["Content-Type"] == "application/json"
    made = b"".join(response.streaming_content)
    assert made == (Run.objects.get().folder / "report.json").read_bytes()
    again = ask(client, study, **QUICK).json()
    assert (again["id"], again["state"]) == (run["id"], "done"), "nothing has changed"


@pytest.mark.django_db
def test_the_report_is_json_that_every_program_can_read():
    study = judged_study()
    finished_run(study)
    response = program(study, "viewer").get(url(study, "report/"))

    def refuse(word: str):
        raise AssertionError(f"{word} is no JSON")

    assert json.loads(b"".join(response.streaming_content), parse_constant=refuse)


@pytest.mark.django_db
def test_a_report_is_stale_once_something_new_is_judged():
    study = judged_study()
    finished_run(study)
    client = program(study)
    assert not client.get(url(study, "report/run/")).json()["stale"]
    judge_again(study)
    assert client.get(url(study, "report/run/")).json()["stale"]


@pytest.mark.django_db
def test_a_report_whose_files_are_gone_is_none():
    study = judged_study()
    run = finished_run(study)
    (run.folder / "report.json").unlink()
    assert program(study).get(url(study, "report/")).status_code == 404


@pytest.mark.django_db
def test_the_making_of_a_report_can_be_cancelled_once():
    study = judged_study()
    client = program(study)
    assert client.delete(url(study, "report/run/")).status_code == 404
    ask(client, study, **QUICK)
    assert client.delete(url(study, "report/run/")).status_code == 204
    assert client.get(url(study, "report/run/")).json()["state"] == "cancelled"
    assert client.delete(url(study, "report/run/")).status_code == 409


@pytest.mark.django_db
def test_nothing_judged_no_report():
    study = make_study(SEE)
    study_open(study=study)
    refused = ask(program(study), study)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")
    assert not Run.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"metrics": ["rouge-17"]}, "metrics"),
        ({"metrics": "rouge-1"}, "metrics"),
        ({"metrics": ["x" * 201]}, "metrics.0"),
        ({"metrics": ["a\x00"]}, "metrics"),
        ({"n_resamples": 99}, "n_resamples"),
        ({"seed": -1}, "seed"),
        ({"normalise": "zz"}, "normalise"),
        ({"bootstrap": 5}, "bootstrap"),
    ],
)
def test_choices_that_there_are_not_are_named(options, field):
    study = judged_study()
    refused = ask(program(study), study, **options)
    assert refused.status_code == 422
    assert [detail["field"] for detail in refused.json()["error"]["details"]] == [field]
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_a_viewer_reads_a_report_and_asks_for_none():
    study = judged_study()
    client = program(study, "viewer")
    assert ask(client, study).status_code == 403
    assert not Run.objects.exists()
