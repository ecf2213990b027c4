"""Bootstrap and permutation of correlations, against loops written out, full enumeration, SciPy and nlpstats."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta import resampling
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.correlation import correlate
from metrics.meta.levels import correlations
from metrics.meta.resampling import bootstrap_difference, permutation_test

RNG = np.random.default_rng(20)
HUMAN = RNG.normal(size=(6, 9))
GOOD = HUMAN + 0.5 * RNG.normal(size=(6, 9))
POOR = HUMAN + 2.0 * RNG.normal(size=(6, 9))
LEVELS = ["system", "item", "global", "system-average"]


@given(
    st.integers(0, 10**6),
    st.sampled_from(LEVELS),
    st.sampled_from(["pearson", "spearman", "kendall", "kendall-c", "ccc", "regression-t"]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_weights_are_the_same_as_copying_rows_and_columns(seed, level, method, gaps):
    """A resample given as counts has the correlation of the matrix with rows and columns actually repeated."""
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 6, (5, 7)).astype(float), rng.integers(0, 6, (5, 7)).astype(float)
    if gaps:
        metric[rng.random(metric.shape) < 0.15] = np.nan
    rows, columns = rng.integers(0, 5, 5), rng.integers(0, 7, 7)
    weighted = correlations(
        human,
        metric,
        level=level,
        coefficient=COEFFICIENTS[method],
        system_weights=np.bincount(rows, minlength=5)[None].astype(float),
        item_weights=np.bincount(columns, minlength=7)[None].astype(float),
    )
    copied = correlations(
        human[rows][:, columns], metric[rows][:, columns], level=level, coefficient=COEFFICIENTS[method]
    )
    assert weighted == pytest.approx(copied, abs=1e-8, nan_ok=True)


def test_long_kendall_equals_the_table_of_pairs(monkeypatch):
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, 9, (2, 1, 2, 60)).astype(float)
    weights = rng.integers(0, 3, (4, 60)).astype(float)
    for name in ("kendall", "kendall-c"):
        by_table = COEFFICIENTS[name](x, y, weights)
        monkeypatch.setattr("metrics.meta.coefficients.LONGEST_PAIR_TABLE", 10)
        one_by_one = COEFFICIENTS[name](x, y, weights)
        monkeypatch.undo()
        assert by_table == pytest.approx(one_by_one)


SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def plainly(human, metric, level, method):
    """One correlation by the definition of its level, one SciPy call per group."""

    def one(a, b):
        return np.nan if np.ptp(a) == 0 or np.ptp(b) == 0 else SCIPY[method](a, b).statistic

    if level == "system":
        return one(human.mean(axis=1), metric.mean(axis=1))
    if level == "global":
        return one(human.ravel(), metric.ravel())
    if level == "item":
        human, metric = human.T, metric.T
    return np.nanmean([one(a, b) for a, b in zip(human, metric, strict=True)])


@pytest.mark.parametrize("method", SCIPY)
@pytest.mark.parametrize("resample", ["systems", "items", "both"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_intervals_are_those_of_the_obvious_loop(level, resample, method):
    """The same draws (rows first, then columns), each copied out and given to SciPy."""
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 6, (60, 6)) if resample != "items" else np.tile(np.arange(6), (60, 1))
    columns = rng.integers(0, 9, (60, 9)) if resample != "systems" else np.tile(np.arange(9), (60, 1))
    draws = [
        plainly(HUMAN[r][:, c], POOR[r][:, c], level, method) for r, c in zip(rows, columns, strict=True)
    ]
    ours = correlate(
        HUMAN, POOR, level=level, method=method, interval=f"bootstrap-{resample}", n_resamples=60, rng=2
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx(tuple(np.nanquantile(draws, [0.025, 0.975])), abs=1e-9)


def test_a_bootstrap_over_systems_is_scipys():
    """scipy.stats.bootstrap, paired, percentile, on the system means."""
    rng = np.random.default_rng(3)
    human = rng.normal(size=40)
    metric = human + rng.normal(size=40)
    theirs = stats.bootstrap(
        (human, metric),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=1000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    ours = correlate(human, metric, interval="bootstrap-systems", n_resamples=9999, rng=2).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


@pytest.mark.parametrize(
    ("level", "method", "resample", "low", "high", "slack"),
    [
        ("system", "pearson", "both", -0.5297912355172001, 0.5460669817957821, 0.02),
        ("item", "spearman", "items", -0.04338807692307692, 0.05723730769230765, 0.012),
    ],
)
def test_intervals_agree_with_nlpstats(level, method, resample, low, high, slack):
    """nlpstats, bootstrap_test.py: legacy seed 4, 25 × 50 matrices, 9,999 (100 for the second) resamples."""
    legacy = np.random.RandomState(4)
    x, y = legacy.rand(25, 50), legacy.rand(25, 50)
    ours = correlate(
        y, x, level=level, method=method, interval=f"bootstrap-{resample}", rng=1
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=slack)


@pytest.mark.parametrize(
    ("level", "method", "permute", "expected"),
    [("system", "spearman", "items", 0.698), ("item", "kendall", "systems", 0.519)],
)
def test_permutation_pvalues_agree_with_nlpstats(level, method, permute, expected):
    """nlpstats, permutation_test.py: legacy seed 1234, 9 × 5 matrices, 1,000 resamples (standard error .016)."""
    legacy = np.random.RandomState(1234)
    x, y, z = (legacy.random_sample((9, 5)) for _ in range(3))
    result = permutation_test(z, x, y, level=level, method=method, permute=permute, n_resamples=9999, rng=1)
    assert result.pvalue == pytest.approx(expected, abs=0.05)


def exact_permutation(a, b, human, level, permute):
    """Every swap there is, on standardised scores."""
    a, b = stats.zscore(a, axis=None), stats.zscore(b, axis=None)
    shape = {"systems": (len(a), 1), "items": (1, a.shape[1]), "cells": a.shape}[permute]

    def difference(first, second):
        r = [
            correlations(human, m, level=level, coefficient=COEFFICIENTS["pearson"])[0]
            for m in (first, second)
        ]
        return r[0] - r[1]

    observed = difference(a, b)
    swaps = (np.reshape(bits, shape) for bits in itertools.product([False, True], repeat=int(np.prod(shape))))
    pseudo = np.array([difference(np.where(s, b, a), np.where(s, a, b)) for s in swaps])
    return {
        "two-sided": np.mean(np.abs(pseudo) >= abs(observed) - 1e-9),
        "greater": np.mean(pseudo >= observed - 1e-9),
        "less": np.mean(pseudo <= observed + 1e-9),
    }


@pytest.mark.parametrize("permute", ["systems", "items", "cells"])
@pytest.mark.parametrize("level", ["system", "item"])
def test_permutation_pvalues_are_those_of_all_swaps(level, permute):
    """Exactly where all swaps of systems or items are made, nearly where cells are drawn."""
    human, a, b = HUMAN[:3, :3], GOOD[:3, :3], POOR[:3, :3]
    expected = exact_permutation(a, b, human, level, permute)
    slack = 0.025 if permute == "cells" else 1e-12
    for alternative, value in expected.items():
        result = permutation_test(
            human, a, b, level=level, permute=permute, n_resamples=6000, alternative=alternative, rng=9
        )
        assert result.pvalue == pytest.approx(value, abs=slack), alternative


@pytest.mark.parametrize("permute", ["systems", "items"])
@pytest.mark.parametrize("level", ["item", "system-average"])
@pytest.mark.parametrize("method", ["pearson", "kendall"])
@pytest.mark.parametrize("steps", [None, 2])
def test_exchanged_scores_need_no_new_correlations(level, permute, method, steps, monkeypatch):
    """The sums that stay the same from draw to draw, against the matrices of every draw; with ties and gaps."""
    rng = np.random.default_rng(11)
    human = np.round(rng.normal(size=(6, 9)), 0)
    a, b = (m if steps is None else np.round(m / steps) for m in human + 2 * rng.normal(size=(2, 6, 9)))
    a[2, 3] = b[4, 4] = human[1, 1] = np.nan
    options = {"level": level, "method": method, "permute": permute, "n_resamples": 600, "rng": 3}
    fast = permutation_test(human, a, b, **options)
    monkeypatch.setattr(resampling, "FASTEST", {})
    monkeypatch.setattr(resampling, "_swapped_groups", plain_groups)
    assert permutation_test(human, a, b, **options) == fast


def plain_groups(gold, a, b, swaps, level, method):
    swap = swaps.astype(bool)[:, None, :] if level == "item" else swaps.astype(bool)[:, :, None]
    pair = np.where(swap, b, a), np.where(swap, a, b)
    return resampling.correlation_difference(gold, *pair, level=level, method=method)


def test_two_equally_good_metrics_with_biases_of_their_own_are_rarely_told_apart_by_default():
    """Each metric likes some systems more than people do. Swapping cells takes such a bias for a finding."""
    rng = np.random.default_rng(2)
    alarms = {"systems": 0, "cells": 0}
    for _ in range(200):
        human = rng.normal(size=(10, 1)) + rng.normal(size=(10, 20))
        a, b = (human + rng.normal(size=(10, 1)) + 0.5 * rng.normal(size=(10, 20)) for _ in range(2))
        alarms["systems"] += permutation_test(human, a, b, n_resamples=99, rng=rng).pvalue <= 0.05
        alarms["cells"] += (
            permutation_test(human, a, b, permute="cells", n_resamples=99, rng=rng).pvalue <= 0.05
        )
    assert alarms["systems"] <= 20  # 200 at .05 have a standard deviation of 3.1
    assert alarms["cells"] >= 80


def test_scores_of_whole_systems_have_no_items_to_swap():
    """The one column swapped or not: every draw is as extreme as what was seen, and p would be 1 whatever the metrics."""
    means = [scores.mean(axis=1) for scores in (HUMAN, GOOD, POOR)]
    with pytest.warns(UndefinedScoreWarning, match="scores are of whole systems"):
        assert np.isnan(permutation_test(*means, permute="items", rng=1).pvalue)
    assert permutation_test(*means, permute="systems", rng=1).pvalue < 1


def test_the_three_permutations_are_different_tests():
    pvalues = {
        permute: permutation_test(HUMAN, GOOD, POOR, permute=permute, n_resamples=2000, rng=1).pvalue
        for permute in ("systems", "items", "cells")
    }
    assert len(set(pvalues.values())) == 3


def test_exchanging_the_metrics_turns_the_sign():
    for test, option in (
        (permutation_test, {"permute": "items"}),
        (bootstrap_difference, {"resample": "items"}),
    ):
        forward = test(HUMAN, GOOD, POOR, n_resamples=2000, rng=4, **option)
        backward = test(HUMAN, POOR, GOOD, n_resamples=2000, rng=4, **option)
        assert forward.statistic == pytest.approx(-backward.statistic)
        assert forward.pvalue == pytest.approx(backward.pvalue, abs=0.01)


def test_a_metric_and_itself_do_not_differ():
    assert permutation_test(HUMAN, GOOD, GOOD, n_resamples=99, rng=1).pvalue == 1.0
    assert bootstrap_difference(HUMAN, GOOD, GOOD, n_resamples=99, rng=1).pvalue == 1.0


def test_the_scale_of_a_metric_does_not_matter():
    plain = permutation_test(HUMAN, GOOD, POOR, n_resamples=500, rng=1)
    rescaled = permutation_test(HUMAN, GOOD * 1000 + 5, POOR, n_resamples=500, rng=1)
    assert plain.pvalue == rescaled.pvalue


def test_the_bootstrap_test_inverts_its_interval():
    result = bootstrap_difference(HUMAN, GOOD, POOR, level="global", n_resamples=3000, rng=5)
    at_p = bootstrap_difference(
        HUMAN, GOOD, POOR, level="global", n_resamples=3000, rng=5, confidence_level=1 - result.pvalue
    )
    assert at_p.confidence_interval.low == pytest.approx(0, abs=0.02)
    assert result.statistic > 0
    assert result.seed == 5


def test_false_alarms_of_the_permutation_test_come_at_the_level_asked_for():
    rng = np.random.default_rng(12)
    alarms = 0
    for _ in range(200):
        human = rng.normal(size=(12, 10))
        a, b = human + rng.normal(size=(2, 12, 10))
        alarms += permutation_test(human, a, b, permute="cells", n_resamples=199, rng=rng).pvalue <= 0.1
    # 200 trials at .1 have a standard deviation of .021.
    assert alarms / 200 == pytest.approx(0.1, abs=0.065)


def test_undefined_correlations_give_nan_and_a_warning():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(permutation_test(HUMAN, np.ones((6, 9)), POOR, n_resamples=9, rng=1).pvalue)


@pytest.mark.parametrize(
    "options", [{"permute": "both"}, {"level": "x"}, {"method": "x"}, {"n_resamples": 0}]
)
def test_unknown_options_are_refused(options):
    with pytest.raises(BadInput):
        permutation_test(HUMAN, GOOD, POOR, **options)


def test_system_scores_can_be_compared_with_item_scores():
    result = permutation_test(HUMAN, GOOD.mean(axis=1), POOR, permute="systems", n_resamples=199, rng=1)
    same = permutation_test(
        HUMAN, GOOD.mean(axis=1), POOR.mean(axis=1), permute="systems", n_resamples=199, rng=1
    )
    assert result.pvalue == same.pvalue


def test_items_that_do_not_match_cannot_be_drawn():
    with pytest.raises(BadInput, match="same items"):
        correlate(HUMAN, GOOD[:, :5], interval="bootstrap-both", rng=1)
    drawn = correlate(HUMAN, GOOD[:, :5], interval="bootstrap-systems", n_resamples=50, rng=1)
    assert np.isfinite(drawn.confidence_interval.low)
