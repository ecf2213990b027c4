"""Studies of error spans: files with units and prefilled spans, the way out and in again, attributes, scores."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from django.urls import reverse

from annotation.analysis.human import human_results
from annotation.analysis.inputs import report_inputs
from annotation.analysis.standings import tables_of
from annotation.errors import Refused
from annotation.export import attribute_rows, judgment_rows
from annotation.models import Assignment, Judgment, Output, Study
from annotation.selectors.exhibits import exhibit_shown, facts_of
from annotation.selectors.files import study_as_file
from annotation.selectors.runs import newest_data
from annotation.selectors.work import original_of
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open, units_cut
from annotation.study_files import read_study
from annotation.study_files.problems import StudyFileProblems
from annotation.study_files.schema import ControlRow, DocumentRow, OutputRow, PrefilledRow
from annotation.study_files.write import write_study
from metrics.frames import check_judgments
from metrics.human import human_score
from metrics.report import Options, build_report, records
from tests.conftest import ROOT
from tests.factories import viewer_client
from tests.studies import study_file

pytestmark = pytest.mark.django_db
FOLDER = ROOT / "fixtures" / "error_spans"
SOURCE_ERROR = {"parts": [[0, 6]], "side": "source", "severity": "minor", "category": "Other", "note": "odd"}


def test_judgments_of_the_example_go_out_and_come_in_again_as_they_were(tmp_path):
    file = read_study(FOLDER)
    study = study_import(study_file=file)
    assert study_as_file(study) == file
    write_study(file, tmp_path / "again")
    assert read_study(tmp_path / "again") == file
    study_simulate(study=study, seed=3)
    wanted = [{**row, "study": ""} for row in judgment_rows(study) if not row["practice"]]
    said = {row["criterion"] for row in wanted}
    assert {"errors", "error", "score", "prefilled", "preference", "injected"} <= said
    assert {row["label"] for row in wanted if row["criterion"] == "prefilled"} <= {
        "kept",
        "changed",
        "removed",
    }
    Study.objects.update(slug="first")
    again = study_import(study_file=file)
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(wanted, start=2)])
    found = [{**row, "study": ""} for row in judgment_rows(again)]

    def order(row):
        return tuple(
            str(row[name]) for name in ("task", "assessor", "position", "system", "unit", "criterion")
        )

    assert sorted(found, key=order) == sorted(wanted, key=order)
    known = {(row["scope"], row["id"], row["name"]): row["value"] for row in attribute_rows(again)}
    assert known["error", "mqm/minor/Fluency/Punctuation", "weight"] == "0.1"
    assert known["item", "warm-up", "tokens"] == "13"
    tables = {(table.task, table.score) for table in human_results(again).scores}
    assert {("mqm", "mqm"), ("esa", "esa"), ("esa", "esa-spans"), ("side-by-side", "esa")} <= tables


def shuffled_file(*, source=6, controls=(), **config):
    """Two systems on a document with six units each, of which texts tell system and unit, and on one with different numbers of units."""
    task = {"kind": "error_spans", "name": "columns", "preset": "esa", "sets": {"size": 2}, "shuffle": "unit"}
    task |= {"omission": "both", "attention": "inject", "design": {"assessors_per_item": 3}, **config}
    suggestion = PrefilledRow(system="qx31", document="even", unit=2, start=0, end=3, severity="minor")
    file = study_file(
        task, systems=("qx31", "wv77"), documents=1, assessors=3, prefilled=(suggestion,), controls=controls
    )
    lengths = {"even": (6, 6), "odd": (2, 3)}
    materials = replace(
        file.materials,
        references=(),
        documents=tuple(
            DocumentRow(id=name, units=tuple(f"Source {n} stands here." for n in range(source)))
            for name in lengths
        ),
        outputs=tuple(
            OutputRow(
                system=system,
                document=name,
                units=tuple(f"The {word} text has line {n + 1} here." for n in range(length)),
            )
            for name, both in lengths.items()
            for system, word, length in zip(("qx31", "wv77"), ("first", "other"), both, strict=True)
        ),
    )
    return replace(file, materials=materials)


def test_where_units_are_shuffled_a_column_is_no_one_system_and_rows_know_who_stood_where():
    study = study_import(study_file=shuffled_file())
    study_simulate(study=study, seed=3)
    words = {"qx31": "first", "wv77": "other"}
    drawn = []
    for assignment in Assignment.objects.filter(subject__document__key="even"):
        columns = [output.units for output in exhibit_shown(assignment).outputs]
        assert [len(units) for units in columns] == [6, 6]
        assert [sum("first" in unit for unit in units) for units in columns] == [3, 3]
        drawn.append(assignment.places)
        facts = facts_of(assignment)
        content = json.dumps(facts.kind.content(facts.config, exhibit_shown(assignment), None))
        assert not any(name in content for name in words)
        scores = [
            row
            for row in judgment_rows(study)
            if row["assessor"] == assignment.assessor.pseudonym and row["item"] == "even" and row["place"]
        ]
        assert {row["criterion"] for row in scores} >= {"score", "errors", "prefilled", "injected"}
        for row in scores:
            number = int(row["unit"].split("/")[1])
            assert words[row["system"]] in columns[row["place"] - 1][number - 1], row
        answer = assignment.judgments.get().answer
        for row in scores:
            if row["criterion"] == "score":
                unit = answer["outputs"][row["place"] - 1]["units"][int(row["unit"].split("/")[1]) - 1]
                assert unit["score"] == row["value"]
    assert len({json.dumps(places) for places in drawn}) == 3, "drawn for each assessor"
    for assignment in Assignment.objects.filter(subject__document__key="odd"):
        assert sorted(assignment.places) == [0, 1], "texts with different numbers of units stay whole"


@pytest.mark.parametrize("config", [{}, {"window": {"units": 2, "context": 1}}])
def test_judgments_of_shuffled_units_go_out_and_come_in_again_as_they_were(config):
    """In pieces too, which rows of a set tell apart by their units; one text may end before the last piece."""
    study = study_import(study_file=shuffled_file(**config))
    study_simulate(study=study, seed=3)
    wanted = [{**row, "study": ""} for row in judgment_rows(study)]
    Study.objects.update(slug="first")
    again = study_import(study_file=replace(shuffled_file(**config), seed=99))
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(wanted, start=2)])
    assert sorted(map(str, ({**row, "study": ""} for row in judgment_rows(again)))) == sorted(
        map(str, wanted)
    )
    first = next(row for row in wanted if row["item"] == "even")
    moved = [{**first, "unit": "s1", "row": 2}]
    with pytest.raises(Refused, match="is about no unit"):
        judgments_import(study=again, rows=moved)


def test_which_of_two_is_better_is_said_of_each_piece_and_comes_in_again():
    """Each piece is a set of its own, whose preference names no unit; one of the texts may have ended before."""
    config = {"shuffle": "document", "preference": True, "window": {"units": 2, "context": 1}}
    study = study_import(study_file=shuffled_file(**config))
    study_simulate(study=study, seed=3)
    wanted = [{**row, "study": ""} for row in judgment_rows(study)]
    said = {(row["item"], row["unit"]) for row in wanted if row["criterion"] == "preference"}
    assert said == {("even", "s1"), ("even", "s2"), ("even", "s3"), ("odd", "s1"), ("odd", "s2")}
    check_judgments(pd.DataFrame(wanted))  # nobody has judged the same twice
    Study.objects.update(slug="first")
    again = study_import(study_file=replace(shuffled_file(**config), seed=99))
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(wanted, start=2)])
    assert sorted(map(str, ({**row, "study": ""} for row in judgment_rows(again)))) == sorted(
        map(str, wanted)
    )
    Study.objects.filter(pk=again.pk).update(slug="second")
    third = study_import(study_file=shuffled_file(**config))
    lost = [row for row in wanted if row["criterion"] != "preference" or row["unit"] != "s2"]
    with pytest.raises(Refused, match="Say which is better"):
        judgments_import(study=third, rows=[{**row, "row": 2} for row in lost])


@pytest.mark.parametrize("config", [{}, {"window": {"units": 2, "context": 1}}])
def test_places_are_drawn_alike_for_pieces_and_wherever_the_study_is_opened(config):
    """Names, texts and the study's seed draw places; ids of a database, which differ, do not."""
    drawn = []
    for number in range(2):
        study = study_import(study_file=replace(shuffled_file(**config), slug=f"place-{number}"))
        study_open(study=study)
        rows = Assignment.objects.filter(assessor__study=study).order_by("assessor__pseudonym", "position")
        drawn.append(list(rows.values_list("assessor__pseudonym", "subject__document__key", "places")))
    assert drawn[0] == drawn[1]
    for pseudonym in {row[0] for row in drawn[0]}:
        assert len({str(row[2]) for row in drawn[0] if row[:2] == (pseudonym, "even")}) == 1


@pytest.mark.parametrize("is_open", [False, True])
def test_the_preview_shows_units_at_places_drawn_for_each_as_an_assessor_sees_them(is_open):
    study = study_import(study_file=shuffled_file(attention="off"))
    if is_open:
        study_open(study=study)
    client = viewer_client(study)
    columns = {}
    for place in (1, 2):
        url = reverse("preview", args=[study.slug, "columns", place])
        page, again = (client.get(url).content.decode() for _ in range(2))
        content = re.search(r'<script id="item-content" type="application/json">(.*?)</script>', page)[1]
        assert content in again, "the same whenever it is opened"
        lines = [row["outputs"] for row in json.loads(content)["rows"]]
        texts = [[units[at] for units in lines if units[at]] for at in (0, 1)]
        columns[tuple(map(len, texts))] = texts
    assert [sum("first" in unit for unit in units) for units in columns[6, 6]] == [3, 3]
    (whole,) = [texts for lengths, texts in columns.items() if lengths != (6, 6)]
    assert sorted(len({"first" in unit for unit in units}) for units in whole) == [1, 1]


def test_a_source_with_more_units_than_shuffled_texts_is_marked_only_where_these_have_places():
    """Texts that stay whole have one place each, whatever unit of the source is marked."""
    study = study_import(study_file=shuffled_file(preset="mqm", source=8, attention="off"))
    study_simulate(study=study, seed=3)
    for item, allowed in (("even", 6), ("odd", 8)):
        assignment = Assignment.objects.filter(subject__document__key=item).first()
        facts, shown = facts_of(assignment), exhibit_shown(assignment)
        content = facts.kind.content(facts.config, shown, None)
        assert [row["number"] for row in content["rows"] if row["marks_source"]] == [*range(1, allowed + 1)]
        judgment = assignment.judgments.get()
        units = judgment.answer["outputs"][0]["units"]
        units += [{"spans": []} for _ in range(8 - len(units))]
        units[7] = {"spans": [SOURCE_ERROR]}
        problems = facts.kind.missing(facts.config, shown, facts.answer(judgment.answer))
        assert bool(problems) == (allowed < 8), problems
        Judgment.objects.filter(pk=judgment.pk).update(answer=judgment.answer)  # as some were stored before
    marked = [
        row["item"] for row in judgment_rows(study) if "source/8" in row["unit"] or "/8/" in row["unit"]
    ]
    assert set(marked) == {"odd"}


def test_a_check_item_with_fewer_units_is_shown_whole_beside_the_others_and_comes_in_again():
    spoilt = ControlRow(
        task="columns",
        type="degraded",
        system="wv77",
        document="even",
        units=tuple(f"Spoilt {n} stands badly here." for n in range(4)),
    )
    file = shuffled_file(controls=(spoilt,))
    study = study_import(study_file=file)
    study_simulate(study=study, seed=3)
    checked = Assignment.objects.filter(subject__control="degraded")
    assert checked
    for assignment in checked:
        assert sorted(len(output.units) for output in exhibit_shown(assignment).outputs) == [4, 6]
    wanted = [{**row, "study": ""} for row in judgment_rows(study)]
    Study.objects.update(slug="first")
    again = study_import(study_file=file)
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(wanted, start=2)])
    assert sorted(map(str, ({**row, "study": ""} for row in judgment_rows(again)))) == sorted(
        map(str, wanted)
    )


def test_a_repeat_of_a_piece_goes_with_that_piece_and_no_other():
    repeat = ControlRow(task="columns", type="repeat", system="qx31", document="even")
    pieces = {"shuffle": "document", "window": {"units": 2, "context": 1}}
    study = study_import(study_file=shuffled_file(controls=(repeat,), **pieces))
    study_open(study=study)
    for assignment in Assignment.objects.select_related("subject", "assessor"):
        original = original_of(assignment.assessor, assignment.subject)
        assert original.subject.shown == assignment.subject.shown
        if assignment.subject.control:
            assert assignment.places == original.places[::-1]
        else:
            assert original == assignment


def test_a_text_with_prefilled_spans_cannot_be_cut_again():
    study = study_import(study_file=read_study(FOLDER))
    output = Output.objects.get(study=study, system__key="vb7706", document__key="tea")
    with pytest.raises(Refused, match="has spans from the study file"):
        units_cut(text=output, units=output.units)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"unit": 9}, "prefilled.jsonl:1: task “esa”: there is no unit 9 of the output to mark."),
        ({"end": 99}, "prefilled.jsonl:1: task “esa”: 5:99 goes beyond the text"),
        ({"end": 2}, "prefilled.jsonl:1: “end” must be greater than “start”"),
        ({"end": None}, "prefilled.jsonl:1: give both “start” and “end”"),
        ({"severity": "fatal"}, "prefilled.jsonl:1: task “esa”: there is no severity “fatal”."),
        ({"system": "nobody"}, "prefilled.jsonl:1: there is no output of system “nobody”"),
        ({"task": "nothing"}, "prefilled.jsonl:1: unknown task “nothing”."),
        ({"offset": 3}, "prefilled.jsonl:1: unknown key “offset”"),
    ],
)
def test_a_prefilled_span_that_does_not_fit_is_named_with_its_line(tmp_path, changed, problem):
    folder = tmp_path / "study"
    shutil.copytree(FOLDER, folder)
    first, *others = (folder / "prefilled.jsonl").read_text(encoding="utf-8").splitlines()
    line = {key: value for key, value in {**json.loads(first), **changed}.items() if value is not None}
    (folder / "prefilled.jsonl").write_text("\n".join([json.dumps(line), *others]), encoding="utf-8")
    with pytest.raises(StudyFileProblems) as refused:
        read_study(folder)
    assert problem in str(refused.value)


def test_the_monitor_counts_judgments_and_not_what_was_said_in_them():
    study = study_import(
        study_file=study_file({"kind": "error_spans", "name": "mqm", "preset": "mqm"}, documents=6)
    )
    study_simulate(study=study, seed=1)
    (row,) = (row["apart"] for row in tables_of(study)["standings"] if row["score"] == "mqm")
    assert row["more_items"]
    assert Judgment.objects.count() == 6 * 2
    assert row["more_judgments"] == row["more_items"] * 2, (
        "one person reads each of two systems on every item"
    )


def test_results_monitor_and_report_give_the_same_means_in_the_same_order():
    """A document of one unit and one of five: a mean over items is not one over units, and both are called what they are."""
    file = study_file({"kind": "error_spans", "name": "mqm", "preset": "mqm"}, documents=6)
    outputs = tuple(
        row.model_copy(update={"units": tuple(f"Sentence {n} of {row.system}." for n in range(5))})
        if row.document == "d1"
        else row
        for row in file.materials.outputs
    )
    study = study_import(study_file=replace(file, materials=replace(file.materials, outputs=outputs)))
    study_simulate(study=study, seed=1)
    report = build_report(**report_inputs(study, newest_data(study)), options=Options(n_resamples=100))
    live = {row["score"]: [(one["system"], one["mean"]) for one in row["systems"]] for row in tables_of(study)["standings"]}  # fmt: skip
    told = {
        section["score"]: [(row["system"], -row["mean"]) for row in records(section["systems"])]
        for section in report.data["human"]
    }
    tables = {table.score: table for table in human_results(study).scores}
    assert set(tables) == set(live) == set(told) == {"mqm", "mqm-per-100"}
    for score, table in tables.items():
        shown = {row.system: row.mean for row in table.systems}
        assert list(shown) == [system for system, _ in live[score]] == [system for system, _ in told[score]]
        assert shown == pytest.approx(dict(live[score]))
        assert shown == pytest.approx(dict(told[score]))
    # Sources are of equal length here, so that words together say what their mean says.
    assert [tables[score].is_pooled for score in ("mqm", "mqm-per-100")] == [True, False]
    judged = check_judgments(pd.DataFrame(judgment_rows(study)))
    pooled = human_score(judged, "mqm").system_scores().set_index("system")["score"]
    assert {row.system: row.pooled for row in tables["mqm"].systems} == pytest.approx(pooled.to_dict())
    page = viewer_client(study).get(reverse("study_results", args=[study.slug])).content.decode()
    assert "The mean is over items, which count alike" in page


def test_a_source_without_spaces_has_a_word_in_every_letter():
    file = study_file({"kind": "error_spans", "name": "mqm", "preset": "mqm"}, documents=2)
    first, second = file.materials.documents
    documents = (first.model_copy(update={"text": "港は静かでした。"}), second)
    study = study_import(study_file=replace(file, materials=replace(file.materials, documents=documents)))
    known = {row["id"]: row["value"] for row in attribute_rows(study) if (row["scope"], row["name"]) == ("item", "tokens")}  # fmt: skip
    assert known == {"d1": "8", "d2": str(len(second.text.split()))}
