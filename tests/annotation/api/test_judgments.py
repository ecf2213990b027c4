"""Judgments through the API: the same long table, a page at a time or as a file; and judgments from elsewhere."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from annotation.api.schemas import JudgmentValue
from annotation.export import COLUMNS, judgment_rows
from annotation.export_files import csv_lines
from annotation.models import Judgment
from annotation.services.simulation import study_simulate
from tests.annotation.api.programs import owned, program, url
from tests.factories import logged_in
from tests.studies import SEE, TIDES, make_study

pytestmark = pytest.mark.django_db


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


@pytest.fixture
def judged():
    study = make_study(SEE, TIDES, documents=3, revise=True)
    study_simulate(study=study, seed=2)
    return study


def revised(study) -> Judgment:
    """A correction of the first judgment."""
    first = Judgment.objects.filter(assignment__assessor__study=study).order_by("pk").first()
    first.pk, first.revision, first.client_key = None, 2, "00000000-0000-4000-8000-000000000000"
    first._state.adding = True
    first.save()
    return first


# --- pages --------------------------------------------------------------------------------------------------------


def test_the_columns_are_those_of_the_long_table():
    assert list(JudgmentValue.model_fields) == COLUMNS


def test_all_pages_together_are_the_long_table(judged):
    client = program(judged)
    rows, address = [], url(judged, "judgments/?limit=5")
    while address:
        page = client.get(address).json()
        assert len({(row["task"], row["assessor"], row["position"]) for row in page["results"]}) <= 5
        rows += page["results"]
        address = page["next"]
    lines = body(client.get(url(judged, "judgments.jsonl"))).decode().splitlines()
    expected = [JudgmentValue.model_validate_json(line) for line in lines]
    found = [JudgmentValue.model_validate(row) for row in rows]

    def key(row):
        return (row.task, row.assessor, row.position, row.revision, row.unit, row.criterion)

    assert sorted(found, key=key) == sorted(expected, key=key)
    assert len(found) > 12


def test_whoever_asks_again_after_the_last_one_gets_what_is_new(judged):
    client = program(judged)
    page = client.get(url(judged, "judgments/?limit=1000")).json()
    assert page["next"] is None
    nothing = client.get(url(judged, f"judgments/?after={page['last']}")).json()
    assert nothing == {"next": None, "last": page["last"], "results": []}
    correction = revised(judged)
    new = client.get(url(judged, f"judgments/?after={page['last']}")).json()
    assert new["last"] == correction.pk
    assert {row["revision"] for row in new["results"]} == {2}


def test_only_the_newest_revision_unless_asked_for_all(judged):
    revised(judged)
    client = program(judged)
    newest = client.get(url(judged, "judgments/?limit=1000")).json()["results"]
    everything = client.get(url(judged, "judgments/?limit=1000&all_revisions=true")).json()["results"]
    assert len(everything) > len(newest)
    assert sum(row["revision"] == 2 for row in newest) == sum(row["revision"] == 2 for row in everything)


def test_the_number_of_queries_does_not_grow_with_the_page(judged, django_assert_num_queries):
    client = program(judged)
    client.get(url(judged, "judgments/"))
    for limit in (1, 1000):
        with django_assert_num_queries(5):
            client.get(url(judged, f"judgments/?limit={limit}"))


@pytest.mark.parametrize("rest", ["judgments/", "judgments.csv", "judgments.jsonl", "judgments.parquet"])
@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_names_are_for_members_who_ask(judged, rest, role):
    """A member sees on the pages and in the list of assessors who is who; a table may be passed on, so it has pseudonyms."""
    client = program(judged, role)
    assert {row["name"] for row in client.get(url(judged, "assessors/")).json()["results"]} == {"p1", "p2"}
    assert b"p1" not in body(client.get(url(judged, rest)))
    assert b"p1" not in body(client.get(url(judged, rest), {"names": "false"}))
    assert b"p1" in body(client.get(url(judged, rest), {"names": "true"}))


@pytest.mark.parametrize(
    "asked", ["after=-1", "after=x", f"after={2**63}", "limit=0", "limit=1001", "revisions=all"]
)
def test_what_cannot_be_asked_for_is_named(judged, asked):
    refused = program(judged).get(url(judged, f"judgments/?{asked}"))
    assert refused.status_code == 422
    assert refused.json()["error"]["details"][0]["field"] == asked.split("=")[0]


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_are_those_of_the_downloads_page(judged, ending):
    client = program(judged)
    api = client.get(url(judged, f"judgments.{ending}"))
    page = logged_in(client.user).get(f"/studies/{judged.slug}/downloads/judgments.{ending}")
    assert api["Content-Type"] == page["Content-Type"]
    assert body(api) == body(page)


def test_a_file_can_have_every_revision(judged):
    revised(judged)
    client = program(judged)
    table = pq.read_table(io.BytesIO(body(client.get(url(judged, "judgments.parquet?all_revisions=1")))))
    assert set(table.column("revision").to_pylist()) == {1, 2}


def test_files_are_given_whatever_the_program_says_it_accepts(judged):
    client = program(judged)
    for accept in ("text/csv", "application/json", "image/png"):
        response = client.get(url(judged, "judgments.csv"), headers={"accept": accept})
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        body(response)


def test_there_is_no_other_format(judged):
    refused = program(judged).get(url(judged, "judgments.xlsx"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
    assert "parquet" in refused.json()["error"]["message"]


def test_attributes_say_what_scores_need(judged):
    rows = list(
        csv.DictReader(io.StringIO(body(program(judged).get(url(judged, "attributes.csv"))).decode()))
    )
    assert {"scope": "output", "id": "qx31/d1", "name": "target", "value": "10"} in rows


# --- from elsewhere -----------------------------------------------------------------------------------------------


def post(client, study, data: bytes, name: str = "judgments.csv"):
    return client.post(url(study, "judgments/"), {"file": SimpleUploadedFile(name, data)})


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_what_goes_out_comes_in_elsewhere(judged, ending):
    client = program(judged)
    data = body(client.get(url(judged, f"judgments.{ending}")))
    table = body(client.get(url(judged, "judgments.jsonl"))).decode().splitlines()
    judged.slug = "first"
    judged.save()
    again = owned(make_study(SEE, TIDES, documents=3), client.user)
    response = post(client, again, data, f"judgments.{ending}")
    assert (response.status_code, response.json()) == (
        200,
        {"judgments": 12, "known": 0, "differing": 0, "practice": 0, "excluded": 0},
    )
    assert client.get(url(again)).json()["state"] == "closed"
    kept = [name for name in COLUMNS if name not in {"position", "assessor"}]

    def rows(lines):
        return sorted([str(json.loads(line)[name]) for name in kept] for line in lines)

    assert rows(body(client.get(url(again, "judgments.jsonl"))).decode().splitlines()) == rows(table)
    twice = post(client, again, data, f"judgments.{ending}")
    assert twice.json() == {"judgments": 0, "known": 12, "differing": 0, "practice": 0, "excluded": 0}


def test_rows_that_do_not_fit_are_named_and_nothing_is_stored(judged):
    rows = list(judgment_rows(judged))
    rows[0]["system"], rows[3]["task"] = "nobody", "nothing"
    data = "".join(csv_lines(COLUMNS, rows)).encode()
    before = Judgment.objects.count()
    refused = post(program(judged), judged, data)
    assert refused.status_code == 422
    messages = [detail["message"] for detail in refused.json()["error"]["details"]]
    assert {"row 2", "row 5"} <= {message.split(":")[0] for message in messages}
    assert Judgment.objects.count() == before


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("judgments.csv", b"", "an empty file"),
        ("judgments.csv", b"a,b\n1,2\n", "column"),
        ("judgments.csv", b"\xff\xfe\x00", "UTF-8"),
        ("judgments.jsonl", b"{", "JSON"),
        ("judgments.parquet", b"not parquet", "cannot be read"),
        ("judgments.xlsx", b"x", "must end in"),
        ("judgments", b"x", "must end in"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_the_name_it_was_sent_with(judged, name, data, said):
    refused = post(program(judged), judged, data, name)
    assert refused.status_code == 422
    (detail,) = refused.json()["error"]["details"]
    assert said in detail["message"]
    assert "/tmp" not in refused.content.decode()


def test_a_viewer_imports_nothing(judged):
    data = "".join(csv_lines(COLUMNS, judgment_rows(judged))).encode()
    assert post(program(judged, "viewer"), judged, data).status_code == 403


NUMBERS = ["0", "-1", "1e308", "1e30", "inf", "nan", "99999999999999999999"]
TEXTS = ["", "x", " ", " p1", "true", "é" * 300, "a\x00b", "'=1", "gold", "repeat", '{"a": 1}', "\u2028"]
TIMES = ["2026-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30"]


def test_half_a_surrogate_pair_in_a_file_gives_an_answer_not_a_fault():
    """Also where the answer would quote it."""
    study = make_study(TIDES, documents=1)
    study_simulate(study=study, seed=1)
    client, judged = program(study), list(judgment_rows(study))
    for column in (*COLUMNS, "further"):
        lines = "".join(json.dumps(row | {column: "\ud800"}, default=str) + "\n" for row in judged)
        response = post(client, study, lines.encode(), "judgments.jsonl")
        assert response.status_code in {200, 409, 422}, (column, response.content)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_wrong_cell_gives_an_answer_not_a_fault(column):
    """The table is the program's; whatever stands in it, the server says what is wrong, or takes it and gives it back.

    Every third cell, another third for the next column: tests/fuzz tries what this leaves out.
    """
    study = make_study(TIDES, documents=1, slug="judged")
    study_simulate(study=study, seed=1)
    rows = [row | {"study": ""} for row in judgment_rows(study)]
    fresh = make_study(TIDES, documents=1, slug="fresh")
    client = program(fresh)
    for cell in (*NUMBERS, *TEXTS, *TIMES)[COLUMNS.index(column) % 3 :: 3]:
        changed = [row | {column: cell} if row["assessor"] == "A01" else row for row in rows]
        with transaction.atomic():
            response = post(client, fresh, "".join(csv_lines(COLUMNS, changed)).encode())
            assert response.status_code in {200, 422}, (cell, response.content)
            if response.status_code == 200:
                assert client.get(url(fresh, "judgments/")).status_code == 200
                assert client.get(url(fresh, "assessors/")).status_code == 200
            transaction.set_rollback(True)
