"""The files of SummEval: the release, or texts and ratings apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import json_number, text_of
from metrics.tables import Columns, json_object, json_objects, read_table

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
EXPERT, CROWD = "expert", "crowd"
ANNOTATIONS = {EXPERT: "expert_annotations", CROWD: "turker_annotations"}
LAYOUT = '{document: {"src", "ref_summs": […], "sys_summs": {system: {"sys_summ"}}}}'


@dataclass(frozen=True)
class Release:
    """What the files say; None where no file says it."""

    documents: pd.DataFrame | None = None  # id, text
    references: pd.DataFrame | None = None  # item, reference, text
    outputs: pd.DataFrame | None = None  # system, item, text
    ratings: pd.DataFrame | None = None  # system, item, group, rater, and the four criteria


class _Place(NamedTuple):
    file: str
    row: int

    def refused(self, expected: str, *, column: str) -> BadInput:
        return BadInput(expected, file=self.file, row=self.row, column=column)


def load(paths: Sequence[Path]) -> Release:
    """The release itself, or texts and ratings apart, told by the ending."""
    by_ending = {path.suffix: path for path in paths}
    if len(by_ending) < len(paths) or not set(by_ending) <= {".jsonl", ".json", ".csv"}:
        raise BadInput("expected the release (.jsonl), or texts (.json) and ratings (.csv)")
    if ".jsonl" in by_ending:
        if len(paths) > 1:
            raise BadInput("expected nothing beside the release", file=str(by_ending[".jsonl"]))
        return _release(by_ending[".jsonl"])
    release = _texts(by_ending[".json"]) if ".json" in by_ending else Release()
    return replace(release, ratings=_ratings(by_ending[".csv"])) if ".csv" in by_ending else release


def _release(path: Path) -> Release:
    sources: dict[str, str] = {}
    references: dict[str, list[str]] = {}
    outputs: dict[tuple[str, str], str] = {}
    ratings, unpaired = [], False
    for row, line in json_objects(path):
        place = _Place(str(path), row)
        item, system = (_text(line, key, place) for key in ("id", "model_id"))
        if (system, item) in outputs:
            raise place.refused(f"expected one line for {system} on {item}, found another", column="model_id")
        outputs[system, item] = _text(line, "decoded", place, empty=True)
        given = line.get("references")
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise place.refused("expected a list of texts", column="references")
        if references.setdefault(item, given) != given:
            raise place.refused(f"expected the same references as before for {item}", column="references")
        unpaired = unpaired or "text" not in line
        source = _text(line, "text", place) if "text" in line else ""
        if sources.setdefault(item, source) != source:
            raise place.refused(f"expected the same source as before for {item}", column="text")
        for group, key in ANNOTATIONS.items():
            for rater, values in enumerate(_annotations(line, key, place)):
                ratings.append((system, item, group, rater, *values))
    if not outputs:
        raise BadInput("expected summaries, found none", file=str(path))
    return Release(
        None if unpaired else pd.DataFrame(sources.items(), columns=["id", "text"], dtype="str"),
        _references(references.items()),
        _outputs((*key, text) for key, text in outputs.items()),
        pd.DataFrame(ratings, columns=["system", "item", "group", "rater", *CRITERIA]) if ratings else None,
    )


def _text(line: dict[str, Any], key: str, place: _Place, *, empty: bool = False) -> str:
    value = line.get(key)
    if not isinstance(value, str) or not (value or empty):
        raise place.refused("expected a text", column=key)
    return value


def _annotations(line: dict[str, Any], key: str, place: _Place) -> list[tuple[float, ...]]:
    given = line.get(key, [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise place.refused("expected a list of annotations", column=key)
    return [tuple(_rating(one, name, key, place) for name in CRITERIA) for one in given]


def _rating(annotation: dict[str, Any], name: str, key: str, place: _Place) -> float:
    value = json_number(annotation.get(name))
    if value is None or not math.isfinite(value):
        raise place.refused(f"expected a number for {name}", column=key)
    return value


def _outputs(rows: Iterable[tuple[str, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["system", "item", "text"], dtype="str")


def _references(by_item: Iterable[tuple[str, list[str]]]) -> pd.DataFrame:
    rows = [(item, f"{item}-{n}", text) for item, texts in by_item for n, text in enumerate(texts)]
    return pd.DataFrame(rows, columns=["item", "reference", "text"], dtype="str")


def _texts(path: Path) -> Release:
    by_document = json_object(text_of(path), file=str(path))
    if not by_document or not all(_fits(item, given) for item, given in by_document.items()):
        raise BadInput(f"expected {LAYOUT}", file=str(path))
    documents = [(item, given["src"]) for item, given in by_document.items()]
    return Release(
        documents=pd.DataFrame(documents, columns=["id", "text"], dtype="str"),
        references=_references((item, given["ref_summs"]) for item, given in by_document.items()),
        outputs=_outputs(
            (system, item, summary["sys_summ"])
            for item, given in by_document.items()
            for system, summary in given["sys_summs"].items()
        ),
    )


def _fits(item: str, given: Any) -> bool:
    """Whether a document is as in ``LAYOUT``; names are not empty."""
    if not item or not isinstance(given, dict) or not isinstance(given.get("src"), str):
        return False
    references, summaries = given.get("ref_summs"), given.get("sys_summs")
    if not isinstance(references, list) or not isinstance(summaries, dict):
        return False
    texts = [one.get("sys_summ") if isinstance(one, dict) else None for one in summaries.values()]
    return "" not in summaries and all(isinstance(text, str) for text in (*references, *texts))


def _ratings(path: Path) -> pd.DataFrame:
    columns = Columns(read_table(path), file=str(path))
    columns.need(("system", "doc", "group", "rater", *CRITERIA))
    group = columns.text("group", among=(EXPERT, "turker"))
    rows = pd.DataFrame(
        {
            "system": columns.text("system", needed=True),
            "item": columns.text("doc", needed=True),
            "group": group.replace("turker", CROWD),
            "rater": columns.number("rater", needed=True, lowest=0, whole=True).astype("int64"),
            **{name: columns.number(name, needed=True) for name in CRITERIA},
        }
    )
    columns.unique(("system", "item", "group", "rater"), rows)
    return rows
