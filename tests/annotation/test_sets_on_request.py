"""Swiss and active sets: made when somebody asks for work, and stored."""

from __future__ import annotations

import random
import re
import uuid
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.designs import Design
from annotation.export import attribute_rows, judgment_rows
from annotation.models import Assessor, Assignment, Judgment, SetMember, Study, Subject, Task
from annotation.pairing import Standing, next_set, standings
from annotation.selectors.exhibits import config_of, exhibit_shown, facts_of, kind_of
from annotation.selectors.files import study_as_file
from annotation.selectors.plan_tables import plan_tables
from annotation.services import sets_on_request, work
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.services.waves import study_extend
from annotation.services.work import assignment_next, judgment_submit
from annotation.study_files.schema import AssessorRow, Settings
from tests.studies import plausible_answer, study_file
from tests.together import at_once

FIVE = tuple(f"k{number}-sys" for number in range(5))
POOL = Design(assessors_per_item=1, pool=True)


def small(pick, *, per_item=4, size=2, kind="pairwise", documents=6, assessors=3, **fields):
    task = {"kind": kind, "name": "better", "sets": {"pick": pick, "per_item": per_item, "size": size}}
    made = study_file(task, systems=FIVE, documents=documents, assessors=assessors)
    return replace(made, **({"design": POOL} | fields))


def stored_sets():
    """Of each stored set its item and systems."""
    found: dict[int, tuple[str, list[str]]] = {}
    rows = SetMember.objects.order_by("subject", "index").values_list(
        "subject", "output__document__key", "output__system__key"
    )
    for subject, item, system in rows:
        found.setdefault(subject, (item, []))[1].append(system)
    return list(found.values())


# --- choosing ----------------------------------------------------------------------------------------------------

ITEM = tuple((system,) for system in "ABCDE")


def test_points_are_wins_and_half_of_ties():
    judged = [([("A",), ("B",)], [1, 0]), ([("A",), ("B", "C")], [0, 0])]
    found = standings(judged, {"A": 2, "B": 2, "C": 1})
    assert (found["A"].won, found["A"].lost) == (1.5, 0.5)
    assert (found["B"].won, found["B"].lost) == (0.5, 1.5)
    assert (found["C"].won, found["C"].lost, found["C"].shown) == (0.5, 0.5, 1)
    assert found["A"].strength > 0 > found["B"].strength


def test_swiss_lets_the_least_shown_meet_its_equal_whom_it_has_not_met():
    known = {
        "A": Standing(0, 9, 1),
        "B": Standing(9, 0, 5),
        "C": Standing(1, 8, 5),
        "D": Standing(2, 7, 5),
        "E": Standing(8, 1, 5),
    }
    how = {"pick": "swiss", "size": 2, "may": range(5), "rng": random.Random(1)}
    assert next_set(ITEM, [], known, **how) == (0, 2)
    assert next_set(ITEM, [(0, 2)], known, **how) == (0, 3)


def test_active_lets_the_least_known_meet_those_of_its_strength_most():
    known = {system: Standing(10, 10, 20) for system in "BC"} | {
        "A": Standing(0.5, 0.5, 1),
        "D": Standing(19, 1, 20),
        "E": Standing(1, 19, 20),
    }
    rng = random.Random(3)
    drawn = Counter(
        next_set(ITEM, [], known, pick="active", size=2, may=range(5), rng=rng) for _ in range(400)
    )
    assert all(members[0] == 0 for members in drawn)
    assert min(drawn[0, 1], drawn[0, 2]) > 3 * max(drawn[0, 3], drawn[0, 4])
    assert drawn[0, 3] > 0


@settings(max_examples=60, deadline=None)
@given(
    pick=st.sampled_from(["swiss", "active"]),
    size=st.integers(2, 4),
    may=st.sets(st.integers(0, 4)),
    wanted=st.integers(1, 12),
    seed=st.integers(0, 50),
)
def test_sets_are_new_and_made_of_what_may_be_in_them_until_there_is_none_left(pick, size, may, wanted, seed):
    rng = random.Random(seed)
    made: list[tuple[int, ...]] = []
    shown: Counter[str] = Counter(dict.fromkeys("ABCDE", 0))
    for _ in range(wanted):
        known = {system: Standing(rng.random() * 5, rng.random() * 5, shown[system]) for system in "ABCDE"}
        members = next_set(ITEM, made, known, pick=pick, size=size, may=may, rng=rng)
        if members is None:
            break
        assert members not in made
        assert set(members) <= may
        assert list(members) == sorted(set(members))
        made.append(members)
        shown.update("ABCDE"[text] for text in members)
    possible = list(combinations(sorted(may), min(size, len(may)))) if len(may) > 1 else []
    assert len(made) == min(wanted, len(possible))


# --- studies -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "size"), [("pairwise", 2), ("ranking", 3), ("best_worst", 4)])
@pytest.mark.parametrize("pick", ["swiss", "active"])
def test_a_pool_makes_sets_until_each_item_has_all(pick, kind, size):
    study = study_import(study_file=small(pick, kind=kind, size=size))
    assert study_simulate(study=study, seed=5) == 6 * 4
    sets = stored_sets()
    assert Counter(item for item, _ in sets) == {f"d{number}": 4 for number in range(1, 7)}
    assert len({(item, frozenset(systems)) for item, systems in sets}) == len(sets)
    numbers = Subject.objects.values_list("document__key", "set_id")
    assert sorted(number for item, number in numbers if item == "d1") == ["s1", "s2", "s3", "s4"]
    assert {row["unit"] for row in judgment_rows(study)} == {"s1", "s2", "s3", "s4"}
    if pick == "swiss":
        shown = Counter(system for _, systems in sets for system in systems)
        assert max(shown.values()) - min(shown.values()) <= 4
        if size == 2:  # nobody meets the same one twice on an item while there are others
            assert len({(item, frozenset(systems)) for item, systems in sets}) == 24


@pytest.mark.django_db
def test_places_stay_balanced_for_each_assessor():
    study = study_import(study_file=small("swiss", documents=10, assessors=2))
    study_simulate(study=study, seed=2)
    members = {
        (subject, index): system
        for subject, index, system in SetMember.objects.values_list("subject", "index", "output__system__key")
    }
    for assessor in study.assessors.all():
        first: Counter[str] = Counter()
        for row in Assignment.objects.filter(assessor=assessor):
            left, right = (members[row.subject_id, index] for index in row.places)
            first[left] += 1
            first[right] -= 1
        assert all(abs(difference) <= 2 for difference in first.values())


@pytest.mark.django_db
@pytest.mark.parametrize("pick", ["swiss", "active"])
def test_nobody_meets_a_text_of_their_own(pick):
    made = small(pick, per_item=8)
    outputs = tuple(
        row.model_copy(update={"author": {FIVE[0]: "ann", FIVE[1]: "bob"}.get(row.system, "")})
        for row in made.materials.outputs
    )
    people = (
        AssessorRow(name="p1", author="ann"),
        AssessorRow(name="p2", author="bob"),
        AssessorRow(name="p3"),
    )
    made = replace(made, materials=replace(made.materials, outputs=outputs), assessors=people)
    study = study_import(study_file=made)
    study_simulate(study=study, seed=1)
    for assessor in Assessor.objects.exclude(author=""):
        own = SetMember.objects.filter(
            subject__assignments__assessor=assessor, output__author=assessor.author
        )
        assert not own.exists()
        assert assessor.assignments.count() > 10


@pytest.mark.django_db
def test_the_plan_says_how_sets_come_about_and_how_often_systems_have_met():
    study = study_import(study_file=small("swiss"))
    (table,) = plan_tables(study).tasks
    assert "a new set is made of what was judged so far and stored, up to 4 of each item" in table.description
    assert "Any two systems meet in 0 to 1 sets." in table.description
    study_simulate(study=study, seed=5)
    (table,) = plan_tables(Study.objects.get()).tasks
    # The order in which a pool is asked for differs by database, and with it who meets whom.
    met = Counter(frozenset(pair) for _, systems in stored_sets() for pair in combinations(systems, 2))
    times = {met[frozenset(pair)] for pair in combinations(FIVE, 2)}
    least, most = re.search(r"Any two systems meet in (\d+)(?: to (\d+))? sets\.", table.description).groups()
    assert (int(least), int(most or least)) == (min(times), max(times))
    assert sum(met.values()) == 4 * 6
    assert {"scope": "task", "id": "better", "name": "pick", "value": "swiss"} in list(attribute_rows(study))


@pytest.mark.django_db
def test_without_a_pool_the_plan_says_what_to_change():
    study = study_import(study_file=small("active", design=Design()))
    assert plan_tables(study).problems == [
        "Task better: “pick: active” makes sets on request: say “pool: true” in the design, or pick sets in another way."
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pick", ["swiss", "active"])
def test_two_who_ask_at_once_never_make_a_set_too_many(pick):
    """On SQLite the transaction itself is the lock, on PostgreSQL the row of the task."""
    study = study_import(study_file=small(pick, documents=2, per_item=3, assessors=6))
    study_open(study=study)
    people = list(Assessor.objects.select_related("study"))
    for _ in range(2):
        given = at_once(*(lambda person=person: assignment_next(assessor=person) for person in people))
        assert len({row.subject_id for row in given if row}) == len([row for row in given if row])
    sets = stored_sets()
    assert Counter(item for item, _ in sets) == {"d1": 3, "d2": 3}
    assert len({(item, frozenset(systems)) for item, systems in sets}) == 6
    numbers = list(Subject.objects.values_list("document__key", "set_id"))
    assert len(set(numbers)) == len(numbers) == 6
    assert connection.vendor in {"sqlite", "postgresql"}


# --- what was judged is read before the database is locked, and once ----------------------------------------------------


def made_from_scratch(task: Task) -> tuple[dict[str, Standing], dict[str, list]]:
    """Standings and sets as they follow from every row that there is, read anew."""
    fixed = sets_on_request._fixed(task.study)
    order: dict[int, dict[int, tuple[str, int]]] = {}
    for subject, output, index in SetMember.objects.filter(subject__task=task).values_list(
        "subject", "output", "index"
    ):
        order.setdefault(subject, {})[index] = fixed.place[output]
    made: dict[str, list] = {item: [] for item in fixed.texts}
    shown = Counter(dict.fromkeys(FIVE, 0))
    for found in order.values():
        item = found[0][0]
        made[item].append(tuple(sorted(text for _, text in found.values())))
        shown.update(system for _, text in found.values() for system in fixed.systems[item][text])
    newest = {}
    for row in Judgment.objects.filter(assignment__left_out=False).order_by("revision"):
        newest[row.assignment_id] = row
    judged = []
    for row in newest.values():
        found = order[row.assignment.subject_id]
        places, kind = row.assignment.places, kind_of(task)
        values = kind.place_values(config_of(task), len(places), kind.Answer.model_validate(row.answer))
        judged.append(([fixed.systems[found[i][0]][found[i][1]] for i in places], list(values)))
    return standings(judged, shown), made


def judge_once(assessor: Assessor, rng: random.Random, *, revise: bool = False) -> Assignment | None:
    assessor = Assessor.objects.select_related("study").get(pk=assessor.pk)
    assignment = assignment_next(assessor=assessor)
    if assignment is None:
        return None
    for revision in (1, 2) if revise else (1,):
        again = Assignment.objects.select_related("assessor__study", "subject__task").get(pk=assignment.pk)
        answer, _ = plausible_answer(facts_of(again), exhibit_shown(again), seed=rng.randrange(10**6))
        judgment_submit(
            assignment=again, client_key=uuid.uuid4(), revision=revision, answer=answer, seconds=1
        )
    return assignment


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pick", ["swiss", "active"])
def test_choices_are_those_that_every_judgment_read_anew_would_give(pick, monkeypatch):
    """With revisions, and with somebody who is left out for a while."""
    chosen = []
    for keeps in (True, False):
        made = small(pick, settings=Settings(revise=True))
        study = study_import(study_file=replace(made, slug=f"keeps-{keeps}".lower()))
        study_open(study=study)
        task, rng, rows_read = study.tasks.get(), random.Random(5), []
        people = list(study.assessors.all())
        real = sets_on_request._Tally._new_judgments

        def counted(tally, task, real=real, rows_read=rows_read):
            found = real(tally, task)
            if connection.in_atomic_block:
                rows_read.append(len(found[0]))
            return found

        monkeypatch.setattr(sets_on_request._Tally, "_new_judgments", counted)
        left_out = None
        for number in range(20):
            if not keeps:
                sets_on_request._KEPT.clear()
                monkeypatch.setattr(work, "sets_read_ahead", lambda *, study: None)
            judge_once(people[number % 2], rng, revise=number % 4 == 0)
            if number == 7:
                left_out = exclusion_add(study=study, target=people[0], reason="A slip.")
            if number == 12:
                exclusion_end(exclusion=left_out)
            _, tally, _ = sets_on_request._so_far(task)
            known, sets = made_from_scratch(task)
            assert tally.standings() == known
            assert {item: sorted(found) for item, found in tally.made.items()} == {
                item: sorted(found) for item, found in sets.items()
            }
        monkeypatch.undo()
        assert (max(rows_read) <= 1) == keeps
        chosen.append(stored_sets())
        Study.objects.filter(pk=study.pk).update(slug=f"gone-{keeps}".lower())
        SetMember.objects.all().delete()
        Judgment.objects.all()._raw_delete("default")
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) > 10


@pytest.mark.django_db
def test_a_wave_that_comes_while_sets_are_read_is_read_with_them(monkeypatch):
    """On PostgreSQL nobody who asks for work keeps a wave waiting, nor the sets that are made of it at once."""
    study = study_import(study_file=small("swiss", documents=2, assessors=2))
    study_open(study=study)
    first, second = study.assessors.select_related("study").order_by("name")
    assignment_next(assessor=first)
    read = sets_on_request._read

    def read_before_a_wave(*key):
        monkeypatch.setattr(sets_on_request, "_read", read)
        found = read(*key)
        known, more = study_as_file(study), small("swiss", documents=3).materials
        rows = {
            name: (*getattr(known.materials, name), *(row for row in getattr(more, name) if is_new(row)))
            for name in ("documents", "references", "outputs")
        }
        study_extend(study=study, study_file=replace(known, materials=replace(known.materials, **rows)))
        assert assignment_next(assessor=Assessor.objects.select_related("study").get(pk=second.pk))
        return found

    def is_new(row):
        return "d3" in {getattr(row, "id", ""), getattr(row, "document", "")}

    monkeypatch.setattr(sets_on_request, "_read", read_before_a_wave)
    fixed, tally, key = sets_on_request._so_far(study.tasks.get())
    assert (len(fixed.texts), key.wave, len(tally.order)) == (3, 2, Subject.objects.count())
    assert tally.made["d3"]
