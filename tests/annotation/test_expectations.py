"""Whether an answer meets what was expected: keys, texts made worse, marks; with the texts of a set wherever they stood."""

import pytest

from annotation.expectations import Given, expectation_met, key_met
from annotation.tasks import KINDS
from annotation.tasks.terms import Exhibit, Record, Text

RATING = {
    "criteria": [
        {"name": name, "steps": [{"value": value, "label": str(value)} for value in (1, 2, 3)]}
        for name in ("clear", "true")
    ]
}
TWO_UNITS = Text("A ferry sank.\nNobody was hurt.", ("A ferry sank.", "Nobody was hurt."))


def given(slug, config, answer, *, outputs=1, places=(), text=None):
    kind = KINDS[slug]
    texts = tuple(text or Text(f"Text {n}.", (f"Text {n}.",)) for n in range(outputs))
    return Given(
        kind,
        kind.Config.model_validate(config),
        Exhibit(outputs=texts),
        Record(set="s1") if outputs > 1 else Record(),
        kind.Answer.model_validate(answer),
        places,
    )


def rated(clear, true):
    return given("rating", RATING, {"values": {"clear": clear, "true": true}})


def preferred(winner, places):
    return given("pairwise", {}, {"choices": {"preference": {"winner": winner}}}, outputs=2, places=places)


def test_a_key_is_met_by_as_much_of_it_as_was_answered_so():
    assert expectation_met(rated(2, 3), {"values": {"clear": 2, "true": 3}}) == 1
    assert expectation_met(rated(2, 1), {"values": {"clear": 2, "true": 3}}) == 0.5
    assert expectation_met(rated(1, 1), {"values": {"true": 3}}) == 0
    assert key_met(rated(2, 3), KINDS["rating"].Answer()) is None, "a key that says nothing"


def test_a_key_of_a_set_speaks_of_its_texts_wherever_they_stood():
    first_wins = {"choices": {"preference": {"winner": 0}}}
    assert expectation_met(preferred(0, (0, 1)), first_wins) == 1
    assert expectation_met(preferred(0, (1, 0)), first_wins) == 0, "at place A stood the second text"
    assert expectation_met(preferred(1, (1, 0)), first_wins) == 1


def test_a_text_made_worse_must_be_graded_below_itself():
    below = {"below": "original"}
    assert expectation_met(rated(1, 2), below, original=rated(2, 2)) == 1
    assert expectation_met(rated(2, 2), below, original=rated(2, 2)) == 0, "not the same"
    assert expectation_met(rated(3, 2), below, original=rated(2, 2)) == 0
    assert expectation_met(rated(1, 2), below) is None, "nobody knows before the original is judged"


def test_a_text_made_worse_must_lose_in_its_set():
    below = {"below": "original"}
    assert expectation_met(preferred(0, (1, 0)), below, changed=0) == 1, "the other one stood at A and won"
    assert expectation_met(preferred(0, (0, 1)), below, changed=0) == 0
    ranks = {"ranks": {"rank": [1, 2, 3]}}
    ranking = given("ranking", {"sets": {"size": 3}}, ranks, outputs=3, places=(2, 0, 1))
    assert [expectation_met(ranking, below, changed=changed) for changed in range(3)] == [0, 1, 0]


@pytest.mark.parametrize(
    ("where", "met"), [("2/0:6", 1), ("2/7:10", 0), ("1/0:6", 0), ("14:20", 1), ("0:6", 0)]
)
def test_something_must_be_marked_at_these_characters_of_a_unit_or_of_the_whole_text(where, met):
    unit = {"spans": [{"parts": [[0, 6]], "severity": "major"}]}
    answer = {"outputs": [{"units": [{"none": True, "score": 90}, {**unit, "score": 20}]}]}
    marked = given("error_spans", {"preset": "esa"}, answer, text=TWO_UNITS)
    assert expectation_met(marked, {"marks": where}) == met


@pytest.mark.parametrize("slug", sorted(slug for slug, kind in KINDS.items() if kind.controls))
def test_every_kind_that_takes_check_items_says_how_good_a_text_is_said_to_be(slug):
    """Else nobody could tell whether a text made worse was seen to be."""
    kind = KINDS[slug]
    assert type(kind).goodness is not next(
        base.__dict__["goodness"] for base in type(kind).__mro__ if base.__name__ == "TaskKind"
    )
