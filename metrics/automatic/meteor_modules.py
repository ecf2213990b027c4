"""The modules of METEOR that say which words may be mapped (Banerjee & Lavie 2005, §2.2 and §3.6).

``exact`` maps equal words, ``porter`` words of equal Porter stem, ``wnstem`` words that share a base form in WordNet, and
``synonymy`` words that share a synset of WordNet, in any sense of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from metrics.automatic.meteor_alignment import Group, ListedGroup, Pair, Positions
from metrics.automatic.text.stemming import porter as porter_stem
from metrics.automatic.wordnet import WordNet

Found = tuple[list[Pair], list[Group]]
Sense = TypeVar("Sense")


class Words:
    """The words of one text, small letters, and what the modules know of them; each is found out once."""

    def __init__(self, tokens: Sequence[str], wordnet: WordNet | None) -> None:
        self.tokens = tokens
        self._wordnet = wordnet

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each word stands."""
        return _places(self.tokens, range(len(self.tokens)))

    @cached_property
    def stems(self) -> list[str]:
        """The Porter stem of each word."""
        return [porter_stem(token) for token in self.tokens]

    def bases(self, place: int) -> frozenset[str]:
        """The base forms in WordNet of the word at a place."""
        return self._wordnet.base_forms(self.tokens[place]) if self._wordnet else frozenset()

    def senses(self, place: int) -> frozenset[int]:
        """The synsets of the word at a place."""
        return self._wordnet.synsets(self.tokens[place]) if self._wordnet else frozenset()

    @cached_property
    def base_places(self) -> dict[str, list[int]]:
        """Where each base form stands."""
        return _places_of_any(self.bases, self.places.values())

    @cached_property
    def sense_places(self) -> dict[int, list[int]]:
        """Where each synset has a word."""
        return _places_of_any(self.senses, self.places.values())


Module = Callable[[Words, Words, Positions, Positions], Found]
"""From the words of output and reference and the free places of both: single mappings, and groups with several ways."""


def exact(output: Words, reference: Words, free_output: Positions, free_reference: Positions) -> Found:
    """Equal words."""
    if len(free_output) == len(output.tokens) and len(free_reference) == len(reference.tokens):
        return _equal(output.places, reference.places)
    return _equal(_places(output.tokens, free_output), _places(reference.tokens, free_reference))


def porter(output: Words, reference: Words, free_output: Positions, free_reference: Positions) -> Found:
    """Words of one stem."""
    return _equal(_places(output.stems, free_output), _places(reference.stems, free_reference))


def wnstem(output: Words, reference: Words, free_output: Positions, free_reference: Positions) -> Found:
    """Words that share a base form."""
    return _sharing(output.bases, reference.base_places, free_output, free_reference)


def synonymy(output: Words, reference: Words, free_output: Positions, free_reference: Positions) -> Found:
    """Words that share a synset."""
    return _sharing(output.senses, reference.sense_places, free_output, free_reference)


MODULES: Mapping[str, Module] = {
    "exact": exact,
    "porter": porter,
    "wnstem": wnstem,
    "synonymy": synonymy,
}


def _places(keys: Sequence[str], free: Positions) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place in free:
        found.setdefault(keys[place], []).append(place)
    return found


def _places_of_any(
    keys: Callable[[int], frozenset[Sense]], words: Iterable[list[int]]
) -> dict[Sense, list[int]]:
    """Where each key stands; ``words`` are the places of each different word."""
    found: dict[Sense, list[int]] = {}
    for places in words:
        for key in keys(places[0]):
            found[key] = [*found[key], *places] if key in found else places
    return found


def _equal(output: dict[str, list[int]], reference: dict[str, list[int]]) -> Found:
    """Words of one key fit each other and no others; as many on both sides are mapped in order."""
    pairs: list[Pair] = []
    groups: list[Group] = []
    for key, ours in output.items():
        theirs = reference.get(key)
        if theirs is None:
            continue
        if len(ours) == len(theirs):
            pairs.extend(zip(ours, theirs, strict=True))
        else:
            groups.append(Group(ours, theirs))
    return pairs, groups


def _sharing(
    output: Callable[[int], frozenset[Sense]],
    reference: Mapping[Sense, list[int]],
    free_output: Positions,
    free_reference: Positions,
) -> Found:
    """Words that have one of their keys in common."""
    free = set(free_reference)
    fitting = {}
    for i in free_output:
        common = [key for key in output(i) if key in reference]
        if common:
            fitting[i] = {j for key in common for j in reference[key] if j in free}
    pairs: list[Pair] = []
    groups: list[Group] = []
    for ours, theirs in _connected({i: fits for i, fits in fitting.items() if fits}):
        complete = all(fitting[i] == theirs for i in ours)
        if complete and len(ours) == len(theirs):
            pairs.extend(zip(ours, sorted(theirs), strict=True))
        elif complete:
            groups.append(Group(ours, sorted(theirs)))
        else:
            groups.append(ListedGroup([(i, j) for i in ours for j in sorted(fitting[i])]))
    return pairs, groups


def _connected(fitting: dict[int, set[int]]) -> list[tuple[list[int], set[int]]]:
    """The words that fit each other directly or through others: output places in order, and reference places."""
    parts: list[tuple[list[int], set[int]]] = []
    for i, fits in fitting.items():
        touching = [part for part in parts if part[1] & fits]
        parts = [part for part in parts if not part[1] & fits]
        parts.append(
            (
                sorted([i, *(place for part in touching for place in part[0])]),
                fits.union(*(part[1] for part in touching)),
            )
        )
    return parts
