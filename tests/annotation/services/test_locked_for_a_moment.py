"""What takes long is done before the database is locked: people judge meanwhile. On SQLite a lock stops everybody."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pydantic import BaseModel

from annotation.checks import Checks
from annotation.designs import Design
from annotation.export import judgment_rows
from annotation.models import Assignment, Disagreement, DisagreementQueue, Judgment, Study, Subject
from annotation.selectors import plan as plans
from annotation.selectors import subjects
from annotation.selectors.exhibits import facts_of, outputs_of
from annotation.selectors.files import study_materials
from annotation.selectors.wave_plan import Added, wave_plan
from annotation.services import building, dealing, disagreement, exclusions, imports, programs, waves
from annotation.services import materials as materials_service
from annotation.services.assessors import assessor_create, assessors_add
from annotation.services.building import study_begin, table_use_whole, units_cut_all
from annotation.services.imports import judgments_import
from annotation.services.joining import assessor_join, join_link_set
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open, units_cut
from annotation.services.work import assignment_next, draft_save, judgment_submit
from annotation.study_files.schema import ControlRow
from annotation.tasks.terms import NotYet
from tests.studies import SYSTEMS, TIDES, make_study, plausible, practice, study_file

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
    locked = noting(monkeypatch, materials_service, "cut")
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
    cut = noting(monkeypatch, materials_service, "cut")
    assembled = noting(monkeypatch, building, "assembly_of")
    made = noting(monkeypatch, building, "materials_made")
    table_use_whole(study=draft, file=("weather.csv", TABLE), mapping=(), max_bytes=2**20)
    assert len(cut) == 4
    assert len(assembled) == len(made) == 1
    assert not any(cut + assembled + made)
    assert [row.units for row in draft.outputs.all()] == [["Rain.", "Much rain."], ["Sun.", "Again."]]


def test_a_text_that_is_cut_while_a_table_is_made_into_rows_stays_cut(draft, monkeypatch):
    real = building.materials_made

    def made(*args, **kwargs):
        stock = real(*args, **kwargs)
        if not connection.in_atomic_block:
            units_cut(text=draft.outputs.first(), units=["Rain. Much", "rain."])
        return stock

    monkeypatch.setattr(building, "materials_made", made)
    table_use_whole(study=draft, file=("weather.csv", TABLE), mapping=(), max_bytes=2**20)
    assert [row.units for row in draft.outputs.all()] == [["Rain. Much", "rain."], ["Sun.", "Again."]]


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


# --- waves --------------------------------------------------------------------------------------------------------

TASKS = (
    {"kind": "error_spans", "name": "spans", "preset": "esa", "sets": {"size": 2}, "shuffle": "unit"},
    {"kind": "pairwise", "name": "pairs"},
    TIDES,
)


def wave_file(documents: int, *tasks: dict, **fields):
    return study_file(
        *tasks, documents=documents, assessors=3, checks=Checks(repeats=0.25, degraded=0.25), **fields
    )


def open_study(*tasks: dict, documents: int = 6) -> Study:
    study = study_import(study_file=wave_file(documents, *tasks))
    study_open(study=study)
    return study


def dealt(study: Study) -> list[tuple]:
    """Everything that was dealt, by names and without ids."""
    rows = Assignment.objects.filter(assessor__study=study).order_by("assessor", "position")
    return [
        (
            row.assessor.pseudonym,
            row.position,
            row.places,
            row.counts,
            row.subject.task.name,
            row.subject.order,
            (row.subject.wanted, row.subject.taken, row.subject.control, row.subject.practice),
            row.subject.reference and row.subject.reference.key,
            row.subject.control_item and (row.subject.control_item.text, row.subject.control_item.units),
            [(one.system.key, one.item_key, one.units) for same in outputs_of(row.subject) for one in same],
        )
        for row in rows.select_related("assessor", "subject__task")
    ]


@pytest.mark.parametrize("old", [TASKS[:1], TASKS[1:2], TASKS])
def test_a_wave_deals_what_it_would_deal_if_its_texts_were_stored_before(old):
    """Also for a task that comes with it, with items to practise on and to control people by."""
    study = open_study(*old)
    task = {**TIDES, "name": "late"}
    gold = ControlRow(
        task="late", type="gold", system=SYSTEMS[1], document="d8", expect={"values": {"fluency": 5}}
    )
    file = wave_file(9, *old, task, practice=(practice("late", document="d7"),), controls=(gold,))

    ready = waves._ready(study, file)
    with transaction.atomic():
        before = {
            name: set(getattr(study, name).values_list("pk", flat=True))
            for name in ("documents", "topics", "references", "outputs")
        }
        waves.materials_store(ready.stock)
        waves.tasks_store(ready.tasks)
        added = Added(
            **{
                name: frozenset(getattr(study, name).values_list("pk", flat=True)) - known
                for name, known in before.items()
            }
        )
        assert all(pk > 0 for pk in added.outputs | added.documents)
        plan = wave_plan(study, added, study_materials(study))
        positions: dict[int, int] = {}
        hands = [dealing._hand(plan, task, positions) for task in plan.tasks]
        dealing.wave_deal(study=study, deal=dealing.WaveDeal(plan.people, hands))
        expected = dealt(study)
        transaction.set_rollback(True)

    number = len(dealt(study))
    wave = waves.study_extend(study=study, study_file=file)
    assert dealt(study) == expected
    assert len(expected) > number
    assert wave.subjects and wave.outputs == 3 * len(SYSTEMS)
    assert {"practice", "repeat", "degraded", "gold"} <= {
        "practice" if practised else control for *_, (_, _, control, practised), _, _, _ in expected
    }


def test_a_wave_is_made_ready_before_it_locks_the_database(monkeypatch):
    study = open_study(*TASKS)
    noted = [
        noting(monkeypatch, owner, name)
        for owner, name in (
            (materials_service, "cut"),
            (waves, "study_materials"),
            (dealing, "wave_plan"),
            (subjects, "subject_planned"),
            (dealing, "_assignments_made"),
        )
    ]
    waves.study_extend(study=study, study_file=wave_file(8, *TASKS))
    assert all(noted[1:])
    assert not any(locked for one in noted for locked in one)


@pytest.mark.parametrize("times", [1, 9])
def test_a_wave_is_made_again_where_the_study_has_changed_meanwhile(monkeypatch, times):
    """However often it does."""
    study = open_study(TIDES)
    real = waves._ready
    made = []

    def somebody_comes(study, *args):
        ready = real(study, *args)
        made.append(connection.in_atomic_block)
        if len(made) <= times and not made[-1]:
            assessor_create(study=Study.objects.get(pk=study.pk), name=f"late-{len(made)}")
        return ready

    monkeypatch.setattr(waves, "_ready", somebody_comes)
    waves.study_extend(study=study, study_file=wave_file(12, TIDES))
    assert made == ([False, False] if times == 1 else [False, False, False, True])
    for person in study.assessors.all():
        assert person.assignments.filter(counts=True).exists()
    study.refresh_from_db()
    assert study.wave == 2


@pytest.mark.parametrize("changes", [False, True])
def test_a_programs_items_are_made_before_it_enters_or_again_where_there_is_more(monkeypatch, changes):
    study = open_study(*TASKS)
    drawn = noting(monkeypatch, programs, "places_drawn")
    real = programs._enter

    def after_a_wave(study, *args):
        if changes:
            waves.study_extend(study=Study.objects.get(pk=study.pk), study_file=wave_file(8, *TASKS))
        return real(study, *args)

    monkeypatch.setattr(programs, "_enter", after_a_wave)
    program = programs.program_enter(study=study, name="judge")
    assert drawn == [False, True] if changes else [False]
    pieces = set(programs._judged_by_people(study).values_list("pk", flat=True))
    assert {item.subject_id for item in program.items.all()} == pieces
    assert sorted(item.position for item in program.items.all()) == list(range(1, len(pieces) + 1))
    assert all(bool(item.places) == bool(item.subject.set_id) for item in program.items.all())


def test_what_newcomers_get_is_read_before_the_database_is_locked_and_once(monkeypatch):
    """Before: for each of them, 2.6 seconds in a study of 16,000 outputs, for whoever opened a join link."""
    study = study_import(study_file=wave_file(6, TIDES, design=Design(assessors_per_item=1, shared=("d2",))))
    study_open(study=study)
    read = noting(monkeypatch, plans, "study_materials")
    link = join_link_set(study=study, rules={})
    people = [
        assessor_create(study=study, name="late"),
        *(assessor_join(link=link, given={"PID": name}, consented=True) for name in "ab"),
    ]
    assert read == [False]
    for person in people:
        assert {row.subject.output.document.key for row in person.assignments.filter(counts=True)} == {"d2"}
        assert person.assignments.filter(counts=True).count() == len(SYSTEMS)
    waves.study_extend(study=study, study_file=wave_file(8, TIDES))
    assessor_create(study=study, name="later")
    assert read == [False, False]


def test_what_newcomers_get_is_dealt_once_for_all_who_come_together(monkeypatch):
    """Before: for each by themselves, four seconds for a hundred who got some of the same pieces."""
    study = study_import(study_file=wave_file(6, TIDES, design=Design(assessors_per_item=1, shared=("d2",))))
    study_open(study=study)
    dealt = noting(monkeypatch, plans, "_deals")
    people = assessors_add(study=study, names=["n1", "n2", "n3"])
    assert len(dealt) == 1
    for person in people:
        assert person.assignments.filter(counts=True).count() == len(SYSTEMS)
    shared = Subject.objects.filter(task__study=study, output__document__key="d2", control="", practice=False)
    assert set(shared.values_list("wanted", "taken")) == {(6, 6)}


def test_newcomers_go_through_nothing_but_what_they_get_where_something_is_left_out(monkeypatch):
    """Before: through the whole study, 0.2 seconds of a large one for everybody who opened a join link."""
    study = study_import(
        study_file=wave_file(6, TIDES, design=Design(assessors_per_item=1, shared=("d2", "d3")))
    )
    study_open(study=study)
    exclusions.exclusion_add(study=study, target=study.documents.get(key="d2"), reason="a bad scan")
    gone_through = noting(monkeypatch, exclusions, "results_settle")
    newcomer = assessor_create(study=study, name="late")
    assert not gone_through
    after = everything_that_counts(study)
    exclusions.results_settle(study=study)
    assert after == everything_that_counts(study)
    assert {
        (row.subject.output.document.key, row.left_out) for row in newcomer.assignments.filter(counts=True)
    } == {("d2", True), ("d3", False)}


def everything_that_counts(study: Study) -> tuple[list, list]:
    return (
        list(
            Subject.objects.filter(task__study=study)
            .order_by("pk")
            .values_list("wanted", "taken", "left_out")
        ),
        list(
            Assignment.objects.filter(assessor__study=study).order_by("pk").values_list("state", "left_out")
        ),
    )


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
        made = noting(monkeypatch, imports._Importer, "_add")
        judgments_import(study=second, rows=rows)
        assert answers and made
        assert not any(answers + planned + made)
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


@pytest.mark.parametrize("is_in_table", [True, False])
def test_an_import_looks_again_where_its_people_have_judged_meanwhile(is_in_table, monkeypatch):
    """It has made its rows before, of what they had then."""
    _, second, rows = judged_elsewhere()
    study_open(study=second)
    second.refresh_from_db()
    assessor = second.assessors.select_related("study").first()
    assignment = assignment_next(assessor=assessor)
    output = assignment.subject.output
    here = (assessor.pseudonym, output.system.key, output.item_key)
    others = [row for row in rows if (row["assessor"], row["system"], row["item"]) != here]
    assert len(others) < len(rows)
    real = imports._import

    def judged_first(*args):
        answer, _ = plausible(assignment)
        judgment_submit(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1)
        return real(*args)

    monkeypatch.setattr(imports, "_import", judged_first)
    done = judgments_import(study=second, rows=rows if is_in_table else others)
    assert done.known == is_in_table
    stored = Judgment.objects.filter(assignment__assessor__study=second)
    assert stored.count() == done.judgments + 1
    assert Judgment.objects.get(assignment=assignment).client_key.version == 4, "what was submitted counts"
    assert set(stored.values_list("assignment__state", flat=True)) == {Assignment.State.DONE}


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


def test_judgments_are_compared_before_the_look_for_disagreement_locks_the_database(monkeypatch):
    """Whatever is left out while they are: then what was found is not kept, and all is looked at again."""
    study = make_study(design=Design(assessors_per_item=2))
    study_simulate(study=study, seed=1)
    locked = noting(monkeypatch, disagreement, "subjects_differing")
    assert not disagreement.disagreement_look(study=study)
    assert locked == [False]
    found = sorted(Disagreement.objects.values_list("subject", "criterion", "spread"))
    assert found
    DisagreementQueue.objects.all().delete()
    Disagreement.objects.all().delete()
    stands = iter(["1//0", "1//0", "2//0"])
    monkeypatch.setattr(disagreement, "stand_of_results", lambda study: next(stands, "2//0"))
    disagreement.disagreement_look(study=study)
    assert not Disagreement.objects.exists()
    disagreement.disagreement_look(study=study)
    assert sorted(Disagreement.objects.values_list("subject", "criterion", "spread")) == found


def test_of_an_answer_full_of_faults_the_first_few_are_named(assignment):
    """Before: each of a hundred thousand, in a reply of 16 MB, while everybody else waited."""
    with pytest.raises(NotYet) as told:
        draft_save(assignment=assignment, revision=1, answer={f"x{n}": n for n in range(10_000)})
    assert len(told.value.missing) == 20
