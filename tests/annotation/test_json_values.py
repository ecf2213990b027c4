"""JSON from outside: what nobody can use later is refused at once, in words."""

import json
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.json_values import DEEPEST, has_more_values, json_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**100), 10**100) | st.floats(-1e100, 1e100) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(VALUES)
def test_what_python_writes_comes_back(value):
    assert json_value(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ("1e999", "the number 1e999 is too large"),
        ("-1e101", "the number -1e101 is too large"),  # two of 1e308 add up to no number
        ("[" + "9" * 400 + "]", "the number 99999999… (400 characters) is too large"),
        ("9" * 5_000, "the number 99999999… (5,000 characters) is too large"),
        ('{"a": 1, "b": 2, "a": 3}', "the key “a” is there twice"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":', "Expecting value (character 6)"),
        ('{\n"a":', "Expecting value (line 2, character 5)"),
        ("", "Expecting value (character 1)"),
    ],
)
def test_what_nobody_can_use_is_refused_in_words(text, words):
    with pytest.raises(ValueError) as refused:
        json_value(text)
    assert str(refused.value) == words


def test_the_largest_number_that_can_be_counted_with_is_taken():
    assert json_value("9" * 100) == int("9" * 100)
    assert json_value("-1e100") == -1e100
    assert json_value(str(sys.float_info.min)) == sys.float_info.min


def test_so_many_levels_are_taken():
    assert json_value("[" * DEEPEST + "]" * DEEPEST)


def test_a_key_twice_among_many_is_found_quickly():
    keys = ",".join(f'"{number}": 1' for number in [*range(40_000), 39_999])
    started = time.process_time()
    with pytest.raises(ValueError, match="“39999” is there twice"):
        json_value(f"{{{keys}}}")
    # Each key was looked for among all: 390 KB took 36 s of a processor, and twice as many keys four times as long.
    assert time.process_time() - started < 3


def test_values_are_counted_at_all_depths_as_far_as_needed():
    value = {"a": [1, 2, {"b": "x"}], "c": None}
    assert has_more_values(value, 6)
    assert not has_more_values(value, 7)
