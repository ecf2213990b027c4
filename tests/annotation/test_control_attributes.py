"""What the export tells of control items, and what ``python -m metrics quality`` makes of it."""

import io

import pandas as pd
import pytest

from annotation.designs import Design
from annotation.export import attribute_rows, judgment_rows
from annotation.export_files import csv_lines
from annotation.models import ControlItem
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files.read import read_study
from annotation.study_files.schema import ControlRow
from metrics.frames import check_attributes, check_judgments
from metrics.quality import assess_quality
from tests.annotation.test_controls import controlled
from tests.conftest import ROOT
from tests.studies import SEE, TIDES, study_file

pytestmark = pytest.mark.django_db
PAIRS = {"kind": "pairwise", "name": "pref", "sets": {"pick": "all"}}


def told(study):
    return {
        (row["id"], row["name"]): row["value"] for row in attribute_rows(study) if row["scope"] == "control"
    }


def test_a_study_without_control_items_has_no_line_of_them():
    study = study_import(study_file=study_file(TIDES))
    study_simulate(study=study, seed=1)
    assert told(study) == {}


def test_the_export_tells_what_was_expected_and_how_long_a_changed_text_is():
    study = study_import(study_file=controlled())
    study_simulate(study=study, seed=2)
    assert told(study) == {
        ("quality/degraded/qx31/d2", "tokens"): "5",
        ("quality/gold/wv77/d3//adequacy", "expected"): "2",
        ("quality/gold/wv77/d3//fluency", "expected"): "2",
        ("quality/attention/qx31/d5", "tokens"): "4",
        ("quality/attention/qx31/d5//adequacy", "expected"): "2",
        ("quality/attention/qx31/d5//fluency", "expected"): "2",
    }


def test_a_part_of_an_answer_is_expected_as_a_part():
    rows = (
        ControlRow(
            task="quality", type="gold", system="qx31", document="d1", expect={"values": {"fluency": 4}}
        ),
        ControlRow(
            task="coverage",
            type="gold",
            system="qx31",
            document="d2",
            expect={"units": [{"marks": [], "grade": 0}, {"marks": []}]},
        ),
    )
    study = study_import(study_file=study_file(SEE, TIDES, documents=3, controls=rows))
    study_simulate(study=study, seed=2)
    assert told(study) == {
        ("coverage/gold/qx31/d2/r-d2/1/coverage", "expected"): "0",
        ("quality/gold/qx31/d1//fluency", "expected"): "4",
    }


def test_of_a_set_every_system_has_what_was_expected_of_it_and_the_changed_text_is_named():
    rows = (
        ControlRow(
            task="pref", type="gold", system="qx31", document="d1",
            expect={"choices": {"preference": {"winner": 1}}},
        ),
        ControlRow(task="pref", type="degraded", system="wv77", document="d2", text="Says peer of."),
    )  # fmt: skip
    study = study_import(
        study_file=study_file(PAIRS, documents=4, controls=rows, design=Design(assessors_per_item=2))
    )
    study_simulate(study=study, seed=2)
    assert told(study) == {
        ("pref/gold/qx31/d1/s1/preference", "expected"): "-1",
        ("pref/gold/wv77/d1/s1/preference", "expected"): "1",
        ("pref/degraded/wv77/d2", "tokens"): "3",
    }
    judgments = check_judgments(pd.DataFrame(list(judgment_rows(study))))
    attributes = check_attributes(pd.DataFrame(list(attribute_rows(study))))
    found = assess_quality(judgments, attributes).rows
    assert found.groupby("check")["n"].max().loc[["gold", "degraded"]].tolist() == [1, 1]


def test_where_to_mark_is_told_by_unit():
    study = study_import(study_file=read_study(ROOT / "fixtures" / "error_spans"))
    item = ControlItem.objects.get(task__study=study, type="degraded")
    study_simulate(study=study, seed=1)
    assert [value for (_, name), value in told(study).items() if name == "marks"] == ["2/1:3"]
    # 12 characters and a line break come before the second unit.
    item.expect = {"marks": "14:16"}
    item.save()
    assert [value for (_, name), value in told(study).items() if name == "marks"] == ["2/1:3"]


def test_the_checks_find_their_control_items_in_the_exported_table():
    study = study_import(study_file=controlled())
    study_simulate(study=study, seed=2)
    judgments = check_judgments(pd.DataFrame(list(judgment_rows(study))))
    lines = "".join(csv_lines(["scope", "id", "name", "value"], attribute_rows(study)))
    attributes = check_attributes(pd.read_csv(io.StringIO(lines), dtype="str", keep_default_na=False))
    found = assess_quality(judgments, attributes).rows
    met = judgments[judgments["criterion"] == "adequacy"].groupby(["assessor", "control"]).size()
    for check in ("gold", "attention", "repeat", "degraded"):
        rows = found[found["check"] == check]
        assert not rows.empty
        for row in rows.itertuples():
            assert row.n == met[row.assessor, check]
