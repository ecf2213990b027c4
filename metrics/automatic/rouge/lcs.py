"""Which words of a reference are hit by the longest common subsequences with a peer's sentences (ROUGE-L,
ROUGE-W).

For each sentence of a reference, the hits are the union over the peer's sentences of the positions on one
LCS, and which one that is matters: where words differ, the path back through the table goes up (drops the
reference's word) when c[i−1][j] ≥ c[i][j−1]. ROUGE-W weighs runs of consecutive matches, f(k) = k^1.2, and
has a table of its own.

The tables of many sentence pairs are filled at once, diagonal by diagonal. Words that the other sentence
lacks only pass values on: of several in a row the second to last change neither a value nor a decision, in
both kinds of table, so each run of them is taken as one, and one at the beginning is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.automatic.rouge.batch import Batch, Ints, offsets, stretches
from metrics.automatic.rouge.ngrams import Grams, Layout, Pairs

Bools = npt.NDArray[np.bool_]

WEIGHT = 1.2

_LEFT, _UP, _MATCH = 0, 1, 2
_CELLS = 4_000_000
"""Cells of the tables that are filled together, at most, unless one table alone has more."""


@dataclass(frozen=True)
class Masks:
    """For each token of each pair's reference, whether the plain and the weighted LCS hit it."""

    plain: Bools
    weighted: Bools


@dataclass(frozen=True)
class _Tables:
    """Tables to fill: their sizes, their matching cells, and the token that each row stands for."""

    rows: Ints
    columns: Ints
    table: Ints
    """The table of each match, ascending; its row and column, counted from 1."""
    row: Ints
    column: Ints
    first_row: Ints
    tokens: Ints
    """The reference token of row r of table t is ``tokens[first_row[t] + r − 1]``."""


def masks(batch: Batch, pairs: Pairs, layout: Layout, words: Grams) -> Masks:
    """The hits of all pairs."""
    plain = np.zeros(len(layout.pair_of), dtype=bool)
    weighted = np.zeros(len(layout.pair_of), dtype=bool)
    tables = _tables(batch, pairs, layout, words)
    if len(tables.rows):
        for some in _groups(tables):
            ways = _fill(tables, some)
            plain[_walk_back(ways.plain, tables, some)] = True
            weighted[_walk_back(ways.weighted, tables, some)] = True
    return Masks(plain, weighted)


def _tables(batch: Batch, pairs: Pairs, layout: Layout, words: Grams) -> _Tables:
    """One table per pair of sentences that share a word."""
    reference, peer = _equal_words(layout, words)
    sentence = np.repeat(np.arange(len(batch.sentence_lengths)), batch.sentence_lengths)
    peers = np.unique(pairs.peers)
    # Positions in the batch, from positions in the layout, for the words that match.
    at_reference = stretches(batch.text_starts[pairs.references], batch.lengths[pairs.references])[0][
        reference
    ]
    at_peer = stretches(batch.text_starts[peers], batch.lengths[peers])[0][peer]
    reference_sentence, peer_sentence = sentence[at_reference], sentence[at_peer]
    pair = layout.pair_of[reference]
    key = _sentence_pair(batch, pairs, pair, reference_sentence, peer_sentence)
    order = np.argsort(key, kind="stable")
    key, reference, at_reference, at_peer = key[order], reference[order], at_reference[order], at_peer[order]
    reference_sentence, peer_sentence = reference_sentence[order], peer_sentence[order]
    new = np.flatnonzero(np.diff(key, prepend=-1))
    table = np.repeat(np.arange(len(new)), np.diff(np.append(new, len(key))))
    starts = batch.sentence_starts
    row, rows = _collapsed(
        table, at_reference - starts[reference_sentence], batch.sentence_lengths[reference_sentence[new]]
    )
    column, columns = _collapsed(
        table, at_peer - starts[peer_sentence], batch.sentence_lengths[peer_sentence[new]]
    )
    first_row = offsets(rows)
    # Only rows with a match can be hit, so the others need no token.
    tokens = np.full(first_row[-1], -1, dtype=np.int64)
    tokens[first_row[table] + row - 1] = reference
    return _Tables(rows, columns, table, row, column, first_row, tokens)


def _equal_words(layout: Layout, words: Grams) -> tuple[Ints, Ints]:
    """Every position of a reference with every position of its peer that has the same word."""
    by_word = np.argsort(words.peer_ids, kind="stable")
    first = offsets(words.counts)
    known = np.flatnonzero(words.reference_ids >= 0)
    word = words.reference_ids[known]
    place, owner = stretches(first[word], words.counts[word])
    return known[owner], by_word[place]


def _sentence_pair(
    batch: Batch, pairs: Pairs, pair: Ints, reference_sentence: Ints, peer_sentence: Ints
) -> Ints:
    """A number for each pair of sentences of a pair of texts."""
    sentences = np.diff(batch.first_sentences)
    first = offsets(sentences[pairs.references] * sentences[pairs.peers])
    of_reference = reference_sentence - batch.first_sentences[pairs.references[pair]]
    of_peer = peer_sentence - batch.first_sentences[pairs.peers[pair]]
    number: Ints = first[pair] + of_reference * sentences[pairs.peers[pair]] + of_peer
    return number


def _collapsed(table: Ints, position: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """The row of each match when runs of words without a match are one row; and the number of rows of each
    table."""
    start = offsets(lengths)
    matched = np.zeros(start[-1], dtype=bool)
    matched[start[table] + position] = True
    kept = matched.copy()
    kept[1:] |= matched[:-1]
    kept[start[:-1]] = matched[start[:-1]]
    upto = np.concatenate([[0], np.cumsum(kept)])
    return upto[start[table] + position + 1] - upto[start[table]], np.diff(upto[start])


def _groups(tables: _Tables) -> Iterator[Ints]:
    """Tables of about the same size, a few millions of cells at a time."""
    side = np.maximum(tables.rows, tables.columns)
    order = np.argsort(side, kind="stable")
    side = side[order]
    begin = 0
    while begin < len(order):
        end = int(np.searchsorted(side, side[begin] * 1.25 + 4, side="right"))
        end = min(end, begin + max(1, _CELLS // int(side[end - 1]) ** 2))
        yield np.sort(order[begin:end])
        begin = end


@dataclass(frozen=True)
class _Ways:
    """At each cell of a group's tables the way back: left, up, or a match. Cell (i, j) of table b lies at
    [i + j, i, b]."""

    plain: npt.NDArray[np.uint8]
    weighted: npt.NDArray[np.uint8]


def _fill(tables: _Tables, some: Ints) -> _Ways:
    """Fill the tables of a group, diagonal by diagonal: i + j grows, and each diagonal needs the two before
    it only."""
    height, width, depth = int(tables.rows[some].max()), int(tables.columns[some].max()), len(some)
    diagonal, cell = _matches(tables, some, depth)
    starts = np.searchsorted(diagonal, np.arange(height + width + 2))
    shape = (height + width + 1, height + 1, depth)
    ways = _Ways(np.empty(shape, dtype=np.uint8), np.empty(shape, dtype=np.uint8))
    plain = [np.zeros((height + 1, depth), dtype=np.int32) for _ in range(3)]
    weighted = [np.zeros((height + 1, depth)) for _ in range(3)]
    run = [np.zeros((height + 1) * depth, dtype=np.int32) for _ in range(3)]
    # Sums of these must be rounded as the original rounds them, or equal cells would seem unequal: hence
    # Python's power and the order of the sum below.
    power = np.array([length**WEIGHT for length in range(min(height, width) + 2)])
    for d in range(2, height + width + 1):
        low, high = max(1, d - width), min(height, d - 1) + 1
        now, before, two_before = d % 3, (d - 1) % 3, (d - 2) % 3
        at = cell[starts[d] : starts[d + 1]]
        for value, way in ((plain, ways.plain[d]), (weighted, ways.weighted[d])):
            up, left = value[before][low - 1 : high - 1], value[before][low:high]
            np.greater_equal(up, left, out=way[low:high].view(np.bool_))
            np.maximum(up, left, out=value[now][low:high])
            way.reshape(-1)[at] = _MATCH
        length = run[two_before][at - depth]
        plain[now].reshape(-1)[at] = plain[two_before].reshape(-1)[at - depth] + 1
        weighted[now].reshape(-1)[at] = (
            weighted[two_before].reshape(-1)[at - depth] + power[length + 1] - power[length]
        )
        if d >= 5:
            run[now][cell[starts[d - 3] : starts[d - 2]]] = 0
        run[now][at] = length + 1
    return ways


def _matches(tables: _Tables, some: Ints, depth: int) -> tuple[Ints, Ints]:
    """The matching cells of a group's tables: their diagonals, ascending, and their places on them."""
    number = np.full(len(tables.rows), -1, dtype=np.int64)
    number[some] = np.arange(depth)
    place = number[tables.table]
    own = np.flatnonzero(place >= 0)
    diagonal = tables.row[own] + tables.column[own]
    order = np.argsort(diagonal, kind="stable")
    return diagonal[order], (tables.row[own] * depth + place[own])[order]


def _walk_back(ways: npt.NDArray[np.uint8], tables: _Tables, some: Ints) -> Ints:
    """All tables of a group step back together, each from its last cell until it leaves the table."""
    _, rows, depth = ways.shape
    flat = ways.reshape(-1)
    i, j, table = tables.rows[some].copy(), tables.columns[some].copy(), np.arange(depth)
    first_row = tables.first_row[some]
    found = []
    while len(i):
        way = flat[((i + j) * rows + i) * depth + table]
        match = way == _MATCH
        found.append(first_row[table[match]] + i[match] - 1)
        i = i - (way != _LEFT)
        j = j - (way != _UP)
        inside = (i > 0) & (j > 0)
        if not inside.all():
            i, j, table = i[inside], j[inside], table[inside]
    tokens: Ints = tables.tokens[np.concatenate(found)]
    return tokens
