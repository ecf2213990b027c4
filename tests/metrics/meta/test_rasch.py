"""The many-facet Rasch model against VGAM's adjacent-category model, which has the same likelihood."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.rasch import rasch

LIKERT = pd.read_csv(Path(__file__).parents[2] / "data" / "models" / "likert.csv")


def test_measures_errors_and_likelihood_are_those_of_vgam():
    """VGAM 1.1-7: vglm(ordered(value) ~ system + item + assessor, acat(parallel = TRUE), contrasts "contr.sum")."""
    model = rasch(LIKERT)
    assert model.systems["measure"][:3].tolist() == pytest.approx(
        [1.6409542579, -0.1676280169, 0.1254389342], abs=1e-6
    )
    assert model.assessors["measure"][:2].tolist() == pytest.approx([-1.9968752448, 2.9430519251], abs=1e-6)
    items = model.items.set_index("item")["measure"]
    assert items[["i1", "i10", "i9"]].tolist() == pytest.approx(
        [0.5115196457, 0.2996146316, -model.items["measure"].drop(9).sum()], abs=1e-6
    )
    assert (-model.thresholds).tolist() == pytest.approx(
        [2.8156878198, 0.5699111591, -1.7704163004, -4.2085932956], abs=1e-6
    )
    assert model.log_likelihood == pytest.approx(-89.41177, abs=1e-5)
    assert model.systems["error"][0] == pytest.approx(0.3684234414, abs=1e-6)
    assert model.assessors["error"][0] == pytest.approx(0.3665479859, abs=1e-6)


def test_infit_and_outfit_are_those_of_vgams_fitted_probabilities():
    table = rasch(LIKERT).assessors
    assert table["infit"].tolist() == pytest.approx([0.7366542487, 0.9008848288, 1.271870167], abs=1e-6)
    assert table["outfit"].tolist() == pytest.approx([0.6866089989, 0.8720009741, 1.350636627], abs=1e-6)


def simulated(*, erratic=None, seed=1, items=40, severities=(-1.0, 0.0, 0.4, 0.6)):
    rng = np.random.default_rng(seed)
    systems, difficulty = np.array([0.8, 0.2, -0.2, -0.8]), rng.normal(0, 0.7, items)
    rows = []
    for a, severity in enumerate(severities):
        for s, quality in enumerate(systems):
            for i in range(items):
                location = quality - difficulty[i] - severity
                logits = np.concatenate([[0], np.cumsum(location - np.array([-1.5, -0.5, 0.5, 1.5]))])
                chances = np.exp(logits) / np.exp(logits).sum()
                value = rng.integers(5) if a == erratic else rng.choice(5, p=chances)
                rows.append((f"a{a}", f"s{s}", f"i{i}", value + 1))
    return pd.DataFrame(rows, columns=["assessor", "system", "item", "value"])


def test_severities_that_made_the_ratings_are_found_again():
    model = rasch(simulated())
    assert model.assessors["measure"].tolist() == pytest.approx([-1.0, 0.0, 0.4, 0.6], abs=0.3)
    assert model.systems["measure"].tolist() == pytest.approx([0.8, 0.2, -0.2, -0.8], abs=0.3)
    assert model.assessors["infit"].between(0.8, 1.2).all()
    assert model.odd_assessors() == ()


def test_an_assessor_who_answers_at_random_is_named():
    assert rasch(simulated(erratic=1, seed=2)).odd_assessors() == ("a1",)


def test_few_ratings_that_are_odd_by_chance_name_nobody():
    """Eight ratings of each of four assessors who all follow the model: mean squares above 1.5 come about by chance."""
    models = [rasch(simulated(items=2, seed=seed)) for seed in range(40)]
    people = pd.concat([model.assessors for model in models])
    assert (people[["infit", "outfit"]] > 1.5).any(axis=1).mean() > 0.05
    assert sum(len(model.odd_assessors()) for model in models) / len(people) <= 0.02


def test_an_assessor_who_met_better_systems_is_not_called_lenient():
    """Which plain means, and z scores, would say."""
    table = simulated(severities=(0.0, 0.0, 0.0, 0.0), seed=3)
    table = table[~((table["assessor"] == "a0") & table["system"].isin(["s2", "s3"]))]
    means = table.groupby("assessor")["value"].mean()
    model = rasch(table)
    assert means.idxmax() == "a0"
    assert abs(model.assessors["measure"][0]) < 0.3


def test_an_assessor_who_gives_the_highest_rating_always_has_a_finite_measure_and_a_mark():
    table = simulated(seed=4)
    table.loc[table["assessor"] == "a2", "value"] = 5
    model = rasch(table)
    assert model.assessors["extreme"].tolist() == [False, False, True, False]
    assert np.isfinite(model.assessors["measure"]).all()
    assert model.assessors["measure"].idxmin() == 2


def test_scores_that_are_no_scale_are_refused():
    with pytest.raises(BadInput, match="at most 20 steps"):
        rasch(LIKERT.assign(value=np.linspace(0, 1, len(LIKERT))))
    with pytest.raises(BadInput, match="ratings that differ"):
        rasch(LIKERT.assign(value=3))


def test_groups_that_nobody_connects_are_said():
    table = simulated(seed=5)
    apart = table[(table["assessor"] < "a2") == (table["system"] < "s2")]
    with pytest.warns(UndefinedScoreWarning, match="nobody connects"):
        rasch(apart)
