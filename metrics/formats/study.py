"""A finished study as a folder: the study file that ``import_study`` takes, and ``judgments.csv`` for
``import_judgments``. Only what formats of the field know is here; ``docs/study-files.md`` has all there is.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Files, iso_times, json_lines
from metrics.frames import read_judgments, read_texts_outputs, read_texts_references
from metrics.tables import Columns, csv_text, read_table

DOCUMENTS = "documents.jsonl"
REFERENCES = "references.jsonl"
OUTPUTS = "outputs.jsonl"
JUDGMENTS = "judgments.csv"


@dataclass(frozen=True)
class System:
    """A system under test, with the name that reports show."""

    id: str
    name: str = ""
    type: str = "system"


@dataclass(frozen=True)
class Task:
    """A rating task: its name, its preset, and those who judged in it."""

    name: str
    preset: str
    assessors: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """Texts and judgments of a study that is over.

    ``documents``: id, text · ``references``: reference, item, text · ``outputs``: system, item, text · ``judgments``:
    the long table. ``name``, ``slug``, ``instructions``, ``systems`` and ``tasks`` go into the study file only.
    """

    documents: pd.DataFrame
    references: pd.DataFrame
    outputs: pd.DataFrame
    judgments: pd.DataFrame
    name: str = ""
    slug: str = ""
    instructions: str = ""
    systems: tuple[System, ...] = ()
    tasks: tuple[Task, ...] = ()


def read_study(folder: Path) -> Study:
    """The texts and judgments of a folder, under the names that an export of a study has."""
    if not folder.is_dir():
        raise BadInput("no such folder", file=str(folder))
    documents = Columns(read_table(folder / DOCUMENTS), file=str(folder / DOCUMENTS))
    documents.need(("id", "text"))
    return Study(
        documents=pd.DataFrame({name: documents.text(name, needed=True) for name in ("id", "text")}),
        references=read_texts_references(folder / REFERENCES),
        outputs=read_texts_outputs(folder / OUTPUTS),
        judgments=read_judgments(folder / JUDGMENTS),
    )


def study_files(study: Study) -> Files:
    """Every file of the folder."""
    people = [(name, task.name) for task in study.tasks for name in task.assessors]
    documents = _records(study.documents, {"id": "id", "text": "text"})
    references = _records(study.references, {"reference": "id", "item": "document", "text": "text"})
    outputs = _records(study.outputs, {"system": "system", "item": "document", "text": "text"})
    return {
        "study.yaml": _study_yaml(study),
        "instructions.md": study.instructions,
        DOCUMENTS: json_lines(documents),
        REFERENCES: json_lines(references),
        OUTPUTS: json_lines(outputs),
        "systems.csv": _csv(("id", "name", "type"), [(s.id, s.name, s.type) for s in study.systems]),
        "assessors.csv": _csv(("name", "group"), people),
        JUDGMENTS: judgments_csv(study.judgments),
    }


def _records(frame: pd.DataFrame, names: dict[str, str]) -> list[dict[str, object]]:
    kept = frame[list(names)].rename(columns=names)
    return [{str(name): value for name, value in row.items()} for row in kept.to_dict("records")]


def judgments_csv(judgments: pd.DataFrame) -> str:
    """The long table as CSV; cells that a spreadsheet would run are neutralised."""
    return csv_text(iso_times(judgments))


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def _study_yaml(study: Study) -> str:
    """Texts as JSON strings, which are YAML too: no name can break out of its place."""
    most = max((len(task.assessors) for task in study.tasks), default=1)
    tasks = [
        line
        for task in study.tasks
        for line in (
            "  - kind: rating",
            f"    name: {json.dumps(task.name)}",
            f"    preset: {task.preset}",
            f"    design: {{assessors_per_item: {len(task.assessors) or 1}, order: random}}",
        )
    ]
    lines = [
        f"name: {json.dumps(study.name, ensure_ascii=False)}",
        f"slug: {json.dumps(study.slug)}",
        "language: en",
        "instructions: instructions.md",
        "seed: 1",
        "materials:",
        f"  documents: {DOCUMENTS}",
        f"  references: {REFERENCES}",
        f"  outputs: {OUTPUTS}",
        "  systems: systems.csv",
        "tasks:",
        *tasks,
        f"design: {{assessors_per_item: {most}, order: random}}",
        "assessors: assessors.csv",
    ]
    return "\n".join([*lines, ""])
