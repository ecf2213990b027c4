"""All pairs of metrics, against the single tests (themselves checked against outside values) and SciPy's correlations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.errors import BadInput
from metrics.meta.comparison import COLUMNS, compare_metrics
from metrics.meta.multiplicity import adjust
from metrics.meta.resampling import bootstrap_difference, permutation_test
from metrics.meta.williams import meng, steiger, williams

RNG = np.random.default_rng(40)
SYSTEMS, ITEMS = [f"s{k}" for k in range(10)], [f"d{k}" for k in range(15)]


def table(values):
    return pd.DataFrame(values, index=SYSTEMS, columns=ITEMS)


TRUE = RNG.normal(size=(10, 1))
HUMAN = table(TRUE + RNG.normal(size=(10, 15)))
METRICS = {
    "poor": table(TRUE + 3 * RNG.normal(size=(10, 1)) + RNG.normal(size=(10, 15))),
    "good": table(TRUE + 0.1 * RNG.normal(size=(10, 1)) + RNG.normal(size=(10, 15))),
    "fair": table(TRUE + 1.0 * RNG.normal(size=(10, 1)) + RNG.normal(size=(10, 15))),
}


def r(a, b):
    return stats.pearsonr(a, b).statistic


@pytest.mark.parametrize(("name", "formula"), [("williams", williams), ("steiger", steiger), ("meng", meng)])
@pytest.mark.parametrize("level", ["system", "global"])
def test_each_row_is_the_test_of_its_pair(name, formula, level):
    frame = compare_metrics(HUMAN, METRICS, test=name, level=level, alternative="greater").frame
    assert tuple(frame.columns) == COLUMNS
    points = {
        key: (t.mean(axis=1) if level == "system" else t.to_numpy().ravel()) for key, t in METRICS.items()
    }
    gold = HUMAN.mean(axis=1) if level == "system" else HUMAN.to_numpy().ravel()
    for row in frame.itertuples():
        a, b = points[row.metric_a], points[row.metric_b]
        assert (row.r_a, row.r_b, row.r_ab) == pytest.approx((r(a, gold), r(b, gold), r(a, b)))
        assert row.r_a >= row.r_b
        expected = formula(row.r_ab, row.r_a, row.r_b, len(gold), alternative="greater")
        assert (row.statistic, row.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
        assert row.n == len(gold)
    assert frame["pvalue_adjusted"].to_numpy() == pytest.approx(adjust(frame["pvalue"], "holm"))


def test_pairs_come_once_with_the_better_metric_first():
    frame = compare_metrics(HUMAN, METRICS).frame
    best, middle, worst = sorted(METRICS, key=lambda name: -r(METRICS[name].mean(axis=1), HUMAN.mean(axis=1)))
    listed = list(zip(frame["metric_a"], frame["metric_b"], strict=True))
    assert listed == [(best, middle), (best, worst), (middle, worst)]


def test_metrics_that_are_not_outperformed_are_named():
    result = compare_metrics(HUMAN, METRICS)
    losers = set(
        compare_metrics(HUMAN, METRICS, alternative="greater").frame.query("pvalue < .05")["metric_b"]
    )
    assert set(result.not_outperformed) == set(METRICS) - losers
    assert compare_metrics(HUMAN, METRICS, test="meng").not_outperformed is None


@pytest.mark.parametrize(
    ("test", "resampled", "alone"),
    [
        ("permutation", "systems", permutation_test),
        ("permutation", "cells", permutation_test),
        ("bootstrap", "both", bootstrap_difference),
        ("bootstrap", "items", bootstrap_difference),
    ],
)
@pytest.mark.parametrize("level", ["system", "item"])
def test_resampling_rows_are_the_test_of_their_pair(test, resampled, alone, level):
    options = {"level": level, "method": "kendall", "n_resamples": 300, "rng": 6}
    frame = compare_metrics(HUMAN, METRICS, test=test, resampled=resampled, **options).frame
    word = "permute" if test == "permutation" else "resample"
    for row in frame.itertuples():
        single = alone(HUMAN, METRICS[row.metric_a], METRICS[row.metric_b], **{word: resampled}, **options)
        assert (row.statistic, row.pvalue) == pytest.approx((single.statistic, single.pvalue))
        assert row.n == (10 if level == "system" else 15)


def test_metrics_with_other_systems_are_compared_on_what_they_share():
    fewer = {**METRICS, "fair": METRICS["fair"].iloc[2:]}
    frame = compare_metrics(HUMAN, fewer).frame.set_index(["metric_a", "metric_b"])
    row = frame.loc[("good", "fair")]
    assert row["n"] == 8
    assert row["r_a"] == pytest.approx(r(METRICS["good"].mean(axis=1)[2:], HUMAN.mean(axis=1)[2:]))
    drawn = compare_metrics(HUMAN, fewer, test="bootstrap", n_resamples=100, rng=1).frame
    assert set(drawn["n"]) == {8, 10}
    assert np.isfinite(drawn["pvalue"]).all()


def test_system_scores_stand_beside_item_scores():
    mixed = {**METRICS, "corpus": METRICS["good"].mean(axis=1).rename("corpus").to_frame()}
    frame = compare_metrics(HUMAN, mixed).frame
    pair = frame[(frame["metric_a"] == "good") & (frame["metric_b"] == "corpus")].iloc[0]
    assert (pair["r_ab"], pair["pvalue"]) == pytest.approx((1.0, 1.0))
    drawn = compare_metrics(
        HUMAN, mixed, test="permutation", resampled="systems", n_resamples=100, rng=1
    ).frame
    assert len(drawn) == 6


@pytest.mark.parametrize(
    "options",
    [
        {"test": "f"},
        {"method": "kendall"},
        {"level": "item"},
        {"correction": "tukey"},
        {"test": "bootstrap", "resampled": "cells"},
        {"test": "permutation", "resampled": "both"},
        {"test": "bootstrap", "n_resamples": 0},
    ],
)
def test_tests_that_do_not_fit_are_refused(options):
    with pytest.raises(BadInput):
        compare_metrics(HUMAN, METRICS, **options)


def test_one_metric_cannot_be_compared():
    with pytest.raises(BadInput, match="two metrics"):
        compare_metrics(HUMAN, {"good": METRICS["good"]})


def test_the_signature_says_test_level_and_seed():
    drawn = compare_metrics(HUMAN, METRICS, test="permutation", n_resamples=50, rng=9)
    assert drawn.signature == (
        "permutation|level:system|method:pearson|resampled:systems|alternative:two-sided|correction:holm|resamples:50"
        "|seed:9|version:touchstone-0.1.0"
    )
