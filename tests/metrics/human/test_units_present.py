"""Content units by hand; RoSE's and REALSumm's published values are in ``tests/metrics/formats/test_content_units.py``."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.human import human_score
from metrics.human.tables import human_tables
from tests.metrics.human.rows import attributes, scores, table

VOTES = {"ann": [1, 1, 0, 0], "bob": [1, 0, 0, 1], "cy": [1, 0, 0, 1]}


def voted(votes):
    rows = [
        {"assessor": who, "unit": f"d1-ref/{n}", "value": value}
        for who, values in votes.items()
        for n, value in enumerate(values, start=1)
    ]
    return table(rows, kind="units_present", criterion="present")


def test_the_mean_over_people_and_the_majority_by_hand():
    """Two of four units by each; by majority units 1 and 4."""
    judgments = voted({"ann": [1, 1, 1, 0], "bob": [1, 0, 0, 0], "cy": [1, 0, 0, 1]})
    assert scores(human_score(judgments, "acu")) == {("A", "i1"): pytest.approx((3 + 1 + 2) / 12)}
    assert scores(human_score(judgments, "acu", votes="majority")) == {("A", "i1"): pytest.approx(1 / 4)}


def test_half_of_the_votes_is_no_majority():
    judgments = voted({"ann": [1, 1], "bob": [1, 0]})
    assert scores(human_score(judgments, "acu", votes="majority")) == {("A", "i1"): pytest.approx(1 / 2)}


def test_references_count_alike_however_many_units_they_have():
    rows = [{"unit": "r1/1", "value": 1}] + [{"unit": f"r2/{n}", "value": 0} for n in range(1, 4)]
    judgments = table(rows, kind="units_present", criterion="present")
    assert scores(human_score(judgments, "acu")) == {("A", "i1"): pytest.approx(1 / 2)}


def test_the_normalised_score_names_the_length_it_misses():
    known = attributes(("output", "A/i1", "treebank_tokens", 30))
    with pytest.raises(BadInput, match="treebank_tokens of reference d1-ref"):
        human_score(voted(VOTES), "acu-normalized", attributes=known)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 90), st.integers(1, 90))
@settings(max_examples=40, deadline=None)
def test_the_normalised_score_never_exceeds_the_share_and_is_it_up_to_the_length_of_the_reference(
    present, tokens, reference
):
    known = attributes(
        ("output", "A/i1", "treebank_tokens", tokens), ("reference", "d1-ref", "treebank_tokens", reference)
    )
    judgments = voted({"ann": [int(one) for one in present]})
    share = scores(human_score(judgments, "acu"))["A", "i1"]
    normalised = scores(human_score(judgments, "acu-normalized", attributes=known))["A", "i1"]
    assert 0 <= normalised <= share
    if tokens <= reference:
        assert normalised == pytest.approx(share)


def test_units_on_which_people_are_divided_are_shown():
    (units,) = human_tables(voted(VOTES))["t"]
    assert [(row[0], row[3]) for row in units.rows] == [
        ("d1-ref/1", 0),
        ("d1-ref/2", 1),
        ("d1-ref/3", 0),
        ("d1-ref/4", 1),
    ]
