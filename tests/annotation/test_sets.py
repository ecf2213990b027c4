"""Who stands where in a set: every system at every place equally often, whatever the sets are."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.sets import drawn_places, next_places


@st.composite
def sets_of_one_size(draw):
    size = draw(st.integers(2, 5))
    systems = [f"s{n}" for n in range(draw(st.integers(size, 9)))]
    return draw(st.lists(st.permutations(systems).map(lambda order: order[:size]), min_size=1, max_size=40))


@given(sets=sets_of_one_size(), seed=st.integers(0, 2**32))
@settings(deadline=None)
def test_over_one_persons_sets_a_system_stands_at_every_place_equally_often(sets, seed):
    drawn = drawn_places(sets, random.Random(seed))
    stood = Counter()
    for systems, places in zip(sets, drawn, strict=True):
        assert sorted(places) == list(range(len(systems))), "everybody stands somewhere, once"
        stood.update((systems[index], place) for place, index in enumerate(places))
    for system in {system for systems in sets for system in systems}:
        times = [stood[system, place] for place in range(len(sets[0]))]
        assert max(times) - min(times) <= 1, (system, times)


@given(seed=st.integers(0, 2**32))
def test_sets_of_different_sizes_are_balanced_each_for_themselves(seed):
    sets = [["a", "b"], ["a", "b", "c"]] * 6
    drawn = drawn_places(sets, random.Random(seed))
    for size in (2, 3):
        stood = Counter(
            (systems[index], place)
            for systems, places in zip(sets, drawn, strict=True)
            if len(systems) == size
            for place, index in enumerate(places)
        )
        assert set(stood.values()) == {6 // size}


def test_the_same_seed_draws_the_same_places_and_another_one_others():
    sets = [["a", "b", "c"]] * 20
    assert drawn_places(sets, random.Random(1)) == drawn_places(sets, random.Random(1))
    assert drawn_places(sets, random.Random(1)) != drawn_places(sets, random.Random(2))


def test_the_order_within_a_set_is_no_pattern():
    """Three systems in the same set a hundred times: all six orders come."""
    drawn = drawn_places([["a", "b", "c"]] * 120, random.Random(5))
    assert len({tuple(places) for places in drawn}) == 6


@given(sets=sets_of_one_size(), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_sets_that_come_one_by_one_stay_nearly_balanced(sets, seed):
    rng = random.Random(seed)
    stood = Counter()
    for systems in sets:
        places = next_places(systems, stood, rng)
        assert sorted(places) == list(range(len(systems)))
        stood.update((systems[index], place) for place, index in enumerate(places))
    size = len(sets[0])
    for system in {system for systems in sets for system in systems}:
        times = [stood[system, place] for place in range(size)]
        assert max(times) - min(times) <= size, (system, times)
