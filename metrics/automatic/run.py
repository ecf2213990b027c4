"""Score a whole collection by all metrics in one call, on all cores or on any executor.

The outputs are cut into chunks of a fixed size, the same whatever runs them, and each chunk's rows depend
on its own texts alone: so the numbers are the same in one process, on all cores and on a Dask cluster.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.base import Family, Metric, Rows
from metrics.automatic.executors import Progress, work_all
from metrics.automatic.materials import INSTALL, Given, Materials, given_sentences, materials
from metrics.automatic.scores import Scores
from metrics.automatic.text.prepared import Text
from metrics.automatic.work import Chunk, Done
from metrics.errors import UndefinedScoreWarning

CHUNK = 32
"""Outputs per chunk: enough for NumPy to work on whole batches, few enough to keep many cores busy."""


def score(
    outputs: pd.DataFrame,
    references: pd.DataFrame,
    *,
    metrics: Iterable[str] | None = None,
    documents: pd.DataFrame | None = None,
    corpus: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """All scores of all outputs.

    ``outputs`` has ``system, item, text`` and perhaps ``sentences``; ``references`` has ``item, reference,
    text`` and perhaps ``sentences`` (:func:`metrics.frames.read_texts_outputs` and
    ``read_texts_references`` read them); both may have ``conllu`` or ``trees``, a parse of each text, and
    references a ``status``. ``metrics`` are names and globs, by default the default set. ``documents`` has
    ``item, text``, the sources of an item. ``corpus`` gives, by family name, what the family would else
    find out from all references (POURPRE's document frequencies).
    ``executor`` is any ``concurrent.futures`` executor, such as
    ``dask.distributed.Client(…).get_executor()``; without one, ``processes`` of this machine work, by
    default one per core. ``progress(done, total)`` is told of outputs scored.

    An output whose item has no reference gets NaN and a warning. A chunk whose worker is lost is tried again.
    """
    chosen = list({choice.metric.name: choice.metric for choice in registry.select(metrics)}.values())
    for metric in chosen:
        if metric.slow:
            warnings.warn(f"{metric.name} is slow: {metric.slow}", UserWarning, stacklevel=2)
    needs = [need for metric in chosen for need in metric.needs]
    texts = materials(outputs, references, documents=documents, needs=needs)
    able = computable(chosen, texts)
    order = _order(outputs, texts.references)
    _warn_of_texts(outputs, texts.references)
    chunks = _chunks(outputs, texts, order, able, corpus or {})
    done = work_all(chunks, executor=executor, processes=processes, progress=progress)
    check_alike(able, done)
    warn_again(done)
    rows = {
        metric.name: _placed([part.rows[number] for part in done], order, len(outputs))
        for number, metric in enumerate(able)
    }
    rows |= {metric.name: np.full((len(outputs), 1), np.nan) for metric in chosen if metric.name not in rows}
    index = outputs[["system", "item"]].astype("str").reset_index(drop=True)
    counts = [len(texts.references[item]) for item in index["item"].unique() if item in texts.references]
    made = tuple(with_parser(metric, texts) for metric in chosen)
    return Scores(made, index, rows, (min(counts, default=0), max(counts, default=0)))


def computable(metrics: Sequence[Metric], texts: Materials) -> list[Metric]:
    """The metrics whose parses are there; of the others it is said once, and in one line, what is missing."""
    for need, what_to_do in INSTALL.items():
        without = [metric.name for metric in metrics if need in metric.needs and need not in texts.parsers]
        if without:
            names = ", ".join(without[:3]) + (f" and {len(without) - 3} more" if len(without) > 3 else "")
            warnings.warn(
                f"no {need} for these texts, {names} undefined: {what_to_do}",
                UndefinedScoreWarning,
                stacklevel=3,
            )
    return [metric for metric in metrics if all(need in texts.parsers for need in metric.needs)]


def with_parser(metric: Metric, texts: Materials) -> Metric:
    """The metric with what parsed its texts among its options: other parses give other scores."""
    how = [("parser", texts.parsers.get(need, "none")) for need in metric.needs]
    return dataclasses.replace(metric, options=(*metric.options, *how)) if how else metric


def _order(outputs: pd.DataFrame, of_item: dict[str, list[Given]]) -> list[int]:
    """The numbers of the outputs that have references, outputs of one item side by side."""
    place = {item: number for number, item in enumerate(dict.fromkeys(outputs["item"].astype(str)))}
    numbered = [
        (place[item], number) for number, item in enumerate(outputs["item"].astype(str)) if item in of_item
    ]
    return [number for _, number in sorted(numbered)]


def _warn_of_texts(outputs: pd.DataFrame, of_item: dict[str, list[Given]]) -> None:
    without = ~outputs["item"].astype(str).isin(list(of_item))
    empty = pd.Series(
        [not any(part.strip() for part in given_sentences(row)) for row in outputs.to_dict("records")],
        index=outputs.index,
        dtype="bool",
    )
    for found, what in (
        (without, "no reference: scores are NaN"),
        (empty, "an empty text: each metric gives its value for no match, or NaN"),
    ):
        if found.any():
            first = outputs[found].iloc[0]
            warnings.warn(
                f"{int(found.sum())} of {len(outputs)} outputs have {what} "
                f"(first: system {first['system']}, item {first['item']})",
                UndefinedScoreWarning,
                stacklevel=3,
            )


def _chunks(
    outputs: pd.DataFrame,
    texts: Materials,
    order: Sequence[int],
    metrics: Sequence[Metric],
    known: Mapping[str, Any],
) -> list[Chunk]:
    items = outputs["item"].astype(str).tolist()
    of_item = {item: texts.references[item] for item in dict.fromkeys(items[number] for number in order)}
    corpus = corpus_of(of_item, metrics, known)
    names = tuple(metric.name for metric in metrics)
    chunks = []
    for start in range(0, len(order), CHUNK):
        part = order[start : start + CHUNK]
        own = {item: number for number, item in enumerate(dict.fromkeys(items[output] for output in part))}
        chunks.append(
            chunk_of(
                names,
                [of_item[item] for item in own],
                [(own[items[output]], texts.outputs[output]) for output in part],
                corpus=[corpus[item] for item in own],
                documents=[texts.documents.get(item, []) for item in own],
            )
        )
    return chunks


def chunk_of(
    metrics: tuple[str, ...],
    references: Sequence[Sequence[Given]],
    outputs: Sequence[tuple[int, Given]],
    *,
    corpus: Sequence[dict[str, Any]],
    documents: Sequence[Sequence[Given]],
) -> Chunk:
    """A chunk of these texts; what stands beside none of them is left away."""
    beside = any(given.beside for own in references for given in own) or any(g.beside for _, g in outputs)
    return Chunk(
        metrics=metrics,
        references=tuple(tuple(given.sentences for given in own) for own in references),
        corpus=tuple(corpus),
        outputs=tuple((number, given.sentences) for number, given in outputs),
        beside_references=tuple(tuple(g.beside for g in own) for own in references) if beside else (),
        beside_outputs=tuple(given.beside for _, given in outputs) if beside else (),
        documents=tuple(tuple((g.sentences, g.beside) for g in own) for own in documents)
        if any(documents)
        else (),
    )


def corpus_of(
    of_item: Mapping[Any, Sequence[Given]], metrics: Sequence[Metric], given: Mapping[str, Any]
) -> dict[Any, dict[str, Any]]:
    """What each family wants to know of all references, by item and family; what is given need not be found out."""
    known: dict[Any, dict[str, Any]] = {item: dict(given) for item in of_item}
    texts: list[list[Text]] | None = None
    for name, family in registry.families().items():
        own = [metric for metric in metrics if metric.family == name]
        if not own or name in given or type(family).corpus is Family.corpus:
            continue
        texts = texts or [[Text(*text) for text in references] for references in of_item.values()]
        values = family.corpus(texts, own)
        if values is not None:
            for item, value in zip(of_item, values, strict=True):
                known[item][name] = value
    return known


def check_alike(metrics: Sequence[Metric], done: Sequence[Done]) -> None:
    """Workers elsewhere may lack what is found here (WordNet, say); numbers made differently must not be
    mixed."""
    for part in done:
        for here, there in zip(metrics, part.made, strict=True):
            if here != there:
                raise RuntimeError(
                    f"a worker computes {here.name} as {there.options}, here it is {here.options}"
                )


def warn_again(done: Sequence[Done]) -> None:
    """What workers warned of, said once each in this process."""
    for category, message in dict.fromkeys(said for part in done for said in part.warnings):
        warnings.warn(message, category, stacklevel=3)


def _placed(parts: Sequence[Rows], order: Sequence[int], outputs: int) -> Rows:
    """The rows at the place of their outputs, NaN for outputs that were not scored."""
    rows = np.concatenate(parts) if parts else np.empty((0, 1))
    placed = np.full((outputs, rows.shape[1]), np.nan)
    placed[list(order)] = rows
    return placed
