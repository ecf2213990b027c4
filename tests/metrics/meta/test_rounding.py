"""Scores that only rounding tells apart are one score, whatever was summed in which order, and on whatever scale."""

import warnings

import numpy as np
import pandas as pd
import pytest

from metrics.errors import UndefinedScoreWarning
from metrics.meta.accuracy import soft_pairwise_accuracy, tie_calibrated_accuracy
from metrics.meta.coefficients import pearson
from metrics.meta.comparison import METRIC_TESTS, compare_metrics
from metrics.meta.orange import orange_item
from metrics.meta.pairs import system_pairs
from metrics.meta.power import POWER_TESTS, power, stability
from metrics.meta.prediction import significance_prediction
from metrics.meta.qarla import Qarla, Similarities, queen
from metrics.meta.rasch import rasch
from metrics.meta.resampling import bootstrap_difference
from metrics.meta.selection import best_metric
from metrics.meta.system_model import system_model

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


def test_ties_of_one_text_do_not_hang_on_how_probable_another_is():
    people = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])
    metric = people / 10 * [1, 1e-14, 1e-30]
    found = tie_calibrated_accuracy(people, metric)
    assert found.statistic == pytest.approx(1) and found.epsilon == 0
    assert tie_calibrated_accuracy(people, metric, epsilon=0).statistic == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-13, 1e13])
def test_soft_accuracy_does_not_depend_on_the_scale_of_the_metric(scale):
    people, metric = people_and_metric()
    expected = soft_pairwise_accuracy(people, metric, rng=1).statistic
    assert soft_pairwise_accuracy(people, scale * metric, rng=1).statistic == pytest.approx(expected)


def fifths_and_steps():
    """Judgments that are means of three grades, once as these and once as steps of the scale that they make."""
    rng = np.random.default_rng(3)
    rows = []
    for assessor in range(4):
        for system in range(3):
            for item in range(8):
                step = int(np.clip(np.round(rng.normal(0.7 * system + 1, 1)), 0, 3))
                for grade in rng.permutation([step, step + 1, step + 2]):
                    rows.append((assessor, system, item, grade / 5, step))
    table = pd.DataFrame(rows, columns=["assessor", "system", "item", "value", "step"])
    assert len(set(table.groupby(["assessor", "system", "item"])["value"].mean())) > 4
    return table, table.assign(value=table["step"])


def test_means_of_the_same_grades_are_one_step_of_an_ordinal_scale():
    fifths, steps = fifths_and_steps()
    found, expected = (system_model(rows, scale="ordinal") for rows in (fifths, steps))
    assert found.options["steps"] == expected.options["steps"] == 4
    pd.testing.assert_frame_equal(found.pair_frame(), expected.pair_frame())
    assert rasch(fifths).assessors["measure"].tolist() == rasch(steps).assessors["measure"].tolist()


def test_equal_scores_share_their_rank_in_orange():
    assert orange_item(np.array([[[0.3, 0.1 + 0.2, 0.2]]])) == orange_item(np.array([[[3.0, 3.0, 2.0]]]))


def test_equal_similarities_are_as_close_as_each_other():
    whole = np.array([[[9, 3, 3, 3], [3, 9, 3, 3], [3, 3, 9, 3], [3, 3, 3, 9]]], dtype=float)
    tenths = np.where(whole == 3, 0.1 + 0.2, 0.9)
    tenths[:, 3] = 0.3  # the peer's are a little smaller
    found = [Similarities("i", ("A", "B", "C"), ("p",), x) for x in (whole, tenths)]
    assert queen(found[1]) == queen(found[0])
    kings = []
    for item in found:
        counter = Qarla(["x"])
        counter.add(item)
        kings.append(counter.result().king.tolist())
    assert kings[0] == kings[1] == [0.0]


def coarse(seed, systems=5, items=3):
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 4, (systems, items)).astype(float)
    return people, np.clip(people + rng.integers(-1, 2, people.shape), 0, 4), rng.integers(0, 4, people.shape)


def test_resamples_in_which_two_metrics_correlate_alike_are_on_neither_side():
    for seed in range(6):
        people, one, other = (pd.DataFrame(table) for table in coarse(seed))
        how = {"test": "bootstrap", "n_resamples": 199, "rng": 1}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScoreWarning)
            found = compare_metrics(people, {"one": one / 10, "other": other}, **how).frame
            expected = compare_metrics(people, {"one": one, "other": other}, **how).frame
        assert found["pvalue"].tolist() == pytest.approx(expected["pvalue"].tolist(), nan_ok=True)


@pytest.mark.parametrize("test", POWER_TESTS)
def test_what_is_no_difference_in_a_pilot_is_none_in_a_simulated_study(test):
    whole = [1, -1, 0, 0, 1, -1, 0]
    tenths = [0.3 - 0.2, 0.2 - 0.3, 0, 0, 0.4 - 0.3, 0.3 - 0.4, 0]
    found, expected = (
        power(items=(5, 20), effect=0.0, pilot=pilot, test=test, n_simulations=200, rng=1)
        for pilot in (tenths, whole)
    )
    assert found.power == expected.power


def test_a_study_without_variation_finds_nothing():
    found = power(items=(4,), effect=1.0, pilot=[0.5, 0.5, 0.5], test="t", n_simulations=50, rng=1)
    assert found.power == (0,)


def test_of_two_systems_with_one_mean_the_first_in_the_table_is_named_first():
    whole = pd.DataFrame([[7.0, 5, 5], [8, 4, 5]], index=["a", "b"])
    for table in (whole, whole / 10):
        pair = system_pairs(table, test="rank-sum", alternative="greater").frame.iloc[0]
        assert (pair["system_a"], pair["difference"], pair["pvalue"]) == ("a", 0, pytest.approx(0.5))


def test_a_resample_of_systems_with_one_score_has_no_correlation():
    people = np.array([0.1 + 0.2, 0.3, 0.5, 0.1])
    drawn = np.array([[2.0, 2.0, 0.0, 0.0]])
    assert np.isnan(pearson(people[None, None], np.array([[[1.0, 2.0, 3.0, 4.0]]]), drawn)).all()


def test_who_is_best_again_does_not_hang_on_the_last_digit():
    whole, _, _ = coarse(1, systems=4, items=6)
    found, expected = (
        stability(scores, sizes=(3, 6), n_resamples=300, rng=1) for scores in (whole / 10, whole)
    )
    assert found.same_best == expected.same_best


def test_a_metric_with_equal_means_predicts_no_direction():
    people = np.array([[7.0, 8, 7, 8], [1, 2, 1, 2]])
    whole = np.array([[8.0, 4, 2, 6], [2, 8, 6, 4]])
    found, expected = (
        significance_prediction(people, metric, alphas=(0.99,), test="bootstrap", n_resamples=99, rng=1)
        for metric in (whole / 10, whole)
    )
    assert found.rows() == expected.rows() and found.hits == (0,)
