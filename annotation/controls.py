"""Control items among everybody's work: who gets which, and where. Pure and seeded, like the designs that they join."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.designs import Deal, Design, Person, Piece


@dataclass(frozen=True)
class ControlPiece:
    """A control item among the pieces. ``original``: the piece without which nobody gets it."""

    piece: Piece
    original: int | None = None
    comes_after: bool = False  # a repeat: its original must have been met before


def with_controls(
    design: Design,
    deals: Sequence[Deal],
    pieces: Sequence[Piece],
    controls: Sequence[ControlPiece],
    people: Sequence[Person],
    *,
    seed: int,
) -> list[Deal]:
    """Put control items between the pieces of everybody whom they concern, spread over the whole of a person's work.

    There are pieces between any two of them where there are twice as many, and none stands beside a piece of its own item if
    that can be helped. A repeat comes after its original, and like a degraded text some way from it. ``pieces`` are those of
    the deals, by index.
    """
    items = {piece.index: piece.item for piece in pieces}
    hands: dict[int, list[int]] = defaultdict(list)
    for one in deals:
        hands[one.person].append(one.piece)
    dealt: list[Deal] = []
    for number, person in enumerate(people):
        hand = hands[person.index]
        mine = [control for control in controls if _concerns(design, control, person, hand)]
        rng = random.Random(f"{seed}/controls/{number}")
        dealt += [Deal(person.index, piece) for piece in _spread_controls(hand, mine, items, rng)]
    return dealt


def _concerns(design: Design, control: ControlPiece, person: Person, hand: Sequence[int]) -> bool:
    own = bool(person.author) and person.author in control.piece.authors
    if design.order == "model-author" and control.piece.writer != person.author:
        return False
    return bool(hand) and not own and (control.original is None or control.original in hand)


def _spread_controls(
    hand: Sequence[int], controls: Sequence[ControlPiece], items: Mapping[int, str], rng: random.Random
) -> list[int]:
    """The hand with a control item after every so many pieces: not beside another one, nor beside a piece of its own item."""
    met = {piece: number for number, piece in enumerate(hand, start=1)}  # pieces up to and with this one
    free = [control for control in controls if not control.comes_after]
    rng.shuffle(free)
    repeats = [control for control in controls if control.comes_after]
    repeats.sort(key=lambda control: met[control.original or 0])
    share = len(hand) / (len(controls) + 1)
    gaps: dict[int, list[int]] = defaultdict(list)  # number of pieces before → control items there
    for number, control in enumerate([*free, *repeats], start=1):
        original = None if control.original is None else met[control.original]
        first = original if control.comes_after and original is not None else 0

        def price(
            gap: int,
            control: ControlPiece = control,
            wanted: float = share * number,
            original: int | None = original,
        ) -> float:
            beside = [items[piece] for piece in hand[max(0, gap - 1) : gap + 1]]
            near = original is not None and abs(gap - original) < len(hand) / 4
            return (
                20 * len(gaps[gap])
                + 10 * (control.piece.item in beside)
                + 5 * near
                + abs(gap - wanted) / len(hand)
            )

        gaps[min(range(first, len(hand) + 1), key=price)].append(control.piece.index)
    whole = list(gaps[0])
    for number, piece in enumerate(hand, start=1):
        whole += [piece, *gaps[number]]
    return whole


def share_of(share: float, pieces: int) -> int:
    """So many check items come with so many pieces, to the nearest whole number.

    >>> [share_of(0.06, pieces) for pieces in (5, 10, 60)]
    [0, 1, 4]
    """
    return int(share * pieces + 0.5)


def pieces_to_check(
    hands: Mapping[int, Sequence[int]],
    eligible: Sequence[int],
    share: float,
    *,
    pieces: int,
    rng: random.Random,
    accept: Callable[[int], bool] = lambda piece: True,
    early: bool = False,
) -> list[int]:
    """Which pieces become check items, so that everybody meets as many as the share asks for, or some more.

    A check item goes to all who judge its piece, so the piece is sought that serves most of those who still lack one.
    ``hands``: whose pieces are which, in order; without any, as in a pool, so many of all ``pieces`` are drawn. ``accept``:
    whether one can be made of a piece. ``early``: those are preferred that everybody meets in the first half of their work, so
    that there is room behind them.
    """
    order = list(eligible)
    rng.shuffle(order)
    judges: dict[int, list[int]] = defaultdict(list)
    latest: dict[int, float] = defaultdict(float)
    for person, hand in hands.items():
        for place, piece in enumerate(hand, start=1):
            judges[piece].append(person)
            latest[piece] = max(latest[piece], place / len(hand))
    if early:
        order.sort(key=lambda piece: max(0.5, latest[piece]))
    chosen: dict[int, None] = {}
    if not hands:
        wanted = share_of(share, pieces)
        for piece in order:
            if len(chosen) < wanted and accept(piece):
                chosen[piece] = None
        return list(chosen)
    lacking = Counter({person: share_of(share, len(hand)) for person, hand in hands.items()})
    refused: set[int] = set()
    for least in sorted({1, *map(len, judges.values())}, reverse=True):
        for piece in order:
            if piece in chosen or piece in refused:
                continue
            if sum(lacking[person] > 0 for person in judges[piece]) < least:
                continue
            if accept(piece):
                chosen[piece] = None
                lacking.subtract(judges[piece])
            else:
                refused.add(piece)
    return list(chosen)


def describe_controls(number: int) -> str:
    """What control items are there, in a sentence for the study page."""
    if not number:
        return ""
    if number == 1:
        return (
            "A control item is put into the work of everybody whom it concerns; assessors cannot tell it from the rest, and it "
            "counts in no score."
        )
    return (
        f"{number:,} control items are spread over the work of everybody whom they concern; assessors cannot tell them from "
        "the rest, and they count in no score."
    )
