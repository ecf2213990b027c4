"""TVM, AVLS and GRAMSIM, similarities of QARLA (Amigó et al. 2005, §4): of terms, of sentence length, of grammar.

``tvm-n`` compares the shares of the *n* most frequent lemmas (without stop words, ties by alphabet) of the item's source documents, or of
all its references where there are none; ``avls`` the mean number of words a sentence; ``gramsim`` the shares of Penn tags. Each is
1/(1 + distance); the paper's 1/distance is infinite for equal texts, and the order, which is all that QUEEN, KING and JACK see, is
the same. Of several references the nearest counts; a system's score is the mean. The paper's tagger is not free: tags and lemmas are
the parser's. AVLS cuts a plain text into sentences itself.

By themselves these are weak measures of quality: any text of the right length has a perfect ``avls``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.syntax.parse import Parse
from metrics.automatic.text.prepared import Text
from metrics.automatic.text.sentences import sentences_of
from metrics.automatic.text.stopwords import is_stop_word
from metrics.automatic.text.tokenisation import TOKENISERS

SIZES = (1, 4, 8, 16, 32, 64, 128, 256, 512)
_NAME = re.compile(r"avls|gramsim|tvm-(?P<size>[1-9]\d{0,3})")
_LISTED = ("avls", "gramsim", *(f"tvm-{size}" for size in SIZES))


class Similarity(Family):
    """Similarities of distances; a row holds the score."""

    name = "similarity"

    def metrics(self) -> Sequence[Metric]:
        """AVLS, GRAMSIM, and TVM for the paper's sizes."""
        return self.named(_LISTED)

    def parse(self, name: str) -> Metric | None:
        """TVM of any size up to 9,999."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        return Metric(
            name=name,
            family=self.name,
            options=(
                ("stop", "rouge" if found["size"] else None),
                ("tok", "remove" if name == "avls" else None),
                ("terms", "documents-or-references" if found["size"] else None),
                ("multi", "best"),
            ),
            identity=1.0,
            monotone=name in ("avls", "gramsim"),
            aggregates=("mean",),
            default=name == "avls",
            listed=name in _LISTED,
            needs=() if name == "avls" else ("dependencies",),
        )

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output."""
        rows = []
        for metric in metrics:
            found = _NAME.fullmatch(metric.name)
            assert found is not None
            if found["size"]:
                compare = _term_comparison(items, int(found["size"]))
            else:
                compare = _avls if metric.name == "avls" else _gramsim
            made = [max(_defined([compare(item, text) for text in item.references])) for item in items]
            rows.append(np.array(made, dtype=np.float64).reshape(-1, 1))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score is the row."""
        return rows[:, 0]


FAMILY = Similarity()


def _defined(values: Sequence[float]) -> Sequence[float]:
    known = [value for value in values if not np.isnan(value)]
    return known or [float("nan")]


def average_length(lengths: Sequence[int]) -> float:
    """The mean number of words a sentence; NaN without a sentence."""
    return sum(lengths) / len(lengths) if lengths else float("nan")


def near(distance: float) -> float:
    """1 for no distance, falling towards 0."""
    return 1 / (1 + distance)


def distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Euclid's, of two vectors that hold what is not 0."""
    names = sorted({*first, *second})
    return sqrt(sum((first.get(name, 0.0) - second.get(name, 0.0)) ** 2 for name in names))


def _length(text: Text) -> float:
    def make(own: Text) -> float:
        lengths = [len(list(TOKENISERS["remove"](sentence))) for sentence in sentences_of(own)]
        return average_length([length for length in lengths if length])

    made: float = text.remember("avls", make)
    return made


def _avls(item: Item, reference: Text) -> float:
    return near(abs(_length(item.output) - _length(reference)))


def shares(names: Sequence[str]) -> dict[str, float]:
    """The relative frequency of each name."""
    return {name: count / len(names) for name, count in Counter(names).items()}


def _tags(text: Text) -> dict[str, float]:
    def make(own: Text) -> dict[str, float]:
        return shares([tag for sentence in _parse(own) for tag in sentence.tags])

    made: dict[str, float] = text.remember("gramsim", make)
    return made


def _gramsim(item: Item, reference: Text) -> float:
    ours, theirs = _tags(item.output), _tags(reference)
    return near(distance(ours, theirs)) if ours and theirs else float("nan")


def _parse(text: Text) -> Parse:
    parse: Parse = text.beside["dependencies"]
    return parse


def _lemmas(text: Text) -> Counter[str]:
    """Lemmas that have a letter or digit and are no stop words, with their counts."""

    def make(own: Text) -> Counter[str]:
        return Counter(
            lemma.lower() or form.lower()
            for sentence in _parse(own)
            for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
            if any(map(str.isalnum, form)) and not is_stop_word(form) and not is_stop_word(lemma)
        )

    made: Counter[str] = text.remember("lemmas", make)
    return made


def frequent(counts: Mapping[str, int], size: int) -> list[str]:
    """The most frequent terms, ties by alphabet."""
    return sorted(counts, key=lambda term: (-counts[term], term))[:size]


def term_similarity(terms: Sequence[str], first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """1/(1 + distance) of the shares of these terms; NaN where a text has no term at all."""
    sizes = sum(first.values()), sum(second.values())
    if not all(sizes):
        return float("nan")
    ours, theirs = (
        {term: counts[term] / size for term in terms if counts.get(term)}
        for counts, size in zip((first, second), sizes, strict=True)
    )
    return near(distance(ours, theirs))


def _term_comparison(items: Sequence[Item], size: int) -> Callable[[Item, Text], float]:
    """TVM of a size; the terms of an item are found once."""
    terms: dict[int, list[str]] = {}
    for item in items:
        if id(item.references) not in terms:
            counts: Counter[str] = Counter()
            for text in item.documents or item.references:
                counts.update(_lemmas(text))
            terms[id(item.references)] = frequent(counts, size)

    def compare(item: Item, reference: Text) -> float:
        return term_similarity(terms[id(item.references)], _lemmas(item.output), _lemmas(reference))

    return compare
