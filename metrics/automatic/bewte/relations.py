"""When one part of an element may stand for another.

Every relation is a meeting of keys: a part of the peer's element has keys that reach out, a part of the reference's has keys
that let in, and the two are related when they share one. So the elements related to a part are found by looking keys up,
not by trying all pairs. A key begins with the name of its relation, which goes into the explanation of a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from metrics.automatic.bewte.elements import LOCATION, NAMES, ORGANIZATION, PERSON, Part, coarse
from metrics.automatic.bewte.word_lists import (
    ABBREVIATION_LINES,
    COMPANY_WORDS,
    COMPASS,
    SUFFIXES,
    TITLES,
    word_set,
)
from metrics.automatic.wordnet import WordNet

RELATIONS = ("identity", "period", "pron", "name", "acro", "abbr", "lemma", "syn", "pert", "member")
"""Of several relations that hold, the first gives its name."""

Key = tuple[str, ...]

_HE = word_set("he she him her his hers")
_THEY = frozenset({"they", "them"})
_LONGEST_NAME = 8
"""Pieces of a name beyond these are not looked at: no person has more, a tagger's mistake may."""
_DERIVED, _PERTAINYM, _MEMBERS = "+", "\\", ("%m", "#m")


def noun_like(kind: str) -> bool:
    """Whether a tag is that of a noun or number."""
    return kind.startswith("NN") or kind == "CD"


class Relations:
    """Keys of parts, each worked out once. Without WordNet only ``lemma`` is left of its relations, by the parser's lemmas."""

    def __init__(self, wordnet: WordNet | None, *, transformations: bool = True) -> None:
        self.wordnet = wordnet
        self._all = transformations
        self._out: dict[Part, frozenset[int]] = {}
        self._in: dict[Part, frozenset[int]] = {}
        self._numbers: dict[Key, int] = {}

    def out_keys(self, part: Part) -> frozenset[int]:
        """The keys of a part of a peer's element, by number."""
        known = self._out.get(part)
        if known is None:
            known = self._out[part] = self._numbered(self._keys(part, out=True))
        return known

    def in_keys(self, part: Part) -> frozenset[int]:
        """The keys of a part of a reference's element, by number."""
        known = self._in.get(part)
        if known is None:
            known = self._in[part] = self._numbered(self._keys(part, out=False))
        return known

    def _numbered(self, keys: Iterable[Key]) -> frozenset[int]:
        return frozenset([self._numbers.setdefault(key, len(self._numbers)) for key in keys])

    def relation(self, peer: Part, reference: Part) -> str | None:
        """The name of the first relation that holds, None when none does."""
        shared = {key[0] for key in {*self._keys(peer, out=True)} & {*self._keys(reference, out=False)}}
        return min(shared, key=RELATIONS.index) if shared else None

    def bases(self, word: str, speech: str) -> tuple[str, ...]:
        """The base forms of a word for a part of speech; of an unknown word with hyphens those of its last piece."""
        if self.wordnet is None:
            return ()
        word = word.lower().replace(" ", "_")
        found = self.wordnet.bases(speech, word)
        return found or (self.wordnet.bases(speech, word.rsplit("-", 1)[1]) if "-" in word else ())

    def _keys(self, part: Part, *, out: bool) -> Iterator[Key]:
        text, kind = part.text.lower(), coarse(part.type)
        yield "identity", kind, text
        if not self._all:
            return
        plain = text.replace(".", "")
        yield "period", kind, plain
        yield from _pronoun_keys(text, part.type, out=out)
        yield from _name_keys(part, out=out)
        yield from _acronym_keys(part, out=out)
        if kind == "other":
            yield from (("abbr", str(line)) for line in ABBREVIATION_LINES.get(plain, ()))
        yield from self._word_keys(part, out=out)

    def _word_keys(self, part: Part, *, out: bool) -> Iterator[Key]:
        """By WordNet: lemma and syn within a class, pert and member between words that are joined there."""
        speech = _speech(part.type)
        if self.wordnet is None:
            if speech and part.lemma and part.type not in NAMES:
                yield "lemma", speech, part.lemma
            return
        if speech is None:
            return
        bases = self.bases(part.text, speech)
        if part.type not in NAMES:
            yield from (("lemma", speech, base) for base in bases)
            if not out:
                yield from (("syn", speech, base) for base in bases)
            elif bases:
                yield from (
                    ("syn", speech, w.lower()) for w in self.wordnet.first_synset(speech, bases[0]).words
                )
        if speech == "adj":
            yield from self._pertaining(bases, "adj", "noun", "adj to noun" if out else "noun to adj")
        elif speech == "noun":
            yield from self._pertaining(bases, "noun", "adj", "noun to adj" if out else "adj to noun")
            yield from self._members(part, bases, out=out)

    def _pertaining(self, bases: tuple[str, ...], speech: str, other: str, way: str) -> Iterator[Key]:
        """An adjective's keys and a noun's meet in either's word; ``way`` says which of them is the peer's."""
        assert self.wordnet is not None
        for base in bases:
            yield "pert", way, speech, base
        for base in bases[:1]:
            joined = [*self.wordnet.pointed(speech, base, _DERIVED, other)]
            if speech == "adj":
                joined += self.wordnet.pointed(speech, base, _PERTAINYM, other)
            for word in joined:
                yield "pert", way, other, word.lower()

    def _members(self, part: Part, bases: tuple[str, ...], *, out: bool) -> Iterator[Key]:
        """Peoples and their countries: the words that a capitalised one is joined to by member meronym or holonym."""
        assert self.wordnet is not None
        if not part.text[:1].isupper() or part.type not in (LOCATION, "NNP", "NNPS", "NN", "NNS"):
            return
        for base in bases[:1]:
            yield "member", "to" if out else "from", base
            for symbol in _MEMBERS:
                for word in self.wordnet.pointed("noun", base, symbol, "noun"):
                    if word[:1].isupper():
                        yield "member", "from" if out else "to", word.lower()


def _speech(kind: str) -> str | None:
    """WordNet's part of speech of a noun, verb, adjective or location; None for all else."""
    if noun_like(kind) or kind == LOCATION:
        return "noun"
    return {"verb": "verb", "adj": "adj"}.get(coarse(kind))


def _pronoun_keys(text: str, kind: str, *, out: bool) -> Iterator[Key]:
    pronoun, other = ("out", "in") if out else ("in", "out")
    if kind.startswith("PRP"):
        if text in _HE:
            yield "pron", pronoun, PERSON
        elif text in _THEY:
            yield "pron", pronoun, "they"
    elif kind == PERSON:
        yield "pron", other, PERSON
    elif kind in (ORGANIZATION, "NNS", "NNPS"):
        yield "pron", other, "they"


def _pieces(part: Part) -> tuple[str, ...]:
    pieces = [piece for piece in part.text.lower().replace(".", "").replace(",", " ").split() if piece]
    return tuple(pieces[:_LONGEST_NAME])


def _name_keys(part: Part, *, out: bool) -> Iterator[Key]:
    """One name is a shorter form of the other: its whole meets a shortening of the other, whichever is the peer's."""
    if part.type not in NAMES:
        return
    whole, shorter = ("short", "long") if out else ("long", "short")
    pieces = _pieces(part)
    if part.type == PERSON:
        while pieces and pieces[0] in TITLES:
            pieces = pieces[1:]
        while pieces and pieces[-1] in SUFFIXES:
            pieces = pieces[:-1]
    if not any(len(piece) > 1 for piece in pieces):
        return
    yield "name", part.type, whole, *pieces
    yield "name", part.type, shorter, *pieces
    for short in _shortenings(part.type, pieces):
        yield "name", part.type, shorter, *short


def _shortenings(kind: str, pieces: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if kind == PERSON:
        for length in range(1, len(pieces)):
            for short in combinations(pieces, length):
                if any(len(piece) > 1 for piece in short):
                    yield short
    elif kind == ORGANIZATION:
        if len(pieces) > 1 and pieces[-1] in COMPANY_WORDS:
            yield pieces[:-1]
    else:
        short = tuple(piece for piece in pieces if not piece.startswith(COMPASS))
        if short and short != pieces:
            yield short


def _acronym_keys(part: Part, *, out: bool) -> Iterator[Key]:
    if part.type not in NAMES:
        return
    whole, initials = ("short", "long") if out else ("long", "short")
    yield "acro", part.type, whole, part.text.replace(".", "").lower()
    for acronym in _acronyms(part):
        yield "acro", part.type, initials, acronym.lower()


def _acronyms(part: Part) -> Iterator[str]:
    """Initials: "of" in or out, "and" out or as &, a word in capitals whole."""
    words = [word for word in part.text.replace(".", "").split() if word.lower() != "the"]
    least = 3 if part.type == PERSON else 2
    if len([word for word in words if word.lower() not in ("of", "and", "&")]) < least:
        return
    forms = {""}
    for word in words:
        small = word.lower()
        if small == "of":
            letters = ["", "o"]
        elif small in ("and", "&"):
            letters = ["", "&"]
        elif len(word) > 1 and word.isupper():
            letters = [word, word[0]]
        else:
            letters = [word[0]]
        forms = {form + letter for form in forms for letter in letters}
    yield from sorted(forms)
