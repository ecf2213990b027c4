"""A study in the making: its table of texts, and what a page says of it."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from annotation.models import Study, TextTable
from annotation.study_files.schema import Materials
from annotation.tables import Assembly, Grid, Issue, assemble
from annotation.tables.assemble import Matrix
from annotation.tasks import KINDS, TEMPLATES
from annotation.tasks.base import Template

MISSING, ONE, DOUBLE, IDENTICAL = "-", "1", "2", "="
_WORDS = {MISSING: "missing", ONE: "", DOUBLE: "double", IDENTICAL: "identical"}


def table_of(study: Study) -> TextTable | None:
    """The table of a draft, without its cells."""
    return TextTable.objects.filter(study=study).defer("cells").first()


def grid_packed(grid: Grid) -> bytes:
    held = {
        "name": grid.name,
        "columns": grid.columns,
        "rows": grid.rows,
        "first": grid.first,
        "notes": grid.notes,
        "plain": grid.plain,
    }
    return zlib.compress(json.dumps(held, ensure_ascii=False).encode(), 1)


def grid_of(table: TextTable) -> Grid:
    held = json.loads(zlib.decompress(bytes(table.cells)))
    return Grid(
        name=held["name"],
        columns=tuple(held["columns"]),
        rows=tuple(tuple(row) for row in held["rows"]),
        first=held["first"],
        notes=tuple(held["notes"]),
        plain=held["plain"],
    )


def assembly_of(grid: Grid, roles: Sequence[str]) -> Assembly:
    return assemble(grid, roles)


def summary_of(grid: Grid, assembly: Assembly) -> dict[str, Any]:
    """What the page shows without reading all cells again."""
    materials = assembly.materials
    return {
        "name": grid.name,
        "columns": grid.columns,
        "sample": [[_clipped(cell) for cell in row] for row in grid.rows[:3]],
        "has_header": grid.has_header,
        "notes": grid.notes,
        "rows": len(grid.rows),
        "documents": len(materials.documents) or len(materials.topics),
        "systems": len(materials.systems),
        "outputs": len(materials.outputs),
        "references": len(materials.references),
        "issues": [list(issue) for issue in assembly.issues],
        "matrix": _matrix(assembly.matrix),
    }


def _clipped(cell: str) -> str:
    return cell if len(cell) <= 120 else cell[:119] + "…"


def _matrix(matrix: Matrix) -> dict[str, Any]:
    """A letter for each cell, item by item."""
    rows = []
    for item in matrix.items:
        same = {system for group in matrix.identical.get(item, ()) for system in group}
        rows.append([item, "".join(_letter(matrix, item, system, same) for system in matrix.systems)])
    return {"systems": matrix.systems, "rows": rows}


def _letter(matrix: Matrix, item: str, system: str, same: set[str]) -> str:
    count = matrix.texts.get((item, system), 0)
    if not count:
        return MISSING
    if count > 1:
        return DOUBLE
    return IDENTICAL if system in same else ONE


@dataclass(frozen=True)
class MatrixRow:
    item: str
    cells: list[str]  # a word for each system; nothing where all is well


@dataclass(frozen=True)
class Cells:
    """The matrix as a page shows it: the items with something to look at, or all."""

    systems: list[str]
    rows: list[MatrixRow]
    items: int
    missing: int
    double: int
    identical: int

    @property
    def whole(self) -> bool:
        return not (self.missing or self.double or self.identical)


def matrix_shown(table: TextTable, *, everything: bool) -> Cells:
    held = table.summary["matrix"]
    letters = [row[1] for row in held["rows"]]
    rows = [
        MatrixRow(item, [_WORDS[letter] for letter in line])
        for item, line in held["rows"]
        if everything or set(line) - {ONE}
    ]
    missing, double, identical = (
        sum(line.count(letter) for line in letters) for letter in (MISSING, DOUBLE, IDENTICAL)
    )
    return Cells(held["systems"], rows, len(letters), missing, double, identical)


def issues_of(table: TextTable) -> list[Issue]:
    return [Issue(*issue) for issue in table.summary["issues"]]


@dataclass(frozen=True)
class FaultyRow:
    """A row with what is wrong with it, and its cells to mend: (column's name, cell, whether it is this one)."""

    row: int
    number: int
    messages: list[str]
    cells: list[tuple[str, str, bool]]


def faulty_rows(table: TextTable, issues: Sequence[Issue]) -> list[FaultyRow]:
    """The rows that these issues are about, whole."""
    rows = list(dict.fromkeys(issue.row for issue in issues if issue.row is not None))
    grid = grid_of(TextTable.objects.get(pk=table.pk)) if rows else None
    found = []
    for row in rows:
        assert grid is not None
        own = [issue for issue in issues if issue.row == row]
        bad = {issue.column for issue in own}
        cells = [
            (name, cell, place in bad)
            for place, (name, cell) in enumerate(zip(grid.columns, grid.rows[row], strict=True))
        ]
        found.append(FaultyRow(row, grid.number(row), [issue.message for issue in own], cells))
    return found


@dataclass(frozen=True)
class TemplateFit:
    """A template, and what it lacks in these texts; nothing if it can be taken as it is."""

    template: Template
    lacking: str


def template_fits(materials: Materials) -> list[TemplateFit]:
    """All templates, those that fit these texts first; among them those of kinds that have most, which are the usual ones."""
    of_kind = Counter(template.kind for template in TEMPLATES.values())
    found = [TemplateFit(template, _lacking(template, materials)) for template in TEMPLATES.values()]
    return sorted(found, key=lambda fit: (bool(fit.lacking), -of_kind[fit.template.kind]))


def _lacking(template: Template, materials: Materials) -> str:
    kind = KINDS[template.kind]
    try:
        config = kind.Config.model_validate(template.configured(materials))
    except ValidationError:
        return "These texts have not what it compares."
    needs = kind.needs(config)
    if "document" in needs and not materials.documents:
        return "It shows the source, and the table has none."
    if "reference" in needs and not materials.references:
        return "It compares with a reference, and the table has none."
    fault = next(iter(kind.faults(config, materials)), None)
    if fault is not None:
        return fault.message[:1].upper() + fault.message[1:]
    if next(iter(kind.subjects(config, materials)), None) is None:
        return "It finds nothing to judge in these texts."
    return ""
