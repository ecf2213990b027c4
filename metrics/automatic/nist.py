"""NIST (Doddington 2002; Leusch et al. 2005, §2.1.4): n-gram matches weighted by their information.

The information of an n-gram is log₂(count of its first n − 1 words / count of itself) over all references of the collection; for
a word the first count is that of all words. Matches are clipped at the most any one reference has. The score is the sum over
n = 1 … 5 of matched information per n-gram of the output, times the brevity penalty exp(β·ln² min(1, ratio)), where the ratio
is output length to mean reference length and β = ln .5 / ln² 1.5: the penalty is one half at a ratio of 2/3. (Leusch et al.
print another β, with which it would be 0.87.)

This is what mteval computes. NLTK's ``corpus_nist`` differs with several references: it takes, for each n, the matches and the
length of the one reference with the best precision, and divides by zero when no output has five words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.counting import Ngram, ngrams_of
from metrics.automatic.preparation import SUFFIX, Preparation, from_name
from metrics.automatic.text.prepared import Text

ORDERS = (1, 2, 3, 4, 5)
BETA = log(0.5) / log(1.5) ** 2
DEFAULT = Preparation()

_NAME = re.compile(f"nist{SUFFIX}")
_WIDTH = 2 * len(ORDERS) + 2

Weights = dict[Preparation, npt.NDArray[np.float64]]
"""For each preparation, the information of the n-grams of one item's references, in the order of ``_known_ngrams``."""


class Nist(Family):
    """NIST with n-grams of up to five words; a row is information and n-grams by order, length and reference length."""

    name = "nist"

    def metrics(self) -> Sequence[Metric]:
        """NIST as mteval prepares texts."""
        return [_metric(DEFAULT, default=True)]

    def parse(self, name: str) -> Metric | None:
        """Names with a text preparation of the user's own: ``nist-contractions-initial``."""
        found = _NAME.fullmatch(name)
        metric = _metric(from_name(found, DEFAULT), listed=False) if found else None
        return metric if metric and metric.name == name else None

    def corpus(self, references: Sequence[Sequence[Text]], metrics: Sequence[Metric]) -> Sequence[Weights]:
        """The information of every n-gram that an item's references have."""
        weights: list[Weights] = [{} for _ in references]
        for preparation in dict.fromkeys(_preparation(metric) for metric in metrics):
            known = [_known_ngrams(texts, preparation) for texts in references]
            information = _information(references, preparation)
            for own, found in zip(weights, known, strict=True):
                own[preparation] = np.array([information[ngram] for ngram in found])
        return weights

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The counts of each output."""
        rows = []
        for preparation in (_preparation(metric) for metric in metrics):
            # Outputs of one item share their references, which are looked at once.
            references = {id(item.references): item for item in items}
            known = {key: _reference_ngrams(item, preparation) for key, item in references.items()}
            made = [_row(item, known[id(item.references)], preparation) for item in items]
            rows.append(np.array(made, dtype=np.float64).reshape(-1, _WIDTH))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """Information per n-gram, summed over n, times the brevity penalty."""
        information, totals = rows[:, : len(ORDERS)], rows[:, len(ORDERS) : 2 * len(ORDERS)]
        length, reference_length = rows[:, -2], rows[:, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            per_ngram = np.where(totals > 0, information / totals, 0.0).sum(axis=1)
            ratio = np.minimum(1.0, length / reference_length)
            penalty = np.where(ratio > 0, np.exp(BETA * np.log(ratio) ** 2), 0.0)
        return np.asarray(np.where(reference_length > 0, per_ngram * penalty, np.nan))


FAMILY = Nist()


def _metric(preparation: Preparation, *, default: bool = False, listed: bool = True) -> Metric:
    return Metric(
        name=f"nist{preparation.suffix(DEFAULT)}",
        family="nist",
        options=(("order", max(ORDERS)), ("length", "average"), *preparation.options()),
        range=(0.0, float("inf")),
        default=default,
        listed=listed,
    )


def _preparation(metric: Metric) -> Preparation:
    found = _NAME.fullmatch(metric.name)
    assert found is not None
    return from_name(found, DEFAULT)


def _counts(text: Text, preparation: Preparation, n: int) -> Counter[Ngram]:
    return ngrams_of(text, preparation.tokens(text), n, setting=preparation)


def _known_ngrams(references: Sequence[Text], preparation: Preparation) -> dict[Ngram, None]:
    """The n-grams of an item's references, in an order that depends on these alone."""
    return dict.fromkeys(
        ngram for text in references for n in ORDERS for ngram in _counts(text, preparation, n)
    )


def _information(references: Sequence[Sequence[Text]], preparation: Preparation) -> Mapping[Ngram, float]:
    counts: Counter[Ngram] = Counter()
    for texts in references:
        for text in texts:
            for n in ORDERS:
                counts.update(_counts(text, preparation, n))
            counts[()] += len(preparation.tokens(text))
    return {ngram: log(counts[ngram[:-1]] / count, 2) for ngram, count in counts.items() if ngram}


def _reference_ngrams(item: Item, preparation: Preparation) -> dict[Ngram, tuple[int, float]]:
    """For each n-gram of the references, the most that one of them has, and its information."""
    most: dict[Ngram, int] = {}
    for text in item.references:
        for n in ORDERS:
            for ngram, count in _counts(text, preparation, n).items():
                most[ngram] = max(count, most.get(ngram, 0))
    weights: npt.NDArray[np.float64] = item.corpus["nist"][preparation]
    known = zip(_known_ngrams(item.references, preparation), weights.tolist(), strict=True)
    return {ngram: (most[ngram], information) for ngram, information in known}


def _row(item: Item, known: Mapping[Ngram, tuple[int, float]], preparation: Preparation) -> list[float]:
    lengths = [len(preparation.tokens(text)) for text in item.references]
    if not any(lengths):
        return [float("nan")] * _WIDTH
    matched, totals = [], []
    for n in ORDERS:
        ours = _counts(item.output, preparation, n)
        found = [(count, *known[ngram]) for ngram, count in ours.items() if ngram in known]
        matched.append(sum(min(count, most) * information for count, most, information in found))
        totals.append(ours.total())
    return [*matched, *totals, len(preparation.tokens(item.output)), sum(lengths) / len(lengths)]
