"""Clipped matches of n-grams and skip-bigrams between many peers and references at once.

Words get numbers that only the peer's words have ("its first word, its second …"); the words of a reference
that the peer lacks drop out before anything is sorted. An n-gram is a pair of overlapping (n−1)-grams, and
again only those of the peer have numbers: so the tables stay small whatever the n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.automatic.rouge.batch import Batch, Ints, stretches

MAX_GAP = 5
"""ROUGE-S4 pairs words with at most four others between them."""


@dataclass(frozen=True)
class Pairs:
    """Which text is compared with which: numbers of texts in the batch."""

    peers: Ints
    references: Ints


@dataclass(frozen=True)
class Grams:
    """The n-grams of one n: of the peers, and of the references as each peer knows them.

    ``peer_ids`` and ``reference_ids`` have one entry per position, −1 where no n-gram begins or the peer
    does not have it.
    """

    peer_ids: Ints
    reference_ids: Ints
    counts: Ints
    """How often each n-gram is in its peer."""


@dataclass(frozen=True)
class Layout:
    """The tokens of the peers laid end to end, and those of each pair's reference; which text or pair each
    is of."""

    peer_tokens: Ints
    peer_of: Ints
    reference_tokens: Ints
    pair_of: Ints
    peer_number: Ints
    """The number of each pair's peer among the distinct peers."""


def lay_out(batch: Batch, pairs: Pairs) -> Layout:
    """Each peer once; a reference once per pair, since it is seen through the eyes of the peer."""
    peers, peer_number = np.unique(pairs.peers, return_inverse=True)
    lengths = batch.lengths
    peer_positions, peer_of = stretches(batch.text_starts[peers], lengths[peers])
    positions, pair_of = stretches(batch.text_starts[pairs.references], lengths[pairs.references])
    return Layout(batch.tokens[peer_positions], peer_of, batch.tokens[positions], pair_of, peer_number)


def unigrams(layout: Layout, words: int) -> Grams:
    """The words of each peer, numbered, and where the references have them."""
    keys = layout.peer_of * words + layout.peer_tokens
    known, peer_ids, counts = np.unique(keys, return_inverse=True, return_counts=True)
    wanted = layout.peer_number[layout.pair_of] * words + layout.reference_tokens
    return Grams(peer_ids, _found(wanted, known), counts)


def longer(grams: Grams, layout: Layout) -> Grams:
    """The n-grams made of two overlapping (n−1)-grams each."""
    peer = _joined(grams.peer_ids, 1, layout.peer_of, len(grams.counts))
    reference = _joined(grams.reference_ids, 1, layout.pair_of, len(grams.counts))
    present = peer >= 0
    known, inverse, counts = np.unique(peer[present], return_inverse=True, return_counts=True)
    peer_ids = np.full(len(peer), -1, dtype=np.int64)
    peer_ids[present] = inverse
    return Grams(peer_ids, _found(reference, known), counts)


def skip_bigrams(words: Grams, layout: Layout) -> Grams:
    """Pairs of words at a distance of 1 to 5; ids are laid end to end, one stretch per distance."""
    size = len(words.counts)
    gaps = range(1, MAX_GAP + 1)
    peer = np.concatenate([_joined(words.peer_ids, gap, layout.peer_of, size) for gap in gaps])
    reference = np.concatenate([_joined(words.reference_ids, gap, layout.pair_of, size) for gap in gaps])
    known, counts = np.unique(peer[peer >= 0], return_counts=True)
    return Grams(np.empty(0, dtype=np.int64), _found(reference, known), counts)


def matches(ids: Ints, pair_of: Ints, counts: Ints, pairs: int) -> Ints:
    """For each pair, how many n-grams of the reference the peer has, each at most as often as the peer has
    it."""
    present = ids >= 0
    keys, found = np.unique(pair_of[present] * max(len(counts), 1) + ids[present], return_counts=True)
    pair, gram = np.divmod(keys, max(len(counts), 1))
    clipped = np.minimum(found, counts[gram]) if len(keys) else found
    return np.bincount(pair, weights=clipped, minlength=pairs).astype(np.int64)


def _joined(ids: Ints, gap: int, owner: Ints, size: int) -> Ints:
    """One number for the things at positions i and i + gap of the same text, −1 where there are none."""
    joined = np.full(len(ids), -1, dtype=np.int64)
    if gap < len(ids):
        first, second = ids[:-gap], ids[gap:]
        there = (first >= 0) & (second >= 0) & (owner[:-gap] == owner[gap:])
        joined[:-gap] = np.where(there, first * size + second, -1)
    return joined


def _found(keys: Ints, known: Ints) -> Ints:
    """The place of each key among the known ones, −1 for others."""
    ids = np.full(len(keys), -1, dtype=np.int64)
    present = np.flatnonzero(keys >= 0)
    if len(known) and len(present):
        place = np.minimum(np.searchsorted(known, keys[present]), len(known) - 1)
        ids[present] = np.where(known[place] == keys[present], place, -1)
    return ids
