"""Judgments made elsewhere come in as the same long table that goes out."""

from __future__ import annotations

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Refused
from annotation.export import place_of
from annotation.models import Assessor, Assignment, Judgment, Study, Subject, Task
from annotation.selectors.exhibits import (
    Facts,
    config_of,
    exhibit_placed,
    kind_of,
    outputs_of,
    planned_with_facts,
    subjects_with_facts,
    units_with_places,
)
from annotation.selectors.plan import next_phase, study_plan
from annotation.selectors.texts import system_cell, system_cells
from annotation.services.assessors import assessors_create
from annotation.services.audit import audit_count, audit_write
from annotation.services.dealing import Pieces, later_subjects_create, subjects_create, subjects_made
from annotation.services.exclusions import results_settle_if_any
from annotation.services.order import judgments_in_turn
from annotation.services.rows import Ready, rows_store, rows_update
from annotation.sets import Places, order_in, unit_number
from annotation.study_files.plain import sentences
from annotation.study_files.schema import AssessorRow
from annotation.study_files.texts import unstorable
from annotation.tasks.terms import Row
from annotation.words import phrase

NAMESPACE = uuid.UUID("5b0f2a86-9a0c-4f39-8e3b-0f6f0a3c2d11")
SHOWN_PROBLEMS = 20
PROBLEMS_MAX = 1000  # a table of another study has one in every row
BATCH = 1000  # a database takes only so many parameters at once


@dataclass
class Imported:
    """What an import did. ``known`` were here already: importing a file twice changes nothing. ``differing`` of them say something
    else in the table, which is left out: what was judged stays, and what corrects it is a further revision."""

    judgments: int = 0
    known: int = 0
    differing: int = 0
    practice: int = 0  # left out: practice never enters results
    excluded: int = 0  # left out: they were, where they come from


class TableRow(NamedTuple):
    """A row of a judgment, with the system and the place that the table gives."""

    row: Row
    system: str
    place: int | None


@dataclass
class Group:
    """The rows of one judgment."""

    first: dict[str, Any]
    rows: list[TableRow] = field(default_factory=list)
    read: tuple[Places, dict[str, Any]] | None = None  # where texts stand, and the answer as it is stored


class ImportProblems(Refused):
    """Nothing was written; each problem names its row."""

    def __init__(self, problems: list[str]):
        more = [f"… and {len(problems) - SHOWN_PROBLEMS} more"] if len(problems) > SHOWN_PROBLEMS else []
        super().__init__("\n".join(problems[:SHOWN_PROBLEMS] + more))
        self.problems = problems


def judgments_import(*, study: Study, rows: Iterable[dict[str, Any]]) -> Imported:
    """Store the judgments of a checked long table (each row with its number under ``row``): all or nothing.

    A draft becomes a closed study: its judging was done elsewhere, in all phases. What a later phase has to judge is
    made from the judgments of the phases before, so those are stored first.
    The table is read, and every answer checked, before anything is locked: people judge meanwhile.
    """
    table, changes = list(rows), audit_count(study)
    study.refresh_from_db()  # whoever asks may have read it before the last change
    importer = _Importer(study, table)
    importer.prepare()
    try:
        importer = _import(study, table, importer, changes)
    except IntegrityError:  # on PostgreSQL people are handed work, and submit it, until the table is written
        raise Refused(
            phrase("People have judged the same at this moment. Nothing was imported: send it again.")
        ) from None
    importer.compare_known()
    return importer.result


@transaction.atomic
def _import(study: Study, rows: list[dict[str, Any]], importer: _Importer, changes: int) -> _Importer:
    """``importer`` was made when the study's history had so many lines; if it has more now, another one looks again."""
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True), fields=["state"])
    if audit_count(study) != changes:
        importer = _Importer(study, rows)
    importer.wait()
    importer.begin()
    if importer.ready:
        importer.store()
    else:
        _take_in_phases(study, importer)
    results_settle_if_any(study=study)
    done = importer.result
    counts = {"judgments": done.judgments, "known": done.known, "practice": done.practice}
    audit_write(study=study, action="judgments.import", after=counts | {"excluded": done.excluded})
    return importer


def _take_in_phases(study: Study, importer: _Importer) -> None:
    groups = importer.groups
    if study.state == Study.State.CLOSED:
        later = [group for group in groups if importer.is_later(group)]
        if later:
            importer.take([group for group in groups if not importer.is_later(group)])
            importer.phases_make({group.first["task"] for group in later})
            groups = later
    importer.take(groups)


def _groups(study: Study, rows: Iterable[dict[str, Any]], importer: _Importer) -> Iterator[Group]:
    groups: dict[tuple, Group] = {}
    strangers: set[str] = set()  # other studies, each named once
    for row in rows:
        task = importer.tasks.get(row["task"])
        if row["study"] not in ("", study.slug):
            if row["study"] not in strangers:
                hint = f"study “{row['study']}” is not {study.slug}; to import it here, leave the column study empty"
                importer.problem(row, hint)
            strangers.add(row["study"])
        elif task is None or task.kind != row["kind"]:
            importer.problem(row, f"the study has no task “{row['task']}” of kind “{row['kind']}”")
        elif row["practice"]:
            importer.result.practice += 1
        elif row.get("excluded"):
            importer.result.excluded += 1
        elif fault := unstorable([row["unit"], row["criterion"], row["label"]]):
            importer.problem(row, fault)
        else:
            kind = kind_of(task)
            reference = importer.reference_in(task, row)
            config = config_of(task)
            part = kind.part_in(config, row["system"], row["unit"])
            # A judgment on a set has rows of several systems.
            system = "" if kind.compares_in(config) else row["system"]
            shared = (row[name] for name in ("task", "assessor", "item", "control", "position", "revision"))
            key = (*shared, system, reference, part)
            about = {"system": system, "reference": reference, "part": part}
            group = groups.setdefault(key, Group(row | about))
            value = None if row["value"] is None or math.isnan(row["value"]) else float(row["value"])
            cells = Row(row["unit"], row["criterion"], value, row["label"])
            group.rows.append(TableRow(cells, row["system"], row.get("place")))
    yield from groups.values()


class _Known(NamedTuple):
    """A judgment that was here already, and what the table says of it."""

    assignment: int
    revision: int
    facts: Facts
    places: Places
    answer: dict[str, Any]

    def differs(self, stored: dict[str, Any]) -> bool:
        """Whether the rows that either would be exported as are others: an answer may hold more than its rows."""
        if stored == self.answer:
            return False
        exhibit = exhibit_placed(self.facts.exhibit, self.places)
        facts = self.facts
        there, given = (
            Counter(facts.kind.rows(facts.config, exhibit, facts.record, facts.answer(one)))
            for one in (stored, self.answer)
        )
        return there != given


class _Importer:
    """Looks everything up once, collects problems, and writes in bulk."""

    def __init__(self, study: Study, rows: Iterable[dict[str, Any]]):
        """What there is to judge, and what the table says of it. Who has judged what is looked up by ``begin``."""
        self.study = study
        self.result = Imported()
        self.problems: list[str] = []
        self.tasks: dict[str, Task] = {task.name: task for task in study.tasks.all()}
        self.references: dict[str, list[str]] = {}
        for reference in study.references.select_related("document", "topic").defer("text", "units"):
            self.references.setdefault(reference.item_key, []).append(reference.key)
        self.systems = system_cells(study)
        self.ready: tuple[Ready[Assignment], Ready[Judgment]] | None = None  # all that is to be stored
        self._pieces: list[Pieces] | None = None  # of a draft
        self._joining: list[AssessorRow] = []
        self.plan = study_plan(study, dealt=False) if study.state == Study.State.DRAFT else None
        self.subjects = self._subjects()
        self.groups = list(_groups(study, rows, self))
        for group in self.groups:
            self._read(group)
        if self.problems:
            raise ImportProblems(self.problems)

    def prepare(self) -> None:
        """All that is to be stored, as rows, as far as that can be known before anything is locked: not where people who are new
        get work of an open study, nor where a later phase is yet to be made."""
        self._had = self._who_has_what()
        self._look()
        if any(self.is_later(group) for group in self.groups):
            return
        self._joining = self._new_names(self.groups)
        if self._joining and self.study.state == Study.State.OPEN:
            return
        # Until they are stored, pieces and people have keys below zero.
        if self.plan is not None:
            for number, subject in enumerate(
                (one for task in self.plan.tasks for one in task.subjects), start=1
            ):
                subject.pk = -number
            self._pieces = subjects_made(self.plan)
        for number, row in enumerate(self._joining, start=1):
            self.assessors[row.name] = Assessor(pk=-number, name=row.name)
        for group in self.groups:
            self._add(group)
        if self.problems:
            raise ImportProblems(self.problems)
        self.ready = Ready(self.new_assignments), Ready(self.new)

    def wait(self) -> None:
        """In the order in which whoever submits waits: what the people of the table have, and their turn; both before the history, into
        which newcomers are written. On SQLite the transaction itself is the lock."""
        if connection.features.has_select_for_update:
            pieces = Assignment.objects.filter(assessor__in=self._people())
            at_work = pieces.exclude(state=Assignment.State.ABANDONED).order_by("pk")
            list(at_work.select_for_update(no_key=True, of=("self",)).values_list("pk"))
        judgments_in_turn(self.study)

    def begin(self) -> None:
        """Within the transaction: a draft gets its subjects and is closed; then who has what, if that is not what it was."""
        study = self.study
        if self.ready and self._had != self._who_has_what():
            self.ready = None
        if self.plan is not None:
            subjects_create(plan=self.plan, made=self._pieces)
            study.state = Study.State.CLOSED
            study.opened_at = study.closed_at = timezone.now()
            study.save(update_fields=["state", "opened_at", "closed_at"])
        if self.ready is None:
            self._look()
            return
        for new in assessors_create(study=study, rows=self._joining):
            self.assessors[new.name].pk = new.pk

    def _who_has_what(self) -> list[Any]:
        """What changes with every piece that one of the people in the table gets, is shown or judges."""
        people = self._people()
        work = Assignment.objects.filter(assessor__in=people).values("assessor", "state")
        judged = Judgment.objects.filter(assignment__assessor__in=people)
        counted = work.annotate(number=Count("pk"), last=Max("position"), shown=Count("shown_at"))
        return [*counted.order_by("assessor", "state"), judged.aggregate(number=Count("pk"), last=Max("pk"))]

    def _people(self) -> QuerySet[Assessor]:
        """Of the table, as far as they are there."""
        names = {group.first["assessor"] for group in self.groups}
        return self.study.assessors.filter(Q(name__in=names) | Q(pseudonym__in=names))

    def _look(self) -> None:
        """Who has what."""
        self.assessors: dict[str, Assessor] = {}
        for assessor in self.study.assessors.all():
            self.assessors[assessor.pseudonym] = self.assessors[assessor.name] = assessor
        self.assignments: dict[tuple[int, int], Assignment] = {}
        self.positions: set[tuple[int, int]] = set()  # assessor, position
        self.last: dict[int, int] = {}  # the highest position of each assessor
        for assignment in Assignment.objects.filter(assessor__study=self.study):
            self._know(assignment)
        self.keys = set(
            Judgment.objects.filter(assignment__assessor__study=self.study).values_list(
                "assignment_id", "revision"
            )
        )
        self.new: list[Judgment] = []
        self.new_assignments: list[Assignment] = []
        self.finished: list[int] = []  # assignments that were there and not done
        self.placed: list[Assignment] = []  # assignments that were there, and whose places the table gives
        self.taken: dict[int, tuple[Subject, int]] = {}  # what it is, and how many judgments more it has now
        self.seen: set[tuple[int, int, int]] = set()  # assessor, subject, revision
        self.known: list[_Known] = []
        self.result.known = 0

    def _know(self, assignment: Assignment) -> None:
        person, position = assignment.assessor_id, assignment.position
        self.assignments[person, assignment.subject_id] = assignment
        self.positions.add((person, position))
        self.last[person] = max(self.last.get(person, 0), position)

    def problem(self, row: dict[str, Any], message: str) -> None:
        self.problems.append(f"row {row['row']}: {message}")
        if len(self.problems) >= PROBLEMS_MAX:
            self.problems.append(
                f"there are more than these {PROBLEMS_MAX:,}; the table was not read to its end"
            )
            raise ImportProblems(self.problems)

    def reference_in(self, task: Task, row: dict[str, Any]) -> str:
        """The reference that a unit such as ``reference/3:2`` names; ids may hold slashes themselves."""
        if not kind_of(task).needs_reference:
            return ""
        names = [
            key
            for key in self.references.get(row["item"], [])
            if row["unit"] == key or row["unit"].startswith((f"{key}/", f"{key}:"))
        ]
        return max(names, key=len, default="")

    def is_later(self, group: Group) -> bool:
        """Whether the group may be about what a later phase of its task has yet to make."""
        task = self.tasks[group.first["task"]]
        return len(kind_of(task).phases) > 1 and self._subject(group) is None

    def phases_make(self, names: set[str]) -> None:
        """The subjects of the later phases of these tasks, from what is judged by now."""
        for name in names:
            later_subjects_create(task=self.tasks[name])
        self.plan = None  # it is stored by now
        self.subjects = self._subjects()

    def take(self, groups: Iterable[Group]) -> None:
        """Check and store these judgments; problems end the import."""
        groups = list(groups)
        self._newcomers_add(groups)
        for group in groups:
            self._add(group)
        if self.problems:
            raise ImportProblems(self.problems)
        self.store()

    def compare_known(self) -> None:
        """How many that were here already are others in the table; judgments stay, so nobody need wait for this."""
        known = self.known
        for first in range(0, len(known), BATCH):
            some = {(one.assignment, one.revision): one for one in known[first : first + BATCH]}
            rows = Judgment.objects.filter(assignment__in={assignment for assignment, _ in some})
            for assignment, revision, stored in rows.values_list("assignment", "revision", "answer"):
                one = some.get((assignment, revision))
                self.result.differing += one is not None and one.differs(stored)

    def _new_names(self, groups: list[Group]) -> list[AssessorRow]:
        first: dict[str, dict[str, Any]] = {}
        for group in groups:
            first.setdefault(group.first["assessor"], group.first)
        rows = []
        for name, row in first.items():
            if name in self.assessors:
                continue
            try:
                rows.append(AssessorRow(name=name))
            except ValidationError as error:
                for _, sentence in sentences(error, AssessorRow):
                    self.problem(row, f"assessor: {sentence}")
        if self.problems:
            raise ImportProblems(self.problems)
        return rows

    def _newcomers_add(self, groups: list[Group]) -> None:
        """All whose names are new, at once: each by themselves would have everybody else read again."""
        new = assessors_create(study=self.study, rows=self._new_names(groups))
        self.assessors.update({assessor.name: assessor for assessor in new})
        # Whoever joins an open study gets work at once.
        for assignment in Assignment.objects.filter(assessor__in=new) if new else ():
            self._know(assignment)

    def _subject(self, group: Group) -> tuple[Subject, Facts] | None:
        row = group.first
        place = (row["system"], row["item"], row["reference"], row["part"], row["control"])
        return self.subjects.get((self.tasks[row["task"]].pk, *place))

    def _subject_missed(self, group: Group) -> None:
        row = group.first
        task = self.tasks[row["task"]]
        phase = next_phase(task)
        hint = f"; its phase “{phase}” is not open" if phase else ""
        compares = kind_of(task).compares_in(config_of(task))
        what = f"set “{row['part']}”" if compares else f"nothing of system “{row['system']}”"
        has = "has no" if compares else "has"
        self.problem(row, f"task {task.name} {has} {what} on item “{row['item']}”{hint}")

    def _read(self, group: Group) -> None:
        """The answer of a judgment, before anybody knows who has what. Of a set that decides where texts stood: what is wrong
        with it, if anything, is said then."""
        found = self._subject(group)
        if found is None:
            if not self.is_later(group):
                self._subject_missed(group)
            return
        try:
            group.read = self._stored(*found, group, None)
        except ValueError as problem:
            if not found[0].set_id:
                self.problem(group.first, _said(problem))

    def _stored(
        self, subject: Subject, facts: Facts, group: Group, before: Assignment | None
    ) -> tuple[Places, dict[str, Any]]:
        """Where the texts of a judgment stand, and its answer as it is stored; ``ValueError`` says what is wrong."""
        rows, places = self._placed(subject, group, before)
        if group.read is None or group.read[0] != places:
            group.read = places, self._answer(facts, rows, places).model_dump(mode="json")
        return group.read

    def _add(self, group: Group) -> None:
        row = group.first
        found = self._subject(group)
        if found is None:
            self._subject_missed(group)
            return
        subject, facts = found
        known = self.assessors.get(row["assessor"])
        before = self.assignments.get((known.pk, subject.pk)) if known else None
        try:
            places, answer = self._stored(subject, facts, group, before)
        except ValueError as problem:
            self.problem(row, _said(problem))
            return
        assignment = self._assignment(row, subject)
        if assignment.places != places:
            assignment.places = places
            if assignment.pk is not None:
                self.placed.append(assignment)
        before_this = assignment.revisions_before  # by older keys; tables count on from there
        revision = int(row["revision"] or before_this + 1) - before_this
        if revision < 1:
            self.problem(
                row,
                f"“{row['assessor']}” judged this by an older key as revision {row['revision']}; by the newer one it is a revision "
                f"from {before_this + 1} on",
            )
            return
        if (assignment.assessor_id, subject.pk, revision) in self.seen:
            self.problem(
                row, f"“{row['assessor']}” has judged the same twice, both times as revision {revision}"
            )
            return
        self.seen.add((assignment.assessor_id, subject.pk, revision))
        if assignment.pk and (assignment.pk, revision) in self.keys:
            self.result.known += 1
            self.known.append(_Known(assignment.pk, revision, facts, places, answer))
            return
        self.new.append(self._judgment(assignment, revision, answer, row))

    def _answer(self, facts: Facts, rows: list[Row], places: Places) -> Any:
        exhibit = exhibit_placed(facts.exhibit, places)
        answer = facts.kind.answer(facts.config, exhibit, facts.record, rows)
        missing = facts.kind.missing(facts.config, exhibit, answer)
        if missing:
            raise ValueError(missing[0].message)
        return answer

    def _placed(self, subject: Subject, group: Group, before: Assignment | None) -> tuple[list[Row], Places]:
        """The rows with the places of their texts, and the index of the text at each place.

        Who has the assignment already sees the texts where they were; else they stand where the table says, or in its
        order. What is said of a text stands once for every system that wrote it, and counts once.
        """
        if not subject.set_id:
            return [entry.row for entry in group.rows], []
        systems = [[system_cell(output, self.systems) for output in same] for same in outputs_of(subject)]
        index_of = {system: index for index, same in enumerate(systems) for system in same}
        if strangers := [
            entry.system for entry in group.rows if entry.system and entry.system not in index_of
        ]:
            raise ValueError(f"system “{strangers[0]}” is not in the set “{subject.set_id}” of this item")
        # Who has seen the texts saw them at their places; an assignment that waits may still be as the table says.
        seen = before is not None and (before.shown_at is not None or before.state == Assignment.State.DONE)
        places = before.places if before and seen else self._places_in(subject, group, index_of)
        rows: dict[tuple[str, str, int | None], Row] = {}
        for entry in group.rows:
            order = order_in(places, entry.row.unit)
            place = order.index(index_of[entry.system]) if entry.system else None
            row = entry.row._replace(output=place)
            if rows.setdefault((row.unit, row.criterion, place), row) != row:
                raise ValueError(
                    f"the text of “{entry.system}” has two values of {row.criterion or 'one criterion'}"
                )
        return list(rows.values()), places

    def _places_in(self, subject: Subject, group: Group, index_of: dict[str, int]) -> Places:
        """Where the table says that the texts stood: of the set, or of each unit of it."""
        texts = outputs_of(subject)
        rows = group.rows
        units = units_with_places(subject)
        if not units:
            return _places_in(rows, index_of, len(texts))
        by_unit: dict[int, list[TableRow]] = defaultdict(list)
        for entry in rows:
            by_unit[unit_number(entry.row.unit)].append(entry)
        return [_places_in(by_unit[unit], index_of, len(texts)) for unit in range(1, units + 1)]

    def _assignment(self, row: dict[str, Any], subject: Subject) -> Assignment:
        """The assignment that the judgment belongs to."""
        assessor = self.assessors[row["assessor"]]
        assignment = self.assignments.get((assessor.pk, subject.pk))
        if assignment is None:
            position = self._position(assessor, row["position"])
            assignment = Assignment(assessor=assessor, subject=subject, position=position)
            self.assignments[assessor.pk, subject.pk] = assignment
            self.new_assignments.append(assignment)
            self._take(subject)
        elif assignment.pk and assignment.state != Assignment.State.DONE:
            self.finished.append(assignment.pk)
            if assignment.state == Assignment.State.ABANDONED:
                self._take(subject)
        assignment.state = Assignment.State.DONE
        return assignment

    def _position(self, assessor: Assessor, given: int | None) -> int:
        """The one that the table gives, if it is free; else the next."""
        last = self.last.get(assessor.pk, 0)
        free = given is not None and given > 0 and (assessor.pk, given) not in self.positions
        position = given if given is not None and free else last + 1
        self.positions.add((assessor.pk, position))
        self.last[assessor.pk] = max(last, position)
        return position

    def _take(self, subject: Subject) -> None:
        """A pool must not hand out again what has been judged elsewhere."""
        _, number = self.taken.get(subject.pk, (subject, 0))
        self.taken[subject.pk] = subject, number + 1

    def _judgment(
        self, assignment: Assignment, revision: int, answer: dict[str, Any], row: dict[str, Any]
    ) -> Judgment:
        submitted: datetime = row["submitted_at"] or timezone.now()
        place = (
            row["task"],
            row["assessor"],
            row["system"],
            row["item"],
            row["reference"],
            row["part"],
            row["control"],
            revision,
        )
        return Judgment(
            assignment=assignment,
            revision=revision,
            client_key=uuid.uuid5(NAMESPACE, "\x1f".join(map(str, place))),
            answer=answer,
            shown_at=row["shown_at"] or submitted,
            submitted_at=submitted,
            seconds=row["seconds"],
            raw_seconds=row.get("raw_seconds"),
            imported=True,
        )

    def store(self) -> None:
        """What ``take`` or ``prepare`` has made."""
        assignments, judgments = self.ready or (self.new_assignments, self.new)
        rows_store(assignments)
        rows_update(self.placed, ["places"])
        for pks in _batches(self.finished):
            Assignment.objects.filter(pk__in=pks).update(state=Assignment.State.DONE, lease_ends_at=None)
        taken: dict[int, list[int]] = defaultdict(list)
        for subject, number in self.taken.values():
            taken[number].append(subject.pk)
        for number, subjects in taken.items():
            for pks in _batches(subjects):
                Subject.objects.filter(pk__in=pks).update(taken=F("taken") + number)
        # Where more people judged than the design asked for, that many were wanted there.
        more = Subject.objects.filter(task__study=self.study, taken__gt=F("wanted"))
        more.update(wanted=F("taken"))
        rows_store(judgments)
        self.result.judgments += len(self.new)
        self.new, self.new_assignments, self.finished, self.placed, self.taken = [], [], [], [], {}

    def _subjects(self) -> dict[tuple, tuple[Subject, Facts]]:
        """What there is to judge, as the table names it; of a draft, what there would be."""
        if self.plan is not None:
            planned = [one for task in self.plan.tasks for one in task.subjects if not one.practice]
            found = planned_with_facts(planned)
        else:
            stored = Subject.objects.filter(task__study=self.study, practice=False, superseded=False)
            found = list(subjects_with_facts(stored.values_list("pk", flat=True)).values())
        return {self._subject_key(subject, facts): (subject, facts) for subject, facts in found}

    def _subject_key(self, subject: Subject, facts: Facts) -> tuple:
        place = place_of(facts, system_cell(subject.output, self.systems))
        return (
            subject.task_id,
            place.system,
            place.item,
            facts.record.reference if facts.kind.needs_reference else "",
            facts.kind.part(facts.record),
            subject.control,
        )


def _said(problem: ValueError) -> str:
    """What is wrong with an answer, in a line."""
    return (
        problem.errors()[0]["msg"] if isinstance(problem, ValidationError) else str(problem).splitlines()[0]
    )


def _places_in(rows: list[TableRow], index_of: dict[str, int], size: int) -> list[int]:
    """The index of the text at each place, as the rows have it; texts without a place fill what is left, in their order."""
    places: dict[int, int] = {}
    for entry in rows:
        if not entry.system or entry.place is None:
            continue
        index = index_of[entry.system]
        if not 1 <= entry.place <= size:
            raise ValueError(f"place {entry.place} is not one of the {size} places of the set")
        if places.setdefault(entry.place - 1, index) != index:
            raise ValueError(f"two different texts stand at place {entry.place}")
    if len(set(places.values())) < len(places):
        raise ValueError("a system stands at two places of the set")
    named = [index_of[entry.system] for entry in rows if entry.system]
    free = iter(dict.fromkeys(index for index in [*named, *range(size)] if index not in places.values()))
    return [places[place] if place in places else next(free) for place in range(size)]


def _batches(pks: list[int]) -> Iterator[list[int]]:
    yield from (pks[first : first + BATCH] for first in range(0, len(pks), BATCH))
