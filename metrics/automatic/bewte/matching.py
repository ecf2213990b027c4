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
_NOTHING: frozenset[int] = frozenset()


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
    """The different elements of all references of an item, found by the parts at their ends.

    Words come again and again in elements, so everything is looked up by part: which parts of the references a part is related to is
    worked out once, and the elements that two parts begin and end are two sets to be cut.
    """

    def __init__(self, matcher: Matcher, references: Iterable[Sequence[Element]]) -> None:
        self._matcher = matcher
        self.numbers: dict[Identity, int] = {}
        """The number of each different element."""
        self._elements: list[Element] = []
        self._by_key: dict[int, list[Part]] = {}
        self._first: tuple[End, ...] = (End(), End(), End(), End())
        self._last: tuple[End, ...] = (End(), End(), End(), End())
        """By the number of parts."""
        self._related: dict[Part, tuple[Part, ...]] = {}
        self._matches: dict[Element, tuple[int, ...]] = {}
        for reference in references:
            for element in reference:
                self._add(element)
        if matcher.transformations:
            in_keys = matcher.relations.in_keys
            for part in dict.fromkeys(part for end in (*self._first, *self._last) for part in end.elements):
                for key in in_keys(part):
                    if key in self._by_key:
                        self._by_key[key].append(part)
                    else:
                        self._by_key[key] = [part]

    def __len__(self) -> int:
        return len(self._elements)

    def _add(self, element: Element) -> None:
        if element.identity in self.numbers:
            return
        self.numbers[element.identity] = number = len(self._elements)
        self._elements.append(element)
        if self._matcher.transformations:
            parts = element.parts
            self._first[len(parts)].add(parts[0], number)
            if len(parts) > 1:
                self._last[len(parts)].add(parts[-1], number)

    def matches(self, element: Element) -> tuple[int, ...]:
        """The numbers of the elements that a peer's element matches; worked out once for all peers of the item."""
        known = self._matches.get(element)
        if known is None:
            same = self.numbers.get(element.identity)
            found = set() if same is None else {same}
            if self._matcher.transformations:
                for variant in self._matcher.variants(element):
                    found |= self._matching(variant.parts)
            known = self._matches[element] = tuple(sorted(found))
        return known

    def _matching(self, parts: tuple[Part, ...]) -> frozenset[int]:
        length = len(parts)
        found = self._at(self._first[length], parts[0])
        if not found or length == 1:
            return found
        found &= self._at(self._last[length], parts[-1])
        if not found or length == 2:
            return found
        middle, elements = parts[1], self._elements
        return frozenset([n for n in found if interchangeable(middle, elements[n].parts[1])])

    def _at(self, end: End, part: Part) -> frozenset[int]:
        """The elements that have, at this end, a part that the peer's is related to."""
        known = end.reached.get(part)
        if known is None:
            here = end.elements
            lists = [here[other] for other in self._relatives(part) if other in here]
            known = end.reached[part] = frozenset().union(*lists) if lists else _NOTHING
        return known

    def _relatives(self, part: Part) -> tuple[Part, ...]:
        known = self._related.get(part)
        if known is None:
            by_key = self._by_key
            keys = self._matcher.relations.out_keys(part)
            known = tuple({other: None for key in keys if key in by_key for other in by_key[key]})
            self._related[part] = known
        return known


class End:
    """One end of the references' elements of so many parts."""

    __slots__ = ("elements", "reached")

    def __init__(self) -> None:
        self.elements: dict[Part, list[int]] = {}
        """The numbers of the elements that have this part here."""
        self.reached: dict[Part, frozenset[int]] = {}
        """The numbers of the elements whose part here a peer's is related to, as far as asked for."""

    def add(self, part: Part, number: int) -> None:
        """Takes an element in."""
        if part in self.elements:
            self.elements[part].append(number)
        else:
            self.elements[part] = [number]
