"""The alignment of METEOR against trying out every mapping."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic import meteor_alignment
from metrics.automatic.meteor import alignment
from metrics.automatic.meteor_alignment import Alignment, Group, ListedGroup, align
from metrics.automatic.meteor_modules import Words

LETTERS = st.lists(st.sampled_from("aabc"), max_size=6)
EDGES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=10, unique=True)


def crosses(one, other):
    """The formula of Banerjee & Lavie 2005, §2.2."""
    return (one[0] - other[0]) * (one[1] - other[1]) < 0


def tried_out(edges):
    """Size, crossings and chunks of the best of all mappings: largest, then fewest crossings, then fewest chunks."""
    for size in range(len(edges), -1, -1):
        costs = []
        for chosen in combinations(sorted(edges), size):
            if len({i for i, _ in chosen}) == size == len({j for _, j in chosen}):
                crossings = sum(crosses(a, b) for a, b in combinations(chosen, 2))
                runs = sum((i - 1, j - 1) not in chosen for i, j in chosen)
                costs.append((crossings, runs))
        if costs:
            return (size, *min(costs))
    raise AssertionError("the empty mapping always fits")


def found(result):
    return (result.matches, result.crossings, result.chunks)


def exact(output, reference):
    return alignment(Words(output, None), Words(reference, None), ["exact"])


@settings(max_examples=200, deadline=None)
@given(output=LETTERS, reference=LETTERS)
def test_it_is_the_largest_with_the_fewest_crossings_and_chunks(output, reference):
    edges = [(i, j) for i, a in enumerate(output) for j, b in enumerate(reference) if a == b]
    if len(edges) <= 14:
        result = exact(output, reference)
        assert found(result) == tried_out(edges)
        assert result.exact


@settings(max_examples=150, deadline=None)
@given(edges=EDGES)
def test_it_is_so_too_where_only_some_words_fit(edges):
    def stage(free_output, free_reference):
        return [], [ListedGroup(sorted(edges))] if edges else []

    assert found(align(5, 5, [stage])) == tried_out(edges)


@settings(max_examples=100, deadline=None)
@given(output=LETTERS, reference=LETTERS)
def test_the_beam_finds_as_many_words_and_never_fewer_crossings(output, reference):
    whole = exact(output, reference)
    limit = meteor_alignment.EXACT_STATES
    meteor_alignment.EXACT_STATES = 1
    try:
        beam = exact(output, reference)
    finally:
        meteor_alignment.EXACT_STATES = limit
    assert beam.matches == whole.matches
    assert (beam.crossings, beam.chunks) >= (whole.crossings, whole.chunks)
    assert len({i for i, _ in beam.pairs}) == len({j for _, j in beam.pairs}) == beam.matches


def text(words, rng):
    """Words as often as in a language: a few are everywhere."""
    return [f"w{int(rank)}" for rank in rng.zipf(1.6, words)]


def test_long_texts_are_searched_by_beam_and_say_so():
    rng = np.random.default_rng(1)
    output, reference = text(150, rng), text(150, rng)
    result = exact(output, reference)
    assert not result.exact
    assert result.matches == sum(min(output.count(word), reference.count(word)) for word in set(output))


def test_the_beam_comes_near_the_fewest_crossings(monkeypatch):
    """Over short texts that can be searched fully: the beam has at most one crossing in a hundred too many."""
    rng = np.random.default_rng(2)
    pairs = [(text(24, rng), text(24, rng)) for _ in range(100)]
    sure = [(pair, result) for pair in pairs if (result := exact(*pair)).exact]
    monkeypatch.setattr(meteor_alignment, "EXACT_STATES", 1)
    fewest = sum(result.crossings for _, result in sure)
    by_beam = sum(exact(*pair).crossings for pair, _ in sure)
    assert len(sure) > 30
    assert fewest <= by_beam <= 1.01 * fewest


def test_crossings_with_earlier_stages_count():
    """The stem of "runs" fits both ends; the mapping of "home" leaves one of them without a crossing."""
    output, reference = Words(["home", "run"], None), Words(["running", "home", "runs"], None)
    result = alignment(output, reference, ["exact", "porter"])
    assert result.pairs == ((0, 1), (1, 2))


def test_later_stages_map_only_what_earlier_ones_left():
    output, reference = Words(["run", "runs"], None), Words(["runs", "running"], None)
    assert alignment(output, reference, ["exact", "porter"]).pairs == ((0, 1), (1, 0))
    assert alignment(output, reference, ["exact"]).pairs == ((1, 0),)


def test_chunks_are_runs_adjacent_in_both_texts():
    """Banerjee & Lavie 2005, §2.2: the first two words and the last four, as in their example."""
    result = exact(
        ["the", "captain", "waved", "at", "the", "harbour"],
        ["the", "captain", "then", "waved", "at", "the", "harbour"],
    )
    assert (result.matches, result.chunks, result.crossings) == (6, 2, 0)


def test_a_group_with_too_many_ways_is_mapped_along_the_diagonal():
    edges = [(i, j) for i in range(6) for j in range(6) if (i, j) != (0, 5)]
    group = ListedGroup(edges)
    assert len(edges) > meteor_alignment.LISTED_EDGES
    assert not group.listed_fully
    assert group.choices() == [tuple((i, i) for i in range(6))]
    result = align(6, 6, [lambda free_output, free_reference: ([], [group])])
    assert found(result) == (6, 0, 1)
    assert not result.exact


@pytest.mark.parametrize(("output", "reference"), [(0, 0), (0, 3), (3, 0)])
def test_empty_texts_have_an_empty_alignment(output, reference):
    result = exact(["a"] * output, ["a"] * reference)
    assert result == Alignment((), True)
    assert found(result) == (0, 0, 0)


def test_a_word_repeated_a_thousand_times_is_no_trouble():
    assert exact(["a"] * 1200, ["a", "b"] * 300).matches == 300


@settings(max_examples=50, deadline=None)
@given(many=st.integers(1, 7), few=st.integers(1, 7))
def test_a_group_lists_as_many_choices_as_it_says(many, few):
    group = Group(range(many), range(few))
    assert len(group.choices()) == group.size
