"""How well the verdict works, in short and with fixed seeds; ``benchmarks/quality.py`` has the whole, quoted in docs/quality.md."""

import numpy as np

from benchmarks.quality import Study, crowd, simulate


def test_careless_people_are_found_and_honest_ones_left_alone():
    found = simulate(Study(), 5, seed=77).set_index("sort")
    assert found.loc[["random", "too-fast", "always-middle", "copy-last"], "careless"].sum() >= 19
    assert found.loc["honest", "careless"] <= 2
    assert found.loc["honest", "people"] == 50


def test_few_people_with_few_items_are_hardly_ever_accused():
    found = simulate(Study(honest=4, sorts=(), items=12), 10, seed=78).set_index("sort")
    assert found.loc["honest", "careless"] <= 1


def test_a_crowd_is_as_large_as_it_says():
    judgments, _, sorts = crowd(Study(), np.random.default_rng(1))
    assert len(sorts) == 15
    assert (judgments.groupby("assessor").size() == 60).all()
    assert (judgments.groupby("assessor")["control"].agg(lambda names: (names != "").sum()) == 7).all()
