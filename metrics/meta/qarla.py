"""QARLA: KING, JACK and the likeness of metrics (Amigó, Gonzalo, Peñas & Verdejo 2005).

The references of an item are *models*, outputs are *peers*; x(a, b) is the similarity of text a to text b under a metric. QUEEN of a text
is the probability, over triples of models m and m′ ≠ m″, that it is as close to m as m′ is to m″ under every metric of a set. A good set of
metrics tells models from peers and needs few: KING is the share of models that, left out of the models, beat every peer in QUEEN;
JACK is the share of models for which two peers of some quality are further from each other than from the model, so that the set of
peers is not all alike; sim is the share of triples on which two sets agree.

Decisions, where the paper leaves room: m′ and m″ differ (a text is not compared with itself); KING is strict, so that a constant metric gets 0; a
model is left out of the models it is compared with; the condition is ≥ throughout. All counts are whole numbers, so results are exact.

Items are added one by one and nothing is kept of them but counts, so that memory does not grow with their number.
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
from metrics.signature import signature

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

JOIN = "+"
"""Between the metrics of a set, in its name."""


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
        condition = self._conditions(item.x, models)
        self._count_king(condition, models, known)
        self._count_jack(item, condition, models, known)
        self._count_sim(condition[:, models:], models)
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

    def _conditions(self, x: FloatArray, models: int) -> BoolArray:
        """By set, candidate, m, m′ and m″: whether the candidate is as close to m as m′ is to m″; never for m′ = m″."""
        to_models, among = x[:, :, :models], x[:, :models, :models].copy()
        among[:, np.arange(models), np.arange(models)] = np.inf
        with np.errstate(invalid="ignore"):
            single = to_models[:, :, :, None, None] >= among[:, None, None, :, :]
        if all(len(own) == 1 for own in self._members) and len(self._members) == len(single):
            return np.asarray(single)
        return np.array([np.logical_and.reduce(single[own]) for own in self._members])

    def _of_sets(self, known: BoolArray) -> BoolArray:
        return np.array([known[own].all() for own in self._members])

    def _count_king(self, condition: BoolArray, models: int, known: BoolArray) -> None:
        """QUEEN with each model left out in turn, as a number of triples, which is the same for all candidates."""
        counts = left_out_counts(condition, models)
        own = counts[:, np.arange(models), np.arange(models)]
        rivals = counts[:, models:, :].max(axis=1)
        self._wins += (own > rivals).sum(axis=1)
        self._king_undefined |= ~self._of_sets(known)

    def _count_jack(self, item: Similarities, condition: BoolArray, models: int, known: BoolArray) -> None:
        x = item.x
        between = x[:, models:, models:]
        peers = between.shape[1]
        apart = ~np.eye(peers, dtype=bool)
        defined = known & ~np.isnan(between[:, apart]).any(axis=1)
        self._jack_undefined |= ~self._of_sets(defined)
        good = np.asarray(condition[:, models:].any(axis=(2, 3, 4)))
        with np.errstate(invalid="ignore"):
            # By metric, a, a′ and m: a is no closer to a′ than to m.
            far = between[:, :, :, None] <= x[:, models:, None, :models]
        far = far & far.transpose(0, 2, 1, 3) & apart[None, :, :, None]
        for number, own in enumerate(self._members):
            pairs = (
                np.logical_and.reduce(far[own]) & good[number][:, None, None] & good[number][None, :, None]
            )
            self._rich[number] += int(pairs.any(axis=(0, 1)).sum())

    def _count_sim(self, condition: BoolArray, models: int) -> None:
        if self._agree is None:
            return
        apart = ~np.eye(models, dtype=bool)
        flat = condition[:, :, :, apart].reshape(len(condition), -1).astype(np.float32)
        held = flat.sum(axis=1, dtype=np.float64)
        both = (flat @ flat.T).astype(np.float64)
        self._agree += flat.shape[1] - held[:, None] - held[None, :] + 2 * both
        self._triples += flat.shape[1]


def left_out_counts(condition: BoolArray, models: int) -> IntArray:
    """By set, candidate and model left out: on how many triples of the other models the condition holds."""
    cube = condition.astype(np.int32)
    firsts = cube.sum(axis=4)
    seconds = cube.sum(axis=3)
    total = firsts.sum(axis=3)
    # Triples whose m′ or m″ is the one left out; both cannot be, they differ.
    kept = total[:, :, :, None] - firsts - seconds
    everything = kept.sum(axis=2)
    diagonal = kept[:, :, np.arange(models), np.arange(models)]
    return np.asarray(everything - diagonal, dtype=np.int64)


def queen(item: Similarities, metrics: Sequence[int] | None = None) -> dict[str, float]:
    """QUEEN of every text of an item under a set of metrics (all by default); a model is taken out of the models first.

    NaN with fewer than two models to compare with, and where a similarity that is needed is undefined.
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
    holds = (to_models[:, :, None] >= pairs[:, None, :]).all(axis=0)
    return int(holds.sum()) / holds.size


def all_sets(metrics: Sequence[str], largest: int) -> list[tuple[str, ...]]:
    """Every set of at most so many metrics: what ``best_set`` tries."""
    return [own for size in range(1, largest + 1) for own in combinations(metrics, size)]


def best_set(items: Iterable[Similarities], metrics: Sequence[str], largest: int = 2) -> QarlaResult:
    """KING of all sets of metrics up to a size; the whole table, best first, is ``result.table()``."""
    counter = Qarla(metrics, all_sets(metrics, largest), sim=False)
    for item in items:
        counter.add(item)
    return counter.result()
