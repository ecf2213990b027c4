"""Atomic content units as RoSE releases them (Liu et al. 2023): JSON Lines, one document an object.

``example_id, reference, reference_acus, system_outputs, annotations: {SYSTEM: {acu_labels, acu, normalized_acu}}``. A document
becomes the item, its units ``ID-ref/1``, ``ID-ref/2`` …; RoSE's labels are those of the crowd together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, json_lines, long_table
from metrics.frames import scored
from metrics.human.units_present import SLUG
from metrics.tables import json_objects

WHO = "rose"


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: the units' texts as rows without a system, and who has them."""
    return long_table(
        [row for one in _documents(paths) for row in _rows(*one)], paths, kind=SLUG, task="acu", assessor=WHO
    )


def read_references(paths: Sequence[Path]) -> pd.DataFrame:
    """``reference, item, text``."""
    texts = [
        (f"{name}-ref", name, _text(one.get("reference"), "reference", path, row))
        for name, one, path, row in _documents(paths)
    ]
    return pd.DataFrame(texts, columns=["reference", "item", "text"])


def read_outputs(paths: Sequence[Path]) -> pd.DataFrame:
    """``system, item, text``."""
    found = []
    for name, one, path, row in _documents(paths):
        outputs = one.get("system_outputs")
        if not isinstance(outputs, Mapping):
            raise BadInput("expected system_outputs, texts by system", file=str(path), row=row)
        found += [
            (system, name, _text(text, f"text of {system}", path, row)) for system, text in outputs.items()
        ]
    return pd.DataFrame(found, columns=["system", "item", "text"])


def _text(value: object, what: str, path: Path, row: int) -> str:
    if not isinstance(value, str):
        raise BadInput(f"expected the {what}", file=str(path), row=row)
    return value


def _documents(paths: Sequence[Path]) -> Iterator[tuple[str, Mapping[str, Any], Path, int]]:
    seen: set[str] = set()
    for path in paths:
        for row, one in json_objects(path):
            name = one.get("example_id")
            if not isinstance(name, str) or not name or name in seen:
                raise BadInput("expected an example_id of its own", file=str(path), row=row)
            seen.add(name)
            yield name, one, path, row


def _rows(name: str, one: Mapping[str, Any], path: Path, row: int) -> Iterator[dict[str, object]]:
    units = one.get("reference_acus")
    if not isinstance(units, list) or not units or not all(isinstance(unit, str) for unit in units):
        raise BadInput("expected reference_acus, the texts of units", file=str(path), row=row)
    common: dict[str, object] = {"item": name, "document": name}
    for n, text in enumerate(units, start=1):
        yield common | {"unit": f"{name}-ref/{n}", "criterion": "unit", "label": text}
    annotations = one.get("annotations")
    if not isinstance(annotations, Mapping) or not annotations:
        raise BadInput("expected annotations by system", file=str(path), row=row)
    for system, annotation in annotations.items():
        labels = annotation.get("acu_labels") if isinstance(annotation, Mapping) else None
        if (
            not isinstance(labels, list)
            or len(labels) != len(units)
            or not all(label in (0, 1) for label in labels)
        ):
            raise BadInput(
                f"expected 0 or 1 for each of {len(units)} units of {system}", file=str(path), row=row
            )
        for n, label in enumerate(labels, start=1):
            yield common | {
                "system": system,
                "unit": f"{name}-ref/{n}",
                "criterion": "present",
                "value": int(label),
            }


def write_judgments(judgments: pd.DataFrame) -> str:
    """One object a document: units with their texts where the table has them, and labels by system (of most people)."""
    rows = scored(judgments[judgments["kind"] == SLUG])
    present = rows[rows["criterion"] == "present"]
    if present.empty:
        raise BadInput("expected judgments of kind units_present")
    texts = rows[rows["criterion"] == "unit"].set_index(["item", "unit"])["label"]
    return json_lines(
        _object(str(item), of_item, texts) for item, of_item in present.groupby("item", sort=False)
    )


def _object(item: str, rows: pd.DataFrame, texts: pd.Series[str]) -> dict[str, object]:
    units = list(dict.fromkeys(rows["unit"]))
    votes = rows.groupby(["system", "unit"], sort=False)["value"].mean()
    annotations = {}
    for system in dict.fromkeys(rows["system"]):
        missing = [unit for unit in units if (system, unit) not in votes.index]
        if missing:
            raise BadInput(f"expected every unit judged for {system}, found none of {missing[0]}")
        labels = [int(votes[system, unit] > 0.5) for unit in units]
        annotations[system] = {"acu_labels": labels, "acu": sum(labels) / len(labels)}
    known = [texts.get((item, unit)) for unit in units]
    named = {} if any(text is None for text in known) else {"reference_acus": known}
    return {"example_id": item, **named, "annotations": annotations}


FORMAT = Format(
    "RoSE's atomic content units, JSON",
    reads={"judgments": read_judgments, "references": read_references, "outputs": read_outputs},
    writes={"judgments": write_judgments},
)
