"""spaCy's lemmas, worked out once for each word with its tag and label.

The attribute ruler, which the lemmatiser waits for, tries some two hundred patterns on every word, and takes a fifth of the time of a parse. Nearly all
its patterns are about one word: what they say of a word of a text, they say of that word alone. Texts on which a pattern of several words
fits (*let's*, *there is*) go the whole way. The lemmas are the same.
"""

from __future__ import annotations

from typing import Any

RULER, LEMMATISER = "attribute_ruler", "lemmatizer"
_OF_THE_WORD = frozenset(
    {"ORTH", "TEXT", "LOWER", "NORM", "SHAPE", "LENGTH", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"}
)
"""What a pattern may ask that the word, its tag and its label decide."""


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
        asked = {
            key
            for entry in pipeline.get_pipe(RULER).patterns
            for own in entry["patterns"]
            for word in own
            for key in word
        }
        return (
            names[names.index(RULER) + 1] == LEMMATISER
            and pipeline.get_pipe(LEMMATISER).mode == "rule"
            and asked <= _OF_THE_WORD
        )

    def of(self, document: Any) -> list[int]:
        """The lemma of each word, as a number of the vocabulary."""
        if self._several(document):
            return self._whole_way(document)
        columns = (document.to_array(name).tolist() for name in ("ORTH", "TAG", "DEP"))
        keys = list(zip(*columns, strict=True))
        for key in {*keys}.difference(self._known):
            self._known[key] = self._alone(*key)
        known = self._known
        return [known[key] for key in keys]

    def _alone(self, form: int, tag: int, label: int) -> int:
        from spacy.tokens import Doc  # noqa: PLC0415

        text = self._vocab.strings
        alone = Doc(self._vocab, words=[text[form]], tags=[text[tag]], heads=[0], deps=[text[label]])
        return self._whole_way(alone)[0]

    def _whole_way(self, document: Any) -> list[int]:
        for stage in self._stages:
            stage(document)
        lemmas: list[int] = document.to_array("LEMMA").tolist()
        return lemmas


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
