"""Scores of texts against single texts and against the other references: what judges metrics without people.

:func:`similarities` scores every text of an item, references and outputs, with every other as its only reference (for QARLA);
:func:`left_out_scores` scores each reference and all outputs against the other references (for ORANGE). Items come one by one, as they
are done, so that memory does not grow with their number. Lower-is-better metrics are negated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.base import Metric
from metrics.automatic.executors import Progress, work_each
from metrics.automatic.materials import INSTALL, Given, Materials, materials
from metrics.automatic.run import check_alike, chunk_of, computable, corpus_of, warn_again, with_parser
from metrics.automatic.work import Chunk, Done
from metrics.errors import BadInput
from metrics.meta.orange import LeftOut
from metrics.meta.qarla import Similarities

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Collection:
    """The items that have outputs and enough references, and the metrics that can be computed for them."""

    metrics: tuple[Metric, ...]
    items: tuple[tuple[str, list[Given], dict[str, Given], list[Given]], ...]
    """Of each item its references, its outputs by system, and its source documents."""
    models: Mapping[str, tuple[str, ...]]
    """The names of the references of an item."""

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.metrics]

    @property
    def signatures(self) -> dict[str, str]:
        """How each metric is computed."""
        return {metric.name: metric.signature(level="item") for metric in self.metrics}


def collect(
    outputs: pd.DataFrame,
    references: pd.DataFrame,
    metrics: Iterable[str] | None = None,
    *,
    documents: pd.DataFrame | None = None,
    least_references: int,
) -> Collection:
    """The texts and metrics of a run; no item with enough references is bad input."""
    chosen = list({choice.metric.name: choice.metric for choice in registry.select(metrics)}.values())
    needs = [need for metric in chosen for need in metric.needs]
    texts = materials(outputs, references, documents=documents, needs=needs)
    missing = [need for need in dict.fromkeys(needs) if need not in texts.parsers]
    if all(set(missing) & set(metric.needs) for metric in chosen):
        raise BadInput(f"no {missing[0]} for these texts, and so no metric to compare: {INSTALL[missing[0]]}")
    able = computable(chosen, texts)
    items = _items(outputs, texts, least_references)
    if not items:
        raise BadInput(f"no item has {least_references} references: nothing to compare")
    named = references.groupby("item", sort=False)["reference"]
    models = {str(item): tuple(map(str, own)) for item, own in named}
    return Collection(tuple(with_parser(metric, texts) for metric in able), tuple(items), models)


def _items(
    outputs: pd.DataFrame, texts: Materials, least: int
) -> list[tuple[str, list[Given], dict[str, Given], list[Given]]]:
    peers: dict[str, dict[str, Given]] = {}
    for number, (system, item) in enumerate(zip(outputs["system"], outputs["item"], strict=True)):
        peers.setdefault(str(item), {})[str(system)] = texts.outputs[number]
    return [
        (item, texts.references[item], own, texts.documents.get(item, []))
        for item, own in peers.items()
        if len(texts.references.get(item, ())) >= least
    ]


def similarities(
    found: Collection,
    *,
    peers_among: bool = True,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Similarities]:
    """Every item's similarities; ``peers_among`` also between outputs, which only JACK needs."""
    targets = {
        (item, number): [text]
        for item, models, peers, _ in found.items
        for number, text in enumerate([*models, *(peers.values() if peers_among else ())])
    }
    corpus = corpus_of(targets, _plain(found), {})
    chunks = []
    for item, models, peers, documents in found.items:
        texts = [*models, *peers.values()]
        own = [(item, n) for n in range(len(texts)) if (item, n) in targets]
        # The terms of TVM are those of the source, or else of all models, not of the one text compared with.
        source = documents or models
        chunks.append(
            chunk_of(
                tuple(found.names),
                [targets[key] for key in own],
                [(target, text) for target in range(len(own)) for n, text in enumerate(texts) if n != target],
                corpus=[corpus[key] for key in own],
                documents=[source] * len(own),
            )
        )
    for number, done in _worked(chunks, found, executor, processes, progress):
        item, models, peers, _ = found.items[number]
        size = len(models) + len(peers)
        x = np.full((len(found.metrics), size, size), np.nan)
        compared = size if peers_among else len(models)
        for target in range(compared):
            candidates = [n for n in range(size) if n != target]
            x[:, candidates, target] = done[:, target * (size - 1) : (target + 1) * (size - 1)]
        yield Similarities(item, found.models[item], tuple(peers), x)


def left_out_scores(
    found: Collection,
    *,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> Iterator[LeftOut]:
    """Every item's scores with each reference left out in turn: of that reference, then of the outputs."""
    others = {
        (item, left): [text for number, text in enumerate(models) if number != left]
        for item, models, _, _ in found.items
        for left in range(len(models))
    }
    corpus = corpus_of(others, _plain(found), {})
    chunks = []
    for item, models, peers, documents in found.items:
        own = [(item, left) for left in range(len(models))]
        chunks.append(
            chunk_of(
                tuple(found.names),
                [others[key] for key in own],
                [(left, text) for left in range(len(own)) for text in (models[left], *peers.values())],
                corpus=[corpus[key] for key in own],
                documents=[documents] * len(own),
            )
        )
    for number, done in _worked(chunks, found, executor, processes, progress):
        item, models, peers, _ = found.items[number]
        yield LeftOut(item, done.reshape(len(found.metrics), len(models), 1 + len(peers)))


def _plain(found: Collection) -> list[Metric]:
    return [registry.metric(name) for name in found.names]


def _worked(
    chunks: Sequence[Chunk],
    found: Collection,
    executor: Executor | None,
    processes: int | None,
    progress: Progress | None,
) -> Iterator[tuple[int, FloatArray]]:
    """The number of each item and its scores by metric, higher is better, as they are done."""
    plain = _plain(found)
    for number, done in work_each(chunks, executor=executor, processes=processes, progress=progress):
        check_alike(plain, [done])
        warn_again([done])
        yield number, np.array([_scores(metric, done, place) for place, metric in enumerate(plain)])


def _scores(metric: Metric, done: Done, place: int) -> FloatArray:
    rows = done.rows[place]
    scores = np.full(len(rows), np.nan)
    present = ~np.isnan(rows).any(axis=1)
    if present.any():
        scores[present] = registry.families()[metric.family].score(metric, rows[present])
    return scores if metric.higher_is_better else -scores
