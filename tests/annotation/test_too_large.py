"""Texts, units and keys that no page could show: refused where they come in, in words, and nothing is written.

A text of 1.2 MB that fell into 300,000 units made a page of 175 MB, for 41 seconds, in a process that everybody shares.
"""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from annotation.designs import DesignProblem, bounded
from annotation.errors import Refused
from annotation.models import Study
from annotation.services.studies import study_import
from annotation.study_files import StudyFileProblems, read_study
from annotation.tasks.terms import SubjectPlan
from tests.factories import owner_client
from tests.studies import SEE, make_study, study_file

pytestmark = pytest.mark.django_db

LINES = "Ab.\n\n" * 20_001


@pytest.fixture
def draft() -> Study:
    """With a text of many lines in one unit."""
    study = make_study(SEE)
    study.outputs.filter(pk=study.outputs.first().pk).update(text=LINES, units=[LINES.strip()])
    return study


def test_a_text_that_falls_into_too_many_units_is_not_imported():
    file = study_file(SEE)
    outputs = file.materials.outputs
    long = outputs[0].model_copy(update={"units": None, "text": LINES})
    object.__setattr__(file.materials, "outputs", (long, *outputs[1:]))
    with pytest.raises(Refused, match=r"begins “Ab\.” would fall into too many units: 20,001, where 20,000"):
        study_import(study_file=file)
    assert not Study.objects.exists()


def test_nor_is_it_cut_by_hand(draft):
    output = draft.outputs.first()
    reply = owner_client(draft).post(
        reverse("study_units", args=[draft.slug, "output", output.pk]), {"units": LINES}
    )
    assert reply.status_code == 422
    assert "too many units: 20,001" in reply.content.decode()
    output.refresh_from_db()
    assert len(output.units) == 1


@pytest.mark.parametrize("how", ["lines", "sentences"])
def test_nor_with_all_the_others(draft, how):
    client = owner_client(draft)
    reply = client.post(reverse("build_units", args=[draft.slug]), {"how": how}, follow=True)
    assert "too many units: 20,001" in reply.content.decode()
    assert len(draft.outputs.first().units) == 1


def files(**more: str) -> dict[str, bytes]:
    given = {
        "study.yaml": "name: A\nslug: a\ntasks: [{kind: error_spans, name: e, preset: mqm}]\n"
        "materials: {documents: documents.jsonl, outputs: outputs.jsonl, units: units.jsonl}\nprefilled: prefilled.jsonl\n",
        "documents.jsonl": '{"id": "d", "text": "A ferry sank."}',
        "outputs.jsonl": '{"system": "s", "document": "d", "text": "%s"}' % ("a" * 2000),
        "units.jsonl": '{"id": "n", "document": "d", "text": "A ferry."}',
        "prefilled.jsonl": '{"system": "s", "document": "d", "unit": 1, "start": 0, "end": 1, "severity": "major"}',
    }
    return {name: text.encode() for name, text in (given | more).items()}


def test_what_is_marked_or_named_has_bounds_of_its_own():
    assert read_study(files()).prefilled
    spans = [
        {"system": "s", "document": "d", "unit": 1, "start": n, "end": n + 1, "severity": "major"}
        for n in range(1001)
    ]
    with pytest.raises(StudyFileProblems, match="1,001 errors are marked in what “s” wrote for “d”"):
        read_study(files(**{"prefilled.jsonl": "\n".join(map(json.dumps, spans))}))
    units = [{"id": f"n{n}", "document": "d", "text": "A ferry."} for n in range(2001)]
    with pytest.raises(StudyFileProblems, match="“d” has 2,001 units; at most 2,000"):
        read_study(files(**{"units.jsonl": "\n".join(map(json.dumps, units))}))


@pytest.mark.parametrize(("each", "pieces"), [(5_000_000, 1), (4_000_000, 63)])
def test_what_kinds_put_on_their_pages_has_a_bound(each, pieces):
    plan = SubjectPlan(item="d1", shown={"models": ["x" * each]})
    assert list(bounded([SubjectPlan(item="d1", shown={"models": ["x" * 1000]})] * 100))
    with pytest.raises(DesignProblem, match="“d1” would show models, content units or questions"):
        list(bounded([plan] * pieces))
