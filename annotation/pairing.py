"""Which texts of an item to compare next, after what was judged so far: pure functions, seeded by their caller; no database.

``swiss``, as in chess tournaments: whoever was shown least meets those with about as many points, and nobody twice on an item.
``active``, as in wmt-trueskill (Sakaguchi, Post & Van Durme 2014): the system of which least is known meets others with odds
exp(−|Δ|), Δ being the difference of strengths. Strengths here are log odds of points, which is all that choosing needs; scores are
fitted later, to all judgments.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotation.picking import Item, Set, Systems

TRIES = 30


@dataclass(frozen=True)
class Standing:
    """How a system has fared: points won and lost in comparisons (a tie is half of each), and in how many sets it stood."""

    won: float = 0.0
    lost: float = 0.0
    shown: int = 0

    @property
    def strength(self) -> float:
        """The log odds of its points, with half a point on each side."""
        return math.log((self.won + 0.5) / (self.lost + 0.5))

    @property
    def uncertainty(self) -> float:
        """The standard error of the strength."""
        return math.sqrt(1 / (self.won + 0.5) + 1 / (self.lost + 0.5))


def standings(
    judged: Iterable[tuple[Sequence[Systems], Sequence[float]]], shown: Mapping[str, int]
) -> dict[str, Standing]:
    """From sets that were judged, each with the systems behind its texts and a value for each text, higher being better.

    >>> found = standings([([("A",), ("B",), ("C",)], [2, 1, 1])], {"A": 1, "B": 1, "C": 1})
    >>> found["A"].won, found["B"].won, found["B"].lost
    (2.0, 0.5, 1.5)
    """
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for texts, values in judged:
        points_count(won, lost, texts, values)
    return {system: Standing(won[system], lost[system], shown[system]) for system in shown}


def points_count(
    won: Counter[str], lost: Counter[str], texts: Sequence[Systems], values: Sequence[float], times: int = 1
) -> None:
    """Add the points of a set to what systems have won and lost; ``times`` −1 takes them back. Halves add up without error."""
    for (one, value), (other, rival) in combinations(zip(texts, values, strict=True), 2):
        points = 0.5 if value == rival else float(value > rival)
        for system in one:
            won[system] += times * points  # type: ignore[assignment]
            lost[system] += times * (1 - points)  # type: ignore[assignment]
        for system in other:
            won[system] += times * (1 - points)  # type: ignore[assignment]
            lost[system] += times * points  # type: ignore[assignment]


def next_set(
    item: Item,
    made: Collection[Set],
    known: Mapping[str, Standing],
    *,
    pick: str,
    size: int,
    may: Collection[int],
    rng: random.Random,
) -> Set | None:
    """A new set of the item's texts among those that ``may`` be in it; None where there is none.

    ``made`` are the item's sets so far.
    """
    texts = sorted(may)
    size = min(size, len(texts))
    if size < 2:
        return None
    met = {pair for members in made for pair in combinations(members, 2)}
    choose = _swiss if pick == "swiss" else _active
    for _ in range(TRIES):
        chosen = tuple(sorted(choose(item, texts, met, known, size, rng)))
        if len(chosen) == size and chosen not in made:
            return chosen
    left = [members for members in combinations(texts, size) if members not in made]
    return rng.choice(left) if left else None


def _mean(item: Item, text: int, known: Mapping[str, Standing], name: str) -> float:
    """Of a text of several systems, what they have on average."""
    values = [float(getattr(known.get(system, Standing()), name)) for system in item[text]]
    return sum(values) / len(values)


def _gap(item: Item, first: int, known: Mapping[str, Standing]) -> Callable[[int], float]:
    """How far a text is from the first one in strength."""
    own = _mean(item, first, known, "strength")
    return lambda text: abs(_mean(item, text, known, "strength") - own)


def _swiss(
    item: Item,
    texts: Sequence[int],
    met: Collection[tuple[int, int]],
    known: Mapping[str, Standing],
    size: int,
    rng: random.Random,
) -> list[int]:
    """Whoever was shown least, and then who is nearest in points and has not met the others here."""
    order = rng.sample(list(texts), len(texts))
    chosen = [min(order, key=lambda text: _mean(item, text, known, "shown"))]
    gap = _gap(item, chosen[0], known)
    while len(chosen) < size:
        free = [
            text
            for text in order
            if text not in chosen and not any((min(text, other), max(text, other)) in met for other in chosen)
        ]
        if not free:
            # Everybody has met on this item: another first one may still find somebody new.
            return [rng.choice(list(texts))]
        chosen.append(
            min(
                free,
                key=lambda text: (round(gap(text), 1), _mean(item, text, known, "shown")),
            )
        )
    return chosen


def _active(
    item: Item,
    texts: Sequence[int],
    met: Collection[tuple[int, int]],
    known: Mapping[str, Standing],
    size: int,
    rng: random.Random,
) -> list[int]:
    """The system of which least is known, and others with odds exp(−|Δ|)."""
    order = rng.sample(list(texts), len(texts))
    chosen = [max(order, key=lambda text: _mean(item, text, known, "uncertainty"))]
    gap = _gap(item, chosen[0], known)
    while len(chosen) < size:
        free = [text for text in order if text not in chosen]
        odds = [math.exp(-gap(text)) for text in free]
        chosen.append(rng.choices(free, weights=odds)[0])
    return chosen
