"""Long tables of a report lie in its folder once, as Parquet: not again as CSV or LaTeX, and not again in ``report.json``.

In ``report.json`` the name of the file stands in place of their rows; :func:`read_report` puts them back, and then everything is
there that ``build_report`` gave. CSV and LaTeX are made when somebody asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from metrics.errors import BadInput
from metrics.report.book import SIGNATURE, Table, json_table, with_signature
from metrics.report.latex import latex_tables
from metrics.tables import csv_text

LONGEST = 100
"""Rows up to which a table is CSV, for people to look at, and part of ``report.json``."""

JSON = "report.json"
FILE = "file"
IN_META = {"correlations": "correlations", "summary": "metrics", "prediction": "prediction", "rouge": "rouge"}
"""Which table of the folder, less the name of the human score, a part of ``meta`` is."""


def long_tables(tables: Collection[Table]) -> set[str]:
    """Names of the tables that are stored as Parquet."""
    return {table.name for table in tables if len(table.frame) > LONGEST}


def write_tables(tables: Collection[Table], data: dict[str, Any], folder: Path) -> None:
    """Each table once, into ``folder``."""
    long = long_tables(tables)
    williams = {f"williams-{section['slug']}": section["williams"] for section in data["meta"]}
    for table in tables:
        if table.name not in long:
            (folder / f"{table.name}.csv").write_text(csv_text(table.frame), encoding="utf-8", newline="")
            continue
        frame = _pairs(williams[table.name]) if table.name in williams else table.frame
        # No metadata: the same table is the same bytes, whichever version of pandas made it.
        arrow = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        parquet.write_table(arrow, folder / f"{table.name}.parquet", compression="zstd", compression_level=15)


def slim(data: dict[str, Any], long: Collection[str]) -> dict[str, Any]:
    """What ``report.json`` in the folder holds: names of files in place of the rows of long tables."""
    meta = []
    for section in data["meta"]:
        kept = dict(section)
        for part, table in IN_META.items():
            kept[part] = _elsewhere(section[part], f"{table}-{section['slug']}", long)
        if section["williams"] and f"williams-{section['slug']}" in long:
            kept["williams"] = section["williams"] | {"pvalue": {FILE: _file(f"williams-{section['slug']}")}}
        meta.append(kept)
    return data | {"metrics": _elsewhere(data["metrics"], "metrics", long), "meta": meta}


def read_report(folder: str | Path) -> dict[str, Any]:
    """The whole of a report that :func:`~metrics.report.write.write_report` wrote, as ``Report.data`` was.

    What it gives can be drawn (``render_figure``), printed and taken apart (``records``).
    """
    place = Path(folder)
    try:
        data: dict[str, Any] = json.loads((place / JSON).read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        raise BadInput(f"expected the folder of a report: it has no {JSON}", file=str(folder)) from problem
    except ValueError as problem:
        raise BadInput("expected JSON", file=str(place / JSON)) from problem
    keys = {line: key for key, line in data.get("signatures", {}).items()}
    if "metrics" in data:
        data["metrics"] = _filled(data["metrics"], place, keys)
    for section in data.get("meta", ()):
        for part in IN_META:
            section[part] = _filled(section.get(part), place, keys)
        williams = section.get("williams")
        if williams and isinstance(williams["pvalue"], dict):
            values = _stored(place, williams["pvalue"])["pvalue"].to_numpy(dtype=np.float64)
            williams["pvalue"] = _triangle(values, len(williams["metrics"]))
    return data


def stored_tables(folder: str | Path, data: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Tables that are stored as Parquet, and the forms in which they can be had beside it."""
    long = {file.stem for file in Path(folder).glob("tables/*.parquet")}
    return {
        table["name"]: ("csv", "tex") if table["tex"] else ("csv",)
        for table in data.get("tables", ())
        if table["name"] in long
    }


def stored_table(folder: str | Path, name: str, form: str, data: dict[str, Any]) -> str:
    """A table that is stored as Parquet, as CSV or for LaTeX; ``data`` is the whole report."""
    if form == "tex":
        return latex_tables(data, only=[name])[name]
    williams = _williams_of(name, data)
    return csv_text(_stored(Path(folder), {FILE: _file(name)}) if williams is None else williams)


def _file(name: str) -> str:
    return f"tables/{name}.parquet"


def _elsewhere(table: dict[str, Any] | None, name: str, long: Collection[str]) -> dict[str, Any] | None:
    return {"columns": table["columns"], FILE: _file(name)} if table and name in long else table


def _filled(table: dict[str, Any] | None, place: Path, keys: dict[str, str]) -> dict[str, Any] | None:
    if not table or FILE not in table:
        return table
    frame = _stored(place, table)
    return json_table(frame.assign(signature=frame[SIGNATURE].map(keys)))


def _stored(place: Path, table: dict[str, Any]) -> pd.DataFrame:
    file = place / table[FILE]
    try:
        frame: pd.DataFrame = parquet.read_table(file).to_pandas()
    except (OSError, pa.ArrowInvalid) as problem:
        raise BadInput("a table of the report cannot be read", file=str(file)) from problem
    return frame


def _pairs(williams: dict[str, Any]) -> pd.DataFrame:
    """Williams tests of all pairs, each once: the metric that correlates higher first."""
    names = pd.Index(williams["metrics"], dtype="str")
    first, second = np.triu_indices(len(names), 1)
    values = [value for row in williams["pvalue"] for value in row]
    return pd.DataFrame(
        {
            "metric_a": names[first],
            "metric_b": names[second],
            "pvalue": np.array(values, dtype=np.float64),
        }
    )


def _triangle(values: np.ndarray[Any, np.dtype[np.float64]], size: int) -> list[list[float | None]]:
    plain = [None if np.isnan(value) else value for value in values.tolist()]
    ends = np.cumsum([0, *range(size - 1, -1, -1)])
    return [plain[start:end] for start, end in pairwise(ends)]


def _williams_of(name: str, data: dict[str, Any]) -> pd.DataFrame | None:
    """The table of Williams tests of this name, every metric against every other; None where it is another table."""
    found = (one["williams"] for one in data["meta"] if one["williams"] and name == f"williams-{one['slug']}")
    williams = next(found, None)
    if williams is None:
        return None
    names = williams["metrics"]
    matrix = np.full((len(names), len(names)), np.nan)
    upper = np.triu_indices(len(names), 1)
    matrix[upper] = [np.nan if value is None else value for row in williams["pvalue"] for value in row]
    matrix.T[upper] = np.where(matrix[upper] == 1, 1.0, np.round(1 - matrix[upper], 15))
    frame = pd.concat(
        [pd.Series(names, name="metric", dtype="str"), pd.DataFrame(matrix, columns=names)], axis="columns"
    )
    return with_signature(frame, data["signatures"][williams["signature"]])
