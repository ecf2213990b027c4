"""POURPRE (Lin & Demner-Fushman 2005): answers to definition questions, scored by the words they share with nuggets.

The references of a question are its nuggets, each ``vital`` or ``okay`` by the field ``status`` beside its text; where no reference of an item has one, every
sentence of its references is taken for a vital nugget, and the score says how much of the references an output covers. A nugget matches as
well as the best answer string (a sentence of the output), by the share of the nugget's weight that is in it. Recall is the mean match of
vital nuggets (``-micro``: by weight), the length allowance 100 characters times the matches of all nuggets, F(β) as for nuggets judged by
people (:mod:`metrics.human.nuggets`). A system's score is the mean over questions. No vital nugget: no value.

Weights are idf = ln(N/df), from a table of document frequencies, or from the nugget lists of all questions of the run, one document each; where all weights
of a nugget are 0, its terms count alike. ``-count``: they always do. Terms are runs of letters and digits in small letters, each once.

The workshop paper says no more than "idf-weighted unigram co-occurrences"; best string, macro and micro, and the partial allowance are from our knowledge
of the authors' HLT-EMNLP paper, and no original program could be had to compare with. Two strings that each hold half of a nugget do not
add up; a short answer gets a precision of 1 with one weak match. Both are by design.

Names: ``pourpre``, then in this order ``-count``, ``-micro``, ``-stem`` (Porter), ``-beta3`` (else 5), ``-threshold0.5`` (lower matches are 0).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.text.prepared import Text
from metrics.automatic.text.sentences import sentences_of
from metrics.automatic.text.stemming import porter
from metrics.errors import BadInput
from metrics.human.nuggets import ALLOWANCE
from metrics.human.nuggets import nugget_references as nugget_references  # noqa: PLC0414 – who computes POURPRE takes it from here

VITAL, OKAY = "vital", "okay"
LISTED = ("pourpre", "pourpre-count")
_NAME = re.compile(
    r"pourpre(?P<count>-count)?(?P<micro>-micro)?(?P<stem>-stem)?(?:-beta(?P<beta>\d+))?(?:-threshold(?P<threshold>0?\.\d+|1))?"
)
_COUNT = re.compile(r"0{0,9}[1-9][0-9]{0,17}")
_TERM = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many of so many documents each term is; one that is not listed is in one."""

    documents: int
    counts: Mapping[str, int]

    def idf(self, term: str) -> float:
        """ln(N/df), never below 0."""
        return max(0.0, log(self.documents / max(1, self.counts.get(term, 1)))) if self.documents else 0.0

    def stemmed(self) -> DocumentFrequencies:
        """By stem; a stem is in at least as many documents as its most frequent word."""
        stems: dict[str, int] = {}
        for term, count in self.counts.items():
            stem = porter(term)
            stems[stem] = max(count, stems.get(stem, 0))
        return DocumentFrequencies(self.documents, stems)


def read_document_frequencies(path: Path) -> DocumentFrequencies:
    """A file with the number of documents in its first line, then ``term df`` in each."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"cannot be read ({problem})", file=str(path)) from problem
    counts: dict[str, int] = {}
    documents = _count(lines[0].strip())
    if documents is None:
        raise BadInput(f"expected the number of documents, found {lines[0]:.40}", file=str(path), row=1)
    for row, line in enumerate(lines[1:], start=2):
        fields = line.split()
        if not fields:
            continue
        count = _count(fields[1]) if len(fields) == 2 else None
        if count is None:
            raise BadInput(
                f"expected a term and its number of documents, found {line:.40}", file=str(path), row=row
            )
        counts[fields[0].lower()] = count
    return DocumentFrequencies(documents, counts)


def _count(text: str) -> int | None:
    """A whole number from 1 up, of digits that anybody can count in; None for anything else."""
    return int(text) if _COUNT.fullmatch(text) else None


class Nugget(NamedTuple):
    """The terms of a nugget and whether it is vital."""

    terms: frozenset[str]
    vital: bool


@dataclass(frozen=True)
class PourpreScore:
    """F(β) of one response, and what it is made of."""

    f: float
    precision: float
    recall: float
    allowance: float
    matches: tuple[float, ...]


def pourpre(
    nuggets: Sequence[Nugget],
    answers: Sequence[frozenset[str]],
    length: int,
    *,
    frequencies: DocumentFrequencies | None = None,
    micro: bool = False,
    beta: float = 5.0,
    threshold: float = 0.0,
) -> PourpreScore:
    """The score of a response from the terms of its strings and its length without white space.

    ``frequencies`` give idf weights; without them all terms weigh the same.

    >>> nugget = Nugget(frozenset({"built", "1850"}), vital=True)
    >>> pourpre([nugget], [frozenset({"built", "in", "stone"})], 12).recall
    0.5
    """
    weighed = [_weights(nugget.terms, frequencies) for nugget in nuggets]
    matches = [_match(weights, answers) for weights in weighed]
    matches = [match if match >= threshold else 0.0 for match in matches]
    vital = [number for number, nugget in enumerate(nuggets) if nugget.vital]
    if not vital:
        undefined = float("nan")
        return PourpreScore(undefined, undefined, undefined, undefined, tuple(matches))
    if micro:
        totals = [sum(weights.values()) for weights in weighed]
        whole = sum(totals[number] for number in vital)
        recall = sum(matches[number] * totals[number] for number in vital) / whole if whole else 0.0
    else:
        recall = sum(matches[number] for number in vital) / len(vital)
    allowance = ALLOWANCE * sum(matches)
    if length == 0:
        return PourpreScore(0.0, 0.0, recall, allowance, tuple(matches))
    precision = 1.0 if length <= allowance else 1 - (length - allowance) / length
    if recall == 0:
        return PourpreScore(0.0, precision, recall, allowance, tuple(matches))
    square = beta**2
    f = (square + 1) * precision * recall / (square * precision + recall)
    return PourpreScore(f, precision, recall, allowance, tuple(matches))


def _weights(terms: frozenset[str], frequencies: DocumentFrequencies | None) -> dict[str, float]:
    if frequencies is not None:
        weights = {term: frequencies.idf(term) for term in sorted(terms)}
        if any(weights.values()):
            return weights
    return dict.fromkeys(sorted(terms), 1.0)


def _match(weights: Mapping[str, float], answers: Sequence[frozenset[str]]) -> float:
    """The best string's share of the nugget's weight."""
    total = sum(weights.values())
    if not total:
        return 0.0
    found = (sum(weight for term, weight in weights.items() if term in answer) for answer in answers)
    return max(found, default=0.0) / total


def terms_of(text: str, *, stem: bool = False) -> frozenset[str]:
    """Runs of letters and digits in small letters, perhaps their stems."""
    words = _TERM.findall(text.lower())
    return frozenset(map(porter, words) if stem else words)


class Pourpre(Family):
    """POURPRE in its variants; a row holds the score."""

    name = "pourpre"

    def metrics(self) -> Sequence[Metric]:
        """By idf and by counts."""
        return self.named(LISTED)

    def parse(self, name: str) -> Metric | None:
        """Any combination of weights, recall, stems, β and threshold."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        return Metric(
            name=name,
            family=self.name,
            options=(
                ("weights", "count" if found["count"] else "idf"),
                ("recall", "micro" if found["micro"] else "macro"),
                ("stem", "porter" if found["stem"] else "none"),
                ("beta", found["beta"] or 5),
                ("threshold", found["threshold"] or 0),
            ),
            identity=1.0,
            aggregates=("mean",),
            default=name == "pourpre",
            listed=name in LISTED,
        )

    def corpus(
        self, references: Sequence[Sequence[Text]], metrics: Sequence[Metric]
    ) -> Sequence[DocumentFrequencies]:
        """Document frequencies over the nugget lists, never over outputs."""
        counts: Counter[str] = Counter()
        for texts in references:
            counts.update(frozenset().union(*(terms_of(text.text) for text in texts)))
        return [DocumentFrequencies(len(references), counts)] * len(references)

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output."""
        rows = []
        for metric in metrics:
            found = _NAME.fullmatch(metric.name)
            assert found is not None
            stem = bool(found["stem"])
            known: dict[int, DocumentFrequencies] = {}
            made = []
            for item in items:
                frequencies = None if found["count"] else item.corpus.get(self.name)
                if frequencies is not None and stem:
                    frequencies = known.setdefault(id(frequencies), frequencies.stemmed())
                result = pourpre(
                    nuggets_of(item.references, stem=stem),
                    [terms_of(sentence, stem=stem) for sentence in sentences_of(item.output)],
                    len("".join(item.output.text.split())),
                    frequencies=frequencies,
                    micro=bool(found["micro"]),
                    beta=float(found["beta"] or 5),
                    threshold=float(found["threshold"] or 0),
                )
                made.append(result.f)
            rows.append(np.array(made, dtype=np.float64).reshape(-1, 1))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score is the row."""
        return rows[:, 0]


FAMILY = Pourpre()


def nuggets_of(references: Sequence[Text], *, stem: bool = False) -> list[Nugget]:
    """The nuggets of a question: its references with a status, or else every sentence of them, vital."""
    if any("status" in text.beside for text in references):
        found = [
            Nugget(terms_of(text.text, stem=stem), str(text.beside.get("status", OKAY)).lower() == VITAL)
            for text in references
        ]
    else:
        found = [
            Nugget(terms_of(sentence, stem=stem), vital=True)
            for text in references
            for sentence in sentences_of(text)
        ]
    return [nugget for nugget in found if nugget.terms]
