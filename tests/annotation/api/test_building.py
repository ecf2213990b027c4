"""Building a study by a program, step by step, as on its pages."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import AuditEntry, Study
from annotation.services.assessors import flag_raise
from annotation.services.building import study_begin
from tests.annotation.api.programs import program, url
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db

TABLE = "doc_id,source,system,summary\n" + "".join(
    f"d{d},Story {d}. It rained.,s{s},By s{s} of {d}. Rain.\n" for d in range(3) for s in range(2)
)


@pytest.fixture
def owner():
    return program()


@pytest.fixture
def draft(owner) -> Study:
    return study_begin(owner=owner.user, name="By a program")


def posted(owner, draft, path, sent):
    return owner.post(url(draft, path), sent, content_type="application/json")


def with_table(owner, draft, text=TABLE, **fields):
    return owner.post(url(draft, "table/"), {"file": SimpleUploadedFile("t.csv", text.encode()), **fields})


def test_from_a_table_to_an_open_study_without_a_page(owner, draft):
    assert with_table(owner, draft).json() == {"documents": 3, "outputs": 6, "notes": []}
    task = posted(owner, draft, "tasks/", {"template": "summeval"})
    assert task.status_code == 201
    config = task.json()["config"] | {"preset": "duc2005"}
    changed = posted(owner, draft, "tasks/summeval/", {"config": config, "version": task.json()["version"]})
    assert changed.json()["config"]["preset"] == "duc2005"
    assert posted(owner, draft, "units/", {"how": "whole"}).json()["texts"] == 9
    design = owner.get(url(draft, "design/")).json()
    assert design["design"]["assessors_per_item"] == 2
    design["design"]["assessors_per_item"] = 1
    assert posted(owner, draft, "design/", design).status_code == 200
    assert posted(owner, draft, "assessors/", {"name": "Ada"}).status_code == 201
    assert owner.post(url(draft, "open/")).status_code == 200
    assert posted(owner, draft, "design/", design).status_code == 409, "what people judge changes no more"
    actions = list(AuditEntry.objects.filter(chain=draft.pk).values_list("action", flat=True))
    assert {"study.table", "task.add", "task.configure", "text.cut", "study.design"} <= {*actions}


def test_problems_of_a_table_are_named_with_their_rows_and_nothing_is_written(owner, draft):
    answer = with_table(owner, draft, TABLE + "d9,,s0,\n")
    assert answer.status_code == 422
    (problem,) = answer.json()["error"]["details"]
    assert (problem["file"], problem["line"]) == ("t.csv", 8)
    assert draft.outputs.count() == 0
    assert with_table(owner, draft, "a\x00b").status_code == 422
    assert with_table(owner, draft, TABLE, map="nonsense").status_code == 422
    assert with_table(owner, draft, TABLE, map="source=unknown").status_code == 422


def test_whoever_had_an_older_version_is_told(owner, draft):
    with_table(owner, draft)
    task = posted(owner, draft, "tasks/", {"template": "summeval"}).json()
    sent = {"config": {"preset": "duc2005"}, "version": task["version"]}
    assert posted(owner, draft, "tasks/summeval/", sent).status_code == 200
    assert posted(owner, draft, "tasks/summeval/", sent).status_code == 409
    old = {"design": {"assessors_per_item": 3}, "version": "0" * 16}
    assert posted(owner, draft, "design/", old).status_code == 409


@pytest.mark.parametrize(
    ("path", "sent", "field"),
    [
        ("tasks/", {"template": "nothing"}, "template"),
        ("tasks/summeval/", {"config": {"criteria": 7}}, "config"),
        ("units/", {}, "how"),
        ("units/", {"id": 10**9}, "id"),
        ("design/", {"design": {"assessors_per_item": 0}}, "design.assessors_per_item"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_field(owner, draft, path, sent, field):
    with_table(owner, draft)
    posted(owner, draft, "tasks/", {"template": "summeval"})
    answer = posted(owner, draft, path, sent)
    assert answer.status_code == 422
    assert answer.json()["error"]["details"][0]["field"].startswith(field)


def test_one_text_is_cut_by_hand_and_stays_the_same_text(owner, draft):
    with_table(owner, draft)
    row = owner.get(url(draft, "units/")).json()["results"][0]
    assert len(row["units"]) == 2
    joined = [" ".join(row["units"])]
    assert posted(owner, draft, "units/", {"id": row["id"], "units": joined}).status_code == 200
    assert owner.get(url(draft, "units/")).json()["results"][0]["units"] == joined
    assert posted(owner, draft, "units/", {"id": row["id"], "units": ["Another."]}).status_code == 409


def test_a_task_goes_and_threads_are_settled():
    study = make_study(SEE)
    owner = program(study)
    assert owner.delete(url(study, "tasks/coverage/")).status_code == 204
    assert not study.tasks.exists()
    flag = flag_raise(assessor=study.assessors.first(), assignment=None, comment="Help")
    (row,) = owner.get(url(study, "threads/")).json()["results"]
    assert ([word["text"] for word in row["words"]], row["item"], row["waits"]) == (["Help"], None, True)
    assert owner.post(url(study, f"threads/{flag.pk}/settle/")).status_code == 204
    assert owner.get(url(study, "threads/")).json()["count"] == 0
    assert owner.get(url(study, "threads/?settled=true")).json()["count"] == 1
