"""Automatic scores: in as CSV or JSON, all or nothing, and out again."""

from __future__ import annotations

import io
import json
import zipfile
from functools import partial

import pytest

from annotation.models import MetricScore
from tests.annotation.api.programs import at_once, program, url
from tests.studies import make_study

pytestmark = pytest.mark.django_db

TABLE = b"""metric,system,item,score,higher_is_better
bleu,qx31,d1,0.5,true
bleu,wv77,d1,0.25,true
ter,qx31,,1.5,false
ter,wv77,,,false
"""


@pytest.fixture
def study():
    return make_study()


def send(client, study, table: bytes):
    return client.post(url(study, "scores/"), table, content_type="text/csv")


def send_json(client, study, given):
    return client.post(url(study, "scores/"), json.dumps(given), content_type="application/json")


def stored(study) -> set[tuple]:
    return set(study.metricscores.values_list("metric", "system", "item", "score", "higher_is_better"))


def test_scores_come_in_as_csv_and_go_out_as_they_came(study):
    client = program(study)
    response = send(client, study, TABLE)
    assert (response.status_code, response.json()) == (200, {"scores": 4, "metrics": ["bleu", "ter"]})
    page = client.get(url(study, "scores/")).json()
    assert page["count"] == 4
    assert page["results"][0] == {
        "metric": "bleu",
        "system": "qx31",
        "item": "d1",
        "score": 0.5,
        "higher_is_better": True,
    }
    assert [row["score"] for row in page["results"]] == [0.5, 0.25, 1.5, None]


def test_json_and_csv_say_the_same(study):
    client = program(study)
    send(client, study, TABLE)
    expected = stored(study)
    page = client.get(url(study, "scores/")).json()
    MetricScore.objects.all().delete()
    assert send_json(client, study, {"scores": page["results"]}).status_code == 200
    assert stored(study) == expected


def test_scores_can_be_read_metric_by_metric_and_page_by_page(study):
    client = program(study)
    send(client, study, TABLE)
    first = client.get(url(study, "scores/?metric=ter&page_size=1")).json()
    assert (first["count"], first["results"][0]["system"]) == (2, "qx31")
    assert client.get(first["next"]).json()["results"][0]["system"] == "wv77"
    assert client.get(url(study, "scores/?metric=none")).json()["results"] == []


def test_a_metric_that_is_sent_again_is_replaced_and_others_stay(study):
    client = program(study)
    send(client, study, TABLE)
    send_json(client, study, {"scores": [{"metric": "bleu", "system": "qx31", "item": "d2", "score": 9}]})
    assert stored(study) == {
        ("bleu", "qx31", "d2", 9.0, True),
        ("ter", "qx31", "", 1.5, False),
        ("ter", "wv77", "", None, False),
    }


def test_scores_that_were_sent_are_in_the_study_file(study):
    client = program(study)
    send(client, study, TABLE)
    file = zipfile.ZipFile(io.BytesIO(client.get(url(study, "study.zip")).content))
    names = [name for name in file.namelist() if "score" in name]
    assert len(names) == 1
    assert b"ter,wv77" in file.read(names[0])


def test_every_bad_row_is_named_by_its_line_and_nothing_is_written(study):
    client = program(study)
    send(client, study, TABLE)
    before = stored(study)
    table = b"""metric,system,item,score
bleu,qx31,d1,0.5
bleu,nobody,d1,0.5
bleu,qx31,d9,0.5
bleu,wv77,d1,much
bleu,qx31,d1,0.7
"""
    refused = send(client, study, table)
    assert refused.status_code == 422
    details = refused.json()["error"]["details"]
    assert [(row["file"], row["line"]) for row in details] == [("scores.csv", line) for line in (3, 4, 5, 6)]
    said = [row["message"] for row in details]
    assert "nobody" in said[0]
    assert "d9" in said[1]
    assert "number" in said[2]
    assert "in line 2" in said[3]
    assert stored(study) == before


def test_bad_rows_of_a_list_are_named_by_their_place(study):
    rows = [
        {"metric": "bleu", "system": "qx31", "item": "d1", "score": 1},
        {"metric": "bleu", "system": "qx31", "score": "Infinity"},
        "bleu",
        {"metric": "b\x00", "system": "qx31", "score": 1},
        {"metric": "bleu", "system": "qx31", "item": "d2", "score": 1, "higher_is_better": False},
        {"metric": "bleu", "system": "wv77", "item": "d2"},
    ]
    refused = send_json(program(study), study, {"scores": rows})
    assert refused.status_code == 422
    details = refused.json()["error"]["details"]
    assert {row["line"] for row in details} == {2, 3, 4, 5, 6}
    assert not any("file" in row for row in details)
    assert not stored(study)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"", "missing"),
        (b"metric,system,item,score\n", "no scores"),
        (b"metric,system\nbleu,qx31\n", "missing"),
        (b"metric;system;item;score\n", "commas"),
        (b"metric,system,item,score\n\xff\xfe,qx31,d1,1\n", "UTF-8"),
        (b'metric,system,item,score\n"bleu,qx31,d1,1\n', "CSV"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_words(study, table, said):
    refused = send(program(study), study, table)
    assert refused.status_code == 422
    assert said in refused.content.decode()
    assert not stored(study)


@pytest.mark.parametrize("given", [[], {"scores": []}, {"scores": {}}, {"rows": []}, "x", None, 5])
def test_json_of_another_shape_is_refused(study, given):
    assert send_json(program(study), study, given).status_code == 422


def test_a_viewer_reads_scores_and_sends_none(study):
    client = program(study, "viewer")
    assert send(client, study, TABLE).status_code == 403
    assert client.get(url(study, "scores/")).status_code == 200
    assert not stored(study)


@pytest.mark.django_db(transaction=True)
def test_tables_that_are_sent_at_the_same_moment_replace_each_other_whole(study):
    clients = [program(study) for _ in range(4)]
    for _ in range(5):
        tables = [
            b"metric,system,item,score\nbleu,qx31,d1,%d\nbleu,wv77,d1,%d\n" % (place, place)
            for place in range(4)
        ]
        sent = [partial(send, client, study, table) for client, table in zip(clients, tables, strict=True)]
        assert [response.status_code for response in at_once(sent)] == [200] * 4
        (score,) = {row[3] for row in stored(study)}
        assert stored(study) == {("bleu", system, "d1", score, True) for system in ("qx31", "wv77")}


def test_ten_thousand_metrics_at_once(study):
    """More than a database takes as parameters of one statement on some builds."""
    lines = b"".join(b"m%d,qx31,,1\n" % number for number in range(10_000))
    client = program(study)
    for _ in range(2):
        response = send(client, study, b"metric,system,item,score\n" + lines)
        assert response.json()["scores"] == 10_000
    assert study.metricscores.count() == 10_000
