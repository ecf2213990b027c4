"""Agreement on error spans: what the command prints for our own units of ``spans/agreement.json``, whose values come from outside."""

import csv
import json

import pandas as pd
import pytest

from metrics.cli import main
from metrics.errors import UndefinedScoreWarning
from metrics.meta.agreement import agreement
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, table

EXPECTED = json.loads((ROOT / "tests/data/tasks2/spans/agreement.json").read_text())
WEIGHTS = {"major": 5, "minor": 1}
LENGTHS = attributes(
    *(("unit", f"A/i1/{unit['unit']}", "characters", unit["length"]) for unit in EXPECTED["own"])
)


def own_units(units=EXPECTED["own"]):
    """Rows of p1 and p2, a unit being a unit of one document."""
    rows = []
    for unit in units:
        for person in ("p1", "p2"):
            about = {"assessor": person}
            found = [(severity, span) for severity, spans in unit[person].items() for span in spans]
            rows.append(about | {"unit": unit["unit"], "criterion": "errors", "value": len(found)})
            for severity, (start, end) in found:
                place = {"unit": f"{unit['unit']}/{start}:{end}", "criterion": "Accuracy/Addition"}
                rows.append(about | place | {"value": WEIGHTS[severity], "label": severity})
    return table(rows, kind="error_spans")


def values(frame):
    return {(row.criterion, row.coefficient): row.value for row in frame.itertuples()}


def test_places_severities_sums_and_whether_there_is_an_error_are_compared():
    found = values(agreement(own_units(), attributes=LENGTHS, n_resamples=0))
    pooled = EXPECTED["own_pooled"]
    assert found["spans", "span-f1"] == pytest.approx(pooled["f1"])
    assert found["spans", "span-f1-severity"] == pytest.approx(pooled["f1_same_severity"])
    assert found["spans", "span-f1-half"] == pytest.approx(pooled["f1_half_credit_other_severity"])
    # p1's and p2's major spans overlap in unit 1, whatever the severity the two of unit 3 do: 4 of 5 spans.
    assert found["spans", "span-overlap"] == pytest.approx(4 / 5)
    assert found["spans: major", "span-f1"] == pytest.approx(14 / 35)
    assert found["spans: minor", "span-overlap"] == 0
    assert found["spans", "span-neither"] == pytest.approx(1 / 3)
    assert found["has an error", "percent"] == 1
    # Sums of weights: 6 and 5, 0 and 0, 1 and 5.
    assert found["mqm", "percent"] == pytest.approx(1 / 3)
    assert ("mqm", "alpha-interval") in found
    assert not {"Accuracy/Addition", "errors"} & {criterion for criterion, _ in found}


@pytest.mark.parametrize(
    "unit", [unit for unit in EXPECTED["own"] if unit["alpha_u"]], ids=lambda unit: unit["unit"]
)
def test_alpha_u_of_a_unit_is_the_published_formula(unit):
    found = values(agreement(own_units([unit]), attributes=LENGTHS, n_resamples=0, coefficients=["alpha-u"]))
    assert found["spans", "alpha-u"] == pytest.approx(unit["alpha_u"]["all"])
    for severity, expected in unit["alpha_u"]["by_severity"].items():
        assert found[f"spans: {severity}", "alpha-u"] == pytest.approx(expected)


def test_half_of_15_and_10_characters_in_common_is_an_f1_of_56():
    unit = {"unit": "1", "p1": {"major": [[12, 27]]}, "p2": {"major": [[20, 30]]}}
    found = values(agreement(own_units([unit]), n_resamples=0, coefficients=["span-f1"]))
    assert found == {("spans", "span-f1"): pytest.approx(0.56)}


def test_where_nobody_marks_anything_f1_is_1_and_alpha_u_undefined():
    empty = [EXPECTED["own"][1]]
    with pytest.warns(UndefinedScoreWarning, match="alpha-u is undefined"):
        found = values(
            agreement(
                own_units(empty), attributes=LENGTHS, n_resamples=0, coefficients=["alpha-u", "span-f1"]
            )
        )
    assert found["spans", "span-f1"] == 1
    assert found["spans", "alpha-u"] != found["spans", "alpha-u"]


def test_without_lengths_of_units_alpha_u_is_left_out_and_the_reason_said():
    with pytest.warns(UndefinedScoreWarning, match="alpha-u is left out: .* characters of unit A/i1/1"):
        found = values(agreement(own_units(), n_resamples=0))
    assert not any(coefficient == "alpha-u" for _, coefficient in found)
    # An output of one unit is as long as the unit.
    length = attributes(("output", "A/i1", "characters", "60"))
    alone = own_units(EXPECTED["own"][:1])
    found = values(agreement(alone, attributes=length, n_resamples=0, coefficients=["alpha-u"]))
    assert found["spans", "alpha-u"] == pytest.approx(EXPECTED["own"][0]["alpha_u"]["all"])


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_scores_of_units_are_compared_as_numbers_and_control_items_are_left_out():
    rows = []
    for person, scores in (("p1", (10, 60, 90)), ("p2", (20, 50, 90))):
        for unit, score in enumerate(scores, start=1):
            rows.append({"assessor": person, "unit": str(unit), "criterion": "score", "value": score})
        rows.append(
            {
                "assessor": person,
                "item": "c",
                "unit": "1/0:4",
                "criterion": "error",
                "value": 5,
                "control": "degraded",
            }
        )
    frame = agreement(table(rows, kind="error_spans"), n_resamples=0)
    found = values(frame[frame["criterion"] == "esa"])
    # krippendorff 0.8.1 on [[10, 60, 90], [20, 50, 90]], level interval
    assert found["esa", "alpha-interval"] == pytest.approx(0.9709302326)


def test_the_command_prints_agreement_on_spans_with_intervals_over_items(tmp_path, capsys):
    """Of three equal items there is no interval; where they hold the first unit, the third and all, one with a width."""
    items = ("i1", "i2", "i3")
    file = tmp_path / "judgments.csv"
    pd.concat([own_units().assign(item=item) for item in items]).to_csv(file, index=False)
    known = pd.concat([LENGTHS.assign(id=LENGTHS["id"].str.replace("i1", item)) for item in items])
    known.to_csv(f"{file}.attributes.csv", index=False)
    assert main(["agreement", str(file), "--coefficient", "span-f1", "alpha-u", "--resamples", "50"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    f1 = next(row for row in rows if (row["criterion"], row["coefficient"]) == ("spans", "span-f1"))
    assert (float(f1["value"]), f1["low"], f1["high"]) == (pytest.approx(0.68), "", "")
    assert (f1["items"], f1["assessors"]) == ("3", "2")
    assert {row["criterion"] for row in rows} == {"spans", "spans: major", "spans: minor"}
    own = EXPECTED["own"]
    others = [
        own_units(units).assign(item=item) for units, item in zip((own[:1], own[2:], own), items, strict=True)
    ]
    pd.concat(others).to_csv(file, index=False)
    assert main(["agreement", str(file), "--coefficient", "span-f1", "--resamples", "50"]) == 0
    f1 = next(
        row for row in csv.DictReader(capsys.readouterr().out.splitlines()) if row["criterion"] == "spans"
    )
    assert float(f1["low"]) < float(f1["value"]) < float(f1["high"])
