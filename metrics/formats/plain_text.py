"""Plain text: one file per system or reference, one text a line, line n of every file about the same item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Files, Format, file_name, item_order, items_file, lines_of, read_items


def read_outputs(paths: Sequence[Path], *, items: Path | None = None) -> pd.DataFrame:
    """``system, item, text``: the system is the file's name; items are numbered from 1 unless ``items`` names them."""
    return _read(paths, "system", items)[["system", "item", "text"]]


def read_references(paths: Sequence[Path], *, items: Path | None = None) -> pd.DataFrame:
    """``item, reference, text``, likewise."""
    return _read(paths, "reference", items)[["item", "reference", "text"]]


def _read(paths: Sequence[Path], what: str, items: Path | None) -> pd.DataFrame:
    ids = None if items is None else read_items(items)
    names: dict[str, Path] = {}
    parts = []
    for path in paths:
        name = path.name.removesuffix(".txt")
        if name in names:
            raise BadInput(f"expected one file per {what}, found {names[name]} too", file=str(path))
        names[name] = path
        lines = lines_of(path)
        if not lines:
            raise BadInput("expected texts, found none", file=str(path))
        if ids is None:
            ids = [str(n) for n in range(1, len(lines) + 1)]
        if len(lines) != len(ids):
            raise BadInput(f"expected {len(ids)} lines, as many as items, found {len(lines)}", file=str(path))
        parts.append(pd.DataFrame({what: name, "item": ids, "text": lines}))
    return pd.concat(parts, ignore_index=True)


def write_outputs(outputs: pd.DataFrame, *, items: Path | None = None) -> Files:
    """``SYSTEM.txt`` each; a text of several lines becomes one, joined by blanks."""
    return _write(outputs, outputs["system"], items)


def write_references(references: pd.DataFrame, *, items: Path | None = None) -> Files:
    """``REFERENCE.txt`` each, where every item has the same references; else ``reference-1.txt`` and so on."""
    names = references["reference"]
    if references.groupby("reference")["item"].nunique().min() < references["item"].nunique():
        names = "reference-" + (references.groupby("item").cumcount() + 1).astype("str")
    return _write(references, names, items)


def _write(texts: pd.DataFrame, names: pd.Series[str], items: Path | None) -> Files:
    order = item_order(texts["item"], items)
    files: Files = {}
    for name, rows in texts.groupby(names, sort=False):
        known = dict(zip(rows["item"], rows["text"], strict=True))
        missing = [item for item in order if item not in known]
        if missing:
            raise BadInput(f"expected a text of {name} for every item, found none for {missing[0]}")
        lines = [" ".join(known[item].split("\n")).replace("\r", "") for item in order]
        files[f"{file_name(str(name), 'name')}.txt"] = "".join(f"{line}\n" for line in lines)
    return {**files, **items_file(order)}


FORMAT = Format(
    "plain text, one output or reference a line",
    reads={"outputs": read_outputs, "references": read_references},
    writes={"outputs": write_outputs, "references": write_references},
)
