"""Atomic content units as RoSE releases them (Liu et al. 2023): JSON Lines, one document an object.

``example_id, reference, reference_acus, system_outputs, annotations: {SYSTEM: {acu_labels, acu, normalized_acu}}``. A document
becomes the item, its units ``ID-ref/1``, ``ID-ref/2`` …; RoSE's labels are those of the crowd together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import (
    Format,
    further_cells,
    json_lines,
    json_number,
    long_table,
    refuse_several_tasks,
)
from metrics.frames import read_attributes, read_texts_outputs, read_texts_references, scored
from metrics.human.base import number_attribute
from metrics.human.units_present import SLUG, normalized
from metrics.tables import json_objects

WHO = "rose"
NORMALIZED = "normalized_acu"
"""In the file, and the further column that keeps it."""
TOKENS = "treebank_tokens"


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
        further = _normalized(annotation, system, path, row)
        for n, label in enumerate(labels, start=1):
            yield (
                common
                | further
                | {
                    "system": system,
                    "unit": f"{name}-ref/{n}",
                    "criterion": "present",
                    "value": int(label),
                }
            )


def _normalized(annotation: Mapping[str, Any], system: str, path: Path, row: int) -> dict[str, object]:
    if NORMALIZED not in annotation:
        return {}
    value = json_number(annotation[NORMALIZED])
    if value is None or not math.isfinite(value):
        raise BadInput(f"expected a number as {NORMALIZED} of {system}", file=str(path), row=row)
    return {NORMALIZED: repr(value)}


def write_judgments(
    judgments: pd.DataFrame,
    *,
    references: Path | None = None,
    outputs: Path | None = None,
    attributes: Path | None = None,
) -> str:
    """One object a document: units with their texts where the table has them, and labels by system (of most people).

    Texts stand in it where files of ``references`` and ``outputs`` give them; ``normalized_acu`` where the table came from such a
    file, or ``attributes`` of an export have the lengths.
    """
    rows = scored(judgments[judgments["kind"] == SLUG])
    present = rows[rows["criterion"] == "present"]
    if present.empty:
        raise BadInput("expected judgments of kind units_present")
    refuse_several_tasks(rows)
    units = rows[rows["criterion"] == "unit"].set_index(["item", "unit"])["label"]
    if not units.index.is_unique:
        item = units.index[units.index.duplicated()][0][0]
        raise BadInput(f"expected one list of units of {item}, found those of several people")
    lengths = _lengths(attributes)
    models = {} if references is None else _texts(read_texts_references(references), ["reference"])
    written = {} if outputs is None else _texts(read_texts_outputs(outputs), ["item", "system"])
    return json_lines(
        _with_texts(_object(str(item), of_item, units, lengths), str(item), of_item, models, written)
        for item, of_item in present.groupby("item", sort=False)
    )


def _texts(frame: pd.DataFrame, key: list[str]) -> dict[tuple[str, ...], str]:
    names = frame[key].itertuples(index=False, name=None)
    return {tuple(map(str, name)): str(text) for name, text in zip(names, frame["text"], strict=True)}


def _lengths(path: Path | None) -> dict[tuple[str, str], float]:
    """Word tokens by scope and id."""
    known = None if path is None else read_attributes(path)
    return {
        (scope, str(name)): float(value)
        for scope in ("output", "reference")
        for name, value in number_attribute(known, scope, TOKENS).items()
    }


def _with_texts(
    found: dict[str, object],
    item: str,
    rows: pd.DataFrame,
    models: Mapping[tuple[str, ...], str],
    written: Mapping[tuple[str, ...], str],
) -> dict[str, object]:
    reference = _reference(rows)
    if (reference,) in models:
        found["reference"] = models[(reference,)]
    own = {
        system: written[item, system] for system in dict.fromkeys(rows["system"]) if (item, system) in written
    }
    if own:
        found["system_outputs"] = own
    order = ("example_id", "reference", "reference_acus", "system_outputs", "annotations")
    return {name: found[name] for name in order if name in found}


def _reference(rows: pd.DataFrame) -> str:
    return str(rows["unit"].iloc[0]).rpartition("/")[0]


def _object(
    item: str, rows: pd.DataFrame, texts: pd.Series[str], lengths: Mapping[tuple[str, str], float]
) -> dict[str, object]:
    units = list(dict.fromkeys(rows["unit"]))
    if len({unit.rpartition("/")[0] for unit in units}) > 1:
        raise BadInput(f"expected one reference of {item}, which is all the format has, found several")
    votes = rows.groupby(["system", "unit"], sort=False)["value"].mean()
    as_read = dict(zip(rows["system"], further_cells(rows, NORMALIZED), strict=True))
    annotations = {}
    for system in dict.fromkeys(rows["system"]):
        missing = [unit for unit in units if (system, unit) not in votes.index]
        if missing:
            raise BadInput(f"expected every unit judged for {system}, found none of {missing[0]}")
        labels = [int(votes[system, unit] > 0.5) for unit in units]
        share = sum(labels) / len(labels)
        annotations[system] = {"acu_labels": labels, "acu": share}
        tokens = [lengths.get(("output", f"{system}/{item}")), lengths.get(("reference", _reference(rows)))]
        if as_read[system]:
            annotations[system][NORMALIZED] = float(as_read[system])
        elif None not in tokens:
            own, of_reference = (pd.Series([number], dtype="float64") for number in tokens)
            annotations[system][NORMALIZED] = float(normalized(pd.Series([share]), own, of_reference).iloc[0])
    known = [texts.get((item, unit)) for unit in units]
    named = {} if any(text is None for text in known) else {"reference_acus": known}
    return {"example_id": item, **named, "annotations": annotations}


FORMAT = Format(
    "RoSE's atomic content units, JSON",
    reads={"judgments": read_judgments, "references": read_references, "outputs": read_outputs},
    writes={"judgments": write_judgments},
)
