"""The score of a peer: the best one-to-one assignment of its elements to a reference's, weighted, over all references.

Weights lie on the reference's elements only, so that the sets of them that can be assigned together form a matroid: taking them
by falling weight, each whenever an augmenting path has room for it, is the best assignment. Where all can be assigned, as
nearly always, weights do not matter at all, and only the rest is looked at again for each weighting.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from metrics.automatic.bewte.elements import Element
from metrics.automatic.bewte.matching import Matcher, Pool

Weighting = Literal["binary", "root", "total"]
Array = npt.NDArray[np.float64]

WEIGHTS: Mapping[Weighting, Callable[[Array], Array]] = {
    "binary": lambda count: (count > 0).astype(np.float64),
    "root": np.sqrt,
    "total": lambda count: count,
}
"""What an element weighs that so many references have."""

Edges = dict[int, list[int]]
"""For elements of a reference, the peer's elements that they may be assigned to."""


@dataclass(frozen=True)
class Overlap:
    """What a peer has of one reference."""

    sure: tuple[int, ...]
    """The pool's numbers of elements that are assigned under every weighting."""
    contested: tuple[tuple[tuple[int, ...], Edges], ...]
    """Groups of elements that cannot all be assigned: their numbers in the pool, and the edges by their place there."""
    of_contested: int = 0
    """How many of those can be assigned."""


class References:
    """The references of an item, against which any number of peers are scored."""

    def __init__(self, matcher: Matcher, references: Sequence[Sequence[Element]]) -> None:
        self.pool = Pool(matcher, references)
        self.numbers = [[self.pool.numbers[element.identity] for element in own] for own in references]
        counts = np.zeros((len(references), len(self.pool)))
        for row, own in zip(counts, self.numbers, strict=True):
            for number, count in Counter(own).items():
                row[number] = count
        self.counts: Array = counts
        self._weights: dict[tuple[Weighting, int | None], tuple[Array, Array]] = {}

    def weights(self, weighting: Weighting, left_out: int | None) -> tuple[Array, Array]:
        """The weight of each element of the pool with one reference left out, and the sum over each reference."""
        key = (weighting, left_out)
        if key not in self._weights:
            has = (self.counts > 0).astype(np.float64)
            present = has.sum(axis=0) - (has[left_out] if left_out is not None else 0)
            weight = WEIGHTS[weighting](np.asarray(present, dtype=np.float64))
            self._weights[key] = weight, self.counts @ weight
        return self._weights[key]

    def overlaps(self, peer: Sequence[Element]) -> list[Overlap]:
        """What a peer has of each reference."""
        fitting: Edges = {}
        for place, element in enumerate(peer):
            for number in self.pool.matches(element):
                fitting.setdefault(number, []).append(place)
        return [_overlap([number for number in own if number in fitting], fitting) for own in self.numbers]

    def recall(
        self, overlap: Overlap, reference: int, weighting: Weighting, left_out: int | None = None
    ) -> float:
        """The weight of what is assigned, of the weight of the reference; NaN where that has no element."""
        if not self.numbers[reference]:
            return float("nan")
        if weighting == "binary":
            return (len(overlap.sure) + overlap.of_contested) / len(self.numbers[reference])
        weight, totals = self.weights(weighting, left_out)
        matched = float(weight[list(overlap.sure)].sum())
        for numbers, edges in overlap.contested:
            matched += _best_weight([float(weight[number]) for number in numbers], edges)
        return matched / float(totals[reference])

    def peer_score(
        self, overlaps: Sequence[Overlap], weighting: Weighting, *, jackknife: bool = True
    ) -> float:
        """Over all references: each left out in turn, the best of the rest, averaged; or simply the best of all."""
        some = range(len(overlaps))
        if len(overlaps) == 1 or not jackknife:
            return _best([self.recall(overlaps[own], own, weighting) for own in some])
        if weighting == "binary":
            # Weights do not depend on who is left out: only the best reference is missed, once.
            every = [self.recall(overlaps[own], own, weighting) for own in some]
            best = [_best([r for place, r in enumerate(every) if place != left_out]) for left_out in some]
        else:
            best = [
                _best([self.recall(overlaps[own], own, weighting, out) for own in some if own != out])
                for out in some
            ]
        defined = [value for value in best if not np.isnan(value)]
        return sum(defined) / len(defined) if defined else float("nan")


def reference_score(
    matcher: Matcher, references: Sequence[Sequence[Element]], own: int, weighting: Weighting
) -> float:
    """A reference as peer: the best against the others; NaN where there is no other."""
    others = [elements for number, elements in enumerate(references) if number != own]
    if not others:
        return float("nan")
    against = References(matcher, others)
    return against.peer_score(against.overlaps(references[own]), weighting, jackknife=False)


def _best(values: Sequence[float]) -> float:
    """The greatest value that is defined."""
    return max((value for value in values if value == value), default=float("nan"))  # noqa: PLR0124 — NaN


def _overlap(hits: list[int], fitting: Edges) -> Overlap:
    """``hits`` are the reference's elements that some element of the peer matches, by their numbers in the pool."""
    edges = {place: fitting[number] for place, number in enumerate(hits)}
    left = _left_over(edges, edges, {})
    if not left:
        return Overlap(tuple(hits), ())
    groups = [group for group in _groups(edges) if not group.isdisjoint(left)]
    contested = set().union(*groups)
    return Overlap(
        tuple(number for place, number in enumerate(hits) if place not in contested),
        tuple(_contested(group, hits, edges) for group in groups),
        len(contested) - len(left),
    )


def _contested(group: set[int], hits: list[int], edges: Edges) -> tuple[tuple[int, ...], Edges]:
    places = sorted(group)
    return tuple(hits[place] for place in places), {n: edges[place] for n, place in enumerate(places)}


def _groups(edges: Edges) -> list[set[int]]:
    """Elements that compete for the same of the peer's, directly or through others."""
    groups: list[tuple[set[int], set[int]]] = []
    for place, peers in edges.items():
        near, wanted = {place}, set(peers)
        apart = []
        for group in groups:
            if group[1].isdisjoint(wanted):
                apart.append(group)
            else:
                near |= group[0]
                wanted |= group[1]
        groups = [*apart, (near, wanted)]
    return [group for group, _ in groups]


def _left_over(order: Iterable[int], edges: Edges, holder: dict[int, int]) -> list[int]:
    """Assigns elements of the reference one after the other; those for which there was no room are handed back.

    What a search without success has reached is full for good, whatever comes after: it is not searched again.
    """
    full: set[int] = set()
    return [place for place in order if not _assign(place, edges, holder, full)]


def _assign(place: int, edges: Edges, holder: dict[int, int], full: set[int]) -> bool:
    """Finds an element of the peer for one of the reference, moving others where that makes room.

    Step by step, not by calling itself: the way to where there is room may be as long as a text.
    """
    reached: dict[int, int] = {}
    waiting = deque([place])
    while waiting:
        mover = waiting.popleft()
        for peer in edges[mover]:
            if peer not in holder:
                reached[peer] = mover
                _move(peer, place, reached, holder)
                return True
        for peer in edges[mover]:
            if peer not in reached and peer not in full:
                reached[peer] = mover
                waiting.append(holder[peer])
    full.update(reached)
    return False


def _move(peer: int, place: int, reached: dict[int, int], holder: dict[int, int]) -> None:
    """Gives a free element of the peer to whoever reached it, what that one held to whoever reached that, and so on back."""
    held = {owner: own for own, owner in holder.items()} if reached[peer] != place else {}
    while True:
        owner = reached[peer]
        holder[peer] = owner
        if owner == place:
            return
        peer = held[owner]


def _best_weight(weights: Sequence[float], edges: Edges) -> float:
    """The greatest weight that can be assigned; by falling weight, each where there is room."""
    order = sorted(edges, key=lambda place: -weights[place])
    left = set(_left_over(order, edges, {}))
    return sum(weights[place] for place in order if place not in left)


def assignment(overlap_edges: Edges, weights: Sequence[float]) -> dict[int, int]:
    """Who is assigned to whom: by element of the reference, the element of the peer."""
    holder: dict[int, int] = {}
    _left_over(sorted(overlap_edges, key=lambda place: -weights[place]), overlap_edges, holder)
    return {place: peer for peer, place in holder.items()}
