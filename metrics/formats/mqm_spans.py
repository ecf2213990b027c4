"""MQM errors as judgments with their spans, and the texts beside them; and back (the layout is in ``mqm``)."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.cells import Parts
from metrics.errors import BadInput
from metrics.formats.mqm_file import (
    ATTENTION,
    FOUND,
    HEADERS,
    METRIC,
    MISSED,
    NO_ERROR,
    WEIGHTS,
    cells_of,
    severities_of,
)
from metrics.formats.spans import (
    Error,
    Rated,
    marked_parts,
    place_parts,
    read_documents,
    read_outputs,
    said_of_units,
    span_judgments,
    unit_text,
    unmarked,
    with_marks,
)
from metrics.human.spans.places import COUNT, INJECTED, MISSING, OUTPUT, SOURCE, WHOLE
from metrics.human.spans.weights import WeightTable, weight_table
from metrics.tables import Columns


def read_judgments(
    paths: Sequence[Path], *, error_weights: str = WEIGHTS, by: str = "segment", quoted: bool = False
) -> pd.DataFrame:
    """The long table of error spans: item = seg_id, or with ``by="document"`` the document, segments being its units."""
    _check_by(by)
    table = weight_table(error_weights)
    rated: dict[tuple[str, ...], Rated] = {}
    document_of: dict[str, str] = {}
    for path in paths:
        without_span = []
        for row, cells in _rows(path, quoted, table):
            about = _about(cells, by)
            if by == "segment" and document_of.setdefault(about["item"], cells["doc"]) != cells["doc"]:
                raise BadInput(
                    f"expected files of one test set: segment {about['item']} is in two documents",
                    file=str(path),
                    row=row,
                )
            key = (cells["rater"], cells["system"], cells["doc"], cells["seg_id"], about["unit"])
            unit = about.pop("unit")
            one = rated.setdefault(key, Rated(about, unit=unit))
            severity = cells["severity"].lower()
            if severity == ATTENTION:
                one.found.append(cells["category"].lower() == FOUND.lower())
            elif severity != NO_ERROR:
                open_marks: list[str] = []
                one.errors.append(_error(cells, table, open_marks))
                for name in open_marks:
                    warnings.warn(
                        f"{path}, row {row}: <v> in {name} is not closed: the error has no span", stacklevel=2
                    )
                if not one.errors[-1].parts and not open_marks:
                    without_span.append(row)
        if without_span:
            warnings.warn(
                f"{path}: {len(without_span)} errors have no span, the first in row {without_span[0]}",
                stacklevel=2,
            )
    return span_judgments(rated.values(), paths)


def _check_by(by: str) -> None:
    if by not in ("segment", "document"):
        raise BadInput(f"expected --by segment or document, found {by!r}")


def _rows(path: Path, quoted: bool, table: WeightTable) -> Iterator[tuple[int, dict[str, str]]]:
    frame = cells_of(path, quoted)
    columns = Columns(frame, file=str(path))
    severities_of(columns, table)
    for name in ("system", "doc", "seg_id", "rater"):
        columns.text(name, needed=True)
    rest = dict.fromkeys(("doc_id", "source", "target", "comment", "metadata"), "")
    for row, cells in zip(frame.index, frame.to_dict("records"), strict=True):
        yield int(row), rest | {str(name): str(cell) for name, cell in cells.items()}


def _about(cells: Mapping[str, str], by: str) -> dict[str, Any]:
    """Who judged what; the other number of the segment is kept in a further column."""
    known: dict[str, Any] = {
        "study": "",
        "task": METRIC,
        "assessor": cells["rater"],
        "system": cells["system"],
        "document": cells["doc"],
    }
    if by == "segment":
        return known | {"item": cells["seg_id"], "unit": "1", "doc_id": cells["doc_id"]}
    if not re.fullmatch(r"0*[1-9]\d{0,8}", cells["doc_id"], re.ASCII):
        raise BadInput(f"expected doc_id as a number from 1 with --by document, found {cells['doc_id']!r}")
    return known | {"item": cells["doc"], "unit": str(int(cells["doc_id"])), "seg_id": cells["seg_id"]}


def _error(cells: Mapping[str, str], table: WeightTable, open_marks: list[str]) -> Error:
    """The error of a row. A span that nothing closes is none; ``open_marks`` is told in which column."""
    parts: Parts = ()
    side = MISSING if cells["category"].lower().endswith("omission") else WHOLE
    for name, where in (("source", SOURCE), ("target", OUTPUT)):
        found = marked_parts(cells[name])
        if found is None:
            open_marks.append(name)
        elif found:
            side, parts = where, found
    note, more = cells["comment"], {}
    if cells["metadata"]:
        note, more = _note_in(cells["metadata"]), {"metadata": cells["metadata"]}
    value = table.weight(cells["severity"], "", float("nan"))
    return Error(cells["severity"], cells["category"], side, parts, value, note, more)


def _note_in(metadata: str) -> str:
    """The note of Marot's metadata; before there was any, the cell was the note itself."""
    try:
        known = json.loads(metadata)
    except ValueError:
        return metadata
    note = known.get("note", "") if isinstance(known, dict) else ""
    return note if isinstance(note, str) else ""


def read_texts(
    paths: Sequence[Path], column: str, *, by: str, quoted: bool
) -> dict[tuple[str, str], dict[int, str]]:
    """The texts of a column without marks, by system ("" for sources), item and number of the unit."""
    _check_by(by)
    found: dict[tuple[str, str], dict[int, str]] = {}
    differing = 0
    for path in paths:
        for _, cells in _rows(path, quoted, weight_table(f"{WEIGHTS},critical=1")):
            if cells["severity"].lower() == ATTENTION:
                continue  # the text with the error that was put in
            about, text = _about(cells, by), unmarked(cells[column])
            units = found.setdefault((cells["system"] if column == "target" else "", about["item"]), {})
            differing += units.setdefault(int(about["unit"]), text) != text
    if differing:
        warnings.warn(f"{differing} rows have another {column} than the first of their segment", stacklevel=3)
    return found


def _records(found: dict[tuple[str, str], dict[int, str]], by: str) -> Iterator[dict[str, Any]]:
    for (system, item), units in found.items():
        if by == "segment":
            yield {"system": system, "item": item, "text": units[1]}
            continue
        if sorted(units) != list(range(1, len(units) + 1)):
            raise BadInput(f"expected every segment of document {item} from 1, found {sorted(units)[:5]} …")
        yield {"system": system, "item": item, "sentences": [units[number] for number in sorted(units)]}


def read_outputs_table(paths: Sequence[Path], *, by: str = "segment", quoted: bool = False) -> pd.DataFrame:
    """``system, item, text``, or ``sentences`` of whole documents."""
    return pd.DataFrame(_records(read_texts(paths, "target", by=by, quoted=quoted), by))


def read_documents_table(paths: Sequence[Path], *, by: str = "segment", quoted: bool = False) -> pd.DataFrame:
    """``id, text``, or ``units`` of whole documents: the sources."""
    frame = pd.DataFrame(_records(read_texts(paths, "source", by=by, quoted=quoted), by))
    return frame.drop(columns="system").rename(columns={"item": "id", "sentences": "units"})


# --- out ------------------------------------------------------------------------------------------------------------


def write_judgments(judgments: pd.DataFrame, *, outputs: Path, documents: Path, spelling: str = "wmt") -> str:
    """One row per error and one per segment without any; texts come from ``outputs`` and ``documents``."""
    if spelling not in HEADERS:
        raise BadInput(f"expected --spelling {' or '.join(HEADERS)}, found {spelling!r}")
    targets, sources = read_outputs(outputs), read_documents(documents)
    lines = ["\t".join(HEADERS[spelling])]
    numbers = _segment_numbers(judgments, sources)
    for said in said_of_units(judgments):
        row = said.row
        in_source, in_target = place_parts(row)
        source = unit_text(sources, row.item, row.unit, "source", "--documents")
        target = unit_text(targets, (row.system, row.item), row.unit, "output", "--outputs")
        doc, doc_id, seg_id = numbers(row)
        category, severity = _as_spelled(row, spelling)
        last = _last_cell(row, said.note, spelling)
        texts = with_marks(source, in_source), with_marks(target, in_target)
        cells = (row.system, doc, doc_id, seg_id, row.assessor, *texts, category, severity, last)
        lines.append("\t".join(_cell(cell) for cell in cells))
    return "\n".join([*lines, ""])


def _segment_numbers(judgments: pd.DataFrame, sources: Mapping[str, Sequence[str]]) -> Any:
    """Document, number in the document and number in the test set of a row's segment, as read or counted."""
    before, total = {}, 0
    for name, units in sources.items():
        before[name], total = total, total + len(units)
    kept = set(judgments.columns)
    places: dict[str, dict[str, int]] = {}
    for document, item in judgments[["document", "item"]].drop_duplicates().itertuples(index=False):
        places.setdefault(document, {}).setdefault(item, len(places[document]) + 1)

    def numbers(row: Any) -> tuple[str, str, str]:
        if "seg_id" in kept and row.seg_id:
            return row.item, row.unit, row.seg_id
        if "doc_id" in kept or row.document not in ("", row.item):
            known = row.doc_id if "doc_id" in kept else ""
            return row.document, known or str(places[row.document][row.item]), row.item
        return row.item, row.unit, str(before[row.item] + int(row.unit or 1))

    return numbers


def _as_spelled(row: Any, spelling: str) -> tuple[str, str]:
    """Category and severity; WMT's files begin severities with a capital, Marot's do not."""
    if row.criterion == COUNT:
        return ("No-error", "No-error") if spelling == "wmt" else (NO_ERROR, NO_ERROR)
    if row.criterion == INJECTED:
        found = FOUND if row.value else MISSED
        return (found, "HOTW-test") if spelling == "wmt" else (found.lower(), ATTENTION)
    severity = row.label or "Minor"
    return row.criterion, (severity[:1].upper() + severity[1:]) if spelling == "wmt" else severity.lower()


def _last_cell(row: Any, note: str, spelling: str) -> str:
    if spelling == "wmt":
        return note
    kept = getattr(row, "metadata", "")
    return kept or (json.dumps({"note": note}, ensure_ascii=False) if note else "{}")


def _cell(text: str) -> str:
    if "\t" in text or "\n" in text or "\r" in text:
        raise BadInput(
            f"expected texts without tabs and line breaks, which the format cannot hold, found {text[:40]!r}"
        )
    return text
