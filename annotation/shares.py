"""Sharing blocks of work out among people, as evenly as can be; ``designs`` builds on it.

A block needs a number of different people out of those who may take it. Blocks that the same people may take, and that
need equally many of them, are alike; how many blocks of each sort everybody gets is then a small network flow, however
many blocks there are. It is filled greedily and mended along augmenting chains (somebody hands a block on, who hands
another on …) until no chain makes the shares cheaper. Prices rise with the share, so the flow has a convex cost, and a
convex flow without an improving chain is a cheapest one: the result is exact, not only good.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heapreplace
from typing import Any, NamedTuple


class Block(NamedTuple):
    """Work that stays together: ``need`` different people of those who ``may`` take it."""

    may: tuple[int, ...]
    need: int


# What it costs to give a person one more block when the person has n of them: comparable, and rising with n.
Price = Callable[[int, int], Any]


@dataclass(eq=False)
class _Sort:
    """Blocks that are alike, and how many of them each person takes."""

    may: tuple[int, ...]
    size: int = 0
    taken: dict[int, int] = field(default_factory=dict)


class _Handover(NamedTuple):
    """A chain link: ``giver`` hands a block of this sort to ``taker``."""

    sort: _Sort
    giver: int
    taker: int


def share_out(blocks: Sequence[Block], price: Price, rng: random.Random | None = None) -> list[list[int]]:
    """Who takes each block: the cheapest sharing there is, at random, or in turns if there is no ``rng``.

    Every block must have at least as many people as it needs.
    """
    sorts: dict[Block, _Sort] = {}
    found: dict[
        tuple[int, int], _Sort
    ] = {}  # most blocks have the very same list of people, which takes long to hash
    for block in blocks:
        place = (id(block.may), block.need)
        if place not in found:
            found[place] = sorts.setdefault(block, _Sort(block.may))
        found[place].size += 1
    totals = {person: 0 for block in sorts for person in block.may}
    # The choosiest sorts go first, so that those that anybody may take can fill the gaps.
    for block, sort in sorted(sorts.items(), key=lambda pair: len(pair[0].may) - pair[0].need):
        _fill(sort, block.need * sort.size, totals, price, rng)
    _even_out(sorts.values(), totals, price)
    own = [found[id(block.may), block.need] for block in blocks]
    return _hand_out(own, [block.need for block in blocks], rng)


def _fill(sort: _Sort, number: int, totals: dict[int, int], price: Price, rng: random.Random | None) -> None:
    """Give each of ``number`` places to the person for whom it is cheapest now."""
    people = rng.sample(sort.may, len(sort.may)) if rng else sort.may
    sort.taken = dict.fromkeys(people, 0)
    heap = [(price(person, totals[person]), rank, person) for rank, person in enumerate(people)]
    heapify(heap)
    while number:
        _, rank, person = heap[0]
        sort.taken[person] += 1
        totals[person] += 1
        number -= 1
        if sort.taken[person] == sort.size:  # nobody takes a block twice
            heap[0] = heap[-1]
            heap.pop()
            heapify(heap)
        else:
            heapreplace(heap, (price(person, totals[person]), rank, person))


def _even_out(sorts: Iterable[_Sort], totals: dict[int, int], price: Price) -> None:
    """Hand blocks on along chains as long as that makes the whole cheaper."""
    sorts_of: dict[int, list[_Sort]] = {person: [] for person in totals}
    for sort in sorts:
        for person in sort.may:
            sorts_of[person].append(sort)

    def saves(chain: list[_Handover]) -> bool:
        giver, taker = chain[0].giver, chain[-1].taker
        return (
            all(
                step.sort.taken[step.giver] and step.sort.taken[step.taker] < step.sort.size for step in chain
            )
            and totals[giver] > 0
            and price(taker, totals[taker]) < price(giver, totals[giver] - 1)
        )

    while chain := _saving_chain(sorts_of, totals, price):
        while saves(chain):
            for sort, giver, taker in chain:
                sort.taken[giver] -= 1
                sort.taken[taker] += 1
            totals[chain[0].giver] -= 1
            totals[chain[-1].taker] += 1


def _saving_chain(sorts_of: dict[int, list[_Sort]], totals: dict[int, int], price: Price) -> list[_Handover]:
    """A chain that makes the sharing cheaper, from whoever pays most; empty if there is none."""
    costs = {person: price(person, number) for person, number in totals.items()}
    saved = {person: price(person, number - 1) for person, number in totals.items() if number}
    cheapest = min(costs.values(), default=None)
    for giver in sorted(saved, key=saved.__getitem__, reverse=True):
        if not cheapest < saved[giver]:
            break
        takers = {person for person, cost in costs.items() if cost < saved[giver]}
        if chain := _chain(giver, takers, sorts_of):
            return chain
    return []


def _chain(giver: int, takers: set[int], sorts_of: dict[int, list[_Sort]]) -> list[_Handover]:
    """The shortest chain from a giver to one of the takers, breadth first; empty if there is none."""
    reached: dict[int, _Handover | None] = {giver: None}
    queue, seen = [giver], set()
    for person in queue:
        for sort in sorts_of[person]:
            if id(sort) in seen or not sort.taken[person]:
                continue
            seen.add(id(sort))
            for taker in sort.may:
                if taker in reached or sort.taken[taker] == sort.size:
                    continue
                reached[taker] = _Handover(sort, person, taker)
                queue.append(taker)
                if taker in takers:
                    return _steps(reached, taker)
    return []


def _steps(reached: dict[int, _Handover | None], last: int) -> list[_Handover]:
    steps: list[_Handover] = []
    step = reached[last]
    while step:
        steps.append(step)
        step = reached[step.giver]
    return steps[::-1]


def _hand_out(sorts: list[_Sort], needs: list[int], rng: random.Random | None) -> list[list[int]]:
    """Turn "how many blocks of a sort" into "which": at random, or to those who have waited longest."""
    takers: list[list[int]] = [[] for _ in sorts]
    urns = {key: _Urn(sort) for key, sort in {id(sort): sort for sort in sorts}.items()}
    everybody = {person for urn in urns.values() for person in urn.sort.may}
    waiting = {person: rank for rank, person in enumerate(sorted(everybody))}
    turn = len(waiting)
    order = rng.sample(range(len(sorts)), len(sorts)) if rng else range(len(sorts))
    for index in order:
        sort, urn = sorts[index], urns[id(sorts[index])]
        # Whoever still takes as many blocks as are left takes this one; that leaves no dead end for the others.
        chosen = urn.must_take()
        places = needs[index] - len(chosen)
        if rng:
            chosen += urn.drawn(places, rng)
        else:
            free = [person for person in sort.may if 0 < sort.taken[person] < sort.size]
            chosen += sorted(free, key=waiting.__getitem__)[:places]
        for person in chosen:
            urn.take(person)
            waiting[person] = turn
            turn += 1
        sort.size -= 1
        takers[index] = chosen
    return takers


class _Urn:
    """A lot for every block of a sort that a person has still to take. Drawing one is a walk down a tree of sums, however many
    people there are."""

    def __init__(self, sort: _Sort) -> None:
        self.sort = sort
        self.rank = {person: rank for rank, person in enumerate(sort.may)}
        self.having: dict[int, set[int]] = {}  # number of blocks still to take → who has it
        self.half = 1 << max(len(sort.may) - 1, 0).bit_length()
        self.sums = [0] * (2 * self.half)
        for person, rank in self.rank.items():
            self.having.setdefault(sort.taken[person], set()).add(person)
            self.sums[self.half + rank] = sort.taken[person]
        for node in range(self.half - 1, 0, -1):
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1]

    def must_take(self) -> list[int]:
        """Who has as many to take as there are blocks left."""
        return (
            sorted(self.having.get(self.sort.size, ()), key=self.rank.__getitem__) if self.sort.size else []
        )

    def drawn(self, places: int, rng: random.Random) -> list[int]:
        """Different people of the others, drawn with chances in proportion to what they have still to take."""
        if places <= 0:
            return []
        apart = self.must_take()
        for person in apart:
            self._weigh(person, 0)
        drawn = []
        for _ in range(places):
            place, node = rng.random() * self.sums[1], 1
            while node < self.half:
                node *= 2
                if place >= self.sums[node]:
                    place -= self.sums[node]
                    node += 1
            person = self.sort.may[node - self.half]
            self._weigh(person, 0)
            drawn.append(person)
        for person in (*apart, *drawn):
            self._weigh(person, self.sort.taken[person])
        return drawn

    def take(self, person: int) -> None:
        """The person takes one of their blocks."""
        left = self.sort.taken[person] = self.sort.taken[person] - 1
        self.having[left + 1].discard(person)
        self.having.setdefault(left, set()).add(person)
        self._weigh(person, left)

    def _weigh(self, person: int, lots: int) -> None:
        node = self.half + self.rank[person]
        more = lots - self.sums[node]
        while node:
            self.sums[node] += more
            node //= 2
