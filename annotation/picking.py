"""Which sets are made of an item's texts: pure functions, seeded; no database. Where the texts stand is ``sets.py``'s business.

``balanced`` makes each system be in equally many sets of a task and each two systems meet equally often. Where a balanced
incomplete block design is known it comes out exactly: base blocks developed cyclically (Bose 1939), sometimes with one point
that stays fixed. What a whole number of designs leaves over, and items on which texts are lacking or the same, are filled
greedily and then mended by exchange, systems before pairs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb, exp

Systems = tuple[str, ...]  # who wrote a text: several, if theirs are the same
Item = tuple[Systems, ...]  # the different texts of an item
Numbers = tuple[int, ...]  # the same, while they are numbers
Set = tuple[int, ...]  # indices into the item's texts, rising

FEW = 100  # all subsets of so few are a design themselves
STEPS = 15_000  # of the exchange, at most

# (systems, size) → modulus and base blocks; where the modulus is one less, a block that is too short has the fixed point too.
BASE_BLOCKS: dict[tuple[int, int], tuple[int, tuple[Set, ...]]] = {
    (6, 3): (5, ((0, 1), (0, 1, 3))),
    (7, 3): (7, ((0, 1, 3),)),
    (9, 3): (8, ((0, 2), (0, 1, 3), (0, 1, 4))),
    (13, 3): (13, ((0, 1, 4), (0, 2, 7))),
    (7, 4): (7, ((0, 1, 2, 4),)),
    (8, 4): (7, ((0, 1, 3), (0, 1, 2, 4))),
    (9, 4): (9, ((0, 1, 2, 4), (0, 1, 4, 6))),
    (10, 4): (10, ((0, 1, 2, 4), (0, 1, 3, 6), (0, 1, 4, 6))),
    (12, 4): (11, ((0, 1, 2), (0, 1, 4, 7), (0, 2, 5, 7))),
    (13, 4): (13, ((0, 1, 3, 9),)),
    (9, 5): (9, ((0, 1, 2, 3, 5), (0, 1, 3, 5, 6))),
    (10, 5): (9, ((0, 1, 2, 4), (0, 1, 3, 5, 6))),
    (11, 5): (11, ((0, 1, 2, 4, 7),)),
    (13, 5): (13, ((0, 1, 2, 3, 6), (0, 1, 3, 6, 9), (0, 1, 5, 7, 9))),
    (21, 5): (21, ((0, 1, 4, 14, 16),)),
    (10, 6): (10, ((0, 1, 2, 3, 4, 6), (0, 1, 2, 3, 6, 7), (0, 1, 3, 4, 6, 8))),
    (11, 6): (11, ((0, 1, 2, 4, 5, 7),)),
    (12, 6): (11, ((0, 1, 2, 3, 6), (0, 1, 3, 5, 7, 8))),
    (13, 6): (13, ((0, 1, 2, 3, 5, 9), (0, 1, 3, 6, 7, 11))),
    (16, 6): (16, ((0, 1, 2, 3, 6, 10), (0, 1, 3, 6, 8, 12))),
}


def block_design(points: int, size: int) -> list[Set] | None:
    """A balanced incomplete block design on points 0, 1 …: each in equally many blocks, each two in equally many; None if none is known.

    >>> block_design(7, 4)[:3]
    [(0, 1, 2, 4), (1, 2, 3, 5), (2, 3, 4, 6)]
    """
    if (points, size) in BASE_BLOCKS:
        modulus, bases = BASE_BLOCKS[points, size]
        return [
            tuple(
                sorted(
                    [(point + shift) % modulus for point in base] + [modulus for _ in range(size - len(base))]
                )
            )
            for base in bases
            for shift in range(modulus)
        ]
    if size <= 2 or comb(points, size) <= FEW:
        return list(combinations(range(points), size))
    return None


def sets_number(texts: int, size: int, most: int | None) -> int:
    """How many sets an item with so many different texts gets; ``most``: None for all that there are.

    >>> sets_number(60, 4, None), sets_number(60, 4, 10), sets_number(3, 4, None), sets_number(1, 2, None)
    (487635, 10, 1, 0)
    """
    if texts < 2:
        return 0
    number = comb(texts, min(size, texts))
    return number if most is None else min(most, number)


@lru_cache(maxsize=8)
def picked(
    items: tuple[Item, ...], *, pick: str, size: int, per_item: int, anchor: str, seed: int
) -> tuple[tuple[Set, ...], ...]:
    """The sets of each item. An item with fewer texts than a set has makes one set of all of them; one with a single text none.

    Pages of a draft ask for the same plan again and again, so it is kept.
    """
    rng = random.Random(f"{seed}/sets")
    usable = tuple(item if len(item) > 1 else () for item in items)
    if pick == "all":
        return tuple(
            tuple(combinations(range(len(item)), min(size, len(item)))) if item else () for item in usable
        )
    if pick == "random":
        return tuple(_drawn(item, size, per_item, rng) for item in usable)
    if pick == "anchor":
        return _with_anchor(usable, size, per_item, anchor, rng)
    return _balanced(usable, size, per_item, rng)


def meetings(items: Iterable[Item], sets: Iterable[Iterable[Set]]) -> Counter[tuple[str, str]]:
    """How often each two systems meet: stand in a set with different texts. Those that never do, but might, count 0."""
    met: Counter[tuple[str, str]] = Counter()
    for item, of_item in zip(items, sets, strict=True):
        for texts in combinations(item, 2):
            met.update(dict.fromkeys(_pairs(*texts), 0))
        for members in of_item:
            for left, right in combinations(members, 2):
                met.update(_pairs(item[left], item[right]))
    return met


def _pairs(left: Systems, right: Systems) -> Iterator[tuple[str, str]]:
    for one, other in product(left, right):
        yield (one, other) if one < other else (other, one)


def _drawn(item: Item, size: int, per_item: int, rng: random.Random) -> tuple[Set, ...]:
    """So many different sets, as WMT drew them."""
    if not item:
        return ()
    size = min(size, len(item))
    wanted = min(per_item, comb(len(item), size))
    drawn: dict[Set, None] = {}
    while len(drawn) < wanted:
        drawn[tuple(sorted(rng.sample(range(len(item)), size)))] = None
    return tuple(drawn)


def _with_anchor(
    items: tuple[Item, ...], size: int, per_item: int, anchor: str, rng: random.Random
) -> tuple[tuple[Set, ...], ...]:
    """The anchor in every set, and the others balanced beside it."""
    at = [next((n for n, text in enumerate(item) if anchor in text), None) for item in items]
    others = tuple(
        item[:place] + item[place + 1 :] if place is not None else ()
        for item, place in zip(items, at, strict=True)
    )
    beside = _balanced(others, size - 1, per_item, rng)
    return tuple(
        tuple(tuple(sorted([place, *(n + (n >= place) for n in members)])) for members in sets)
        if place is not None
        else ()
        for place, sets in zip(at, beside, strict=True)
    )


# --- balanced -----------------------------------------------------------------------------------------------------


def _balanced(
    items: tuple[Item, ...], size: int, per_item: int, rng: random.Random
) -> tuple[tuple[Set, ...], ...]:
    wanted = [min(per_item, comb(len(item), min(size, len(item)))) if item else 0 for item in items]
    made = _from_designs(items, wanted, size, rng)
    _Exchange(items, made, rng).fill(wanted, size)
    return tuple(tuple(sets) for sets in made)


def _from_designs(
    items: tuple[Item, ...], wanted: Sequence[int], size: int, rng: random.Random
) -> list[list[Set]]:
    """Whole designs, as many as fit, for the items on which all systems have texts of their own."""
    made: list[list[Set]] = [[] for _ in items]
    everybody = sorted({system for item in items for text in item for system in text})
    whole = [
        number
        for number, item in enumerate(items)
        if sorted(item) == [(system,) for system in everybody] and wanted[number]
    ]
    blocks = block_design(len(everybody), size) if size <= len(everybody) else None
    if not blocks:
        return made
    for _ in range(sum(wanted[number] for number in whole) // len(blocks)):
        labels = rng.sample(everybody, len(everybody))
        named = [frozenset(labels[point] for point in block) for block in blocks]
        rng.shuffle(named)
        # Items fill up one after the other; a set that an item has already goes to a later one.
        for block in named:
            for number in whole:
                members = tuple(n for n, (system,) in enumerate(items[number]) if system in block)
                if len(made[number]) < wanted[number] and members not in made[number]:
                    made[number].append(members)
                    break
    return made


class _Exchange:
    """The sets that designs leave over, and how often systems are in sets and meet, with the fixed sets counted in."""

    def __init__(self, items: tuple[Item, ...], made: list[list[Set]], rng: random.Random) -> None:
        self.made = made
        self.rng = rng
        self.free: list[tuple[int, int]] = []  # an item, and which of its sets
        met = meetings(items, made)
        names = sorted({system for item in items for text in item for system in text})
        number_of = {name: number for number, name in enumerate(names)}
        # Systems are numbers here, and meetings a table: it is looked into some hundred thousand times.
        self.items = [[tuple(number_of[name] for name in text) for text in item] for item in items]
        self.pairs = [(number_of[left], number_of[right]) for left, right in met]
        self.met = [[0] * len(names) for _ in names]
        for (left, right), times in met.items():
            self.met[number_of[left]][number_of[right]] = self.met[number_of[right]][number_of[left]] = times
        self.shown = [0] * len(names)
        for item, sets in zip(self.items, made, strict=True):
            for members in sets:
                for n in members:
                    for system in item[n]:
                        self.shown[system] += 1

    def fill(self, wanted: Sequence[int], size: int) -> None:
        """Make what is lacking, each set of the systems that are due most, and mend it until nothing is to be gained."""
        for number, item in enumerate(self.items):
            while len(self.made[number]) < wanted[number]:
                self.free.append((number, len(self.made[number])))
                self.made[number].append(self._due(number, min(size, len(item))))
        movable = [
            place for place in self.free if len(self.made[place[0]][place[1]]) < len(self.items[place[0]])
        ]
        if movable:
            self._mend(movable)

    def _due(self, number: int, size: int) -> Set:
        """A new set of the item: text by text whoever was shown least, then who met the others least."""
        item = self.items[number]
        for _ in range(20):
            chosen: list[int] = []
            while len(chosen) < size:
                left = [n for n in range(len(item)) if n not in chosen]
                self.rng.shuffle(left)
                chosen.append(min(left, key=lambda n: self._dues(item, n, chosen)))
            if tuple(sorted(chosen)) not in self.made[number]:
                break
        else:
            unused = [one for one in combinations(range(len(item)), size) if one not in self.made[number]]
            chosen = list(self.rng.choice(unused))
        for place, n in enumerate(chosen):
            self._count(item[n], [item[other] for other in chosen[:place]], 1)
        return tuple(sorted(chosen))

    def _dues(self, item: Sequence[Numbers], n: int, chosen: Sequence[int]) -> tuple[int, int]:
        met = sum(self.met[one][two] for other in chosen for one in item[n] for two in item[other])
        return max(self.shown[system] for system in item[n]), met

    def _count(self, text: Numbers, beside: Sequence[Numbers], by: int) -> int:
        """A text comes to others (1) or leaves them (−1): count it. The change of the sum of squares, in which systems weigh
        so much that pairs cannot outweigh them."""
        change = 0
        for system in text:
            change += 20 * (1 + 2 * by * self.shown[system])
            self.shown[system] += by
            row = self.met[system]
            for other in beside:
                for stays in other:
                    change += 1 + 2 * by * row[stays]
                    row[stays] += by
                    self.met[stays][system] = row[stays]
        return change

    def _mend(self, movable: Sequence[tuple[int, int]]) -> None:
        """Exchange texts, within a set or between two, also for the worse as long as it is warm, and keep the best."""
        steps = min(STEPS, 400 * len(movable) * len(self.made[movable[0][0]][movable[0][1]]))
        cost = best = 0
        kept = self._taken(movable)
        for step in range(steps):
            if step % 100 == 0:
                if cost < best:
                    best, kept = cost, self._taken(movable)
                if _even(self.shown) and _even([self.met[left][right] for left, right in self.pairs]):
                    return
            warmth = 1.5 * (1 - step / steps) + 0.05
            moves = self._one(movable) if self.rng.random() < 0.3 else self._two(movable)
            if not moves:
                continue
            change = sum(self._replace(*move) for move in moves)
            if change > 0 and self.rng.random() >= exp(-change / warmth):
                for place, leaves, comes in reversed(moves):
                    self._replace(place, comes, leaves)
            else:
                cost += change
        if best < cost:
            for (number, index), members in kept.items():
                self.made[number][index] = members

    def _taken(self, movable: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Set]:
        return {(number, index): self.made[number][index] for number, index in movable}

    def _one(self, movable: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], int, int]]:
        """A text leaves a set and another of its item comes."""
        number, index = place = self.rng.choice(movable)
        members = self.made[number][index]
        leaves = self.rng.choice(members)
        comes = self.rng.choice([n for n in range(len(self.items[number])) if n not in members])
        return [(place, leaves, comes)] if self._is_new(place, leaves, comes) else []

    def _two(self, movable: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], int, int]]:
        """Two sets exchange two systems, which leaves alone how often each is shown."""
        first, second = self.rng.choice(movable), self.rng.choice(movable)
        if first == second:
            return []
        here, there = self.items[first[0]], self.items[second[0]]
        mine, yours = self.made[first[0]][first[1]], self.made[second[0]][second[1]]
        gives, takes = self.rng.choice(mine), self.rng.choice(yours)
        if here[gives] not in there or there[takes] not in here:
            return []
        arrives, departs = there.index(here[gives]), here.index(there[takes])
        if arrives in yours or departs in mine:
            return []
        if not (self._is_new(first, gives, departs) and self._is_new(second, takes, arrives)):
            return []
        return [(first, gives, departs), (second, takes, arrives)]

    def _is_new(self, place: tuple[int, int], leaves: int, comes: int) -> bool:
        number, index = place
        return _exchanged(self.made[number][index], leaves, comes) not in self.made[number]

    def _replace(self, place: tuple[int, int], leaves: int, comes: int) -> int:
        """Do it; the change of the cost."""
        number, index = place
        item, members = self.items[number], self.made[number][index]
        beside = [item[n] for n in members if n != leaves]
        change = self._count(item[leaves], beside, -1) + self._count(item[comes], beside, 1)
        self.made[number][index] = _exchanged(members, leaves, comes)
        return change


def _exchanged(members: Set, leaves: int, comes: int) -> Set:
    return tuple(sorted([*(n for n in members if n != leaves), comes]))


def _even(counts: Sequence[int]) -> bool:
    return not counts or max(counts) - min(counts) <= 1
