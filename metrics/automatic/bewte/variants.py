"""Structural variants of a peer's element: other ways to build the same from a noun, a verb, a preposition.

Four layers; a variant takes at most one step from each, earlier layers first, and every subset of layers is tried. New words
come from WordNet: "derived" means the derivationally related forms of the word in its first sense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from metrics.automatic.bewte.elements import Element, Part, coarse, part
from metrics.automatic.bewte.relations import Relations
from metrics.automatic.wordnet import WordNet

ANY = part("*", "IN")
"""In the place of a preposition: any of them."""
OF, IN = part("of", "IN"), part("in", "IN")

_SWAPPED = frozenset({"APPOS", "ISA", "TITLE"})
_NOUN_NOUN = frozenset({"NN", "POSS", "POSSPRON"})
_ROLE_NOUN = frozenset({"NN", "APPOS", "ISA", "TITLE"})
_ROLE_VERB = frozenset({"SUBJ", "PARTICIPLE", "AGENT", "RELSUBJ", "PARTSUBJ"})

Parts = tuple[Part, ...]


class Variant(NamedTuple):
    """Other parts for an element, and the steps that led there."""

    parts: Parts
    steps: tuple[str, ...] = ()


class Variants:
    """The variants of elements; those of one element are worked out once."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._wordnet: WordNet | None = relations.wordnet
        self._known: dict[Element, tuple[Variant, ...]] = {}
        self._words: dict[tuple[str, str, str], tuple[Part, ...]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, element: Element) -> tuple[Variant, ...]:
        """The element's own parts first, then its variants, each once."""
        if len(element.parts) == 1 or self._wordnet is None:
            return (Variant(element.parts),)
        known = self._known.get(element)
        if known is None:
            known = self._known[element] = self._all(element)
        return known

    def _all(self, element: Element) -> tuple[Variant, ...]:
        found = [Variant(element.parts)]
        first: dict[Parts, Variant] = {element.parts: found[0]}
        for layer in _LAYERS:
            for variant in list(found):
                for step, parts in layer(self, element.rule, variant.parts):
                    if parts not in first:
                        first[parts] = Variant(parts, (*variant.steps, step))
                        found.append(first[parts])
        return tuple(found)

    def _swap(self, rule: str, parts: Parts) -> Iterator[tuple[str, Parts]]:
        if rule in _SWAPPED and len(parts) == 2:
            yield "swap", parts[::-1]

    def _reordered(self, rule: str, parts: Parts) -> Iterator[tuple[str, Parts]]:
        if len(parts) == 2:
            a, b = parts
            if rule in _NOUN_NOUN and self._is_noun(b):
                yield "nppp", (b, ANY, a)
            if rule in _ROLE_NOUN:
                yield from (("role", (b, verb)) for verb in self._derived(a, "noun", "verb"))
            elif rule in _ROLE_VERB:
                yield from (("role", (noun, a)) for noun in self._doers(b))
        elif rule == "PREP" and len(parts) == 3 and self._is_noun(parts[0]):
            yield "nppp", (parts[2], parts[0])

    def _nominal(self, rule: str, parts: Parts) -> Iterator[tuple[str, Parts]]:
        if len(parts) == 2:
            for verb, other in (parts, parts[::-1]):
                yield from (("nomt", (noun, OF, other)) for noun in self._derived(verb, "verb", "noun"))
        elif len(parts) == 3 and parts[1].type in ("IN", "TO"):
            noun, _, other = parts
            for verb in self._derived(noun, "noun", "verb"):
                yield "dnom", (other, verb)
                yield "dnom", (verb, other)

    def _adverbial(self, rule: str, parts: Parts) -> Iterator[tuple[str, Parts]]:
        first, last = parts[0], parts[-1]
        if len(parts) == 2 and coarse(first.type) == "verb" and coarse(last.type) == "adv":
            nouns = list(self._derived(first, "verb", "noun"))
            for adjective in self._made(last, "adv", "\\", "adj", "JJ"):
                yield "advn", (adjective, IN, first)
                for noun in nouns:
                    yield "advn", (adjective, noun)
                    yield "advn", (adjective, IN, noun)
        elif coarse(first.type) == "adj" and (len(parts) == 2 or parts[1].type in ("IN", "TO")):
            adverbs = self._adverbs(first)
            if adverbs and len(parts) == 3 and coarse(last.type) == "verb":
                yield from (("adjp", (last, adverb)) for adverb in adverbs)
            elif adverbs:
                for verb in self._derived(last, "noun", "verb"):
                    yield from (("adjp", (verb, adverb)) for adverb in adverbs)

    # Words from WordNet

    def _is_noun(self, word: Part) -> bool:
        return coarse(word.type) == "other" and bool(self._relations.bases(word.text, "noun"))

    def _derived(self, word: Part, speech: str, target: str) -> Iterator[Part]:
        if coarse(word.type) == {"noun": "other", "verb": "verb"}[speech] and word is not ANY:
            yield from self._made(word, speech, "+", target, {"noun": "NN", "verb": "VB"}[target])

    def _doers(self, verb: Part) -> Iterator[Part]:
        """Nouns derived from a verb but for those spelled like a word of its own synset (*hit* the verb, *a hit*)."""
        assert self._wordnet is not None
        bases = self._relations.bases(verb.text, "verb")[:1]
        own = {word for base in bases for word in self._wordnet.first_synset("verb", base).words}
        yield from (noun for noun in self._derived(verb, "verb", "noun") if noun.text not in own)

    def _made(self, word: Part, speech: str, symbol: str, target: str, tag: str) -> tuple[Part, ...]:
        key = (word.text, speech, symbol + target)
        made = self._words.get(key)
        if made is None:
            assert self._wordnet is not None
            bases = self._relations.bases(word.text, speech)
            found = (self._wordnet.pointed(speech, base, symbol, target) for base in bases[:1])
            names = dict.fromkeys(name.replace("_", " ") for names in found for name in names)
            made = self._words[key] = tuple(part(name, tag) for name in names)
        return made

    def _adverbs(self, adjective: Part) -> list[Part]:
        assert self._wordnet is not None
        word = adjective.text.lower()
        forms = [word + "ly"]
        if word.endswith("e"):
            forms += [word[:-1] + "ly", word[:-1] + "y"]
        if word.endswith("l"):
            forms += [word + "y", word[:-1] + "ly"]
        if word.endswith("y"):
            forms.append(word[:-1] + "ily")
        return [part(form, "RB") for form in dict.fromkeys(forms) if self._wordnet.bases("adv", form)]


Layer = Callable[[Variants, str, Parts], Iterator[tuple[str, Parts]]]
_LAYERS: tuple[Layer, ...] = (Variants._swap, Variants._reordered, Variants._nominal, Variants._adverbial)
