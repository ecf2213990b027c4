"""SEE: what can be submitted, and how a judgment becomes rows (spec: Lin & Hovy 2003, §2)."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy.stats import norm

from annotation.tasks import KINDS
from annotation.tasks.letters import letter
from annotation.tasks.see.kind import QUALITY, SCALES
from annotation.tasks.terms import Exhibit, Record, Row, Text

see = KINDS["see"]
RECORD = Record(reference="ref/1")
EXHIBIT = Exhibit(
    outputs=(Text(units=("One.", "Two.", "Three.")),),
    reference=Text(units=("Alpha.", "Beta.")),
)
GOOD = {
    "units": [{"marks": [0, 2], "grade": 0.75}, {"marks": [], "grade": 0.0}],
    "quality": dict.fromkeys(QUALITY, 1.0),
}


def missing(answer, **config):
    return see.missing(see.Config(**config), EXHIBIT, see.Answer.model_validate(answer))


def test_a_complete_answer_can_be_submitted():
    assert missing(GOOD) == []


@pytest.mark.parametrize(
    ("unit", "word"),
    [
        ({"marks": [0], "grade": None}, "Grade unit 1."),
        ({"marks": [0], "grade": 0.0}, "graded it none"),
        ({"marks": [], "grade": 0.5}, "Mark the peer units"),
        ({"marks": [], "grade": None}, "or choose none"),
        ({"marks": [3], "grade": 0.5}, "not units of the peer"),
        ({"marks": [1, 1], "grade": 0.5}, "not units of the peer"),
        ({"marks": [1], "grade": 0.8}, "not on the scale"),
    ],
)
def test_marks_and_grade_must_fit_each_other(unit, word):
    found = missing(GOOD | {"units": [unit, GOOD["units"][1]]})
    assert [entry.field for entry in found] == ["units.0"]
    assert word in found[0].message


def test_zero_is_an_answer_and_blank_is_not():
    assert missing(GOOD | {"quality": dict.fromkeys(QUALITY, 0.0)}) == []
    blank = missing(GOOD | {"quality": {}})
    assert [entry.field for entry in blank] == [f"quality.{name}" for name in QUALITY]


def test_the_scale_of_2002_has_six_grades():
    units = [{"marks": [0], "grade": 0.8}, {"marks": [0], "grade": 0.2}]
    assert missing(GOOD | {"units": units}, scale="duc2002") == []
    assert len(see.content(see.Config(scale="duc2002"), EXHIBIT, None)["grades"]) == 6


def test_related_is_asked_only_where_units_are_unmarked():
    assert [entry.field for entry in missing(GOOD, related=True)] == ["related"]
    all_marked = [{"marks": [0, 1, 2], "grade": 1.0}, {"marks": [], "grade": 0.0}]
    assert missing(GOOD | {"units": all_marked}, related=True) == []


def test_rows_name_reference_unit_and_peer_unit():
    rows = list(see.rows(see.Config(), EXHIBIT, RECORD, see.Answer.model_validate(GOOD)))
    assert rows[:4] == [
        Row("ref/1/1", "coverage", 0.75, "most"),
        Row("ref/1/1:1", "mark", 1.0, ""),
        Row("ref/1/1:3", "mark", 1.0, ""),
        Row("ref/1/2", "coverage", 0.0, "none"),
    ]
    assert {row.criterion for row in rows[4:]} == set(QUALITY)


def test_the_2004_variant_gives_one_estimate_for_the_whole_model():
    config = see.Config(variant="duc2004", quality=False)
    answer = see.Answer(marks=(0, 1), coverage=0.5)
    assert see.missing(config, EXHIBIT, answer) == []
    rows = list(see.rows(config, EXHIBIT, RECORD, answer))
    assert rows[0] == Row("ref/1", "coverage", 0.5, "some")
    assert [row.unit for row in rows[1:]] == ["ref/1:1", "ref/1:2"]
    assert see.answer(config, EXHIBIT, RECORD, rows) == answer


def test_feedback_says_what_the_key_expects():
    key = see.Answer.model_validate({"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]})
    lines = see.feedback(see.Config(), EXHIBIT, see.Answer.model_validate(GOOD), key)
    assert [line.correct for line in lines] == [False, False, True]
    assert "we would say all" in lines[0].message
    assert "marked a" in lines[1].message


def test_an_unknown_criterion_is_named():
    with pytest.raises(ValueError, match="colour"):
        see.answer(see.Config(), EXHIBIT, RECORD, [Row("ref/1", "colour", 1.0, "")])


def test_units_beyond_z_have_two_letters():
    assert [letter(i) for i in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]


def test_every_unit_of_a_long_text_has_a_name_of_its_own():
    names = [letter(i) for i in range(2000)]
    assert len(set(names)) == 2000
    assert all(name.isascii() and name.isalpha() and name.islower() for name in names)
    assert names[701:703] == ["zz", "aaa"]


def test_feedback_compares_the_marks_and_the_estimate_of_the_whole_model():
    config = see.Config(variant="duc2004", quality=False)
    key = see.Answer(marks=(1,), coverage=0.5)
    lines = see.feedback(config, EXHIBIT, see.Answer(marks=(0,), coverage=0.5), key)
    assert [(line.correct, line.message) for line in lines] == [
        (True, "Coverage: some, as we would say."),
        (False, "Coverage: we would have marked b."),
    ]
    assert len(see.feedback(config, EXHIBIT, see.Answer(marks=(1,), coverage=0.5), key)) == 1


def test_feedback_compares_related_units():
    config = see.Config(related=True, quality=False)
    key = see.Answer(related=0.25)
    (line,) = see.feedback(config, EXHIBIT, see.Answer.model_validate(GOOD | {"related": 1.0}), key)
    assert line == ("related", False, "Related units: you said all, we would say hardly any.")


@pytest.mark.parametrize(
    ("config", "answer", "field"),
    [
        ({}, {"quality": {"cohesion": 3}}, "quality.cohesion"),
        ({}, {"quality": {"charm": 1}}, "quality.charm"),
        ({"quality": False}, {"quality": {"cohesion": 1}}, "quality.cohesion"),
        ({}, {"related": 1}, "related"),
        ({"related": True}, {"related": 0.9}, "related"),
        ({}, {"coverage": 1}, "coverage"),
        ({"variant": "duc2004"}, {"units": [{"grade": 0}]}, "units"),
    ],
)
def test_what_is_not_asked_or_not_on_the_scale_cannot_be_submitted(config, answer, field):
    assert field in [entry.field for entry in missing(answer, **config)]
    key = see.Answer.model_validate(answer)
    assert len(see.key_faults(see.Config(**config), EXHIBIT, key)) == 1


def test_made_up_grades_scatter_around_the_quality_of_the_text():
    """Each grade is one draw, rounded to the scale: its chances are those of the normal distribution (SciPy)."""
    units = 20_000
    exhibit = replace(EXHIBIT, reference=Text(units=("Alpha.",) * units))
    config = see.Config(quality=False)
    answer = see.simulate(config, exhibit, RECORD, qualities=[0.4], rng=random.Random(1))
    seen = Counter(unit.grade for unit in answer.units)
    scale = sorted(value for _, value in SCALES[config.scale])
    ends = [-float("inf"), *((low + high) / 2 for low, high in pairwise(scale)), float("inf")]
    for grade, (low, high) in zip(scale, pairwise(ends), strict=True):
        expected = norm.cdf(high, 0.4, 0.2) - norm.cdf(low, 0.4, 0.2)
        assert seen[grade] / units == pytest.approx(expected, abs=0.015), grade
