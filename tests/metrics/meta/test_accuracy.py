"""Pairwise accuracies, against values of mt-metrics-eval and against the papers' definitions written out."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.accuracy import pairwise_accuracy, soft_pairwise_accuracy, tie_calibrated_accuracy

NAN = np.nan


def test_pairwise_agreement_of_mt_metrics_eval():
    """mt-metrics-eval, stats_test.py: 5 of the 10 pairs agree, ties with ties."""
    result = pairwise_accuracy([1, 2, 3, 3, 4], [1, 1, 2, 1, 2])
    assert (result.statistic, result.n) == (0.5, 10)


@pytest.mark.parametrize(
    ("human", "metric", "epsilon", "accuracy"),
    [
        ([1, 2, 3, 4], [0, 2, 6, 8], 0, 1.0),
        ([1, 1, 1, 4], [0, 2, 6, 8], 4, 4 / 6),
        ([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], None, 0.7),
    ],
)
def test_tie_calibration_of_mt_metrics_eval(human, metric, epsilon, accuracy):
    """mt-metrics-eval, tau_optimization_test.py and stats_test.py (KendallWithTiesOpt, acc23)."""
    result = tie_calibrated_accuracy([human], [metric], level="system-average")
    assert result.statistic == pytest.approx(accuracy)
    if epsilon is not None:
        assert result.epsilon == epsilon


def test_tie_calibration_with_gaps_of_mt_metrics_eval():
    """Its regression example: five rows, two of them with gaps and one empty; ε = 1 gives .49167."""
    metric = [[0, 5, 2, 3, 2], [NAN, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [NAN] * 5]
    human = [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, NAN, 3, 2], [NAN] * 5]
    result = tie_calibrated_accuracy(human, metric, level="system-average")
    assert result.statistic == pytest.approx(0.4916666666666668)
    assert (result.epsilon, result.groups) == (1, 4)
    taus = {0: 0.4666666666666667, 2: 0.38333333333333347, 3: 0.29166666666666674, 8: 0.1166666666666667}
    for epsilon, expected in taus.items():
        held_out = tie_calibrated_accuracy(human, metric, level="system-average", epsilon=epsilon)
        assert held_out.statistic == pytest.approx(expected)


def test_a_given_epsilon_is_applied():
    """mt-metrics-eval, stats_test.py: acc23 is .6 without ties and .4 with ε = 2."""
    human, metric = [[1, 2, 2, 3, 4]], [[2, 1, 1.5, 5, 3]]
    for epsilon, expected in ((0, 0.6), (2, 0.4)):
        result = tie_calibrated_accuracy(human, metric, level="global", epsilon=epsilon)
        assert result.statistic == pytest.approx(expected)


def naive_acc_eq(groups, epsilon):
    """Deutsch et al. (2023): (C + T_hm) / all pairs, in each group, then the mean."""
    shares = []
    for human, metric in groups:
        right = []
        for (h1, m1), (h2, m2) in itertools.combinations(zip(human, metric, strict=True), 2):
            tied = abs(m1 - m2) <= epsilon
            right.append(h1 == h2 if tied else (h1 - h2) * (m1 - m2) > 0)
        if right:
            shares.append(np.mean(right))
    return np.mean(shares)


def groups_of(human, metric, level):
    rows = {
        "item": zip(human.T, metric.T, strict=True),
        "system-average": zip(human, metric, strict=True),
    }.get(level, [(human.ravel(), metric.ravel())])
    for a, b in rows:
        both = np.isfinite(a) & np.isfinite(b)
        yield a[both], b[both]


@given(st.integers(0, 10**6), st.sampled_from(["item", "global", "system-average"]))
@settings(max_examples=40, deadline=None)
def test_the_best_epsilon_is_the_best_of_all(seed, level):
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 4, (4, 6)).astype(float)
    metric = human + rng.integers(-3, 4, (4, 6))
    human[rng.random(human.shape) < 0.1] = NAN
    groups = list(groups_of(human, metric, level))
    result = tie_calibrated_accuracy(human, metric, level=level)
    differences = {0.0} | {abs(a - b) for _, m in groups for a, b in itertools.combinations(m, 2)}
    accuracies = {epsilon: naive_acc_eq(groups, epsilon) for epsilon in differences}
    assert result.statistic == pytest.approx(max(accuracies.values()))
    best = [
        epsilon for epsilon, value in accuracies.items() if value == pytest.approx(max(accuracies.values()))
    ]
    assert result.epsilon == min(best)


def exact_soft_accuracy(human, metric):
    """Thompson et al. (2024) with every one of the 2^items exchanges instead of random ones."""

    def pvalue(a, b):
        signs = np.array(list(itertools.product([1, -1], repeat=len(a))))
        return np.mean(signs @ (a - b) >= (a - b).sum() - 1e-9)

    distances = [
        abs(pvalue(human[i], human[j]) - pvalue(metric[i], metric[j]))
        for i, j in itertools.combinations(range(len(human)), 2)
    ]
    return 1 - np.mean(distances)


def test_soft_pairwise_accuracy_approaches_the_exact_value():
    rng = np.random.default_rng(8)
    human = rng.normal(size=(5, 10))
    metric = human + 1.5 * rng.normal(size=(5, 10))
    result = soft_pairwise_accuracy(human, metric, n_resamples=40_000, rng=1)
    # A pair's p-values have a standard error of at most .0025 each, and ten pairs are averaged.
    assert result.statistic == pytest.approx(exact_soft_accuracy(human, metric), abs=0.005)
    assert (result.n, result.seed) == (10, 1)


def test_soft_pairwise_accuracy_of_equal_scores_is_1_and_of_reversed_scores_near_0():
    human = np.arange(4)[:, None] * 10.0 + np.random.default_rng(0).random((4, 50))
    assert soft_pairwise_accuracy(human, 2 * human + 1, n_resamples=200, rng=3).statistic == 1.0
    assert soft_pairwise_accuracy(human, -human, n_resamples=200, rng=3).statistic < 0.02


def test_soft_pairwise_accuracy_leaves_out_items_without_both_scores():
    rng = np.random.default_rng(2)
    human, metric = rng.normal(size=(4, 30)), rng.normal(size=(4, 30))
    holed = metric.copy()
    holed[:, 20:] = NAN
    with_holes = soft_pairwise_accuracy(human, holed, n_resamples=20_000, rng=5)
    without = soft_pairwise_accuracy(human[:, :20], metric[:, :20], n_resamples=20_000, rng=5)
    assert with_holes.statistic == pytest.approx(without.statistic, abs=0.02)


def test_one_system_has_no_pairs():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(pairwise_accuracy([1.0], [2.0]).statistic)
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(tie_calibrated_accuracy([[1.0]], [[2.0]]).statistic)


def test_a_negative_epsilon_is_refused():
    with pytest.raises(BadInput):
        tie_calibrated_accuracy([[1, 2]], [[1, 2]], epsilon=-1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=8))
@settings(max_examples=50, deadline=None)
def test_pairwise_accuracy_does_not_depend_on_order_or_scale(pairs):
    human, metric = np.array(pairs, dtype=float).T
    value = pairwise_accuracy(human, metric).statistic
    assert pairwise_accuracy(human[::-1], 5 * metric[::-1] - 2).statistic == value
    assert pairwise_accuracy(metric, human).statistic == value
