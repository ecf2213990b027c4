"""What takes long is done before the database is locked: people judge meanwhile. On SQLite a lock stops everybody."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import BaseModel

from annotation.export import judgment_rows
from annotation.models import Assignment, Judgment, Study
from annotation.selectors import plan as plans
from annotation.selectors import subjects
from annotation.selectors.exhibits import facts_of
from annotation.services import building, dealing, imports, studies
from annotation.services.assessors import assessor_create
from annotation.services.building import study_begin, table_use_whole, units_cut_all
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.services.work import assignment_next, draft_save, judgment_submit
from annotation.tasks.terms import NotYet
from tests.studies import make_study, plausible, study_file

pytestmark = pytest.mark.django_db(transaction=True)


def noting(monkeypatch, owner, name: str) -> list[bool]:
    """Whether the database was locked, for each call of a function that is really called."""
    locked: list[bool] = []
    real = getattr(owner, name)

    def called(*args, **kwargs):
        locked.append(connection.in_atomic_block)
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, called)
    return locked


def test_texts_are_cut_into_units_before_an_import_locks_the_database(monkeypatch):
    given = study_file()
    outputs = tuple(
        row.model_copy(update={"units": None, "text": "One. Two."}) for row in given.materials.outputs
    )
    materials = given.materials.__class__(
        **{name: getattr(given.materials, name) for name in ("documents", "references", "systems")},
        outputs=outputs,
    )
    locked = noting(monkeypatch, studies, "cut")
    study = study_import(study_file=study_file(materials=materials))
    assert len(locked) >= len(outputs)
    assert not any(locked)
    assert {tuple(row.units) for row in study.outputs.all()} == {("One.", "Two.")}


TABLE = b"doc_id,source,system,summary\nd1,It rained. It pours.,alpha,Rain. Much rain.\nd2,Sun.,alpha,Sun. Again.\n"


@pytest.fixture
def draft():
    """A draft with the texts of a table."""
    study = study_begin(owner=User.objects.create(username="ellen"), name="Weather")
    table_use_whole(study=study, file=("weather.csv", TABLE), mapping=(), max_bytes=2**20)
    return study


def test_a_programs_table_is_read_and_cut_before_the_database_is_locked(draft, monkeypatch):
    """Before: it was locked from the first cell to the last sentence, 11 seconds for 60,000 rows."""
    cut = noting(monkeypatch, studies, "cut")
    assembled = noting(monkeypatch, building, "assembly_of")
    table_use_whole(study=draft, file=("weather.csv", TABLE), mapping=(), max_bytes=2**20)
    assert len(cut) == 4
    assert len(assembled) == 1
    assert not any(cut + assembled)
    assert [row.units for row in draft.outputs.all()] == [["Rain.", "Much rain."], ["Sun.", "Again."]]


def test_all_texts_are_cut_otherwise_by_short_statements(draft):
    """Before: by cases, which took SQLite 25 seconds for 60,000 texts."""
    with CaptureQueriesContext(connection) as asked:
        assert units_cut_all(study=draft, how="whole") == 4
    assert not [query["sql"] for query in asked if "CASE" in query["sql"]]
    assert [row.units for row in draft.outputs.all()] == [["Rain. Much rain."], ["Sun. Again."]]
    assert all(row.units_given for row in [*draft.outputs.all(), *draft.documents.all()])
    with CaptureQueriesContext(connection) as asked:  # nothing is another text then
        assert units_cut_all(study=draft, how="whole") == 4
    assert not [query["sql"] for query in asked if query["sql"].startswith("UPDATE")]


def test_the_plan_is_made_before_an_opening_locks_the_database(monkeypatch):
    study = make_study()
    planned = noting(monkeypatch, dealing, "study_plan")
    made = noting(monkeypatch, subjects, "subject_planned")
    dealt = noting(monkeypatch, dealing, "_assignments_made")
    study_open(study=study)
    assert planned == [False]
    assert made and dealt
    assert not any(made + dealt)
    assert Assignment.objects.exists()


def test_a_plan_for_other_people_than_there_are_is_made_again():
    study = make_study(assessors=1)
    planned = dealing.planned(study)
    newcomer = assessor_create(study=study, name="late")
    dealing.assignments_deal(study=study, planned=planned)
    assert newcomer.assignments.exists()
    assert plans.study_plan(study).people == [person.pk for person in study.assessors.all()]


def judged_elsewhere() -> tuple[Study, Study, list[dict]]:
    """A study that was judged, the same study as a draft, and the judgments as a table has them."""
    first = study_import(study_file=study_file())
    study_simulate(study=first, seed=3)
    rows = [dict(row, row=number) for number, row in enumerate(judgment_rows(first), start=2)]
    Study.objects.filter(pk=first.pk).update(slug="elsewhere")
    second = study_import(study_file=study_file())
    return first, second, rows


def test_judgments_made_elsewhere_are_checked_before_an_import_locks_the_database(monkeypatch):
    """Before: the database was locked while all of them were read and checked, a quarter of a minute for 20,000."""
    _, second, rows = judged_elsewhere()
    for state in (Study.State.DRAFT, Study.State.CLOSED):
        assert second.state == state
        answers = noting(monkeypatch, imports._Importer, "_answer")
        planned = noting(monkeypatch, imports, "study_plan")
        judgments_import(study=second, rows=rows)
        assert answers
        assert not any(answers + planned)
    assert Judgment.objects.filter(assignment__assessor__study=second).count() == len(
        {(row["assessor"], row["position"]) for row in rows if not row["practice"]}
    )


def test_an_import_looks_again_where_the_study_has_changed_meanwhile(monkeypatch):
    first, second, rows = judged_elsewhere()
    real = imports._import

    def opened_first(study, *args):
        """Somebody opens the draft when the table has been read."""
        study_open(study=Study.objects.get(pk=study.pk))
        return real(study, *args)

    monkeypatch.setattr(imports, "_import", opened_first)
    judgments_import(study=second, rows=rows)
    second.refresh_from_db()
    assert second.state == Study.State.OPEN
    assert second.tasks.first().subjects.count() == first.tasks.first().subjects.count()


@pytest.fixture
def assignment():
    study = make_study()
    study_open(study=study)
    return assignment_next(assessor=study.assessors.first())


def test_an_answer_is_read_before_the_database_is_locked(assignment, monkeypatch):
    answer, _ = plausible(assignment)
    locked: list[bool] = []
    real = BaseModel.model_validate.__func__

    def noted(cls, given, *args, **kwargs):
        if given == answer:
            locked.append(connection.in_atomic_block)
        return real(cls, given, *args, **kwargs)

    monkeypatch.setattr(facts_of(assignment).kind.Answer, "model_validate", classmethod(noted), raising=False)
    draft_save(assignment=assignment, revision=1, answer=answer)
    judgment_submit(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1)
    assert locked[0] is False
    assert Judgment.objects.count() == 1


def test_of_an_answer_full_of_faults_the_first_few_are_named(assignment):
    """Before: each of a hundred thousand, in a reply of 16 MB, while everybody else waited."""
    with pytest.raises(NotYet) as told:
        draft_save(assignment=assignment, revision=1, answer={f"x{n}": n for n in range(10_000)})
    assert len(told.value.missing) == 20
