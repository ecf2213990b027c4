"""Effects against statsmodels, SciPy and hand calculation; Gwet's coefficients against irrCAC."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.effects import (
    detectable,
    equivalence,
    paired_difference,
    partial_correlation,
    partial_correlations,
    reliability_ceiling,
    superiority,
)
from metrics.meta.generalisability import t_power
from metrics.meta.gwet import gwet

RNG = np.random.default_rng(5)
A = RNG.normal(0.3, 1, 18)
B = RNG.normal(0, 1, 18)
N = np.nan

# cac.raw4raters of R's irrCAC 1.0 (Gwet 2014, Table 2.11); AC1 .77544, standard error .14295
FOUR_RATERS = [
    [1, 1, N, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [N, 5, 5, 5],
    [N, N, 1, 1],
    [N, N, 3, N],
]


def test_a_paired_difference_is_scipys_t_test():
    found, expected = paired_difference(A, B), stats.ttest_rel(A, B)
    ends = expected.confidence_interval(0.95)
    assert found.pvalue == pytest.approx(expected.pvalue)
    assert (found.confidence_interval.low, found.confidence_interval.high) == pytest.approx(
        (ends.low, ends.high)
    )


def test_the_detectable_difference_has_the_power_it_promises():
    error = (A - B).std(ddof=1) / np.sqrt(18)
    assert t_power(detectable(A, B, power=0.9), error, 17) == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize("margin", [0.4, 1.0, 2.0])
def test_equivalence_is_tost_of_statsmodels(margin):
    found = equivalence(A, B, margin=margin)
    assert found.pvalue == pytest.approx(ttost_paired(A, B, -margin, margin)[0])
    ends = DescrStatsW(A - B).tconfint_mean(0.10)
    assert (found.confidence_interval.low, found.confidence_interval.high) == pytest.approx(ends)


def test_a_margin_of_nothing_is_refused():
    with pytest.raises(BadInput, match="margin must be"):
        equivalence(A, B, margin=0)


def test_superiority_counts_wins_and_half_the_ties():
    found = superiority([1, 2, 3, 4, 5], [1, 1, 1, 5, 4])
    assert found.statistic == pytest.approx((3 + 0.5) / 5)
    assert found.pvalue == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert superiority([1, 1], [1, 1]).statistic == 0.5


def test_rounding_wins_no_item_and_makes_no_difference_certain():
    """.1 + .2 is not .3 to a computer."""
    assert superiority([0.1 + 0.2, 0.7, 0.5], [0.3, 0.7, 0.6]).statistic == pytest.approx(1 / 3)
    assert superiority([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], paired=False).statistic == 0.5
    with pytest.warns(UndefinedScoreWarning, match="differences that vary"):
        assert np.isnan(paired_difference([1.1, 2.2, 3.3], [1, 2.1, 3.2]).pvalue)
    with pytest.warns(UndefinedScoreWarning, match="differences that vary"):
        assert np.isnan(detectable([1.1, 2.2, 3.3], [1, 2.1, 3.2]))


def test_a_one_sided_partial_correlation_has_a_one_sided_interval():
    """Fisher's z of the correlation of residuals with one system fewer, by hand."""
    values = [1, 2, 3, 4, 5, 7], [2, 1, 4, 3, 6, 5], [1, 1, 2, 3, 3, 5]
    found = partial_correlation(*values, alternative="greater")
    low = np.tanh(np.arctanh(found.statistic) - stats.norm.ppf(0.95) / np.sqrt(6 - 4))
    assert tuple(vars(found.confidence_interval).values())[:2] == pytest.approx((low, 1.0))


def test_unpaired_superiority_is_brunner_and_munzels():
    found = superiority(A, B[:11], paired=False)
    expected = stats.brunnermunzel(B[:11], A)
    assert found.pvalue == pytest.approx(expected.pvalue)
    assert found.statistic == pytest.approx(stats.mannwhitneyu(A, B[:11]).statistic / (18 * 11))


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_a_partial_correlation_is_that_of_regression_residuals(method):
    length = RNG.normal(0, 1, 18)
    x, y = A + length, B + 0.5 * A + length
    values = [stats.rankdata(v) if method == "spearman" else v for v in (x, y, length)]
    residual = [sm.OLS(v, sm.add_constant(values[2])).fit().resid for v in values[:2]]
    found = partial_correlation(x, y, length, method=method)
    assert found.statistic == pytest.approx(np.corrcoef(residual)[0, 1])
    # The same t as that of the metric in a regression of the human scores on metric and length.
    model = sm.OLS(values[0], sm.add_constant(np.column_stack([values[1], values[2]]))).fit()
    assert found.pvalue == pytest.approx(model.pvalues[1])


def test_the_ceiling_is_the_root_of_the_true_reliability():
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, (400, 1)) + rng.normal(0, 3, (400, 9))
    assert reliability_ceiling(scores, splits=200, rng=1).ceiling == pytest.approx(
        np.sqrt(1 / (1 + 9 / 9)), abs=0.05
    )


def test_too_few_systems_have_no_ceiling():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(reliability_ceiling([[1.0, 2.0], [2.0, 3.0]]).ceiling)


def test_gwets_coefficient_and_its_error_are_those_of_irrcac():
    found = gwet(FOUR_RATERS)
    assert found.statistic == pytest.approx(0.77544, abs=5e-6)
    assert found.error == pytest.approx(0.14295, abs=5e-6)
    assert found.observed == pytest.approx(0.81818, abs=5e-6)
    assert found.expected == pytest.approx(0.19032, abs=5e-6)


def test_gwets_coefficient_is_not_trapped_by_rare_answers():
    """118 + 5 + 2 + 0 of 125: κ is about 0 though two people agree on 94 % (Gwet 2008, the paradox of κ)."""
    ratings = [[1, 1]] * 118 + [[1, 2]] * 5 + [[2, 1]] * 2
    assert gwet(ratings).statistic == pytest.approx(0.9407, abs=5e-4)


def test_weights_give_part_marks_for_near_misses():
    assert gwet(FOUR_RATERS, weights="quadratic").observed > gwet(FOUR_RATERS).observed
    with pytest.raises(BadInput, match="one of the categories"):
        gwet(FOUR_RATERS, categories=[1, 2, 3])


def test_partial_correlations_of_many_metrics_are_those_of_each():
    rng = np.random.default_rng(11)
    human, length = rng.normal(0, 1, (2, 7))
    metrics = rng.normal(0, 1, (5, 7))
    metrics[1] = 3.0
    metrics[2] = 2 * length + 1
    with pytest.warns(UndefinedScoreWarning):
        each = [partial_correlation(human, row, length).statistic for row in metrics]
    assert np.isnan(each).tolist() == [False, True, True, False, False]
    np.testing.assert_allclose(partial_correlations(human, metrics, length), each, atol=1e-12)
    assert np.isnan(partial_correlations(human[:3], metrics[:, :3], length[:3])).all(), (
        "3 systems are too few"
    )
    assert np.isnan(partial_correlations(human, metrics, np.ones(7))).all(), "nothing to be freed of"
