"""A study file as far as it has been read: rows that are valid in themselves, each with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, Field

from annotation.checks import CheckItems, Checks
from annotation.designs import Design
from annotation.languages import language_tag
from annotation.strict import Strict
from annotation.study_files.schema import (
    AssessorRow,
    ContentUnitRow,
    ControlRow,
    DocumentRow,
    Line,
    Materials,
    NamedOutputRow,
    OutputRow,
    PracticeRow,
    PrefilledRow,
    QuestionRow,
    ReferenceRow,
    ScoreRow,
    Settings,
    SystemRow,
    TaskRow,
    TopicRow,
)
from annotation.study_files.yaml_lines import Marked
from annotation.tasks.base import TaskKind

Row = TypeVar("Row", bound=Strict)
NamedOutput = TypeVar("NamedOutput", bound=NamedOutputRow)
OutputName = TypeVar("OutputName", bound=NamedOutputRow | PrefilledRow)


def file_name(given: Any) -> Any:
    if isinstance(given, (list, dict)):
        raise ValueError("must be the name of a file; what is written here goes into that file")
    return given


FileName = Annotated[str, BeforeValidator(file_name)]


class MaterialFiles(Strict):
    """``materials`` in study.yaml: the names of files."""

    topics: FileName = ""
    documents: FileName = ""
    references: FileName = ""
    outputs: FileName = ""
    systems: FileName = ""
    questions: FileName = ""
    units: FileName = ""
    metric_scores: FileName = ""


class Head(Strict):
    """study.yaml itself. Tasks are checked one by one, each by its kind."""

    name: Annotated[Line, Field(min_length=1, max_length=200)]
    slug: str = Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    language: Annotated[str, AfterValidator(language_tag)] = "en"
    instructions: FileName = ""
    consent: FileName = ""
    contact: Annotated[Line, Field(max_length=200)] = ""
    seed: int = Field(default=1, ge=0, le=2**63 - 1)
    settings: Settings = Field(default_factory=Settings)
    materials: MaterialFiles
    tasks: tuple[dict[str, Any], ...] = Field(min_length=1)
    design: Design = Field(default_factory=Design)
    checks: Checks = Field(default_factory=Checks)
    practice: FileName = ""
    controls: FileName = ""
    prefilled: FileName = ""
    assessors: FileName = ""


@dataclass
class Table(Generic[Row]):
    """The rows of one file. ``ids``: every id in it with its line, also of rows that are not valid otherwise."""

    name: str
    file: str = ""
    usable: bool = (
        True  # False: the file could not be read, so that nothing can be said about what is not in it
    )
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)

    def located(self) -> Iterable[tuple[int, Row]]:
        """Each row with its line."""
        return zip(self.lines, self.rows, strict=True)


@dataclass
class Task:
    """A task that is valid in itself. ``place``: its index in study.yaml."""

    place: int
    row: TaskRow
    kind: TaskKind
    config: Any


@dataclass
class Draft:
    marked: Marked
    head: Head | None = None
    instructions: str = ""
    consent: str = ""
    tasks: list[Task] = field(default_factory=list)
    task_names: set[str] = field(default_factory=set)  # also of tasks that are not valid
    topics: Table[TopicRow] = field(default_factory=lambda: Table("topics"))
    documents: Table[DocumentRow] = field(default_factory=lambda: Table("documents"))
    references: Table[ReferenceRow] = field(default_factory=lambda: Table("references"))
    outputs: Table[OutputRow] = field(default_factory=lambda: Table("outputs"))
    systems: Table[SystemRow] = field(default_factory=lambda: Table("systems"))
    questions: Table[QuestionRow] = field(default_factory=lambda: Table("questions"))
    units: Table[ContentUnitRow] = field(default_factory=lambda: Table("units"))
    metric_scores: Table[ScoreRow] = field(default_factory=lambda: Table("metric_scores"))
    practice: Table[PracticeRow] = field(default_factory=lambda: Table("practice"))
    controls: Table[ControlRow] = field(default_factory=lambda: Table("controls"))
    prefilled: Table[PrefilledRow] = field(default_factory=lambda: Table("prefilled"))
    assessors: Table[AssessorRow] = field(default_factory=lambda: Table("assessors"))

    def line(self, *place: str | int) -> int:
        """The line of a place in study.yaml."""
        return self.marked.line(place)

    def check_items(self, task: Task) -> CheckItems:
        """What is to be made for this task: what it says itself, else what the study says."""
        if task.row.checks is not None:
            return task.row.checks
        return self.head.checks if self.head else CheckItems()

    def output_kinds(self) -> dict[tuple[str, str], list[str]]:
        """The kinds of which there is an output, by system and item."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for row in self.outputs.rows:
            kinds.setdefault((row.system, row.item), []).append(row.kind)
        return kinds

    def name_kinds(self, table: Table[OutputName]) -> None:
        """Where a system has one output for an item, a row that names it need not say its kind."""
        kinds = self.output_kinds() if table.rows else {}
        for place, row in enumerate(table.rows):
            only = kinds.get((row.system, row.item), [])
            if not row.kind and len(only) == 1:
                table.rows[place] = cast("OutputName", row.model_copy(update={"kind": only[0]}))

    def materials(self) -> Materials:
        """The materials; where a file of systems or topics is not given, what the other files name."""
        return Materials(
            topics=tuple(self.topics.rows) or tuple(TopicRow(id=name) for name in self.named_topics()),
            documents=tuple(self.documents.rows),
            references=tuple(self.references.rows),
            outputs=tuple(self.outputs.rows),
            systems=tuple(self.systems.rows)
            or tuple(SystemRow(id=name) for name in dict.fromkeys(row.system for row in self.outputs.rows)),
            questions=tuple(self.questions.rows),
            units=tuple(self.units.rows),
            metric_scores=tuple(self.metric_scores.rows),
            seed=self.head.seed if self.head else 0,
            language=self.head.language if self.head else "en",
            source_language=self.head.settings.source_language if self.head else "",
        )

    def items(self) -> set[str]:
        """Every id of a document or topic."""
        return {*self.documents.ids, *self.topics.ids, *self.named_topics()}

    def named_topics(self) -> list[str]:
        """The topics that documents name, if there is no file of topics."""
        if self.topics.file:
            return []
        return list(dict.fromkeys(row.topic for row in self.documents.rows if row.topic))
