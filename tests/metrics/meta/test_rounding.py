"""Scores that only rounding tells apart are one score, whatever was summed in which order, and on whatever scale."""

import warnings

import numpy as np
import pandas as pd
import pytest

from metrics.errors import UndefinedScoreWarning
from metrics.meta.accuracy import soft_pairwise_accuracy, tie_calibrated_accuracy
from metrics.meta.comparison import METRIC_TESTS, compare_metrics
from metrics.meta.resampling import bootstrap_difference
from metrics.meta.selection import best_metric

TENTHS = [0.1, 0.2, 0.6, 0.7, 0.3, 0.9, 0.1]


def of_one_mean(systems=8):
    """Every system has the same scores in another order: their means differ in the last digit."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame([rng.permutation(TENTHS) for _ in range(systems)])
    assert len(set(table.mean(axis=1))) > 1
    return table


def people_and_metric(systems=8):
    rng = np.random.default_rng(2)
    people = pd.DataFrame(rng.normal(size=(systems, len(TENTHS))))
    return people, people + rng.normal(0, 0.3, people.shape)


@pytest.mark.parametrize("test", METRIC_TESTS)
def test_a_metric_that_does_not_tell_systems_apart_is_not_tested(test):
    people, metric = people_and_metric()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        found = compare_metrics(people, {"flat": of_one_mean(), "metric": metric}, test=test, rng=1)
    row = found.frame.iloc[0]
    assert row["metric_a"] == "metric" and row["r_a"] > 0.9
    assert row[["r_b", "statistic", "pvalue", "pvalue_adjusted"]].isna().all()


@pytest.mark.parametrize("test", METRIC_TESTS)
def test_people_who_do_not_tell_systems_apart_say_nothing_of_metrics(test):
    one, other = people_and_metric()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        row = compare_metrics(of_one_mean(), {"one": one, "other": other}, test=test, rng=1).frame.iloc[0]
    assert row[["r_a", "r_b", "pvalue"]].isna().all()


def test_a_difference_of_undefined_correlations_has_no_p():
    people, metric = people_and_metric()
    assert np.isnan(bootstrap_difference(people, metric, of_one_mean(), n_resamples=99, rng=1).pvalue)


def test_no_metric_is_best_where_people_do_not_tell_systems_apart():
    one, other = people_and_metric()
    with pytest.warns(UndefinedScoreWarning):
        found = best_metric(of_one_mean(), {"one": one, "other": other}, n_permutations=99, rng=1)
    assert found.best == "" and np.isnan(found.frame()["r"]).all()


def test_a_threshold_of_ties_does_not_tell_equal_differences_apart():
    # .3 − .2 is a little less than .2 − .1: in whole numbers one threshold takes both pairs or neither.
    people, whole = [[1], [2], [2]], np.array([[1.0], [2.0], [3.0]])
    expected = tie_calibrated_accuracy(people, whole)
    found = tie_calibrated_accuracy(people, whole / 10)
    assert found.statistic == pytest.approx(expected.statistic) == pytest.approx(2 / 3)
    assert found.epsilon == pytest.approx(expected.epsilon / 10)


def test_a_threshold_from_elsewhere_takes_differences_of_its_size():
    # .4 − .3 is a little more than .1.
    people, metric = [[1], [2], [2]], [[0.1], [0.3], [0.4]]
    assert tie_calibrated_accuracy(people, metric, epsilon=0.1).statistic == 1


@pytest.mark.parametrize("scale", [1e-13, 1e13])
def test_soft_accuracy_does_not_depend_on_the_scale_of_the_metric(scale):
    people, metric = people_and_metric()
    expected = soft_pairwise_accuracy(people, metric, rng=1).statistic
    assert soft_pairwise_accuracy(people, scale * metric, rng=1).statistic == pytest.approx(expected)
