"""Basic Elements of a dependency parse with spaCy's English labels.

Every token gives what the first fitting rule for a single word says (``N``, ``V``, ``VPRT``, ``A``), and what the first fitting rule for
its place in the sentence says. Names then take the place of the words inside them, and what is the same within a sentence
counts once. Limits kept from the original: a second conjunct gets no subject, object or modifier; "it" and "there" make
elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from metrics.automatic.bewte.elements import LOCATION, ORGANIZATION, PERSON, Element, Part, part
from metrics.automatic.bewte.word_lists import word_set
from metrics.automatic.syntax.parse import Entity, Parse, Sentence

BE = word_set("be am is are was were been being 'm 're 's")
HAVE = word_set("have has had 've")
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
NAMING = word_set(
    "called named titled entitled dubbed nicknamed termed labelled labeled christened baptised baptized styled"
)
PREPOSITIONAL = frozenset({"following", "including", "according"})
"""Participles that have become prepositions."""
KINDS = {
    "PERSON": PERSON,
    "ORG": ORGANIZATION,
    "GPE": LOCATION,
    "LOC": LOCATION,
    "FAC": LOCATION,
    PERSON: PERSON,
    ORGANIZATION: ORGANIZATION,
    LOCATION: LOCATION,
}
_ORDER = (
    "N APPOS SUBJ PARTICIPLE AGENT RELSUBJ RELOBJ V OBJ PASSOBJ COPADJ PREP VPRT WHPREP A CLAUSE ADVCLAUSE COMP ADV ISA "
    "TITLE MOD PARTSUBJ POSSPRON POSS NN"
)
ORDER = tuple(_ORDER.split())
"""Which rule's name stays when several find the same parts."""
_RANK = {rule: rank for rank, rule in enumerate(ORDER)}
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD", "$", "RBR", "RBS"})
_RELATIVE = frozenset({"WP", "WDT"})
_NO_SUBJECT = frozenset({"WP", "WDT", "IN"})

Found = tuple[str, tuple[int, ...]]
"""A rule, and the places of its parts in the sentence, from 1."""


def elements(parse: Parse) -> list[Element]:
    """The elements of a text, sentence by sentence; identical ones of different sentences are all there."""
    return [element for sentence in parse for element in of_sentence(sentence)]


# Summaries copy sentences from their source, and so from each other.
@lru_cache(maxsize=8192)
def of_sentence(sentence: Sentence) -> tuple[Element, ...]:
    """The elements of one sentence."""
    parts = _parts(sentence)
    best: dict[int | frozenset[int], tuple[str, tuple[Part, ...]]] = {}
    key: int | frozenset[int]
    for rule, places in _Rules(sentence).all():
        if len(places) == 1:
            own: tuple[Part, ...] = (parts[places[0]],)
            key = own[0].spelling
        else:
            own = tuple([parts[place] for place in places])
            if len(set(own)) < len(own):
                # Words of one name have become one part.
                own = tuple(dict.fromkeys(own))
            key = frozenset([part.spelling for part in own])
            if len(key) == 1:
                key = own[0].spelling
        known = best.get(key)
        if known is None or _RANK[rule] < _RANK[known[0]]:
            best[key] = rule, own
    return tuple([Element.of(rule, own) for rule, own in best.values()])


def _parts(sentence: Sentence) -> list[Part]:
    """The part that each token stands for, from 1: itself, or the longest name that it is in."""
    lemmas = map(str.lower, sentence.lemmas)
    parts = [part("", ""), *map(part, sentence.forms, sentence.tags, lemmas)]
    for name in sorted(sentence.entities, key=lambda entity: entity.last - entity.first):
        kind = KINDS.get(name.kind)
        if kind is not None:
            whole = part(_name_text(sentence, name), kind)
            for place in range(name.first, name.last + 1):
                parts[place] = whole
    return parts


def _name_text(sentence: Sentence, name: Entity) -> str:
    words = sentence.forms[name.first - 1 : name.last]
    if len(words) > 1 and words[0].lower() == "the":
        words = words[1:]
    if len(words) > 1 and words[-1] in ("'s", "’s", "'", "’"):
        words = words[:-1]
    return " ".join(words)


class _Rules:
    """The rules on one sentence; places count from 1, 0 is above the root."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = ("", *map(str.lower, sentence.forms))
        self.tags = ("", *sentence.tags)
        self.labels = ("", *sentence.labels)
        self.heads = (0, *sentence.heads)
        self.children: list[list[int]] = [[] for _ in self.words]
        for place, head in enumerate(sentence.heads, start=1):
            self.children[head].append(place)

    def all(self) -> Iterator[Found]:
        for place in range(1, len(self.words)):
            yield from self._alone(place)
            rule = _BY_LABEL.get(self.labels[place])
            if rule is not None and self.heads[place]:
                yield from rule(self, place, self.heads[place])

    # What the rules ask

    def _with(self, place: int, *labels: str) -> Iterator[int]:
        return (child for child in self.children[place] if self.labels[child] in labels)

    def _auxiliary(self, place: int, forms: frozenset[str]) -> bool:
        return any(self.words[child] in forms for child in self._with(place, "aux", "auxpass"))

    def _infinitive(self, place: int) -> bool:
        return any(self.tags[child] == "TO" for child in self._with(place, "aux"))

    def _complement(self, place: int) -> int:
        return next(self._with(place, "pobj", "pcomp"), 0)

    def _own_subject(self, place: int) -> int:
        found = (c for c in self._with(place, *SUBJECTS) if self.tags[c] not in _NO_SUBJECT)
        return next(found, 0)

    def _question_word(self, place: int) -> int:
        return next((child for child in self._with(place, "advmod") if self.tags[child] == "WRB"), 0)

    # The rules

    def _alone(self, place: int) -> Iterator[Found]:
        tag = self.tags[place]
        if tag in _NOUNS:
            yield "N", (place,)
        elif tag.startswith("VB"):
            if self.labels[place] not in ("aux", "auxpass") and self.words[place] not in BE:
                particle = next(self._with(place, "prt"), 0)
                yield ("VPRT", (place, particle)) if particle else ("V", (place,))
        elif tag.startswith("JJ"):
            yield "A", (place,)

    def modifier(self, t: int, h: int) -> Iterator[Found]:
        yield "MOD", (t, h)

    def measure(self, t: int, h: int) -> Iterator[Found]:
        yield ("ADV", (h, t)) if self.tags[h].startswith("VB") else ("MOD", (t, h))

    def possessor(self, t: int, h: int) -> Iterator[Found]:
        if self.tags[t] == "PRP$":
            yield "POSSPRON", (t, h)
            return
        clauses = (place for place in (h, self.heads[h]) if self.labels[place] == "relcl")
        clause = next(clauses, 0) if self.tags[t] == "WP$" else 0
        yield ("POSSPRON", (self.heads[clause], h)) if clause else ("POSS", (t, h))

    def compound(self, t: int, h: int) -> Iterator[Found]:
        yield "NN", (t, h)

    def apposition(self, t: int, h: int) -> Iterator[Found]:
        yield "APPOS", (t, h)

    def subject(self, t: int, h: int) -> Iterator[Found]:
        if self.tags[t] in _NO_SUBJECT:
            return
        if self.tags[h] != "VBN":
            passive = False
        elif self.labels[t].endswith("pass") or self._auxiliary(h, BE):
            passive = True
        else:
            passive = not self._auxiliary(h, HAVE)
        yield ("PASSOBJ", (h, t)) if passive else ("SUBJ", (t, h))

    def preposition(self, t: int, h: int) -> Iterator[Found]:
        if self.labels[t] == "dative" and self.tags[t] not in ("IN", "TO"):
            yield from self.object(t, h)
            return
        p = self._complement(t)
        if not p:
            return
        if self.labels[t] == "agent" or (
            self.labels[t] == "prep" and self.words[t] == "by" and self.tags[h] == "VBN"
        ):
            yield "AGENT", (p, h)
        elif self.tags[p] in _RELATIVE and (
            self.labels[h] == "relcl" or (self.labels[h] == "acl" and self._infinitive(h))
        ):
            yield "WHPREP", (h, t, self.heads[h])
        else:
            yield "PREP", (h, t, p)
            second = next(self._with(p, "conj"), 0)
            if second:
                yield "PREP", (h, t, second)

    def relative_clause(self, t: int, h: int) -> Iterator[Found]:
        if not self._own_subject(t):
            passive = self.tags[t] == "VBN" and (
                self._auxiliary(t, BE) or next(self._with(t, "auxpass"), 0) != 0
            )
            yield ("RELOBJ", (t, h)) if passive else ("RELSUBJ", (h, t))
        elif not self._object_is_taken(t):
            yield "RELOBJ", (t, h)
        for second in self._with(t, "conj"):
            if self.tags[second].startswith("VB") and not self._own_subject(second):
                yield "RELSUBJ", (h, second)

    def _object_is_taken(self, t: int) -> bool:
        """Whether the antecedent cannot be the object of the clause: it has one, or stands elsewhere in it."""
        tags = [self.tags[child] for child in self._with(t, "dobj")]
        complements = [self._complement(child) for child in self._with(t, "prep")]
        below = chain(self.children[t], *(self.children[child] for child in self.children[t]))
        return (
            any(tag not in _RELATIVE for tag in tags)
            or any(self.tags[place] in _RELATIVE for place in complements)
            or any(self.tags[place] == "WP$" for place in below)
        )

    def object(self, t: int, h: int) -> Iterator[Found]:
        if self.tags[t] not in _RELATIVE:
            yield "OBJ", (h, t)

    def predicate(self, t: int, h: int) -> Iterator[Found]:
        subject = next(self._with(h, "nsubj", "csubj", "expl"), 0)
        if subject:
            yield "ISA", (t, subject)
        if self.tags[t].startswith("JJ"):
            yield "COPADJ", (h, t)
        if self.tags[t].startswith("NN") or self.tags[t] == "CD":
            yield "OBJ", (h, t)

    def noun_clause(self, t: int, h: int) -> Iterator[Found]:
        if self.tags[t] == "VBN" and self.words[t] in NAMING:
            name = next(self._with(t, "dobj", "oprd"), 0)
            if name:
                yield "TITLE", (h, name)
        elif self.tags[t] == "VBN":
            yield "PASSOBJ", (t, h)
        elif self.tags[t] == "VBG":
            yield "PARTICIPLE", (h, t)
        elif self._infinitive(t):
            yield "ADV", (t, h)
        else:
            yield from self.clause(t, h)

    def clause(self, t: int, h: int) -> Iterator[Found]:
        word = self._question_word(t)
        yield ("CLAUSE", (h, word, t)) if word else ("ADV", (h, t))

    def complement(self, t: int, h: int) -> Iterator[Found]:
        yield "COMP", (h, t)

    def adverbial_clause(self, t: int, h: int) -> Iterator[Found]:
        if self._infinitive(t):
            yield "COMP", (h, t)
            return
        marks = (
            child
            for child in self._with(t, "mark", "advmod")
            if self.labels[child] == "mark" or self.tags[child] == "WRB"
        )
        mark = next(marks, 0)
        subject = next(self._with(h, *SUBJECTS), 0)
        if mark:
            yield "ADVCLAUSE", (h, mark, t)
        elif (
            self.tags[t] == "VBG"
            and self.words[t] not in PREPOSITIONAL
            and subject
            and not next(self._with(t, *SUBJECTS), 0)
        ):
            yield "PARTSUBJ", (subject, t)
        else:
            yield "COMP", (h, t)

    def adverb(self, t: int, h: int) -> Iterator[Found]:
        if self.labels[t] == "neg" or self.tags[t] != "WRB":
            yield "ADV", (h, t)


_BY_LABEL = {
    "amod": _Rules.modifier,
    "nummod": _Rules.modifier,
    "npadvmod": _Rules.measure,
    "poss": _Rules.possessor,
    "compound": _Rules.compound,
    "nmod": _Rules.compound,
    "appos": _Rules.apposition,
    **dict.fromkeys(SUBJECTS, _Rules.subject),
    "agent": _Rules.preposition,
    "prep": _Rules.preposition,
    "dative": _Rules.preposition,
    "relcl": _Rules.relative_clause,
    "dobj": _Rules.object,
    "oprd": _Rules.object,
    "attr": _Rules.predicate,
    "acomp": _Rules.predicate,
    "acl": _Rules.noun_clause,
    "ccomp": _Rules.clause,
    "xcomp": _Rules.complement,
    "advcl": _Rules.adverbial_clause,
    "advmod": _Rules.adverb,
    "neg": _Rules.adverb,
}
"""The rule for a token's place in the sentence; labels without one make no element."""
