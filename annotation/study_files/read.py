"""Read a study file: everything in it is checked, every problem is named, and only a flawless one is returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError

from annotation.strict import Strict
from annotation.study_files.archive import MAX_BYTES, STUDY, Files, Unreadable, open_files
from annotation.study_files.draft import Draft, Head, Table, Task
from annotation.study_files.named_outputs import with_references
from annotation.study_files.plain import sentences
from annotation.study_files.problems import Problems, suggestion
from annotation.study_files.rows import RawRow, rows
from annotation.study_files.schema import (
    AssessorRow,
    ContentUnitRow,
    ControlRow,
    DocumentRow,
    OutputRow,
    PracticeRow,
    PrefilledRow,
    QuestionRow,
    ReferenceRow,
    ScoreRow,
    StudyFile,
    SystemRow,
    TaskRow,
    TopicRow,
)
from annotation.study_files.texts import decoded
from annotation.study_files.validate import check
from annotation.study_files.yaml_lines import Marked, YamlProblem, load
from annotation.tasks import KINDS

Row = TypeVar("Row", bound=Strict)

MAX_STUDY_YAML = 128 * 1024  # parsing YAML is slow: a megabyte would keep a server busy for a minute
_COMMON = ("kind", "name", "design", "checks")


def read_study(
    source: Path | IO[bytes] | Mapping[str, bytes],
    *,
    max_bytes: int = MAX_BYTES,
    seconds: float | None = None,
    known: Mapping[str, Sequence[Any]] | None = None,
) -> StudyFile:
    """The study in a folder or a zip, or of files at hand, ``StudyFileProblems`` with all that is wrong with it otherwise.

    ``max_bytes`` limits what the files may have together, unpacked; ``seconds``, if given, how long reading may take.
    ``known``: rows of tables that are valid in themselves already, in place of those of the files.
    """
    problems = Problems(seconds=seconds)
    with open_files(source, max_bytes=max_bytes) as files:
        draft = _Reading(files, problems, known or {}).draft()
    problems.watch_the_clock()
    check(draft, problems)
    problems.raise_if_any()
    return _study_file(draft)


def _study_file(draft: Draft) -> StudyFile:
    head = draft.head
    assert head is not None  # without problems there is one
    position = {task.row.name: index for index, task in enumerate(draft.tasks)}
    # Practice and controls are stored task by task; in that order an export equals what was imported.
    practice = sorted(with_references(draft, draft.practice), key=lambda row: position[row.task])
    controls = sorted(with_references(draft, draft.controls), key=lambda row: position[row.task])
    # What is prefilled is stored with its output.
    outputs = {(row.system, row.item, row.kind): index for index, row in enumerate(draft.outputs.rows)}
    prefilled = sorted(draft.prefilled.rows, key=lambda row: outputs[row.system, row.item, row.kind])
    return StudyFile(
        name=head.name,
        slug=head.slug,
        seed=head.seed,
        language=head.language,
        instructions=draft.instructions,
        consent=draft.consent,
        contact=head.contact,
        settings=head.settings,
        design=head.design,
        checks=head.checks,
        materials=draft.materials(),
        tasks=tuple(task.row for task in draft.tasks),
        practice=tuple(practice),
        controls=tuple(controls),
        prefilled=tuple(prefilled),
        assessors=tuple(draft.assessors.rows),
    )


class _Reading:
    """The way from files to a draft."""

    def __init__(self, files: Files, problems: Problems, known: Mapping[str, Sequence[Any]]):
        self.files = files
        self.known = known
        self.problems = problems
        self.marked = Marked()

    def draft(self) -> Draft:
        self.marked = self._study_yaml()
        draft = Draft(self.marked)
        given = self.marked.value
        if not isinstance(given, dict):
            return draft
        draft.head = self._model(Head, _present(given), ())
        draft.instructions = self._text("instructions")
        draft.consent = self._text("consent")
        self._tasks(draft, given.get("tasks"))
        self._table(draft.topics, TopicRow, "materials")
        self._table(draft.documents, DocumentRow, "materials")
        self._table(draft.references, ReferenceRow, "materials")
        self._table(draft.outputs, OutputRow, "materials")
        self._table(draft.systems, SystemRow, "materials")
        self._table(draft.questions, QuestionRow, "materials")
        self._table(draft.units, ContentUnitRow, "materials")
        self._table(draft.metric_scores, ScoreRow, "materials")
        self._table(draft.practice, PracticeRow)
        draft.name_kinds(draft.practice)
        self._table(draft.controls, ControlRow)
        draft.name_kinds(draft.controls)
        self._table(draft.prefilled, PrefilledRow)
        draft.name_kinds(draft.prefilled)
        self._table(draft.assessors, AssessorRow)
        return draft

    def _study_yaml(self) -> Marked:
        try:
            data = self.files.read(STUDY)
        except Unreadable as reason:
            self.problems.add(STUDY, None, str(reason))
            return Marked()
        if len(data) > MAX_STUDY_YAML:
            self.problems.add(
                STUDY, None, f"has more than {MAX_STUDY_YAML:,} bytes; texts belong into files beside it."
            )
            return Marked()
        try:
            marked = load(decoded(data, STUDY, self.problems))
        except YamlProblem as problem:
            self.problems.add(STUDY, problem.line, str(problem))
            return Marked()
        for line, message in marked.problems:
            self.problems.add(STUDY, line, message)
        if not isinstance(marked.value, dict) and not self.problems:
            self.problems.add(STUDY, 1, "must be a mapping that begins with name: and slug:.")
        return marked

    def _model(
        self,
        model: type[Row],
        given: dict[str, Any],
        place: tuple[str | int, ...],
        known: tuple[str, ...] = (),
    ) -> Row | None:
        """Part of study.yaml as its type."""
        try:
            return model.model_validate(given)
        except ValidationError as error:
            for inner, sentence in sentences(error, model, known=known):
                self.problems.add(STUDY, self.marked.line(place + inner), sentence)
            return None

    # --- tasks ------------------------------------------------------------------------------------------------------

    def _tasks(self, draft: Draft, given: Any) -> None:
        for index, task in enumerate(given if isinstance(given, list) else []):
            if isinstance(task, dict):
                self._task(draft, index, _present(task))

    def _task(self, draft: Draft, index: int, given: dict[str, Any]) -> None:
        place = ("tasks", index)
        config = {key: value for key, value in given.items() if key not in _COMMON}
        row = self._model(
            TaskRow, {key: given[key] for key in _COMMON if key in given} | {"config": config}, place
        )
        name = given.get("name")
        if isinstance(name, str) and name in draft.task_names:
            line = draft.line(*place, "name")
            self.problems.add(STUDY, line, f"there is a task “{name}” already; give this one another name.")
        draft.task_names.add(str(name))
        slug = given.get("kind")
        if slug not in KINDS:
            if isinstance(slug, str):
                message = f"unknown task kind “{slug}”{suggestion(slug, KINDS)}"
                self.problems.add(STUDY, draft.line(*place, "kind"), message)
            return
        kind = KINDS[slug]
        parsed = self._model(kind.Config, config, place, known=_COMMON)
        if row is not None and parsed is not None:
            draft.tasks.append(Task(index, row, kind, parsed))

    # --- files ------------------------------------------------------------------------------------------------------

    def _file(self, *place: str) -> tuple[str, bytes | None]:
        """The name that study.yaml gives at a place, and the file's bytes if it can be read."""
        given = self.marked.value
        for key in place:
            given = given.get(key) if isinstance(given, dict) else None
        if not isinstance(given, str) or not given:
            return "", None
        try:
            return given, self.files.read(given)
        except Unreadable as reason:
            self.problems.add(STUDY, self.marked.line(place), f"“{' '.join(place)}”: {reason}")
            return given, None

    def _text(self, key: str) -> str:
        name, data = self._file(key)
        if data is None:
            return ""
        text = decoded(data, name, self.problems)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            self.problems.add(name, line, "holds the character NUL (U+0000); remove it.")
        return text

    def _table(self, table: Table[Row], model: type[Row], *outer: str) -> None:
        table.file, data = self._file(*outer, table.name)
        if not table.file:
            return
        if data is None:
            table.usable = False
            return
        if table.name in self.known:
            table.rows = list(self.known[table.name])
            table.lines = list(range(1, len(table.rows) + 1))
            ids = (getattr(row, "id", "") for row in table.rows)
            table.ids = {key: line for line, key in enumerate(ids, start=1) if key}
            return
        fill(table, model, rows(data, table.file, model, self.problems), self.problems)


def fill(table: Table[Row], model: type[Row], raw_rows: Iterable[RawRow], problems: Problems) -> None:
    """Put the rows that are valid in themselves into the table, and name what is wrong with the others."""
    for line, raw, whole in raw_rows:
        values = {key: value for key, value in raw.items() if value is not None or key == "score"}
        _note_id(table, model, values, line, problems)
        if not whole:
            continue
        try:
            row = model.model_validate(values)
        except ValidationError as error:
            for _, sentence in sentences(error, model):
                problems.add(table.file, line, sentence)
            continue
        table.rows.append(row)
        table.lines.append(line)
    table.usable = bool(table.rows) or not problems.concerns(table.file)


def _note_id(
    table: Table[Row], model: type[Row], values: dict[str, Any], line: int, problems: Problems
) -> None:
    has_ids = "id" in model.model_fields and not getattr(model, "id_is_local", False)
    key = values.get("id") if has_ids else None
    if not isinstance(key, str) or not key:
        return
    if key in table.ids:
        message = f"the id “{key}” is there already, in line {table.ids[key]}; ids must differ."
        problems.add(table.file, line, message)
    else:
        table.ids[key] = line


def _present(given: dict[str, Any]) -> dict[str, Any]:
    """Without keys that have no value, as in ``consent:`` with nothing after it."""
    return {key: value for key, value in given.items() if value is not None}
