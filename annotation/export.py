"""Judgments → the long table, streamed: the only thing that leaves the application (``docs/study-files.md``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Decision, Judgment, Output, ProgramAnswer, Study, Subject
from annotation.selectors.adjudication import decisions_of, pieces_decided
from annotation.selectors.control_attributes import control_attributes
from annotation.selectors.exclusions import left_out
from annotation.selectors.exhibits import (
    SUBJECT_TEXTS,
    Facts,
    config_of,
    exhibit_placed,
    facts_of_subject,
    kind_of,
    outputs_of,
    subjects_with_facts,
)
from annotation.selectors.files import study_materials
from annotation.selectors.judged import judged_so_far
from annotation.selectors.keys import keys_judged_by
from annotation.selectors.texts import named_outputs, same_outputs, system_cell, system_cells
from annotation.sets import Places, order_in
from annotation.study_files.schema import Materials, OutputRow, Settings
from annotation.tasks.spans import word_count
from annotation.tasks.terms import Place, TaskAttribute

# Columns of the long table, and what they hold where a format knows types.
TYPES = {
    **dict.fromkeys(("study", "task", "kind", "assessor", "system", "document", "item"), "string"),
    **dict.fromkeys(("unit", "criterion"), "string"),
    "value": "float64",
    "label": "string",
    "revision": "int64",
    "position": "int64",
    "practice": "bool",
    "control": "string",
    **dict.fromkeys(("shown_at", "submitted_at"), "timestamp"),
    "seconds": "float64",
    "place": "int64",
    "raw_seconds": "float64",
    "excluded": "string",
    "text_version": "int64",
}
COLUMNS = list(TYPES)
EMPTY: dict[str, Any] = dict.fromkeys(COLUMNS)
ADJUDICATION = (
    "adjudication"  # only where decisions are asked for: “decision”, or “raw” for what they are about
)
ATTRIBUTE_COLUMNS = ["scope", "id", "name", "value"]
OLDER_KEY = "judged by an older key"
FORMATS = ("csv", "jsonl", "parquet")
CHUNK = 100  # judgments at a time: each comes with its texts, of which a thousand may be gigabytes
OF_ASSIGNMENT = ("", "__assessor", "__subject", "__position", "__assessor__pseudonym", "__places")


def judgment_rows(
    study: Study,
    *,
    all_revisions: bool = False,
    names: bool = False,
    excluded: bool = False,
    until: int | None = None,
    decisions: bool = False,
) -> Iterator[dict[str, Any]]:
    """One row per value decided, in the order of tasks, assessors and positions.

    With ``excluded`` also what is left out of results, and why, in the column of that name. ``until`` is the last
    judgment that counts: a report stays about the same data while assessors go on. With ``decisions`` those of adjudicators
    follow, and a further column says which rows they are and which judgments they are about.
    """
    judgments = _judgments(study, all_revisions=all_revisions, excluded=excluded, until=until).order_by(
        "assignment__subject__task__position", "assignment__assessor_id", "assignment__position", "revision"
    )
    systems = system_cells(study)
    reasons = _reasons(study) if excluded else {}
    decided = _decisions(study, all_revisions=all_revisions) if decisions else Decision.objects.none()
    about = set(decided.values_list("adjudication__subject", flat=True))
    for judgment in judgments.iterator(chunk_size=CHUNK):
        why = reasons.get(judgment.assignment_id, "")
        rows = _rows_of(study, judgment, systems, names=names, excluded=why)
        if decisions:
            said = {ADJUDICATION: "raw" if judgment.assignment.subject_id in about else ""}
            rows = (row | said for row in rows)
        yield from rows
    for decision in decided.iterator(chunk_size=CHUNK):
        yield from _decision_rows(study, decision, systems, names=names)


def columns_of(*, decisions: bool) -> list[str]:
    """The columns of ``judgment_rows``."""
    return [*COLUMNS, ADJUDICATION] if decisions else COLUMNS


def _reasons(study: Study) -> dict[int, str]:
    """Why the judgment of an assignment is left out."""
    return {
        pk: f"{entry.what}: {entry.exclusion.reason}"
        for entry in left_out(study, counted=False)
        for pk in entry.judgments
    }


@dataclass(frozen=True)
class JudgmentPage:
    """The rows of some judgments. ``last``: the newest of them, after which the next page goes on."""

    rows: list[dict[str, Any]]
    last: int
    more: bool


def judgment_page(
    study: Study,
    *,
    after: int,
    limit: int,
    all_revisions: bool = False,
    names: bool = False,
    excluded: bool = False,
) -> JudgmentPage:
    """The rows of the next ``limit`` judgments in the order in which they came.

    Judgments are append-only, so a page never shifts, and whoever asks again after the last one gets what is new.
    """
    judgments = _judgments(study, all_revisions=all_revisions, excluded=excluded)
    # One more than is shown tells whether there are more.
    pks = list(judgments.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[: limit + 1])
    shown = pks[:limit]
    systems = system_cells(study)
    reasons = _reasons(study) if excluded else {}
    rows = [
        row
        for judgment in judgments.filter(pk__in=shown).order_by("pk").iterator(chunk_size=CHUNK)
        for row in _rows_of(
            study, judgment, systems, names=names, excluded=reasons.get(judgment.assignment_id, "")
        )
    ]
    return JudgmentPage(rows=rows, last=shown[-1] if shown else after, more=len(pks) > limit)


class SaidRows(NamedTuple):
    """One judgment, by the numbers of what it belongs to, and its rows."""

    judgment: int
    assignment: int
    assessor: int
    position: int
    rows: list[dict[str, Any]]
    units: Mapping[tuple[int, str], int]  # TaskKind.units_compared


def rows_of_judgments(study: Study, pks: Iterable[int]) -> Iterator[SaidRows]:
    """These judgments, each with its rows, whatever counts: for whoever has chosen them already.

    Only answers are read by judgment; subjects and their texts are read once, however many people judged them.
    """
    systems = system_cells(study)
    said = list(
        Judgment.objects.filter(pk__in=list(pks))
        .order_by("pk")
        .values_list("pk", *(f"assignment{name}" for name in OF_ASSIGNMENT), "answer")
    )
    subjects = subjects_with_facts({row[3] for row in said})
    for pk, assignment, assessor, subject_pk, position, pseudonym, places, answer in said:
        subject, facts = subjects[subject_pk]
        common = {"assessor": pseudonym, "position": position}
        rows = list(_values_of(study, subject, facts, places, answer, systems, common))
        units = facts.kind.units_compared(facts.config, exhibit_placed(facts.exhibit, places))
        yield SaidRows(pk, assignment, assessor, position, rows, units)


def _judgments(
    study: Study, *, all_revisions: bool, excluded: bool, until: int | None = None
) -> QuerySet[Judgment]:
    known = Judgment.objects.all() if until is None else Judgment.objects.filter(pk__lte=until)
    judgments = known.filter(assignment__assessor__study=study)
    if not excluded:
        judgments = judgments.filter(assignment__left_out=False)
    if not all_revisions:
        newer = known.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
        judgments = judgments.filter(~Exists(newer), assignment__subject__superseded=False)
    return judgments.select_related(
        "assignment__assessor",
        "assignment__subject__output__system",
        *(f"assignment__subject__{path}" for path in SUBJECT_TEXTS),
    ).prefetch_related("assignment__subject__members__output__system")


def _rows_of(
    study: Study, judgment: Judgment, systems: Mapping[int, str], *, names: bool, excluded: str = ""
) -> Iterator[dict[str, Any]]:
    assignment = judgment.assignment
    subject, assessor = assignment.subject, assignment.assessor
    common = {
        "assessor": assessor.name if names else assessor.pseudonym,
        "revision": assignment.revisions_before + judgment.revision,
        "position": assignment.position,
        "shown_at": judgment.shown_at,
        "submitted_at": judgment.submitted_at,
        "seconds": judgment.seconds,
        "raw_seconds": judgment.raw_seconds,
        "excluded": excluded or (OLDER_KEY if subject.superseded else ""),
        # Empty while there is only one version: most studies never have another.
        "text_version": judgment.text_version if study.text_version > 1 else None,
    }
    facts = facts_of_subject(subject)
    yield from _values_of(study, subject, facts, assignment.places, judgment.answer, systems, common)


def _values_of(
    study: Study,
    subject: Subject,
    facts: Facts,
    places: Places,
    answer: dict[str, Any],
    systems: Mapping[int, str],
    common: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """A row for each value of an answer; ``common`` is what all of them share, beside what is known of the subject."""
    exhibit = exhibit_placed(facts.exhibit, places)
    known = {
        **EMPTY,
        "study": study.slug,
        "task": facts.task_name,
        "kind": facts.kind.slug,
        "practice": subject.practice,
        "control": subject.control,
        **common,
    }
    texts = outputs_of(subject) if places else []
    stands: dict[str, Place] = {}
    for row in facts.kind.rows(facts.config, exhibit, facts.record, facts.answer(answer)):
        # A set's outputs stand at places; what is said of a text is said of every system that wrote it.
        behind: list[Output | None] = [subject.output]
        if row.output is not None and places:
            behind = list(texts[order_in(places, row.unit)[row.output]])
        for output in behind:
            system = system_cell(output, systems)
            stand = stands.get(system) or stands.setdefault(system, place_of(facts, system))
            cells = known.copy()
            cells["system"], cells["document"], cells["item"] = stand
            cells["unit"], cells["criterion"] = row.unit, row.criterion
            cells["value"], cells["label"] = row.value, row.label
            if row.output is not None:
                cells["place"] = row.output + 1
            yield cells


def _decisions(study: Study, *, all_revisions: bool) -> QuerySet[Decision]:
    return (
        decisions_of(study, all_revisions=all_revisions)
        .select_related(
            "adjudication__adjudicator",
            "adjudication__subject__output__system",
            *(f"adjudication__subject__{path}" for path in SUBJECT_TEXTS),
        )
        .prefetch_related("adjudication__subject__members__output__system")
        .order_by(
            "adjudication__subject__task__position",
            "adjudication__adjudicator",
            "adjudication__number",
            "revision",
        )
    )


def _decision_rows(
    study: Study, decision: Decision, systems: Mapping[int, str], *, names: bool
) -> Iterator[dict[str, Any]]:
    adjudication = decision.adjudication
    subject, person = adjudication.subject, adjudication.adjudicator
    common = {
        "assessor": person.name if names else person.pseudonym,
        "revision": decision.revision,
        "position": adjudication.number,
        "shown_at": decision.shown_at,
        "submitted_at": decision.submitted_at,
        "seconds": decision.seconds,
        "raw_seconds": decision.raw_seconds,
        "excluded": "",
        "text_version": None,
    }
    facts = facts_of_subject(subject)
    for row in _values_of(study, subject, facts, adjudication.places, decision.answer, systems, common):
        yield row | {ADJUDICATION: "decision"}


def program_rows(study: Study) -> Iterator[dict[str, Any]]:
    """What programs judged, as the long table has it, with the program's name under ``assessor``; never among people's."""
    answers = (
        ProgramAnswer.objects.filter(
            item__program__study=study,
            final=True,
            item__subject__left_out=False,
            item__subject__superseded=False,
        )
        .select_related(
            "item__program", *(f"item__subject__{path}" for path in ("output__system", *SUBJECT_TEXTS))
        )
        .prefetch_related("item__subject__members__output__system")
        .order_by("item__subject__task__position", "item__program__name", "item__position")
    )
    systems = system_cells(study)
    for answer in answers.iterator(chunk_size=CHUNK):
        item = answer.item
        seconds = max(0.0, (answer.answered_at - item.shown_at).total_seconds())
        common = {
            "assessor": item.program.name,
            "revision": 1,
            "position": item.position,
            "shown_at": min(item.shown_at, answer.answered_at),
            "submitted_at": answer.answered_at,
            "seconds": round(seconds, 3),
            "raw_seconds": round(seconds, 3),
            "excluded": "",
            "text_version": None,
        }
        facts = facts_of_subject(item.subject)
        yield from _values_of(study, item.subject, facts, item.places, answer.answer, systems, common)


def place_of(facts: Facts, system: str) -> Place:
    """Which cell of the score matrix a judgment belongs to: system, document and item."""
    record = facts.record
    return facts.kind.place(record, Place(system, record.document, record.document or record.topic))


def attribute_rows(study: Study, *, panel: bool = False) -> Iterator[dict[str, str]]:
    """What scores need beside judgments: lengths and targets of outputs, and what each task kind adds.

    With ``panel`` also the parameters that assessors came with; they say who somebody is elsewhere, so only on request.
    """
    for output, system in named_outputs(study):
        key = f"{system}/{output.item_key}"
        yield _attribute("output", key, "tokens", str(word_count(output.text)))
        yield _attribute("output", key, "characters", str(len(output.text)))
        yield _attribute("output", key, "nonspace_characters", str(len("".join(output.text.split()))))
        if output.target is not None:
            yield _attribute("output", key, "target", str(output.target))
    yield from (_attribute("output", key, "same_as", first) for key, first in same_outputs(study))
    for key, units in study.references.values_list("key", "units").iterator():
        yield _attribute("reference", key, "units", str(len(units)))
    for key, type_ in study.systems.values_list("key", "type"):
        yield _attribute("system", key, "type", type_)
    for attribute in control_attributes(study):
        yield _attribute(*attribute)
    yield from _exclusion_rows(study)
    for name, pieces in pieces_decided(study).items():
        yield _attribute("adjudicated", name, "pieces", str(pieces))
    for number, row in enumerate(study.erasures.all(), start=1):
        yield _attribute("erased", str(number), "judgments", str(row.judgments))
        yield _attribute("erased", str(number), "kept", str(row.kept))
    for assessor in study.assessors.exclude(panel={}) if panel else ():
        for name, value in assessor.panel.items():
            yield _attribute("assessor", assessor.pseudonym, name, value)
    settings = Settings.model_validate(study.settings)
    if settings.interface != "en":
        yield _attribute("study", study.slug, "interface", settings.interface)
    if settings.aids:
        yield _attribute("study", study.slug, "aids", " ".join(settings.aids))
    materials = _as_tables_name_them(study)
    for task in study.tasks.all():
        request = kind_of(task).on_request(config_of(task))
        if request is not None:
            yield _attribute("task", task.name, "pick", request.pick)
        judged = keys_judged_by(task) if kind_of(task).builds else judged_so_far(task)
        added = kind_of(task).attributes(config_of(task), materials, judged)
        for attribute in added:
            key = f"{task.name}/{attribute.id}" if isinstance(attribute, TaskAttribute) else attribute.id
            yield _attribute(attribute.scope, key, attribute.name, attribute.value)


def _as_tables_name_them(study: Study) -> Materials:
    """The materials with each output under the system that tables name: one that answers an item twice is two there."""
    materials, ids = study_materials(study)
    names = system_cells(study)
    if not names:
        return materials

    def named(pk: int, row: OutputRow) -> OutputRow:
        system = names.get(pk, row.system)
        # Who wrote what stands under their own name stays the system itself.
        author = system if row.author == row.system else row.author
        return row.model_copy(update={"system": system, "author": author})

    return replace(materials, outputs=tuple(map(named, ids.outputs, materials.outputs)))


def _exclusion_rows(study: Study) -> Iterator[dict[str, str]]:
    """What is left out of the table: how many judgments and values, and why."""
    entries = left_out(study)
    if not entries:
        return
    systems = system_cells(study)
    judgments = _judgments(study, all_revisions=False, excluded=True).filter(assignment__left_out=True)
    values_of = {
        judgment.assignment_id: sum(1 for _ in _rows_of(study, judgment, systems, names=False))
        for judgment in judgments.iterator(chunk_size=CHUNK)
    }
    for number, entry in enumerate(entries, start=1):
        values = sum(values_of.get(pk, 0) for pk in entry.judgments)
        key = str(number)
        yield _attribute("excluded", key, "what", entry.what)
        yield _attribute("excluded", key, "reason", entry.exclusion.reason)
        yield _attribute("excluded", key, "judgments", str(len(entry.judgments)))
        yield _attribute("excluded", key, "values", str(values))


def _attribute(scope: str, key: str, name: str, value: str) -> dict[str, str]:
    return {"scope": scope, "id": key, "name": name, "value": value}
