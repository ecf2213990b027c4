"""Studies through the API: the same services as the pages, the same guards."""

from __future__ import annotations

import io
import zipfile
from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Study
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_open
from annotation.study_files import zipped
from tests.annotation.api.programs import ROOT, at_once, owned, program, url
from tests.factories import logged_in
from tests.studies import SEE, TIDES, make_study, study_file

pytestmark = pytest.mark.django_db


def upload(data: bytes, name: str = "study.zip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, "application/zip")


def sent(client: Client, data: bytes, **fields: str):
    return client.post(ROOT, {"file": upload(data), **fields})


def test_a_zip_that_unpacks_too_large_is_refused_as_on_the_page(settings):
    data = zipped(study_file())
    settings.STUDY_UNPACKED_MAX_BYTES = 100
    refused = sent(program(), data)
    assert refused.status_code == 422
    assert "unpacks to more than 100 bytes" in refused.json()["error"]["details"][0]["message"]
    assert not Study.objects.exists()


# --- list ---------------------------------------------------------------------------------------------------------


def test_the_list_has_ones_own_studies_newest_first_a_page_at_a_time():
    client = program()
    for number in range(5):
        owned(make_study(slug=f"s{number}"), client.user)
    make_study(slug="not-mine")
    first = client.get(ROOT, {"page_size": 2}).json()
    assert first["count"] == 5
    assert first["previous"] is None
    second = client.get(first["next"]).json()
    third = client.get(second["next"]).json()
    pages = [first, second, third]
    assert [row["slug"] for page in pages for row in page["results"]] == ["s4", "s3", "s2", "s1", "s0"]
    assert third["next"] is None
    assert client.get(third["previous"]).json() == second


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"page": "2"}, 404),
        ({"page": "0"}, 422),
        ({"page": "x"}, 422),
        ({"page": 10**18}, 404),
        ({"page_size": "0"}, 422),
        ({"page_size": "1001"}, 422),
        ({"pagesize": "5"}, 422),
    ],
)
def test_a_page_that_cannot_be_is_refused(asked, status):
    assert program().get(ROOT, asked).status_code == status


def test_the_number_of_queries_does_not_grow_with_the_studies(django_assert_num_queries):
    client = program()
    owned(make_study(slug="one"), client.user)
    client.get(ROOT)
    with django_assert_num_queries(3):
        client.get(ROOT)
    for number in range(5):
        owned(make_study(slug=f"s{number}"), client.user)
    with django_assert_num_queries(3):
        assert client.get(ROOT).json()["count"] == 6


# --- import -------------------------------------------------------------------------------------------------------


def test_an_imported_study_is_a_draft_of_whoever_sent_it():
    client = program()
    response = sent(client, zipped(study_file(SEE, TIDES)))
    assert response.status_code == 201
    assert response["Location"].endswith("/api/v1/studies/small/")
    made = response.json()
    assert made == client.get(response["Location"]).json()
    assert {key: made[key] for key in ("slug", "state", "role", "systems", "outputs", "assessors")} == {
        "slug": "small",
        "state": "draft",
        "role": "owner",
        "systems": 2,
        "outputs": 4,
        "assessors": 2,
    }
    assert made["tasks"] == [{"name": "coverage", "kind": "see"}, {"name": "quality", "kind": "rating"}]


def test_a_table_and_a_template_make_a_study():
    table = b"doc,article,model,out\nd1,A long story that goes on.,A,Short.\nd1,A long story that goes on.,B,Shorter.\n"
    client = program()

    def post(**fields):
        return client.post(ROOT, {"file": SimpleUploadedFile("texts.csv", table), **fields})

    made = post(template="summeval", map="doc=document\nout=output", name="My texts")
    assert (made.status_code, made.json()["slug"], made.json()["outputs"]) == (201, "my-texts", 2)
    for fields, said in (
        ({"template": "sumeval"}, "did you mean “summeval”"),
        ({"template": "summeval", "map": "nothing=output"}, "There is no column “nothing”"),
        ({"template": "tides", "map": "out=output"}, "compares with a reference"),
        ({"template": "summeval", "map": "out=output", "slug": "Not A Slug"}, "small letters"),
        (
            {"template": "summeval", "map": "out=output", "source_language": "old german"},
            "a language tag such as",
        ),
    ):
        refused = post(**fields)
        assert refused.status_code == 422
        assert said in refused.content.decode()
    assert Study.objects.count() == 1
    assert (made.json()["language"], made.json()["source_language"]) == ("en", "")
    spoken = {"language": "ar", "source_language": "de"}
    again = post(template="summeval", map="doc=document\nout=output", slug="translated", **spoken).json()
    assert {name: again[name] for name in spoken} == spoken


def test_every_problem_is_named_with_file_and_line_and_nothing_is_stored():
    files = zipfile.ZipFile(io.BytesIO(zipped(study_file(SEE))))
    broken = io.BytesIO()
    with zipfile.ZipFile(broken, "w") as target:
        for name in files.namelist():
            data = files.read(name)
            if name == "outputs.jsonl":
                data = data.replace(b'"document": "d1"', b'"document": "d9"')
            target.writestr(name, data)
    response = sent(program(), broken.getvalue())
    assert response.status_code == 422
    error = response.json()["error"]
    assert error["code"] == "invalid"
    assert "2 problems" in error["message"]
    assert [(row["file"], row["line"]) for row in error["details"]] == [
        ("outputs.jsonl", 1),
        ("outputs.jsonl", 3),
    ]
    assert all("d9" in row["message"] for row in error["details"])
    assert not Study.objects.exists()


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04 half a zip"])
def test_what_is_no_study_file_is_refused_in_words(data):
    response = sent(program(), data)
    assert response.status_code == 422
    assert response.json()["error"]["details"]


def test_a_form_without_a_file_or_with_unknown_fields_is_refused():
    client = program()
    missing = client.post(ROOT, {"replace": "true"})
    assert (missing.status_code, missing.json()["error"]["details"][0]["field"]) == (422, "file")
    unknown = sent(client, zipped(study_file()), replcae="true")
    assert (unknown.status_code, unknown.json()["error"]["details"][0]["field"]) == (422, "replcae")
    assert not Study.objects.exists()


def test_a_slug_that_is_taken_is_refused_unless_ones_own_study_shall_be_replaced():
    client = program()
    sent(client, zipped(study_file(name="First")))
    again = sent(client, zipped(study_file(name="Second")))
    assert (again.status_code, again.json()["error"]["code"]) == (409, "refused")
    assert sent(client, zipped(study_file(name="Second")), replace="true").status_code == 201
    assert Study.objects.get().name == "Second"


def test_somebody_elses_study_is_not_replaced():
    sent(program(), zipped(study_file(name="First")))
    assert sent(program(), zipped(study_file(name="Mine now")), replace="true").status_code == 409
    assert Study.objects.get().name == "First"


def test_a_study_with_judgments_is_not_replaced():
    client = program()
    sent(client, zipped(study_file(SEE)))
    study_simulate(study=Study.objects.get(), seed=1)
    refused = sent(client, zipped(study_file(SEE)), replace="true")
    assert refused.status_code == 409
    assert "judgments" in refused.json()["error"]["message"]


def test_the_study_file_comes_back_as_it_was_sent():
    client = program()
    data = zipped(study_file(SEE, TIDES))
    sent(client, data)
    response = client.get(ROOT + "small/study.zip")
    assert response["Content-Type"] == "application/zip"
    assert response.content == data


# --- one study ----------------------------------------------------------------------------------------------------


def test_a_study_opens_and_closes():
    study = make_study(SEE)
    client = program(study)
    assert client.post(url(study, "close/")).status_code == 409
    opened = client.post(url(study, "open/"))
    assert (opened.status_code, opened.json()["state"]) == (200, "open")
    assert opened.json()["wanted"] == 4
    again = client.post(url(study, "open/"))
    assert (again.status_code, again.json()["error"]["message"]) == (409, "The study is open already.")
    closed = client.post(url(study, "close/"))
    assert (closed.status_code, closed.json()["state"]) == (200, "closed")
    assert closed.json()["closed_at"]


def test_a_viewer_reads_but_does_not_change():
    study = make_study(SEE)
    client = program(study, "viewer")
    assert client.get(url(study)).json()["role"] == "viewer"
    refused = client.post(url(study, "open/"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    study.refresh_from_db()
    assert study.state == "draft"


def test_a_strangers_study_looks_like_none():
    study = make_study()
    client = program()
    there, nowhere = client.get(url(study)), client.get(ROOT + "nowhere/")
    assert there.status_code == nowhere.status_code == 404
    assert there.json() == nowhere.json()


def test_progress_says_what_the_page_says():
    study = make_study(SEE, TIDES, documents=3)
    study_simulate(study=study, seed=2)
    client = program(study)
    found = client.get(url(study, "progress/")).json()
    assert found["headline"] in logged_in(client.user).get(f"/studies/{study.slug}/").content.decode()
    assert (found["done"], found["wanted"], found["left"]) == (12, 12, 0)
    assert [(task["name"], task["done"]) for task in found["tasks"]] == [("coverage", 6), ("quality", 6)]
    assert found["last_judgment"]


def test_progress_of_an_untouched_study_has_no_times():
    study = make_study(SEE)
    study_open(study=study)
    found = program(study).get(url(study, "progress/")).json()
    assert (found["done"], found["seconds_left"], found["last_judgment"]) == (0, None, None)
    assert found["tasks"][0]["seconds"] is None


@pytest.mark.django_db(transaction=True)
def test_a_study_that_is_sent_twice_at_once_is_stored_once():
    data = zipped(study_file(slug="twice"))
    answers = at_once([partial(sent, program(), data) for _ in range(3)])
    assert sorted(response.status_code for response in answers) == [201, 409, 409]
    assert Study.objects.filter(slug="twice").count() == 1
    refused = next(response for response in answers if response.status_code == 409)
    assert "The slug “twice” cannot be used here." in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("study.yaml", "language: en", 'language: "\\ud800"'),
        ("study.yaml", "language: en", '"\\ud800": en'),
        ("outputs.jsonl", '"system": "qx31"', '"system": "\\ud800"'),
        ("outputs.jsonl", '"system": "qx31"', '"\\ud800": "qx31"'),
    ],
)
def test_half_a_character_in_a_study_file_is_named_here_and_on_the_page(name, old, new):
    """Also where a problem would quote it."""
    file = zipfile.ZipFile(io.BytesIO(zipped(study_file())))
    texts = {entry: file.read(entry).decode() for entry in file.namelist()}
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new, 1)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as spoilt:
        for entry, text in texts.items():
            spoilt.writestr(entry, text)
    client = program()
    refused = sent(client, data.getvalue())
    assert refused.status_code == 422
    assert "half a character" in refused.json()["error"]["details"][0]["message"]
    page = logged_in(client.user).post("/upload/", {"file": upload(data.getvalue())})
    assert (page.status_code, "half a character" in page.content.decode()) == (422, True)
