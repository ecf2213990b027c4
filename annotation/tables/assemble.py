"""Rows of a table as the materials of a study, every problem beside its row, and who wrote about what."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from annotation.strict import Strict
from annotation.study_files.plain import sentences
from annotation.study_files.schema import (
    DocumentRow,
    Materials,
    OutputRow,
    ReferenceRow,
    SystemRow,
    TopicRow,
)
from annotation.tables.grid import Grid
from annotation.tables.roles import ROLES, SEVERAL

Row = TypeVar("Row", bound=Strict)
MAX_ISSUES = 1000
MAX_SYSTEMS = 1000
_ID_MAX = 200
_YES, _NO = {"1", "yes", "y", "true", "relevant"}, {"0", "no", "n", "false", "not relevant", "irrelevant"}
FIELD_ROLES = {"system": "system", "author": "author", "kind": "kind", "title": "title"}


class Issue(NamedTuple):
    """What is wrong with a row. ``row``: index into the grid's rows, None for the table; ``column``: which cell, if one.

    What is ``fatal`` must be mended; the rest is good to know.
    """

    row: int | None
    column: int | None
    message: str
    fatal: bool = True


@dataclass(frozen=True)
class Matrix:
    """Which items have whose text: how many texts in each cell that has any, and who wrote the very same."""

    items: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    texts: dict[tuple[str, str], int] = field(default_factory=dict)  # by item and system
    identical: dict[str, tuple[tuple[str, ...], ...]] = field(
        default_factory=dict
    )  # by item, groups of systems

    @property
    def missing(self) -> list[tuple[str, str]]:
        return [
            (item, system)
            for item in self.items
            for system in self.systems
            if (item, system) not in self.texts
        ]

    @property
    def double(self) -> list[tuple[str, str]]:
        return [cell for cell, count in self.texts.items() if count > 1]


@dataclass(frozen=True)
class Assembly:
    """What a table comes to. ``rows_of``: for each list of the materials, the grid's row that each entry came from."""

    materials: Materials
    issues: tuple[Issue, ...]
    matrix: Matrix
    rows_of: dict[str, tuple[int, ...]]

    @property
    def fatal(self) -> list[Issue]:
        return [issue for issue in self.issues if issue.fatal]


def assemble(grid: Grid, roles: Sequence[str]) -> Assembly:
    """The materials in a table, whose columns have these roles. Faulty rows are left out and named."""
    making = _Making(grid, roles)
    if not making.issues:
        making.run()
    return making.assembly()


@dataclass
class _Item:
    """A document or topic as far as rows have told."""

    row: int
    title: str = ""
    source: str = ""
    question: str = ""
    topic: str = ""
    references: dict[str, int] = field(default_factory=dict)  # text → row


class _Making:
    def __init__(self, grid: Grid, roles: Sequence[str]):
        self.grid, self.roles = grid, tuple(roles)
        self.place = {role: place for place, role in enumerate(self.roles) if role not in SEVERAL}
        self.references = [place for place, role in enumerate(self.roles) if role == "reference"]
        self.wide = [place for place, role in enumerate(self.roles) if role == "outputs"]
        self.about_documents = "source" in self.place
        self.issues: list[Issue] = []
        self.items: dict[str, _Item] = {}
        self.item_of_text: dict[str, str] = {}
        self.topics: dict[
            str, tuple[str, int]
        ] = {}  # id → description and row, where documents belong to topics
        self.topic_of_question: dict[str, str] = {}
        self.gold: dict[str, dict[str, bool]] = {}
        self.outputs: dict[tuple[str, str, str], tuple[OutputRow, int]] = {}  # system, item, kind
        self.counts: dict[tuple[str, str], int] = {}
        self.systems: dict[str, None] = {}
        self.nth: dict[str, int] = {}  # how many texts of a system there were
        self._check_roles()

    # --- what the columns are ---

    def _check_roles(self) -> None:
        if len(self.roles) != len(self.grid.columns) or any(role not in ROLES for role in self.roles):
            self._add(None, None, "Every column needs a role.")
            return
        for role in set(self.roles) - SEVERAL:
            if self.roles.count(role) > 1:
                names = [
                    name for name, given in zip(self.grid.columns, self.roles, strict=True) if given == role
                ]
                self._add(None, None, f"Only one column can be “{ROLES[role]}”; now {_listed(names)} are.")
        if self.wide and ("output" in self.place or "system" in self.place):
            self._add(
                None,
                None,
                "Outputs stand either in one column beside their system, or in a column per system, not both.",
            )
        if not self.wide and "output" not in self.place and not self.about_documents:
            self._add(None, None, "Say which column holds the texts to be judged.")
        if "topic" in self.place and not self.about_documents and "document" in self.place:
            self._add(None, None, "A topic is for documents with a source: give one of the two ids.")

    # --- row by row ---

    def run(self) -> None:
        for number, row in enumerate(self.grid.rows):
            if self.grid.has_header and tuple(cell.strip() for cell in row) == self.grid.columns:
                said = "This row repeats the names of the columns, and is left out."
                self._add(number, None, said, fatal=False)
            elif any(cell.strip() for cell in row):
                self._row(number)
        for key, item in self.items.items():
            if self.about_documents and not item.source:
                self._add(
                    item.row, self.place["source"], f"Document “{key}” has no source in any of its rows."
                )

    def _cell(self, row: int, role: str) -> str:
        place = self.place.get(role)
        return "" if place is None else self.grid.rows[row][place].strip()

    def _row(self, number: int) -> None:
        key = self._key(number)
        if not key:
            return
        item = self.items.setdefault(key, _Item(number))
        self._same(item, "source", number, key)
        self._same(item, "title", number, key, fatal=False)
        self._topic(item, number, key)
        for place in self.references:
            if text := self.grid.rows[number][place].strip():
                item.references.setdefault(text, number)
        if self.wide:
            for place in self.wide:
                self._output(number, place, key, self.grid.columns[place])
        elif "output" in self.place:
            self._output(number, self.place["output"], key, self._system(number))

    def _key(self, number: int) -> str:
        """The id of the document or topic; without a column of ids, the same text is the same one."""
        role = "document" if "document" in self.place or self.about_documents else "topic"
        if role in self.place:
            key = self._cell(number, role)
            if not key:
                self._add(number, self.place[role], "There is no id: which document is this about?")
            return self._usable_id(number, role, key)
        text = self._cell(number, "source") or self._cell(number, "question")
        if text:
            return self.item_of_text.setdefault(text, f"d{len(self.item_of_text) + 1}")
        if "source" in self.place or "question" in self.place:
            column = self.place.get("source", self.place.get("question"))
            self._add(number, column, "There is nothing to tell which document this is about.")
            return ""
        if "system" in self.place:
            # Each system's first text, its second …: as in files that are written one below the other.
            system = self._system(number)
            self.nth[system] = self.nth.get(system, 0) + 1
            return f"d{self.nth[system]}"
        return f"d{self.grid.number(number) - self.grid.first + 1}"

    def _usable_id(self, number: int, role: str, key: str) -> str:
        if key and (len(key) > _ID_MAX or not key.isprintable()):
            self._add(number, self.place[role], f"An id has one line of at most {_ID_MAX} characters.")
            return ""
        return key

    def _system(self, number: int) -> str:
        if "system" not in self.place:
            return self.grid.name or "system"
        system = self._cell(number, "system")
        if not system:
            self._add(number, self.place["system"], "Which system wrote this? The cell is empty.")
        return self._usable_id(number, "system", system)

    def _same(self, item: _Item, role: str, number: int, key: str, *, fatal: bool = True) -> None:
        """What the rows of one item say of it is the same in all; a row may leave it out."""
        text = self._cell(number, role)
        known = getattr(item, role)
        if text and known and text != known:
            message = f"“{key}” has another {role} here than in row {self.grid.number(item.row)}."
            self._add(number, self.place[role], message, fatal=fatal)
        elif text and not known:
            setattr(item, role, text)

    def _topic(self, item: _Item, number: int, key: str) -> None:
        question = self._cell(number, "question")
        if not self.about_documents:
            self._same(item, "question", number, key)
            return
        name = self._usable_id(number, "topic", self._cell(number, "topic")) if "topic" in self.place else ""
        if not name and question:
            name = self.topic_of_question.setdefault(question, f"t{len(self.topic_of_question) + 1}")
        if not name:
            return
        if item.topic and item.topic != name:
            self._add(number, self.place.get("topic"), f"“{key}” belongs to “{item.topic}” in another row.")
            return
        item.topic = name
        known, row = self.topics.setdefault(name, (question, number))
        if question and not known:
            self.topics[name] = (question, row)
        elif question and question != known:
            message = f"Topic “{name}” says something else in row {self.grid.number(row)}."
            self._add(number, self.place["question"], message)
        self._relevance(number, name, key)

    def _relevance(self, number: int, topic: str, key: str) -> None:
        word = self._cell(number, "relevant").lower()
        if word in _YES | _NO:
            self.gold.setdefault(topic, {})[key] = word in _YES
        elif word:
            self._add(number, self.place["relevant"], f"“{word[:40]}” is neither yes nor no.")

    def _output(self, number: int, place: int, key: str, system: str) -> None:
        if not system:
            return
        self.systems.setdefault(system)
        text = self.grid.rows[number][place].strip()
        if not text:
            self._add(
                number, place, f"“{system}” has no text on “{key}”; this piece is left out.", fatal=False
            )
            return
        kind = self._cell(number, "kind")
        about = {"document": key} if self.about_documents else {"topic": key}
        output = self._made(
            OutputRow,
            {"system": system, **about, "text": text, "kind": kind, "author": self._cell(number, "author")},
            number,
        )
        if output is None:
            return
        self.counts[key, system] = self.counts.get((key, system), 0) + 1
        known = self.outputs.setdefault((system, key, kind), (output, number))
        if known[1] != number or known[0] is not output:
            self._double(number, place, known, text, system, key)

    def _double(
        self, number: int, place: int, known: tuple[OutputRow, int], text: str, system: str, key: str
    ) -> None:
        where = f"“{system}” has a text on “{key}” already, in row {self.grid.number(known[1])}"
        if known[0].text == text:
            self._add(number, place, f"{where}, the same one; this row adds nothing.", fatal=False)
        else:
            self._add(number, place, f"{where}: give one of them another id, or remove it.")

    # --- all together ---

    def _made(self, model: type[Row], values: dict[str, Any], number: int) -> Row | None:
        try:
            return model.model_validate({name: value for name, value in values.items() if value != ""})
        except ValidationError as error:
            for place, sentence in sentences(error, model):
                role = FIELD_ROLES.get(str(place[0]) if place else "", "")
                self._add(number, self.place.get(role), sentence[:1].upper() + sentence[1:])
            return None

    def _add(self, row: int | None, column: int | None, message: str, *, fatal: bool = True) -> None:
        self.issues.append(Issue(row, column, message, fatal))

    def assembly(self) -> Assembly:
        documents, topics = self._documents(), self._topics()
        references = list(self._references())
        outputs = list(self.outputs.values())
        materials = Materials(
            topics=tuple(row for row, _ in topics),
            documents=tuple(row for row, _ in documents),
            references=tuple(row for row, _ in references),
            outputs=tuple(row for row, _ in outputs),
            systems=tuple(SystemRow(id=name) for name in dict.fromkeys(key[0] for key in self.outputs)),
        )
        if len(self.systems) > MAX_SYSTEMS:
            message = f"There are {len(self.systems):,} systems; is the column of systems the right one?"
            self._add(None, self.place.get("system"), message)
        rows_of = {
            name: tuple(row for _, row in made)
            for name, made in (
                ("topics", topics),
                ("documents", documents),
                ("references", references),
                ("outputs", outputs),
            )
        }
        return Assembly(materials, tuple(self._ordered_issues()), self._matrix(materials), rows_of)

    def _ordered_issues(self) -> list[Issue]:
        ordered = sorted(
            self.issues, key=lambda issue: (not issue.fatal, -1 if issue.row is None else issue.row)
        )
        return ordered[:MAX_ISSUES]

    def _documents(self) -> list[tuple[DocumentRow, int]]:
        if not self.about_documents:
            return []
        made = (
            (
                self._made(
                    DocumentRow,
                    {"id": key, "topic": item.topic, "title": item.title, "text": item.source},
                    item.row,
                ),
                item,
            )
            for key, item in self.items.items()
            if item.source
        )
        return [(row, item.row) for row, item in made if row is not None]

    def _topics(self) -> list[tuple[TopicRow, int]]:
        if self.about_documents:
            rows: Iterable[tuple[dict[str, Any], int]] = (
                ({"id": key, "description": description, "gold": self.gold.get(key, {})}, row)
                for key, (description, row) in self.topics.items()
            )
        else:
            rows = (
                ({"id": key, "title": item.title, "description": item.question}, item.row)
                for key, item in self.items.items()
            )
        made = ((self._made(TopicRow, values, row), row) for values, row in rows)
        return [(row, number) for row, number in made if row is not None]

    def _references(self) -> Iterator[tuple[ReferenceRow, int]]:
        taken: set[str] = set()
        for key, item in self.items.items():
            about = {"document": key} if self.about_documents else {"topic": key}
            for number, (text, row) in enumerate(item.references.items(), start=1):
                name = _reference_id(key, number, taken)
                taken.add(name)
                made = self._made(ReferenceRow, {"id": name, **about, "text": text}, row)
                if made is not None:
                    yield made, row

    def _matrix(self, materials: Materials) -> Matrix:
        identical = {}
        for item in self.items:
            groups: dict[str, list[str]] = {}
            for index in materials.distinct_outputs(item):
                groups[str(index)] = [
                    materials.outputs[same].system for same in materials.same_outputs(index)
                ]
            several = tuple(tuple(dict.fromkeys(group)) for group in groups.values() if len(set(group)) > 1)
            if several:
                identical[item] = several
        return Matrix(tuple(self.items), tuple(self.systems), self.counts, identical)


def _reference_id(key: str, number: int, taken: Container[str]) -> str:
    """An id for a reference of an item. Ids of items may be as long as ids can be, and begin alike."""
    ending, again = f"-ref{number}", 1
    while (name := key[: _ID_MAX - len(ending)] + ending) in taken:
        again += 1
        ending = f"-{again}-ref{number}"
    return name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names[:-1]) + f" and “{names[-1]}”"
