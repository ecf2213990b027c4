"""Texts as integers: many texts in all settings of stemming and stop words, laid end to end for NumPy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.automatic.text.prepared import Text
from metrics.automatic.text.stemming import rouge_porter, rouge_stem
from metrics.automatic.text.stopwords import stop_words
from metrics.automatic.text.tokenisation import rouge_bytes

Ints = npt.NDArray[np.int64]

Setting = tuple[str, bool]
"""Stemming (``none``, ``stem``, ``porter``) and whether stop words are removed."""

STEMMERS: dict[str, Callable[[str], str]] = {"none": str, "stem": rouge_stem, "porter": rouge_porter}


@dataclass(frozen=True)
class Batch:
    """All texts in all settings. Text *t* in setting *s* has the number ``s * texts + t``; sentences are
    numbered along."""

    tokens: Ints
    words: int
    """Token numbers are below this."""
    text_starts: Ints
    """Where each text begins in ``tokens``, and the end of the last."""
    sentence_starts: Ints
    """Where each sentence begins in ``tokens``, and the end of the last."""
    first_sentences: Ints
    """The first sentence of each text, and the end of the last."""

    @property
    def lengths(self) -> Ints:
        """Tokens of each text."""
        return np.diff(self.text_starts)

    @property
    def sentence_lengths(self) -> Ints:
        """Tokens of each sentence."""
        return np.diff(self.sentence_starts)


def read(texts: Sequence[Text], settings: Sequence[Setting]) -> Batch:
    """The batch of these texts: each is cut into words once, each different word is stemmed once per
    stemmer."""
    number: defaultdict[bytes, int] = defaultdict()
    number.default_factory = number.__len__
    sentences = [
        [number[word] for word in rouge_bytes(sentence)] for text in texts for sentence in text.sentences
    ]
    per_text = np.array([len(text.sentences) for text in texts], dtype=np.int64)
    words = np.array([word for sentence in sentences for word in sentence], dtype=np.int64)
    sentence_of_word = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    vocabulary = [word.decode("ascii") for word in number]
    kept_tokens, kept_lengths = [], []
    for meaning in _meanings(vocabulary, settings):
        tokens = meaning[words]
        kept = tokens >= 0
        kept_tokens.append(tokens[kept])
        kept_lengths.append(np.bincount(sentence_of_word[kept], minlength=len(sentences)))
    sentence_starts = offsets(np.concatenate(kept_lengths))
    first_sentences = offsets(np.tile(per_text, len(settings)))
    return Batch(
        tokens=np.concatenate(kept_tokens),
        words=max(len(vocabulary), 1),
        text_starts=sentence_starts[first_sentences],
        sentence_starts=sentence_starts,
        first_sentences=first_sentences,
    )


def _meanings(vocabulary: Sequence[str], settings: Sequence[Setting]) -> list[Ints]:
    """For each setting, what each word of the vocabulary counts as; −1 for a stop word, tested before
    stemming."""
    stops = np.array([word in stop_words() for word in vocabulary], dtype=bool)
    stemmed: dict[str, Ints] = {}
    for stem in dict.fromkeys(stem for stem, _ in settings):
        number: defaultdict[str, int] = defaultdict()
        number.default_factory = number.__len__
        stemmed[stem] = np.array([number[STEMMERS[stem](word)] for word in vocabulary], dtype=np.int64)
    return [np.where(stops, -1, stemmed[stem]) if stop else stemmed[stem] for stem, stop in settings]


def offsets(lengths: npt.NDArray[Any]) -> Ints:
    """Where each of several stretches begins when they are laid end to end, and the end of the last."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def stretches(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The positions of several stretches laid end to end, and which stretch each position is of."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    shift = starts - offsets(lengths)[:-1]
    return np.arange(len(owner)) + shift[owner], owner
