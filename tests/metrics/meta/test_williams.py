"""Tests of dependent correlations, against the classics, R's psych and cocor, depcor and the original papers."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.williams import meng, steiger, williams, williams_matrix

CLASSICS = json.loads((Path(__file__).parents[2] / "data" / "classics.json").read_text(encoding="utf-8"))


def pearson(a, b):
    return stats.pearsonr(a, b).statistic


def test_the_textbook_triple_has_n_minus_3_degrees_of_freedom():
    classic = CLASSICS["williams"]
    correlations = [classic[name] for name in ("r12", "r13", "r23", "n")]
    result = williams(*correlations, alternative="greater")
    assert result.statistic == pytest.approx(classic["t"], abs=1e-12)
    assert result.pvalue == pytest.approx(classic["p_one_sided"], abs=1e-12)


def test_the_example_of_mt_metrics_eval():
    """google-research/mt-metrics-eval, stats_test.py; its p-value is one-sided."""
    classic = CLASSICS["williams_mtme_unit_test"]
    human, first, second = (classic[name] for name in ("gold", "metric1", "metric2"))
    matrix = williams_matrix(human, [first, second], alternative="greater")
    assert matrix.correlation[:, 0] == pytest.approx([classic["r1"], classic["r2"]], abs=5e-4)
    assert matrix.pvalue[0, 1] == pytest.approx(classic["p"], abs=5e-4)
    single = williams(
        pearson(first, second), pearson(first, human), pearson(second, human), 5, alternative="greater"
    )
    assert matrix.pvalue[0, 1] == pytest.approx(single.pvalue)


def test_the_examples_of_depcor_and_cocor():
    """depcor (Silver, Hittner & May 2006) for r = .3, .4, .5 and n = 100, quoted in cocor's tests (R)."""
    assert williams(0.5, 0.3, 0.4, 100).statistic == pytest.approx(-1.0767, abs=5e-5)
    assert williams(0.5, 0.3, 0.4, 100).pvalue == pytest.approx(0.2843, abs=5e-5)
    assert steiger(0.5, 0.3, 0.4, 100).statistic == pytest.approx(-1.0718, abs=5e-5)
    assert steiger(0.5, 0.3, 0.4, 100).pvalue == pytest.approx(0.2838, abs=5e-5)


def test_steigers_own_example():
    """Steiger (1980), Case A, as recomputed without his rounding in cocor's tests: -0.8887185 (he prints -.8913)."""
    assert steiger(0.1, 0.4, 0.5, 103).statistic == pytest.approx(-0.8887185, abs=5e-8)


def test_mengs_own_example():
    """Meng, Rosenthal & Rubin (1992): r = .63 and -.03, r12 = -.19, n = 15 give Z = 1.68, one-sided p = .047."""
    result = meng(-0.19, 0.63, -0.03, 15, alternative="greater")
    assert result.statistic == pytest.approx(1.68, abs=5e-3)
    assert result.pvalue == pytest.approx(0.047, abs=5e-4)


def test_psych_r_test_on_random_scores():
    """nlpstats' test holds values of R's psych::r.test for numpy's legacy seed 12 and 9 × 5 matrices."""
    legacy = np.random.RandomState(12)
    x, y, z = (legacy.random_sample((9, 5)).ravel() for _ in range(3))
    options = {"greater": 0.2716978, "less": 1 - 0.2716978, "two-sided": 0.5433956}
    for alternative, expected in options.items():
        # psych takes absolute values; here only their signs differ from ours where a correlation is negative.
        triple = abs(pearson(x, y)), abs(pearson(x, z)), abs(pearson(y, z))
        assert williams(*triple, 45, alternative=alternative).pvalue == pytest.approx(expected, abs=1e-6)


def test_signs_are_kept():
    """A metric that correlates at -.6 is worse than one at .3; with absolute values it would look better."""
    assert williams(0.1, -0.6, 0.3, 30).statistic < 0
    assert williams(0.1, 0.6, 0.3, 30).statistic > 0


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_metric_and_itself_have_p_1(alternative):
    assert williams(1.0, 0.7, 0.7, 20, alternative=alternative).pvalue == 1.0
    rng = np.random.default_rng(1)
    human, metric = rng.normal(size=20), rng.normal(size=20)
    matrix = williams_matrix(human, [metric, 3 * metric + 1], alternative=alternative)
    assert (matrix.pvalue == 1.0).all()
    assert (matrix.statistic == 0.0).all()


@pytest.mark.parametrize("test", [williams, steiger, meng])
def test_three_systems_or_fewer_give_nan_and_a_warning(test):
    with pytest.warns(UndefinedScoreWarning, match="4 are needed"):
        assert np.isnan(test(0.3, 0.6, 0.5, 3).pvalue)
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(williams_matrix([1, 2, 4], [[1, 2, 3], [2, 1, 3]]).pvalue).all()


def test_correlations_that_no_three_variables_have_give_nan_and_a_warning():
    with pytest.warns(UndefinedScoreWarning, match="no three variables"):
        assert np.isnan(williams(-0.9, 0.9, 0.9, 30).pvalue)


def test_a_correlation_beyond_1_is_refused():
    with pytest.raises(BadInput, match="r13"):
        williams(0.3, 1.2, 0.5, 30)


@given(
    st.integers(0, 10**6),
    st.integers(5, 12),
    st.booleans(),
    st.sampled_from(["two-sided", "greater", "less"]),
)
@settings(max_examples=40, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_the_matrix_is_the_loop_over_pairs_also_with_missing_scores(seed, systems, gaps, alternative):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=systems)
    scores = human + rng.normal(size=(5, systems)) * [[0.3], [0.6], [1], [2], [4]]
    if gaps:
        scores[rng.random(scores.shape) < 0.2] = np.nan
        human[rng.integers(systems)] = np.nan
    matrix = williams_matrix(human, scores, alternative=alternative)
    for i in range(5):
        for j in range(5):
            both = np.isfinite(human) & np.isfinite(scores[i]) & np.isfinite(scores[j])
            assert matrix.n[i, j] == both.sum()
            if i == j or both.sum() <= 3:
                continue
            a, b, gold = scores[i, both], scores[j, both], human[both]
            expected = williams(
                pearson(a, b), pearson(a, gold), pearson(b, gold), int(both.sum()), alternative=alternative
            )
            assert matrix.statistic[i, j] == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
            assert matrix.pvalue[i, j] == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_order_of_systems_and_scale_of_metrics_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    human, scores = rng.normal(size=15), rng.normal(size=(4, 15))
    order = rng.permutation(15)
    plain = williams_matrix(human, scores)
    assert williams_matrix(human[order], scores[:, order]).pvalue == pytest.approx(plain.pvalue)
    assert williams_matrix(2 * human + 5, 100 * scores - 3).pvalue == pytest.approx(plain.pvalue)
    assert plain.statistic == pytest.approx(-plain.statistic.T)
    assert plain.pvalue == pytest.approx(plain.pvalue.T)


@given(st.floats(0.3, 0.8), st.floats(0.05, 0.25), st.integers(10, 60))
@settings(max_examples=60, deadline=None)
def test_the_same_difference_is_surer_when_the_metrics_agree_more(r23, difference, n):
    """Graham (2015, §4): .067 between metrics that correlate strongly is significant where .141 was not."""
    r13 = min(r23 + difference, 0.95)
    # From r12 = r13·r23 upwards the determinant K falls, and so does the error of the difference.
    together = np.linspace(r13 * r23, 0.99, 8)
    possible = [r for r in together if 1 - r**2 - r13**2 - r23**2 + 2 * r * r13 * r23 > 1e-6]
    statistics = [williams(r12, r13, r23, n).statistic for r12 in possible]
    assume(len(statistics) > 1)
    assert statistics == sorted(statistics)


def test_metrics_that_no_other_outperforms_are_found():
    rng = np.random.default_rng(4)
    human = rng.normal(size=40)
    noise = [0.3, 0.32, 1.5, 3.0]
    scores = np.stack([human + level * rng.normal(size=40) for level in noise])
    matrix = williams_matrix(human, scores)
    expected = [
        not any(
            williams(
                pearson(scores[j], scores[i]), pearson(scores[j], human), pearson(scores[i], human), 40,
                alternative="greater",
            ).pvalue < 0.05
            for j in range(4) if j != i
        )
        for i in range(4)
    ]  # fmt: skip
    assert matrix.not_outperformed().tolist() == expected == [True, True, False, False]
    assert matrix.signature == "williams|n:40|alternative:two-sided|version:touchstone-0.1.0"
