"""SacreROUGE's metrics (Deutsch & Roth 2020): JSON Lines, one summary a line.

``{"instance_id", "summarizer_id", "summarizer_type" (peer|reference), "metrics": {…}}``. Metrics nest; the path to a
number, joined by ``_``, is the metric's name, and a list of numbers stands for its mean, both as SacreROUGE has it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, json_lines, json_number, with_rows
from metrics.frames import check_scores
from metrics.tables import json_objects

TYPES = ("peer", "reference")
KEYS = ("instance_id", "summarizer_id", "summarizer_type")


def read_scores(paths: Sequence[Path], *, summarizers: str = "all") -> pd.DataFrame:
    """A score table; ``summarizers`` keeps only those of a type. The metrics of several files are put together."""
    if summarizers not in ("all", *TYPES):
        raise BadInput(f"expected --summarizers all, {' or '.join(TYPES)}, found {summarizers!r}")
    parts = [_read(path, summarizers) for path in paths]
    return check_scores(pd.concat(parts, ignore_index=True))


def _read(path: Path, summarizers: str) -> pd.DataFrame:
    rows: list[int] = []
    cells: list[tuple[str, str, str, float]] = []
    for row, line in json_objects(path):
        item, system, kind = (_id(line, key, path, row) for key in KEYS)
        if kind not in TYPES:
            raise BadInput(
                f"expected {' or '.join(TYPES)}, found {kind!r}", file=str(path), row=row, column=KEYS[2]
            )
        if summarizers not in ("all", kind):
            continue
        metrics = line.get("metrics")
        if not isinstance(metrics, dict):
            raise BadInput("expected an object of metrics", file=str(path), row=row, column="metrics")
        for name, score in _flat(metrics, "", path, row):
            rows.append(row)
            cells.append((name, system, item, score))
    if not cells:
        raise BadInput(
            f"expected scores{'' if summarizers == 'all' else f' of type {summarizers}'}, found none",
            file=str(path),
        )
    names = ("metric", "system", "item", "score")
    table = with_rows(rows, dict(zip(names, zip(*cells, strict=True), strict=True)))
    return check_scores(table, file=str(path))


def _id(line: Mapping[str, object], key: str, path: Path, row: int) -> str:
    value = line.get(key)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
        return str(value)
    raise BadInput("expected a text", file=str(path), row=row, column=key)


def _flat(metrics: Mapping[str, object], prefix: str, path: Path, row: int) -> Iterator[tuple[str, float]]:
    for key, value in metrics.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}_", path, row)
            continue
        numbers = [json_number(one) for one in (value if isinstance(value, list) else [value])]
        known = [number for number in numbers if number is not None]
        if not known or len(known) < len(numbers):
            raise BadInput("expected a number", file=str(path), row=row, column=name)
        yield name, known[0] if len(known) == 1 else fmean(known)


def write_scores(scores: pd.DataFrame, *, people: Sequence[str] = ()) -> str:
    """One line per item and system; ``people`` are the systems that are people. An undefined score is left out."""
    unknown = set(people) - set(scores["system"])
    if unknown:
        raise BadInput(f"expected systems of the table as --people, found {min(unknown)}")
    of_items = scores["item"] != ""
    if not of_items.any():
        raise BadInput("expected scores of items: the format has no place for system scores", column="item")
    if not of_items.all():
        warnings.warn(f"{(~of_items).sum()} system scores left out: the format has none", stacklevel=2)
    upside_down = sorted(set(scores.loc[~scores["higher_is_better"].astype(bool), "metric"]))
    if upside_down:
        warnings.warn(
            f"lower is better, which the format cannot say, of {', '.join(upside_down)}", stacklevel=2
        )
    lines = []
    for (item, system), rows in scores[of_items].groupby(["item", "system"], sort=False):
        known = rows.dropna(subset="score")
        metrics = {
            str(name): float(score) for name, score in zip(known["metric"], known["score"], strict=True)
        }
        kind = "reference" if system in people else "peer"
        lines.append({**dict(zip(KEYS, (item, system, kind), strict=True)), "metrics": metrics})
    return json_lines(lines)


FORMAT = Format(
    "metrics of SacreROUGE (JSON Lines)",
    reads={"scores": read_scores},
    writes={"scores": write_scores},
)
