"""What a design can tell, against the textbook."""

import pytest
from scipy import stats

from annotation.analysis.forecast import forecast_means, forecast_wins


@pytest.mark.parametrize("n", [10, 40, 100, 1000])
def test_the_smallest_difference_is_what_the_noncentral_t_distribution_says(n):
    """Cohen 1988, §2: a paired t test on n differences of standard deviation 1 has power P(|t'| > t) with noncentrality d √n."""
    found = forecast_means(items=n, assessors=1, spread=1.0).difference / 2**0.5
    critical = stats.t.ppf(0.975, n - 1)
    power = 1 - stats.nct.cdf(critical, n - 1, found * n**0.5)
    assert power == pytest.approx(0.8, abs=0.04)


def test_more_items_and_more_assessors_tell_more_apart():
    few, many = (
        forecast_means(items=20, assessors=1, spread=0.25),
        forecast_means(items=80, assessors=1, spread=0.25),
    )
    assert few.difference > many.difference
    assert few.width == pytest.approx(2 * many.width, rel=0.1)
    assert forecast_means(items=20, assessors=4, spread=0.25).difference < few.difference
    assert forecast_means(items=1, assessors=9, spread=0.25) is None


def test_wins_follow_the_sign_test():
    found = forecast_wins(meetings=100)
    # Exact power of the two-sided sign test at α = .05 by the binomial distribution.
    critical = stats.binom.ppf(0.025, 100, 0.5) - 1
    power = stats.binom.cdf(critical, 100, 0.5 - found.difference)
    assert power == pytest.approx(0.8, abs=0.05)
    assert forecast_wins(meetings=1) is None
