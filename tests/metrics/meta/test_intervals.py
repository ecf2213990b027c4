"""Intervals against psych::ICC, boot::boot.ci and SciPy, and how often they cover."""

import numpy as np
import pytest
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.intervals import agreement_interval, correlation_interval, icc_interval, mean_intervals

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

# psych 2.2.9: ICC(matrix, lmer = FALSE) of Shrout & Fleiss's (1979) Table 2
PSYCH = {
    "1-1": (0.16574177, -0.132932325, 0.72256006),
    "2-1": (0.28976378, 0.018786513, 0.76108437),
    "3-1": (0.71484071, 0.342464765, 0.94585826),
    "1-k": (0.44279713, -0.884442155, 0.91241542),
    "2-k": (0.62005055, 0.071136815, 0.92723204),
    "3-k": (0.90931554, 0.675674714, 0.98589168),
}


@pytest.mark.parametrize("form", list(PSYCH))
def test_intraclass_correlations_and_their_intervals_are_those_of_psych(form):
    found = icc_interval(SHROUT_FLEISS, form)
    values = (found.statistic, found.confidence_interval.low, found.confidence_interval.high)
    assert values == pytest.approx(PSYCH[form], abs=1e-7)


def test_an_intraclass_correlation_of_judgments_without_difference_is_undefined():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(icc_interval([[3, 3], [3, 3]]).statistic)
    with pytest.raises(BadInput, match="form must be one of"):
        icc_interval(SHROUT_FLEISS, "4-1")


def test_t_intervals_are_scipys_and_missing_items_are_left_out():
    rows = np.array([[1.0, 2.5, 3.0, np.nan], [2.0, 2.0, 4.0, 7.0]])
    found = mean_intervals(rows)
    for place, row in enumerate(([1.0, 2.5, 3.0], [2.0, 2.0, 4.0, 7.0])):
        expected = stats.ttest_1samp(row, 0).confidence_interval(0.95)
        assert (found.low[place], found.high[place]) == pytest.approx((expected.low, expected.high))
    assert np.isnan(mean_intervals([[1.0]]).low[0])


def test_with_three_items_t_covers_where_percentiles_do_not():
    rng = np.random.default_rng(1)
    found = mean_intervals(rng.normal(0, 1, (4_000, 3)))
    assert ((found.low < 0) & (found.high > 0)).mean() == pytest.approx(0.95, abs=0.012)


def test_the_studentised_bootstrap_covers_the_mean_of_skewed_scores_better_than_t():
    rng = np.random.default_rng(2)
    cover = {"t": 0, "bootstrap-t": 0}
    for _ in range(400):
        scores = rng.exponential(1, (1, 15))
        for method in cover:
            found = mean_intervals(scores, method=method, n_resamples=499, rng=rng)
            cover[method] += bool(found.low[0] < 1 < found.high[0])
    assert cover["bootstrap-t"] > cover["t"]
    assert cover["bootstrap-t"] / 400 == pytest.approx(0.95, abs=0.035)


def test_the_bca_interval_is_that_of_scipy_and_close_to_that_of_boot():
    x = [1.2, 2.1, 2.9, 4.4, 5.1, 5.8, 7.3, 8.1, 8.8, 10.4]
    y = [2, 1.1, 4.2, 3.9, 5.5, 7.7, 6.1, 9.4, 8.2, 9.9]
    found = correlation_interval(x, y, n_resamples=50_000, rng=3)
    # boot 1.3-28.1: boot.ci(boot(d, function(d, i) cor(d$x[i], d$y[i]), R = 99999), type = "bca")
    assert found.statistic == pytest.approx(0.9350211, abs=1e-7)
    ends = (found.confidence_interval.low, found.confidence_interval.high)
    # boot takes its acceleration from a regression on the draws, and so ends a little lower.
    assert ends == pytest.approx((0.7717034, 0.9741299), abs=0.025)
    drawn = stats.bootstrap(
        (x, y),
        lambda a, b, axis: np.asarray(stats.pearsonr(a, b, axis=axis).statistic),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="BCa",
        rng=1,
    )
    assert ends == pytest.approx(tuple(drawn.confidence_interval), abs=0.012)


def test_three_systems_have_no_bca_interval():
    with pytest.warns(UndefinedScoreWarning, match="4 systems"):
        assert np.isnan(correlation_interval([1, 2, 3], [1, 3, 2], rng=1).confidence_interval.low)


def simulated(rng, things, assessors, icc):
    between = rng.normal(0, np.sqrt(icc), (things, 1))
    return between + rng.normal(0, np.sqrt(1 - icc), (things, assessors))


@pytest.mark.parametrize("items", [6, 12])
def test_the_jackknife_interval_of_alpha_covers_with_few_items(items):
    """α of interval data estimates the one-way intraclass correlation (Krippendorff 2004, §11.3)."""
    rng = np.random.default_rng(items)
    hits = 0
    for _ in range(400):
        found = agreement_interval(simulated(rng, items, 3, 0.5), "alpha-interval").confidence_interval
        hits += bool(found.low <= 0.5 <= found.high)
    assert 0.9 <= hits / 400 <= 0.99


def test_perfect_agreement_has_no_interval_and_says_so():
    with pytest.warns(UndefinedScoreWarning, match="is 1 or undefined"):
        found = agreement_interval([[1, 1], [2, 2], [3, 3]], "alpha-interval")
    assert found.statistic == 1
    assert np.isnan(found.confidence_interval.low)
