"""The tests behind the checks, against SciPy, by hand, and by trying out every order."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.quality.chance import _variance
from metrics.quality.controls import lower_scores
from metrics.quality.findings import wilson_interval
from metrics.quality.habits import _by_shuffling, _median_ends
from metrics.quality.signed_ranks import signed_rank_greater

DROPS = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


@pytest.mark.parametrize(
    "differences", [[1.5, -2, 3, 4.5, -0.5], [0.1, 0.2, 0.3], [-1.0, 2, -3, 4, -5, 6, 7.5]]
)
def test_signed_ranks_without_ties_are_scipys(differences):
    expected = scipy.stats.wilcoxon(differences, alternative="greater", method="exact")
    assert signed_rank_greater(np.array(differences))[0] == pytest.approx(expected.pvalue)


@given(DROPS.filter(lambda drops: sum(map(bool, drops)) > 1))
@settings(max_examples=40, deadline=None)
def test_signed_ranks_with_ties_count_all_patterns_of_signs_as_scipys_permutations_do(drops):
    drops = [drop for drop in drops if drop]
    every = scipy.stats.PermutationMethod(n_resamples=np.inf)
    expected = scipy.stats.wilcoxon(drops, alternative="greater", method=every).pvalue
    assert signed_rank_greater(np.array(drops, dtype=float))[0] == pytest.approx(expected)


@given(DROPS)
@settings(max_examples=60, deadline=None)
def test_both_tails_of_signed_ranks_overlap_only_in_what_was_found(drops):
    one, other = np.array(drops, dtype=float), -np.array(drops, dtype=float)
    (p, mid), (q, other_mid) = signed_rank_greater(one), signed_rank_greater(other)
    assert mid + other_mid == pytest.approx(1)
    assert p + q >= 1 - 1e-12
    assert mid <= p <= 1


def test_many_signed_ranks_are_nearly_scipys_normal_ones():
    differences = np.random.default_rng(4).normal(0.1, 1, 300)
    expected = scipy.stats.wilcoxon(differences, alternative="greater", method="asymptotic", correction=True)
    assert signed_rank_greater(differences)[0] == pytest.approx(expected.pvalue, rel=1e-9)


def test_ten_pairs_are_tested_as_graham_et_al_do():
    """Their script (crowd-alone, quality-control.R): t.test(degraded, original, alt="less", paired=TRUE)."""
    original = np.array([70, 80, 55, 90, 62, 77, 81, 40, 66, 73.0])
    worse = np.array([50, 82, 20, 60, 60, 30, 75, 45, 20, 51.0])
    expected = scipy.stats.ttest_rel(worse, original, alternative="less").pvalue
    assert lower_scores(original - worse)[0] == pytest.approx(expected)
    assert lower_scores(np.full(10, 3.0))[0] == 2**-10, (
        "equal drops have no deviation, and t would be infinite"
    )
    assert lower_scores(np.zeros(12)) == (1.0, 0.5)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 10), (10, 10), (1, 2)])
def test_shares_have_wilsons_interval_as_statsmodels_has_it(hits, n):
    low, high = wilson_interval(np.array([hits / n]), np.array([float(n)]))
    assert (low[0], high[0]) == pytest.approx(proportion_confint(hits, n, method="wilson"))


@pytest.mark.parametrize("answers", ["aabbb", "abcd", "aaab", "aabbc"])
def test_equal_neighbours_have_the_mean_and_variance_of_all_orders(answers):
    found = [sum(a == b for a, b in pairwise(order)) for order in permutations(answers)]
    table = pd.DataFrame({"person": 0, "task": 0, "answer": [ord(sign) for sign in answers]})
    mean, variance, _, _ = _by_shuffling(table, 1)
    assert mean[0] == pytest.approx(np.mean(found))
    assert variance[0] == pytest.approx(np.var(found))


def test_the_interval_of_a_median_is_that_of_the_sign_test():
    """Of 10 values the 2nd and the 9th: P(2 ≤ X ≤ 8) = .9785 of a binomial with ½ (Conover 1999, table A3)."""
    assert _median_ends(np.arange(1.0, 11)) == (2.0, 9.0)
    assert np.isnan(_median_ends(np.arange(5.0))).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_variance_of_a_share_is_that_of_one_drawn_at_random(distances):
    own = np.array(distances, dtype=float)
    shares = [(own < one).mean() + (own == one).mean() / 2 for one in own]
    assert np.mean(shares) == pytest.approx(0.5)
    assert _variance(own[None, :])[0] == pytest.approx(np.var(shares), abs=1e-12)
