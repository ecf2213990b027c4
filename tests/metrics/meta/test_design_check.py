"""The design check on designs whose faults are known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meta.design_check import check_design


def crossed(systems=6, items=8, assessors=3):
    shape = (assessors, systems, items)
    index = pd.MultiIndex.from_product(
        [[f"{letter}{k}" for k in range(size)] for letter, size in zip("asi", shape, strict=True)],
        names=["assessor", "system", "item"],
    )
    values = np.random.default_rng(4).normal(3, 1, len(index))
    return pd.Series(values, index=index, name="value").reset_index()


def test_a_crossed_design_passes_without_a_word():
    check = check_design(crossed())
    assert check.warnings == ()
    assert check.may_rank
    assert check.may_correlate
    assert check.connected
    assert check.balanced
    assert check.complete
    assert check.may_generalise == ("items", "assessors")


def test_assessors_who_each_judged_systems_of_their_own_forbid_a_ranking_and_the_groups_are_named():
    table = crossed()
    half = table["system"].isin(["s0", "s1", "s2"])
    apart = table[(half & (table["assessor"] == "a0")) | (~half & (table["assessor"] != "a0"))]
    check = check_design(apart)
    assert not check.may_rank
    assert not check.connected
    assert "s0, s1, s2 | s3, s4, s5" in check.warnings[0].sentence


def test_one_system_in_common_connects_two_groups_of_assessors():
    table = crossed()
    first = table["system"].isin(["s0", "s1", "s2"]) & (table["assessor"] == "a0")
    others = table["system"].isin(["s2", "s3", "s4", "s5"]) & (table["assessor"] != "a0")
    assert check_design(table[first | others]).connected


def test_systems_on_items_of_their_own_forbid_a_ranking():
    table = crossed()
    table["item"] += np.where(table["system"] < "s3", "", "-other")
    assert "items-not-connected" in check_design(table).codes
    assert not check_design(table).may_rank


def test_a_lenient_assessor_confounded_with_a_system_is_named_with_the_size_of_the_shift():
    table = crossed(assessors=4)
    table["value"] += 2.0 * (table["assessor"] == "a0")
    table = table[~((table["assessor"] == "a0") & (table["system"] != "s0") & (table["item"] > "i0"))]
    check = check_design(table)
    assert "leniency-confounded" in check.codes
    assert max(check.leniency, key=check.leniency.get) == "s0"
    # a0 gave a quarter of the judgments of s0, and one in 25 of the others': 2 · (1/4 − 1/25) = .42, less a sixth.
    assert check.leniency["s0"] == pytest.approx(0.42 * 5 / 6, abs=0.12)


def test_unequal_shares_of_equal_assessors_are_a_note_only():
    table = crossed(items=30)
    rng = np.random.default_rng(1)
    table["value"] = table["system"].str[1:].astype(int) + rng.normal(0, 0.1, len(table))
    table = table[rng.random(len(table)) < 0.9]
    assert check_design(table).codes in {("not-balanced",), ("not-balanced", "items-differ")}
    assert check_design(table).may_rank


@pytest.mark.parametrize(("items", "allowed"), [(4, False), (5, True)])
def test_below_five_items_no_system_is_called_best(items, allowed):
    check = check_design(crossed(items=items))
    assert check.may_rank is allowed
    assert ("few-items" in check.codes) is not allowed


def test_a_system_with_few_items_is_named_unless_all_have_as_few():
    def said(table):
        (warning,) = [one for one in check_design(table).warnings if one.code == "few-items"]
        return warning.sentence

    assert said(crossed(items=3)).startswith("Each system was judged on 3 items: below 5 items")
    whole = crossed()
    assert said(whole[(whole["system"] != "s2") | (whole["item"] < "i1")]).startswith(
        "s2 was judged on 1 item: "
    )


@pytest.mark.parametrize(("systems", "allowed"), [(4, False), (5, True)])
def test_below_five_systems_no_metric_is_called_good_and_no_system_best(systems, allowed):
    check = check_design(crossed(systems=systems))
    assert (check.may_correlate, check.may_rank) == (allowed, allowed)


def test_one_assessor_is_said():
    check = check_design(crossed(assessors=1))
    assert "one-assessor" in check.codes
    assert check.may_generalise == ("items",)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3, st.floats(-5, 5)), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_table_gets_an_answer_and_every_sentence_ends(rows):
    check = check_design(pd.DataFrame(rows, columns=["assessor", "system", "item", "value"]))
    assert all(warning.sentence.endswith(".") for warning in check.warnings)
    assert check.may_rank == (not any(warning.severity == "stop" for warning in check.warnings))
