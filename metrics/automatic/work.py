"""One piece of work: a few outputs scored by all metrics, in whatever process or machine it lands.

It carries names and plain strings only, so it travels light, and pandas is not needed where it is done.
"""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from metrics.automatic import registry
from metrics.automatic.base import Item, Metric, Rows
from metrics.automatic.text.prepared import Text

Sentences = tuple[str, ...]

# What is warned of is caught here to be said once by the caller; Python catches for the whole process, so
# threads of an executor take turns (their work is bound by the interpreter's lock anyway).
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Chunk:
    """Outputs that are scored together; those of one item stand side by side and share its references."""

    metrics: tuple[str, ...]
    references: tuple[tuple[Sentences, ...], ...]
    """The references of each item of the chunk."""
    corpus: tuple[dict[str, Any], ...]
    """What families need to know of the whole collection, for each item."""
    outputs: tuple[tuple[int, Sentences], ...]
    """The number of the item in this chunk, and the sentences of the output."""
    beside_references: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    """What stands beside each reference of each item; empty where nothing does."""
    beside_outputs: tuple[Mapping[str, Any], ...] = ()
    """What stands beside each output; empty where nothing does."""
    documents: tuple[tuple[tuple[Sentences, Mapping[str, Any]], ...], ...] = ()
    """The source documents of each item, each with what stands beside it; empty where there are none."""


@dataclass(frozen=True)
class Done:
    """The rows of each metric of a chunk, how each was made there, and what was warned of."""

    rows: tuple[Rows, ...]
    made: tuple[Metric, ...]
    warnings: tuple[tuple[type[Warning], str], ...]


@dataclass(frozen=True)
class Failed:
    """A fault of a metric. It is handed back as a value, so that an exception can only mean a lost worker."""

    error: Exception


def work(chunk: Chunk) -> Done | Failed:
    """Score a chunk."""
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings(record=True) as caught, _without_collection():
            warnings.simplefilter("always")
            metrics = tuple(registry.metric(name) for name in chunk.metrics)
            rows = _rows(_items(chunk), metrics)
        said = {(warning.category, str(warning.message)): None for warning in caught}
        return Done(rows, metrics, tuple(said))
    except Exception as error:
        return Failed(error)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Scoring makes many small objects and no cycles: looking for cycles among them takes up to a third of the time.

    At the end the chunk's texts, and all that was made of them, are gone already, and little is left to look at.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _items(chunk: Chunk) -> list[Item]:
    """The outputs with their references; equal texts are one object, so that each is prepared once."""
    texts: dict[Sentences, list[Text]] = {}

    def text(sentences: Sentences, beside: Mapping[str, Any]) -> Text:
        known = texts.setdefault(sentences, [])
        for own in known:
            if own.beside == beside:
                return own
        known.append(Text(sentences, beside))
        return known[-1]

    references = [
        tuple(map(text, own, beside))
        for own, beside in zip(
            chunk.references,
            chunk.beside_references or [({},) * len(own) for own in chunk.references],
            strict=True,
        )
    ]
    documents = [tuple(text(*given) for given in own) for own in chunk.documents] or [()] * len(references)
    beside_outputs = chunk.beside_outputs or ({},) * len(chunk.outputs)
    return [
        Item(text(sentences, beside), references[number], chunk.corpus[number], documents[number])
        for (number, sentences), beside in zip(chunk.outputs, beside_outputs, strict=True)
    ]


def _rows(items: Sequence[Item], metrics: Sequence[Metric]) -> tuple[Rows, ...]:
    """Each family counts once for all its metrics."""
    rows: dict[str, Rows] = {}
    for name, family in registry.families().items():
        own = [metric for metric in metrics if metric.family == name]
        if own:
            counted = family.statistics(items, own)
            rows |= {metric.name: array for metric, array in zip(own, counted, strict=True)}
    return tuple(rows[metric.name] for metric in metrics)
