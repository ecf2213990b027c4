"""Which elements of a peer match which elements of the references.

A peer's element matches a reference's when they are identical, or when a variant of the first has as many parts as the second,
its first and last parts are each related to the other's, and the middle ones, if any, are equal prepositions or conjunctions, share
a line of the preposition table, or the variant takes any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.automatic.bewte.elements import Element, Identity, Part
from metrics.automatic.bewte.relations import Relations
from metrics.automatic.bewte.variants import ANY, Variant, Variants
from metrics.automatic.bewte.word_lists import PREPOSITION_LINES
from metrics.automatic.wordnet import WordNet

LIMIT = 500_000
"""Elements whose variants are remembered at most."""
_NO_LINES: frozenset[int] = frozenset()


class Matcher:
    """Relations and variants with one WordNet, or with none; ``transformations`` off leaves identity only."""

    def __init__(self, wordnet: WordNet | None, *, transformations: bool = True) -> None:
        self.relations = Relations(wordnet, transformations=transformations)
        self.transformations = transformations
        self._variants = Variants(self.relations)

    @property
    def crowded(self) -> bool:
        """Whether so much is remembered that a long-lived process should begin anew."""
        return len(self._variants) > LIMIT

    def variants(self, element: Element) -> tuple[Variant, ...]:
        """The element itself and what transformations make of it."""
        return self._variants.of(element) if self.transformations else (Variant(element.parts),)

    def explain(self, peer: Element, reference: Element) -> tuple[str, ...] | None:
        """By what a peer's element matches a reference's: steps, then relations of parts; None when it does not."""
        if peer.identity == reference.identity:
            return ("identity",)
        if not self.transformations:
            return None
        for variant in self.variants(peer):
            names = self._related(variant, reference)
            if names is not None:
                return (*variant.steps, *names) or ("identity",)
        return None

    def _related(self, variant: Variant, reference: Element) -> tuple[str, ...] | None:
        if len(variant.parts) != len(reference.parts):
            return None
        ends = [(variant.parts[0], reference.parts[0])]
        if len(variant.parts) > 1:
            ends.append((variant.parts[-1], reference.parts[-1]))
        names = [self.relations.relation(ours, theirs) for ours, theirs in ends]
        if None in names:
            return None
        said = [name for name in names if name is not None and name != "identity"]
        if len(variant.parts) == 3:
            ours, theirs = variant.parts[1], reference.parts[1]
            if not interchangeable(ours, theirs):
                return None
            if ours is not ANY and ours.text.lower() != theirs.text.lower():
                said.append("prep")
        return tuple(said)


def interchangeable(peer: Part, reference: Part) -> bool:
    """Whether one middle part may stand for the other."""
    if peer is ANY:
        return reference.type in ("IN", "TO")
    ours, theirs = peer.text.lower(), reference.text.lower()
    if ours == theirs:
        return True
    prepositions = ("IN", "TO")
    return (
        peer.type in prepositions
        and reference.type in prepositions
        and not PREPOSITION_LINES.get(ours, _NO_LINES).isdisjoint(PREPOSITION_LINES.get(theirs, _NO_LINES))
    )


class Pool:
    """The different elements of all references of an item, found by the keys of their first part."""

    def __init__(self, matcher: Matcher, references: Iterable[Sequence[Element]]) -> None:
        self._matcher = matcher
        self.numbers: dict[Identity, int] = {}
        """The number of each different element."""
        self._elements: list[Element] = []
        self._by_key: tuple[dict[int, list[int]], ...] = ({}, {}, {}, {})
        self._matches: dict[Element, tuple[int, ...]] = {}
        for reference in references:
            for element in reference:
                self._add(element)

    def __len__(self) -> int:
        return len(self._elements)

    def _add(self, element: Element) -> None:
        if element.identity in self.numbers:
            return
        self.numbers[element.identity] = number = len(self._elements)
        self._elements.append(element)
        if self._matcher.transformations:
            by_key = self._by_key[len(element.parts)]
            for key in self._matcher.relations.in_keys(element.parts[0]):
                if key in by_key:
                    by_key[key].append(number)
                else:
                    by_key[key] = [number]

    def matches(self, element: Element) -> tuple[int, ...]:
        """The numbers of the elements that a peer's element matches; worked out once for all peers of the item."""
        known = self._matches.get(element)
        if known is None:
            same = self.numbers.get(element.identity)
            found = {} if same is None else {same: None}
            if self._matcher.transformations:
                for variant in self._matcher.variants(element):
                    self._collect(variant.parts, found)
            known = self._matches[element] = tuple(found)
        return known

    def _collect(self, parts: tuple[Part, ...], found: dict[int, None]) -> None:
        relations = self._matcher.relations
        length = len(parts)
        by_key = self._by_key[length]
        last = relations.out_keys(parts[-1])
        for key in relations.out_keys(parts[0]):
            for number in by_key.get(key, ()):
                if number in found:
                    continue
                if length > 1:
                    others = self._elements[number].parts
                    if last.isdisjoint(relations.in_keys(others[-1])):
                        continue
                    if length == 3 and not interchangeable(parts[1], others[1]):
                        continue
                found[number] = None
