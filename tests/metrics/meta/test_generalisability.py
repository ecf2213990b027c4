"""Variance components against lme4, planned studies against the model's own errors and against statsmodels' power."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestPower

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.generalisability import (
    GeneralisabilityStudy,
    detectable_difference,
    generalisability,
    t_power,
)
from metrics.meta.power import power
from metrics.meta.system_model import system_model

FOLDER = Path(__file__).parents[2] / "data" / "models"

# lme4 1.1-31: lmer(value ~ 1 + (1|system) + (1|item) + (1|assessor) + (1|assessor:system) + (1|item:system)
#                   + (1|assessor:item), control = lmerControl("bobyqa", optCtrl = list(rhoend = 1e-10)))
LME4 = {
    "balanced": {
        "system": 0.09727730,
        "item": 0.15072479,
        "assessor": 0.01764819,
        "assessor:system": 0.05519603,
        "item:system": 0.16646412,
        "assessor:item": 0.0,
        "residual": 0.23911578,
    },
    "likert": {
        "system": 0.13852217,
        "item": 0.40878264,
        "assessor": 0.83602643,
        "assessor:system": 0.05192924,
        "item:system": 0.28842120,
        "assessor:item": 0.03133455,
        "residual": 0.16633271,
    },
}


@pytest.mark.parametrize("name", ["balanced", "likert"])
def test_variance_components_are_those_of_lme4(name):
    study = generalisability(pd.read_csv(FOLDER / f"{name}.csv"))
    assert study.variances == pytest.approx(LME4[name], rel=1e-4, abs=1e-6)
    assert sum(study.shares().values()) == pytest.approx(1)


def test_a_plan_of_the_study_itself_has_the_error_that_the_model_reports():
    table = pd.read_csv(FOLDER / "balanced.csv")
    model, plan = system_model(table), generalisability(table).plan(6, 3)
    assert plan.difference_error == pytest.approx(model.pairs.error[0], rel=1e-3)
    assert plan.df == pytest.approx(model.pairs.df[0], rel=1e-3)
    assert plan.mean_error == pytest.approx(model.error[0], rel=1e-3)
    assert plan.mean_df == pytest.approx(model.df[0], rel=1e-3)


@pytest.mark.parametrize(("name", "each"), [("unbalanced", 3), ("one_assessor_each", 1)])
def test_a_plan_with_some_assessors_for_each_output_has_about_the_error_of_lmertest(name, each):
    """The data are not balanced, a plan is: emmeans' standard errors to 4 %, degrees of freedom to a third."""
    theirs = json.loads((FOLDER / "reference.json").read_text())[name]
    table = pd.read_csv(FOLDER / f"{name}.csv")
    variances = {term.replace("Residual", "residual"): sd**2 for term, sd in theirs["sd"].items()}
    sizes = [table[column].nunique() for column in ("system", "item", "assessor")]
    study = GeneralisabilityStudy({"system": 0.0} | variances, {}, *sizes, len(table))
    plan = study.plan(*sizes[1:], per_output=each)
    assert plan.difference_error == pytest.approx(np.mean(theirs["pair_error"]), rel=0.04)
    assert plan.mean_error == pytest.approx(np.mean(theirs["error"]), rel=0.02)
    assert plan.df == pytest.approx(np.mean(theirs["pair_df"]), rel=0.33)
    assert plan.mean_df == pytest.approx(np.mean(theirs["df"]), rel=0.1)
    with pytest.raises(BadInput, match="5 assessors cannot judge each output: there are 4"):
        study.plan(8, 4, per_output=5)


def test_the_coefficients_are_brennans_formulas():
    study = generalisability(pd.read_csv(FOLDER / "likert.csv"))
    v = LME4["likert"]
    relative = v["assessor:system"] / 4 + v["item:system"] / 20 + v["residual"] / 80
    absolute = relative + v["item"] / 20 + v["assessor"] / 4 + v["assessor:item"] / 80
    plan = study.plan(20, 4)
    assert plan.generalisability == pytest.approx(v["system"] / (v["system"] + relative), rel=1e-4)
    assert plan.dependability == pytest.approx(v["system"] / (v["system"] + absolute), rel=1e-4)


@pytest.mark.parametrize(("effect", "n"), [(0.3, 12), (0.5, 20), (0.8, 40)])
def test_power_is_that_of_statsmodels(effect, n):
    assert t_power(effect, 1 / np.sqrt(n), n - 1) == pytest.approx(
        TTestPower().power(effect, n, 0.05), abs=1e-9
    )
    found = detectable_difference(1 / np.sqrt(n), n - 1, power=0.8)
    assert found == pytest.approx(TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8), rel=1e-6)


def test_a_plan_without_assessor_effects_has_the_power_that_simulation_finds():
    """``power`` simulates differences per item; with one assessor and no other component the two must agree."""
    study = generalisability(pd.read_csv(FOLDER / "balanced.csv"))
    alone = type(study)({"system": 0.1, "residual": 0.5}, {}, 2, 20, 1, 40)
    simulated = power(items=[30], effect=0.6, deviation=1.0, n_simulations=4_000, rng=1)
    assert alone.plan(30, 1, effect=0.6).power == pytest.approx(simulated.power[0], abs=0.03)


@pytest.mark.parametrize(("component", "word"), [("item:system", "items"), ("assessor:system", "assessors")])
def test_the_advice_names_what_makes_the_noise(component, word):
    study = generalisability(pd.read_csv(FOLDER / "balanced.csv"))
    none = {"assessor:system": 0.0, "item:system": 0.0}
    noisy = type(study)({"system": 0.1, **none, component: 0.5, "residual": 0.1}, {}, 5, 6, 3, 90)
    assert noisy.advice().startswith(f"Add {word}:")


def test_neither_items_nor_assessors_are_preferred_where_both_bring_as_much():
    """Error alone: the demo's report said “Add items”, and 29 % of both."""
    rng = np.random.default_rng(2)
    rows = [(a, s, i) for a in range(4) for s in range(4) for i in range(6)]
    people = pd.DataFrame(rows, columns=["assessor", "system", "item"])
    study = generalisability(people.assign(value=people["system"] + rng.normal(0, 1, len(people))))
    alone = {name: 1.0 if name in ("residual", "system") else 0.0 for name in study.variances}
    told = replace(study, variances=alone).advice()
    assert told.startswith("Add items or assessors: twice as many of either would take 29 % off")


def test_components_that_need_repeated_judgments_are_left_out_and_named():
    study = generalisability(pd.read_csv(FOLDER / "one_assessor_each.csv"))
    assert "item:system" in study.left_out
    assert set(study.variances) & {"item", "assessor", "system"}


def test_judgments_without_any_difference_are_refused():
    table = pd.read_csv(FOLDER / "balanced.csv").assign(value=3)
    with pytest.raises(BadInput, match="do not differ"):
        generalisability(table)


@pytest.mark.parametrize(
    ("kept", "other", "why"),
    [
        ({"assessor": ["a1"]}, {"items": 20, "assessors": 4}, "what other assessors would bring"),
        ({"item": ["i1"]}, {"items": 20, "assessors": 3}, "what other items would bring"),
    ],
)
def test_nothing_is_planned_from_what_a_study_cannot_tell(kept, other, why):
    """One assessor, or one item: it was said that twice as many assessors would take 29 % off the error."""
    table = pd.read_csv(FOLDER / "balanced.csv")
    for name, values in kept.items():
        table = table[table[name].isin(values)]
    study = generalisability(table)
    with pytest.warns(UndefinedScoreWarning, match=why):
        planned = study.plan(**other)
    assert np.isnan([planned.generalisability, planned.difference_error, planned.power]).all()
    assert study.advice() == f"{why[:1].upper()}{why[1:]} cannot be told from this study."


def test_assessors_are_not_promised_what_items_may_be_needed_for():
    """Where every output was judged once, how well a system did on an item is in the error."""
    study = generalisability(pd.read_csv(FOLDER / "one_assessor_each.csv"))
    assert "assessors may bring less" in study.advice()


def test_systems_on_items_of_their_own_are_told_of_those_items():
    """As in direct assessment: every output judged once, no item twice. The error of a difference is that of the mixed model."""
    rng = np.random.default_rng(5)
    rows = [
        (assessor, system, f"{system}-{item}", 0.5 * system + taste + rng.normal(0, 1))
        for system in range(5)
        for assessor, taste in enumerate(rng.normal(0, 0.1, 2))
        for item in range(40 * assessor, 40 * assessor + 40)
    ]
    table = pd.DataFrame(rows, columns=["assessor", "system", "item", "value"])
    model, study = system_model(table), generalisability(table)
    assert (study.outputs, study.own().items, study.items) == (400, 80, 400)
    same = replace(study, variances={"system": 1.0} | model.variances)
    assert same.own().difference_error == pytest.approx(model.pairs.error.mean(), rel=1e-6)
    # The whole work twice: of items that nobody shares, half the variance of the error.
    assert replace(same, outputs=800, judgments=800).own().items == 160
    assert "twice as many of either would take 29 %" in same.advice()
