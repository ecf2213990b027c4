"""What a design promises, against the mixed model that its report will use and against the textbook."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annotation.analysis import forecast
from annotation.analysis.forecast import ASSUMED_SHARES, forecast_means, forecast_wins
from metrics.meta.system_model import system_model

# lme4, lmerTest and emmeans on tests/data/models/balanced.csv: 5 systems, 6 items, 3 assessors who judge everything.
LME4 = json.loads((Path(__file__).parents[1] / "data/models/reference.json").read_text())["balanced"]
SIZE = {"items": 6, "systems": 5, "people": 3, "each": 3}


@pytest.fixture
def components_of_lme4(monkeypatch):
    """The assumed shares are those that lme4 found; the spread is theirs."""
    variances = {name.replace("Residual", "residual"): sd**2 for name, sd in LME4["sd"].items()}
    total = sum(variances.values())
    monkeypatch.setattr(
        forecast, "ASSUMED_SHARES", {name: value / total for name, value in variances.items()}
    )
    return total**0.5


def test_the_interval_is_as_wide_as_the_one_of_lmertest(components_of_lme4):
    found = forecast_means(**SIZE, spread=components_of_lme4 / 100)
    theirs = 2 * stats.t.ppf(0.975, LME4["df"][0]) * LME4["error"][0]
    assert 100 * found.width == pytest.approx(theirs, rel=1e-6)


def test_the_smallest_difference_has_its_power_under_the_error_of_lmertest(components_of_lme4):
    """Noncentral t, with emmeans' standard error and degrees of freedom, at the first of Holm's steps over ten pairs."""
    found = 100 * forecast_means(**SIZE, spread=components_of_lme4 / 100).difference
    df, error = LME4["pair_df"][0], LME4["pair_error"][0]
    critical = stats.t.ppf(1 - 0.025 / 10, df)
    distribution = stats.nct(df, found / error)
    assert distribution.sf(critical) + distribution.cdf(-critical) == pytest.approx(0.8, abs=1e-4)


def test_where_some_judge_each_output_the_plan_has_the_error_of_the_model():
    """Twelve people, two for each output: simulated from the assumed shares and fitted by the model that lme4 checks."""
    rng = np.random.default_rng(1)
    systems, items, people, each = 4, 60, 12, 2
    drawn = {
        name: rng.normal(0, share**0.5, shape)
        for (name, share), shape in zip(
            ASSUMED_SHARES.items(), [items, people, (people, systems), (items, systems), None], strict=True
        )
        if shape
    }
    rows = [
        (
            a,
            s,
            i,
            drawn["item"][i]
            + drawn["assessor"][a]
            + drawn["assessor:system"][a, s]
            + drawn["item:system"][i, s],
        )
        for i in range(items)
        for s in range(systems)
        for a in ((i + s) % people, (i + s + 1 + i // people) % people)
    ]
    table = pd.DataFrame(rows, columns=["assessor", "system", "item", "value"])
    table["value"] += rng.normal(0, ASSUMED_SHARES["residual"] ** 0.5, len(table))
    model = system_model(table)
    found = forecast_means(items=items, systems=systems, people=people, each=each, spread=1.0)
    known = {name: model.variances[name] for name in ("assessor:system", "item:system", "residual")}
    closed = (
        2
        * (
            known["assessor:system"] / people
            + known["item:system"] / items
            + known["residual"] / (items * each)
        )
    ) ** 0.5
    assert model.pairs.error.mean() == pytest.approx(closed, rel=0.02)
    assumed = [ASSUMED_SHARES[name] for name in known]
    planned = (2 * (assumed[0] / people + assumed[1] / items + assumed[2] / (items * each))) ** 0.5
    # Six pairs: between the quantiles of the normal distribution and of t with as few degrees of freedom as assessors alone leave.
    reach = [
        stats.norm.ppf(1 - 0.025 / 6) + stats.norm.ppf(0.8),
        stats.t.ppf(1 - 0.025 / 6, 33) + stats.t.ppf(0.8, 33),
    ]
    assert reach[0] * planned < found.difference < reach[1] * planned


def test_more_assessors_help_where_more_items_no_longer_do():
    """It was promised that a thousand documents tell apart whatever is there, with two assessors, too."""
    error = 0.25 * (2 * ASSUMED_SHARES["assessor:system"] / 2) ** 0.5
    many = forecast_means(items=100_000, systems=2, people=2, each=2, spread=0.25)
    assert many.difference > error * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    more = forecast_means(items=1_000, systems=2, people=20, each=2, spread=0.25)
    assert more.difference < many.difference / 2


def test_more_items_and_more_assessors_tell_more_apart():
    few = forecast_means(items=20, systems=3, people=4, each=1, spread=0.25)
    assert forecast_means(items=80, systems=3, people=4, each=1, spread=0.25).difference < few.difference
    assert forecast_means(items=20, systems=3, people=4, each=4, spread=0.25).difference < few.difference
    assert forecast_means(items=1, systems=3, people=9, each=9, spread=0.25) is None
    assert np.isnan(forecast_means(items=20, systems=1, people=4, each=1, spread=0.25).difference)


def test_one_assessor_is_promised_what_a_paired_test_over_items_finds():
    """Cohen 1988, §2: n differences of standard deviation 1 have power P(|t'| > t) with noncentrality d √n."""
    found = forecast_means(items=40, systems=2, people=1, each=1, spread=1.0).difference
    deviation = (2 * (ASSUMED_SHARES["item:system"] + ASSUMED_SHARES["residual"])) ** 0.5
    power = stats.nct(39, found / deviation * 40**0.5).sf(stats.t.ppf(0.975, 39))
    assert power == pytest.approx(0.8, abs=1e-3)


def test_wins_follow_the_sign_test():
    """One person, every comparison of other texts: exact power of the two-sided sign test by the binomial distribution."""
    found = forecast_wins(items=100, people=1, each=1)
    critical = stats.binom.ppf(0.025, 100, 0.5) - 1
    power = stats.binom.cdf(critical, 100, 0.5 - found.difference)
    assert power == pytest.approx(0.8, abs=0.05)
    assert forecast_wins(items=1, people=3, each=1) is None
    assert forecast_wins(items=0, people=3, each=1) is None


def test_comparisons_of_the_same_texts_or_by_the_same_people_count_for_less():
    apart = forecast_wins(items=100, people=100, each=1)
    assert forecast_wins(items=100, people=3, each=1).width > apart.width
    again = forecast_wins(items=50, people=100, each=2)
    assert (again.n, apart.n) == (100, 100)
    assert again.width > apart.width
