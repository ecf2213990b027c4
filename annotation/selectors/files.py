"""A stored study as a study file again."""

from __future__ import annotations

from annotation.designs import Design
from annotation.models import Output, Reference, Study
from annotation.study_files.schema import (
    AssessorRow,
    DocumentRow,
    Materials,
    OutputRow,
    PracticeRow,
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
        materials=materials,
        tasks=tuple(
            TaskRow(
                kind=task.kind,
                name=task.name,
                config=task.config,
                design=Design.model_validate(task.design) if task.design is not None else None,
            )
            for task in study.tasks.all()
        ),
        practice=_practice(study),
        assessors=tuple(
            AssessorRow(name=row.name, group=row.group, author=row.author) for row in study.assessors.all()
        ),
    )


def study_materials(study: Study, *, scores: bool = False) -> tuple[Materials, dict[str, list[int]]]:
    """The materials as rows of a study file, and for each list the database ids in the same order."""
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
            DocumentRow(id=row.key, topic=row.topic.key if row.topic else "", title=row.title, text=row.text)
            for row in documents
        ),
        references=tuple(ReferenceRow(id=row.key, **_text(row)) for row in references),
        outputs=tuple(
            OutputRow(system=row.system.key, kind=row.kind, target=row.target, **_text(row))
            for row in outputs
        ),
        systems=tuple(SystemRow(id=row.key, name=row.name, type=row.type) for row in study.systems.all()),
        questions=tuple(
            QuestionRow(
                document=row.document.key, author=row.author, question=row.question, answer=row.answer
            )
            for row in study.questions.select_related("document")
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
    )
    ids = {
        "topics": [row.pk for row in topics],
        "documents": [row.pk for row in documents],
        "references": [row.pk for row in references],
        "outputs": [row.pk for row in outputs],
    }
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
    found = []
    for task in study.tasks.prefetch_related(
        "practice_items__output__system",
        "practice_items__output__document",
        "practice_items__output__topic",
        "practice_items__reference",
    ):
        for item in task.practice_items.all():
            output = item.output
            found.append(
                PracticeRow(
                    task=task.name,
                    system=output.system.key,
                    document=output.document.key if output.document else "",
                    topic=output.topic.key if output.topic else "",
                    kind=output.kind,
                    reference=item.reference.key if item.reference else "",
                    key=item.key,
                )
            )
    return tuple(found)
