"""Missing scores everywhere alike: NaN, masked or infinite are one, and ``nan_policy`` says what becomes of them."""

import numpy as np
import pytest

from metrics.errors import BadInput
from metrics.meta.accuracy import pairwise_accuracy, soft_pairwise_accuracy, tie_calibrated_accuracy
from metrics.meta.agreement import agreement_coefficient
from metrics.meta.correlation import correlate
from metrics.meta.effects import paired_difference, superiority
from metrics.meta.gwet import gwet
from metrics.meta.intervals import agreement_interval, correlation_interval, mean_intervals
from metrics.meta.prediction import significance_prediction
from metrics.meta.resampling import bootstrap_difference, permutation_test
from metrics.meta.significance import compare_systems
from metrics.meta.williams import williams_matrix

rng = np.random.default_rng(7)
HUMAN = rng.normal(size=(6, 8)) + np.arange(6)[:, None] / 3
METRIC = HUMAN + rng.normal(size=(6, 8))
OTHER = HUMAN + 2 * rng.normal(size=(6, 8))
GAPS = np.zeros((6, 8), dtype=bool)
GAPS[[0, 3, 5], [1, 1, 6]] = True
RATINGS = np.round(HUMAN.T + 3)[:, :3]

FUNCTIONS = {
    "correlate": lambda x, **more: correlate(HUMAN, x, level="item", rng=1, **more).statistic,
    "pairwise_accuracy": lambda x, **more: pairwise_accuracy(HUMAN, x, **more).statistic,
    "tie_calibrated_accuracy": lambda x, **more: tie_calibrated_accuracy(HUMAN, x, **more).statistic,
    "soft_pairwise_accuracy": lambda x, **more: (
        soft_pairwise_accuracy(HUMAN, x, n_resamples=99, rng=1, **more).statistic
    ),
    "compare_systems": lambda x, **more: compare_systems(x, n_resamples=99, rng=1, **more).pvalue,
    "permutation_test": lambda x, **more: (
        permutation_test(HUMAN, x, OTHER, n_resamples=99, rng=1, **more).pvalue
    ),
    "bootstrap_difference": lambda x, **more: (
        bootstrap_difference(HUMAN, x, OTHER, n_resamples=99, rng=1, **more).statistic
    ),
    "mean_intervals": lambda x, **more: mean_intervals(x, **more).low,
    "correlation_interval": lambda x, **more: (
        correlation_interval(HUMAN, x, n_resamples=99, rng=1, **more).statistic
    ),
    "significance_prediction": lambda x, **more: significance_prediction(HUMAN, x, **more).hits,
    "agreement_coefficient": lambda x, **more: (
        agreement_coefficient(
            np.ma.round(x.T[:, :3] + 3) if np.ma.isMaskedArray(x) else np.round(x.T[:, :3] + 3),
            "alpha-ordinal",
            n_resamples=0,
            **more,
        ).statistic
    ),
}


def gaps_of(form):
    if form == "masked":
        return np.ma.MaskedArray(METRIC, GAPS)
    return np.where(GAPS, {"nan": np.nan, "inf": np.inf}[form], METRIC)


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_missing_scores_are_left_out_or_refused_however_they_are_spelled(name):
    function = FUNCTIONS[name]
    omitted = function(gaps_of("nan"))
    assert np.isfinite(omitted).all()
    assert np.array_equal(function(gaps_of("masked")), omitted)
    assert np.array_equal(function(gaps_of("inf")), omitted)
    assert not np.array_equal(function(METRIC), omitted) or name in (
        "significance_prediction",
        "pairwise_accuracy",
    )
    assert np.array_equal(function(METRIC, nan_policy="raise"), function(METRIC))
    for form in ("nan", "masked", "inf"):
        with pytest.raises(BadInput, match="some are, and nan_policy is raise"):
            function(gaps_of(form), nan_policy="raise")
    if name != "correlate":
        with pytest.raises(BadInput, match="expected nan_policy omit or raise"):
            function(METRIC, nan_policy="propagate")
    with pytest.raises(BadInput, match="nan_policy must be one of"):
        function(METRIC, nan_policy="ignore")


def test_masks_are_honoured_where_vectors_and_ratings_are_compared():
    a, b = METRIC[0], OTHER[0]
    hidden = np.arange(8) > 5
    masked = np.ma.MaskedArray(a, hidden)
    missing = np.where(hidden, np.nan, a)
    assert paired_difference(masked, b) == paired_difference(missing, b)
    assert superiority(masked, b).statistic == superiority(missing, b).statistic
    ratings = np.where(GAPS.T[:, :3], np.nan, RATINGS)
    covered = np.ma.MaskedArray(RATINGS, GAPS.T[:, :3])
    assert gwet(covered).statistic == gwet(ratings).statistic
    assert agreement_interval(covered, "alpha-ordinal") == agreement_interval(ratings, "alpha-ordinal")
    gold, scores = HUMAN.mean(axis=1), np.stack([METRIC.mean(axis=1), OTHER.mean(axis=1)])
    gone = np.zeros((2, 6), dtype=bool)
    gone[0, 2] = True
    covered = williams_matrix(gold, np.ma.MaskedArray(scores, gone))
    assert covered.n.tolist() == williams_matrix(gold, np.where(gone, np.nan, scores)).n.tolist()
