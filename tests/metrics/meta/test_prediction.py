"""Significance prediction (Lin & Hovy 2003, §4.2), against the procedure written out with statsmodels' z-test."""

import itertools

import numpy as np
import pytest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.prediction import ALPHAS, significance_prediction

RNG = np.random.default_rng(21)
HUMAN = RNG.normal(size=(8, 60)) + RNG.normal(size=(8, 1))
METRIC = 0.5 * HUMAN + 0.8 * RNG.normal(size=(8, 60)) + 0.2 * RNG.normal(size=(8, 1))


def z_test(a, b):
    z, p = CompareMeans(DescrStatsW(a), DescrStatsW(b)).ztest_ind(usevar="unequal")
    return np.sign(z), p


def steps_1_to_5(human, metric, alpha):
    """The paper's five steps, pair by pair."""
    n_as = n_hs = n_hit = 0
    for i, j in itertools.combinations(range(len(human)), 2):
        (way_h, p_h), (way_a, p_a) = z_test(human[i], human[j]), z_test(metric[i], metric[j])
        n_as += p_a <= alpha
        n_hs += p_h <= alpha
        n_hit += p_a <= alpha and p_h <= alpha and way_h == way_a
    return n_hit / n_hs, n_hit / n_as, n_hit, n_hs, n_as


def test_the_curve_is_the_papers_procedure_at_each_level():
    result = significance_prediction(HUMAN, METRIC)
    assert result.alpha == ALPHAS == (0.1, 0.05, 0.025, 0.01, 0.005)
    for row in result.frame().itertuples(index=False):
        expected = steps_1_to_5(HUMAN, METRIC, row.alpha)
        assert (row.recall, row.precision, row.hits, row.human, row.automatic) == pytest.approx(expected)
    assert result.pairs == 28


def test_a_metric_that_equals_the_human_scores_predicts_everything():
    result = significance_prediction(HUMAN, 3 * HUMAN + 1)
    assert set(result.recall) == set(result.precision) == {1.0}


def test_being_sure_of_the_opposite_is_no_hit():
    result = significance_prediction(HUMAN, -HUMAN)
    assert set(result.hits) == {0}
    assert set(result.recall) == {0.0}
    assert result.human == result.automatic


def test_fewer_pairs_are_significant_at_stricter_levels():
    result = significance_prediction(HUMAN, METRIC, test="t")
    for counts in (result.human, result.automatic, result.hits):
        assert list(counts) == sorted(counts, reverse=True)


def test_one_sided_tests_favour_the_better_system_of_each_pair():
    """A one-sided z-test at α is the two-sided one at 2α, whatever the order of the systems."""
    one = significance_prediction(HUMAN, METRIC, alphas=(0.05, 0.01), alternative="greater")
    two = significance_prediction(HUMAN, METRIC, alphas=(0.1, 0.02))
    assert (one.hits, one.human, one.automatic) == (two.hits, two.human, two.automatic)
    turned = significance_prediction(HUMAN[::-1], METRIC[::-1], alphas=(0.05, 0.01), alternative="greater")
    assert (turned.hits, turned.human, turned.automatic) == (one.hits, one.human, one.automatic)


def test_no_significant_pair_gives_nan_and_a_warning():
    flat = np.tile(np.arange(20.0), (4, 1)) + 1e-9 * np.arange(4)[:, None]
    with pytest.warns(UndefinedScoreWarning):
        result = significance_prediction(flat, METRIC[:4, :20])
    assert np.isnan(result.recall).all()


def test_a_drawn_test_reports_its_seed():
    result = significance_prediction(HUMAN, METRIC, test="randomization", n_resamples=500, rng=3)
    again = significance_prediction(HUMAN, METRIC, test="randomization", n_resamples=500, rng=3)
    assert result == again
    assert "|resamples:500|seed:3|" in result.signature
    by_z = significance_prediction(HUMAN, METRIC)
    assert "seed" not in by_z.signature


def test_levels_outside_0_and_1_are_refused():
    with pytest.raises(BadInput):
        significance_prediction(HUMAN, METRIC, alphas=[0.05, 1.0])
