"""Studies of error spans: files with units and prefilled spans, the way out and in again, attributes, scores."""

from __future__ import annotations

import json
import shutil

import pytest

from annotation.analysis.human import human_results
from annotation.errors import Refused
from annotation.export import attribute_rows, judgment_rows
from annotation.models import Output, Study
from annotation.selectors.files import study_as_file
from annotation.services.imports import judgments_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, units_cut
from annotation.study_files import read_study
from annotation.study_files.problems import StudyFileProblems
from annotation.study_files.write import write_study
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
FOLDER = ROOT / "fixtures" / "error_spans"


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
