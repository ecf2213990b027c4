"""Studies with sets of outputs, by a kind made for these tests: from import over plan and pages to export and back."""

import itertools
import random
import re
import sys
import uuid
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from annotation.designs import Design
from annotation.export import attribute_rows, judgment_rows
from annotation.models import Assignment, SetMember, Study, Subject
from annotation.selectors.exhibits import facts_of_subject
from annotation.selectors.plan_tables import plan_tables
from annotation.selectors.preview import task_preview
from annotation.services import work
from annotation.services.assessors import assessor_create, assessor_link, assessor_revoke
from annotation.services.imports import ImportProblems, judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files.schema import OutputRow
from annotation.tasks import KINDS, ROOMS
from tests.annotation.test_blind_crawl import crawl
from tests.outside import HERE
from tests.studies import study_file

pytestmark = pytest.mark.django_db
SIX = ("k1-ant", "k2-bee", "k3-cat", "k4-dog", "k5-eel", "k6-fox")


@pytest.fixture(autouse=True)
def favourite(monkeypatch):
    """The kind is known in this process, as if its distribution were installed."""
    monkeypatch.syspath_prepend(str(HERE))
    from favourite.task.kind import KIND

    monkeypatch.setitem(KINDS, "favourite", KIND)
    monkeypatch.setitem(ROOMS, "favourite", HERE / "favourite" / "task")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "favourite"]:
        del sys.modules[name]


def sets_file(size, *, systems=SIX, same=(), documents=4, **fields):
    """Every item has one text for each system; those of ``same`` have the text of the first of them, but for white space."""
    made = study_file(
        {"kind": "favourite", "name": "best", "size": size}, systems=systems, documents=documents
    )
    fields.setdefault("design", Design(assessors_per_item=2))
    outputs = []
    for row in made.materials.outputs:
        text = f"Text {same[0] if row.system in same else row.system} on {row.document}, hidden as {hash_of(row, same)}."
        outputs.append(
            OutputRow(
                system=row.system, document=row.document, text=f"  {text} " if row.system in same else text
            )
        )
    return replace(made, materials=replace(made.materials, outputs=tuple(outputs)), **fields)


def hash_of(row, same):
    """Texts must differ without naming their system."""
    system = same[0] if row.system in same else row.system
    return random.Random(f"{system}/{row.document}").randrange(10**9)


def blind(file):
    """The same study with texts that do not name anybody."""
    outputs = tuple(
        row.model_copy(update={"text": re.sub(r"Text \S+ on", "A text on", row.text)})
        for row in file.materials.outputs
    )
    return replace(file, materials=replace(file.materials, outputs=outputs))


def rows_of(study):
    return [row for row in judgment_rows(study) if not row["practice"]]


def numbered(rows):
    """Rows of a table with their lines, as a reader gives them."""
    return [{**row, "study": "", "row": line} for line, row in enumerate(rows, start=2)]


def imported_again(study, file):
    """A fresh copy of the study with the judgments of its export, which come out as they went in."""
    wanted = rows_of(study)
    study.slug = "first"
    study.save()
    again = study_import(study_file=file)
    judgments_import(study=again, rows=numbered(wanted))
    assert [{**row, "study": ""} for row in rows_of(again)] == [{**row, "study": ""} for row in wanted]
    return again


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_study_of_sets_goes_out_and_comes_in_again_as_it_was(size):
    study = study_import(study_file=sets_file(size, same=("k2-bee", "k5-eel")))
    study_simulate(study=study, seed=4)
    wanted, attributes = rows_of(study), list(attribute_rows(study))
    texts = 5  # six systems, two of them with one text
    sets = len(list(itertools.combinations(range(texts), size)))
    assert Subject.objects.filter(task__study=study).count() == 4 * sets
    by_judgment = defaultdict(list)
    for row in wanted:
        by_judgment[row["assessor"], row["position"]].append(row)
    for rows in by_judgment.values():
        assert len({row["unit"] for row in rows}) == 1
        said = {row["system"]: (row["place"], row["value"]) for row in rows if row["criterion"] == "best"}
        assert {place for place, _ in said.values()} == set(range(1, size + 1))
        if "k2-bee" in said:
            assert said["k2-bee"] == said["k5-eel"], (
                "what is said of a text is said of everybody who wrote it"
            )
        assert sum(value for _, value in said.values()) in {1, 2}
    again = imported_again(study, sets_file(size, same=("k2-bee", "k5-eel")))
    assert list(attribute_rows(again)) == attributes
    assert {"scope": "output", "id": "k5-eel/d1", "name": "same_as", "value": "k2-bee"} in attributes
    judgments_import(study=again, rows=numbered(wanted))
    assert len(rows_of(again)) == len(wanted), "importing a file twice changes nothing"


@pytest.mark.parametrize("size", [2, 3, 5])
def test_every_system_stands_at_every_place_equally_often_for_everybody(size):
    study = study_import(study_file=sets_file(size))
    study_open(study=study)
    for assessor in study.assessors.all():
        stood = Counter()
        for assignment in assessor.assignments.all():
            members = dict(assignment.subject.members.values_list("index", "output__system__key"))
            stood.update((members[index], place) for place, index in enumerate(assignment.places))
        for system in SIX:
            times = [stood[system, place] for place in range(size)]
            assert max(times) - min(times) <= 1, (assessor.name, system, times)


def test_two_assessors_see_the_same_set_in_orders_of_their_own():
    study = study_import(study_file=sets_file(5))
    study_open(study=study)
    orders = defaultdict(set)
    for assignment in Assignment.objects.filter(assessor__study=study):
        orders[assignment.subject_id].add(tuple(assignment.places))
    assert sum(len(found) == 2 for found in orders.values()) > len(orders) / 2


def test_the_plan_counts_a_set_for_each_of_its_systems_and_once_for_its_assessor():
    study = study_import(study_file=sets_file(3))
    (drafted,) = plan_tables(study).tasks
    study_open(study=study)
    (opened,) = plan_tables(study).tasks
    assert drafted.counts == opened.counts
    assert drafted.loads == opened.loads
    ada = study.assessors.first()
    assert sum(
        number for (person, _), number in opened.counts.items() if person == ada.pk
    ) == 3 * opened.of_assessor(ada)
    assert "every system at every place equally often" in opened.description


def test_the_preview_shows_a_set_of_a_draft_and_of_an_open_study():
    study = study_import(study_file=sets_file(3))
    drafted = task_preview(study.tasks.get(), 1)
    assert drafted.total == 4 * 20
    study_open(study=study)
    opened = task_preview(Study.objects.get().tasks.select_related("study").get(), 1)
    assert len(facts_of_subject(drafted.subject).exhibit.outputs) == 3
    assert facts_of_subject(opened.subject).exhibit == facts_of_subject(drafted.subject).exhibit


def test_nobody_gets_a_set_with_a_text_of_their_own():
    file = sets_file(2, design=Design(assessors_per_item=1))
    outputs = tuple(
        row.model_copy(update={"author": "ada"}) if row.system == "k1-ant" else row
        for row in file.materials.outputs
    )
    people = (file.assessors[0].model_copy(update={"author": "ada"}), file.assessors[1])
    study = study_import(
        study_file=replace(file, materials=replace(file.materials, outputs=outputs), assessors=people)
    )
    study_open(study=study)
    own = SetMember.objects.filter(output__author="ada", subject__assignments__assessor__author="ada")
    assert not own.exists()
    assert Assignment.objects.filter(assessor__author="ada").exists()


@pytest.mark.parametrize("design", [Design(assessors_per_item=1), Design(pool=True)], ids=["dealt", "pool"])
def test_sets_that_somebody_leaves_undone_are_handed_on_and_a_pool_leases_them(design):
    study = study_import(study_file=sets_file(3, documents=1, design=design))
    study_open(study=study)
    gone, stays = study.assessors.select_related("study")
    assessor_link(assessor=gone)
    assessor_revoke(assessor=gone)
    done = 0
    while assignment := work.assignment_next(assessor=stays):
        assert sorted(assignment.places) == [0, 1, 2]
        work.judgment_record(
            assignment=assignment, client_key=uuid.uuid4(), revision=1, answer={"best": 0}, seconds=1
        )
        done += 1
    assert done == 20
    best = Counter(row["place"] for row in rows_of(study) if row["criterion"] == "best" and row["value"])
    assert best == {1: 20}, "the first place won every time, as it was answered"


@pytest.mark.parametrize("size", [2, 3, 5])
def test_an_assessor_meets_no_system_anywhere_in_a_study_of_sets(size):
    study = study_import(study_file=blind(sets_file(size, documents=2)))
    study_open(study=study)
    crawl(study, most=8)


def bad(change):
    """The table of a judged study with one row changed, imported into a fresh copy of it."""
    study = study_import(study_file=sets_file(3, documents=1, systems=SIX[:4]))
    study_simulate(study=study, seed=1)
    rows = numbered(rows_of(study))
    Study.objects.update(slug="first")
    again = study_import(study_file=sets_file(3, documents=1, systems=SIX[:4]))
    with pytest.raises(ImportProblems) as refused:
        judgments_import(study=again, rows=change(rows))
    assert not rows_of(again)
    return str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: [{**rows[0], "place": 9}, *rows[1:]], "place 9 is not one of the 3 places"),
        (lambda rows: [{**row, "place": 1} for row in rows], "two different texts stand at place 1"),
        (lambda rows: [{**rows[0], "system": "k6-fox"}, *rows[1:]], "“k6-fox” is not in the set"),
        (lambda rows: [{**row, "unit": "s99"} for row in rows], "has no set “s99” on item “d1”"),
    ],
)
def test_a_table_that_contradicts_the_sets_is_refused_in_words(change, said):
    assert said in bad(change)


def test_whoever_joins_later_gets_places_as_balanced_as_everybody():
    items = tuple(f"d{number}" for number in range(1, 5))
    study = study_import(study_file=sets_file(3, design=Design(assessors_per_item=1, shared=items)))
    study_open(study=study)
    late = assessor_create(study=study, name="late")
    assert late.assignments.count() == 80
    stood = Counter()
    for assignment in late.assignments.all():
        members = dict(assignment.subject.members.values_list("index", "output__system__key"))
        stood.update((members[index], place) for place, index in enumerate(assignment.places))
    for system in SIX:
        times = [stood[system, place] for place in range(3)]
        assert max(times) - min(times) <= 1, (system, times)


def test_an_open_study_takes_the_places_of_a_table_for_what_nobody_has_seen():
    study = study_import(study_file=sets_file(3, documents=1))
    study_simulate(study=study, seed=1)
    wanted = rows_of(study)
    Study.objects.update(slug="first")
    again = study_import(study_file=sets_file(3, documents=1))
    study_open(study=again)
    judgments_import(study=again, rows=numbered(wanted))
    places = {(row["assessor"], row["unit"], row["system"]): row["place"] for row in rows_of(again)}
    assert places == {(row["assessor"], row["unit"], row["system"]): row["place"] for row in wanted}


def test_a_kind_that_puts_one_text_twice_into_a_set_is_told_so(monkeypatch):
    from favourite.task.kind import Favourite

    from annotation.tasks.terms import SubjectPlan

    monkeypatch.setattr(
        Favourite, "subjects", lambda self, config, materials: [SubjectPlan(item="d1", outputs=(0, 4))]
    )
    study = study_import(study_file=sets_file(2, systems=SIX[:2], same=SIX[:2]))
    assert any("has one text twice" in problem for problem in plan_tables(study).problems)
