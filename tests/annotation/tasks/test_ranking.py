"""Ranking: ranks with and without ties, what they come to, and what is refused."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.tasks.ranking.kind import KIND
from tests.annotation.tasks.comparisons import RECORD, example_rows, exhibit, said_of

Config, Answer = KIND.Config, KIND.Answer
FOUR = exhibit(4)


def ranked(*ranks, **fields):
    return Answer(ranks={"rank": ranks}, **fields)


def messages(config, answer, shown=FOUR):
    return [entry.message for entry in KIND.missing(config, shown, answer)]


def test_rows_are_those_of_the_example():
    ((criterion, wanted),) = example_rows("ranking")
    answer = KIND.amend(Config(), None, ranked(2, 4, 1, 2))  # dense: 2, 3, 1, 2
    assert messages(Config(), answer) == []
    rows = list(KIND.rows(Config(), FOUR, RECORD, answer))
    assert {row.criterion for row in rows} == {criterion}
    assert said_of(rows) == wanted
    assert KIND.answer(Config(), FOUR, RECORD, rows) == answer


@given(st.lists(st.integers(1, 8), min_size=2, max_size=8))
def test_ranks_are_kept_dense_and_in_the_same_order(ranks):
    kept = KIND.amend(Config(), None, ranked(*ranks)).ranks["rank"]
    assert sorted(set(kept)) == list(range(1, len(set(ranks)) + 1))
    assert [(a < b) - (a > b) for a, b in itertools.pairwise(kept)] == [
        (a < b) - (a > b) for a, b in itertools.pairwise(ranks)
    ]


def test_a_draft_keeps_the_ranks_that_were_given():
    assert KIND.amend(Config(), None, ranked(4, None, None, 4)) == ranked(4, None, None, 4)


def test_imported_ranks_stay_as_they_are():
    rows = list(KIND.rows(Config(), FOUR, RECORD, ranked(1, 5, 5, 3)))
    assert KIND.answer(Config(), FOUR, RECORD, rows) == ranked(1, 5, 5, 3)


@pytest.mark.parametrize(
    ("config", "answer", "said"),
    [
        (Config(), ranked(1, 2, None, 3), ["C has no rank."]),
        (Config(), Answer(), [f"{letter} has no rank." for letter in "ABCD"]),
        (Config(ties=False), ranked(2, 1, 2, 3), ["A and C share rank 2; give them different ranks."]),
        (Config(ties=False), ranked(1, 1, 1, 3), ["A, B and C share rank 1; give them different ranks."]),
        (Config(), ranked(0, 1, 2, 3), ["A has rank 0; the best is 1."]),
        (Config(), ranked(1, 2), ["Give each text one rank. Texts: 4; ranks: 2."]),
        (
            Config(criteria=({"name": "rank"}, {"name": "fluency"})),
            Answer(ranks={"rank": (1, 1, 1, 1), "fluency": (1, 1, 1, None)}),
            ["Fluency: D has no rank."],
        ),
    ],
)
def test_what_cannot_be_submitted_is_said_in_words(config, answer, said):
    assert messages(config, answer) == said


def test_the_field_of_what_is_missing_leads_to_the_text():
    (missing,) = KIND.missing(Config(), FOUR, ranked(1, 2, None, 3))
    assert missing.field == "rank:2"


def test_a_set_has_five_texts_unless_the_study_says_otherwise():
    assert Config().sets.size == 5
    assert Config(sets={"pick": "all"}).sets.size == 5
    assert Config(sets={"size": 3}).sets.size == 3
    with pytest.raises(ValidationError, match="less than or equal to 8"):
        Config(sets={"size": 9})


def test_a_rank_that_is_no_whole_number_is_refused():
    rows = [row._replace(value=1.5) for row in KIND.rows(Config(), FOUR, RECORD, ranked(1, 2, 3, 4))]
    with pytest.raises(ValueError, match="a rank that is no whole number"):
        KIND.answer(Config(), FOUR, RECORD, rows)
