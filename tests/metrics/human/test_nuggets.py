"""Nugget F by hand from Lin & Demner-Fushman (2005), Figure 2."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score
from metrics.human.nuggets import f_measure
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, scores, table

TREC = json.loads((ROOT / "tests" / "data" / "tasks2" / "nuggets" / "nuggets.json").read_text())["trec"]
KEY = ["1", "2", "3", "4"]
KNOWN = attributes(
    *(
        ("nugget", unit, "status", status)
        for unit, status in zip(KEY, ["vital", "vital", "vital", "okay"], strict=True)
    ),
    ("output", "A/i1", "characters", 450),
    ("output", "B/i1", "characters", 0),
)


def response(present, **more):
    rows = [{"unit": unit, "value": int(unit in present)} | more for unit in KEY]
    return table(rows, kind="nuggets", criterion="present")


def test_f_of_a_made_response_by_hand():
    """r = 2 of R = 3 vital and a = 1 okay: recall 2/3, allowance 300, precision 1 − 150/450 = 2/3, so F = 2/3."""
    result = f_measure(vital=2, okay=1, vital_in_key=3, length=450, beta=5)
    assert (result.f, result.precision, result.recall) == pytest.approx((2 / 3, 2 / 3, 2 / 3))


def test_beta_weighs_recall():
    """r = 1 of 2, l = 50 < 100: P = 1, R = .5; F(3) = 10·.5/(9 + .5), F(5) = 26·.5/(25 + .5)."""
    assert f_measure(vital=1, okay=0, vital_in_key=2, length=50, beta=3).f == pytest.approx(5 / 9.5)
    assert f_measure(vital=1, okay=0, vital_in_key=2, length=50, beta=5).f == pytest.approx(13 / 25.5)


def test_the_allowance_itself_is_not_too_long():
    assert f_measure(vital=1, okay=0, vital_in_key=1, length=100).precision == 1
    assert f_measure(vital=1, okay=0, vital_in_key=1, length=200).precision == 0.5


def test_only_okay_nuggets_give_zero():
    """§3: a response with all okay nuggets and no vital one scores zero."""
    assert f_measure(vital=0, okay=3, vital_in_key=2, length=100).f == 0


def test_an_empty_response_gives_zero():
    judgments = response([], system="B")
    assert scores(human_score(judgments, "nugget-f", attributes=KNOWN)) == {("B", "i1"): 0}


def test_judgments_and_attributes_give_f():
    score = human_score(response(["1", "2", "4"]), "nugget-f", attributes=KNOWN, beta=5)
    assert scores(score) == {("A", "i1"): pytest.approx(2 / 3)}
    assert "beta:5" in score.signature


def test_white_space_does_not_count_where_the_length_without_it_is_known():
    """300 of the 450 characters are no white space, just the allowance: P = 1, R = 2/3, F(5) = 26·R/(25 + R)."""
    known = pd.concat([KNOWN, attributes(("output", "A/i1", "nonspace_characters", 300))])
    score = human_score(response(["1", "2", "4"]), "nugget-f", attributes=known, beta=5)
    assert scores(score)["A", "i1"] == pytest.approx(26 * (2 / 3) / (25 + 2 / 3))
    assert "length:nonspace_characters" in score.signature


def test_nugget_ids_may_be_those_within_an_item():
    known = attributes(
        *(("nugget", f"i1/{unit}", "status", "vital") for unit in KEY), ("output", "A/i1", "characters", 10)
    )
    assert scores(human_score(response(KEY), "nugget-f", attributes=known)) == {("A", "i1"): 1}


def test_a_key_without_vital_nuggets_is_undefined():
    known = attributes(
        *(("nugget", unit, "status", "okay") for unit in KEY), ("output", "A/i1", "characters", 10)
    )
    with pytest.warns(UndefinedScoreWarning):
        found = scores(human_score(response(["1"]), "nugget-f", attributes=known))
    assert np.isnan(found["A", "i1"])


def test_a_nugget_that_is_neither_vital_nor_okay_is_refused():
    known = attributes(
        *(("nugget", unit, "status", "nice") for unit in KEY), ("output", "A/i1", "characters", 10)
    )
    with pytest.raises(BadInput, match="vital or okay, found 'nice'"):
        human_score(response(["1"]), "nugget-f", attributes=known)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(1, 2000), st.floats(0.5, 6))
@settings(max_examples=60, deadline=None)
def test_f_lies_between_precision_and_recall_and_falls_with_length(vital, okay, length, beta):
    one = f_measure(vital=vital, okay=okay, vital_in_key=5, length=length, beta=beta)
    longer = f_measure(vital=vital, okay=okay, vital_in_key=5, length=length + 50, beta=beta)
    low, high = sorted((one.precision, one.recall))
    assert low - 1e-12 <= one.f <= high + 1e-12
    assert longer.f <= one.f + 1e-12


@pytest.mark.parametrize("case", TREC, ids=lambda case: f"{case['vital']}-{case['length']}-{case['beta']}")
def test_f_at_the_edges_of_the_allowance(case):
    """``nuggets.json``: the formula of Lin & Demner-Fushman 2005, Figure 2, worked out for keys of TREC."""
    given = {name: case[name] for name in ("vital", "okay", "vital_in_key", "length", "beta")}
    result = f_measure(**given)
    assert (result.f, result.precision, result.recall) == pytest.approx(
        (case["f"], case["precision"], case["recall"])
    )


def test_partial_support_is_not_full_support_in_f():
    """TREC knew no partial support: a nugget half supported is not returned."""
    full, half = response({"1", "2"}), response({"1", "2"})
    half.loc[half["unit"] == "2", "value"] = 0.5
    alone = response({"1"})
    f = [
        scores(human_score(table_, "nugget-f", attributes=KNOWN))["A", "i1"] for table_ in (full, half, alone)
    ]
    assert f[1] == f[2] < f[0]
    assert scores(human_score(half, "nuggets-vital", attributes=KNOWN))["A", "i1"] == pytest.approx(1.5 / 3)


def test_the_key_of_the_table_tells_what_is_vital():
    rows = [{"unit": unit, "criterion": "present", "value": 1} for unit in ("n1", "n2")]
    made = [
        {"assessor": "k", "system": "", "unit": unit, "criterion": criterion, "label": label}
        for unit, status in (("n1", "vital"), ("n2", "okay"))
        for criterion, label in (("nugget", "words"), ("status", status))
    ]
    known = table([*made, *rows], kind="nuggets")
    assert scores(human_score(known, "nuggets-vital")) == {("A", "i1"): 1}
    two = table([*made, *({**row, "assessor": "l"} for row in made), *rows], kind="nuggets")
    with pytest.raises(BadInput, match="made by several people"):
        human_score(two, "nuggets-vital")
