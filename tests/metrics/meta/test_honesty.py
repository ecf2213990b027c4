"""Small claims that a strict reader would catch."""

import numpy as np
import pandas as pd
import pytest

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score
from metrics.meta.agreement import agreement_coefficient
from metrics.meta.gwet import gwet
from metrics.meta.halves import split_half
from metrics.meta.intervals import agreement_interval
from metrics.meta.multiplicity import adjust
from metrics.meta.power import power
from metrics.meta.ranking import significance_clusters
from metrics.meta.williams import williams_matrix
from tests.metrics.human.rows import table


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_a_constant_metric_is_not_among_those_that_no_other_outperforms():
    human = [1, 2, 3, 4, 5, 6]
    matrix = williams_matrix(human, [[1, 2, 3, 4, 6, 5], [2, 1, 4, 3, 6, 5], [7] * 6])
    assert matrix.not_outperformed().tolist() == [True, True, False]


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_an_icc_whose_denominator_is_nothing_but_rounding_is_undefined():
    """Shrout & Fleiss' ICC(2, k) = (MSR − MSE) / (MSR + (MSC − MSE)/n): here MSR = 0 and MSC = MSE, by 2 × 2 ratings."""
    for shift in (0.0, 0.1, 0.3):
        value = agreement_coefficient(
            [[0 + shift, 1 + shift], [1 + shift, 0 + shift]], "icc-2-k", n_resamples=0
        ).statistic
        assert np.isnan(value) or abs(value) < 1e6


def test_an_icc_says_on_how_many_outputs_it_stands():
    ratings = np.arange(60, dtype=float).reshape(20, 3) % 7
    ratings[5:, 2] = np.nan
    with pytest.warns(UndefinedScoreWarning, match="stands on the 5 of 20 outputs that all assessors judged"):
        result = agreement_coefficient(ratings, "icc-2-1", n_resamples=20, rng=1)
    assert result.items == 5
    assert agreement_coefficient(ratings, "icc-1-1", n_resamples=20, rng=1).items == 20


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_a_signature_counts_only_assessors_whose_judgments_have_a_score():
    rows = [
        {"assessor": who, "system": system, "item": f"d{n}", "criterion": "q", "value": value}
        for who, values in (("p1", (1, 2, 3)), ("p2", (2, 4, 5)), ("flat", (3, 3, 3)))
        for n, value in enumerate(values)
        for system in ("A",)
    ]
    score = human_score(table(rows, kind="rating"), "q", normalise="z")
    assert "|assessors:2|judgments:6|" in score.signature


def test_power_from_a_pilot_is_that_of_the_deviation_it_speaks_for():
    """Five differences with sample deviation 1 promise the power of deviation 1; unscaled residuals have .89."""
    pilot = np.array([-1.2, -0.6, 0.0, 0.6, 1.2])
    pilot = pilot / pilot.std(ddof=1)
    options = {"items": (12,), "effect": 0.8, "n_simulations": 4000, "rng": 1}
    drawn, normal = power(pilot=pilot, **options).power[0], power(deviation=1.0, **options).power[0]
    # R 4: power.t.test(n=12, delta=.8, sd=1, type="paired")$power is .7137; with sd .894 it would be .805.
    assert normal == pytest.approx(0.7137, abs=0.02)
    assert drawn == pytest.approx(normal, abs=0.03)


def test_what_is_no_p_value_is_refused():
    with pytest.raises(BadInput, match=r"between 0 and 1, found 1\.2"):
        adjust([0.1, 1.2])
    with pytest.raises(BadInput, match=r"between 0 and 1, found -0\.1"):
        significance_clusters(["A", "B"], [1, 2], [[1, -0.1], [0.5, 1]])
    assert np.isnan(adjust(np.ma.array([0.01, 7.0], mask=[0, 1]))[1])


def test_shares_of_agreeing_pairs_are_averaged_over_outputs():
    """One output judged by four (one pair of six agrees), one by two who agree: (1/6 + 1)/2, not 2 of 7 pairs."""
    ratings = pd.DataFrame([[1, 1, 2, 3], [2, 2, np.nan, np.nan]])
    assert agreement_coefficient(ratings, "percent", n_resamples=0).statistic == pytest.approx(7 / 12)


def test_agreement_over_few_items_has_the_interval_that_covers():
    """Percentiles of five items cover .64 to .79 where they say .95 (benchmarks/calibration.py)."""
    ratings = np.array([[1, 1], [2, 3], [3, 3], [4, 4], [5, 3.0]])
    found = agreement_coefficient(ratings, "alpha-ordinal", rng=1)
    expected = agreement_interval(ratings, "alpha-ordinal").confidence_interval
    assert found.confidence_interval.high == pytest.approx(expected.high)
    assert found.confidence_interval.low == pytest.approx(max(-1.0, expected.low))
    assert "|interval:jackknife-items|" in found.signature
    shares = agreement_coefficient(ratings, "percent").confidence_interval
    assert 0 <= shares.low < shares.high <= 1


def test_agreement_that_is_the_same_without_each_item_is_not_said_to_be_certain():
    """Half of the pairs agree on every item: the report printed “.50 [.50, .50]” of three items."""
    ratings = [[1, 1, np.nan], [1, 2, np.nan], [np.nan, 3, 3], [np.nan, 2, 3], [2, np.nan, 2], [2, np.nan, 1]]
    with pytest.warns(UndefinedScoreWarning, match="the same without single items"):
        found = agreement_coefficient(ratings, "percent", items=[0, 0, 1, 1, 2, 2], rng=1)
    assert found.statistic == 0.5
    assert np.isnan(found.confidence_interval.high)


@pytest.mark.parametrize("items", [6, 30])
def test_perfect_agreement_is_not_said_to_be_certain(items):
    ratings = np.repeat(np.arange(items) % 5, 2).reshape(-1, 2).astype(float)
    with pytest.warns(UndefinedScoreWarning, match="would claim to be sure"):
        found = agreement_coefficient(ratings, "alpha-ordinal", rng=1)
    assert found.statistic == 1
    assert np.isnan(found.confidence_interval.low)


def test_no_intraclass_correlation_is_beyond_one():
    """Raters who contradict each other: psych prints 4 for ICC2k, a negative variance over a negative one."""
    with pytest.warns(UndefinedScoreWarning, match="icc-2-k is undefined"):
        found = agreement_coefficient([[1, 2], [2, 1], [1, 2], [2, 1]], "icc-2-k")
    assert np.isnan(found.statistic)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic", "ordinal"])
def test_gwets_coefficient_is_among_those_of_agreement(weights):
    """``gwet`` itself is compared with irrCAC."""
    ratings = np.array([[1, 1, 2], [2, 3, np.nan], [3, 3, 3], [4, 4, 2], [5, 3, 5], [1, 1, 1]])
    name = "gwet" if weights == "none" else f"gwet-{weights}"
    expected = gwet(ratings, weights=weights).statistic
    assert agreement_coefficient(ratings, name).statistic == pytest.approx(expected)


def test_halves_that_contradict_each_other_have_no_reliability_below_minus_one():
    """2r/(1 + r) runs to minus infinity; r = −.53 was printed as −2.27."""
    found = split_half([[1, 5, 2, 4], [5, 1, 4, 2], [3, 3, 1, 5]], n_resamples=50, rng=1)
    assert found.half < 0
    assert -1 <= found.middle.low <= found.statistic < 0
