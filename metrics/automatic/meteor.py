"""METEOR as Banerjee & Lavie (2005, §2.2) define it.

Output and reference are aligned word by word in stages (:mod:`metrics.automatic.meteor_alignment`): equal words, words of equal
Porter stem, words that share a synset of WordNet. With precision P and recall R of mapped words, Fmean = 10PR / (R + 9P); the
penalty is 0.5 · (chunks / mapped words)³; the score is Fmean · (1 − penalty), of the best reference. A system's score comes
from the sums of mapped words, chunks and lengths over its outputs.

WordNet is looked for on the machine (:mod:`metrics.automatic.wordnet`). Where there is none, the modules that need it are left
out; the signature and a warning say so. Texts are tokenised like mteval, in small letters. All words count: the stop list
that §3.6 mentions in passing for the exact module would leave "the" out of the paper's own example.

NLTK's ``meteor_score`` (the later parameters α = .9, β = 3, γ = .5 are these formulas) takes, from the end, the last free
reference word that fits, not the fewest crossings, and so finds more chunks; its synonyms are looked up for the output's word
only. The number of mapped words by exact and stem is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.meteor_alignment import EXACT_STATES, Alignment, align
from metrics.automatic.meteor_modules import MODULES, Words
from metrics.automatic.text.prepared import Text
from metrics.automatic.wordnet import WordNet, wordnet

STAGES = {
    "meteor": ("exact", "porter", "synonymy"),
    "meteor-exact": ("exact",),
    "meteor-exact-porter": ("exact", "porter"),
    "meteor-exact-wnstem": ("exact", "wnstem"),
}
"""The configurations of their Tables 6 and 7."""

NEED_WORDNET = frozenset({"wnstem", "synonymy"})


class Meteor(Family):
    """METEOR by its modules; a row holds mapped words, chunks, and the lengths of output and best reference."""

    name = "meteor"

    def __init__(self, find: Callable[[], WordNet | None] = wordnet) -> None:
        self._find = find

    def metrics(self) -> Sequence[Metric]:
        """The four configurations."""
        return [self._metric(name) for name in STAGES]

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The counts of each output with its best reference."""
        rows = []
        for metric in metrics:
            stages = self._stages(metric.name)
            if stages != STAGES[metric.name]:
                left_out = "+".join(stage for stage in STAGES[metric.name] if stage not in stages)
                warnings.warn(
                    f"no WordNet on this machine: {metric.name} runs without {left_out}",
                    UserWarning,
                    stacklevel=2,
                )
            made = [_row(item, stages, self._find()) for item in items]
            rows.append(np.array(made, dtype=np.float64).reshape(-1, 4))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score of each row of counts."""
        return meteor_scores(rows)

    def _stages(self, name: str) -> tuple[str, ...]:
        """The stages that can run here."""
        return tuple(stage for stage in STAGES[name] if stage not in NEED_WORDNET or self._find() is not None)

    def _metric(self, name: str) -> Metric:
        wanted = NEED_WORDNET & set(STAGES[name])
        found = self._find() if wanted else None
        exceptions = None if found is None else found.version if found.own_exceptions else "2.0"
        return Metric(
            name=name,
            family="meteor",
            options=(
                ("modules", "+".join(self._stages(name))),
                ("wordnet", found.version if found else "none" if wanted else None),
                ("exceptions", exceptions),
                ("tok", "mteval"),
                ("case", "fold"),
                ("search", f"exact-{EXACT_STATES}-then-beam"),
                ("multi", "best"),
            ),
            monotone=True,
            default=name == "meteor",
        )


FAMILY = Meteor()


def meteor_scores(rows: Rows) -> npt.NDArray[np.float64]:
    """Fmean less the penalty, from mapped words, chunks and both lengths; 0 where nothing is mapped."""
    matches, chunks, length, reference_length = rows.T
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / length, matches / reference_length
        fmean = 10 * precision * recall / (recall + 9 * precision)
        scores = fmean * (1 - 0.5 * (chunks / matches) ** 3)
    return np.asarray(np.where(reference_length > 0, np.where(matches > 0, scores, 0.0), np.nan))


def alignment(output: Words, reference: Words, stages: Sequence[str]) -> Alignment:
    """The alignment of two texts by these stages."""
    modules = [partial(MODULES[stage], output, reference) for stage in stages]
    return align(len(output.tokens), len(reference.tokens), modules)


def _row(item: Item, stages: Sequence[str], wordnet: WordNet | None) -> tuple[float, ...]:
    """The counts with the reference that gives the best score, whatever the order of the references."""
    output = _words(item.output, wordnet)
    references = [words for text in item.references if (words := _words(text, wordnet)).tokens]
    if not references:
        return (float("nan"),) * 4
    rows = []
    for reference in references:
        found = alignment(output, reference, stages)
        rows.append((found.matches, found.chunks, len(output.tokens), len(reference.tokens)))
    scores = meteor_scores(np.array(rows, dtype=np.float64)).tolist()
    return max(zip(scores, rows, strict=True))[1]


def _words(text: Text, wordnet: WordNet | None) -> Words:
    key = ("meteor", wordnet.place if wordnet else None)
    words: Words = text.remember(key, lambda own: Words(own.tokens(), wordnet))
    return words
