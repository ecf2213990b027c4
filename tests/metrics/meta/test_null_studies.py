"""Studies of equal systems: how often does the whole analysis, design check and model, call one better than another?"""

import numpy as np
import pandas as pd
import pytest

from metrics.meta.design_check import check_design
from metrics.meta.system_model import system_model

STUDIES = 200


def equal_systems(rng, spread, *, systems=6, items=12, assessors=3):
    shape = (assessors, systems, items)
    values = (
        3
        + rng.normal(0, 1, shape)
        + rng.normal(0, 0.6, (1, 1, items))
        + rng.normal(0, 0.4, (assessors, 1, 1))
    )
    values += rng.normal(0, spread, (assessors, systems, 1)) + rng.normal(0, 0.4, (1, systems, items))
    index = pd.MultiIndex.from_product([range(k) for k in shape], names=["assessor", "system", "item"])
    return pd.Series(values.ravel(), index=index, name="value").reset_index()


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.3, 0.5])
def test_equal_systems_are_called_different_in_at_most_five_percent_of_studies(spread):
    rng = np.random.default_rng([7, round(10 * spread)])
    claims = 0
    for _ in range(STUDIES):
        table = equal_systems(rng, spread)
        assert check_design(table).may_rank
        claims += bool((system_model(table).pairs.pvalue_adjusted < 0.05).any())
    assert claims / STUDIES <= 0.05


@pytest.mark.slow
def test_equal_systems_judged_by_some_assessors_only_are_not_called_different_too_often():
    rng = np.random.default_rng(8)
    claims = 0
    for _ in range(200):
        table = equal_systems(rng, 0.4)
        table = table[rng.random(len(table)) < 0.6]
        claims += bool((system_model(table).pairs.pvalue_adjusted < 0.05).any())
    # Two standard errors above .05.
    assert claims / 200 <= 0.08
