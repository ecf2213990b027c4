"""Hits and lengths of all kinds of ROUGE for each pair of an output and a reference, in one pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from metrics.automatic.rouge.batch import Batch, Ints
from metrics.automatic.rouge.lcs import WEIGHT, Bools, masks
from metrics.automatic.rouge.ngrams import (
    MAX_GAP,
    Grams,
    Layout,
    Pairs,
    lay_out,
    longer,
    matches,
    skip_bigrams,
    unigrams,
)

Floats = npt.NDArray[np.float64]

CELLS = 20_000_000
"""Pairs are counted together up to so many products of their lengths."""


@dataclass(frozen=True)
class Counts:
    """Per pair: what was hit, and what could have been hit in the reference (recall) and in the peer
    (precision)."""

    hits: Floats
    reference: Floats
    peer: Floats
    size: Floats
    """What the hits are divided by when the best reference is chosen: ``reference``, but for ROUGE-W (see
    below)."""

    def part(self, pairs: slice) -> Counts:
        """The counts of some of the pairs."""
        return Counts(self.hits[pairs], self.reference[pairs], self.peer[pairs], self.size[pairs])

    @classmethod
    def joined(cls, parts: Sequence[Counts]) -> Counts:
        """The counts of several lots of pairs as one."""
        return cls(
            np.concatenate([part.hits for part in parts]),
            np.concatenate([part.reference for part in parts]),
            np.concatenate([part.peer for part in parts]),
            np.concatenate([part.size for part in parts]),
        )


def count(batch: Batch, pairs: Pairs, kinds: Collection[str]) -> dict[str, Counts]:
    """The counts of each kind asked for (``1`` … ``4``, ``l``, ``w-1.2``, ``s4``, ``su4``).

    Long texts are counted a few pairs at a time, so that the memory needed does not grow with their number.
    """
    cells = batch.lengths[pairs.peers] * batch.lengths[pairs.references]
    portion = (np.cumsum(cells) - cells) // CELLS
    cuts = [0, *(np.flatnonzero(np.diff(portion)) + 1), len(cells)]
    parts = [
        _count(batch, Pairs(pairs.peers[begin:end], pairs.references[begin:end]), kinds)
        for begin, end in pairwise(cuts)
    ]
    return {kind: Counts.joined([part[kind] for part in parts]) for kind in parts[0]}


def _count(batch: Batch, pairs: Pairs, kinds: Collection[str]) -> dict[str, Counts]:
    layout = lay_out(batch, pairs)
    words = unigrams(layout, batch.words)
    reference, peer = batch.lengths[pairs.references], batch.lengths[pairs.peers]
    counts: dict[str, Counts] = {}
    grams = words
    for n in range(1, 1 + max((int(kind) for kind in kinds if kind.isdigit()), default=0)):
        grams = longer(grams, layout) if n > 1 else words
        hits = matches(grams.reference_ids, layout.pair_of, grams.counts, len(reference))
        counts[str(n)] = _counts(hits, _at_least_0(reference - n + 1), _at_least_0(peer - n + 1))
    if {"s4", "su4"} & set(kinds):
        counts |= _skip_counts(words, layout, reference, peer)
    if {"l", "w-1.2"} & set(kinds):
        counts |= _lcs_counts(batch, pairs, layout, words)
    return counts


def _counts(hits: Ints, reference: Ints | Floats, peer: Ints | Floats) -> Counts:
    return Counts(hits.astype(float), reference.astype(float), peer.astype(float), reference.astype(float))


def _at_least_0(numbers: Ints) -> Ints:
    return np.maximum(numbers, 0)


def _skip_counts(words: Grams, layout: Layout, reference: Ints, peer: Ints) -> dict[str, Counts]:
    """ROUGE-S4, and ROUGE-SU4, which adds all words but the last of each text."""
    skip = skip_bigrams(words, layout)
    pair_of = np.tile(layout.pair_of, MAX_GAP)
    hits = matches(skip.reference_ids, pair_of, skip.counts, len(reference))
    s4 = _counts(hits, _skip_pairs(reference), _skip_pairs(peer))
    last_of_reference = np.diff(layout.pair_of, append=-1) != 0
    last_of_peer = np.diff(layout.peer_of, append=-1) != 0
    counts = words.counts - np.bincount(words.peer_ids[last_of_peer], minlength=len(words.counts))
    ids = np.where(last_of_reference, -1, words.reference_ids)
    hits = hits + matches(ids, layout.pair_of, counts, len(reference))
    su4 = _counts(hits, s4.reference + _at_least_0(reference - 1), s4.peer + _at_least_0(peer - 1))
    return {"s4": s4, "su4": su4}


def _skip_pairs(lengths: Ints) -> Ints:
    pairs: Ints = np.sum([_at_least_0(lengths - gap) for gap in range(1, MAX_GAP + 1)], axis=0)
    return pairs


def _lcs_counts(batch: Batch, pairs: Pairs, layout: Layout, words: Grams) -> dict[str, Counts]:
    """ROUGE-L and ROUGE-W. Each hit uses up one occurrence of its word in the peer.

    With f(x) = x^1.2, ROUGE-W divides by f(Σ f(length of sentence)) for recall, but it chooses the best
    reference by hits / Σ f(length of sentence).
    """
    reference, peer = batch.lengths[pairs.references], batch.lengths[pairs.peers]
    hit = masks(batch, pairs, layout, words)
    ids = np.where(hit.plain, words.reference_ids, -1)
    plain = _counts(matches(ids, layout.pair_of, words.counts, len(reference)), reference, peer)
    text = np.repeat(np.arange(len(batch.lengths)), np.diff(batch.first_sentences))
    weights = np.bincount(text, weights=_weight(batch.sentence_lengths), minlength=len(batch.lengths)).astype(
        float
    )
    weighted = Counts(
        _weighted_hits(hit.weighted, batch, pairs, layout, words),
        _weight(weights[pairs.references]),
        _weight(peer),
        weights[pairs.references],
    )
    return {"l": plain, "w-1.2": weighted}


def _weight(lengths: Ints | Floats) -> Floats:
    weights: Floats = lengths.astype(float) ** WEIGHT
    return weights


def _weighted_hits(hit: Bools, batch: Batch, pairs: Pairs, layout: Layout, words: Grams) -> Floats:
    """Σ f(length) over runs of hits, as ROUGE-1.5.5 adds them up.

    A run is closed when the next word is no hit or the sentence ends, but this is looked at only for hits
    that still find their word in the peer: a hit that does not neither breaks nor closes a run, and a run
    left open when the sentence ends is lost.
    """
    at = np.flatnonzero(hit)
    counted = at[_still_there(words.reference_ids[at], layout.pair_of[at], words.counts)]
    sentence = _sentences(batch, pairs)
    goes_on = np.zeros(len(hit), dtype=bool)
    goes_on[:-1] = hit[1:] & (sentence[1:] == sentence[:-1])
    closing = np.flatnonzero(~goes_on[counted])
    first = np.searchsorted(sentence[counted], sentence[counted[closing]])
    previous = np.concatenate([[-1], closing[:-1]]) + 1
    length = closing + 1 - np.maximum(first, previous)
    pair = layout.pair_of[counted[closing]]
    return np.bincount(pair, weights=_weight(length), minlength=len(pairs.references)).astype(float)


def _still_there(words: Ints, pair: Ints, counts: Ints) -> Bools:
    """Whether the peer has the word at least as often as it was hit up to here."""
    key = pair * max(len(counts), 1) + words
    order = np.argsort(key, kind="stable")
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    return np.asarray(rank < counts[words], dtype=bool)


def _sentences(batch: Batch, pairs: Pairs) -> Ints:
    """For each token of each pair's reference, the number of its sentence, counted over all pairs."""
    sentences = np.diff(batch.first_sentences)[pairs.references]
    start = np.repeat(batch.first_sentences[pairs.references], sentences)
    within = np.arange(int(sentences.sum())) - np.repeat(np.cumsum(sentences) - sentences, sentences)
    return np.repeat(np.arange(len(within)), batch.sentence_lengths[start + within])
