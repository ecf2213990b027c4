"""The mixed model against lme4, lmerTest and emmeans; see tests/data/models/reference.R for the calls."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.crossed_bootstrap import crossed_bootstrap
from metrics.meta.judged import judged
from metrics.meta.reml import fit_reml
from metrics.meta.studentized import range_quantile, range_tail
from metrics.meta.system_model import system_model, usable_terms

FOLDER = Path(__file__).parents[2] / "data" / "models"
REFERENCE = json.loads((FOLDER / "reference.json").read_text())
TABLES = ["balanced", "unbalanced", "likert", "boundary", "one_assessor_each"]


def study(systems=4, items=8, assessors=3, *, seed=1, spread=(0.4, 0.6, 0.3, 0.4), effect=0.0):
    rng = np.random.default_rng(seed)
    shape = (assessors, systems, items)
    values = rng.normal(0, 0.5, shape) - effect * np.arange(systems)[:, None]
    values += rng.normal(0, spread[0], (assessors, 1, 1)) + rng.normal(0, spread[1], (1, 1, items))
    values += rng.normal(0, spread[2], (assessors, systems, 1)) + rng.normal(
        0, spread[3], (1, systems, items)
    )
    index = pd.MultiIndex.from_product([range(k) for k in shape], names=["assessor", "system", "item"])
    return pd.Series(values.ravel(), index=index, name="value").reset_index()


@pytest.mark.parametrize("name", TABLES)
def test_estimates_errors_and_degrees_of_freedom_are_those_of_lmertest(name):
    model, expected = system_model(pd.read_csv(FOLDER / f"{name}.csv")), REFERENCE[name]
    assert model.method == "mixed-model"
    assert model.estimate == pytest.approx(expected["estimate"], rel=1e-5)
    assert model.error == pytest.approx(expected["error"], rel=1e-4)
    assert model.df == pytest.approx(expected["df"], rel=2e-3)
    assert model.pairs.difference == pytest.approx(expected["difference"], rel=1e-4, abs=1e-5)
    assert model.pairs.error == pytest.approx(expected["pair_error"], rel=1e-4)
    assert model.pairs.df == pytest.approx(expected["pair_df"], rel=2e-3)
    deviations = {term: np.sqrt(variance) for term, variance in model.variances.items()}
    expected_sd = {("residual" if k == "Residual" else k): v for k, v in expected["sd"].items()}
    assert deviations == pytest.approx(expected_sd, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("name", TABLES)
def test_adjusted_p_values_and_intervals_are_those_of_emmeans(name):
    table, expected = pd.read_csv(FOLDER / f"{name}.csv"), REFERENCE[name]
    pairs = system_model(table, correction="tukey").pairs
    assert pairs.pvalue_adjusted == pytest.approx(expected["pvalue_adjusted"], rel=2e-3, abs=1e-6)
    assert pairs.low == pytest.approx(expected["pair_low"], rel=1e-3, abs=1e-4)
    assert pairs.high == pytest.approx(expected["pair_high"], rel=1e-3, abs=1e-4)


def test_the_restricted_likelihood_is_that_of_lme4():
    data = judged(pd.read_csv(FOLDER / "unbalanced.csv"))
    X = np.eye(len(data.systems))[data.system]
    fit = fit_reml(
        data.value, X, [data.codes(t) for t in ("item", "assessor", "assessor:system", "item:system")]
    )
    assert fit.deviance == pytest.approx(REFERENCE["unbalanced"]["criterion"], abs=1e-6)


def test_a_variance_at_the_boundary_is_zero_and_named():
    model = system_model(pd.read_csv(FOLDER / "boundary.csv"))
    small = {term for term, sd in REFERENCE["boundary"]["sd"].items() if sd < 1e-3}
    assert small
    assert set(model.boundary) == small


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e4))
@settings(max_examples=15, deadline=None)
def test_origin_and_unit_of_the_scores_change_nothing_but_the_scale(origin, unit):
    table = study()
    plain, moved = system_model(table), system_model(table.assign(value=origin + unit * table["value"]))
    assert moved.pairs.pvalue_adjusted == pytest.approx(plain.pairs.pvalue_adjusted, rel=1e-3, abs=1e-6)
    assert moved.estimate == pytest.approx(origin + unit * plain.estimate, rel=1e-6, abs=1e-5 * unit)


@given(st.permutations(range(96)))
@settings(max_examples=5, deadline=None)
def test_the_order_of_the_rows_changes_nothing(order):
    table = study()
    assert system_model(table.iloc[list(order)]).estimate == pytest.approx(system_model(table).estimate)


def test_one_judgment_per_assessor_and_system_is_the_two_way_analysis_of_variance():
    """Without replication, tests of pairs in a balanced design are Tukey's with (A − 1)(S − 1) degrees of freedom."""
    table = study(items=1, assessors=6)
    model = system_model(table)
    matrix = table.pivot_table(index="assessor", columns="system", values="value").to_numpy()
    residual = matrix - matrix.mean(0) - matrix.mean(1)[:, None] + matrix.mean()
    error = np.sqrt(2 * (residual**2).sum() / 15 / 6)
    assert model.pairs.df == pytest.approx(np.full(6, 15.0), rel=1e-3)
    assert model.pairs.error == pytest.approx(np.full(6, error), rel=1e-4)
    assert model.generalises_over == ("assessors",)


def test_terms_that_the_design_cannot_tell_apart_are_left_out_and_named():
    table = pd.read_csv(FOLDER / "one_assessor_each.csv")
    used, left_out = usable_terms(judged(table))
    assert used == ["item", "assessor", "assessor:system"]
    assert "one judgment only" in left_out["item:system"]
    own = table.assign(assessor=table["assessor"] + table["system"])
    assert "cannot be told from assessor" in usable_terms(judged(own))[1]["assessor:system"]


def test_one_assessor_generalises_over_items_only():
    model = system_model(study(assessors=1))
    assert model.generalises_over == ("items",)
    assert model.left_out["assessor"] == "there is only one"


def test_judgments_that_leave_no_error_are_bootstrapped_and_the_result_says_so():
    rows = [(a, s, i, float(s)) for a in range(3) for s in range(3) for i in range(4)]
    table = pd.DataFrame(rows, columns=["assessor", "system", "item", "value"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        model = system_model(table, n_resamples=199, rng=1)
    assert model.method == "bootstrap"
    assert model.why == "judgments of one system do not differ at all"
    assert np.isnan(model.pairs.pvalue_adjusted).all()
    # Judgments that do not differ are no certainty: [2, 2] was printed.
    assert np.isnan([model.low, model.high, model.error]).all()
    assert "bootstrap|over:items+assessors|correction:max-t" in model.signature


def test_clusters_and_pairs_come_from_one_test():
    model = system_model(study(effect=1.2, spread=(0.3, 0.3, 0.1, 0.1)))
    found = {(r.system_a, r.system_b) for r in model.pair_frame().itertuples() if r.pvalue_adjusted < 0.05}
    assert sum(row.wins for row in model.clusters()) == len(found) > 0
    assert [row.system for row in model.clusters()] == model.frame()["system"].tolist()


def test_a_simultaneous_interval_leaves_out_zero_exactly_where_the_adjusted_p_is_small():
    pairs = system_model(study(systems=6, effect=0.35), correction="tukey").pairs
    assert 0 < (pairs.pvalue_adjusted < 0.05).sum() < len(pairs.first)
    assert (((pairs.low > 0) | (pairs.high < 0)) == (pairs.pvalue_adjusted < 0.05)).all()


def test_pairs_are_adjusted_by_holm_and_their_intervals_leave_out_zero_only_where_they_differ():
    table = study(systems=5, effect=0.3)
    holm = system_model(table).pairs
    assert (((holm.low > 0) | (holm.high < 0)) <= (holm.pvalue_adjusted < 0.05)).all()
    order = np.sort(holm.pvalue)
    assert np.sort(holm.pvalue_adjusted)[0] == pytest.approx(min(1, order[0] * 10))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="item"), "column item"),
        (lambda t: t.assign(value="good"), "expected numbers, found 'good'"),
        (lambda t: t.assign(system="one"), "two systems"),
        (lambda t: t.assign(value=np.nan), "found none"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_one_line(change, message):
    with pytest.raises(BadInput, match=message):
        system_model(change(study()))


def test_the_crossed_bootstrap_has_the_variance_of_both_items_and_assessors():
    """Owen (2007): about σ²_a/A + σ²_i/I + more; drawing items alone would miss the assessors."""
    table = study(systems=2, items=40, assessors=20, spread=(0.0, 0.0, 0.8, 0.0), seed=3)
    data = judged(table)
    both = crossed_bootstrap(data, confidence_level=0.95, n_resamples=2_000, rng=np.random.default_rng(1))
    true = np.sqrt(2 * (0.8**2 / 20 + 0.25 / 800))
    assert both.pair_error[0] == pytest.approx(true, rel=0.35)
    assert both.pair_low[0] < both.difference[0] < both.pair_high[0]


@pytest.mark.parametrize("k", [2, 5, 16])
@pytest.mark.parametrize("df", [1.5, 8.0, 40.0])
def test_the_studentised_range_is_that_of_scipy(k, df):
    q = np.array([0.5, 2.0, 4.0, 8.0])
    assert range_tail(q, k, np.full(4, df)) == pytest.approx(stats.studentized_range.sf(q, k, df), abs=1e-7)


def test_quantiles_of_the_studentised_range_for_many_degrees_of_freedom_are_interpolated_well():
    df = np.linspace(3, 200, 40)
    quantiles = range_quantile(0.95, 6, df)
    assert range_tail(quantiles, 6, df) == pytest.approx(np.full(40, 0.05), abs=1e-6)
