"""The dependency parse of a text, and its reading from CoNLL-U.

CoNLL-U has ten fields a line; used are FORM, LEMMA, XPOS (a Penn tag), HEAD and DEPREL, and of MISC ``NER=B-PERSON`` and
``NER=I-PERSON`` for names. Lines of multi-word tokens (``3-4``) and empty nodes (``5.1``) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from metrics.errors import BadInput


class Token(NamedTuple):
    """A word of a sentence; ``head`` counts from 1, 0 is the root."""

    form: str
    tag: str
    label: str
    head: int
    lemma: str = ""


class Entity(NamedTuple):
    """A name: its kind as the parser says it (``PERSON``, ``GPE`` …), its first and last token, counted from 1."""

    kind: str
    first: int
    last: int


class Sentence(NamedTuple):
    """The words of a sentence, a column for each thing known of them, and the names in it.

    Columns in place of words: a collection has millions of words, and reading a kept parse should cost next to nothing.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    heads: tuple[int, ...]
    """From 1; 0 is the root."""
    lemmas: tuple[str, ...]
    entities: tuple[Entity, ...] = ()

    @classmethod
    def of(cls, tokens: Iterable[Token], entities: Iterable[Entity] = ()) -> Sentence:
        """A sentence from its words."""
        columns: list[tuple[str, ...]] = [(), (), (), (), ()]
        given = tuple(tokens)
        if given:
            columns = list(zip(*given, strict=True))
        forms, tags, labels, heads, lemmas = columns
        return cls(forms, tags, labels, tuple(map(int, heads)), lemmas, tuple(entities))

    @property
    def tokens(self) -> Iterator[Token]:
        """The words one by one."""
        return map(Token, self.forms, self.tags, self.labels, self.heads, self.lemmas)


_PASSED_OVER = re.compile(r"[0-9]+[-.][0-9]+")
"""The number of a multi-word token or of an empty node."""

Parse = tuple[Sentence, ...]
"""The sentences of a text."""


def read_conllu(text: str) -> Parse:
    """The sentences of a text in CoNLL-U; what is none of it is refused with its line."""
    sentences: list[Sentence] = []
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], start=1):
        if line.startswith("#"):
            continue
        if line.strip():
            rows.append((number, _fields(line, number)))
        elif rows:
            sentences.append(_sentence(rows))
            rows = []
    return tuple(sentences)


def _fields(line: str, number: int) -> list[str]:
    fields = line.split("\t")
    if len(fields) != 10:
        raise BadInput(
            f"line {number}: expected 10 fields divided by tabs, found {len(fields)}", column="conllu"
        )
    return fields


def _sentence(rows: list[tuple[int, list[str]]]) -> Sentence:
    words = [(number, fields) for number, fields in rows if not _PASSED_OVER.fullmatch(fields[0])]
    heads = {str(head): head for head in range(len(words) + 1)}
    tokens = []
    for place, (number, fields) in enumerate(words, start=1):
        if fields[0] != str(place):
            raise BadInput(f"line {number}: expected word {place}, found {fields[0]:.20}", column="conllu")
        head = heads.get(fields[6], place)
        if head == place:
            raise BadInput(
                f"line {number}: expected another head from 0 to {len(words)}, found {fields[6]:.20}",
                column="conllu",
            )
        lemma = "" if fields[2] == "_" else fields[2]
        tag = fields[4] if fields[4] != "_" else fields[3]
        tokens.append(Token(fields[1], tag, fields[7], head, lemma))
    _refuse_circles(tokens, words[0][0] if words else rows[0][0])
    return Sentence.of(tokens, _entities([fields[9] for _, fields in words]))


def _refuse_circles(tokens: list[Token], line: int) -> None:
    to_the_root = {0}
    for start in range(1, len(tokens) + 1):
        place = start
        way: dict[int, None] = {}
        while place not in to_the_root:
            if place in way:
                raise BadInput(f"sentence from line {line}: heads go round in a circle", column="conllu")
            way[place] = None
            place = tokens[place - 1].head
        to_the_root.update(way)


def _entities(remarks: list[str]) -> Iterator[Entity]:
    """Names marked token by token, B for the first of each and I for the others."""
    kind, first = "", 0
    for place, remark in enumerate([*remarks, ""], start=1):
        marks = [part.removeprefix("NER=") for part in remark.split("|") if part.startswith("NER=")]
        mark = marks[0] if marks else "O"
        if kind and mark != f"I-{kind}":
            yield Entity(kind, first, place - 1)
            kind = ""
        if mark.startswith("B-") or (mark.startswith("I-") and not kind):
            kind, first = mark[2:], place


def write_conllu(parse: Parse) -> str:
    """The sentences in CoNLL-U, as :func:`read_conllu` reads them."""
    return "\n".join("".join(f"{line}\n" for line in _lines(sentence)) for sentence in parse)


def _lines(sentence: Sentence) -> Iterator[str]:
    marks = {
        place: f"NER={'B' if place == entity.first else 'I'}-{entity.kind}"
        for entity in sentence.entities
        for place in range(entity.first, entity.last + 1)
    }
    for place, token in enumerate(sentence.tokens, start=1):
        fields = (place, token.form, token.lemma or "_", "_", token.tag, "_", token.head, token.label, "_")
        yield "\t".join(map(str, (*fields, marks.get(place, "_"))))
