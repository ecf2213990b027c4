"""The texts and tasks of a study as rows: made before anything is locked, and stored within somebody's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from django.db import models

from annotation.models import (
    ContentUnit,
    ControlItem,
    Document,
    MetricScore,
    Output,
    PracticeItem,
    Question,
    Reference,
    Study,
    System,
    Task,
    Topic,
)
from annotation.services.rows import Ready, rows_store
from annotation.study_files.schema import (
    ControlRow,
    DocumentRow,
    InLanguages,
    ItemTextRow,
    Materials,
    PrefilledRow,
    StudyFile,
    language_of,
)
from annotation.units import cut, not_too_many

Row = TypeVar("Row", bound=models.Model)


def texts_cut(study_file: StudyFile) -> Texts:
    """The texts of a study file, in units."""
    return Texts(
        documents=[text_fields(row, study_file) for row in study_file.materials.documents],
        references=[text_fields(row, study_file) for row in study_file.materials.references],
        outputs=[text_fields(row, study_file) for row in study_file.materials.outputs],
        controls=[
            text_fields(row, study_file) if row.text or row.units is not None else {}
            for row in study_file.controls
        ],
    )


class Texts(NamedTuple):
    """The fields of texts that are cut into units, in the order of the study file."""

    documents: list[dict[str, Any]]
    references: list[dict[str, Any]]
    outputs: list[dict[str, Any]]
    controls: list[dict[str, Any]]


class Stock(NamedTuple):
    """Materials that are to be stored, in this order. Texts have keys below zero until then, by which pieces and items refer to them."""

    ready: list[Ready[Any]]
    new: dict[str, dict[int, Any]]  # output, reference, document, topic → key below zero → row

    def refer(self, rows: Iterable[Row]) -> list[Row]:
        """The same rows; those that refer to new materials by key hold them, and so get their keys when they are stored."""
        found = list(rows)
        names = [name for name in self.new if found and hasattr(found[0], f"{name}_id")]
        for name in names if any(self.new.values()) else ():
            for row in found:
                if (row.__dict__[f"{name}_id"] or 0) < 0:
                    setattr(row, name, self.new[name][row.__dict__[f"{name}_id"]])
        return found


def materials_made(
    study: Study,
    materials: Materials,
    texts: Texts,
    prefilled: Iterable[PrefilledRow],
    *,
    instead: bool = False,
) -> Stock:
    """Rows of the materials. Those of the study that they refer to are read, unless they come in place of them. Nothing is stored."""
    marked: dict[tuple[str, str, str], list[dict]] = {}
    for row in prefilled:
        named = {"system", "document", "topic", "kind"}
        marked.setdefault((row.system, row.item, row.kind), []).append(row.model_dump(exclude=named))
    there = Study() if instead else study
    new_topics = _awaiting(Topic(study=study, **_renamed(row.model_dump())) for row in materials.topics)
    topics = _known(there, Topic.objects.all()) | _by_key(new_topics)
    new_documents = _awaiting(
        Document(
            study=study,
            key=row.id,
            topic=topics.get(row.topic),
            title=row.title,
            **text,
        )
        for row, text in zip(materials.documents, texts.documents, strict=True)
    )
    documents = _known(there, Document.objects.defer("text", "units")) | _by_key(new_documents)
    new_systems = [System(study=study, **_renamed(row.model_dump())) for row in materials.systems]
    systems = _known(there, System.objects.all()) | _by_key(new_systems)
    new_references = _awaiting(
        Reference(
            study=study,
            key=row.id,
            document=documents.get(row.document),
            topic=topics.get(row.topic),
            author=row.author,
            **text,
        )
        for row, text in zip(materials.references, texts.references, strict=True)
    )
    references = _known(there, Reference.objects.defer("text", "units")) | _by_key(new_references)
    units = [
        ContentUnit(
            study=study,
            key=row.id,
            reference=references.get(row.reference),
            document=documents.get(row.document),
            topic=topics.get(row.topic),
            **row.model_dump(mode="json", include={"text", "status", "comment", "contributors"}),
        )
        for row in materials.units
    ]
    new_outputs = _awaiting(
        Output(
            study=study,
            system=systems[row.system],
            document=documents.get(row.document),
            topic=topics.get(row.topic),
            author=row.author,
            kind=row.kind,
            target=row.target,
            citations=row.citations,
            prefilled=marked.get((row.system, row.item, row.kind), []),
            **text,
        )
        for row, text in zip(materials.outputs, texts.outputs, strict=True)
    )
    questions = [
        Question(study=study, **row.model_dump(exclude={"document"}), document=documents[row.document])
        for row in materials.questions
    ]
    scores = [MetricScore(study=study, **row.model_dump()) for row in materials.metric_scores]
    rows: list[list[Any]] = [
        *(new_topics, new_documents, new_systems, new_references),
        *(units, new_outputs, questions, scores),
    ]
    texts_by_name: dict[str, list[Any]] = {
        "output": new_outputs,
        "reference": new_references,
        "document": new_documents,
        "topic": new_topics,
    }
    return Stock(
        ready=[Ready(one) for one in rows],
        new={name: {row.pk: row for row in new} for name, new in texts_by_name.items()},
    )


def materials_store(stock: Stock) -> None:
    """Store materials, within somebody's transaction."""
    for ready in stock.ready:
        rows_store(ready)


def _awaiting(rows: Iterable[Row]) -> list[Row]:
    """With keys below zero, in the order of the file."""
    found = list(rows)
    for number, row in enumerate(found, start=1):
        row.pk = -number
    return found


def _known(study: Study, rows: models.QuerySet[Row]) -> dict[str, Row]:
    """What the study has already: a wave adds to it."""
    return {row.key: row for row in rows.filter(study=study)} if study.pk else {}  # type: ignore[attr-defined]


def _by_key(rows: Iterable[Row]) -> dict[str, Row]:
    return {row.key: row for row in rows}  # type: ignore[attr-defined]


def _renamed(fields: dict) -> dict:
    return {"key": fields.pop("id"), **fields}


def text_fields(row: ItemTextRow | ControlRow | DocumentRow, study: InLanguages) -> dict:
    """The text and its units, as stored; cutting takes time, so this comes before anything is locked."""
    if row.units is not None:
        return {"text": "\n".join(row.units), "units": list(row.units), "units_given": True}
    units = cut(row.text, language_of(row, study))
    not_too_many(units)
    return {"text": row.text, "units": units}


class NewTasks(NamedTuple):
    """Tasks that are to be stored, and what is set aside in them; outputs that are new as well are named by their keys below zero."""

    tasks: list[Task]
    controls: list[ControlItem]
    practice: list[PracticeItem]
    stock: Stock


def next_position(study: Study) -> int:
    """Of a further task; of several some may have been taken out."""
    return max(study.tasks.values_list("position", flat=True), default=-1) + 1 if study.pk else 0


def tasks_made(study: Study, study_file: StudyFile, texts: Texts, stock: Stock) -> NewTasks:
    """The tasks of a study file, as rows. Nothing is stored."""
    tasks = {
        row.name: Task(
            study=study,
            name=row.name,
            kind=row.kind,
            position=position,
            config=row.config,
            design=row.design.model_dump(mode="json") if row.design else None,
            checks=row.checks.model_dump(mode="json", exclude_defaults=True)
            if row.checks is not None
            else None,
        )
        for position, row in enumerate(study_file.tasks, start=next_position(study))
    }
    outputs: dict[tuple[str, str, str], int] = {}
    references: dict[str, int] = {}
    if study_file.controls or study_file.practice:
        outputs, references = _named_texts(study, stock)
    return NewTasks(
        tasks=list(tasks.values()),
        controls=[
            ControlItem(
                task=tasks[row.task],
                type=row.type,
                output_id=outputs[row.system, row.item, row.kind],
                reference_id=references.get(row.reference),
                expect=row.expect,
                made=row.made,
                **text,
            )
            for row, text in zip(study_file.controls, texts.controls, strict=True)
        ],
        practice=[
            PracticeItem(
                task=tasks[row.task],
                output_id=outputs[row.system, row.item, row.kind],
                reference_id=references.get(row.reference),
                key=row.key,
            )
            for row in study_file.practice
        ],
        stock=stock,
    )


def _named_texts(study: Study, stock: Stock) -> tuple[dict[tuple[str, str, str], int], dict[str, int]]:
    """The keys of outputs and references by what a study file calls them, stored or new."""
    outputs = {(row.system.key, row.item_key, row.kind): pk for pk, row in stock.new["output"].items()}
    references = {row.key: pk for pk, row in stock.new["reference"].items()}
    if not study.pk:
        return outputs, references
    rows = study.outputs.values_list("pk", "system__key", "document__key", "topic__key", "kind")
    stored = {(system, document or topic, kind): pk for pk, system, document, topic, kind in rows}
    return stored | outputs, dict(study.references.values_list("key", "pk")) | references


def tasks_store(new: NewTasks) -> None:
    """Store tasks, within somebody's transaction, after the materials."""
    for task in new.tasks:
        task.save()
    for rows in (new.controls, new.practice):
        rows_store(new.stock.refer(rows))
