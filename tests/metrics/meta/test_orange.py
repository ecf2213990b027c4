"""ORANGE: exact fractions of the vectors, the limits, and what is undefined."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import UndefinedScoreWarning
from metrics.meta.orange import LeftOut, orange, orange_item

LINES = (
    (Path(__file__).resolve().parents[2] / "data" / "metrics2" / "orange.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
)
ROWS = [json.loads(line) for line in LINES[1:]]


def items(row):
    for item in row["items"]:
        scores = [
            [own[name] for name in [reference, *(n for n in own if n != reference)]]
            for reference, own in item["scores"].items()
        ]
        yield LeftOut(item["item"], np.array([scores], dtype=float))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.get("name", "worked example"))
def test_orange_is_the_exact_fraction(row):
    result = orange(items(row), ["x"], n_resamples=20)
    assert Fraction(result.table["orange"][0]).limit_denominator(1000) == Fraction(row["orange"])
    for name, expected in row.get("ranks", {}).items():
        value = result.by_item[0, result.items.index(name)]
        assert Fraction(value).limit_denominator(1000) == Fraction(expected["orange"])


@given(st.integers(1, 9))
def test_the_limits_are_those_that_can_be_had_by_hand(n):
    perfect, constant, upside_down = (
        orange_item(np.array([[[own, *[0.0] * n]]]))[0] for own in (1.0, 0.0, -1.0)
    )
    assert perfect == pytest.approx(1 / (n + 1))
    assert constant == pytest.approx((n + 2) / (2 * (n + 1)))
    assert upside_down == 1


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4), st.permutations(range(1, 4)))
def test_only_the_order_of_scores_counts_and_not_that_of_outputs(values, order):
    scores = np.array([[values]], dtype=float)
    moved = scores[:, :, [0, *order]]
    assert orange_item(np.exp(moved)) == orange_item(scores)


def test_without_outputs_or_other_references_it_is_undefined():
    assert np.isnan(orange_item(np.ones((1, 2, 1)))[0])
    assert np.isnan(orange_item(np.ones((1, 0, 3)))[0])


def test_an_undefined_score_leaves_its_text_out_with_a_warning():
    scores = np.array([[[0.5, 0.9, np.nan]]])
    with pytest.warns(UndefinedScoreWarning, match="1 undefined score"):
        result = orange([LeftOut("i", scores)], ["x"], n_resamples=10)
    assert result.table["orange"][0] == 1.0


def test_intervals_and_paired_differences_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(5)
    found = [LeftOut(f"i{n}", rng.random((2, 3, 4))) for n in range(12)]
    first, again = orange(found, ["a", "b"]), orange(found[::-1], ["a", "b"])
    assert first.table.equals(again.table)
    assert first.pairs.equals(again.pairs)
    assert (first.table["low"] <= first.table["orange"]).all()
    assert (first.table["orange"] <= first.table["high"]).all()
    assert first.pairs["difference"][0] == pytest.approx(first.by_item[0].mean() - first.by_item[1].mean())
