"""Places in texts: code points at rest, UTF-16 at the browser's edge, whole characters always."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.tasks.spans import (
    edges,
    graphemes,
    grown,
    overlap,
    parts_fault,
    word_bounds,
    words_of,
)
from metrics.cells import span_read, span_written
from tests.conftest import ROOT

CASES = json.loads(
    (ROOT / "tests" / "data" / "tasks2" / "spans" / "offsets.json").read_text(encoding="utf-8")
)["cases"]
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["span"])
def test_offsets_are_those_of_the_reference_file(case):
    """Own texts, counted in Python, JavaScript and by the formats' own rules (tests/data/README.md)."""
    text, (start, end) = case["text"], case["code_points_exclusive"]
    assert text[start:end] == case["span"]
    assert grown(text, start, end) == (start, end)
    assert parts_fault(text, ((start, end),)) == ""


@given(texts, st.data())
@example("👩‍✈️e\u0301\r\n🇩🇪🇫🇷", None)
def test_clusters_are_never_cut(text, data):
    assert "".join(graphemes(text)) == text
    found = edges(text)
    assert found[0] == 0
    assert found[-1] == len(text)
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1)) if data else 1
    end = data.draw(st.integers(start + 1, len(text))) if data else 2
    wide = grown(text, start, end)
    assert wide[0] <= start < end <= wide[1]
    assert set(wide) <= set(found)
    assert parts_fault(text, (wide,)) == ""
    if wide != (start, end):
        assert "cuts a character in two" in parts_fault(text, ((start, end),))


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ((), "no words are marked"),
        (((4, 2),), "do not rise"),
        (((0, 2), (2, 4)), "or touch each other"),
        (((3, 9),), "goes beyond the text, which has 5 characters"),
        (((0, 4),), "0:4 cuts a character in two; take 0:5"),
    ],
)
def test_a_span_that_cannot_be_is_named(parts, fault):
    assert fault in parts_fault("cafe\u0301", parts)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1))
def test_parts_survive_being_written(parts):
    assert span_read(span_written(parts)) == tuple(parts)


@pytest.mark.parametrize("written", ["", "12", "12:", "12:27+", "a:b", "-1:2"])
def test_what_is_no_span_is_refused(written):
    with pytest.raises(ValueError, match="is no span"):
        span_read(written)


def test_words_overlaps_and_short_quotations():
    assert word_bounds("On  3.5 港は") == ((0, 2), (4, 7), (8, 9), (9, 10))
    assert overlap(((0, 3),), ((2, 5),))
    assert not overlap(((0, 3),), ((3, 5),))
    assert words_of("a b  c d", ((0, 1), (5, 6))) == "a … c"
    assert len(graphemes(words_of("e\u0301" * 100, ((0, 200),)))) == 40
