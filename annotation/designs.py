"""Who judges what, in which order: pure functions, seeded. ``docs/designs.md`` explains them in plain words.

Only ``random.Random`` is drawn from: its streams are the same on every machine, so a stored seed gives the plan again.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, Literal, Protocol, Self, TypeVar

from pydantic import Field, model_validator

from annotation.shares import Block, Price, share_out
from annotation.strict import Strict


class Design(Strict):
    """The ``design`` of a study file."""

    assessors_per_item: int = Field(default=1, ge=1, le=100_000)
    order: Literal["random", "fixed", "latin-square", "blocked", "model-author"] = "random"
    pool: bool = False
    shared: tuple[str, ...] = ()  # items that everybody judges
    interleave: bool = False  # with a fixed order: systems take turns

    @model_validator(mode="after")
    def _only_a_fixed_order_is_interleaved(self) -> Self:
        if self.interleave and self.order != "fixed":
            raise ValueError("only “order: fixed” can “interleave”; the other orders mix systems anyway.")
        return self

    @model_validator(mode="after")
    def _nothing_shared_in_a_pool(self) -> Self:
        if self.pool and self.shared:
            raise ValueError(
                "a pool deals nothing beforehand, so nothing can be “shared”; leave out one of the two."
            )
        return self


@dataclass(frozen=True)
class Piece:
    """A subject as a design sees it. ``authors``: author ids that must not judge it; ``writer``: of its model."""

    index: int
    item: str
    system: str
    authors: frozenset[str] = frozenset()
    writer: str = ""


@dataclass(frozen=True)
class Person:
    """An assessor as a design sees one."""

    index: int
    group: str = ""
    author: str = ""


@dataclass(frozen=True)
class Deal:
    """One piece for one person; a person's deals come in the order in which the person meets them."""

    person: int
    piece: int


class DesignProblem(ValueError):
    """The design cannot be carried out; the message says what to change."""


# Of a study, all its tasks together. A few lines can ask for more than any memory holds: fifty texts have two million sets of four, and
# ten thousand people who judge ten thousand texts each are a file of 70 KB.
MOST_PIECES = 200_000
MOST_DEALT = 1_000_000
# What a kind puts on the page of a piece beside its texts (models, content units), as JSON: of one piece, and of a task's together, which
# are stored for each piece anew.
MOST_SHOWN = 5_000_000  # characters
MOST_SHOWN_IN_ALL = 250_000_000


class Shows(Protocol):
    """What a kind wants judged, as far as it can be too large."""

    @property
    def item(self) -> str: ...
    @property
    def shown(self) -> Mapping[str, Any]: ...


Listed = TypeVar("Listed", bound=Shows)


def too_many_pieces() -> DesignProblem:
    return DesignProblem(
        f"there would be more than {MOST_PIECES:,} pieces to judge. Let fewer texts meet (“sets”: another “pick”, a smaller “per_item”), or "
        "give fewer tasks, outputs or references."
    )


def bounded(pieces: Iterable[Listed], before: int = 0) -> Iterator[Listed]:
    """The pieces of a task, up to as many as a study may have; ``before``: what tasks before it have."""
    in_all = 0
    for number, piece in enumerate(pieces, start=before):
        if number == MOST_PIECES:
            raise too_many_pieces()
        shown = len(json.dumps(piece.shown, ensure_ascii=False)) if piece.shown else 0
        in_all += shown
        if shown > MOST_SHOWN or in_all > MOST_SHOWN_IN_ALL:
            raise DesignProblem(
                f"“{piece.item}” would show models, content units or questions of {shown:,} characters, with those before it "
                f"{in_all:,}; at most {MOST_SHOWN:,} and {MOST_SHOWN_IN_ALL:,} are possible. Give fewer or shorter ones."
            )
        yield piece


class PeopleProblem(DesignProblem):
    """It cannot be carried out with these people: somebody must come, or be put into a group or given an author's name."""


def deal(
    design: Design,
    pieces: Sequence[Piece],
    people: Sequence[Person],
    *,
    seed: int,
    already: Mapping[int, int] | None = None,
    met: Mapping[tuple[int, str], int] | None = None,
) -> list[Deal]:
    """Deal pieces to people; the same arguments give the same plan. A pool is not dealt beforehand.

    ``already``: how many pieces a person has from the study's other tasks. If the numbers do not come out even,
    whoever has fewer gets one more. ``met``: how many pieces of each system a person has from this task, for a wave that
    is dealt on top of it.
    """
    if design.pool or not pieces:
        return []
    if not people:
        raise PeopleProblem("There is nobody to deal to: add assessors.")
    table = _Table(design, people, already or {}, random.Random(seed), met or {})
    everybodys = set(design.shared)
    table.hand_everybody([piece for piece in pieces if piece.item in everybodys])
    _DEALERS[design.order](table, [piece for piece in pieces if piece.item not in everybodys])
    place = {piece.index: place for place, piece in enumerate(pieces)}
    return [
        Deal(person.index, piece.index)
        for person, hand in zip(people, table.hands, strict=True)
        for piece in _ordered(design, sorted(hand, key=lambda piece: place[piece.index]), table.rng)
    ]


def pool_order(pieces: Sequence[Piece], seed: int) -> list[int]:
    """The indices of the pieces in the order in which a pool offers those that are equally often judged."""
    rng = random.Random(seed)
    return [piece.index for piece in _spread(pieces, rng)]


class _Table:
    """The hands while cards are dealt. People are known by their place; ``hands`` has what each of them got."""

    def __init__(
        self,
        design: Design,
        people: Sequence[Person],
        already: Mapping[int, int],
        rng: random.Random,
        met: Mapping[tuple[int, str], int],
    ) -> None:
        self.k = design.assessors_per_item
        self.rng = rng
        self.authors = [person.author for person in people]
        self.already = [already.get(person.index, 0) for person in people]
        self.has_met = bool(met)
        systems = {system for _, system in met}
        self.met = {system: [met.get((one.index, system), 0) for one in people] for system in systems}
        self.hands: list[list[Piece]] = [[] for _ in people]
        self._may: dict[frozenset[str], tuple[int, ...]] = {}

    def may(self, authors: frozenset[str]) -> tuple[int, ...]:
        """Who may judge what these authors wrote: everybody else."""
        if authors not in self._may:
            self._may[authors] = tuple(
                place for place, author in enumerate(self.authors) if not author or author not in authors
            )
        return self._may[authors]

    def block(self, pieces: Sequence[Piece], need: int) -> Block:
        """Pieces of one item that stay together, for people who wrote none of them."""
        may = self.may(frozenset[str]().union(*(piece.authors for piece in pieces)))
        if len(may) < need:
            raise PeopleProblem(self._too_few(pieces[0].item, need, len(may)))
        return Block(may, need)

    def _too_few(self, item: str, need: int, there: int) -> str:
        others = " who wrote none of its outputs" if there < len(self.authors) else ""
        found = f"there {'is' if there == 1 else 'are'} {there}" if there else "there is nobody"
        per_assessor = need // self.k
        most = there // per_assessor
        lower = f", or lower assessors_per_item to {most}" if 0 < most < self.k else ""
        once = "Nobody may meet an item twice in a latin-square. " if per_assessor > 1 else ""
        other = ", or choose another order" if per_assessor > 1 else ""
        return f"{once}Item “{item}” needs {need} assessors{others}, but {found}: add {need - there}{lower}{other}."

    def price(self, weight: int = 1) -> Price:
        """Even loads come first; among equals, whoever has less from other tasks."""
        loads = [len(hand) for hand in self.hands]
        return lambda person, number: (loads[person] + number * weight, self.already[person])

    def cost(self, takers: Iterable[Sequence[int]]) -> tuple[int, int]:
        """How uneven loads would be, and how much of it falls to those who have much from other tasks."""
        loads = [len(hand) for hand in self.hands]
        for people in takers:
            for person in people:
                loads[person] += 1
        return (
            sum(load * load for load in loads),
            sum(load * more for load, more in zip(loads, self.already, strict=True)),
        )

    def hand_everybody(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            for person in self.may(piece.authors):
                self.hands[person].append(piece)

    def hand(self, stacks: Sequence[Sequence[Piece]], takers: Sequence[Sequence[int]]) -> None:
        for stack, people in zip(stacks, takers, strict=True):
            for person in people:
                self.hands[person].extend(stack)


def _deal_random(table: _Table, pieces: Sequence[Piece]) -> None:
    """Everybody gets a fair share of each system, if loads can be as even as without that; else even loads come first."""
    stacks = [[piece] for piece in pieces]
    blocks = [table.block(stack, table.k) for stack in stacks]
    takers = _takers_by_system(table, pieces, blocks)
    open_to_all = all(len(block.may) == len(table.hands) for block in blocks)
    begun_alike = len({len(hand) for hand in table.hands}) == 1
    if takers is None or not open_to_all or not begun_alike or table.has_met:
        evenly = share_out(blocks, table.price(), table.rng)
        if takers is None or table.cost(takers) > table.cost(evenly):
            takers = evenly
    table.hand(stacks, takers)


def _takers_by_system(
    table: _Table, pieces: Sequence[Piece], blocks: Sequence[Block]
) -> list[list[int]] | None:
    """Who gets each piece, dealt system by system; None where nearly every piece is a system of its own, as sets are."""
    places: dict[str, list[int]] = {}
    for place, piece in enumerate(pieces):
        places.setdefault(piece.system, []).append(place)
    if 2 * len(places) > len(pieces) and not any(system in table.met for system in places):
        return None
    takers: list[list[int]] = [[] for _ in pieces]
    loads = [len(hand) for hand in table.hands]
    for system in table.rng.sample(list(places), len(places)):
        own = [blocks[place] for place in places[system]]
        price = _fair_and_even(own, loads, table.already)
        if table.has_met:
            price = _least_met(table.met.get(system, [0] * len(loads)), loads, table.already)
        for place, people in zip(places[system], share_out(own, price, table.rng), strict=True):
            takers[place] = people
        for place in places[system]:
            for person in takers[place]:
                loads[person] += 1
    return takers


def _fair_and_even(blocks: Sequence[Block], loads: Sequence[int], already: Sequence[int]) -> Price:
    """A fair share of these blocks comes first, then even loads, then whoever has less from other tasks."""
    fair, before = _fair(blocks), list(loads)
    return lambda person, number: (fair(person, number), before[person] + number, already[person])


def _least_met(met: Sequence[int], loads: Sequence[int], already: Sequence[int]) -> Price:
    """Whoever has met the system least comes first, then even loads."""
    before = list(loads)
    return lambda person, number: (met[person] + number, before[person] + number, already[person])


def _deal_fixed(table: _Table, pieces: Sequence[Piece]) -> None:
    stacks = [[piece] for piece in pieces]
    blocks = [table.block(stack, table.k) for stack in stacks]
    table.hand(stacks, share_out(blocks, table.price()))


def _deal_blocked(table: _Table, pieces: Sequence[Piece]) -> None:
    """Whole items, the largest first: smaller ones then fill up what the larger left uneven."""
    by_size: dict[int, list[list[Piece]]] = defaultdict(list)
    for stack in _grouped(pieces, lambda piece: piece.item).values():
        by_size[len(stack)].append(stack)
    for size in sorted(by_size, reverse=True):
        blocks = [table.block(stack, table.k) for stack in by_size[size]]
        table.hand(by_size[size], share_out(blocks, table.price(size), table.rng))


def _deal_model_author(table: _Table, pieces: Sequence[Piece]) -> None:
    if any(not piece.writer for piece in pieces):
        items = sorted({piece.item for piece in pieces if not piece.writer})
        raise DesignProblem(
            f"A model of {_listed('item', items)} has no author: name its author, or choose another order."
        )
    if strangers := sorted({piece.writer for piece in pieces} - set(table.authors)):
        raise PeopleProblem(
            f"Models were written by {_listed('author', strangers)}, who {'is' if len(strangers) == 1 else 'are'} no "
            "assessor: give an assessor this author id, or choose another order."
        )
    blocks = []
    for piece in pieces:
        if piece.writer in piece.authors:
            raise DesignProblem(
                f"On item “{piece.item}”, author “{piece.writer}” wrote both the model and the output that would be "
                "judged against it: leave out one of them, or choose another order."
            )
        writers = tuple(place for place, author in enumerate(table.authors) if author == piece.writer)
        blocks.append(Block(writers, 1))
    table.hand([[piece] for piece in pieces], share_out(blocks, table.price(), table.rng))


def _deal_latin_square(table: _Table, pieces: Sequence[Piece]) -> None:
    """First who meets which item, then with which system: everybody meets their fair share of each, rounded."""
    items = _grouped(pieces, lambda piece: piece.item)
    blocks = [table.block(stack, table.k * len(stack)) for stack in items.values()]
    shares = share_out(blocks, table.price(), table.rng)
    free = dict(zip(items, map(set, shares), strict=True))  # who meets the item with a system not yet chosen
    systems = _grouped(pieces, lambda piece: piece.system)
    for system in table.rng.sample(list(systems), len(systems)):
        stacks = list(_grouped(systems[system], lambda piece: piece.item).values())
        rows = [free[stack[0].item] for stack in stacks]
        blocks = [
            Block(tuple(sorted(row)), table.k * len(stack)) for row, stack in zip(rows, stacks, strict=True)
        ]
        for stack, takers in zip(stacks, share_out(blocks, _fair(blocks), table.rng), strict=True):
            free[stack[0].item].difference_update(takers)
            table.rng.shuffle(takers)
            # With several references an assessor meets the output with one of them.
            table.hand([[piece] for piece in stack], [takers[i :: len(stack)] for i in range(len(stack))])


def _fair(blocks: Sequence[Block]) -> Price:
    """Dear below and beyond a person's fair share of the blocks, rounded down and up.

    If everybody took the part ``need / len(may)`` of every block that they may take, all needs were met; flows have
    whole-number solutions between rounded bounds, so rounded fair shares can always be had.
    """
    share: dict[int, Fraction] = defaultdict(Fraction)
    people = {id(block.may): block.may for block in blocks}
    for (who, need), number in Counter((id(block.may), block.need) for block in blocks).items():
        for person in people[who]:
            share[person] += Fraction(number * need, len(people[who]))
    bounds = {person: (floor(part), ceil(part)) for person, part in share.items()}

    def price(person: int, number: int) -> int:
        low, high = bounds[person]
        return number - low if number < low else max(0, number + 1 - high)

    return price


_DEALERS: dict[str, Callable[[_Table, Sequence[Piece]], None]] = {
    "random": _deal_random,
    "fixed": _deal_fixed,
    "blocked": _deal_blocked,
    "latin-square": _deal_latin_square,
    "model-author": _deal_model_author,
}


def _ordered(design: Design, hand: list[Piece], rng: random.Random) -> list[Piece]:
    """A hand, given in the order of the file, as its person will meet it."""
    if design.order == "fixed":
        return _interleaved(hand) if design.interleave else hand
    if design.order == "blocked":
        stacks = list(_grouped(hand, lambda piece: piece.item).values())
        rng.shuffle(stacks)
        return [piece for stack in stacks for piece in rng.sample(stack, len(stack))]
    return _spread(hand, rng)


def _interleaved(hand: list[Piece]) -> list[Piece]:
    """Every system's first piece, then every system's second …: each system's own order stays."""
    met: Counter[str] = Counter()
    rounds = []
    for piece in hand:
        rounds.append(met[piece.system])
        met[piece.system] += 1
    return [piece for _, piece in sorted(zip(rounds, hand, strict=True), key=lambda pair: pair[0])]


def systems_in_runs(systems: Sequence[str]) -> bool:
    """Whether each of several systems stands in one run: whoever meets them in this order can tell them apart."""
    changes = sum(1 for before, after in pairwise(systems) if before != after)
    return 1 < len(set(systems)) == changes + 1 < len(systems)


def _spread(pieces: Sequence[Piece], rng: random.Random) -> list[Piece]:
    """A random order in which an item follows itself as rarely as possible.

    An item that fills more than half of what is left must come next, or it will follow itself later; otherwise any
    item may come but the last one.
    """
    left = rng.sample(pieces, len(pieces))
    counts: Counter[str | None] = Counter(piece.item for piece in left)
    sizes = Counter(
        counts.values()
    )  # how many items are left that often, to know the largest without a search
    largest = max(sizes, default=0)
    ordered: list[Piece] = []
    last = None
    while left:
        half = len(left) / 2
        while not sizes[largest]:
            largest -= 1
        if counts[last] == len(left):
            return ordered + left
        must = largest > half and (last is None or counts[last] <= half)
        place = next(
            place
            for place in reversed(range(len(left)))
            if (counts[left[place].item] > half if must else left[place].item != last)
        )
        left[place], left[-1] = left[-1], left[place]
        ordered.append(left.pop())
        last = ordered[-1].item
        sizes[counts[last]] -= 1
        counts[last] -= 1
        sizes[counts[last]] += 1
    return ordered


def _grouped(pieces: Iterable[Piece], key: Callable[[Piece], str]) -> dict[str, list[Piece]]:
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(key(piece), []).append(piece)
    return groups


def _listed(noun: str, names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:5]) + (" …" if len(names) > 5 else "")
    return f"{noun} {shown}" if len(names) == 1 else f"{noun}s {shown}"
