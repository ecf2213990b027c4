"""Corrections and simultaneous tests, against statsmodels, SciPy, Riezler & Maxwell and HyperStat."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.multiplicity import CORRECTIONS, adjust, experimentwise_error, scheffe, tukey_hsd

RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=(4, 12)) + np.array([[1.0], [0.5], [0.2], [0.0]]) + 2 * RNG.normal(size=12)


def test_the_experimentwise_errors_of_riezler_and_maxwell():
    """§4.4: 105 comparisons at .05 give .9954, five at .015 give about .07."""
    assert experimentwise_error(0.05, 105) == pytest.approx(0.9954, abs=5e-5)
    assert experimentwise_error(0.015, 5) == pytest.approx(0.07, abs=5e-3)
    assert experimentwise_error(1.0, 2) == 1.0
    assert experimentwise_error(0.05, 0) == 0.0


@pytest.mark.parametrize(
    ("ours", "theirs"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("benjamini-hochberg", "fdr_bh")]
)
def test_adjusted_pvalues_are_those_of_statsmodels(ours, theirs):
    rng = np.random.default_rng(1)
    for size in (1, 2, 5, 30):
        # Rounded, so that some are equal; squared, so that some are small.
        pvalues = np.round(rng.random(size) ** 2, 2)
        assert adjust(pvalues, ours) == pytest.approx(multipletests(pvalues, method=theirs)[1], abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=15))
@settings(max_examples=60, deadline=None)
def test_corrections_keep_the_order_and_are_ordered_by_severity(pvalues):
    values = np.array(pvalues)
    bh, holm, bonferroni = (adjust(values, name) for name in ("benjamini-hochberg", "holm", "bonferroni"))
    assert (values <= bh + 1e-12).all()
    assert (bh <= holm + 1e-12).all()
    assert (holm <= bonferroni + 1e-12).all()
    order = np.argsort(values, kind="stable")
    for adjusted in (bh, holm, bonferroni):
        assert (np.diff(adjusted[order]) >= -1e-12).all()
    assert adjust(values[::-1], "holm") == pytest.approx(holm[::-1])


def test_an_undefined_pvalue_is_no_member_of_the_family():
    adjusted = adjust([0.01, np.nan, 0.02], "bonferroni")
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(adjusted[1])
    assert adjust([0.3, 0.1], "none").tolist() == [0.3, 0.1]


def test_an_unknown_correction_is_refused():
    with pytest.raises(BadInput, match="holm"):
        adjust([0.1], "sidak")
    assert "holm" in CORRECTIONS


def test_tukey_agrees_with_statsmodels_and_scipy():
    ours = tukey_hsd(SCORES)
    groups = np.repeat(np.arange(4), SCORES.shape[1])
    theirs = pairwise_tukeyhsd(SCORES.ravel(), groups)
    assert ours.pvalue == pytest.approx(theirs.pvalues, abs=2e-3)
    assert -ours.difference == pytest.approx(theirs.meandiffs)
    scipy = stats.tukey_hsd(*SCORES).pvalue
    assert ours.pvalue == pytest.approx(scipy[ours.first, ours.second], abs=1e-9)


def test_tukey_kramer_allows_for_unequal_numbers():
    gaps = SCORES.copy()
    gaps[0, :5] = gaps[2, 3] = np.nan
    ours = tukey_hsd(gaps)
    scipy = stats.tukey_hsd(*[row[np.isfinite(row)] for row in gaps]).pvalue
    assert ours.pvalue == pytest.approx(scipy[ours.first, ours.second], abs=1e-9)


@pytest.mark.parametrize("blocked", [False, True])
def test_the_error_is_that_of_the_linear_model(blocked):
    """statsmodels' OLS with system, or system and item, as factors: its residual mean square and freedom."""
    table = pd.DataFrame(SCORES).stack().rename_axis(["system", "item"]).rename("score").reset_index()  # noqa: PD013
    model = smf.ols("score ~ C(system)" + (" + C(item)" if blocked else ""), table).fit()
    n = SCORES.shape[1]
    for test in (tukey_hsd, scheffe):
        result = test(SCORES, blocked=blocked)
        assert result.df == model.df_resid
    q = np.abs(result.difference) / np.sqrt(model.mse_resid / n)
    assert tukey_hsd(SCORES, blocked=blocked).statistic == pytest.approx(q)
    f = result.difference**2 / (model.mse_resid * 2 / n) / 3
    assert scheffe(SCORES, blocked=blocked).pvalue == pytest.approx(stats.f.sf(f, 3, model.df_resid))


def test_blocks_remove_the_differences_between_items():
    assert (scheffe(SCORES, blocked=True).pvalue < scheffe(SCORES).pvalue).all()


def test_scheffes_test_of_hyperstat():
    """Lane, HyperStat: five groups, 18 error degrees of freedom, MSE 21.722, sum of squares of the comparison
    124.812: F = 1.44 (his MSB 31.203), p = .26. Data made to have exactly these."""
    sizes = [5, 5, 5, 4, 4]
    assert sum(sizes) - 5 == 18
    # Two groups of 5 whose means differ by d have a comparison sum of squares of d²·5/2.
    means = [0.0, np.sqrt(124.812 * 2 / 5), 0.0, 0.0, 0.0]
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=n) for n in sizes]
    rows = [row - row.mean() for row in rows]
    scale = np.sqrt(21.722 * 18 / sum((row**2).sum() for row in rows))
    table = np.full((5, 5), np.nan)
    for row, values, mean in zip(table, rows, means, strict=True):
        row[: len(values)] = values * scale + mean
    result = scheffe(table)
    assert result.statistic[0] == pytest.approx(1.44, abs=5e-3)
    assert result.pvalue[0] == pytest.approx(0.26, abs=5e-3)


def test_with_two_systems_both_are_the_analysis_of_variance():
    """With k = 2 Scheffé's F and Tukey's q²/2 are the one-way F (scipy.stats.f_oneway)."""
    expected = stats.f_oneway(SCORES[0], SCORES[1])
    assert scheffe(SCORES[:2]).statistic[0] == pytest.approx(expected.statistic)
    assert scheffe(SCORES[:2]).pvalue[0] == pytest.approx(expected.pvalue)
    assert tukey_hsd(SCORES[:2]).pvalue[0] == pytest.approx(expected.pvalue, abs=1e-6)


def test_scores_without_variation_give_nan_and_a_warning():
    """Also where only rounding is left of it: before, tenths gave a p of 0."""
    for test in (tukey_hsd, scheffe):
        for scores in ([[1.0] * 3, [2.0] * 3], [[0.1] * 3, [0.2] * 3]):
            with pytest.warns(UndefinedScoreWarning):
                assert np.isnan(test(scores).pvalue[0])
        with pytest.warns(UndefinedScoreWarning):
            assert np.isnan(test([[0.1, 0.3, 0.6], [0.2, 0.4, 0.7]], blocked=True).pvalue[0])


def test_the_signature_says_the_layout():
    assert tukey_hsd(SCORES, blocked=True).signature.startswith("tukey|pairs:6|df:33|blocked:yes|")
