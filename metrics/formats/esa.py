"""Error span annotation as Appraise exports it (Kocmi et al. 2024), the CSV of WMT 2024: scores with the errors that were marked.

The layout is that of ``appraise`` with twelve cells; the tenth is a list ``[{"start_i", "end_i", "severity", "error_type"}]``. Ends are
inclusive and count UTF-16, ``"missing"`` stands for both where something is missing from the text.
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats import appraise
from metrics.formats.base import Format, number
from metrics.formats.direct_assessment import language_pairs
from metrics.formats.offsets import UTF16_INCLUSIVE
from metrics.formats.spans import UNNAMED, Error, Rated, read_outputs, span_judgments, span_rows, unit_text
from metrics.human.spans.places import MISSING, NO_ERRORS, OUTPUT, SCORE, SOURCE, with_places
from metrics.human.spans.weights import WeightTable, weight_table
from metrics.tables import Columns

WEIGHTS = "major=5,minor=1"
Texts = Mapping[tuple[str, str], Sequence[str]]
_LEFT_OUT = re.compile(r"#dup\b|#incomplete\b|tutorial", re.IGNORECASE)


def read_judgments(
    paths: Sequence[Path], *, outputs: Path | None = None, error_weights: str = WEIGHTS
) -> pd.DataFrame:
    """The long table: task = pair of languages, item = itemID, the score and every error of the text.

    ``outputs`` has the texts, without which characters beyond U+FFFF would be counted twice.
    """
    texts = None if outputs is None else read_outputs(outputs)
    table = weight_table(error_weights)
    newest: dict[tuple[str, ...], tuple[float, Rated]] = {}
    left_out = 0
    for path in paths:
        columns = Columns(appraise.cells_of(path), file=str(path))
        columns.need(("mqm", "documentID"))
        kinds = columns.text("itemType", among=tuple(appraise.CONTROLS))
        scores = columns.number("score", needed=True)
        times = appraise.times_of(columns)
        for name in ("user", "system", "itemID", "srcLang", "tgtLang"):
            columns.text(name, needed=True)
        for place, (row, cells) in enumerate(
            zip(columns.rows, columns.frame.to_dict("records"), strict=True)
        ):
            if _LEFT_OUT.search(str(cells["documentID"])):
                left_out += 1
                continue
            about = _about(cells, appraise.CONTROLS[kinds.iloc[place]])
            about |= {name: column.iloc[place] for name, column in times.items()}
            try:
                errors = [
                    _error(found, table, texts, (about["system"], about["item"]))
                    for found in _list(str(cells["mqm"]))
                ]
            except BadInput as problem:
                raise BadInput(str(problem), file=str(path), row=int(str(row)), column="mqm") from problem
            key = tuple(
                str(about[name]) for name in ("task", "assessor", "system", "item", "document", "control")
            )
            end = float(about["submitted_at"].timestamp())
            if key not in newest or newest[key][0] <= end:
                newest[key] = end, Rated(about, errors=errors, score=float(scores.iloc[place]))
    if left_out:
        warnings.warn(
            f"{left_out} rows of tutorials, doubles and incomplete documents left out", stacklevel=2
        )
    if texts is None and any(rated.errors for _, rated in newest.values()):
        warnings.warn(
            "spans are taken as if no character were beyond U+FFFF: give --outputs FILE to count them right",
            stacklevel=2,
        )
    return span_judgments((rated for _, rated in newest.values()), paths)


def _about(cells: Mapping[Any, Any], control: str) -> dict[str, Any]:
    whole = appraise.WHOLE if cells["isCompleteDocument"] == "True" else ""
    return {
        "study": "",
        "task": f"{cells['srcLang']}-{cells['tgtLang']}{whole}",
        "assessor": cells["user"],
        "system": cells["system"],
        "document": cells["documentID"],
        "item": cells["itemID"],
        "control": control,
    }


def _list(cell: str) -> list[dict[str, Any]]:
    """The errors of a cell; some exports hold the list as a JSON string."""
    try:
        found = json.loads(cell or "[]")
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError) as problem:
        raise BadInput("expected a list of errors as JSON") from problem
    if not isinstance(found, list) or not all(isinstance(error, dict) for error in found):
        raise BadInput("expected a list of errors, each an object")
    return found


def error_of(found: Mapping[str, Any], category: object, table: WeightTable, text: str | None) -> Error:
    """An error with ``start_i``, ``end_i`` and ``severity``, as Appraise and Pearmut have it."""
    start, end, severity = found.get("start_i"), found.get("end_i"), found.get("severity")
    if not isinstance(severity, str) or not isinstance(category, str | None):
        raise BadInput("expected an error with a severity, and a text or null as its category")
    weight = table.weight(severity, "", float("nan"))
    if start == end == MISSING:
        return Error(severity, category or UNNAMED, MISSING, value=weight)
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in (start, end)):
        raise BadInput(
            f"expected start_i and end_i as whole numbers or “missing”, found {start!r} and {end!r}"
        )
    first, last = int(str(start)), int(str(end))
    if text is None and not 0 <= first <= last:
        raise BadInput(f"expected a span that begins before it ends, found {first} and {last}")
    parts = (UTF16_INCLUSIVE.read(text, first, last),) if text is not None else ((first, last + 1),)
    return Error(severity, category or UNNAMED, OUTPUT, parts, weight)


def _error(found: Mapping[str, Any], table: WeightTable, texts: Texts | None, key: tuple[str, str]) -> Error:
    text = None if texts is None else unit_text(texts, key, "1", "output", "--outputs")
    return error_of(found, found.get("error_type"), table, text)


def write_judgments(
    judgments: pd.DataFrame, *, languages: str | None = None, outputs: Path | None = None
) -> str:
    """CSV as Appraise writes it, control items too; every judged text needs a score and times."""
    texts = None if outputs is None else read_outputs(outputs)
    rows = with_places(span_rows(judgments, controls=True))
    if not rows["unit"].isin(["1"]).all():
        raise BadInput("expected segments as items: the format has no units of an item", column="unit")
    scores = rows[rows["criterion"] == SCORE]
    if scores.empty or scores[["shown_at", "submitted_at"]].isna().any(axis=None):
        raise BadInput(
            "expected a score of every text and the times of every judgment, which the format needs"
        )
    pairs = language_pairs(scores["task"].str.removesuffix(appraise.WHOLE), languages)
    types = {control: kind for kind, control in appraise.CONTROLS.items()}
    key = ["assessor", "system", "item", "document", "control", "position"]
    errors = rows[~rows["criterion"].isin(NO_ERRORS)]
    of_text = dict(iter(errors.groupby(key, dropna=False, sort=False)))
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for (_, row), source, target in zip(scores.iterrows(), pairs["source"], pairs["target"], strict=True):
        found = of_text.get(tuple(row[name] for name in key))
        spans = [] if found is None else [_as_json(one, texts) for one in found.itertuples(index=False)]
        whole = str(row["task"]).endswith(appraise.WHOLE)
        times = (str(row[name].timestamp()) for name in ("shown_at", "submitted_at"))
        cells = (row["assessor"], row["system"], row["item"], types[row["control"]], source, target)
        marked = json.dumps(spans, ensure_ascii=False)
        writer.writerow((*cells, number(row["value"]), row["document"], whole, marked, *times))
    return buffer.getvalue()


def _as_json(row: Any, texts: Texts | None) -> dict[str, Any]:
    category = None if row.criterion == UNNAMED else row.criterion
    if row.side == SOURCE or len(row.parts) > 1:
        raise BadInput(f"expected spans of the output in one piece, found {row.at}", column="unit")
    start: int | str = MISSING
    end: int | str = MISSING
    if row.parts:
        start, end = row.parts[0][0], row.parts[0][1] - 1
        if texts is not None:
            text = unit_text(texts, (row.system, row.item), "1", "output", "--outputs")
            start, end = UTF16_INCLUSIVE.write(text, *row.parts[0])
    return {"start_i": start, "end_i": end, "severity": row.label, "error_type": category}


FORMAT = Format(
    "error span annotation as Appraise exports it (CSV)",
    reads={"judgments": read_judgments},
    writes={"judgments": write_judgments},
)
