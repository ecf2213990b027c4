"""A stored study as a study file again."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.checks import CheckItems, Checks
from annotation.designs import Design
from annotation.models import ControlItem, Output, PracticeItem, Reference, Study, Task
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


def study_as_file(study: Study) -> StudyFile:
    """What an export writes; importing it gives the same study."""
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


def study_materials(study: Study, *, scores: bool = False) -> tuple[Materials, MaterialIds]:
    """The materials as rows of a study file, and their database ids."""
    topics = list(study.topics.all())
    documents = list(study.documents.select_related("topic"))
    references = list(study.references.select_related("document", "topic"))
    outputs = list(study.outputs.select_related("system", "document", "topic"))
    materials = Materials(
        topics=tuple(
            TopicRow(id=row.key, title=row.title, description=row.description, gold=row.gold)
            for row in topics
        ),
        documents=tuple(
            DocumentRow(
                id=row.key,
                topic=row.topic.key if row.topic else "",
                title=row.title,
                text="" if row.units_given else row.text,
                units=tuple(row.units) if row.units_given else None,
            )
            for row in documents
        ),
        references=tuple(ReferenceRow(id=row.key, **_text(row)) for row in references),
        outputs=tuple(
            OutputRow(
                system=row.system.key,
                kind=row.kind,
                target=row.target,
                citations=row.citations,
                **_text(row),
            )
            for row in outputs
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
    )
    ids = MaterialIds(
        topics=[row.pk for row in topics],
        documents=[row.pk for row in documents],
        references=[row.pk for row in references],
        outputs=[row.pk for row in outputs],
        document_of={row.key: row.pk for row in documents},
        topic_of={row.key: row.pk for row in topics},
    )
    return materials, ids


def _text(row: Output | Reference) -> dict:
    return {
        "document": row.document.key if row.document else "",
        "topic": row.topic.key if row.topic else "",
        "author": row.author,
        "text": "" if row.units_given else row.text,
        "units": tuple(row.units) if row.units_given else None,
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
