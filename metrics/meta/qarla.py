"""QARLA: KING, JACK and the likeness of metrics (Amigó, Gonzalo, Peñas & Verdejo 2005).

The references of an item are *models*, outputs are *peers*; x(a, b) is the similarity of text a to text b under a metric. QUEEN of a text
is the probability, over triples of models m and m′ ≠ m″, that it is as close to m as m′ is to m″ under every metric of a set. A good set of
metrics tells models from peers and needs few: KING is the share of models that, left out of the models, beat every peer in QUEEN;
JACK is the share of models for which two peers of some quality are further from each other than from the model, so that the set of
peers is not all alike; sim is the share of triples on which two sets agree.

Decisions, where the paper leaves room: m′ and m″ differ (a text is not compared with itself); KING is strict, so that a constant metric gets 0; a
model is left out of the models it is compared with; the condition is ≥ throughout. All counts are whole numbers, so results are exact.

Items are added one by one and nothing is kept of them but counts, so that memory does not grow with their number. That of sets counts
only where sim is asked for, which compares each with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from metrics.errors import BadInput
from metrics.meta.ties import CLOSE
from metrics.signature import signature

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

JOIN = "+"
"""Between the metrics of a set, in its name."""
BLOCK = 64
"""Sets that are worked on together: so memory does not grow with their number either, unless sim is asked for."""


@dataclass(frozen=True)
class Similarities:
    """One item: how similar each text is to each other, under each metric; higher is more similar.

    ``x[k, i, j]`` is the similarity of text *i* to text *j* under metric *k*; texts are the models, then the peers. What is not
    needed (a text with itself, to peers when JACK is not asked for) may be NaN.
    """

    item: str
    models: tuple[str, ...]
    peers: tuple[str, ...]
    x: FloatArray


@dataclass(frozen=True)
class QarlaResult:
    """KING and JACK of each set, and how alike sets are."""

    sets: tuple[tuple[str, ...], ...]
    king: FloatArray
    jack: FloatArray
    sim: FloatArray | None
    items: int
    models: int
    """Models over all items: what KING and JACK are shares of."""
    signature: str

    @property
    def names(self) -> list[str]:
        """The sets, their metrics joined by +."""
        return [JOIN.join(own) for own in self.sets]

    def clusters(self, count: int) -> npt.NDArray[np.int64]:
        """The cluster of each set, from 1: average linkage on 1 − sim."""
        if self.sim is None:
            raise ValueError("sim was not computed")
        if len(self.sets) == 1:
            return np.ones(1, dtype=np.int64)
        distance = 1 - np.nan_to_num((self.sim + self.sim.T) / 2, nan=0.0)
        np.fill_diagonal(distance, 0.0)
        tree = linkage(squareform(distance, checks=False), method="average")
        return np.asarray(fcluster(tree, count, criterion="maxclust"), dtype=np.int64)

    def table(self, clusters: int | None = None) -> pd.DataFrame:
        """``set, size, king, jack``, best KING first; with clusters ``cluster`` and whether a set is its cluster's best."""
        frame = pd.DataFrame(
            {"set": self.names, "size": [len(own) for own in self.sets], "king": self.king, "jack": self.jack}
        )
        if clusters is not None:
            frame["cluster"] = self.clusters(clusters)
            best = frame.groupby("cluster")["king"].transform("max")
            frame["best_of_cluster"] = (frame["king"] == best) & ~frame.duplicated(["cluster", "king"])
        return frame.sort_values(["king", "size"], ascending=[False, True], kind="stable", ignore_index=True)


class Qarla:
    """Counts over items; :meth:`add` each, then ask for the :meth:`result`.

    >>> x = np.array([[[9, 5, 4, 2], [5, 9, 4, 1], [4, 4, 9, 1], [2, 1, 1, 9]]]) / 10
    >>> counter = Qarla(["x"])
    >>> counter.add(Similarities("i", ("A", "B", "C"), ("p",), x))
    >>> counter.result().king
    array([0.66666667])
    """

    def __init__(
        self, metrics: Sequence[str], sets: Iterable[Sequence[str]] | None = None, *, sim: bool = True
    ) -> None:
        self.metrics = tuple(metrics)
        self.sets = tuple(tuple(own) for own in sets) if sets is not None else tuple((m,) for m in metrics)
        place = {name: number for number, name in enumerate(self.metrics)}
        self._members = [[place[name] for name in own] for own in self.sets]
        count = len(self.sets)
        self._wins = np.zeros(count, dtype=np.int64)
        self._rich = np.zeros(count, dtype=np.int64)
        self._king_undefined = np.zeros(count, dtype=bool)
        self._jack_undefined = np.zeros(count, dtype=bool)
        self._agree = np.zeros((count, count)) if sim else None
        self._triples = 0
        self._models = 0
        self._items = 0

    def add(self, item: Similarities) -> None:
        """Count one item; one with fewer than three models, or without peers, is refused."""
        models, peers = len(item.models), len(item.peers)
        if models < 3 or not peers:
            raise BadInput(
                f"item {item.item}: KING needs three references and an output, found {models} and {peers}"
            )
        known = self._known(item)
        single = _single_conditions(item.x, models)
        far = _far_apart(item.x, models)
        self._king_undefined |= ~self._of_sets(known)
        self._jack_undefined |= ~self._of_sets(known & _peers_known(item.x, models))
        packed = []
        for start in range(0, len(self.sets), BLOCK):
            block = slice(start, start + BLOCK)
            members = self._members[block]
            truth = _joined(single, members)
            self._wins[block] += _king_wins(truth, models)
            self._rich[block] += _jack_models(truth[:, models:], _joined(far, members))
            if self._agree is not None:
                packed.append(_packed(truth[:, models:].reshape(len(members), -1)))
        if self._agree is not None:
            triples = len(item.peers) * models * models * (models - 1)
            self._agree += triples - _differing(np.concatenate(packed))
            self._triples += triples
        self._models += models
        self._items += 1

    def result(self) -> QarlaResult:
        """KING, JACK and sim of everything added so far; NaN where a similarity that is needed was undefined."""
        total = self._models or np.nan
        king = np.where(self._king_undefined, np.nan, self._wins / total)
        jack = np.where(self._jack_undefined, np.nan, self._rich / total)
        sim = None
        if self._agree is not None:
            sim = self._agree / (self._triples or np.nan)
            sim[self._king_undefined, :] = sim[:, self._king_undefined] = np.nan
        options = {"items": self._items, "models": self._models, "ties": "lose", "linkage": "average"}
        return QarlaResult(self.sets, king, jack, sim, self._items, self._models, signature("qarla", options))

    def _known(self, item: Similarities) -> BoolArray:
        """Whether each metric has every similarity to a model that is needed."""
        models = len(item.models)
        needed = ~np.eye(item.x.shape[1], models, dtype=bool)
        return np.asarray(~np.isnan(item.x[:, :, :models][:, needed]).any(axis=1))

    def _of_sets(self, known: BoolArray) -> BoolArray:
        return np.array([known[own].all() for own in self._members])


def _pairs(models: int) -> tuple[IntArray, IntArray]:
    """m′ and m″ of every pair of different models, in order."""
    first, second = np.nonzero(~np.eye(models, dtype=bool))
    return first, second


def _single_conditions(x: FloatArray, models: int) -> BoolArray:
    """By metric, candidate, m and pair (m′, m″): whether the candidate is as close to m as m′ is to m″."""
    among = x[:, *_pairs(models)] - _rounding(x)[:, None]
    with np.errstate(invalid="ignore"):
        return np.asarray(x[:, :, :models, None] >= among[:, None, None, :])


def _far_apart(x: FloatArray, models: int) -> BoolArray:
    """By metric, peers a ≠ a′, and m: whether neither is closer to the other than to m."""
    between = x[:, models:, models:] - _rounding(x)[:, None, None]
    with np.errstate(invalid="ignore"):
        far = between[:, :, :, None] <= x[:, models:, None, :models]
    apart = ~np.eye(between.shape[1], dtype=bool)
    return np.asarray(far & far.transpose(0, 2, 1, 3) & apart[None, :, :, None])


def _rounding(*similarities: FloatArray) -> FloatArray:
    """By metric: similarities that differ by less are equal, such as an F of 1/3 and one of 2/6."""
    whole = np.concatenate([own.reshape(len(own), -1) for own in similarities], axis=1)
    return np.asarray(CLOSE * np.abs(np.nan_to_num(whole)).max(axis=1, initial=0.0))


def _peers_known(x: FloatArray, models: int) -> BoolArray:
    """Whether each metric has every similarity between two peers."""
    between = x[:, models:, models:]
    return np.asarray(~np.isnan(between[:, *_pairs(between.shape[1])]).any(axis=1))


def _joined(single: BoolArray, members: Sequence[Sequence[int]]) -> BoolArray:
    """By set: what holds for all its metrics."""
    if all(len(own) == 1 for own in members):
        return single[[own[0] for own in members]]
    return np.array([np.logical_and.reduce(single[list(own)]) for own in members])


def _packed(truth: BoolArray) -> npt.NDArray[np.uint64]:
    """Truth values by set, 64 to a number."""
    rows, columns = truth.shape
    bits = np.zeros((rows, -(-columns // 64) * 8), dtype=np.uint8)
    bits[:, : -(-columns // 8)] = np.packbits(truth, axis=1)
    return bits.view(np.uint64)


def _differing(packed: npt.NDArray[np.uint64]) -> IntArray:
    """By two sets: on how many triples the condition holds under one of them only."""
    found = np.zeros((len(packed), len(packed)), dtype=np.int64)
    for place, own in enumerate(packed):
        found[place, place + 1 :] = np.bitwise_count(packed[place + 1 :] ^ own).sum(axis=1)
    return found + found.T


def _king_wins(truth: BoolArray, models: int) -> IntArray:
    """By set: how many models beat every peer in QUEEN, each left out of the models in turn.

    QUEEN is compared as a number of triples, which is the same for all candidates. The numbers are whole and far below 2²⁴, so single
    precision is exact, and a product of matrices many times faster than sums of truth values.
    """
    left_out = np.arange(models)
    pairs = np.stack(_pairs(models), axis=1)
    kept = (pairs[:, :, None] != left_out).all(axis=1).astype(np.float32)
    sets, candidates = truth.shape[:2]
    single = truth.reshape(-1, len(pairs)).astype(np.float32)
    counts = (single @ kept).reshape(sets, candidates, models, models)
    counts[:, :, left_out, left_out] = 0  # nor is the left-out model an m
    queens = counts.sum(axis=2)
    own = queens[:, left_out, left_out]
    return np.asarray((own > queens[:, models:].max(axis=1)).sum(axis=1), dtype=np.int64)


def _jack_models(truth: BoolArray, far: BoolArray) -> IntArray:
    """By set: for how many models two peers of some quality are further from each other than from the model."""
    good = np.asarray(truth.any(axis=(2, 3)))
    pairs = far & good[:, :, None, None] & good[:, None, :, None]
    return np.asarray(pairs.any(axis=(1, 2)).sum(axis=1), dtype=np.int64)


def queen(item: Similarities, metrics: Sequence[int] | None = None) -> dict[str, float]:
    """QUEEN of every text of an item under a set of metrics (all by default); a model is taken out of the models first.

    NaN with fewer than two models to compare with, and where a similarity that is needed is undefined.

    >>> x = np.array([[[9, 5, 4, 2], [5, 9, 4, 1], [4, 4, 9, 1], [2, 1, 1, 9]]]) / 10
    >>> queen(Similarities("i", ("A", "B", "C"), ("p",), x))
    {'A': 1.0, 'B': 1.0, 'C': 0.0, 'p': 0.0}
    """
    x = item.x if metrics is None else item.x[list(metrics)]
    count = len(item.models)
    found = {}
    for number, name in enumerate((*item.models, *item.peers)):
        others = [model for model in range(count) if model != number]
        found[name] = queen_value(x[:, number, others], x[:, others][:, :, others])
    return found


def queen_value(to_models: FloatArray, among: FloatArray) -> float:
    """QUEEN from similarities to the models, ``[metric, model]``, and among them, ``[metric, model, model]``.

    >>> queen_value(np.array([[0.5, 0.1]]), np.array([[[1.0, 0.3], [0.4, 1.0]]]))
    0.5
    """
    models = to_models.shape[1]
    if models < 2:
        return float("nan")
    pairs = among[:, ~np.eye(models, dtype=bool)]
    if np.isnan(pairs).any() or np.isnan(to_models).any():
        return float("nan")
    pairs = pairs - _rounding(to_models, pairs)[:, None]
    holds = (to_models[:, :, None] >= pairs[:, None, :]).all(axis=0)
    return int(holds.sum()) / holds.size


def all_sets(metrics: Sequence[str], largest: int) -> list[tuple[str, ...]]:
    """Every set of at most so many metrics: what ``best_set`` tries.

    >>> all_sets(["chrf", "meteor"], 2)
    [('chrf',), ('meteor',), ('chrf', 'meteor')]
    """
    return [own for size in range(1, largest + 1) for own in combinations(metrics, size)]


def best_set(items: Iterable[Similarities], metrics: Sequence[str], largest: int = 2) -> QarlaResult:
    """KING of all sets of metrics up to a size; the whole table, best first, is ``result.table()``.

    >>> x = np.array([[[9, 5, 4, 2], [5, 9, 4, 1], [4, 4, 9, 1], [2, 1, 1, 9]]]) / 10
    >>> found = best_set([Similarities("i", ("A", "B", "C"), ("p",), x)], ["x"], largest=1)
    >>> round(float(found.table()["king"][0]), 3)
    0.667
    """
    counter = Qarla(metrics, all_sets(metrics, largest), sim=False)
    for item in items:
        counter.add(item)
    return counter.result()
