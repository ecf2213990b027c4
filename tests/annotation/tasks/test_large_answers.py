"""Answers as large as the server takes (25,000 values), which no page of ours sends: they are checked while nobody else can write."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasks import KINDS
from annotation.tasks.error_spans.scene import with_error
from annotation.tasks.spans import Ground
from annotation.tasks.terms import Exhibit, Text

LONG = "word " * 4_000


@contextmanager
def quickly() -> Iterator[None]:
    """Many times what it takes, and a part of what it takes where each thing is compared with each other."""
    started = time.process_time()
    yield
    assert time.process_time() - started < 2


def spans(number: int) -> list[dict]:
    return [{"parts": [[5 * n, 5 * n + 4]], "severity": "major"} for n in range(number)]


@pytest.mark.parametrize("overlap", [True, False])
def test_a_thousand_errors_of_one_unit(overlap):
    kind = KINDS["error_spans"]
    task = kind.Config(preset="esa", beside="nothing", score=False, overlap=overlap)
    exhibit = Exhibit(outputs=(Text(LONG, (LONG,)),))
    answer = kind.Answer.model_validate({"outputs": [{"units": [{"spans": spans(1_000)}]}]})
    with quickly():
        assert kind.missing(task, exhibit, answer) == []


def test_a_thousand_errors_that_lack_something_and_stand_on_each_other():
    kind = KINDS["error_spans"]
    task = kind.Config(preset="esa", beside="nothing", score=False, overlap=False)
    exhibit = Exhibit(outputs=(Text(LONG, (LONG,)),))
    whole = [{"parts": [[n, len(LONG) - n]]} for n in range(1_000)]
    answer = kind.Answer.model_validate({"outputs": [{"units": [{"spans": whole}]}]})
    with quickly():
        found = [entry.message for entry in kind.missing(task, exhibit, answer)]
    assert sum("choose the severity" in message for message in found) == 1_000
    assert any("overlaps" in message for message in found)


def test_words_of_a_long_text_that_are_set_aside_one_by_one():
    kind = KINDS["pyramid"]
    shown = {"models": [], "scus": [{"id": "1", "label": "a", "contributors": []}]}
    exhibit = Exhibit(outputs=(Text(LONG, (LONG,)),), shown=shown, phase="matching")
    halves = [[[5 * n, 5 * n + 4]] for n in range(2_000)]
    matches = [{"scu": "1", "parts": parts} for parts in halves[:1_000]]
    answer = kind.Answer.model_validate({"matches": matches, "outside": halves[1_000:]})
    with quickly():
        assert kind.missing(kind.Config(cover=False), exhibit, answer) == []


def test_links_of_lines_that_nobody_took():
    kind = KINDS["extract"]
    lines = tuple(f"Ana: line {number}." for number in range(2_000))
    exhibit = Exhibit(document=Text("", lines), shown={"language": "en"})
    taken = list(range(1, 2_001))
    links = {str(number): ["abstract/1"] for number in taken} | {f"x{number}": [] for number in range(20_000)}
    answer = kind.Answer(abstract={"abstract": "They met."}, stage=3, extract=taken, links=links)
    with quickly():
        assert len(kind.missing(kind.Config(), exhibit, answer)) == 20_000
        assert len(kind.content(kind.Config(), exhibit, answer)["lines"]) == 2_000


def test_thousands_of_ranks():
    kind = KINDS["ranking"]
    ranks = tuple(range(24_000, 0, -1))
    with quickly():
        assert kind.amend(kind.Config(), None, kind.Answer(ranks={"rank": ranks})).ranks["rank"] == ranks


def test_an_error_is_put_into_a_paragraph_without_spaces():
    text = "".join(chr(0x4E00 + number) for number in range(6_000))
    with quickly():
        changed = with_error(text, random.Random(1))
    assert sum(one != other for one, other in zip(text, changed, strict=True)) == 2


@given(st.lists(st.sampled_from(["a", "b", "cc", "", " ", "d"]), max_size=9), st.integers(0, 9))
def test_it_is_the_one_of_all_exchanges_that_chance_takes(words, seed):
    """As it was when all of them were listed: what people have begun must not change."""
    text = " ".join(words)
    parts, joint = text.split(" "), " "
    if len(parts) < 4:
        parts, joint = list(text), ""
    pairs = [
        (first, second)
        for first in range(len(parts))
        for second in range(first + 2, len(parts))
        if parts[first] != parts[second] and parts[first].strip() and parts[second].strip()
    ]
    expected = ""
    if len(parts) >= 4 and pairs:
        first, second = random.Random(seed).choice(pairs)
        parts[first], parts[second] = parts[second], parts[first]
        expected = joint.join(parts)
    assert with_error(text, random.Random(seed)) == expected


def test_where_characters_end_takes_a_byte_for_each_of_them():
    """All models of a study are looked at when it comes in, before anything is written: 80 bytes each were gigabytes."""
    tracemalloc.start()
    grounds = [Ground("word " * 1_000) for _ in range(20)]
    assert not any(ground.fault(((0, 4),)) for ground in grounds)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 5 * 20 * 5_000
