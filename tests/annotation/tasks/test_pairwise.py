"""Pairwise preference: what can be said of two texts, what it comes to, and what is refused."""

import pytest
from pydantic import ValidationError

from annotation.study_files.schema import Materials, OutputRow
from annotation.tasks.pairwise.kind import KIND
from tests.annotation.tasks.comparisons import RECORD, example_rows, exhibit, said_of

Config, Answer = KIND.Config, KIND.Answer
PAIR = exhibit(2)


def chosen(winner=None, tie="", strength=0, **fields):
    return Answer(choices={"preference": {"winner": winner, "tie": tie, "strength": strength}}, **fields)


def messages(config, answer):
    return [entry.message for entry in KIND.missing(config, PAIR, answer)]


@pytest.mark.parametrize(
    ("number", "answer"),
    [(0, chosen(winner=1, strength=2)), (1, chosen(tie="both bad"))],
    ids=["wins", "tie"],
)
def test_rows_are_those_of_the_example(number, answer):
    config = Config(strength=3, tie_kinds=("both good", "both bad"))
    criterion, wanted = example_rows("pairwise")[number]
    assert messages(config, answer) == []
    rows = list(KIND.rows(config, PAIR, RECORD, answer))
    assert {row.criterion for row in rows} == {criterion}
    assert {row.unit for row in rows} == {"s1"}
    assert said_of(rows) == wanted
    assert KIND.answer(config, PAIR, RECORD, rows) == answer


def test_without_strength_a_win_counts_one():
    rows = list(KIND.rows(Config(), PAIR, RECORD, chosen(winner=0)))
    assert said_of(rows) == [(0, 1.0, "better"), (1, -1.0, "worse")]


@pytest.mark.parametrize(
    ("config", "answer", "said"),
    [
        (Config(), Answer(), ["Say which is better, or that they are equal."]),
        (Config(ties=False), Answer(), ["Say which is better."]),
        (Config(ties=False), chosen(tie="tie"), ["“tie” is not among the answers."]),
        (Config(), chosen(tie="both bad"), ["“both bad” is not among the answers."]),
        (Config(), chosen(0, "tie"), ["Say either which is better or that they are equal, not both."]),
        (Config(strength=2), chosen(0), ["Say by how much."]),
        (Config(strength=2), chosen(0, strength=3), ["Say by how much."]),
        (Config(), chosen(0, strength=2), ["Say by how much."]),
        (Config(reason="required"), chosen(0, reason=" "), ["Give the reason in a sentence."]),
        (Config(reason="off"), chosen(0, reason="So."), ["No reason is asked for."]),
        (
            Config(criteria=({"name": "fluency"}, {"name": "preference"})),
            chosen(0),
            ["Fluency: Say which is better, or that they are equal."],
        ),
        (Config(criteria=({"name": "fluency"},)), chosen(0), ["There is no criterion “preference”."]),
    ],
)
def test_what_cannot_be_submitted_is_said_in_words(config, answer, said):
    assert messages(config, answer)[: len(said)] == said


def test_no_third_text_can_win():
    with pytest.raises(ValidationError):
        chosen(winner=2)


@pytest.mark.parametrize(
    ("config", "keys", "labels"),
    [
        (Config(), ["1", "0", "2"], ["A is better", "They are equal", "B is better"]),
        (Config(ties=False), ["1", "2"], ["A is better", "B is better"]),
        (
            Config(strength=2),
            ["1", "2", "3", "4", "5"],
            ["A is much better", "A is better", "They are equal", "B is better", "B is much better"],
        ),
        (
            Config(tie_kinds=("both good", "both bad")),
            ["1", "2", "3", "4"],
            ["A is better", "Both good", "Both bad", "B is better"],
        ),
    ],
)
def test_buttons_go_from_one_text_to_the_other_with_keys_from_left_to_right(config, keys, labels):
    buttons = KIND.content(config, PAIR, None)["choices"]
    assert [button["key"] for button in buttons] == keys
    assert [button["label"] for button in buttons] == labels


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sets": {"size": 3}}, "“size” is 3, and this task takes sets of 2"),
        ({"sets": {"pick": "swiss"}}, "let “per_item” be 2 or more, as many as an item gets in all"),
        (
            {"sets": {"pick": "active", "per_item": 1}},
            "“pick: active” makes a first set of each item beforehand",
        ),
        ({"sets": {"pick": "anchor"}}, "needs “anchor”"),
        ({"sets": {"anchor": "x"}}, "used only with “pick: anchor”"),
        ({"tie_kinds": []}, "“tie_kinds” must be a list of different words"),
        ({"tie_kinds": ["better"]}, "cannot be named “better”"),
        ({"strength": 5}, "less than or equal to 4"),
        ({"criteria": [{"name": "a"}, {"name": "a"}]}, "two criteria have the same name"),
        ({"criteria": [{"name": "reason"}]}, "no criterion can be named “reason”"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused_in_words(given, said):
    with pytest.raises(ValidationError, match=said):
        Config.model_validate(given)


@pytest.mark.parametrize(
    ("values", "labels", "said"),
    [
        ((1, 1), ("better", "better"), "what one wins the other loses"),
        ((0, 0), ("tie", "both bad"), "two kinds of tie"),
        ((1.5, -1.5), ("better", "worse"), "no whole number"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(values, labels, said):
    rows = [
        row._replace(value=value, label=label)
        for row, value, label in zip(
            KIND.rows(Config(), PAIR, RECORD, chosen(0)), values, labels, strict=True
        )
    ]
    with pytest.raises(ValueError, match=said):
        KIND.answer(Config(), PAIR, RECORD, rows)
    with pytest.raises(ValueError, match="no row for one of the set’s outputs"):
        KIND.answer(Config(), PAIR, RECORD, rows[:1])


def outputs(*rows):
    return Materials(outputs=tuple(OutputRow(system=s, document=d, text=t) for s, d, t in rows), seed=1)


def test_an_anchor_must_be_on_every_item():
    materials = outputs(("a", "d1", "One."), ("b", "d1", "Two."), ("b", "d2", "One."), ("c", "d2", "Two."))
    (fault,) = KIND.faults(Config(sets={"pick": "anchor", "anchor": "a"}), materials)
    assert (fault.table, fault.row) == ("outputs", 2)
    assert "the anchor “a” has no output on “d2”" in fault.message
    (fault,) = KIND.faults(Config(sets={"pick": "anchor", "anchor": "z"}), materials)
    assert "the anchor “z” has no output" in fault.message


def test_texts_that_are_the_same_everywhere_leave_nothing_to_compare():
    (fault,) = KIND.faults(Config(), outputs(("a", "d1", "One."), ("b", "d1", " One. ")))
    assert "no item has two different outputs" in fault.message
    assert not list(KIND.subjects(Config(), outputs(("a", "d1", "One."), ("b", "d1", " One. "))))


def test_what_stands_beside_is_needed():
    assert KIND.needs(Config(beside="both")) == {"document", "reference"}
    assert KIND.needs(Config(beside="question")) == set()
