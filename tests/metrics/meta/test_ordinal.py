"""The ordinal mixed model against R's clmm and glmmTMB (tests/data/models/ordinal.R has the calls), and against plain code."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special

from metrics.meta.judged import judged
from metrics.meta.ordinal import OrdinalEquations, fit_ordinal
from metrics.meta.reml import NotFitted
from metrics.meta.system_model import TERMS, system_model

FOLDER = Path(__file__).parents[2] / "data" / "models"
REFERENCE = json.loads((FOLDER / "ordinal.json").read_text())


@pytest.fixture(scope="module")
def table():
    return pd.read_csv(FOLDER / "steps.csv")


@pytest.fixture(scope="module")
def data(table):
    return judged(table)


def steps_of(data):
    return np.unique(data.value, return_inverse=True)[1]


def plain_laplace(data, deviations, held=None):
    """Laplace's approximation by the book: all of it dense, the mode by a general optimiser.

    With ``held``, thresholds and systems are given and not integrated: the likelihood that clmm maximises.
    """
    steps, highest = steps_of(data), int(steps_of(data).max())
    codes = [data.codes(term) for term in TERMS]
    levels = [int(one.max()) + 1 for one in codes]
    fixed = highest + len(data.systems) - 1
    columns = [np.eye(len(data.systems))[data.system][:, 1:]]
    columns += [sd * np.eye(count)[one] for sd, count, one in zip(deviations, levels, codes, strict=True)]
    design = np.hstack(columns)
    upper = np.vstack([np.eye(highest), np.zeros((1, highest))])[steps]
    lower = np.vstack([np.zeros((1, highest)), np.eye(highest)])[steps]

    def parts(point):
        location = design @ point[highest:]
        above = np.where(steps == highest, np.inf, upper @ point[:highest] - location)
        below = np.where(steps == 0, -np.inf, lower @ point[:highest] - location)
        return special.expit(above), special.expit(below)

    def value(point):
        above, below = parts(point)
        return -np.log(above - below).sum() + 0.5 * (point[fixed:] ** 2).sum()

    def slope(point):
        above, below = parts(point)
        chance = above - below
        up, down = above * (1 - above) / chance, below * (1 - below) / chance
        found = np.concatenate([down @ lower - up @ upper, -design.T @ (above + below - 1)])
        return found + np.concatenate([np.zeros(fixed), point[fixed:]])

    free = np.arange(fixed if held is not None else 0, fixed + sum(levels))
    start = np.zeros(fixed + sum(levels))
    start[:highest] = special.logit(np.cumsum(np.bincount(steps))[:-1] / len(steps))
    if held is not None:
        start[:fixed] = held

    def whole(moved):
        point = start.copy()
        point[free] = moved
        return point

    found = optimize.minimize(
        lambda moved: value(whole(moved)),
        start[free],
        jac=lambda moved: slope(whole(moved))[free],
        method="BFGS",
        options={"gtol": 1e-8, "maxiter": 2000},
    )
    bends = []
    for place in range(len(free)):
        step = 1e-5 * np.eye(len(free))[place]
        bends.append((slope(whole(found.x + step)) - slope(whole(found.x - step)))[free] / 2e-5)
    return -found.fun - 0.5 * np.linalg.slogdet(np.array(bends))[1]


def test_the_likelihood_of_given_values_is_that_of_clmm(data):
    """clmm maximises over thresholds and systems; plain code reproduces it, and stands behind the next test."""
    expected = REFERENCE["clmm"]
    held = np.array(expected["threshold"] + expected["system"])
    deviations = [expected["sd"][name] for name in ("item", "assessor", "taste", "output")]
    assert plain_laplace(data, deviations, held) == pytest.approx(expected["log_likelihood"], abs=1e-4)


@pytest.mark.parametrize("deviations", [(1.0, 0.7, 0.5, 0.7), (0.3, 0.0, 1.2, 0.1)])
def test_the_criterion_is_that_of_plain_code(data, deviations):
    equations = OrdinalEquations(steps_of(data), data.system, [data.codes(term) for term in TERMS])
    found = equations.mode(np.array(deviations)).log_likelihood
    assert found == pytest.approx(plain_laplace(data, deviations), abs=1e-5)


def test_of_two_categories_the_fit_is_glmmtmbs(data):
    expected = REFERENCE["glmmTMB"]
    terms = [data.codes(term) for term in TERMS]
    fit = fit_ordinal((data.value >= 4).astype(np.intp), data.system, terms)
    contrasts = np.hstack([-np.ones((3, 1)), np.eye(3)])
    assert contrasts @ fit.beta == pytest.approx(expected["system"], abs=1e-5)
    errors = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, fit.covariance, contrasts))
    assert errors == pytest.approx(expected["error"], rel=1e-4)
    deviations = [expected["sd"]["item"], expected["sd"]["assessor"], 0, 0]
    assert np.sqrt(fit.variances) == pytest.approx(deviations, abs=1e-4)
    # glmmTMB's constant of the four integrated effects
    assert -fit.deviance / 2 + 2 * np.log(2 * np.pi) == pytest.approx(expected["log_likelihood"], abs=1e-5)


def test_estimates_are_close_to_clmms_and_surer_of_nothing(table):
    """Integrating over thresholds and systems, as REML does, makes spreads a little larger than maximum likelihood."""
    model, expected = system_model(table, scale="ordinal"), REFERENCE["clmm"]
    assert model.method == "ordinal-model"
    assert model.estimate.sum() == pytest.approx(0, abs=1e-9)
    assert model.estimate[1:] - model.estimate[0] == pytest.approx(expected["system"], abs=0.05)
    sd = dict(
        zip(TERMS, (expected["sd"][name] for name in ("item", "assessor", "taste", "output")), strict=True)
    )
    assert all(np.sqrt(model.variances[term]) > sd[term] for term in TERMS)
    assert (model.pairs.df < 20).all()
    assert model.signature.startswith("ordinal-model|over:items+assessors|correction:holm|")


def test_other_names_of_the_steps_change_nothing_and_the_opposite_order_turns_the_signs(table):
    model = system_model(table, scale="ordinal")
    stretched = system_model(table.assign(value=table["value"] ** 3), scale="ordinal")
    turned = system_model(table.assign(value=-table["value"]), scale="ordinal")
    assert stretched.estimate == pytest.approx(model.estimate, abs=1e-9)
    assert turned.estimate == pytest.approx(-model.estimate, abs=1e-5)
    assert turned.pairs.pvalue == pytest.approx(model.pairs.pvalue, abs=1e-4)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (lambda rows: rows["value"].where(rows["system"] != "s3", 6), "no rating in common"),
        (lambda rows: rows["value"].clip(1, 3).where(rows["system"] < "s2", 5), "no rating in common"),
        (
            lambda rows: rows["value"].clip(1, 2).where(rows["system"] < "s2", rows["value"].clip(4, 5)),
            "no rating in common",
        ),
        (lambda rows: rows["value"] + np.arange(len(rows)) / 1000, "no scale of 2 to 20 steps"),
    ],
)
def test_where_it_cannot_be_fitted_the_model_of_numbers_is_and_the_result_says_so(table, values, why):
    model = system_model(table.assign(value=values), scale="ordinal")
    assert model.method == "mixed-model"
    assert model.why.startswith("the ordinal model could not be fitted: ")
    assert why in model.why


def test_too_many_crossed_levels_are_refused_before_anything_is_computed():
    many = np.arange(3000)
    with pytest.raises(NotFitted, match="would take too long"):
        fit_ordinal(many % 3, many % 2, [many // 2, many // 2])
