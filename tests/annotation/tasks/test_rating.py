"""Ratings: presets, staged criteria, scales."""

import pytest
from pydantic import ValidationError

from annotation.tasks import KINDS
from annotation.tasks.rating.presets import PRESETS
from annotation.tasks.terms import Exhibit, NotYet, Record, Row, Text

rating = KINDS["rating"]
EXHIBIT = Exhibit(
    outputs=(Text(text="A text."),),
    reference=Text(text="The reference."),
    document=Text(text="The source.", title="Headline"),
    topic=Text(text="What is asked?"),
)


def config(**given):
    return rating.Config.model_validate(given)


@pytest.mark.parametrize(
    ("preset", "criteria", "values", "beside"),
    [
        ("tides", 2, [1, 2, 3, 4, 5], "reference"),
        ("duc2004", 7, [1, 0.75, 0.5, 0.25, 0], "nothing"),
        ("duc2005", 5, [1, 2, 3, 4, 5], "nothing"),
        ("summeval", 4, [1, 2, 3, 4, 5], "source"),
        ("qa-correctness", 1, [0, 0.5, 1], "question"),
    ],
)
def test_presets_are_those_of_the_table(preset, criteria, values, beside):
    made = config(preset=preset)
    assert len(made.criteria) == criteria
    assert [step.value for step in made.criteria[0].steps] == values
    assert made.beside == beside


def test_direct_assessment_is_a_slider_from_0_to_100():
    (criterion,) = config(preset="direct-assessment").criteria
    assert (criterion.slider.low, criterion.slider.high) == (0, 100)
    assert criterion.allows(0)
    assert not criterion.allows(100.5)
    assert not criterion.allows(None)


def test_what_a_preset_says_can_be_overridden():
    assert config(preset="direct-assessment", beside="source").beside == "source"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"preset": "tidse"}, "unknown preset"),
        ({}, "name a preset"),
        ({"criteria": [{"name": "a"}]}, "either steps or a slider"),
        (
            {"criteria": [{"name": "a", "steps": [{"value": 1, "label": "x"}, {"value": 1, "label": "y"}]}]},
            "own value",
        ),
        ({"criteria": [{"name": "a", "slider": {"low": 5, "high": 5}}]}, "rise from low to high"),
        ({"criteria": [{"name": "a", "slider": {}}, {"name": "a", "slider": {}}]}, "same name"),
        (
            {"criteria": [{"name": "a", "slider": {}}, {"name": "b", "slider": {}, "alone": True}]},
            "come first",
        ),
        ({"preset": "tides", "colour": "red"}, "Extra inputs"),
    ],
)
def test_a_bad_configuration_says_what_is_wrong(given, word):
    with pytest.raises(ValidationError, match=word):
        config(**given)


def test_the_tides_reference_is_not_on_the_page_before_fluency_is_confirmed():
    tides = config(preset="tides")
    for answer in (None, rating.Answer(), rating.Answer(values={"fluency": 3})):
        assert "The reference." not in str(rating.content(tides, EXHIBIT, answer))
    confirmed = rating.advance(tides, EXHIBIT, rating.Answer(values={"fluency": 3}))
    assert rating.content(tides, EXHIBIT, confirmed)["context"]["text"] == "The reference."


def test_fluency_must_be_rated_before_it_can_be_confirmed():
    with pytest.raises(NotYet, match="Rate fluency"):
        rating.advance(config(preset="tides"), EXHIBIT, rating.Answer(values={"adequacy": 3}))


def test_a_confirmed_fluency_stays_whatever_the_browser_sends():
    tides = config(preset="tides")
    before = rating.Answer(values={"fluency": 3}, confirmed=True)
    sent = rating.Answer(values={"fluency": 5, "adequacy": 2}, confirmed=False)
    assert rating.amend(tides, before, sent) == rating.Answer(
        values={"fluency": 3, "adequacy": 2}, confirmed=True
    )


def test_a_browser_cannot_confirm_by_itself():
    tides = config(preset="tides")
    sent = rating.Answer(values={"fluency": 5, "adequacy": 2}, confirmed=True)
    amended = rating.amend(tides, None, sent)
    assert [entry.field for entry in rating.missing(tides, EXHIBIT, amended)] == ["fluency"]


def test_missing_answers_are_named_in_the_order_of_the_page():
    summeval = config(preset="summeval")
    found = rating.missing(summeval, EXHIBIT, rating.Answer(values={"consistency": 6, "colour": 1}))
    assert [entry.field for entry in found] == ["colour", "coherence", "consistency", "fluency", "relevance"]
    assert "6 is not on the scale" in found[2].message


@pytest.mark.parametrize(
    ("beside", "text"),
    [("reference", "The reference."), ("source", "The source."), ("question", "What is asked?")],
)
def test_the_text_beside_is_what_the_study_asks_for(beside, text):
    free = config(criteria=[{"name": "a", "slider": {}}], beside=beside)
    assert rating.content(free, EXHIBIT, None)["context"]["text"] == text


def test_rows_carry_value_and_label():
    qa = config(preset="qa-correctness")
    rows = list(rating.rows(qa, EXHIBIT, Record(), rating.Answer(values={"correctness": 0.5})))
    assert rows == [Row("", "correctness", 0.5, "somehow related")]


def test_feedback_compares_with_the_key():
    qa = config(preset="qa-correctness")
    key = rating.Answer(values={"correctness": 1.0})
    (wrong,) = rating.feedback(qa, EXHIBIT, rating.Answer(values={"correctness": 0.0}), key)
    assert not wrong.correct
    assert "you said wrong, we would say correct" in wrong.message


def test_every_preset_asks_in_words():
    for preset in PRESETS:
        assert all(criterion.question for criterion in config(preset=preset).criteria)
