"""What Pearmut writes down (Zouhar 2025): JSON Lines, a document a line, with the texts; read only.

``item`` is the list of segments ``{item_id, src, tgt: {model: text}}``, ``annotation`` the list of ``{model: {score, error_spans}}``, one for
each, ``user_id`` who judged, ``actions`` with times what they did. Spans count UTF-16, ends are inclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, json_number
from metrics.formats.esa import error_of
from metrics.formats.spans import Rated, span_judgments
from metrics.human.spans.weights import weight_table
from metrics.tables import json_objects

TASK = "pearmut"
WEIGHTS = "major=5,minor=1,neutral=0,undecided=0"


def read_judgments(paths: Sequence[Path], *, error_weights: str = WEIGHTS) -> pd.DataFrame:
    """The long table: item = the segment; of several lines about one segment by one person the last counts."""
    table = weight_table(error_weights)
    newest: dict[tuple[str, str, str], Rated] = {}
    texts: dict[tuple[str, str, str], str] = {}
    for path in paths:
        for row, line in json_objects(path):
            try:
                for segment, about in _segments(line):
                    for model, judged in _models(segment["annotation"]):
                        text = _text(segment, model)
                        # Tutorials and attention checks are each person's own, and called alike (Pearmut's examples do so).
                        whose = about["assessor"] if segment.get("validation") else ""
                        if texts.setdefault((whose, model, about["item"]), text) != text:
                            # Of two segments under one id, the judgments of one would be lost.
                            raise BadInput(
                                f"expected one text of {model} on {about['item']}, found another: segments need ids of their own"
                            )
                        spans = judged.get("error_spans") or []
                        if not isinstance(spans, list) or not all(isinstance(one, dict) for one in spans):
                            raise BadInput("expected error_spans as a list of objects")
                        errors = [error_of(one, one.get("category"), table, text) for one in spans]
                        score = judged.get("score")
                        value = None if score is None else json_number(score)
                        if score is not None and value is None:
                            raise BadInput(f"expected a number as score, found {score!r}")
                        key = (about["assessor"], model, about["item"])
                        newest.pop(key, None)
                        newest[key] = Rated(about | {"system": model}, errors=errors, score=value)
            except BadInput as problem:
                raise BadInput(str(problem), file=str(path), row=row) from problem
    return span_judgments(newest.values(), paths)


def _segments(line: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each segment of a line with its annotation, and what its rows have in common."""
    items, annotations = line.get("item"), line.get("annotation")
    if isinstance(annotations, dict):
        annotations = [annotations]
    if not isinstance(items, list) or not isinstance(annotations, list) or len(items) != len(annotations):
        raise BadInput("expected item and annotation, lists with one entry for each segment")
    user = line.get("user_id")
    if not isinstance(user, str) or not user:
        raise BadInput("expected user_id, the name of who judged")
    names = []
    for place, segment in enumerate(items):
        if not isinstance(segment, dict) or not isinstance(segment.get("tgt"), dict | str):
            raise BadInput("expected a segment with its texts (tgt)")
        names.append(str(segment.get("item_id", f"{line.get('item_i', 0)}.{place + 1}")))
    common = {"study": "", "task": TASK, "assessor": user, "document": names[0] if names else ""}
    for name, segment, annotation in zip(names, items, annotations, strict=True):
        yield segment | {"annotation": annotation}, common | {"item": name} | _times(line)


def _models(annotation: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(annotation, dict):
        raise BadInput("expected an annotation {model: {score, error_spans}}")
    for model, judged in annotation.items():
        if not model or not isinstance(judged, dict):
            raise BadInput("expected an annotation {model: {score, error_spans}}")
        yield model, judged


def _text(segment: Mapping[str, Any], model: str) -> str:
    texts = segment["tgt"]
    text = texts.get(model) if isinstance(texts, dict) else texts
    if not isinstance(text, str):
        raise BadInput(f"expected the text of {model}")
    return text


def _times(line: Mapping[str, Any]) -> dict[str, Any]:
    """First and last action, where the line has any."""
    actions = line.get("actions")
    times = [
        action["time"]
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict) and isinstance(action.get("time"), int | float)
    ]
    if not times or not all(0 <= time < 1e11 for time in times):
        return {}
    first, last = (pd.Timestamp(round(time * 1e6), unit="us", tz="UTC") for time in (min(times), max(times)))
    return {"shown_at": first, "submitted_at": last, "seconds": (last - first).total_seconds()}


def read_outputs(paths: Sequence[Path]) -> pd.DataFrame:
    """``system, item, text``."""
    found: dict[tuple[str, str], str] = {}
    for path in paths:
        for row, line in json_objects(path):
            try:
                for segment, about in _segments(line):
                    for model, _ in _models(segment["annotation"]):
                        found.setdefault((model, about["item"]), _text(segment, model))
            except BadInput as problem:
                raise BadInput(str(problem), file=str(path), row=row) from problem
    return pd.DataFrame([(*key, text) for key, text in found.items()], columns=["system", "item", "text"])


def read_documents(paths: Sequence[Path]) -> pd.DataFrame:
    """``id, text``: the source of each segment."""
    found: dict[str, str] = {}
    for path in paths:
        for row, line in json_objects(path):
            try:
                for segment, about in _segments(line):
                    found.setdefault(about["item"], str(segment.get("src", "")))
            except BadInput as problem:
                raise BadInput(str(problem), file=str(path), row=row) from problem
    return pd.DataFrame(list(found.items()), columns=["id", "text"])


FORMAT = Format(
    "what Pearmut writes down (JSON Lines)",
    reads={"judgments": read_judgments, "outputs": read_outputs, "documents": read_documents},
)
