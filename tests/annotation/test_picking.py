"""Which sets are picked: exact where a block design is known, else as even as it can be had, and the same for a seed."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.picking import BASE_BLOCKS, block_design, meetings, picked


def items_of(systems, number):
    """So many items on which every system has a text of its own."""
    return tuple(tuple((f"k{system}",) for system in range(systems)) for _ in range(number))


def pick(items, size, *, pick="balanced", per_item=1, anchor="", seed=1):
    return picked(items, pick=pick, size=size, per_item=per_item, anchor=anchor, seed=seed)


def shown(items, sets):
    counted = Counter({system: 0 for item in items for text in item for system in text})
    for item, of_item in zip(items, sets, strict=True):
        counted.update(system for members in of_item for n in members for system in item[n])
    return counted


def spread(counts):
    return max(counts.values()) - min(counts.values())


@pytest.mark.parametrize(("points", "size"), BASE_BLOCKS)
def test_a_block_design_has_every_point_and_every_pair_equally_often(points, size):
    blocks = block_design(points, size)
    assert len(set(blocks)) == len(blocks)
    assert {len(set(block)) for block in blocks} == {size}
    single = Counter(point for block in blocks for point in block)
    pairs = Counter(pair for block in blocks for pair in combinations(block, 2))
    assert len(set(single.values())) == 1
    assert len(single) == points
    assert len(set(pairs.values())) == 1
    assert len(pairs) == points * (points - 1) // 2


@pytest.mark.parametrize(
    ("systems", "size", "sets", "times", "together"),
    [(7, 4, 7, 4, 2), (13, 4, 13, 4, 1), (9, 5, 18, 10, 5)],  # Cochran & Cox 1957, table 11.3
)
@pytest.mark.parametrize("whole_designs", [1, 2])
def test_numbers_of_published_designs_come_out(systems, size, sets, times, together, whole_designs):
    items = items_of(systems, sets * whole_designs)
    made = pick(items, size)
    assert [len(of_item) for of_item in made] == [1] * sets * whole_designs
    assert set(shown(items, made).values()) == {times * whole_designs}
    assert set(meetings(items, made).values()) == {together * whole_designs}


@given(
    systems=st.integers(2, 9), items=st.integers(1, 25), per_item=st.integers(1, 3), seed=st.integers(0, 99)
)
@settings(max_examples=60, deadline=None)
def test_pairs_are_balanced_to_one_whatever_their_number(systems, items, per_item, seed):
    whole = items_of(systems, items)
    made = pick(whole, 2, per_item=per_item, seed=seed)
    assert spread(shown(whole, made)) <= 1
    assert spread(meetings(whole, made)) <= 1
    for of_item in made:
        assert len(set(of_item)) == len(of_item) == min(per_item, systems * (systems - 1) // 2)


@given(systems=st.integers(3, 8), items=st.integers(1, 12), size=st.integers(3, 5), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_larger_sets_show_every_system_equally_often_to_one(systems, items, size, seed):
    whole = items_of(systems, items)
    made = pick(whole, size, seed=seed)
    assert spread(shown(whole, made)) <= 1
    chance = pick(whole, size, pick="random", seed=seed)
    assert spread(meetings(whole, made)) <= max(2, spread(meetings(whole, chance)))


texts = st.lists(st.integers(0, 5), min_size=6, max_size=6)  # which text each of six systems has


@given(wrote=st.lists(texts, min_size=1, max_size=8), size=st.integers(2, 4), seed=st.integers(0, 9))
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("how", ["all", "balanced", "random", "anchor"])
def test_sets_are_of_different_texts_whatever_is_the_same_or_lacking(how, wrote, size, seed):
    items = tuple(
        tuple(tuple(f"k{n}" for n, text in enumerate(row) if text == wanted) for wanted in dict.fromkeys(row))
        for row in wrote
    )
    made = pick(items, size, pick=how, per_item=2, anchor="k3", seed=seed)
    for item, of_item in zip(items, made, strict=True):
        assert bool(of_item) == (len(item) > 1), "an item with two texts or more is judged"
        assert len(set(of_item)) == len(of_item)
        for members in of_item:
            assert list(members) == sorted(set(members))
            assert len(members) == min(size, len(item))
            if how == "anchor":
                assert any("k3" in item[n] for n in members)


def test_a_seed_gives_its_sets_again_and_another_gives_others():
    items = items_of(8, 10)
    first = pick(items, 3, seed=5)
    picked.cache_clear()
    assert pick(items, 3, seed=5) == first
    assert pick(items, 3, seed=6) != first


def test_an_anchor_meets_the_others_equally_often():
    items = items_of(5, 8)
    made = pick(items, 2, pick="anchor", anchor="k2")
    met = meetings(items, made)
    with_anchor = [times for pair, times in met.items() if "k2" in pair]
    assert with_anchor == [2, 2, 2, 2]
    assert sum(met.values()) == 8


def test_all_means_every_set_there_is():
    items = items_of(5, 2)
    assert pick(items, 3, pick="all") == (tuple(combinations(range(5), 3)),) * 2


def test_systems_with_one_text_do_not_meet_there():
    items = ((("a", "b"), ("c",)), (("a",), ("b",), ("c",)))
    met = meetings(items, pick(items, 2, pick="all"))
    assert met == {("a", "b"): 1, ("a", "c"): 2, ("b", "c"): 2}
