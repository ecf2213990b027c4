"""A study in the making: its table of texts, and what a page says of it."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.db.models import Q, QuerySet
from pydantic import ValidationError

from annotation.designs import DesignProblem
from annotation.models import Output, Reference, Study, TextTable
from annotation.selectors.draft_versions import KEPT_DRAFTS, DraftVersion, draft_version
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_as_file, study_materials
from annotation.selectors.judged import people_of
from annotation.selectors.plan import study_plan
from annotation.study_files import StudyFileProblems, read_study
from annotation.study_files.schema import (
    DocumentRow,
    Materials,
    OutputRow,
    ReferenceRow,
    SystemRow,
    TopicRow,
)
from annotation.study_files.write import files_of
from annotation.tables import Assembly, Grid, Issue, assemble
from annotation.tables.assemble import Matrix
from annotation.tasks import KINDS, TEMPLATES
from annotation.tasks.base import Template
from annotation.words import phrase

FEW = 20  # items
MISSING, ONE, DOUBLE, IDENTICAL = "-", "1", "2", "="
_WORDS = {MISSING: "missing", ONE: "", DOUBLE: "double", IDENTICAL: "identical"}


def table_of(study: Study) -> TextTable | None:
    """The table of a draft, without its cells."""
    return TextTable.objects.filter(study=study).defer("cells").first()


def has_texts(study: Study) -> bool:
    """Whether there is anything to judge or to read."""
    return study.outputs.exists() or study.documents.exists()


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


def few_materials(study: Study) -> Materials:
    """The first items with everything about them: enough to see what a study's texts have, however many there are."""
    topics = list(study.topics.order_by("pk")[:FEW])
    documents = list(study.documents.select_related("topic").order_by("pk")[:FEW])
    about = Q(document__in=documents) | Q(topic__in=topics)
    outputs = study.outputs.filter(about).select_related("system", "document", "topic").order_by("pk")
    references = study.references.filter(about).select_related("document", "topic").order_by("pk")
    known = {topic.key: topic for topic in (*topics, *(row.topic for row in documents if row.topic))}
    return Materials(
        topics=tuple(
            TopicRow(id=row.key, title=row.title, description=row.description) for row in known.values()
        ),
        documents=tuple(
            DocumentRow(id=row.key, topic=row.topic.key if row.topic else "", text=row.text)
            for row in documents
        ),
        references=tuple(ReferenceRow(id=row.key, **_text_about(row)) for row in references),
        outputs=tuple(OutputRow(system=row.system.key, kind=row.kind, **_text_about(row)) for row in outputs),
        systems=tuple(SystemRow(id=key) for key in study.systems.values_list("key", flat=True)),
        seed=study.seed,
        language=study.language,
        source_language=study.source_language,
    )


def _text_about(row: Output | Reference) -> dict[str, str]:
    return {
        "document": row.document.key if row.document else "",
        "topic": row.topic.key if row.topic else "",
        "text": row.text,
        "author": row.author,
    }


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
        return phrase("These texts have not what it compares.")
    needs = kind.needs(config)
    if "document" in needs and not materials.documents:
        return phrase("It shows the source, and the table has none.")
    if "reference" in needs and not materials.references:
        return phrase("It compares with a reference, and the table has none.")
    fault = next(iter(kind.faults(config, materials)), None)
    if fault is not None:
        return fault.message[:1].upper() + fault.message[1:]
    try:
        if next(iter(kind.subjects(config, materials)), None) is None:
            return phrase("It finds nothing to judge in these texts.")
    except DesignProblem as problem:
        return str(problem)[:1].upper() + str(problem)[1:]
    return ""


# --- units ----------------------------------------------------------------------------------------------------------


def texts_with_units(study: Study) -> QuerySet[Output]:
    """The outputs, with their units; references and documents are cut alike and shown on the page of each item."""
    return study.outputs.select_related("system", "document", "topic").order_by("pk")


# --- check ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Missing:
    """What keeps a study from opening, or what somebody may have forgotten, with the page where it is mended."""

    message: str
    address: str  # the name of a page
    needed: bool = True


def still_missing(study: Study) -> list[Missing]:
    """Everything at once, what is needed first."""
    table, tasks = table_of(study), list(study.tasks.all())
    found = []
    if not has_texts(study):
        found.append(Missing(phrase("The study has no texts."), "build_texts"))
    elif table is not None and table.version != table.used_version:
        found.append(
            Missing(
                phrase("The table was changed, and the study has still the texts from before."), "build_texts"
            )
        )
    if not tasks:
        found.append(Missing(phrase("Nothing says what assessors are to do."), "build_task"))
    if not study.instructions.strip():
        found.append(Missing(phrase("Assessors get no instructions."), "build_words", needed=False))
    if not study.contact.strip():
        found.append(Missing(phrase("Nobody is named whom assessors can ask."), "build_words", needed=False))
    if not study.consent.strip():
        found.append(
            Missing(phrase("Assessors are not asked for their consent."), "build_words", needed=False)
        )
    if not any(one.needed for one in found):
        found += _not_whole(draft_version(study))
    return sorted(found, key=lambda one: not one.needed)


@lru_cache(maxsize=KEPT_DRAFTS)
def _not_whole(version: DraftVersion) -> tuple[Missing, ...]:
    """What the reader of study files would say of it, and what keeps its plan from being made."""
    study, found = version.study(), []
    materials, ids = study_materials(study, scores=True)
    # Texts were read row by row when they came; what is written and read again is all that is said about them.
    known = {name: getattr(materials, name) for name in ("documents", "references", "outputs")}
    few = replace(materials, **{name: rows[:1] for name, rows in known.items()})
    try:
        read_study(files_of(study_as_file(study, few)), known=known)
    except StudyFileProblems as problems:
        found = [
            Missing(_sentence(problem.message), _where_mended(problem.message))
            for problem in problems.problems[:20]
        ]
    if not found:
        found = [
            Missing(problem.words, "study_people" if problem.of_people else "build_design")
            for problem in study_plan(study, read=(materials, ids)).problems
        ]
    return tuple(found or _lacking_later(study))


def _lacking_later(study: Study) -> Iterator[Missing]:
    """What a later phase of a task will be short of, if nobody comes."""
    people = people_of(study)
    for task in study.tasks.all():
        if lacking := kind_of(task).later_lacking(config_of(task), people):
            yield Missing(f"Task {task.name}: {lacking}", "study_people", needed=False)


def _where_mended(message: str) -> str:
    about_checks = ("control items", "“warm_up”", "“agreement”")
    return "build_checks" if any(word in message for word in about_checks) else "build_task"


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:]
