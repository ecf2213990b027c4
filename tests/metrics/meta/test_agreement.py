"""Coefficients of agreement against published examples and other packages, and their properties.

Oracles: ``tests/data/classics.json`` (sources named there), the packages krippendorff, scikit-learn, statsmodels and
pingouin, SummEval (Fabbri et al. 2021) and REALSumm (Bhandari et al. 2020) with the values of their data notes.
"""

import json
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.agreement import agreement_coefficient
from metrics.meta.reliability import COEFFICIENTS
from tests.metrics.realsumm import votes

CLASSICS = json.loads((Path(__file__).parents[2] / "data" / "classics.json").read_text(encoding="utf-8"))
LEVELS = ("nominal", "ordinal", "interval", "ratio")
FORMS = {
    "ICC(1,1)": "1-1",
    "ICC(A,1)": "2-1",
    "ICC(C,1)": "3-1",
    "ICC(1,k)": "1-k",
    "ICC(A,k)": "2-k",
    "ICC(C,k)": "3-k",
}
PINGOUIN = {
    "1-1": "ICC(1,1)",
    "2-1": "ICC(A,1)",
    "3-1": "ICC(C,1)",
    "1-k": "ICC(1,k)",
    "2-k": "ICC(A,k)",
    "3-k": "ICC(C,k)",
}


def value(ratings, coefficient):
    return agreement_coefficient(ratings, coefficient, n_resamples=0).statistic


def scale(things=(3, 9), assessors=(2, 4), *, missing=True):
    """Matrices of marks from 1 to 5, some of them missing."""
    shape = st.tuples(st.integers(*things), st.integers(*assessors))
    marks = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, *([np.nan] * missing)])
    return shape.flatmap(lambda size: arrays(np.float64, size, elements=marks))


def comparable(ratings):
    """Something was judged twice, and the judgments of such things differ."""
    pairable = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    return len(np.unique(pairable[~np.isnan(pairable)])) > 1


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorffs_own_example(level):
    example = CLASSICS["krippendorff_C"]
    ratings = np.array(example["data"], dtype=float).T
    assert round(value(ratings, f"alpha-{level}"), 3) == example["alpha"][level]


def test_fleiss_of_the_wikipedia_example():
    example = CLASSICS["fleiss_wikipedia"]
    ratings = np.array([np.repeat(np.arange(5.0), counts) for counts in example["data"]])
    assert round(value(ratings, "fleiss"), 2) == example["kappa"]


def test_cohen_of_the_wikipedia_example():
    example = CLASSICS["cohen_wikipedia"]
    ratings = np.array(
        [(i, j) for i in (0, 1) for j in (0, 1) for _ in range(example["data"][i][j])], dtype=float
    )
    assert value(ratings, "cohen") == pytest.approx(example["kappa"])
    assert value(ratings, "percent") == pytest.approx(0.7)


@pytest.mark.parametrize("form", FORMS)
def test_the_six_intraclass_correlations_of_shrout_and_fleiss(form):
    example = CLASSICS["shrout_fleiss_1979"]
    assert round(value(example["data"], f"icc-{FORMS[form]}"), 2) == example["icc"][form]


@pytest.mark.parametrize(("group", "level", "expected"), [
    ("expert", "ordinal", 0.7135), ("expert", "interval", 0.7334), ("turker", "ordinal", 0.4546),
])  # fmt: skip
def test_summeval_alpha_over_all_criteria(shared, group, level, expected):
    ratings = pd.read_csv(shared / "data" / "summeval" / "ratings_long_12sys.csv").query("group == @group")
    criteria = ["coherence", "consistency", "fluency", "relevance"]
    long = ratings.melt(["system", "doc", "rater"], criteria, "criterion", "mark")
    matrix = long.pivot_table(index=["system", "doc", "criterion"], columns="rater", values="mark")
    result = agreement_coefficient(
        matrix, f"alpha-{level}", items=matrix.index.get_level_values("doc"), n_resamples=200, rng=1
    )
    assert round(result.statistic, 4) == expected
    assert result.items == 100
    assert result.confidence_interval.low < expected < result.confidence_interval.high


def test_realsumm_nominal_alpha_over_all_votes(shared):
    cast = votes(shared / "data" / "realsumm")
    assert len(cast) == 81_581
    matrix = cast.pivot_table(index=["system", "item", "unit"], columns="assessor", values="value")
    assert round(value(matrix, "alpha-nominal"), 4) == 0.7195


@pytest.mark.parametrize("level", LEVELS)
@given(ratings=scale())
@settings(max_examples=40, deadline=None)
def test_alpha_with_missing_judgments_is_that_of_the_krippendorff_package(level, ratings):
    krippendorff = pytest.importorskip("krippendorff")
    assume(comparable(ratings))
    expected = krippendorff.alpha(ratings.T, level_of_measurement=level)
    assert value(ratings, f"alpha-{level}") == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@given(ratings=arrays(np.float64, st.tuples(st.integers(5, 15), st.just(2)), elements=st.integers(1, 4)))
@settings(max_examples=30, deadline=None)
def test_cohen_is_scikit_learns(weights, ratings):
    metrics = pytest.importorskip("sklearn.metrics")
    assume(set(np.unique(ratings)) == {1, 2, 3, 4})
    name = f"cohen-{weights}" if weights else "cohen"
    expected = metrics.cohen_kappa_score(ratings[:, 0], ratings[:, 1], weights=weights)
    assert value(ratings, name) == pytest.approx(expected)


@given(ratings=scale(missing=False))
@settings(max_examples=30, deadline=None)
def test_fleiss_is_statsmodels(ratings):
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    assume(comparable(ratings))
    counts, _ = aggregate_raters(ratings.astype(int))
    assert value(ratings, "fleiss") == pytest.approx(fleiss_kappa(counts))


@pytest.mark.parametrize("seed", [1, 2])
def test_intraclass_correlations_are_pingouins(seed):
    pingouin = pytest.importorskip("pingouin")
    rng = np.random.default_rng(seed)
    ratings = rng.normal(0, 1, (12, 1)) + rng.normal(0, 0.7, (12, 4)) + rng.normal(0, 0.5, (1, 4))
    long = pd.DataFrame(ratings).reset_index().melt("index", var_name="rater", value_name="mark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = pingouin.intraclass_corr(long, targets="index", raters="rater", ratings="mark")
    expected = table.set_index("Type")["ICC"]
    for form, name in PINGOUIN.items():
        assert value(ratings, f"icc-{form}") == pytest.approx(expected[name], abs=1e-8)


@given(ratings=scale(assessors=(3, 4)))
@settings(max_examples=40, deadline=None)
def test_percent_and_cohen_of_many_assessors_agree_with_plain_loops(ratings):
    assume(comparable(ratings))
    shares = []
    for row in ratings:
        marks = row[~np.isnan(row)]
        if len(marks) > 1:
            shares.append(np.mean([a == b for a, b in combinations(marks, 2)]))
    assert value(ratings, "percent") == pytest.approx(np.mean(shares))
    kappas = []
    for a, b in combinations(range(ratings.shape[1]), 2):
        both = ratings[~np.isnan(ratings[:, [a, b]]).any(axis=1)][:, [a, b]]
        chance = (
            sum(np.mean(both[:, 0] == mark) * np.mean(both[:, 1] == mark) for mark in range(1, 6))
            if len(both)
            else 1
        )
        if chance < 1:
            kappas.append((np.mean(both[:, 0] == both[:, 1]) - chance) / (1 - chance))
    assume(kappas)
    assert value(ratings, "cohen") == pytest.approx(np.mean(kappas))


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
@given(ratings=scale(assessors=(3, 3)), random=st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_neither_the_order_of_things_nor_that_of_assessors_matters(name, ratings, random):
    rows, columns = list(range(len(ratings))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        one, other = value(ratings, name), value(ratings[rows][:, columns], name)
    assert one == pytest.approx(other, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["alpha-interval", "alpha-ordinal", "alpha-nominal", "cohen-linear", "cohen-quadratic", "icc-2-1"]
)
@given(ratings=scale(missing=False), factor=st.integers(1, 9), shift=st.integers(-40, 40))
@settings(max_examples=15, deadline=None)
def test_stretching_and_shifting_the_scale_changes_nothing(name, ratings, factor, shift):
    assume(comparable(ratings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        one, other = value(ratings, name), value(factor * ratings + shift, name)
    assert one == pytest.approx(other, nan_ok=True, abs=1e-9)


@given(ratings=scale())
@settings(max_examples=25, deadline=None)
def test_ordinal_alpha_sees_only_the_order_of_values(ratings):
    assume(comparable(ratings))
    assert value(ratings, "alpha-ordinal") == pytest.approx(value(np.exp(ratings), "alpha-ordinal"))


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_perfect_agreement_is_one(name):
    assert value(np.repeat([[1.0], [2.0], [5.0]], 3, axis=1), name) == pytest.approx(1)


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_a_worse_disagreement_lowers_alpha(level):
    near = np.array([[1, 1], [2, 2], [3, 3], [4, 4], [4, 5.0]])
    far = np.array([[1, 1], [2, 2], [3, 3], [4, 4], [1, 5.0]])
    assert value(far, f"alpha-{level}") < value(near, f"alpha-{level}")


@pytest.mark.parametrize("name", sorted(set(COEFFICIENTS) - {"percent"}))
@pytest.mark.parametrize("mark", [3.0, 0.1])
def test_without_any_variation_a_coefficient_is_undefined(name, mark):
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(value(np.full((4, 3), mark), name))


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_things_judged_once_say_nothing(name):
    with pytest.warns(UndefinedScoreWarning):
        result = agreement_coefficient([[1, np.nan], [np.nan, 2], [3, np.nan]], name)
    assert np.isnan(result.statistic)
    assert (result.items, result.assessors) == (0, 0)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_bootstrap_replicates_are_the_coefficient_of_the_resampled_things(name):
    """The vectorised form with counts as weights against the coefficient of the matrix that repeats rows."""
    rng = np.random.default_rng(11)
    ratings = rng.integers(1, 6, (14, 4)).astype(float)
    if name.startswith(("alpha", "percent", "fleiss", "icc-1")):
        ratings[rng.random(ratings.shape) < 0.2] = np.nan
    counts = rng.multinomial(14, np.full(14, 1 / 14), size=6).astype(float)
    vectorised = COEFFICIENTS[name](ratings)(counts)
    one_by_one = [value(np.repeat(ratings, drawn.astype(int), axis=0), name) for drawn in counts]
    assert vectorised == pytest.approx(one_by_one)


def test_the_bootstrap_interval_agrees_with_scipys():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, 60)
    ratings = np.stack([truth, np.clip(truth + rng.integers(-1, 2, 60), 1, 5)], axis=1).astype(float)
    ours = agreement_coefficient(ratings, "alpha-interval", n_resamples=4000, rng=3).confidence_interval
    theirs = bootstrap(
        (ratings[:, 0], ratings[:, 1]),
        lambda a, b: value(np.stack([a, b], axis=1), "alpha-interval"),
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=1000,
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_an_interval_draws_all_things_of_an_item_together():
    """Ten copies of every row under the same item carry no more information than one."""
    rng = np.random.default_rng(8)
    ratings = rng.integers(1, 4, (12, 2)).astype(float)
    once = agreement_coefficient(ratings, "percent", n_resamples=2000, rng=1)
    copies = agreement_coefficient(
        np.repeat(ratings, 10, axis=0), "percent", items=np.repeat(np.arange(12), 10), n_resamples=2000, rng=1
    )
    assert copies.items == once.items == 12
    assert copies.confidence_interval == once.confidence_interval


def test_the_same_seed_gives_the_same_interval_and_is_reported():
    ratings = np.tile([[1, 2], [2, 2], [3, 1], [3, 3.0]], (5, 1))
    one, other = (agreement_coefficient(ratings, "alpha-ordinal", rng=5) for _ in range(2))
    assert one == other
    assert "seed:5" in one.signature


def test_one_item_has_no_interval():
    result = agreement_coefficient([[1, 2], [2, 2]], "alpha-interval", items=["d1", "d1"])
    assert np.isnan(result.confidence_interval.low)
    assert np.isfinite(result.statistic)


def test_bad_arguments_are_refused():
    with pytest.raises(BadInput, match="found 'gamma'"):
        agreement_coefficient([[1, 2]], "gamma")
    with pytest.raises(BadInput, match="true zero"):
        agreement_coefficient([[-1, 2]], "alpha-ratio")
    with pytest.raises(BadInput, match="things × assessors"):
        agreement_coefficient([1, 2], "percent")
