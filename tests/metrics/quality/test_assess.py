"""The table of quality checks as a whole: its columns, its words, and what it says of crowds nobody could quarrel about."""

import warnings

import numpy as np
import pandas as pd
import pytest

from metrics.frames import check_judgments
from metrics.quality import CHECKS, QUALITY_COLUMNS, VERDICT, assess_quality
from tests.metrics.human.rows import table


def ratings(values, **common):
    """``{assessor: [values]}`` on the items i0, i1 …"""
    rows = [
        {"assessor": who, "item": f"i{n}", "criterion": "adequacy", "value": value, "position": n}
        for who, given in values.items()
        for n, value in enumerate(given)
    ]
    return table(rows, kind="rating", **common)


@pytest.fixture(scope="module")
def honest():
    """Six people who see the same qualities with a little noise, and one who throws dice."""
    rng = np.random.default_rng(5)
    quality = rng.normal(3, 1.2, 40)
    values = {f"a{n}": np.clip(np.rint(quality + rng.normal(0, 0.6, 40)), 1, 5) for n in range(6)}
    return values | {"dice": rng.integers(1, 6, 40).astype(float)}


def verdicts(found):
    return found.rows[found.rows["check"] == VERDICT].set_index("assessor")["verdict"]


def test_the_columns_are_those_of_the_contract(honest):
    found = assess_quality(ratings(honest))
    assert tuple(found.rows.columns) == QUALITY_COLUMNS
    assert not found.rows.duplicated(["assessor", "check"]).any()
    assert set(found.meanings) == set(found.rows["check"]) <= set(CHECKS)
    assert set(verdicts(found).index) == set(honest)


def test_who_throws_dice_looks_careless_and_nobody_else(honest):
    found = assess_quality(ratings(honest))
    assert found.careless == ["dice"]
    assert verdicts(found)["dice"] == "looks careless: does not agree with the others"
    assert verdicts(found)["a0"].startswith("looks careful")


def test_the_order_of_rows_says_nothing(honest):
    judgments = ratings(honest)
    shuffled = judgments.sample(frac=1, random_state=3).reset_index(drop=True)
    pd.testing.assert_frame_equal(assess_quality(judgments).rows, assess_quality(shuffled).rows)


def test_nobody_gives_an_empty_table():
    found = assess_quality(check_judgments(ratings({"a": [1.0]}).iloc[:0]))
    assert list(found.rows.columns) == list(QUALITY_COLUMNS) and found.rows.empty and found.careless == []


def test_somebody_alone_is_not_accused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assess_quality(ratings({"a": [1.0, 3, 2, 5, 4, 1]}))
    assert found.careless == []
    assert verdicts(found)["a"].startswith("too little to tell")
    assert set(found.rows["check"]) == {"straight-lining", VERDICT}
