"""Sets of outputs that are judged together: who stands where. Pure functions, seeded; no database.

Over one person's sets every system stands at every place equally often, give or take one. Such an order always exists: take
systems and sets as the two sides of a graph, an edge for every system in a set, and cut each system's edges into stacks of
as many as there are places. Colouring the edges so that no two of one colour meet in a stack or in a set is possible with
as many colours as there are places (Kőnig 1916), and a colour is a place.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

Node = tuple[str, Hashable]
Places = Sequence[int] | Sequence[Sequence[int]]
"""Of a set, the index of the text at each place; where units are shuffled, such a list for each unit of the document."""


def is_by_unit(places: Places) -> bool:
    return bool(places) and not isinstance(places[0], int)


def order_in(places: Places, unit: str) -> Sequence[int]:
    """The index of the text at each place, for what rows say of a unit: ``s1/3/12:27`` is about the third."""
    if not is_by_unit(places):
        return places  # type: ignore[return-value]
    number = unit_number(unit)
    if number > len(places):
        raise ValueError(f"there is no unit {number} in this text")
    return places[number - 1]  # type: ignore[return-value]


def unit_number(unit: str) -> int:
    """The unit, from 1, that a row about a set speaks of; ValueError if it speaks of none."""
    number = unit.partition("/")[2].partition("/")[0]
    if not (number.isdecimal() and number.isascii() and len(number) < 8 and int(number)):
        raise ValueError(f"“{unit}” is about no unit, and texts stand at places unit by unit")
    return int(number)


def other_way_round(places: Places) -> Places:
    """As a repeat shows them."""
    if is_by_unit(places):
        return [order[::-1] for order in places]  # type: ignore[index]
    return places[::-1]


def drawn_by_unit(size: int, units: int, rng: random.Random) -> list[list[int]]:
    """For each unit the index of the text at each place: every text stands at every place equally often, give or take one."""
    return drawn_places([range(size)] * units, rng)


def drawn_places(sets: Sequence[Sequence[Hashable]], rng: random.Random) -> list[list[int]]:
    """For each of one person's sets, given as its systems: the index of the system at each place."""
    by_size: dict[int, list[int]] = defaultdict(list)
    for number, systems in enumerate(sets):
        by_size[len(systems)].append(number)
    drawn: list[list[int]] = [[] for _ in sets]
    for size, numbers in by_size.items():
        colours = _coloured([sets[number] for number in numbers], size, rng)
        for number, places in zip(numbers, colours, strict=True):
            drawn[number] = sorted(range(size), key=places.__getitem__)
    return drawn


def next_places(
    systems: Sequence[Hashable], stood: Mapping[tuple[Hashable, int], int], rng: random.Random
) -> list[int]:
    """The same for one more set, when what comes later is not known: whoever stood at a place least gets it.

    ``stood`` counts how often this person met a system at a place (from 0).
    """
    free = list(range(len(systems)))
    rng.shuffle(free)
    places: list[int] = []
    for place in range(len(systems)):
        # How much rarer the system was here than at the places that are left to it.
        def due(index: int, place: int = place) -> float:
            later = [stood.get((systems[index], other), 0) for other in range(place, len(systems))]
            return stood.get((systems[index], place), 0) - sum(later) / len(later)

        chosen = min(free, key=due)
        free.remove(chosen)
        places.append(chosen)
    return places


def _coloured(sets: Sequence[Sequence[Hashable]], size: int, rng: random.Random) -> list[list[int]]:
    """A colour below ``size`` for every member of every set: different within a set, and even for each system."""
    met: Counter[Hashable] = Counter()
    edges: list[tuple[Node, Node]] = []
    owners: list[tuple[int, int]] = []
    for number in rng.sample(range(len(sets)), len(sets)):
        for index, system in enumerate(sets[number]):
            edges.append((("stack", (system, met[system] // size)), ("set", number)))
            owners.append((number, index))
            met[system] += 1
    colours: list[list[int]] = [[0] * size for _ in sets]
    for (number, index), colour in zip(owners, _edge_colouring(edges, size, rng), strict=True):
        colours[number][index] = colour
    return colours


def _edge_colouring(edges: Sequence[tuple[Node, Node]], size: int, rng: random.Random) -> list[int]:
    """Kőnig's: an edge takes a colour that is free at one end; if the other end has it, a path swaps two colours first."""
    at: dict[Node, dict[int, int]] = defaultdict(dict)  # node → colour → edge
    colour_of = [-1] * len(edges)
    for edge, (left, right) in enumerate(edges):
        free_left = [colour for colour in range(size) if colour not in at[left]]
        free_right = [colour for colour in range(size) if colour not in at[right]]
        both = [colour for colour in free_left if colour in free_right]
        colour = rng.choice(both or free_left)
        if not both:
            _swap(edges, at, colour_of, right, colour, rng.choice(free_right))
        at[left][colour] = at[right][colour] = edge
        colour_of[edge] = colour
    return colour_of


def _swap(
    edges: Sequence[tuple[Node, Node]],
    at: dict[Node, dict[int, int]],
    colour_of: list[int],
    node: Node,
    first: int,
    second: int,
) -> None:
    """Swap two colours along the path that leaves ``node`` with the first; it never comes back to where it is wanted."""
    path = []
    colour = first
    while colour in at[node]:
        edge = at[node][colour]
        path.append(edge)
        left, right = edges[edge]
        node = right if node == left else left
        colour = second if colour == first else first
    for edge in path:
        for end in edges[edge]:
            at[end].pop(colour_of[edge], None)
    for edge in path:
        colour_of[edge] = second if colour_of[edge] == first else first
        for end in edges[edge]:
            at[end][colour_of[edge]] = edge
