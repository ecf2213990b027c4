"""A stored study as a study file again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Case, QuerySet, When

from annotation.checks import CheckItems, Checks
from annotation.designs import Design
from annotation.models import ControlItem, Output, PracticeItem, Study, Task
from annotation.study_files.schema import (
    AssessorRow,
    ContentUnitRow,
    ControlRow,
    DocumentRow,
    Materials,
    OutputRow,
    PracticeRow,
    PrefilledRow,
    QuestionRow,
    ReferenceRow,
    ScoreRow,
    Settings,
    StudyFile,
    SystemRow,
    TaskRow,
    TopicRow,
)


def study_as_file(study: Study, materials: Materials | None = None) -> StudyFile:
    """What an export writes; importing it gives the same study. ``materials``: those of the study, if they are at hand."""
    if materials is None:
        materials, _ = study_materials(study, scores=True)
    return StudyFile(
        name=study.name,
        slug=study.slug,
        seed=study.seed,
        language=study.language,
        instructions=study.instructions,
        consent=study.consent,
        contact=study.contact,
        settings=Settings.model_validate(study.settings),
        design=Design.model_validate(study.design),
        checks=Checks.model_validate(study.checks),
        materials=materials,
        tasks=tuple(
            TaskRow(
                kind=task.kind,
                name=task.name,
                config=task.config,
                design=Design.model_validate(task.design) if task.design is not None else None,
                checks=CheckItems.model_validate(task.checks) if task.checks is not None else None,
            )
            for task in study.tasks.all()
        ),
        practice=_practice(study),
        controls=_controls(study),
        prefilled=_prefilled(study),
        assessors=tuple(
            AssessorRow(name=row.name, group=row.group, author=row.author) for row in study.assessors.all()
        ),
    )


@dataclass(frozen=True)
class MaterialIds:
    """For each list of the materials the database ids in the same order, and those of items by the experimenter's id."""

    topics: list[int]
    documents: list[int]
    references: list[int]
    outputs: list[int]
    document_of: dict[str, int]
    topic_of: dict[str, int]
    marked: frozenset[int] = frozenset()  # outputs that are not stored yet in which something is marked


def study_materials(study: Study, *, scores: bool = False) -> tuple[Materials, MaterialIds]:
    """The materials as rows of a study file, and their database ids. Columns, not models: a study may have 50,000 texts."""
    topics = list(study.topics.all())
    documents = list(study.documents.values_list("pk", "key", "topic__key", "title", "text", _UNITS))
    references = list(study.references.values_list("pk", "key", *_TEXT))
    outputs = list(study.outputs.values_list("pk", "system__key", "kind", "target", "citations", *_TEXT))
    materials = Materials(
        topics=tuple(
            TopicRow(id=row.key, title=row.title, description=row.description, gold=row.gold)
            for row in topics
        ),
        documents=tuple(
            DocumentRow(
                id=key, topic=topic or "", title=title, text="" if units is not None else text, units=units
            )
            for _, key, topic, title, text, units in documents
        ),
        references=tuple(ReferenceRow(id=key, **_text(*text)) for _, key, *text in references),
        outputs=tuple(
            OutputRow(system=system, kind=kind, target=target, citations=citations, **_text(*text))
            for _, system, kind, target, citations, *text in outputs
        ),
        systems=tuple(SystemRow(id=row.key, name=row.name, type=row.type) for row in study.systems.all()),
        questions=tuple(
            QuestionRow(
                document=row.document.key, author=row.author, question=row.question, answer=row.answer
            )
            for row in study.questions.select_related("document")
        ),
        units=tuple(
            ContentUnitRow(
                id=row.key,
                reference=row.reference.key if row.reference else "",
                document=row.document.key if row.document else "",
                topic=row.topic.key if row.topic else "",
                text=row.text,
                status=row.status,
                comment=row.comment,
                contributors=row.contributors,
            )
            for row in study.contentunits.select_related("reference", "document", "topic")
        ),
        metric_scores=tuple(
            ScoreRow(
                metric=row.metric,
                system=row.system,
                item=row.item,
                score=row.score,
                higher_is_better=row.higher_is_better,
            )
            for row in (study.metricscores.iterator() if scores else ())
        ),
        seed=study.seed,
        language=study.language,
        source_language=study.source_language,
    )
    ids = MaterialIds(
        topics=[row.pk for row in topics],
        documents=[pk for pk, *_ in documents],
        references=[pk for pk, *_ in references],
        outputs=[pk for pk, *_ in outputs],
        document_of={key: pk for pk, key, *_ in documents},
        topic_of={row.key: row.pk for row in topics},
    )
    return materials, ids


# The units of a text where somebody has given them; the splitter's are made again from the text, and need not be read.
_UNITS = Case(When(units_given=True, then="units"))
_TEXT = ("document__key", "topic__key", "author", "text", _UNITS)


def _text(
    document: str | None, topic: str | None, author: str, text: str, units: list[str] | None
) -> dict[str, Any]:
    return {
        "document": document or "",
        "topic": topic or "",
        "author": author,
        "text": text if units is None else "",
        "units": units,
    }


def _practice(study: Study) -> tuple[PracticeRow, ...]:
    return tuple(
        PracticeRow(**_named_output(task, item), key=item.key)
        for task in _tasks_with(study, "practice_items")
        for item in task.practice_items.all()
    )


def _controls(study: Study) -> tuple[ControlRow, ...]:
    return tuple(
        ControlRow(
            **_named_output(task, item),
            type=item.type,
            text="" if item.units_given else item.text,
            units=tuple(item.units) if item.units_given else None,
            expect=item.expect,
            made=item.made,
        )
        for task in _tasks_with(study, "control_items")
        for item in task.control_items.all()
    )


def _prefilled(study: Study) -> tuple[PrefilledRow, ...]:
    marked = study.outputs.exclude(prefilled=[]).select_related("system", "document", "topic")
    return tuple(
        PrefilledRow(**_named(output), **suggestion) for output in marked for suggestion in output.prefilled
    )


def _tasks_with(study: Study, items: str) -> QuerySet[Task]:
    paths = ("output__system", "output__document", "output__topic", "reference")
    return study.tasks.prefetch_related(*(f"{items}__{path}" for path in paths))


def _named_output(task: Task, item: PracticeItem | ControlItem) -> dict[str, str]:
    return {
        "task": task.name,
        **_named(item.output),
        "reference": item.reference.key if item.reference else "",
    }


def _named(output: Output) -> dict[str, str]:
    return {
        "system": output.system.key,
        "document": output.document.key if output.document else "",
        "topic": output.topic.key if output.topic else "",
        "kind": output.kind,
    }
