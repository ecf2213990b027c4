"""Reports through the API: asked for, watched, cancelled, taken away."""

from __future__ import annotations

import io
import json
import time
import zipfile

import pytest
from django.utils import timezone

from annotation.analysis.options import ReportOptions
from annotation.models import Run
from annotation.services.exclusions import exclusion_add
from annotation.services.scores import scores_import
from annotation.services.studies import study_open
from tests.annotation.api.programs import program, url
from tests.reports import PATIENCE, finished_run, judge_again, judged_study, working
from tests.reports import QUICK as MADE
from tests.studies import SEE, make_study

pytestmark = pytest.mark.usefixtures("own_data")

QUICK = {"metrics": ["rouge-1-*f"], "n_resamples": 100}
DEFAULTS = ReportOptions().model_dump(mode="json")
FILES = ("report.json", "files/", "files/report.html", "files.zip")


def ask(client, study, **options):
    return client.post(url(study, "report/"), options, content_type="application/json")


def of(study, run: Run, rest: str = "") -> str:
    return url(study, f"report/runs/{run.pk}/{rest}")


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def listed(client, address: str) -> list[dict]:
    return client.get(address + "files/").json()["files"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_report_is_asked_for_made_by_the_worker_and_read():
    study = judged_study("asked")
    client = program(study)
    assert client.get(url(study, "report/")).status_code == 404
    asked = ask(client, study, **QUICK)
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    address = asked["Location"]
    with working():
        deadline = time.monotonic() + PATIENCE
        while (run := client.get(address).json())["state"] in {"queued", "running"}:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert (run["state"], run["error"], run["percent"], run["stale"]) == ("done", "", 100, False)
    assert run["options"] == DEFAULTS | QUICK
    made = (Run.objects.get().folder / "report.json").read_bytes()
    assert body(client.get(address + "report.json")) == body(client.get(url(study, "report/"))) == made
    assert {"report.html", "methods.txt"} <= {file["name"] for file in listed(client, address)}
    again = ask(client, study, **QUICK)
    assert (again.json()["id"], again.json()["state"]) == (run["id"], "done"), "nothing has changed"
    assert again["Location"] == address


@pytest.mark.django_db
def test_the_report_is_json_that_every_program_can_read():
    study = judged_study()
    finished_run(study)
    response = program(study, "viewer").get(url(study, "report/"))

    def refuse(word: str):
        raise AssertionError(f"{word} is no JSON")

    assert json.loads(body(response), parse_constant=refuse)


@pytest.mark.django_db
def test_a_report_is_stale_once_something_new_is_judged():
    study = judged_study()
    run = finished_run(study)
    client = program(study)
    assert not client.get(of(study, run)).json()["stale"]
    judge_again(study)
    assert client.get(of(study, run)).json()["stale"]
    assert [row["stale"] for row in client.get(url(study, "report/runs/")).json()["results"]] == [True]


@pytest.mark.django_db
def test_a_report_is_stale_once_scores_are_sent():
    study = judged_study()
    run = finished_run(study)
    scores_import(study=study, given=b"metric,system,item,score\nmine,qx31,,1\n")
    assert program(study).get(of(study, run)).json()["stale"]


@pytest.mark.django_db
def test_a_report_is_stale_once_something_is_left_out_and_once_a_program_has_judged():
    study = judged_study()
    run, client = finished_run(study), program(study)
    first = client.post(url(study, "programs/"), {"name": "judge"}, content_type="application/json")
    assert first.status_code == 200
    item = client.post(url(study, "programs/judge/next/")).json()["item"]
    sent = {"item": item["item"], "stage": item["stage"], "answer": {"values": {"overall": 3}}}
    assert not client.get(of(study, run)).json()["stale"]
    answered = client.post(url(study, "programs/judge/answers/"), sent, content_type="application/json")
    assert answered.status_code == 200, answered.json()
    assert client.get(of(study, run)).json()["stale"]
    run = finished_run(study)
    assert not client.get(of(study, run)).json()["stale"]
    # Somebody whose judgment is not the last one: that alone tells nothing.
    exclusion_add(study=study, target=study.assessors.order_by("pk").first(), reason="careless")
    assert client.get(of(study, run)).json()["stale"]
    assert [row["stale"] for row in client.get(url(study, "report/runs/")).json()["results"]] == [True, True]


@pytest.mark.django_db
def test_a_report_whose_files_are_gone_is_none():
    study = judged_study()
    run = finished_run(study)
    (run.folder / "report.json").unlink()
    client = program(study)
    assert client.get(of(study, run)).status_code == 200
    for address in (url(study, "report/"), *(of(study, run, rest) for rest in FILES)):
        assert client.get(address).status_code == 404


@pytest.mark.django_db
def test_the_making_of_a_report_can_be_cancelled_once():
    study = judged_study()
    client = program(study)
    address = ask(client, study, **QUICK)["Location"]
    assert client.delete(address).status_code == 204
    assert client.get(address).json()["state"] == "cancelled"
    assert client.delete(address).status_code == 409


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
        ({"metrics": []}, "metrics"),
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


# --- runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_report_of_a_run_stays_that_of_its_choices_whatever_is_made_later():
    """First with z, then without, then with z again: the answer is the first run, and so is its report."""
    study = judged_study()
    client = program(study)
    with_z, without = QUICK | {"normalise": "z"}, QUICK | {"normalise": "none"}
    ids = {}
    for name, options in (("z", with_z), ("none", without)):
        ids[name] = ask(client, study, **options).json()["id"]
        done(Run.objects.get(pk=ids[name]), says=name)
    again = ask(client, study, **with_z)
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (202, ids["z"], "done")
    assert again.json()["options"]["normalise"] == "z"
    address = again["Location"]
    assert client.get(address).json() == again.json()
    assert json.loads(body(client.get(address + "report.json"))) == {"says": "z"}
    newest = client.get(url(study, "report/"))
    assert json.loads(body(newest)) == {"says": "none"}
    assert newest["Content-Location"] == url(study, f"report/runs/{ids['none']}/report.json")


def done(run: Run, *, says: str) -> None:
    """As the worker leaves it."""
    run.folder.mkdir(parents=True, exist_ok=True)
    (run.folder / "report.json").write_text(json.dumps({"says": says}))
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=timezone.now())


@pytest.mark.django_db
def test_while_a_report_is_made_one_with_other_choices_is_refused():
    study = judged_study()
    client = program(study)
    first = ask(client, study, **QUICK, normalise="z")
    same = ask(client, study, **QUICK, normalise="z")
    assert (same.status_code, same.json(), same["Location"]) == (202, first.json(), first["Location"])
    refused = ask(client, study, metrics=None, n_resamples=100)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert (error["code"], f"run {first.json()['id']}" in error["message"]) == ("refused", True)
    assert [detail["field"] for detail in error["details"]] == ["normalise", "metrics"]
    assert "rouge-1-*f" in error["details"][1]["message"]
    assert Run.objects.count() == 1


@pytest.mark.django_db
def test_runs_are_listed_newest_first_a_page_at_a_time(django_assert_num_queries):
    study = judged_study()
    client = program(study, "viewer")
    finished_run(study)
    study.runs.create(state=Run.State.FAILED, error="A reason.", options={"normalise": "rank"})
    client.get(url(study, "report/runs/"))
    with django_assert_num_queries(7):
        page = client.get(url(study, "report/runs/")).json()
    assert [(row["state"], row["error"]) for row in page["results"]] == [
        ("failed", "A reason."),
        ("done", ""),
    ]
    assert [row["options"]["normalise"] for row in page["results"]] == ["rank", "none"]
    assert page["results"][1]["options"] == MADE.model_dump(mode="json")
    for _ in range(5):
        finished_run(study)
    with django_assert_num_queries(7):
        second = client.get(url(study, "report/runs/?page=2&page_size=3")).json()
    assert second["count"] == 7
    ids = [row["id"] for row in second["results"]]
    assert ids == sorted(ids, reverse=True)
    assert client.get(second["previous"]).json()["results"][-1]["id"] > ids[0]


@pytest.mark.django_db
def test_the_files_of_a_report_are_those_on_disk_and_its_figures_one_by_one_and_as_a_zip():
    """Figures are drawn when they are asked for: until then nobody knows how large they are."""
    study = judged_study()
    run = finished_run(study)
    client = program(study, "viewer")
    files = listed(client, of(study, run))
    on_disk = {
        path.relative_to(run.folder).as_posix(): path for path in run.folder.rglob("*") if path.is_file()
    }
    assert {file["name"]: file["size"] for file in files if file["size"] is not None} == {
        name: path.stat().st_size for name, path in on_disk.items()
    }
    drawn = {file["name"] for file in files if file["size"] is None}
    assert {name.rpartition(".")[2] for name in drawn} == {"svg", "pdf", "png", "csv"}
    assert all(name.startswith("figures/") for name in drawn)
    figure = min(name for name in drawn if name.endswith(".svg"))
    assert body(client.get(of(study, run, f"files/{figure}"))).startswith(b"<?xml")
    assert any("/" in name for name in on_disk)
    for name, path in on_disk.items():
        response = client.get(of(study, run, f"files/{name}"))
        assert response["Content-Disposition"].startswith("attachment"), (
            "a page of the report is not a page of ours"
        )
        assert body(response) == path.read_bytes()
    archive = zipfile.ZipFile(io.BytesIO(body(client.get(of(study, run, "files.zip")))))
    quick = {name for name in drawn if name.endswith((".svg", ".csv"))}
    assert {name.partition("/")[2] for name in archive.namelist()} == set(on_disk) | quick


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["nothing.csv", "../1/report.json", "tables", "tables/", "..%2f..%2fsecret.key", "a%00b"]
)
def test_only_files_that_are_listed_can_be_asked_for(name):
    study = judged_study()
    run = finished_run(study)
    assert program(study).get(of(study, run, f"files/{name}")).status_code == 404


@pytest.mark.django_db
def test_a_run_is_found_only_in_its_study():
    here, there = judged_study("here"), judged_study("there")
    run = finished_run(there)
    client = program(here)
    for pk in (run.pk, 0, 10**30):
        for rest in ("", *FILES):
            assert client.get(url(here, f"report/runs/{pk}/{rest}")).status_code == 404
        assert client.delete(url(here, f"report/runs/{pk}/")).status_code == 404


@pytest.mark.django_db
def test_a_run_that_is_not_done_has_no_files():
    study = judged_study()
    client = program(study)
    address = ask(client, study, **QUICK)["Location"]
    for rest in FILES:
        refused = client.get(address + rest)
        assert refused.status_code == 404
        assert "queued" in refused.json()["error"]["message"]
