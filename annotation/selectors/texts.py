"""The texts and scores of a study as rows for ``metrics``: what its study file holds, read by the same rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.models import Output, Reference, Study

CHUNK = 1000


def output_rows(study: Study) -> Iterator[dict[str, Any]]:
    """``system, item, text, sentences``."""
    for output, system in named_outputs(study):
        yield {"system": system, "item": output.item_key, **_text(output)}


def named_outputs(study: Study) -> Iterator[tuple[Output, str]]:
    """Outputs with the system that tables name: one that answers an item twice, by surrogates of two kinds, is two."""
    rows = study.outputs.select_related("system", "document", "topic").order_by("pk")
    seen: set[tuple[str, str]] = set()
    for output in rows.iterator(CHUNK):
        place = (output.system.key, output.item_key)
        yield output, f"{place[0]}/{output.kind}" if place in seen else place[0]
        seen.add(place)


def reference_rows(study: Study) -> Iterator[dict[str, Any]]:
    """``item, reference, text, sentences``."""
    for reference in study.references.select_related("document", "topic").order_by("pk").iterator(CHUNK):
        yield {"item": reference.item_key, "reference": reference.key, **_text(reference)}


def score_rows(study: Study) -> Iterator[dict[str, Any]]:
    """Scores that were computed elsewhere: ``metric, system, item, score, higher_is_better``."""
    names = ("metric", "system", "item", "score", "higher_is_better")
    yield from study.metricscores.order_by("pk").values(*names).iterator(CHUNK)


def _text(text: Output | Reference) -> dict[str, Any]:
    """Sentences only where they were given: ``python -m metrics`` on the exported files then gives the same numbers."""
    if text.units_given:
        return {"text": " ".join(text.units), "sentences": list(text.units)}
    return {"text": text.text, "sentences": None}
