"""Ratings with error spans of mt-metrics-eval (its ``ratings.py``): ``SRC-TGT.NAME.seg.rating``.

Lines ``SYSTEM<TAB>{"errors": [{start, end, category, severity, score, is_source_error}]}<TAB>RATER``, or ``None`` where a segment was not
rated; the nth line of a system is segment n. Offsets are code points, end exclusive: ours. Who rated is missing in some files: then it is NAME.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import (
    Files,
    file_name,
    item_order,
    items_file,
    json_number,
    lines_of,
    one_line,
    read_items,
)
from metrics.formats.direct_assessment import PAIR
from metrics.formats.spans import UNNAMED, Error, Rated, said_of_units, span_judgments, span_rows
from metrics.human.spans.places import COUNT, MISSING, OUTPUT, SOURCE, WHOLE, place_of
from metrics.human.spans.weights import weight_table

ENDING = ".seg.rating"
NOT_RATED = "None"
TASK = "mqm"
WEIGHTS = "freitag2021"
NONE = ""
"""What stands in our table for None."""


def read_judgments(
    paths: Sequence[Path], *, items: Path | None = None, error_weights: str = WEIGHTS
) -> pd.DataFrame:
    """The long table: item = the number of the segment, or the id that ``items`` has there; ``rating`` = NAME of the file."""
    ids = None if items is None else read_items(items)
    return span_judgments((one for path in paths for one in _rated(path, ids, error_weights)), paths)


def _name(path: Path) -> str:
    name = path.name.removesuffix(ENDING)
    pair, _, rest = name.partition(".")
    if name == path.name or not rest or not PAIR.fullmatch(pair):
        raise BadInput(f"expected a name such as en-de.NAME{ENDING}", file=str(path))
    return rest


def _rated(path: Path, ids: list[str] | None, error_weights: str) -> Iterator[Rated]:
    name, table = _name(path), weight_table(error_weights)
    seen: dict[str, int] = {}
    for row, line in enumerate(lines_of(path), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) not in (2, 3):
            raise BadInput(f"expected 2 or 3 cells, found {len(cells)}", file=str(path), row=row)
        number = seen[cells[0]] = seen.get(cells[0], 0) + 1
        if ids is not None and number > len(ids):
            raise BadInput(f"expected {len(ids)} lines of {cells[0]}, found more", file=str(path), row=row)
        if cells[1] == NOT_RATED:
            continue
        about = {
            "study": "",
            "task": TASK,
            "assessor": cells[2] if len(cells) == 3 else name,
            "system": cells[0],
            "document": "",
            "item": str(number) if ids is None else ids[number - 1],
            "rating": name,
        }
        try:
            errors = [_error(found, table) for found in _errors_in(cells[1])]
        except BadInput as problem:
            raise BadInput(str(problem), file=str(path), row=row) from problem
        yield Rated(about, errors=errors)


def _errors_in(cell: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"expected JSON or {NOT_RATED} ({type(problem).__name__})") from problem
    errors = found.get("errors") if isinstance(found, dict) else None
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        raise BadInput('expected an object with "errors", a list of objects')
    return errors


def _error(found: dict[str, Any], table: Any) -> Error:
    start, end = found.get("start"), found.get("end")
    category, severity = found.get("category"), found.get("severity")
    whole = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in (start, end))
    if not whole or not isinstance(category, str | None) or not isinstance(severity, str | None):
        raise BadInput(
            "expected an error with whole numbers start and end, and texts for category and severity"
        )
    given = json_number(found.get("score"))
    if given is None:
        raise BadInput(f"expected a number as score, found {found.get('score')!r}")
    parts = ((start, end),) if isinstance(start, int) and isinstance(end, int) and 0 <= start < end else ()
    side = SOURCE if found.get("is_source_error") is True else OUTPUT
    weight = table.weight(severity or "", "", math.nan) if math.isnan(given) else abs(given)
    more = {"score": "" if math.isnan(given) else json.dumps(found["score"])}
    return Error(severity or NONE, category or UNNAMED, side if parts else WHOLE, parts, weight, more=more)


def write_judgments(judgments: pd.DataFrame, *, languages: str, items: Path | None = None) -> Files:
    """A file for each NAME that was read, else one for all ratings, or one per rater where several rated a segment."""
    if not PAIR.fullmatch(languages):
        raise BadInput(f"expected --languages such as en-de, found {languages!r}")
    rows = span_rows(judgments)
    several = [unit for unit in rows["unit"].unique() if place_of(unit).unit not in ("", "1")]
    if several:
        raise BadInput("expected segments as items: the format has no units of an item", column="unit")
    order = item_order(rows["item"], items)
    rated = _by_file(judgments, rows)
    files: Files = {}
    for name, ratings in rated.items():
        systems = sorted({system for system, _ in ratings})
        lines = [_line(system, ratings.get((system, item))) for system in systems for item in order]
        files[f"ratings/{languages}.{file_name(name, 'rating')}{ENDING}"] = "".join(lines)
    return {**files, **items_file(order)}


def _by_file(
    judgments: pd.DataFrame, rows: pd.DataFrame
) -> dict[str, dict[tuple[str, str], tuple[str, list[dict[str, Any]]]]]:
    """By NAME, then by system and segment: who rated, and the errors."""
    once = rows[["system", "item", "assessor"]].drop_duplicates()
    shared = once.duplicated(["system", "item"]).any()
    found: dict[str, dict[tuple[str, str], tuple[str, list[dict[str, Any]]]]] = {}
    for said in said_of_units(judgments):
        row = said.row
        name = getattr(row, "rating", "") or (row.assessor if shared else TASK)
        ratings = found.setdefault(name, {})
        rater, errors = ratings.setdefault((row.system, row.item), (row.assessor, []))
        if rater != row.assessor:
            raise BadInput(f"expected one rater of {row.system} on {row.item} in {name}, found two")
        if row.criterion != COUNT:
            errors.append(_as_json(row))
    return found


def _as_json(row: Any) -> dict[str, Any]:
    if len(row.parts) > 1:
        raise BadInput(
            f"expected spans in one piece, which is all the format has, found {row.at}", column="unit"
        )
    start, end = row.parts[0] if row.parts and row.side not in (MISSING, WHOLE) else (0, 0)
    score = getattr(row, "score", "")
    return {
        "start": start,
        "end": end,
        "category": None if row.criterion == UNNAMED else row.criterion,
        "severity": row.label or None,
        "score": json.loads(score) if score else None,
        "is_source_error": row.side == SOURCE,
    }


def _line(system: str, rating: tuple[str, list[dict[str, Any]]] | None) -> str:
    system = one_line(system, "system")
    if rating is None:
        return f"{system}\t{NOT_RATED}\n"
    return f"{system}\t{json.dumps({'errors': rating[1]})}\t{one_line(rating[0], 'assessor')}\n"
