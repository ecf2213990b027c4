"""Control items: from the study file into everybody's work, invisible, never in scores, always in the table."""

import itertools
import json
import pickle
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.controls import ControlPiece, with_controls
from annotation.designs import Deal, Design, Person, Piece
from annotation.export import judgment_rows
from annotation.models import Assignment, Subject
from annotation.selectors.files import study_as_file
from annotation.selectors.plan_tables import plan_tables
from annotation.selectors.progress import study_progress
from annotation.services.assessors import assessor_link, assessor_revoke
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files.problems import StudyFileProblems
from annotation.study_files.read import read_study
from annotation.study_files.schema import ControlRow
from annotation.study_files.write import write_study
from tests.conftest import ROOT
from tests.studies import SEE, TIDES, study_file

pytestmark = pytest.mark.django_db
RATED = {"values": {"adequacy": 2, "fluency": 2}}
CONTROLS = (
    ControlRow(task="quality", type="repeat", system="qx31", document="d1"),
    ControlRow(task="quality", type="repeat", system="wv77", document="d4"),
    ControlRow(task="quality", type="degraded", system="qx31", document="d2", text="Of peer zero it the."),
    ControlRow(task="quality", type="gold", system="wv77", document="d3", expect=RATED),
    ControlRow(
        task="quality", type="attention", system="qx31", document="d5", text="Choose 2 and 2.", expect=RATED
    ),
)


PLAIN = [Piece(index=number, item=f"d{number}", system="s") for number in range(2)]


def controlled(**fields):
    fields.setdefault("design", Design(assessors_per_item=2))
    return study_file(TIDES, documents=8, assessors=4, controls=CONTROLS, **fields)


def test_a_study_file_with_controls_goes_in_and_out_again(tmp_path):
    write_study(controlled(), tmp_path / "given.zip")
    write_study(
        study_as_file(study_import(study_file=read_study(tmp_path / "given.zip"))), tmp_path / "one.zip"
    )
    again = read_study(tmp_path / "one.zip")
    assert [row.type for row in again.controls] == [row.type for row in CONTROLS]
    assert again.controls[2].text == "Of peer zero it the."
    write_study(again, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_repeats_and_degraded_outputs_go_to_whoever_judges_the_original_and_the_rest_to_everybody():
    study = study_import(study_file=controlled())
    study_open(study=study)
    for assessor in study.assessors.all():
        mine = list(assessor.assignments.filter(counts=True).select_related("subject"))
        controls = [row for row in mine if row.subject.control]
        plain = {row.subject.output_id: row.position for row in mine if not row.subject.control}
        kinds = Counter(row.subject.control for row in controls)
        assert kinds["gold"] == kinds["attention"] == 1
        for row in controls:
            if row.subject.control in {"repeat", "degraded"}:
                assert row.subject.output_id in plain
            if row.subject.control == "repeat":
                assert row.position > plain[row.subject.output_id], "a repeat comes after its original"
        wanted = {row.subject.output_id for row in controls if row.subject.control in {"repeat", "degraded"}}
        possible = set(
            Subject.objects.filter(control__in=["repeat", "degraded"]).values_list("output", flat=True)
        )
        assert wanted == possible & set(plain), "and whoever has the original gets it"


def test_gold_is_judged_as_gold_alone():
    study = study_import(study_file=controlled())
    study_open(study=study)
    gold = Subject.objects.get(control="gold")
    assert not Subject.objects.filter(output=gold.output, control="").exists()
    assert gold.assignments.count() == 4


def test_a_page_shows_the_changed_text_and_nothing_that_tells_a_control_item():
    from annotation.selectors.exhibits import facts_of_subject
    from annotation.selectors.work import desk_of

    study = study_import(study_file=controlled())
    study_open(study=study)
    degraded = (
        Assignment.objects.filter(subject__control="degraded").select_related("assessor__study").first()
    )
    page = json.dumps(desk_of(degraded, None).content())
    assert "Of peer zero it the." in page
    assert "control" not in page
    assert "degraded" not in page
    assert facts_of_subject(degraded.subject).exhibit.output.units == ("Of peer zero it the.",)
    assert degraded.counts, "an assessor's progress moves on a control item as on any other"


def test_control_rows_stand_in_the_table_and_come_in_again():
    study = study_import(study_file=controlled())
    study_simulate(study=study, seed=2)
    rows = [row for row in judgment_rows(study) if not row["practice"]]
    assert {row["control"] for row in rows} == {"", "gold", "repeat", "degraded", "attention"}
    study.slug = "first"
    study.save()
    again = study_import(study_file=controlled())
    judgments_import(
        study=again, rows=[{**row, "study": "", "row": number} for number, row in enumerate(rows, start=2)]
    )
    assert [{**row, "study": ""} for row in judgment_rows(again)] == [{**row, "study": ""} for row in rows]


def test_a_score_is_the_same_with_and_without_control_items():
    import pandas as pd

    from metrics.frames import check_judgments
    from metrics.human import human_score

    study = study_import(study_file=controlled())
    study_simulate(study=study, seed=2)
    table = pd.DataFrame(list(judgment_rows(study)))
    whole = human_score(check_judgments(table), "adequacy").scores
    plain = human_score(check_judgments(table[table["control"] == ""]), "adequacy").scores
    pd.testing.assert_frame_equal(whole, plain)


def test_what_is_kept_of_a_plan_has_no_texts_of_control_items():
    kept = plan_tables(study_import(study_file=controlled()))
    assert kept.tasks and b"Of peer zero it the." not in pickle.dumps(kept)


def test_a_pool_hands_out_control_items_between_pieces():
    study = study_import(study_file=controlled(design=Design(pool=True, assessors_per_item=2)))
    study_simulate(study=study, seed=3)
    seen = defaultdict(list)
    for row in (
        Assignment.objects.filter(assessor__study=study, counts=True)
        .order_by("position")
        .select_related("subject")
    ):
        seen[row.assessor_id].append(row.subject)
    assert any(subject.control for subjects in seen.values() for subject in subjects)
    for subjects in seen.values():
        marks = [bool(subject.control) for subject in subjects]
        assert (True, True) not in set(itertools.pairwise(marks)), "never two in a row"
        for place, subject in enumerate(subjects):
            if subject.control == "repeat":
                assert subject.output_id in [
                    other.output_id for other in subjects[:place] if not other.control
                ]
    (table,) = plan_tables(study).tasks
    assert "control items are spread" in table.description


@given(
    pieces=st.integers(1, 40),
    kinds=st.lists(st.sampled_from(["free", "repeat", "degraded"]), max_size=8),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=80, deadline=None)
def test_control_items_are_spread_and_repeats_come_later(pieces, kinds, seed):
    deals = [Deal(1, piece) for piece in range(pieces)]
    made = [Piece(index=piece, item=f"i{piece % 5}", system="s") for piece in range(pieces)]
    controls = [
        ControlPiece(
            Piece(index=pieces + number, item=f"i{((number * 7) % pieces) % 5}", system="s"),
            None if kind == "free" else (number * 7) % pieces,
            comes_after=kind == "repeat",
        )
        for number, kind in enumerate(kinds)
    ]
    dealt = [one.piece for one in with_controls(Design(), deals, made, controls, [Person(1)], seed=seed)]
    assert [piece for piece in dealt if piece < pieces] == list(range(pieces)), "the order of pieces stays"
    assert len(dealt) == pieces + len(kinds)
    for control in controls:
        if control.comes_after:
            assert dealt.index(control.piece.index) > dealt.index(control.original)
    places = [place for place, piece in enumerate(dealt) if piece >= pieces]
    if pieces >= 12 and len(kinds) <= 2:
        # There is room: other pieces stand between them, and none stands beside a piece of its own item.
        assert all(b - a > 1 for a, b in itertools.pairwise(places))
        item = {one.index: one.item for one in [*made, *(control.piece for control in controls)]}
        late = {
            control.piece.index
            for control in controls
            if control.comes_after and control.original >= pieces - 3
        }
        for place in places:
            beside = [dealt[other] for other in (place - 1, place + 1) if 0 <= other < len(dealt)]
            if dealt[place] not in late:
                assert item[dealt[place]] not in [item[piece] for piece in beside]


def test_nobody_gets_a_control_item_of_their_own_text():
    own = ControlPiece(Piece(index=5, item="i", system="s", authors=frozenset({"ada"})))
    deals = [Deal(1, 0), Deal(2, 1)]
    dealt = with_controls(
        Design(), deals, PLAIN, [own], [Person(1, author="ada"), Person(2, author="ben")], seed=1
    )
    assert [(one.person, one.piece) for one in dealt if one.piece == 5] == [(2, 5)]


def spoilt(tmp_path, *lines):
    """The demo with these lines as its controls."""
    import shutil

    folder = tmp_path / "demo"
    tmp_path.mkdir(exist_ok=True)
    shutil.copytree(ROOT / "fixtures" / "demo", folder)
    (folder / "controls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with (folder / "study.yaml").open("a") as file:
        file.write("controls: controls.jsonl\n")
    with pytest.raises(StudyFileProblems) as refused:
        read_study(folder)
    return str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "golden"}, "“type” cannot be “golden”; did you mean “gold”?"),
        ({"type": "degraded"}, "a degraded output needs the changed “text” or “units”"),
        ({"type": "gold"}, "say in “expect” what a careful assessor answers"),
        ({"type": "gold", "expect": {"colour": 3}}, "“expect” does not fit task “adequacy-fluency” (rating)"),
        (
            {"type": "gold", "expect": {"values": {"adequacy": 17}}},
            "“expect” cannot be right: 17 is not on the scale",
        ),
        ({"type": "repeat", "expect": {"values": {}}}, "a repeat is compared with the first answer"),
        ({"type": "repeat", "text": "Other."}, "a repeat item shows the output as it is"),
        ({"type": "gold", "expect": {"below": "original"}}, "only a degraded output can be expected"),
        ({"type": "degraded", "text": "x", "expect": {"below": "all"}}, "{“below”: “original”}"),
        ({"type": "attention", "expect": {"marks": "here"}}, "{“marks”: “12:27”}"),
        ({"type": "repeat", "system": "nobody"}, "there is no output of system “nobody”"),
        ({"type": "repeat", "task": "cover"}, "unknown task “cover”"),
    ],
)
def test_a_bad_control_is_named_with_its_line(tmp_path, change, said):
    demo = read_study(ROOT / "fixtures" / "demo")
    output = demo.materials.outputs[0]
    line = {
        "task": "adequacy-fluency",
        "system": output.system,
        "document": output.document,
        "type": "repeat",
    }
    message = spoilt(tmp_path, line | change)
    assert "controls.jsonl:1" in message
    assert said in message


def test_a_kind_with_an_order_of_its_own_takes_no_controls(tmp_path):
    import shutil

    folder = tmp_path / "relevance"
    shutil.copytree(ROOT / "fixtures" / "relevance", folder)
    output = read_study(folder).materials.outputs[0]
    task = read_study(folder).tasks[0].name
    line = {
        "task": task,
        "system": output.system,
        "document": output.document,
        "kind": output.kind,
        "type": "repeat",
    }
    (folder / "controls.jsonl").write_text(json.dumps(line) + "\n")
    with (folder / "study.yaml").open("a") as file:
        file.write("controls: controls.jsonl\n")
    with pytest.raises(StudyFileProblems, match="takes no control items"):
        read_study(folder)


def test_see_controls_name_their_reference():
    controls = (ControlRow(task="coverage", type="repeat", system="qx31", document="d1", reference="r-d1"),)
    study = study_import(study_file=study_file(SEE, controls=controls))
    study_open(study=study)
    repeat = Subject.objects.get(control="repeat")
    assert repeat.reference.key == "r-d1"
    assert repeat.assignments.count() == 1


def test_a_second_control_of_a_type_on_one_piece_is_refused(tmp_path):
    demo = read_study(ROOT / "fixtures" / "demo")
    output = demo.materials.outputs[0]
    line = {
        "task": "adequacy-fluency",
        "system": output.system,
        "document": output.document,
        "type": "degraded",
    }
    message = spoilt(tmp_path, line | {"text": "One."}, line | {"text": "Two."})
    assert "controls.jsonl:2: there is a degraded item of the same piece already, in line 1" in message


def test_a_control_on_what_is_there_to_practise_on_is_refused(tmp_path):
    practised = next(
        row for row in read_study(ROOT / "fixtures" / "demo").practice if row.task == "adequacy-fluency"
    )
    line = {
        "task": practised.task,
        "system": practised.system,
        "document": practised.document,
        "type": "repeat",
    }
    assert "nobody judges this output as it is" in spoilt(tmp_path, line)


def test_a_reference_that_the_task_does_not_show_is_refused(tmp_path):
    demo = read_study(ROOT / "fixtures" / "demo")
    output = demo.materials.outputs[0]
    other = next(row.id for row in demo.materials.references if row.item == output.item)
    line = {"task": "coverage", "system": output.system, "document": output.document, "type": "repeat"}
    folder = tmp_path / "good"
    assert "unknown reference" in spoilt(folder, line | {"reference": "nothing"})
    assert other


def test_undone_control_items_are_not_handed_on():
    study = study_import(study_file=controlled(design=Design(assessors_per_item=2, order="blocked")))
    study_open(study=study)
    gone = study.assessors.select_related("study").first()
    before = {row.pk: row.assignments.count() for row in Subject.objects.exclude(control="")}
    assessor_link(assessor=gone)
    assessor_revoke(assessor=gone)
    study_simulate(study=study, seed=1)
    for row in Subject.objects.exclude(control=""):
        assert row.assignments.count() == before[row.pk]
    repeats = Assignment.objects.filter(subject__control="repeat").select_related("subject", "assessor")
    for repeat in repeats:
        originals = repeat.assessor.assignments.filter(
            subject__output=repeat.subject.output, subject__control=""
        )
        assert originals.exists()


def test_progress_waits_for_no_control_item():
    study = study_import(study_file=controlled())
    study_open(study=study)
    pieces = Subject.objects.filter(task__study=study, counts=True, control="").count()
    progress = study_progress(study)
    assert progress.pieces == pieces
    assert progress.wanted == 2 * pieces


def test_with_model_authors_a_control_goes_to_the_author_of_its_model():
    control = ControlPiece(Piece(index=9, item="i", system="s", writer="ada"))
    people = [Person(1, author="ada"), Person(2, author="ben")]
    dealt = with_controls(
        Design(order="model-author"), [Deal(1, 0), Deal(2, 1)], PLAIN, [control], people, seed=1
    )
    assert [one.person for one in dealt if one.piece == 9] == [1]
