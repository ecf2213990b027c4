"""Best and worst: two choices among several texts, what they come to, and what is refused."""

import pytest
from pydantic import ValidationError

from annotation.tasks.best_worst.kind import KIND
from tests.annotation.tasks.comparisons import RECORD, example_rows, exhibit, said_of

Config, Answer = KIND.Config, KIND.Answer
FOUR = exhibit(4)


def chosen(best=None, worst=None, **fields):
    return Answer(best={"choice": best}, worst={"choice": worst}, **fields)


def messages(config, answer):
    return [entry.message for entry in KIND.missing(config, FOUR, answer)]


def test_rows_are_those_of_the_example():
    ((criterion, wanted),) = example_rows("best_worst")
    answer = chosen(best=1, worst=2)
    assert messages(Config(), answer) == []
    rows = list(KIND.rows(Config(), FOUR, RECORD, answer))
    assert {row.criterion for row in rows} == {criterion}
    assert said_of(rows) == wanted
    assert KIND.answer(Config(), FOUR, RECORD, rows) == answer


def test_a_reason_is_kept_beside_the_choice():
    config = Config(reason="optional")
    rows = list(KIND.rows(config, FOUR, RECORD, chosen(0, 3, reason="It is clear.")))
    assert [(row.criterion, row.label, row.output) for row in rows][-1] == ("reason", "It is clear.", None)
    assert KIND.answer(config, FOUR, RECORD, rows).reason == "It is clear."


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(), ["Choose the best.", "Choose the worst."]),
        (chosen(best=2), ["Choose the worst."]),
        (chosen(worst=2), ["Choose the best."]),
        (chosen(2, 2), ["C cannot be both the best and the worst."]),
        (chosen(0, 4), ["There is no text 5."]),
    ],
)
def test_what_cannot_be_submitted_is_said_in_words(answer, said):
    assert messages(Config(), answer) == said


def test_two_texts_are_too_few_for_a_set():
    with pytest.raises(ValidationError, match="“size” is 2, and this task takes sets of 3 to 8 outputs"):
        Config(sets={"size": 2})
    assert Config().sets.size == 4


@pytest.mark.parametrize("values", [(1, 1, 0, -1), (1, 0, 0, 0), (1, -1, 0.5, 0)])
def test_a_table_without_one_best_and_one_worst_is_refused(values):
    rows = [
        row._replace(value=float(value))
        for row, value in zip(KIND.rows(Config(), FOUR, RECORD, chosen(0, 1)), values, strict=True)
    ]
    with pytest.raises(ValueError, match="needs one text with 1"):
        KIND.answer(Config(), FOUR, RECORD, rows)
