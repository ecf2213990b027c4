"""Whatever comes in, an answer comes out: in words, and never a fault of the server."""

from __future__ import annotations

import io
import json
import random
import re
import uuid
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from openpyxl import Workbook

from annotation.analysis import BadInput, judgment_table
from annotation.errors import Refused
from annotation.export import COLUMNS, judgment_rows
from annotation.export_files import csv_lines, jsonl_lines, parquet_write
from annotation.models import Judgment
from annotation.services.imports import judgments_import
from annotation.services.studies import study_open
from annotation.services.tokens import token_create
from annotation.services.work import assignment_next, judgment_record
from annotation.study_files import StudyFileProblems, read_study
from annotation.study_files.scores import read_scores
from annotation.tables import TableProblem, assemble, guessed_roles, read_grid
from tests.factories import assessor_client, experimenter, owner_client
from tests.fuzz.mutations import NASTY, per_target, spoilt
from tests.studies import make_study, plausible

ROOT = Path(__file__).resolve().parents[2]
QUALITY = {"kind": "rating", "name": "quality", "preset": "summeval"}
TYPES = [
    *["application/json"] * 4,
    *(
        "multipart/form-data; boundary=x",
        "multipart/form-data; boundary=x; charset=idna",
        "text/plain",
        "a/b; charset=x",
    ),
]
FIXTURES = sorted(path.parent for path in (ROOT / "fixtures").glob("*/study.yaml"))


def packed(files: dict[str, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    buffer.seek(0)
    return buffer


def good_tables() -> dict[str, bytes]:
    """One table in every format, by the name of its file; cells that were pasted have none."""
    rows = [
        ["doc_id", "source", "system", "summary"],
        *([f"d{n}", "A story.", "A", f"Text {n}."] for n in range(5)),
    ]
    book = Workbook()
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    objects = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    return {
        "t.csv": "\n".join(map(",".join, rows)).encode(),
        "": "\n".join(map("\t".join, rows)).encode(),
        "t.json": json.dumps(objects).encode(),
        "t.jsonl": "\n".join(map(json.dumps, objects)).encode(),
        "t.xlsx": buffer.getvalue(),
    }


def test_a_spoilt_table_is_read_or_refused_in_words():
    tables = good_tables()
    refused = 0
    for seed in range(per_target()):
        rng = random.Random(seed)
        name = rng.choice(sorted(tables))
        try:
            grid = read_grid(spoilt(tables[name], rng), name)
        except TableProblem as problem:
            refused += 1
            assert str(problem).strip(), (seed, name)
            continue
        assembly = assemble(grid, guessed_roles(grid))
        grid_of_page = json.dumps([list(issue) for issue in assembly.issues])
        assert grid_of_page.encode(), (seed, name)
    assert 0 < refused < per_target()


@pytest.mark.django_db
def test_a_spoilt_upload_becomes_a_draft_or_is_refused_in_words():
    """Through the page of a new study, as a browser sends it; what was taken is shown by the next page."""
    tables, user = good_tables(), experimenter("fuzz")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    tables["study.zip"] = packed(
        {path.name: path.read_bytes() for path in FIXTURES[0].iterdir() if path.is_file()}
    ).getvalue()
    answers = set()
    for seed in range(per_target()):
        rng = random.Random(seed)
        name = rng.choice(sorted(tables))
        data = spoilt(tables[name], rng)
        sent = {"name": "Spoilt", "language": "en"}
        sent |= (
            {"tables": SimpleUploadedFile(name, data)} if name else {"pasted": data.decode(errors="replace")}
        )
        answer = client.post(reverse("study_new"), sent)
        assert answer.status_code in (302, 400, 413, 422), (seed, name)
        if answer.status_code == 302:
            assert client.get(answer["Location"]).status_code == 200, (seed, name)
        answers.add(answer.status_code)
    assert {302, 422} <= answers or per_target() < 20


def test_a_spoilt_study_file_is_read_or_refused_in_words():
    studies = [
        {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} for folder in FIXTURES
    ]
    refused = 0
    for seed in range(per_target()):
        rng = random.Random(seed)
        files = dict(rng.choice(studies))
        name = rng.choice(["study.yaml", *files])
        files[name] = spoilt(files[name], rng)
        archive = packed(files)
        if seed % 10 == 0:
            archive = io.BytesIO(spoilt(archive.getvalue(), rng))
        try:
            read_study(archive, seconds=60)
        except StudyFileProblems as found:
            refused += 1
            assert str(found).strip(), seed
    assert refused


def test_a_spoilt_table_of_scores_is_read_or_refused_in_words():
    good = b"metric,system,item,score\nm,s1,d1,0.5\nm,s2,d1,-1e3\nm,s1,d2,\nm,s2,,7\n"
    for seed in range(per_target()):
        data = spoilt(good, random.Random(seed))
        try:
            read_scores(data, systems=["s1", "s2"], items=["d1", "d2"])
        except StudyFileProblems as found:
            assert str(found).strip(), seed


@pytest.fixture
def study(db):
    made = make_study(QUALITY, assessors=2)
    study_open(study=made)
    return made


@pytest.fixture
def judged(study):
    for assessor in study.assessors.select_related("study"):
        while assignment := assignment_next(assessor=assessor):
            answer, _ = plausible(assignment)
            judgment_record(
                assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1
            )
    return study


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_spoilt_judgments_are_read_or_refused_in_words(judged, ending, tmp_path):
    path = tmp_path / f"judgments.{ending}"
    if ending == "parquet":
        parquet_write(judgment_rows(judged), path)
    else:
        rows = judgment_rows(judged)
        path.write_text("".join(csv_lines(COLUMNS, rows) if ending == "csv" else jsonl_lines(rows)))
    good, before = path.read_bytes(), Judgment.objects.count()
    assert before
    for seed in range(per_target() // 3 + 1):
        path.write_bytes(spoilt(good, random.Random(seed)))
        try:
            judgments_import(study=judged, rows=judgment_table(path))
        except (BadInput, Refused) as problem:
            assert str(problem).strip(), seed
        except UnicodeEncodeError:
            continue  # the API has words for it
    assert Judgment.objects.count() >= before


def test_a_spoilt_body_is_answered_by_every_address_of_an_assessor(study):
    client = assessor_client(study.assessors.first())
    client.raise_request_exception = False
    page = client.get(f"/work/{study.slug}/", follow=True)
    client.post(f"/work/{study.slug}/start/", follow=True)
    assignment = assignment_next(assessor=study.assessors.select_related("study").first())
    assert page.status_code == 200
    preview = owner_client(study)
    preview.raise_request_exception = False
    item = f"/work/{study.slug}/item/{assignment.public_id}/"
    addresses = [
        *((client, f"{item}{name}/") for name in ("judgment", "draft", "flag")),
        (client, f"/work/{study.slug}/message/"),
        *(
            (preview, f"/studies/{study.slug}/preview/{QUALITY['name']}/1/{name}/")
            for name in ("draft", "judgment")
        ),
    ]
    sent = {
        "client_key": str(uuid.UUID(int=5)),
        "revision": 1,
        "seconds": 1.5,
        "answer": {"values": dict.fromkeys(("coherence", "consistency", "fluency", "relevance"), 3)},
        "comment": "word",
        "confirm": True,
    }
    good = json.dumps(sent).encode()
    for seed in range(per_target()):
        rng = random.Random(seed)
        browser, address = rng.choice(addresses)
        kind = rng.choice(TYPES)
        answer = browser.generic("POST", address, spoilt(good, rng), content_type=kind)
        assert answer.status_code < 500, (seed, address)


def _routes(patterns, before: str = "") -> list[str]:
    found = []
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            found += _routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            found.append(route)
    return found


def test_a_spoilt_address_is_answered(study):
    """Every address there is, with parts that are none, by everybody who may come in."""
    token = token_create(user=experimenter("program"), name="x")
    people = [Client(), owner_client(study), assessor_client(study.assessors.first())]
    for client in people:
        client.raise_request_exception = False
    routes = sorted(set(_routes(get_resolver().url_patterns)))
    assert len(routes) > 60
    for seed in range(per_target()):
        rng = random.Random(seed)
        good = {
            "slug": study.slug,
            "pk": "1",
            "task": QUALITY["name"],
            "place": "1",
            "format": "csv",
            "kind": "outputs",
        }
        nasty = rng.choice(NASTY)[:2000]

        def part(match: re.Match, rng=rng, good=good, nasty=nasty) -> str:
            if rng.random() < 0.6 and match[1] in good:
                return good[match[1]]
            return "".join(f"%{byte:02X}" for byte in nasty)

        path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", part, rng.choice(routes))
        query = "".join(f"%{byte:02X}" for byte in rng.choice(NASTY)[:300])
        names = ["page", "sort", "after", "limit", "level", "metric", "next", "names", "q", "settled"]
        address = f"{path}?{rng.choice(names)}={query}"
        client = rng.choice(people)
        headers = {"Authorization": f"Bearer {token}"} if rng.random() < 0.3 else {}
        answer = (
            client.get(address, headers=headers)
            if rng.random() < 0.8
            else client.post(address, headers=headers)
        )
        if hasattr(answer, "streaming_content"):
            b"".join(answer.streaming_content)
        assert answer.status_code < 500, (seed, address)
