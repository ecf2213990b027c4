"""Basic Elements: a rule and one to three parts, each a text with its type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

PERSON, ORGANIZATION, LOCATION = "person", "organization", "location"
NAMES = frozenset({PERSON, ORGANIZATION, LOCATION})


class Part:
    """A word or a whole name; the type is a Penn tag or one of ``NAMES``. :func:`part` makes each only once.

    So two equal parts are one object, and what elements are made of is compared and looked up by number.
    """

    __slots__ = ("identity", "lemma", "spelling", "text", "type")

    def __init__(self, text: str, kind: str, lemma: str, spelling: int, identity: int) -> None:
        self.text = text
        self.type = kind
        self.lemma = lemma
        """As the parser says it; used only where there is no WordNet."""
        self.spelling = spelling
        """The same for parts of one text, without case, and one type."""
        self.identity = identity
        """The same for parts of one text, without case, and one coarse class."""

    def __repr__(self) -> str:
        return f"{self.text}|{self.type}"

    def __reduce__(self) -> tuple[object, tuple[str, str, str]]:
        return part, (self.text, self.type, self.lemma)


_PARTS: dict[tuple[str, str, str], Part] = {}
_NUMBERS: dict[tuple[str, str], int] = {}


def part(text: str, kind: str, lemma: str = "") -> Part:
    """The one part of this text, type and lemma."""
    known = _PARTS.get((text, kind, lemma))
    if known is None:
        small = text.lower()
        spelling = _NUMBERS.setdefault((small, kind), len(_NUMBERS))
        same = _NUMBERS.setdefault((small, f"class {coarse(kind)}"), len(_NUMBERS))
        known = _PARTS.setdefault((text, kind, lemma), Part(text, kind, lemma, spelling, same))
    return known


Identity = tuple[int, ...]
"""What two elements must share to be identical: texts without case and coarse classes, part by part."""


class Element(NamedTuple):
    """A Basic Element. Its rule says how it was found, and is no part of what it is."""

    rule: str
    parts: tuple[Part, ...]
    identity: Identity

    @classmethod
    def of(cls, rule: str, parts: tuple[Part, ...]) -> Element:
        """An element of these parts."""
        return cls(rule, parts, tuple([own.identity for own in parts]))


@cache
def coarse(kind: str) -> str:
    """The coarse class of a type: verb, adj, adv, or other (nouns, names, pronouns, prepositions)."""
    if kind.startswith("VB") or kind in ("MD", "AUX", "AUXG"):
        return "verb"
    if kind.startswith("JJ"):
        return "adj"
    if kind.startswith("RB") or kind == "WRB":
        return "adv"
    return "other"


def unique(elements: Iterable[Element]) -> list[Element]:
    """Of identical elements the first."""
    first: dict[Identity, Element] = {}
    for element in elements:
        first.setdefault(element.identity, element)
    return list(first.values())


def element(rule: str, parts: Sequence[Sequence[str]]) -> Element:
    """An element from plain lists, as JSON holds it."""
    return Element.of(rule, tuple(part(*own) for own in parts))
