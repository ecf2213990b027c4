"""Designs: who judges what, in which order. Properties hold for any study that hypothesis can think of."""

import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from itertools import groupby, pairwise
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from annotation.design_words import describe
from annotation.designs import Deal, Design, DesignProblem, Person, Piece, deal, pool_order
from tests.conftest import ROOT

seeds = st.integers(-(2**63), 2**63 - 1)
DEALT_BY_K = ["random", "fixed", "blocked", "latin-square"]


def grid(items: int, systems: int, references: int = 1) -> list[Piece]:
    """Every system on every item, with each of its references. Indices are not places, as with database keys."""
    cells = [(d, s, r) for d in range(items) for s in range(systems) for r in range(references)]
    return [
        Piece(1000 + 3 * n, f"d{d}", f"s{s}", writer=f"writer{d}-{r}") for n, (d, s, r) in enumerate(cells)
    ]


def crowd(number: int) -> list[Person]:
    return [Person(index=70 + 2 * n) for n in range(number)]


@st.composite
def studies(draw, max_people: int = 8, max_authors: int = 1):
    """Pieces with gaps (a system may miss an item, an item have several references) and people who wrote some."""
    authors = [f"a{n}" for n in range(4)]
    pieces = []
    for d in range(draw(st.integers(1, 7))):
        for s in range(draw(st.integers(1, 4))):
            for _ in range(draw(st.integers(1, 2))):
                wrote = (
                    draw(st.sets(st.sampled_from(authors), max_size=max_authors))
                    if s < max_authors
                    else set()
                )
                pieces.append(Piece(100 + 2 * len(pieces), f"d{d}", f"s{s}", frozenset(wrote)))
    people = [
        Person(index=9 + 5 * n, author=draw(st.sampled_from(["", *authors])))
        for n in range(draw(st.integers(1, max_people)))
    ]
    return pieces, people


def loads_of(deals: list[Deal], people: list[Person]) -> list[int]:
    numbers = Counter(d.person for d in deals)
    return [numbers[person.index] for person in people]


def is_even(loads: list[int]) -> bool:
    return max(loads) - min(loads) <= 1


def judged_by(deals: list[Deal]) -> dict[int, list[int]]:
    found = defaultdict(list)
    for d in deals:
        found[d.piece].append(d.person)
    return found


def may(person: Person, piece: Piece) -> bool:
    return not person.author or person.author not in piece.authors


def best_extremes(pieces: list[Piece], people: list[Person], k: int) -> tuple[int, int]:
    """The highest possible smallest and the lowest possible largest load, by a linear program over all sharings."""
    pairs = [
        (n, m) for n, piece in enumerate(pieces) for m, person in enumerate(people) if may(person, piece)
    ]
    covers = np.zeros((len(pieces), len(pairs) + 1))
    loads = np.zeros((len(people), len(pairs) + 1))
    for column, (n, m) in enumerate(pairs):
        covers[n, column] = loads[m, column] = 1
    bounds = [(0, 1)] * len(pairs) + [(0, None)]
    extreme = np.zeros(len(pairs) + 1)
    extreme[-1] = 1
    loads[:, -1] = -1
    lowest_max = linprog(extreme, loads, np.zeros(len(people)), covers, [k] * len(pieces), bounds)
    highest_min = linprog(-extreme, -loads, np.zeros(len(people)), covers, [k] * len(pieces), bounds)
    assert lowest_max.success and highest_min.success
    # A flow has a whole-number solution wherever it has one, so the bounds may be rounded to whole numbers.
    return floor(highest_min.x[-1] + 1e-6), ceil(lowest_max.x[-1] - 1e-6)


# --- what holds for every design that deals k assessors per piece -------------------------------------------------


def unfit(order: str, pieces: list[Piece], people: list[Person], k: int) -> bool:
    """Whether some piece, block or row of the square has fewer people than it needs."""
    if order in {"random", "fixed"}:
        return any(sum(may(person, piece) for person in people) < k for piece in pieces)
    items = defaultdict(list)
    for piece in pieces:
        items[piece.item].append(piece)
    return any(
        sum(all(may(person, piece) for piece in stack) for person in people)
        < k * (len(stack) if order == "latin-square" else 1)
        for stack in items.values()
    )


@pytest.mark.parametrize("order", DEALT_BY_K)
@given(study=studies(max_people=16), k=st.integers(1, 3), seed=seeds)
@settings(max_examples=150, deadline=None)
def test_every_piece_gets_k_different_assessors_and_nobody_an_output_of_their_own(order, study, k, seed):
    pieces, people = study
    design = Design(order=order, assessors_per_item=k)
    if unfit(order, pieces, people, k):
        event("refused")
        with pytest.raises(DesignProblem, match="but there"):
            deal(design, pieces, people, seed=seed)
        return
    deals = deal(design, pieces, people, seed=seed)
    takers = judged_by(deals)
    by_index = {person.index: person for person in people}
    for piece in pieces:
        assert len(takers[piece.index]) == len(set(takers[piece.index])) == k
        assert all(may(by_index[person], piece) for person in takers[piece.index])
    assert set(takers) == {piece.index for piece in pieces}


@pytest.mark.parametrize("order", DEALT_BY_K)
@given(
    items=st.integers(1, 9),
    systems=st.integers(1, 4),
    people=st.integers(1, 9),
    k=st.integers(1, 3),
    seed=seeds,
)
@settings(max_examples=100, deadline=None)
def test_loads_differ_by_one_piece_at_most_or_by_one_block(order, items, systems, people, k, seed):
    assume(people >= (k * systems if order == "latin-square" else k))
    deals = deal(Design(order=order, assessors_per_item=k), grid(items, systems), crowd(people), seed=seed)
    loads = loads_of(deals, crowd(people))
    assert max(loads) - min(loads) <= (systems if order == "blocked" else 1)


@pytest.mark.parametrize("order", ["random", "fixed"])
@given(study=studies(max_authors=3), k=st.integers(1, 2), seed=seeds)
@settings(max_examples=150, deadline=None)
def test_with_own_outputs_excluded_loads_are_as_even_as_any_sharing_could_make_them(order, study, k, seed):
    pieces, people = study
    assume(not unfit(order, pieces, people, k))
    loads = loads_of(deal(Design(order=order, assessors_per_item=k), pieces, people, seed=seed), people)
    lowest, highest = best_extremes(pieces, people, k)
    event("even" if highest - lowest <= 1 else "cannot be even")
    assert (min(loads), max(loads)) == (lowest, highest)


def test_work_is_handed_on_through_a_third_person_to_make_loads_even():
    """Ten pieces by Carla, ten by Anna: Anna and Bert fill up with the first ten before the others are looked at."""
    people = [Person(n, author=author) for n, author in enumerate(["anna", "bert", "carla"])]
    pieces = [Piece(n, f"d{n}", "s", frozenset({"carla" if n < 10 else "anna"})) for n in range(20)]
    assert sorted(loads_of(deal(Design(), pieces, people, seed=1), people)) == [6, 7, 7]


@pytest.mark.parametrize("order", [*DEALT_BY_K, "model-author"])
@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_plan(order, seed):
    pieces = grid(5, 3)
    people = [Person(n, author=f"writer{n}-0") for n in range(6)]
    design = Design(order=order, assessors_per_item=2 if order != "model-author" else 1)
    assert deal(design, pieces, people, seed=seed) == deal(design, list(pieces), list(people), seed=seed)


@pytest.mark.parametrize("order", ["random", "blocked", "latin-square", "model-author"])
def test_another_seed_gives_another_plan(order):
    people = [Person(n, author=f"writer{n}-0") for n in range(6)]
    plans = [deal(Design(order=order), grid(6, 3), people, seed=seed) for seed in range(2)]
    assert plans[0] != plans[1]


def test_the_plan_does_not_depend_on_how_python_hashes_strings():
    program = (
        "from annotation.designs import *\n"
        "pieces = [Piece(n, f'd{n // 6}', f's{n % 6}', frozenset({f'a{n % 5}', f'b{n % 3}'}), f'a{n % 5 + 1}')"
        " for n in range(60)]\n"
        "people = [Person(n, author=f'a{n}') for n in range(14)]\n"
        "for order in ('random', 'fixed', 'blocked', 'latin-square'):\n"
        "    print(deal(Design(order=order, assessors_per_item=1, shared=('d1', 'd3')), pieces, people, seed=5))\n"
        "print(pool_order(pieces, 5))\n"
    )
    plans = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "12345")
    }
    assert len(plans) == 1


@given(
    first=st.integers(1, 30),
    second=st.integers(1, 30),
    people=st.integers(2, 7),
    k=st.integers(1, 2),
    seed=seeds,
)
@settings(max_examples=100, deadline=None)
def test_two_tasks_are_even_each_and_together(first, second, people, k, seed):
    design = Design(assessors_per_item=k)
    one = deal(design, grid(first, 1), crowd(people), seed=seed)
    two = deal(design, grid(second, 1), crowd(people), seed=seed, already=Counter(d.person for d in one))
    assert is_even(loads_of(one, crowd(people)))
    assert is_even(loads_of(two, crowd(people)))
    assert is_even(loads_of(one + two, crowd(people)))


@pytest.mark.parametrize("order", DEALT_BY_K)
@given(study=studies(max_people=12), seed=seeds)
@settings(max_examples=50, deadline=None)
def test_shared_items_go_to_everybody_and_the_others_to_k(order, study, seed):
    pieces, people = study
    assume(not unfit(order, [piece for piece in pieces if piece.item != "d0"], people, 1))
    deals = deal(Design(order=order, shared=("d0",)), pieces, people, seed=seed)
    takers = judged_by(deals)
    for piece in pieces:
        everybody = [person.index for person in people if may(person, piece)]
        if piece.item == "d0":
            assert sorted(takers[piece.index]) == everybody
        else:
            assert len(takers[piece.index]) == 1


def test_whoever_cannot_judge_a_shared_item_gets_more_of_the_others():
    pieces = [Piece(n, "shared", f"s{n}", frozenset({"anna"})) for n in range(4)]
    pieces += [Piece(n, f"d{n}", "s0") for n in range(4, 14)]
    people = [Person(0, author="anna"), Person(1), Person(2)]
    deals = deal(Design(shared=("shared",)), pieces, people, seed=1)
    assert loads_of(deals, people) == [6, 6, 6]


def test_fifty_thousand_pieces_are_dealt_within_seconds():
    pieces = [
        Piece(n, f"d{n // 5}", f"s{n % 5}", frozenset({f"a{n % 50}"} if n % 5 == 0 else ()))
        for n in range(50_000)
    ]
    people = [Person(n, author=f"a{n}") for n in range(50)]
    began = time.process_time()
    deals = deal(Design(assessors_per_item=2), pieces, people, seed=1)
    assert time.process_time() - began < 10
    assert set(loads_of(deals, people)) == {2000}


# --- orders -------------------------------------------------------------------------------------------------------


@given(study=studies(max_people=3), seed=seeds)
@settings(max_examples=200, deadline=None)
def test_in_a_random_order_an_item_follows_itself_as_rarely_as_possible(study, seed):
    pieces, _ = study
    items = [piece.item for piece in pieces]
    by_index = {piece.index: piece.item for piece in pieces}
    for order in (
        [d.piece for d in deal(Design(), pieces, [Person(0)], seed=seed)],
        pool_order(pieces, seed),
    ):
        assert sorted(order) == [piece.index for piece in pieces]
        repeats = sum(by_index[a] == by_index[b] for a, b in pairwise(order))
        most = max(Counter(items).values())
        assert repeats == max(0, most - (len(items) - most) - 1)


def test_random_orders_differ_between_people_and_leave_no_item_in_a_fixed_place():
    deals = deal(Design(assessors_per_item=40), grid(3, 4), crowd(40), seed=3)
    orders = [[d.piece for d in deals if d.person == person.index] for person in crowd(40)]
    assert len({tuple(order) for order in orders}) > 35
    assert all(len({order[place] for order in orders}) > 5 for place in range(12))


def test_random_pairs_of_assessors_are_mixed():
    deals = deal(Design(assessors_per_item=2), grid(100, 3), crowd(6), seed=4)
    pairs = Counter(tuple(sorted(people)) for people in judged_by(deals).values())
    assert len(pairs) == 15  # every pair of six people meets somewhere: 300 pieces, 20 expected for each pair
    assert min(pairs.values()) >= 8


@given(study=studies(), k=st.integers(1, 3), seed=seeds)
@settings(max_examples=50, deadline=None)
def test_fixed_keeps_the_order_of_the_file(study, k, seed):
    pieces, people = study
    assume(not unfit("fixed", pieces, people, k))
    deals = deal(Design(order="fixed", assessors_per_item=k), pieces[::-1], people, seed=seed)
    for person in people:
        mine = [d.piece for d in deals if d.person == person.index]
        assert mine == sorted(mine, reverse=True)


def test_fixed_deals_in_turns():
    deals = deal(
        Design(order="fixed", assessors_per_item=2), grid(3, 2), [Person(n) for n in range(4)], seed=1
    )
    first, second, *_ = (sorted(people) for _, people in sorted(judged_by(deals).items()))
    assert [d.person for d in deals] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert (first, second) == ([0, 1], [2, 3])


@given(study=studies(), k=st.integers(1, 3), seed=seeds)
@settings(max_examples=100, deadline=None)
def test_blocked_gives_whole_items_one_after_another(study, k, seed):
    pieces, people = study
    by_index = {piece.index: piece for piece in pieces}
    assume(not unfit("blocked", pieces, people, k))
    deals = deal(Design(order="blocked", assessors_per_item=k), pieces, people, seed=seed)
    sizes = Counter(piece.item for piece in pieces)
    for person in people:
        mine = [by_index[d.piece].item for d in deals if d.person == person.index]
        blocks = [(item, len(list(run))) for item, run in groupby(mine)]
        assert len({item for item, _ in blocks}) == len(blocks)
        assert all(size == sizes[item] for item, size in blocks)


def test_blocked_shuffles_blocks_and_systems_for_everybody():
    deals = deal(Design(order="blocked", assessors_per_item=12), grid(4, 4), crowd(12), seed=1)
    plans = {tuple(d.piece for d in deals if d.person == person.index) for person in crowd(12)}
    assert len(plans) == 12
    assert len({plan[0] for plan in plans}) > 4


def test_blocks_of_different_sizes_even_out():
    sizes = [9, 7, 5, 4, 3, 2]  # 30 in all: 10 each for three people, as 9 + ., 7 + 3, 5 + 4 …
    pieces = [Piece(10 * d + s, f"d{d}", f"s{s}") for d, size in enumerate(sizes) for s in range(size)]
    loads = loads_of(deal(Design(order="blocked"), pieces, crowd(3), seed=2), crowd(3))
    assert sorted(loads) in ([9, 10, 11], [10, 10, 10])


# --- latin square -------------------------------------------------------------------------------------------------


@given(
    items=st.integers(1, 10),
    systems=st.integers(1, 4),
    references=st.integers(1, 2),
    k=st.integers(1, 2),
    spare=st.integers(0, 5),
    seed=seeds,
)
@settings(max_examples=200, deadline=None)
def test_in_a_latin_square_nobody_meets_an_item_twice_and_everybody_each_system_equally_often(
    items, systems, references, k, spare, seed
):
    pieces = grid(items, systems, references)
    people = crowd(systems * references * k + spare)
    by_index = {piece.index: piece for piece in pieces}
    deals = deal(Design(order="latin-square", assessors_per_item=k), pieces, people, seed=seed)
    for person in people:
        mine = [by_index[d.piece] for d in deals if d.person == person.index]
        assert len({piece.item for piece in mine}) == len(mine)
        met = Counter(piece.system for piece in mine)
        assert is_even([met[f"s{s}"] for s in range(systems)])
        if not spare:
            assert len(mine) == items
    assert is_even(loads_of(deals, people))


def test_a_textbook_latin_square():
    """Three assessors, three items, three systems: each row and each column has every system once."""
    by_index = {piece.index: piece for piece in grid(3, 3)}
    deals = deal(Design(order="latin-square"), grid(3, 3), crowd(3), seed=8)
    square = {(d.person, by_index[d.piece].item): by_index[d.piece].system for d in deals}
    for person in crowd(3):
        assert {square[person.index, f"d{d}"] for d in range(3)} == {"s0", "s1", "s2"}
    for d in range(3):
        assert {square[person.index, f"d{d}"] for person in crowd(3)} == {"s0", "s1", "s2"}


@given(study=studies(max_people=12), seed=seeds)
@settings(max_examples=100, deadline=None)
def test_a_latin_square_with_gaps_still_lets_nobody_meet_an_item_twice(study, seed):
    pieces, people = study
    by_index = {piece.index: piece for piece in pieces}
    assume(not unfit("latin-square", pieces, people, 1))
    deals = deal(Design(order="latin-square"), pieces, people, seed=seed)
    met = [(d.person, by_index[d.piece].item) for d in deals]
    assert len(set(met)) == len(met) == len(pieces)


def test_a_latin_square_says_how_many_assessors_it_needs():
    design = Design(order="latin-square", assessors_per_item=2)
    with pytest.raises(DesignProblem, match=r"needs 8 assessors, but there are 5: add 3, or lower .* to 1"):
        deal(design, grid(6, 4), crowd(5), seed=1)
    with pytest.raises(DesignProblem, match=r"needs 8 assessors, but there are 3: add 5, or choose another"):
        deal(design, grid(6, 4), crowd(3), seed=1)


# --- model-author -------------------------------------------------------------------------------------------------


@given(items=st.integers(1, 6), systems=st.integers(1, 4), references=st.integers(1, 3), seed=seeds)
@settings(max_examples=50, deadline=None)
def test_each_model_goes_to_its_writer(items, systems, references, seed):
    pieces = grid(items, systems, references)
    writers = sorted({piece.writer for piece in pieces})
    people = [Person(n, author=writer) for n, writer in enumerate(writers)] + [Person(99)]
    deals = deal(Design(order="model-author", assessors_per_item=2), pieces, people, seed=seed)
    by_index = {person.index: person for person in people}
    takers = {d.piece: by_index[d.person].author for d in deals}
    assert len(deals) == len(pieces)
    assert takers == {piece.index: piece.writer for piece in pieces}


def test_writers_who_share_an_author_id_share_the_work():
    people = [Person(0, author="duo"), Person(1, author="duo")]
    pieces = [Piece(n, f"d{n}", "s", writer="duo") for n in range(7)]
    assert sorted(loads_of(deal(Design(order="model-author"), pieces, people, seed=1), people)) == [3, 4]


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (Piece(1, "d1", "s", writer="zoe"), "written by author “zoe”, who is no assessor"),
        (Piece(1, "d1", "s"), "model of item “d1” has no author"),
        (Piece(1, "d1", "s", frozenset({"anna"}), "anna"), "“anna” wrote both the model and the output"),
    ],
)
def test_a_model_without_a_judge_is_named(piece, message):
    pieces = [Piece(0, "d0", "s", writer="anna"), piece]
    with pytest.raises(DesignProblem, match=message):
        deal(Design(order="model-author"), pieces, [Person(0, author="anna")], seed=1)


# --- problems, pool, description ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["random", "fixed", "blocked"])
def test_more_assessors_per_item_than_people_is_refused_with_the_remedy(order):
    with pytest.raises(DesignProblem, match=r"needs 3 assessors, but there are 2: add 1, or lower .* to 2"):
        deal(Design(order=order, assessors_per_item=3), grid(2, 2), crowd(2), seed=1)


def test_too_few_people_who_did_not_write_the_output_are_refused_with_the_remedy():
    pieces = [*grid(2, 2), Piece(9, "d9", "human", frozenset({"anna"}))]
    people = [Person(0, author="anna"), Person(1)]
    with pytest.raises(
        DesignProblem, match="“d9” needs 2 assessors who wrote none of its outputs, but there is 1"
    ):
        deal(Design(assessors_per_item=2), pieces, people, seed=1)
    with pytest.raises(DesignProblem, match="there is nobody"):
        deal(Design(), pieces, people[:1], seed=1)


def test_a_study_without_people_is_refused_and_one_without_pieces_is_empty():
    with pytest.raises(DesignProblem, match="add assessors"):
        deal(Design(), grid(1, 1), [], seed=1)
    assert deal(Design(), [], [], seed=1) == []


def test_a_pool_deals_nothing_beforehand_and_has_a_seeded_order():
    pieces = grid(6, 3)
    assert deal(Design(pool=True), pieces, [], seed=1) == []
    assert pool_order(pieces, 1) == pool_order(pieces, 1) != pool_order(pieces, 2)


@pytest.mark.parametrize("order", [*DEALT_BY_K, "model-author"])
def test_the_description_says_how_many_pieces_go_to_how_many_people(order):
    text = describe(Design(order=order, assessors_per_item=2), 24, 5)
    assert "24 pieces" in text
    assert text[0].isupper() and text.endswith(".")
    if order != "model-author":
        assert "2 of the 5 assessors" in text and "9 to 10 pieces each" in text


def test_the_description_mentions_pool_and_shared_items():
    assert describe(Design(pool=True), 24, 5).startswith("Open pool")
    assert "the 2 shared items" in describe(Design(shared=("a", "b")), 24, 5)


@pytest.mark.parametrize(
    ("items", "systems", "people", "k"), [(5, 6, 3, 1), (40, 6, 7, 2), (10, 4, 4, 1), (7, 3, 5, 3)]
)
def test_at_random_everybody_meets_each_system_equally_often(items, systems, people, k):
    """Before: with 5 items and 6 systems a person could get one system five times and another never."""
    for seed in range(20):
        pieces = grid(items, systems)
        dealt = deal(Design(assessors_per_item=k), pieces, crowd(people), seed=seed)
        system = {piece.index: piece.system for piece in pieces}
        met = Counter((one.person, system[one.piece]) for one in dealt)
        share = items * k / people
        for person in crowd(people):
            for name in {piece.system for piece in pieces}:
                assert floor(share) <= met[person.index, name] <= ceil(share)
        loads = loads_of(dealt, crowd(people))
        assert max(loads) - min(loads) <= 1
