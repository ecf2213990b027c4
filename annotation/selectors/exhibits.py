"""From rows of the database to what a task kind may know: what pages may show, and what only the export tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet, prefetch_related_objects
from django.utils import timezone

from annotation.models import (
    Assignment,
    ControlItem,
    Document,
    Output,
    Reference,
    Study,
    Subject,
    Task,
    Topic,
)
from annotation.placing import exhibit_placed
from annotation.sets import Places, order_in
from annotation.shelves import Shelf
from annotation.tasks import KINDS
from annotation.tasks.base import TaskKind
from annotation.tasks.terms import NO_TEXT, Exhibit, Record, Text

# What ``facts_of_subject`` reads, from a subject on.
SUBJECT_TEXTS = (
    "task__study",
    "output__document__topic",
    "output__topic",
    "reference",
    "document__topic",
    "topic",
    "control_item",
)
SUBJECT_SETS = ("members__output",)
_BREAK = re.compile(r"\s*[\n\r\u2028\u2029\x85\v\f]\s*")


def kind_of(task: Task) -> TaskKind[Any, Any]:
    return KINDS[task.kind]


def config_of(task: Task) -> Any:
    """The task's configuration as its kind's type; parsed once per process and configuration."""
    return _parsed(task.kind, json.dumps(task.config))


@lru_cache(maxsize=256)
def _parsed(kind: str, config: str) -> Any:
    return KINDS[kind].Config.model_validate_json(config)


@dataclass(frozen=True)
class Facts:
    """A subject as kinds and pages know it. Nothing in it can be changed, so that threads may share it."""

    task: int
    task_name: str
    kind: TaskKind[Any, Any]
    config: Any
    exhibit: Exhibit  # outputs in the order of the set; ``exhibit_shown`` puts them at their places
    record: Record
    practice: bool
    key: Any  # the expected answer of practice, as the kind's type, or None
    control: str = ""  # what sort of control item it is
    expect: Mapping[str, Any] | None = None  # what it expects, which no page shows

    def answer(self, stored: dict[str, Any]) -> Any:
        """A stored draft or judgment as its kind's type."""
        return self.kind.Answer.model_validate(stored)


def facts_of(assignment: Assignment) -> Facts:
    """Of an assignment in an open study.

    Nothing of a subject that a page needs changes once its study is open, so a process reads it once, however often drafts
    are saved.
    """
    return facts_in(assignment.assessor.study, assignment.subject_id)


def facts_in(study: Study, subject: int) -> Facts:
    """Of a subject of a study that was opened."""
    return _facts(Kept(subject, stand_of(study)))


Stand = tuple[datetime | None, int]


def stand_of(study: Study) -> Stand:
    """Until when what is kept of a study holds: a wave may change how all texts are laid out (``lines_shown``).

    The time of opening tells studies apart that had the same ids.
    """
    return study.opened_at, study.wave


def facts_prepare(assignments: Iterable[Assignment]) -> None:
    """Read the facts of many at once, of one study: a process then has them when ``facts_of`` asks."""
    wanted = {row.subject_id: stand_of(row.assessor.study) for row in assignments}
    subjects = Subject.objects.select_related("output", "control_item").in_bulk(wanted)
    prefetch_related_objects([subject for subject in subjects.values() if subject.set_id], *SUBJECT_SETS)
    about = [subject.output or subject for subject in subjects.values()]
    documents = Document.objects.in_bulk({one.document_id for one in about} - {None})
    references = Reference.objects.in_bulk({subject.reference_id for subject in subjects.values()} - {None})
    for pk, subject in subjects.items():
        stand, document = wanted[pk], (subject.output or subject).document_id
        if document:
            _document(Kept(document, stand, documents.get(document)))
        if subject.reference_id:
            _reference(Kept(subject.reference_id, stand, references.get(subject.reference_id)))
        _facts(Kept(pk, stand, subject))


class Kept:
    """Which row of an open study is kept by a process; ``row`` where somebody has read it already."""

    def __init__(self, pk: int, stand: Stand, row: Any = None) -> None:
        self.pk, self.stand, self._row = pk, stand, row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept) and (self.pk, self.stand) == (other.pk, other.stand)

    def __hash__(self) -> int:
        return hash((self.pk, self.stand))

    def row(self, rows: QuerySet[Any]) -> Any:
        """The row, once: what is made of it is kept, and not the row."""
        row, self._row = self._row, None
        return rows.get(pk=self.pk) if row is None else row


def _facts_made(kept: Kept) -> Facts:
    subject = kept.row(Subject.objects.select_related("output", "control_item"))
    if subject.set_id and "members" not in getattr(subject, "_prefetched_objects_cache", {}):
        prefetch_related_objects([subject], *SUBJECT_SETS)
    stand = kept.stand
    about = subject.output or subject
    document = _document(Kept(about.document_id, stand)) if about.document_id else None
    topic_id = about.topic_id or (document.topic_id if document else None)
    return _facts_with(
        subject,
        _task(subject.task_id, stand),
        reference=_reference(Kept(subject.reference_id, stand)) if subject.reference_id else None,
        document=document,
        topic=_topic(topic_id, stand) if topic_id else None,
    )


def _length(text: Text) -> int:
    return len(text.text) + sum(map(len, text.units))


# Of short texts the next ten of a thousand people; of long ones as much as memory should bear.
_facts = Shelf(_facts_made, lambda facts: sum(map(_length, facts.exhibit.outputs)), most=16_000_000)


@dataclass(frozen=True)
class Keyed:
    """A text that subjects share, with the experimenter's id of it."""

    key: str
    text: Text
    topic_id: int | None = None


@dataclass(frozen=True)
class TaskFacts:
    """A task as its subjects know it."""

    pk: int
    name: str
    kind: TaskKind[Any, Any]
    config: Any
    lines: bool  # whether outputs are shown with their line breaks


# What subjects share is kept once.


@lru_cache(maxsize=500)
def _task(pk: int, stand: Stand) -> TaskFacts:
    return _task_facts(Task.objects.select_related("study").get(pk=pk))


def _task_facts(task: Task) -> TaskFacts:
    return TaskFacts(task.pk, task.name, kind_of(task), config_of(task), lines_shown(task.study))


def lines_shown(study: Study) -> bool:
    """Whether outputs are shown with their line breaks: only if all of them have some.

    If one system breaks lines and another does not, or the outputs of one came as units and those of another as text,
    everybody could tell them apart without reading a word. Then all flow.
    """
    return _lines_shown(study.pk, stand_of(study)) if study.opened_at else _lines_in(study)


@lru_cache(maxsize=500)
def _lines_shown(study_pk: int, stand: Stand) -> bool:
    """Texts do not change once the study is open, but there may be more of them: every process looks once a wave."""
    return _lines_in(Study(pk=study_pk))


def _lines_in(study: Study) -> bool:
    outputs = Output.objects.filter(study=study)
    controls = ControlItem.objects.filter(task__study=study).exclude(text="")
    rows = (rows.order_by("pk").values_list("text", "units").iterator(200) for rows in (outputs, controls))
    return all(_BREAK.search(text.strip()) or len(units) < 2 for some in rows for text, units in some)


_reference: Shelf[Kept, Keyed] = Shelf(
    lambda kept: _keyed_reference(kept.row(Reference.objects.all())),
    lambda keyed: _length(keyed.text),
    most=8_000_000,
)
_document: Shelf[Kept, Keyed] = Shelf(
    lambda kept: _keyed_document(kept.row(Document.objects.all())),
    lambda keyed: _length(keyed.text),
    most=16_000_000,
)


@lru_cache(maxsize=2000)
def _topic(pk: int, stand: Stand) -> Keyed:
    return _keyed_topic(Topic.objects.get(pk=pk))


def _keyed_reference(row: Reference) -> Keyed:
    return Keyed(row.key, _unit_text(row))


def _keyed_document(row: Document) -> Keyed:
    return Keyed(row.key, Text(text=row.text, units=tuple(row.units), title=row.title), row.topic_id)


def _keyed_topic(row: Topic) -> Keyed:
    return Keyed(row.key, Text(text=row.description, title=row.title))


def subjects_with_facts(pks: Iterable[int]) -> dict[int, tuple[Subject, Facts]]:
    """Many subjects at once, with their systems."""
    subjects = list(Subject.objects.select_related("output", "control_item").in_bulk(set(pks)).values())
    prefetch_related_objects([subject for subject in subjects if subject.set_id], *SUBJECT_SETS)
    return {subject.pk: (subject, facts) for subject, facts in _with_facts(subjects)}


def planned_with_facts(subjects: Sequence[Subject]) -> list[tuple[Subject, Facts]]:
    """The same of subjects that are only planned."""
    _read_once(subjects, "output")
    _read_once([member for subject in subjects for member in members_of(subject)], "output")
    return list(_with_facts(subjects))


def _with_facts(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, Facts]]:
    """What subjects share, a document or a task, is read and made once."""
    outputs = [output for subject in subjects for texts in outputs_of(subject) for output in texts]
    documents = [*_read_once(subjects, "document"), *_read_once(outputs, "document")]
    for rows, name in (
        (outputs, "system"),
        (outputs, "topic"),
        (subjects, "topic"),
        (documents, "topic"),
        (subjects, "reference"),
    ):
        _read_once(rows, name)
    studies = Study.objects.in_bulk({task.study_id for task in _read_once(subjects, "task")})
    tasks = {}
    for subject in subjects:
        task = subject.task
        if task.pk not in tasks:
            task.study = studies[task.study_id]
            tasks[task.pk] = _task_facts(task)
        yield subject, _facts_of(subject, tasks[task.pk])


def _read_once(rows: Sequence[Any], name: str) -> list[Any]:
    """What rows point to, each read once and shared. Django would ask for them one by one, joined by OR."""
    if not rows:
        return []
    field = type(rows[0])._meta.get_field(name)
    found = field.related_model.objects.in_bulk({getattr(row, field.attname) for row in rows} - {None})
    for row in rows:
        pk = getattr(row, field.attname)
        if pk is not None:
            setattr(row, name, found[pk])
    return list(found.values())


def facts_of_subject(subject: Subject) -> Facts:
    """Of a subject with everything that ``SUBJECT_TEXTS`` and ``SUBJECT_SETS`` name, stored or not."""
    return _facts_of(subject, _task_facts(subject.task))


def _facts_of(subject: Subject, task: TaskFacts) -> Facts:
    output = subject.output
    document = subject.document or (output.document if output else None)
    topic = subject.topic or (output.topic if output else None) or (document.topic if document else None)
    return _facts_with(
        subject,
        task,
        reference=_keyed_reference(subject.reference) if subject.reference else None,
        document=_keyed_document(document) if document else None,
        topic=_keyed_topic(topic) if topic else None,
    )


def _facts_with(
    subject: Subject,
    task: TaskFacts,
    *,
    reference: Keyed | None,
    document: Keyed | None,
    topic: Keyed | None,
) -> Facts:
    """An output brings its document and topic along."""
    exhibit = Exhibit(
        outputs=tuple(
            _laid_out(_output_text(outputs[0], subject.control_item, task.name), task.lines)
            for outputs in outputs_of(subject)
        ),
        reference=reference.text if reference else NO_TEXT,
        document=document.text if document else NO_TEXT,
        topic=topic.text if topic else NO_TEXT,
        shown=frozen(subject.shown),
        phase=subject.phase,
    )
    record = Record(
        reference=reference.key if reference else "",
        document=document.key if document else "",
        topic=topic.key if topic else "",
        set=subject.set_id,
        noted=frozen(subject.noted),
        phase=subject.phase,
    )
    key = None if subject.key is None else task.kind.Answer.model_validate(subject.key)
    return Facts(
        task=task.pk,
        task_name=task.name,
        kind=task.kind,
        config=task.config,
        exhibit=exhibit,
        record=record,
        practice=subject.practice,
        key=key,
        control=subject.control,
        expect=frozen(subject.control_item.expect) if subject.control_item else None,
    )


class FrozenDict(dict[str, Any]):
    """A mapping of JSON that nobody can change; a dict still, so that pages can write it and types can read it."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("threads share this: it cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


def frozen(value: Any) -> Any:
    """JSON that nobody can change, at any depth."""
    if isinstance(value, dict):
        return FrozenDict({name: frozen(inner) for name, inner in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def outputs_of(subject: Subject) -> list[list[Output]]:
    """The outputs that a subject is about: one list for each different text, of all that have it."""
    if subject.output:
        return [[subject.output]]
    if not subject.set_id:
        return []
    texts: dict[int, list[Output]] = {}
    for member in members_of(subject):
        texts.setdefault(member.index, []).append(member.output)
    return [texts[index] for index in sorted(texts)]


def unit_counts(subject: Subject) -> set[int]:
    """How many units the texts of a subject have as they are shown: a control item may put another in an output's place."""
    return {len(_output_text(same[0], subject.control_item, "").units) for same in outputs_of(subject)}


def units_with_places(subject: Subject) -> int:
    """How many units of a set's texts have places of their own, as the study may ask for; 0 where the texts stand whole."""
    if not subject.set_id or not kind_of(subject.task).shuffles_units(config_of(subject.task)):
        return 0
    counts = unit_counts(subject)
    return counts.pop() if len(counts) == 1 else 0


def members_of(subject: Subject) -> list[Any]:
    """The members of a set; of a subject that is only planned, those that it would have."""
    planned = getattr(subject, "planned_members", None)
    return planned if planned is not None else list(subject.members.all())


def _output_text(output: Output, control: ControlItem | None, task: str) -> Text:
    """A control item may put another text in the output's place, about which nothing is suggested."""
    if control and control.text and control.output_id == output.pk:
        return _unit_text(control)
    marked = frozen([suggestion for suggestion in output.prefilled if suggestion["task"] in {"", task}])
    return replace(_unit_text(output), prefilled=marked)


def _unit_text(row: Output | Reference | ControlItem) -> Text:
    return Text(text=row.text, units=tuple(row.units))


def _laid_out(text: Text, lines: bool) -> Text:
    """One layout for all outputs."""
    shown = text.text.strip()
    return replace(text, text=shown if lines else _BREAK.sub(" ", shown))


def exhibit_shown(assignment: Assignment) -> Exhibit:
    """The exhibit as it stands before an assessor: outputs at their places, and the time since it was first shown."""
    return exhibit_since(facts_of(assignment).exhibit, assignment.places, assignment.shown_at)


def exhibit_since(exhibit: Exhibit, places: Places, shown: datetime | None) -> Exhibit:
    """The outputs of a set at their places, and the time since they were first shown."""
    # A clock that was set back must not give anybody less than no time.
    elapsed = max(0.0, (timezone.now() - shown).total_seconds()) if shown else 0.0
    return replace(exhibit_placed(exhibit, places), elapsed=elapsed)


def answer_moved(facts: Facts, answer: Any, stood: Places, places: Places) -> Any:
    """An answer with the texts of a set at other places: out into rows and back, as in export and import."""
    if not stood or stood == places:
        return answer
    before, here = exhibit_placed(facts.exhibit, stood), exhibit_placed(facts.exhibit, places)
    rows = [
        row
        if row.output is None
        else row._replace(output=order_in(places, row.unit).index(order_in(stood, row.unit)[row.output]))
        for row in facts.kind.rows(facts.config, before, facts.record, answer)
    ]
    return facts.kind.answer(facts.config, here, facts.record, rows)
