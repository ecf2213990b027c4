"""Ratings: means and medians over assessors, plain and length-weighted system scores, and who is left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.human import human_score, human_summary
from tests.metrics.human.rows import attributes, scores, table


def rated(assessor, system, item, value, criterion="adequacy", **more):
    return {
        "assessor": assessor,
        "system": system,
        "item": item,
        "criterion": criterion,
        "value": value,
    } | more


def test_an_item_score_is_the_mean_or_median_over_assessors():
    judgments = table([rated(f"a{n}", "A", "i1", value) for n, value in enumerate([1, 4, 5])], kind="rating")
    assert scores(human_score(judgments, "adequacy")) == {("A", "i1"): pytest.approx(10 / 3)}
    assert scores(human_score(judgments, "adequacy", average="median")) == {("A", "i1"): 4}


def test_combined_is_the_mean_of_adequacy_and_fluency():
    judgments = table(
        [
            rated("a1", "A", "i1", 4),
            rated("a1", "A", "i1", 1, "fluency"),
            rated("a2", "A", "i1", 2),
            rated("a2", "A", "i1", 5, "fluency"),
        ],
        kind="rating",
    )
    assert scores(human_score(judgments, "combined")) == {("A", "i1"): 3.0}


def test_a_system_score_weighted_by_length_follows_the_long_outputs():
    """Leusch et al. §3.5: 30 tokens at 5 and 10 at 1 give (150 + 10)/40 = 4, the plain mean 3."""
    judgments = table([rated("a1", "A", "i1", 5), rated("a1", "A", "i2", 1)], kind="rating")
    known = attributes(("output", "A/i1", "tokens", 30), ("output", "A/i2", "tokens", 10))
    score = human_score(judgments, "adequacy")
    weighted = score.system_scores(weights="tokens", attributes=known)
    assert weighted["score"].tolist() == [np.average([5, 1], weights=[30, 10])] == [4.0]
    assert score.system_scores()["score"].tolist() == [3.0]
    assert weighted["item"].tolist() == [""]


def test_practice_and_control_items_never_enter_a_score():
    judgments = table(
        [
            rated("a1", "A", "i1", 4),
            rated("a1", "A", "i1", 1, practice=True),
            rated("a1", "A", "i1", 1, control="repeat"),
            rated("a1", "A", "i1", 1, control="degraded"),
        ],
        kind="rating",
    )
    assert scores(human_score(judgments, "adequacy")) == {("A", "i1"): 4}
    assert scores(human_score(judgments, "adequacy", controls=True)) == {("A", "i1"): 4}


def test_only_the_newest_revision_counts():
    judgments = table(
        [
            rated("a1", "A", "i1", 1, revision=1, position=7),
            rated("a1", "A", "i1", 5, revision=2, position=7),
        ],
        kind="rating",
    )
    assert scores(human_score(judgments, "adequacy")) == {("A", "i1"): 5}


def test_two_tasks_with_the_same_criterion_must_be_told_apart():
    judgments = table(
        [rated("a1", "A", "i1", 1, task="one"), rated("a1", "A", "i1", 5, task="two")], kind="rating"
    )
    with pytest.raises(BadInput, match="s/one, s/two"):
        human_score(judgments, "adequacy")
    assert scores(human_score(judgments, "adequacy", task="two")) == {("A", "i1"): 5}


def test_a_criterion_called_like_a_score_is_found_in_a_rating_task():
    judgments = table([rated("a1", "A", "i1", 3, "coverage")], kind="rating")
    assert scores(human_score(judgments, "coverage")) == {("A", "i1"): 3}


def test_an_unknown_score_is_refused_with_those_that_exist():
    judgments = table([rated("a1", "A", "i1", 3, "clarity")], kind="rating")
    with pytest.raises(BadInput, match=r"clarity, found 'fluency'"):
        human_score(judgments, "fluency")


def test_the_summary_counts_items_judgments_and_assessors():
    judgments = table(
        [
            rated("a1", "A", "i1", 4),
            rated("a2", "A", "i1", 2),
            rated("a1", "A", "i2", 5),
            rated("a1", "B", "i1", 1),
            rated("a1", "B", "i1", 1, practice=True),
        ],
        kind="rating",
        task="adequacy-task",
    )
    summary = human_summary(judgments)
    columns = ["task", "score", "system", "mean", "pooled", "items", "judgments", "assessors"]
    assert list(summary.columns) == columns
    assert summary["pooled"].isna().all(), "a mean of ratings is all there is to say"
    assert summary.drop(columns="pooled").to_numpy().tolist() == [
        ["adequacy-task", "adequacy", "A", 4.0, 2, 3, 2],
        ["adequacy-task", "adequacy", "B", 1.0, 1, 1, 1],
    ]


def test_the_summary_of_no_judgments_is_an_empty_table():
    assert human_summary(table([], kind="rating")).empty


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("XY"), st.sampled_from("123"), st.integers(1, 5)),
        min_size=3,
        max_size=25,
        unique_by=lambda row: row[:3],
    ),
    st.randoms(use_true_random=False),
    st.sampled_from(["none", "mean", "rank"]),
)
@settings(max_examples=20, deadline=None)
def test_scores_do_not_depend_on_the_order_of_rows(rows, random, normalise):
    shuffled = random.sample(rows, len(rows))
    one, other = (
        human_score(table([rated(*row) for row in some], kind="rating"), "adequacy", normalise=normalise)
        for some in (rows, shuffled)
    )
    assert scores(one) == pytest.approx(scores(other))
