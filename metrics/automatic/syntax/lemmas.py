"""spaCy's lemmas, worked out once for each word with its tag and label.

The attribute ruler, which the lemmatiser waits for, tries some two hundred patterns on every word, and takes a fifth of the time of a parse. Nearly all
its patterns are about one word: what they say of a word of a text, they say of that word alone. Texts on which a pattern of several words
fits (*let's*, *there is*) go the whole way. The lemmas are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

RULER, LEMMATISER = "attribute_ruler", "lemmatizer"
_OF_THE_WORD = frozenset(
    {"ORTH", "TEXT", "LOWER", "NORM", "SHAPE", "LENGTH", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"}
)
"""What a pattern may ask that the word, its tag and its label decide."""
_BETWEEN = "\x00"
"""A word, a tag and a label that no pattern asks for."""
_OTHER = "X"
"""Its part of speech, as the lemmatiser warns of words that have none."""


class Lemmas:
    """The lemmas of documents that a pipeline has tagged and parsed, but for its ruler and its lemmatiser."""

    def __init__(self, pipeline: Any) -> None:
        self._vocab = pipeline.vocab
        self._stages = [pipeline.get_pipe(RULER), pipeline.get_pipe(LEMMATISER)]
        self._several = _matcher_of_several(pipeline)
        self._known: dict[tuple[int, int, int], int] = {}

    @staticmethod
    def fit(pipeline: Any) -> bool:
        """Whether the pipeline has a ruler and then a lemmatiser by rules, and no pattern asks for anything else than words, tags and labels."""
        names = pipeline.pipe_names
        if RULER not in names or names.index(RULER) + 1 >= len(names):
            return False
        given = pipeline.get_pipe(RULER).patterns
        asked = {key for entry in given for own in entry["patterns"] for word in own for key in word}
        return (
            names[names.index(RULER) + 1] == LEMMATISER
            and pipeline.get_pipe(LEMMATISER).mode == "rule"
            and asked <= _OF_THE_WORD
            # A pattern that takes any word would fit across words that are looked up together.
            and all(word for entry in given for own in entry["patterns"] for word in own)
        )

    def of(self, documents: Iterable[Any]) -> list[list[int]]:
        """The lemma of each word of each document, as a number of the vocabulary."""
        found = [(document, _keys(document)) for document in documents]
        alone = [not self._several(document) for document, _ in found]
        self._learn({key for (_, keys), one in zip(found, alone, strict=True) if one for key in keys})
        known = self._known
        return [
            [known[key] for key in keys] if one else self._whole_way(document)
            for (document, keys), one in zip(found, alone, strict=True)
        ]

    def _learn(self, keys: set[tuple[int, int, int]]) -> None:
        """New words go through the pipeline in one document, in which no pattern of several words can fit."""
        from spacy.tokens import Doc  # noqa: PLC0415

        new = list(keys.difference(self._known))
        if not new:
            return
        text = self._vocab.strings
        words, tags, labels = ([text[key[column]] for key in new for _ in range(2)] for column in range(3))
        words[1::2], tags[1::2], labels[1::2] = ([_BETWEEN] * len(new) for _ in range(3))
        together = Doc(
            self._vocab,
            words=words,
            tags=tags,
            pos=["", _OTHER] * len(new),
            heads=[*range(len(words))],
            deps=labels,
        )
        self._known.update(zip(new, self._whole_way(together)[::2], strict=True))

    def _whole_way(self, document: Any) -> list[int]:
        for stage in self._stages:
            stage(document)
        lemmas: list[int] = document.to_array("LEMMA").tolist()
        return lemmas


def _keys(document: Any) -> list[tuple[int, int, int]]:
    columns = (document.to_array(name).tolist() for name in ("ORTH", "TAG", "DEP"))
    return list(zip(*columns, strict=True))


def _matcher_of_several(pipeline: Any) -> Any:
    """Finds where patterns of several words fit."""
    from spacy.matcher import Matcher  # noqa: PLC0415

    given = [own for entry in pipeline.get_pipe(RULER).patterns for own in entry["patterns"]]
    several = [own for own in given if len(own) > 1]
    if not several:
        return lambda document: []
    matcher = Matcher(pipeline.vocab, validate=False)
    matcher.add("several", several)
    return lambda document: matcher(document, allow_missing=True)
