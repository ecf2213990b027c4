"""The long table: what goes out comes in again, in every format."""

import csv
import io
import uuid
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.analysis import human_results, judgment_table
from annotation.export import ATTRIBUTE_COLUMNS, COLUMNS, attribute_rows, columns_of, judgment_rows
from annotation.export_files import csv_lines, export_write
from annotation.models import Judgment, Study
from annotation.selectors.texts import named_outputs
from annotation.services import work
from annotation.services.imports import ImportProblems, judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from metrics.cells import restored
from metrics.frames import (
    JUDGMENT_COLUMNS,
    OPTIONAL_COLUMNS,
    check_attributes,
    read_attributes,
    read_judgments,
)
from tests.studies import SEE, TIDES, make_study, practice, study_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    made = make_study(practice=(practice("coverage", reference="r-d1"),), revise=True)
    study_simulate(study=made, seed=3)
    return made


def test_columns_are_those_of_the_contract():
    assert tuple(columns_of(decisions=True)) == (*JUDGMENT_COLUMNS, *OPTIONAL_COLUMNS)
    assert columns_of(decisions=False) == COLUMNS == columns_of(decisions=True)[:-1]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_every_format_gives_the_same_table(study, tmp_path, format):
    out = tmp_path / f"judgments.{format}"
    export_write(study, format=format, out=out)
    table = read_judgments(out)
    rows = list(judgment_rows(study))
    assert len(table) == len(rows)
    for name in ("task", "assessor", "system", "item", "unit", "criterion", "label", "value", "practice"):
        assert table[name].tolist() == [row[name] for row in rows], name
    assert {"tokens", "characters", "nonspace_characters", "target", "type", "units"} == set(
        read_attributes(tmp_path / f"{out.name}.attributes.csv")["name"]
    )
    assert len(list(tmp_path.iterdir())) == 2


def test_two_who_write_the_same_file_do_not_write_into_each_others(study, tmp_path, monkeypatch):
    """Before: who was first called done what the other was still writing."""
    out = tmp_path / "judgments.csv"

    def meanwhile(*arguments, **options):
        monkeypatch.undo()
        yield from judgment_rows(*arguments, **options)
        export_write(study, format="csv", out=out)

    monkeypatch.setattr("annotation.export_files.judgment_rows", meanwhile)
    export_write(study, format="csv", out=out)
    assert len(read_judgments(out)) == len(list(judgment_rows(study)))


def test_assessors_appear_under_a_pseudonym_unless_names_are_asked_for(study):
    assert {row["assessor"] for row in judgment_rows(study)} == {"A01", "A02"}
    assert {row["assessor"] for row in judgment_rows(study, names=True)} == {"p1", "p2"}


def test_only_the_newest_revision_goes_out_unless_all_are_asked_for(study):
    first = Judgment.objects.filter(
        assignment__subject__practice=False, assignment__subject__task__kind="rating"
    ).first()
    answer = {"values": {**first.answer["values"], "adequacy": 1.0}}
    work.judgment_record(
        assignment=first.assignment, client_key=uuid.uuid4(), revision=2, answer=answer, seconds=1
    )

    def revisions(rows):
        return {row["revision"] for row in rows if row["position"] == first.assignment.position
                and row["assessor"] == first.assignment.assessor.pseudonym}  # fmt: skip

    assert revisions(judgment_rows(study)) == {2}
    assert revisions(judgment_rows(study, all_revisions=True)) == {1, 2}


def written_and_read(text):
    lines = "".join(csv_lines(["label", "end"], [{"label": text, "end": "."}]))
    (row,) = csv.DictReader(io.StringIO(lines, newline=""))
    return row["label"]


@pytest.mark.parametrize(
    "text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'=x", "''=x", "'x", "-5", "plain", ""]
)
def test_formulas_are_neutralised_and_numbers_are_not(text):
    cell = written_and_read(text)
    assert not cell.startswith(("=", "+", "@", "\t", "\r"))
    assert cell == text or cell == f"'{text}"
    assert restored(cell) == text


@given(st.text())
def test_reading_undoes_neutralising_for_any_text(text):
    assert restored(written_and_read(text)) == text


def test_judgments_made_elsewhere_come_in_and_go_out_again_the_same(study, tmp_path):
    export_write(study, format="csv", out=tmp_path / "all.csv", names=True)
    before = [row for row in judgment_rows(study, names=True) if not row["practice"]]
    Study.objects.filter(pk=study.pk).update(slug="elsewhere")
    copy = make_study(practice=(practice("coverage", reference="r-d1"),))
    result = judgments_import(study=copy, rows=judgment_table(tmp_path / "all.csv"))
    assert result.judgments == 7
    assert result.practice > 0
    copy.refresh_from_db()
    assert copy.state == Study.State.CLOSED
    after = list(judgment_rows(copy, names=True))

    def plain(rows):
        kept = [name for name in COLUMNS if name != "position"]
        return sorted(str([row[name] for name in kept]) for row in rows)

    assert plain(after) == plain(before)


def test_importing_a_file_twice_changes_nothing(study, tmp_path):
    export_write(study, format="jsonl", out=tmp_path / "all.jsonl")
    count = Judgment.objects.count()
    result = judgments_import(study=study, rows=judgment_table(tmp_path / "all.jsonl"))
    assert (result.judgments, result.known) == (0, 7)
    assert Judgment.objects.count() == count


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "colour"}, "no task “colour”"),
        ({"system": "nobody"}, "nothing of system “nobody”"),
        ({"study": "other"}, "is not small"),
        ({"value": "0.33"}, "not on the scale"),
        ({"criterion": "colour"}, "colour"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_imported(study, tmp_path, change, message):
    rows = [row for row in judgment_rows(study, names=True) if not row["practice"]]
    number = next(index for index, row in enumerate(rows) if row["criterion"] == "coverage")
    rows[number] = {**rows[number], **change}
    path = tmp_path / "bad.csv"
    path.write_text("".join(csv_lines(COLUMNS, rows)))
    Study.objects.filter(pk=study.pk).update(slug="elsewhere")
    copy = make_study(SEE, TIDES, practice=(practice("coverage", reference="r-d1"),))
    with pytest.raises(ImportProblems, match=message) as problems:
        judgments_import(study=copy, rows=judgment_table(path))
    assert any(f"row {number + 2}" in line for line in problems.value.problems)
    copy.refresh_from_db()
    assert copy.state == Study.State.DRAFT
    assert not Judgment.objects.filter(assignment__assessor__study=copy).exists()


def test_attributes_give_length_and_target_of_each_output(study):
    rows = list(attribute_rows(study))
    assert list(rows[0]) == ATTRIBUTE_COLUMNS
    assert {"scope": "output", "id": "qx31/d1", "name": "tokens", "value": "6"} in rows


def test_surrogates_of_two_kinds_by_one_system_have_attributes_of_their_own():
    made = study_file(SEE, documents=1, systems=("paper",))
    first = made.materials.outputs[0]
    outputs = (
        first.model_copy(update={"kind": "HEAD"}),
        first.model_copy(update={"kind": "HUM", "units": ("One.",)}),
    )
    study = study_import(study_file=replace(made, materials=replace(made.materials, outputs=outputs)))
    tokens = {row["id"]: row["value"] for row in attribute_rows(study) if row["name"] == "tokens"}
    assert tokens == {"paper/d1": "6", "paper/HUM/d1": "1"}
    check_attributes(pd.DataFrame(list(attribute_rows(study))))


def test_names_and_kinds_with_slashes_do_not_make_two_systems_one():
    made = study_file(SEE, documents=1, systems=("a", "a/b"))
    first, second = made.materials.outputs
    outputs = (
        first,
        first.model_copy(update={"kind": "b/c", "units": ("One.",)}),
        second,
        second.model_copy(update={"kind": "c", "units": ("Two.",)}),
    )
    study = study_import(study_file=replace(made, materials=replace(made.materials, outputs=outputs)))
    assert [system for _, system in named_outputs(study)] == ["a", "a/b/c", "a/b", "a/b/c'"]


def test_two_kinds_of_outputs_by_one_system_are_two_systems_in_the_table(tmp_path):
    """Otherwise two texts would share a cell of the score matrix."""
    file = study_file(TIDES, systems=("qx31",), documents=2)
    second = tuple(row.model_copy(update={"kind": "HEAD"}) for row in file.materials.outputs)
    twice = replace(file, materials=replace(file.materials, outputs=(*file.materials.outputs, *second)))
    study = study_import(study_file=twice)
    study_simulate(study=study, seed=1)
    rows = [row for row in judgment_rows(study) if row["criterion"] == "adequacy"]
    assert sorted({(row["system"], row["item"]) for row in rows}) == [
        ("qx31", "d1"), ("qx31", "d2"), ("qx31/HEAD", "d1"), ("qx31/HEAD", "d2")
    ]  # fmt: skip
    named = {row["id"] for row in attribute_rows(study) if row["scope"] == "output"}
    assert {f"{row['system']}/{row['item']}" for row in rows} == named
    wanted = list(judgment_rows(study))
    study.slug = "first"
    study.save()
    again = study_import(study_file=twice)
    judgments_import(
        study=again, rows=[{**row, "study": "", "row": n} for n, row in enumerate(wanted, start=2)]
    )
    assert [{**row, "study": ""} for row in judgment_rows(again)] == [{**row, "study": ""} for row in wanted]


def test_a_kind_has_one_cell_on_all_items_and_no_other_systems_name():
    file = study_file(TIDES, systems=("s", "s/TAIL"), documents=2)
    first, second = (row for row in file.materials.outputs if row.system == "s")
    outputs = (
        first.model_copy(update={"kind": "HEAD"}),
        first.model_copy(update={"kind": "TAIL"}),
        second.model_copy(update={"kind": "TAIL"}),
        *(row for row in file.materials.outputs if row.system == "s/TAIL"),
    )
    study = study_import(study_file=replace(file, materials=replace(file.materials, outputs=outputs)))
    named = {(system, output.item_key, output.kind) for output, system in named_outputs(study)}
    assert named == {
        ("s", "d1", "HEAD"), ("s/TAIL'", "d1", "TAIL"), ("s/TAIL'", "d2", "TAIL"), ("s/TAIL", "d1", ""), ("s/TAIL", "d2", "")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ({"kind": "units_present", "name": "units", "writing": True}, "treebank_tokens"),
        ({"kind": "error_spans", "name": "errors", "preset": "factuality"}, "characters"),
    ],
    ids=["units_present", "error_spans"],
)
def test_what_a_kind_says_of_outputs_is_of_the_systems_that_the_table_names(task, name):
    """Before: two texts of one system had one attribute, with two values, and neither page nor report could be made."""
    made = study_file(task, documents=1, systems=("paper",))
    (first,) = made.materials.outputs
    other = first.model_copy(update={"kind": "HUM", "units": ("One.",)})
    study = study_import(study_file=replace(made, materials=replace(made.materials, outputs=(first, other))))
    study_simulate(study=study, seed=3)
    attributes = check_attributes(pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS))
    known = attributes.loc[attributes["name"] == name, "id"].str.split("/d1").str[0]
    assert set(known) >= {"paper", "paper/HUM"}
    assert {row.system for scores in human_results(study).scores for row in scores.systems} == {
        "paper", "paper/HUM"
    }  # fmt: skip


def test_two_texts_of_an_author_who_is_a_system_have_no_length_in_common():
    made = study_file({"kind": "cross_comprehension", "name": "questions"}, documents=1, systems=("ann",))
    (first,) = (row.model_copy(update={"author": row.system}) for row in made.materials.outputs)
    other = first.model_copy(update={"kind": "HUM", "units": ("One.",)})
    study = study_import(study_file=replace(made, materials=replace(made.materials, outputs=(first, other))))
    attributes = check_attributes(pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS))
    lengths = attributes[attributes["name"] == "characters"].set_index("id")["value"]
    assert lengths.astype(int).to_dict() == {"ann/d1": len(first.whole_text), "ann/HUM/d1": len("One.")}
