"""Score a whole collection by all metrics in one call, on all cores or on any executor.

The outputs are cut into chunks of a fixed size, the same whatever runs them, and each chunk's rows depend
on its own texts alone: so the numbers are the same in one process, on all cores and on a Dask cluster.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.base import Family, Metric, Rows
from metrics.automatic.executors import Progress, work_all
from metrics.automatic.scores import Scores
from metrics.automatic.text.prepared import Text
from metrics.automatic.work import Chunk, Done, Sentences
from metrics.errors import UndefinedScoreWarning

CHUNK = 32
"""Outputs per chunk: enough for NumPy to work on whole batches, few enough to keep many cores busy."""


def score(
    outputs: pd.DataFrame,
    references: pd.DataFrame,
    *,
    metrics: Iterable[str] | None = None,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> Scores:
    """All scores of all outputs.

    ``outputs`` has ``system, item, text`` and perhaps ``sentences``; ``references`` has ``item, reference,
    text`` and perhaps ``sentences`` (:func:`metrics.frames.read_texts_outputs` and
    ``read_texts_references`` read them). ``metrics`` are names and globs, by default the default set.
    ``executor`` is any ``concurrent.futures`` executor, such as
    ``dask.distributed.Client(…).get_executor()``; without one, ``processes`` of this machine work, by
    default one per core. ``progress(done, total)`` is told of outputs scored.

    An output whose item has no reference gets NaN and a warning. A chunk whose worker is lost is tried again.
    """
    chosen = list({choice.metric.name: choice.metric for choice in registry.select(metrics)}.values())
    for metric in chosen:
        if metric.slow:
            warnings.warn(f"{metric.name} is slow: {metric.slow}", UserWarning, stacklevel=2)
    of_item = {
        str(item): [_sentences(row) for row in texts.to_dict("records")]
        for item, texts in references.groupby("item", sort=False)
    }
    order = _order(outputs, of_item)
    _warn_of_texts(outputs, of_item)
    chunks = _chunks(outputs, of_item, order, chosen)
    done = work_all(chunks, executor=executor, processes=processes, progress=progress)
    _check_alike(chosen, done)
    _warn_again(done)
    rows = {
        metric.name: _placed([part.rows[number] for part in done], order, len(outputs))
        for number, metric in enumerate(chosen)
    }
    index = outputs[["system", "item"]].astype("str").reset_index(drop=True)
    counts = [len(of_item[item]) for item in index["item"].unique() if item in of_item]
    return Scores(tuple(chosen), index, rows, (min(counts, default=0), max(counts, default=0)))


def _sentences(row: dict[Any, Any]) -> Sentences:
    """The sentences as given; a plain text is one sentence."""
    sentences = row.get("sentences")
    if isinstance(sentences, Sequence | np.ndarray) and not isinstance(sentences, str):
        return tuple(str(sentence) for sentence in sentences)
    text = row.get("text")
    return (text if isinstance(text, str) else "",)


def _order(outputs: pd.DataFrame, of_item: dict[str, list[Sentences]]) -> list[int]:
    """The numbers of the outputs that have references, outputs of one item side by side."""
    place = {item: number for number, item in enumerate(dict.fromkeys(outputs["item"].astype(str)))}
    numbered = [
        (place[item], number) for number, item in enumerate(outputs["item"].astype(str)) if item in of_item
    ]
    return [number for _, number in sorted(numbered)]


def _warn_of_texts(outputs: pd.DataFrame, of_item: dict[str, list[Sentences]]) -> None:
    without = ~outputs["item"].astype(str).isin(list(of_item))
    empty = pd.Series(
        [not any(part.strip() for part in _sentences(row)) for row in outputs.to_dict("records")],
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
    of_item: dict[str, list[Sentences]],
    order: Sequence[int],
    metrics: Sequence[Metric],
) -> list[Chunk]:
    texts = [_sentences(row) for row in outputs.to_dict("records")]
    items = outputs["item"].astype(str).tolist()
    corpus = _corpus(
        {item: of_item[item] for item in dict.fromkeys(items[number] for number in order)}, metrics
    )
    names = tuple(metric.name for metric in metrics)
    chunks = []
    for start in range(0, len(order), CHUNK):
        part = order[start : start + CHUNK]
        own = {item: number for number, item in enumerate(dict.fromkeys(items[output] for output in part))}
        chunks.append(
            Chunk(
                metrics=names,
                references=tuple(tuple(of_item[item]) for item in own),
                corpus=tuple(corpus[item] for item in own),
                outputs=tuple((own[items[output]], texts[output]) for output in part),
            )
        )
    return chunks


def _corpus(of_item: dict[str, list[Sentences]], metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """What each family wants to know of all references, by item and family."""
    known: dict[str, dict[str, Any]] = {item: {} for item in of_item}
    texts: list[list[Text]] | None = None
    for name, family in registry.families().items():
        own = [metric for metric in metrics if metric.family == name]
        if not own or type(family).corpus is Family.corpus:
            continue
        texts = texts or [[Text(sentences) for sentences in references] for references in of_item.values()]
        values = family.corpus(texts, own)
        if values is not None:
            for item, value in zip(of_item, values, strict=True):
                known[item][name] = value
    return known


def _check_alike(metrics: Sequence[Metric], done: Sequence[Done]) -> None:
    """Workers elsewhere may lack what is found here (WordNet, say); numbers made differently must not be
    mixed."""
    for part in done:
        for here, there in zip(metrics, part.made, strict=True):
            if here != there:
                raise RuntimeError(
                    f"a worker computes {here.name} as {there.options}, here it is {here.options}"
                )


def _warn_again(done: Sequence[Done]) -> None:
    """What workers warned of, said once each in this process."""
    for category, message in dict.fromkeys(said for part in done for said in part.warnings):
        warnings.warn(message, category, stacklevel=3)


def _placed(parts: Sequence[Rows], order: Sequence[int], outputs: int) -> Rows:
    """The rows at the place of their outputs, NaN for outputs that were not scored."""
    rows = np.concatenate(parts) if parts else np.empty((0, 1))
    placed = np.full((outputs, rows.shape[1]), np.nan)
    placed[list(order)] = rows
    return placed
