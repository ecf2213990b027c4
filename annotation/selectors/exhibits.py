"""From rows of the database to what a task kind may know: texts, and never a system."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.utils import timezone

from annotation.models import Assignment, Document, Output, Reference, Subject, Task, Topic
from annotation.tasks import KINDS
from annotation.tasks.base import NO_TEXT, Exhibit, TaskKind, Text

SUBJECT_TEXTS = (
    "subject__task",
    "subject__output__document__topic",
    "subject__output__topic",
    "subject__reference",
    "subject__document__topic",
    "subject__topic",
)


def kind_of(task: Task) -> TaskKind:
    return KINDS[task.kind]


def config_of(task: Task) -> Any:
    """The task's configuration as its kind's type; parsed once per process and configuration."""
    return _parsed(task.kind, json.dumps(task.config))


@lru_cache(maxsize=256)
def _parsed(kind: str, config: str) -> Any:
    return KINDS[kind].Config.model_validate_json(config)


def with_texts(assignment: Assignment) -> Assignment:
    """The assignment with its subject and all texts of it."""
    assignment.subject = _subject(assignment.subject_id, assignment.assessor.study.opened_at)
    return assignment


# Nothing of a subject that a page needs changes once its study is open, so a process reads it once, however often drafts
# are saved, and texts that subjects share are kept once. The time of opening tells studies apart that had the same ids.


@lru_cache(maxsize=2000)
def _subject(pk: int, opened_at: datetime | None) -> Subject:
    subject = Subject.objects.select_related("output").get(pk=pk)
    subject.task = _kept(Task, subject.task_id, opened_at)
    subject.reference = _kept(Reference, subject.reference_id, opened_at)
    for holder in (subject, subject.output):
        if holder:
            holder.document = _kept(Document, holder.document_id, opened_at)
            holder.topic = _kept(Topic, holder.topic_id, opened_at)
    return subject


@lru_cache(maxsize=2000)
def _kept(model: Any, pk: int | None, opened_at: datetime | None) -> Any:
    """A row that subjects share; a document comes with its topic."""
    related = ("topic",) if model is Document else ()
    return model.objects.select_related(*related).get(pk=pk) if pk else None


def exhibit_shown(assignment: Assignment) -> Exhibit:
    """The exhibit as it stands before an assessor, with the time since it was first shown."""
    shown = assignment.shown_at
    elapsed = (timezone.now() - shown).total_seconds() if shown else 0.0
    return exhibit_of(assignment.subject, elapsed=elapsed)


def exhibit_of(subject: Subject, *, elapsed: float = 0.0) -> Exhibit:
    """The subject's texts. An output brings its document and topic along."""
    output = subject.output
    document = subject.document or (output.document if output else None)
    topic = subject.topic or (output.topic if output else None) or (document.topic if document else None)
    return Exhibit(
        output=_item_text(output, key="") if output else NO_TEXT,
        reference=_item_text(subject.reference, key=subject.reference.key) if subject.reference else NO_TEXT,
        document=_document(document) if document else NO_TEXT,
        topic=_topic(topic) if topic else NO_TEXT,
        details=subject.details,
        phase=subject.phase,
        elapsed=elapsed,
    )


def answer_of(assignment: Assignment, stored: dict[str, Any]) -> Any:
    """A stored draft or judgment as its kind's type."""
    return kind_of(assignment.subject.task).Answer.model_validate(stored)


def _item_text(row: Output | Reference, *, key: str) -> Text:
    return Text(key=key, text=row.text, units=tuple(row.units), author=row.author)


def _document(row: Document) -> Text:
    return Text(key=row.key, text=row.text, title=row.title)


def _topic(row: Topic) -> Text:
    return Text(key=row.key, text=row.description, title=row.title)
