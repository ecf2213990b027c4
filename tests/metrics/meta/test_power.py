"""Planning, against statsmodels' power analysis, the binomial distribution and the standard error of a mean."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from metrics.errors import BadInput
from metrics.meta.power import power, stability

RNG = np.random.default_rng(30)
SCORES = RNG.normal(size=(5, 80)) + np.linspace(1, 0, 5)[:, None]


@pytest.mark.parametrize(("alternative", "theirs"), [("two-sided", "two-sided"), ("greater", "larger")])
def test_power_of_the_paired_t_test_is_that_of_statsmodels(alternative, theirs):
    planned = (10, 25, 60)
    result = power(
        items=planned, effect=0.5, deviation=1.0, alternative=alternative, n_simulations=8000, rng=1
    )
    expected = [TTestPower().power(0.5, n, 0.05, alternative=theirs) for n in planned]
    # 8,000 simulations have a standard error of at most .0056.
    assert result.power == pytest.approx(expected, abs=0.02)
    for value, interval in zip(expected, result.confidence_interval, strict=True):
        assert interval.low - 0.012 <= value <= interval.high + 0.012


def test_power_of_the_sign_test_is_the_binomial_one():
    """P(difference > 0) = Φ(effect/deviation); the test rejects from the binomial table."""
    n, effect = 30, 0.6
    chance = stats.norm.cdf(effect)
    rejected = [k for k in range(n + 1) if stats.binomtest(k, n).pvalue <= 0.05]
    expected = stats.binom.pmf(rejected, n, chance).sum()
    result = power(items=[n], effect=effect, deviation=1.0, test="sign", n_simulations=8000, rng=2)
    assert result.power[0] == pytest.approx(expected, abs=0.02)


def test_without_a_difference_power_is_the_level():
    for test in ("t", "wilcoxon"):
        result = power(items=[40], effect=0.0, deviation=2.0, test=test, alpha=0.1, n_simulations=3000, rng=3)
        assert result.power[0] == pytest.approx(0.1, abs=0.025), test


def test_wilcoxon_is_nearly_as_powerful_as_t_on_normal_scores():
    """Its asymptotic relative efficiency is 3/π."""
    t, wilcoxon = (
        power(items=[40], effect=0.5, deviation=1.0, test=test, n_simulations=3000, rng=4).power[0]
        for test in ("t", "wilcoxon")
    )
    expected = TTestPower().power(0.5, 40 * 3 / np.pi, 0.05)
    assert wilcoxon == pytest.approx(expected, abs=0.03)
    assert wilcoxon < t + 0.01


def test_a_pilot_stands_for_the_population():
    pilot = RNG.normal(3.0, 1.0, 2000)
    result = power(items=[25], effect=0.5, pilot=pilot, n_simulations=6000, rng=5)
    expected = TTestPower().power(0.5 / pilot.std(ddof=1), 25, 0.05)
    assert result.power[0] == pytest.approx(expected, abs=0.025)


def test_power_grows_with_items_and_the_first_sufficient_number_is_found():
    result = power(items=(10, 20, 40, 80), effect=0.5, deviation=1.0, n_simulations=3000, rng=6)
    assert list(result.power) == sorted(result.power)
    # statsmodels' solve_power: 34 items for .8.
    assert result.items_needed(0.8) == 40
    assert result.items_needed(1.01) is None
    assert result.signature.startswith(
        "power|test:t|effect:0.5|alpha:0.05|alternative:two-sided|simulations:3000|seed:6"
    )


def test_the_interval_width_is_that_of_a_mean():
    """Percentile intervals of a mean of n draws have width 2·1.96·σ/√n."""
    result = stability(SCORES, sizes=(20, 80, 320), n_resamples=4000, rng=1)
    deviation = SCORES.std(axis=1).mean()
    expected = [2 * 1.959964 * deviation / np.sqrt(n) for n in (20, 80, 320)]
    assert result.interval_width == pytest.approx(expected, rel=0.05)


def test_rankings_become_stable_as_items_are_added():
    result = stability(SCORES, sizes=(5, 20, 80, 2000), n_resamples=800, rng=2)
    assert list(result.tau) == sorted(result.tau)
    assert list(result.same_best) == sorted(result.same_best)
    assert result.tau[-1] > 0.9
    assert result.frame().columns.tolist() == ["items", "interval_width", "tau", "same_best"]


def test_the_mean_tau_is_that_of_a_loop_with_scipy():
    result = stability(SCORES[:, :10], sizes=(10,), n_resamples=300, rng=7)
    weights = np.random.default_rng(7).multinomial(10, np.full(10, 0.1), size=300)
    full = SCORES[:, :10].mean(axis=1)
    taus = [stats.kendalltau(SCORES[:, :10] @ w / 10, full).statistic for w in weights]
    assert result.tau[0] == pytest.approx(np.mean(taus))


def test_assessors_are_drawn_whole():
    """Judgments = system + assessor's own view of a system: only more assessors narrow the interval."""
    rng = np.random.default_rng(8)
    views = rng.normal(size=(12, 4, 1))
    judgments = np.arange(4)[None, :, None] + views + 0.01 * rng.normal(size=(12, 4, 30))
    result = stability(judgments, sizes=(3, 12, 48), over="assessors", n_resamples=3000, rng=1)
    deviation = views[:, :, 0].std(axis=0).mean()
    expected = [2 * 1.959964 * deviation / np.sqrt(n) for n in (3, 12, 48)]
    assert result.interval_width == pytest.approx(expected, rel=0.08)
    with_gaps = judgments.copy()
    with_gaps[rng.random(judgments.shape) < 0.5] = np.nan
    gaps = stability(with_gaps, sizes=(12,), over="assessors", n_resamples=3000, rng=1)
    assert gaps.interval_width[0] == pytest.approx(expected[1], rel=0.1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: stability(SCORES, sizes=()),
        lambda: stability(SCORES, sizes=(0,)),
        lambda: stability(SCORES, sizes=(5,), over="assessors"),
        lambda: stability([[np.nan, np.nan], [1, 2]], sizes=(2,)),
        lambda: power(items=[10], effect=0.1),
        lambda: power(items=[10], effect=0.1, deviation=1, pilot=[1, 2]),
        lambda: power(items=[1], effect=0.1, deviation=1),
        lambda: power(items=[10], effect=0.1, pilot=[1.0]),
        lambda: power(items=[10], effect=0.1, deviation=1, test="randomization"),
    ],
)
def test_plans_that_cannot_be_are_refused(call):
    with pytest.raises(BadInput):
        call()
