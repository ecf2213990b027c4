"""Check items that a study asks for: made by the program, seeded, placed by the design, in every table and in no score."""

import itertools
import random
from collections import defaultdict
from dataclasses import replace

import pytest
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.checks import CheckItems, Checks
from annotation.controls import ControlPiece, pieces_to_check, share_of, with_controls
from annotation.designs import Deal, Design, Person, Piece
from annotation.errors import Refused
from annotation.export import judgment_rows
from annotation.models import Assignment, ControlItem, Subject
from annotation.selectors.files import study_as_file
from annotation.selectors.plan import study_plan
from annotation.services.imports import judgments_import
from annotation.services.persons import assignment_give
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.services.waves import study_extend
from annotation.study_files.problems import StudyFileProblems
from annotation.study_files.read import read_study
from annotation.study_files.schema import ControlRow
from annotation.study_files.write import files_of
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.studies import SYSTEMS, TIDES, study_file

pytestmark = pytest.mark.django_db
ASKED = Checks(repeats=0.1, degraded=0.1)
PAIRS = {"kind": "pairwise", "name": "better"}


def asking(*tasks, checks=ASKED, documents=10, assessors=4, **fields):
    fields.setdefault("design", Design(assessors_per_item=2))
    return study_file(*(tasks or (TIDES,)), documents=documents, assessors=assessors, checks=checks, **fields)


def lines(study):
    """Everybody's work in order."""
    found = defaultdict(list)
    rows = Assignment.objects.filter(assessor__study=study, counts=True).order_by("assessor_id", "position")
    for row in rows.select_related("subject__control_item"):
        found[row.assessor_id].append(row)
    return list(found.values())


def made_of(study):
    rows = ControlItem.objects.filter(task__study=study, made=True).select_related(
        "output__system", "output__document"
    )
    return [(row.type, row.output.system.key, row.output.item_key, row.text, row.expect) for row in rows]


def test_everybody_meets_the_share_that_was_asked_for_spread_over_their_work():
    study = study_import(study_file=asking())
    study_open(study=study)
    for mine in lines(study):
        controls = [row for row in mine if row.subject.control]
        pieces = len(mine) - len(controls)
        for kind in ("repeat", "degraded"):
            number = sum(row.subject.control == kind for row in controls)
            assert share_of(0.1, pieces) <= number <= share_of(0.1, pieces) + 1
        marks = [bool(row.subject.control) for row in mine]
        assert (True, True) not in set(itertools.pairwise(marks)), "never two in a row"
        for place, row in enumerate(mine):
            if row.subject.control == "repeat":
                (before,) = [
                    n
                    for n, other in enumerate(mine)
                    if other.subject.output_id == row.subject.output_id and not other.subject.control
                ]
                assert place - before > pieces / 4, "a repeat is far from its original"
    degraded = ControlItem.objects.filter(type="degraded").select_related("output")
    assert degraded
    for item in degraded:
        assert item.made
        assert item.expect == {"below": "original"}
        assert item.text != item.output.text
        assert len(item.units) == len(item.output.units)
        assert item.units_given == item.output.units_given


def test_the_plan_says_what_opening_does_and_the_same_file_gives_the_same_check_items_again():
    study = study_import(study_file=asking())
    (planned,) = study_plan(study).tasks
    assert not ControlItem.objects.exists(), "a plan is on paper"
    study_open(study=study)
    assert sum(bool(subject.control) for subject in planned.subjects) == len(made_of(study))
    again = study_import(study_file=replace(asking(), slug="again"))
    study_open(study=again)
    assert made_of(again) == made_of(study)
    assert [[row.subject.control for row in mine] for mine in lines(again)] == [
        [row.subject.control for row in mine] for mine in lines(study)
    ]
    other = study_import(
        study_file=replace(asking(checks=ASKED.model_copy(update={"seed": 99})), slug="other")
    )
    study_open(study=other)
    assert made_of(other) != made_of(study)


def test_a_study_goes_out_and_in_again_before_and_after_it_has_opened_with_equal_bytes():
    study = study_import(study_file=asking())
    draft = files_of(study_as_file(study))
    assert b"checks:\n  repeats: 0.1\n  degraded: 0.1\n" in draft["study.yaml"]
    assert "controls.jsonl" not in draft
    assert files_of(read_study(draft)) == draft
    study_open(study=study)
    opened = files_of(study_as_file(study))
    assert b'"made": true' in opened["controls.jsonl"]
    again = study_import(study_file=replace(read_study(opened), slug="again"))
    assert files_of(replace(study_as_file(again), slug="small")) == opened
    study_open(study=again)
    assert made_of(again) == made_of(study), "what was made is not made twice"


def test_the_table_has_their_type_and_comes_in_again_and_scores_know_nothing_of_them():
    study = study_import(study_file=asking())
    study_simulate(study=study, seed=4)
    rows = list(judgment_rows(study))
    assert {row["control"] for row in rows} == {"", "repeat", "degraded"}
    again = study_import(study_file=replace(asking(), slug="again"))
    judgments_import(
        study=again, rows=[{**row, "study": "", "row": n} for n, row in enumerate(rows, start=2)]
    )
    assert [{**row, "study": ""} for row in judgment_rows(again)] == [{**row, "study": ""} for row in rows]


def test_from_a_pool_they_come_between_pieces_and_repeats_late():
    study = study_import(
        study_file=asking(
            design=Design(pool=True, assessors_per_item=2),
            documents=8,
            assessors=2,
            checks=Checks(repeats=0.2, degraded=0.2),
        )
    )
    study_simulate(study=study, seed=3)
    met = 0
    for mine in lines(study):
        marks = [bool(row.subject.control) for row in mine]
        assert (True, True) not in set(itertools.pairwise(marks))
        for place, row in enumerate(mine):
            if row.subject.control == "repeat":
                met += 1
                (before,) = [
                    n
                    for n, other in enumerate(mine)
                    if other.subject.output_id == row.subject.output_id and not other.subject.control
                ]
                assert place - before >= 4
    assert met
    assert ControlItem.objects.filter(made=True, type="repeat").count() == share_of(0.2, 16)


@pytest.mark.parametrize("pool", [False, True])
def test_a_repeated_set_has_its_places_reversed_and_a_degraded_text_stands_in_one(pool):
    study = study_import(
        study_file=asking(
            PAIRS,
            documents=10,
            assessors=2,
            design=Design(pool=pool, assessors_per_item=2),
            checks=Checks(repeats=0.2, degraded=0.2),
        )
    )
    study_simulate(study=study, seed=3)
    repeats = 0
    for mine in lines(study):
        first = {row.subject.document_id: row.places for row in mine if not row.subject.control}
        for row in mine:
            if row.subject.control == "repeat":
                assert row.places == first[row.subject.document_id][::-1]
                repeats += 1
    assert repeats
    for subject in Subject.objects.filter(control="degraded"):
        assert subject.control_item.output_id in subject.members.values_list("output", flat=True)


def test_a_wave_brings_check_items_for_what_is_new():
    study = study_import(study_file=asking(documents=10))
    study_open(study=study)
    before = made_of(study)
    study_extend(study=study, study_file=asking(documents=20))
    new = made_of(study)[len(before) :]
    assert {kind for kind, *_ in new} == {"repeat", "degraded"}
    assert all(int(item[1:]) > 10 for _, _, item, *_ in new)
    for mine in lines(study):
        for row in mine:
            if row.subject.control == "repeat":
                assert any(
                    other.position < row.position and other.subject.output_id == row.subject.output_id
                    for other in mine
                )


def test_a_task_may_ask_for_others_and_what_was_given_is_not_made_again():
    given = ControlRow(
        task="quality", type="degraded", system=SYSTEMS[0], document="d1", text="Of one it says."
    )
    made = asking(controls=(given,))
    (task,) = made.tasks
    study = study_import(
        study_file=replace(made, tasks=(task.model_copy(update={"checks": CheckItems(degraded=0.25)}),))
    )
    study_open(study=study)
    assert {kind for kind, *_ in made_of(study)} == {"degraded"}
    assert (SYSTEMS[0], "d1") not in [(system, item) for _, system, item, *_ in made_of(study)]


@given(
    people=st.integers(1, 6),
    pieces=st.integers(1, 40),
    each=st.integers(1, 3),
    share=st.floats(0, 0.25),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_nobody_lacks_check_items_and_nobody_is_flooded(people, pieces, each, share, seed):
    rng = random.Random(seed)
    hands = {person: [] for person in range(people)}
    for piece in range(pieces):
        for person in rng.sample(range(people), min(each, people)):
            hands[person].append(piece)
    hands = {person: hand for person, hand in hands.items() if hand}
    chosen = pieces_to_check(hands, range(pieces), share, pieces=pieces, rng=random.Random(seed), early=True)
    assert len(set(chosen)) == len(chosen)
    for hand in hands.values():
        assert share_of(share, len(hand)) <= len(set(chosen) & set(hand))
    assert len(chosen) <= sum(share_of(share, len(hand)) for hand in hands.values())
    assert chosen == pieces_to_check(
        hands, range(pieces), share, pieces=pieces, rng=random.Random(seed), early=True
    )


@given(pieces=st.integers(8, 60), share=st.floats(0.02, 0.15), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_repeats_and_degraded_are_never_in_a_row_and_repeats_are_far(pieces, share, seed):
    hand = list(range(pieces))
    made = [Piece(index=n, item=f"i{n}", system="s") for n in hand]
    repeats = pieces_to_check({1: hand}, hand, share, pieces=pieces, rng=random.Random(seed), early=True)
    degraded = pieces_to_check(
        {1: hand}, [n for n in hand if n not in repeats], share, pieces=pieces, rng=random.Random(seed + 1)
    )
    controls = [
        ControlPiece(
            Piece(index=pieces + n, item=f"i{original}", system="s"),
            original,
            comes_after=original in repeats,
        )
        for n, original in enumerate([*repeats, *degraded])
    ]
    dealt = [
        one.piece
        for one in with_controls(Design(), [Deal(1, n) for n in hand], made, controls, [Person(1)], seed=seed)
    ]
    assert (True, True) not in set(itertools.pairwise(piece >= pieces for piece in dealt))
    for control in controls:
        if control.comes_after:
            assert dealt.index(control.piece.index) - dealt.index(control.original) >= pieces / 4


def test_a_kind_with_an_order_of_its_own_refuses_them_in_words(tmp_path):
    import shutil

    folder = tmp_path / "likert"
    shutil.copytree(ROOT / "fixtures" / "likert", folder)
    with (folder / "study.yaml").open("a") as file:
        file.write("checks: {repeats: 0.1}\n")
    number = len((folder / "study.yaml").read_text().splitlines())
    with pytest.raises(StudyFileProblems) as refused:
        read_study(folder)
    assert f"study.yaml:{number}: task" in str(refused.value)
    assert "has an order of its own and takes no control items" in str(refused.value)


def test_a_rule_about_practice_needs_practice_with_a_key():
    files = files_of(study_file(TIDES, checks=Checks(warm_up={"share": 0.7})))
    with pytest.raises(StudyFileProblems, match="“warm_up” goes by the keys of practice items"):
        read_study(files)


def test_a_check_item_is_not_handed_on():
    """It is there to check the person who has it; to whoever has not met the piece itself it says nothing."""
    study = study_import(study_file=asking(TIDES))
    study_open(study=study)
    giver, other = study.assessors.all()[:2]
    rows = giver.assignments.select_related("assessor__study")
    with pytest.raises(Refused, match="checks how carefully"):
        assignment_give(assignment=rows.exclude(subject__control="").first(), to=other)
    client = owner_client(study)
    shown = client.get(reverse("assessor", args=[study.slug, giver.pk])).content.decode()
    ordinary = rows.filter(subject__control="", counts=True)
    assert shown.count("hand on …") == ordinary.count() < rows.filter(counts=True).count()
