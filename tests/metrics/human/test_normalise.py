"""Evaluator normalisation: z against scipy.stats.zscore, ranks against scipy.stats.rankdata."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score
from metrics.human.normalise import distributions, normalised, shares
from tests.metrics.human.rows import scores, table

VALUES = st.lists(st.integers(0, 100), min_size=2, max_size=12)


def of_assessors(**values):
    rows = [(name, float(value)) for name, scale in values.items() for value in scale]
    frame = pd.DataFrame(rows, columns=["assessor", "value"])
    return frame.assign(study="s", task="t", criterion="adequacy")


@given(VALUES, VALUES)
@settings(max_examples=40, deadline=None)
def test_z_is_scipys_zscore_with_the_sample_deviation_per_assessor(one, other):
    assume(len(set(one)) > 1 and len(set(other)) > 1)
    ours = normalised(of_assessors(a=one, b=other), method="z")
    expected = np.concatenate([stats.zscore(one, ddof=1), stats.zscore(other, ddof=1)])
    assert ours.to_numpy() == pytest.approx(expected)


@given(VALUES, st.integers(1, 9), st.integers(-50, 50))
@settings(max_examples=40, deadline=None)
def test_z_does_not_see_how_an_assessor_stretches_and_shifts_the_scale(values, scale, shift):
    assume(len(set(values)) > 1)
    moved = [scale * value + shift for value in values]
    ours = normalised(of_assessors(a=values), method="z").to_numpy()
    assert normalised(of_assessors(a=moved), method="z").to_numpy() == pytest.approx(ours)


@given(VALUES)
@settings(max_examples=40, deadline=None)
def test_ranks_are_scipys_average_ranks_between_0_and_1(values):
    ours = normalised(of_assessors(a=values), method="rank").to_numpy()
    assert ours == pytest.approx((stats.rankdata(values) - 0.5) / len(values))


def test_mean_centring_keeps_the_deviation():
    ours = normalised(of_assessors(a=[1, 2, 6], b=[10, 20]), method="mean")
    assert ours.tolist() == [-2, -1, 3, -5, 5]


@pytest.mark.parametrize("values", [[3], [3, 3, 3], [0.1, 0.1, 0.1]])
def test_an_assessor_without_variance_gives_nan_and_a_warning(values):
    with pytest.warns(UndefinedScoreWarning, match="flat"):
        ours = normalised(of_assessors(flat=values, b=[1, 2]), method="z")
    assert ours.isna().tolist() == [True] * len(values) + [False, False]


def test_control_items_move_the_mean_only_when_asked_to():
    """Of 1, 2 and a degraded text at 9, z with controls is that of scipy on all three."""
    judgments = table(
        [
            {"item": "i1", "value": 1},
            {"item": "i2", "value": 2},
            {"item": "i3", "value": 9, "control": "degraded"},
        ],
        kind="rating",
        criterion="adequacy",
    )
    without = scores(human_score(judgments, "adequacy", normalise="z"))
    assert without == {("A", "i1"): pytest.approx(-np.sqrt(0.5)), ("A", "i2"): pytest.approx(np.sqrt(0.5))}
    counted = scores(human_score(judgments, "adequacy", normalise="z", controls=True))
    expected = stats.zscore([1, 2, 9], ddof=1)
    assert counted == {("A", "i1"): pytest.approx(expected[0]), ("A", "i2"): pytest.approx(expected[1])}


def test_normalisation_is_per_criterion():
    judgments = table(
        [
            {"item": item, "criterion": criterion, "value": value}
            for criterion, values in (("adequacy", [1, 3]), ("fluency", [2, 4]))
            for item, value in zip(("i1", "i2"), values, strict=True)
        ],
        kind="rating",
    )
    low = -np.sqrt(0.5)
    combined = human_score(judgments, "combined", normalise="z")
    assert scores(combined) == {("A", "i1"): pytest.approx(low), ("A", "i2"): pytest.approx(-low)}


def test_distributions_show_every_assessor_before_and_after():
    table_ = distributions(of_assessors(harsh=[1, 1, 2, 2], mild=[4, 4, 5, 5]), method="z")
    raw = table_[table_["stage"] == "raw"].set_index("assessor")
    after = table_[table_["stage"] == "z"].set_index("assessor")
    assert raw["mean"].to_dict() == {"harsh": 1.5, "mild": 4.5}
    assert after["mean"].to_dict() == {"harsh": pytest.approx(0), "mild": pytest.approx(0)}
    assert after["deviation"].to_dict() == {"harsh": pytest.approx(1), "mild": pytest.approx(1)}
    assert raw.loc["mild", ["minimum", "lower", "median", "upper", "maximum"]].tolist() == [4, 4, 4.5, 5, 5]


def test_shares_count_the_marks_of_an_assessor():
    counted = shares(of_assessors(a=[1, 5, 5, 5]))
    assert counted[["value", "count", "share"]].to_numpy().tolist() == [[1, 1, 0.25], [5, 3, 0.75]]


def test_an_unknown_method_is_refused():
    with pytest.raises(BadInput, match="none, z, mean, rank"):
        normalised(of_assessors(a=[1, 2]), method="robust")


def test_values_that_only_rounding_tells_apart_are_one_value():
    shares = [(0.2 + 0.4 + 0.6) / 3, (0.6 + 0.4 + 0.2) / 3, (0.4 + 0.6 + 0.2) / 3, (0.2 + 0.6 + 0.4) / 3]
    assert len(set(shares)) > 1
    with pytest.warns(UndefinedScoreWarning, match="no variance: a"):
        assert normalised(of_assessors(a=shares), method="z").isna().all()
    ranks = normalised(of_assessors(a=[*shares, 0.9]), method="rank")
    assert ranks.tolist() == pytest.approx([0.4] * 4 + [0.9])
