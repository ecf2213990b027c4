"""Intervals against psych::ICC, boot::boot.ci and SciPy, and how often they cover."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human.spans.live import Unitized, alpha_of_spans
from metrics.meta.agreement import agreement_coefficient
from metrics.meta.correlation import correlate
from metrics.meta.effects import equivalence, paired_difference, partial_correlation, superiority
from metrics.meta.gwet import gwet
from metrics.meta.intervals import agreement_interval, correlation_interval, icc_interval, mean_intervals
from metrics.meta.power import power
from metrics.meta.resampling import bootstrap_difference
from metrics.meta.selection import best_metric

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


@pytest.mark.parametrize("form", ["2-1", "2-k"])
@pytest.mark.parametrize("scale", [1, 0.1, 1 / 3])
def test_without_error_the_interval_of_an_intraclass_correlation_is_the_limit_of_little_error(form, scale):
    """McGraw & Wong (1996, Table 7) with assessors that differ by a constant, and by nearly one; rounding decides nothing."""
    constant = np.add.outer([1.0, 2.0, 4.0, 3.0, 6.0], [0.0, 1.0, 3.0])
    little = constant + 1e-5 * np.random.default_rng(1).normal(size=constant.shape)
    found = icc_interval(scale * constant, form).confidence_interval
    near = icc_interval(scale * little, form).confidence_interval
    assert np.isfinite([found.low, found.high]).all()
    assert (found.low, found.high) == pytest.approx((near.low, near.high), abs=1e-4)
    # Satterthwaite's degrees of freedom are then k − 1 = 2, beside n − 1 = 4 of the things.
    msr, msc = 3 * np.var([1, 2, 4, 3, 6], ddof=1), 5 * np.var([0, 1, 3], ddof=1)
    share = 5 * msr / (5 * msr + 3 * msc * stats.f.ppf(0.975, 4, 2))
    assert found.low == pytest.approx(share if form == "2-1" else 3 * share / (1 + 2 * share))


@pytest.mark.parametrize("form", ["2-1", "2-k"])
@pytest.mark.parametrize("scale", [1, 0.1])
def test_things_that_do_not_differ_have_no_interval_of_an_intraclass_correlation(form, scale):
    with pytest.warns(UndefinedScoreWarning, match="has no interval"):
        found = icc_interval(scale * np.array([[1.0, 2.0, 3.0]] * 4), form)
    assert found.statistic == pytest.approx(0)
    assert np.isnan([found.confidence_interval.low, found.confidence_interval.high]).all()


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


def test_the_bca_interval_of_a_regressions_t_is_that_of_scipy():
    """t is no correlation, and may be far above 1."""
    x = [1.2, 2.1, 2.9, 4.4, 5.1, 5.8, 7.3, 8.1, 8.8, 10.4]
    y = [5, 1.1, 4.2, 2.9, 7.5, 3.7, 6.1, 9.4, 3.2, 6.9]

    def t(a, b, axis):
        r = np.asarray(stats.pearsonr(a, b, axis=axis).statistic)
        return r * np.sqrt(8 / (1 - r**2))

    found = correlation_interval(x, y, method="regression-t", n_resamples=20_000, rng=3)
    drawn = stats.bootstrap((x, y), t, paired=True, vectorized=True, n_resamples=20_000, method="BCa", rng=1)
    ends = (found.confidence_interval.low, found.confidence_interval.high)
    assert found.statistic == pytest.approx(float(t(np.array(x), np.array(y), 0)))
    assert found.statistic > 1
    assert ends == pytest.approx(tuple(drawn.confidence_interval), abs=0.15)
    with pytest.warns(UndefinedScoreWarning, match="on a line"):
        found = correlation_interval(range(8), range(8), method="regression-t", rng=1)
    assert np.isnan(found.confidence_interval.low)


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
    with pytest.warns(UndefinedScoreWarning, match="is 1, undefined or the same"):
        found = agreement_interval([[1, 1], [2, 2], [3, 3]], "alpha-interval")
    assert found.statistic == 1
    assert np.isnan(found.confidence_interval.low)


def test_scores_that_do_not_differ_have_no_interval_of_their_mean():
    """Three equal scores would have an interval from 1 to 1; one score has none either."""
    with pytest.warns(UndefinedScoreWarning, match="two items with scores that differ"):
        found = mean_intervals(
            [[1.0, 1.0, 1.0], [0.1 + 0.2, 0.3, 0.3], [1.0, 2.0, 3.0], [1.0, np.nan, np.nan]]
        )
    assert np.isnan(found.low).tolist() == [True, True, False, True]
    assert found.mean[0] == 1


@pytest.mark.parametrize(
    "made",
    [
        lambda: correlation_interval(range(8), range(8), rng=1),
        lambda: gwet([[1, 1], [2, 2], [1, 1]]),
        *(lambda form=form: icc_interval([[1, 1], [2, 2], [3, 3]], form) for form in PSYCH),
    ],
)
def test_a_coefficient_of_1_has_no_interval_that_claims_to_be_sure(made):
    with pytest.warns(UndefinedScoreWarning):
        found = made()
    assert found.statistic == pytest.approx(1)
    assert np.isnan(found.confidence_interval.low)
    assert np.isnan(found.confidence_interval.high)


@pytest.mark.parametrize(
    "made",
    [
        lambda: gwet([[1, 2], [2, 1]] * 4),
        *(
            lambda name=name, times=times: agreement_coefficient([[1, 2], [2, 1]] * times, name, rng=1)
            for name in ("fleiss", "percent", "alpha-nominal")
            for times in (4, 15)
        ),
    ],
)
def test_items_that_are_all_alike_have_no_interval_of_no_width(made):
    """Two who contradict each other on every item: without any item, or with any twice, they do so as well."""
    with pytest.warns(UndefinedScoreWarning, match="has no interval"):
        found = made()
    assert np.isfinite(found.statistic)
    assert np.isnan([found.confidence_interval.low, found.confidence_interval.high]).all()


def test_an_intraclass_correlation_says_what_it_stands_on_and_is_never_beyond_one():
    """psych prints 4 for ICC2k of raters who contradict each other."""
    with pytest.warns(UndefinedScoreWarning, match="2-k needs two things"):
        assert np.isnan(icc_interval([[1, 2], [2, 1], [1, 2], [2, 1]], "2-k").statistic)
    with pytest.warns(UndefinedScoreWarning, match="the 6 of 7 things that all assessors judged"):
        found = icc_interval([*SHROUT_FLEISS, [5, np.nan, 4, 4]], "2-1")
    assert (found.n, found.statistic) == (6, pytest.approx(PSYCH["2-1"][0], abs=1e-7))


RATED = np.array([[1, 1, 2], [2, 3, 2], [3, 3, 4], [4, 4, 4], [5, 3, 5], [1, 2, 1], [4, 5, 4]])
X, Y, Z = RATED.T.astype(float)
MANY = np.repeat(RATED, 4, axis=0)


def marked():
    """Three groups of a text that two people marked, nearly alike."""
    groups = [Unitized() for _ in range(3)]
    for group, end in zip(groups, (5, 7, 9), strict=True):
        group.add([[("major", 0, 5)], [("major", 0, end)]], length=20)
    return groups


def simulated_power(level):
    found = power(items=(10,), effect=0.5, deviation=1.0, n_simulations=200, confidence_level=level, rng=1)
    return SimpleNamespace(confidence_interval=found.confidence_interval[0])


CALLED = {
    "correlate": lambda level: correlate(X, Y, confidence_level=level),
    "correlate r2": lambda level: correlate(X, Y, method="r2", confidence_level=level),
    "correlate t": lambda level: correlate(X, Y, method="regression-t", confidence_level=level),
    "correlate ccc": lambda level: correlate(X, Y, method="ccc", confidence_level=level),
    "correlate item": lambda level: correlate(
        [X, Y, Z, X + Y], [Y, X, X, Z], level="item", confidence_level=level
    ),
    "bootstrap": lambda level: bootstrap_difference(
        X, Y, Z, resample="systems", n_resamples=200, confidence_level=level, rng=1
    ),
    "bca": lambda level: correlation_interval(X, Y, confidence_level=level, n_resamples=200, rng=1),
    "icc": lambda level: icc_interval(RATED, "2-k", confidence_level=level),
    "jackknife": lambda level: agreement_interval(RATED, "alpha-ordinal", confidence_level=level),
    "few items": lambda level: agreement_coefficient(RATED, "alpha-ordinal", confidence_level=level),
    "many items": lambda level: agreement_coefficient(MANY, "percent", confidence_level=level, rng=1),
    "gwet": lambda level: gwet(RATED, confidence_level=level),
    "spans": lambda level: alpha_of_spans(marked(), confidence_level=level),
    "power": simulated_power,
    "paired": lambda level: paired_difference(X, Y, confidence_level=level),
    "superiority": lambda level: superiority(X, Y, confidence_level=level),
    "unpaired": lambda level: superiority(X, Y, paired=False, confidence_level=level),
    "partial": lambda level: partial_correlation(X, Y, Z, confidence_level=level),
    "equivalence": lambda level: equivalence(X, Y, margin=1, alpha=(1 - level) / 2),
    "best": lambda level: best_metric(
        X, {"y": Y, "z": Z}, alpha=1 - level, n_permutations=9, splits=2, rng=1
    ),
}


@pytest.mark.parametrize("name", list(CALLED))
def test_every_interval_can_be_called_for_a_level_as_scipys_can(name):
    """``pearsonr(x, y).confidence_interval(0.9)``: the same ends as of a result that was made for that level."""
    made = CALLED[name](0.9).confidence_interval
    again = made()
    asked = CALLED[name](0.95).confidence_interval
    assert (again.low, again.high) == pytest.approx((asked.low, asked.high))
    assert asked(confidence_level=0.9).low == pytest.approx(made.low)
    assert asked.low <= made.low < made.high <= asked.high
