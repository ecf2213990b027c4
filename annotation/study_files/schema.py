"""What a study file says, as types. The reader fills them, the writer writes them, the services store them."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from annotation.checks import CheckItems, Checks
from annotation.designs import Design
from annotation.languages import INTERFACES, document_language, optional_language_tag
from annotation.strict import Strict
from metrics.cells import LARGEST_NUMBER


def _one_line(value: str) -> str:
    """Ids and names are compared, listed and printed: no control characters, no white space around them."""
    for sign in () if value.isprintable() else value:
        if unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"}:
            raise ValueError(f"holds the control character U+{ord(sign):04X}; remove it")
    if value != value.strip():
        raise ValueError("has white space at its start or end; remove it")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; give a text")
    return value


def _interface(value: str) -> str:
    if value not in INTERFACES:
        raise ValueError(f"the pages cannot speak “{value}”; choose one of {', '.join(INTERFACES)}")
    return value


def _number_or_nothing(value: Any) -> Any:
    """A score that is undefined is no score, however it is written."""
    undefined = isinstance(value, str) and value.strip().lower() in {"", "nan", "na"}
    return None if undefined or (isinstance(value, float) and math.isnan(value)) else value


def _countable(value: float | None) -> float | None:
    if value is not None and abs(value) > LARGEST_NUMBER:
        raise ValueError(f"the number {value:g} is too large.")
    return value


Line = Annotated[str, AfterValidator(_one_line)]
Id = Annotated[Line, Field(min_length=1, max_length=200)]
Slug = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")]
NotBlank = Annotated[str, AfterValidator(_not_blank)]
Interface = Annotated[str, AfterValidator(_interface)]
OptionalId = Annotated[Line, Field(max_length=200)]


class TopicRow(Strict):
    id: Id
    title: str = ""
    description: str = ""
    gold: dict[str, bool] = Field(default_factory=dict)  # document id → relevant or not


class DocumentRow(Strict):
    id: Id
    topic: OptionalId = ""
    title: str = ""
    text: str = ""
    units: tuple[str, ...] | None = None  # as given; None: the splitter cuts the text

    @property
    def whole_text(self) -> str:
        return self.text if self.units is None else "\n".join(self.units)

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        if self.units is None and not self.text.strip():
            raise ValueError("“text” is empty; give a text.")
        _text_or_units(self.text, self.units)
        return self


def _text_or_units(text: str, units: tuple[str, ...] | None) -> None:
    if units is not None and text:
        raise ValueError("give either “text” or “units”, not both.")
    if units is not None and not units:
        raise ValueError("“units” is an empty list; give at least one unit.")
    for number, unit in enumerate(units or (), start=1):
        if not unit.strip():
            raise ValueError(f"unit {number} is empty; remove it.")


class ItemTextRow(Strict):
    """A text about a document or a topic, whole or in units."""

    document: OptionalId = ""
    topic: OptionalId = ""
    author: OptionalId = ""
    text: str = ""
    units: tuple[str, ...] | None = None  # as given; None: the splitter cuts the text

    @property
    def item(self) -> str:
        return self.document or self.topic

    @property
    def whole_text(self) -> str:
        return self.text if self.units is None else "\n".join(self.units)

    @model_validator(mode="after")
    def _one_item_one_text(self) -> Self:
        _one_item(self.document, self.topic)
        if self.units is None and not self.text.strip():
            raise ValueError("the text is empty; give “text” or “units”.")
        _text_or_units(self.text, self.units)
        return self


def _one_item(document: str, topic: str) -> None:
    if document and topic:
        raise ValueError("give either “document” or “topic”, not both.")
    if not document and not topic:
        raise ValueError("say what the text is about: give “document” or “topic”.")


class ReferenceRow(ItemTextRow):
    id: Id


class OutputRow(ItemTextRow):
    system: Id
    kind: Annotated[Line, Field(max_length=80)] = ""
    target: int | None = Field(default=None, ge=1, le=1_000_000_000)  # length asked for
    # For each of its units the units of the document (from 1) that it cites; nothing: it is not known what it cites.
    citations: tuple[tuple[Annotated[int, Field(ge=1)], ...], ...] = ()

    @model_validator(mode="after")
    def _citations_of_each_unit(self) -> Self:
        if not self.citations:
            return self
        if self.units is None or len(self.units) != len(self.citations):
            raise ValueError("“citations” needs “units”, and a list for each of them, if only an empty one.")
        if any(len(set(cited)) < len(cited) for cited in self.citations):
            raise ValueError("“citations” names a unit twice for one sentence; remove one of the two.")
        return self


class SystemRow(Strict):
    id: Id
    name: OptionalId = ""
    type: Literal["system", "baseline", "human"] = "system"


class QuestionRow(Strict):
    """A question that an author asks about a story, for cross comprehension, with the answer expected."""

    document: Id
    author: Id
    question: NotBlank
    answer: NotBlank


class ContributorRow(Strict):
    """Words of a model that say what a content unit says: code points of the whole text, its units joined by line breaks."""

    reference: Id
    parts: tuple[tuple[int, int], ...]


class ContentUnitRow(Strict):
    """A unit of content that outputs may have: of one reference, or of an item a nugget of the answer key or a unit of the pyramid."""

    id_is_local: ClassVar[bool] = True  # ids differ within what the unit belongs to

    id: Id
    reference: OptionalId = ""
    document: OptionalId = ""
    topic: OptionalId = ""
    text: NotBlank
    status: Literal["", "vital", "okay"] = ""
    comment: str = ""
    contributors: tuple[ContributorRow, ...] = ()

    @property
    def owner(self) -> str:
        """What it belongs to: a reference, a document or a topic."""
        return self.reference or self.document or self.topic

    @model_validator(mode="after")
    def _of_one(self) -> Self:
        if sum(map(bool, (self.reference, self.document, self.topic))) != 1:
            raise ValueError("say what the unit belongs to: give one of “reference”, “document” and “topic”.")
        if self.reference and (self.status or self.contributors):
            raise ValueError("a unit of one reference has neither “status” nor “contributors”.")
        if self.status and self.contributors:
            raise ValueError(
                "a nugget has a “status”, a unit of a pyramid “contributors”; leave out one of the two."
            )
        return self


class ScoreRow(Strict):
    metric: Id
    system: Id
    item: OptionalId = ""
    score: Annotated[
        float | None,
        Field(allow_inf_nan=False),
        BeforeValidator(_number_or_nothing),
        AfterValidator(_countable),
    ]
    higher_is_better: bool = True


class NamedOutputRow(Strict):
    """A row that names an output of a task, to do something special with it."""

    task: Id
    system: Id
    document: OptionalId = ""
    topic: OptionalId = ""
    kind: Annotated[Line, Field(max_length=80)] = (
        ""  # of the output, where the system has several for the item
    )
    reference: OptionalId = ""

    @property
    def item(self) -> str:
        return self.document or self.topic

    @model_validator(mode="after")
    def _about_one_item(self) -> Self:
        _one_item(self.document, self.topic)
        return self


class PracticeRow(NamedOutputRow):
    """An output to practise on, with the expected answer if feedback is wanted."""

    key: dict[str, Any] | None = None


def is_answer(expect: dict[str, Any]) -> bool:
    """Whether a control item expects an answer, like the key of a practice item, and not one of the sorts below."""
    return not expect.keys() & {"below", "marks"}


def _sort_of_expectation(expect: dict[str, Any]) -> None:
    """Beside an answer: ``{"below": "original"}`` (a worse grade than the output itself), or ``{"marks": "12:27"}``."""
    if "below" in expect and expect != {"below": "original"}:
        raise ValueError("“expect” can say only {“below”: “original”} where it says “below”.")
    if "marks" in expect and (
        set(expect) != {"marks"} or not re.fullmatch(r"(\d+/)?\d+:\d+", str(expect["marks"]))
    ):
        raise ValueError("“expect” must say where to mark as {“marks”: “12:27”}.")


class ControlRow(NamedOutputRow):
    """An output to control assessors with. ``text`` or ``units`` stand in its place; ``expect`` is what a careful one answers."""

    type: Literal["gold", "repeat", "degraded", "attention"]
    text: str = ""
    units: tuple[str, ...] | None = None
    expect: dict[str, Any] | None = None
    made: bool = False  # by the program when the study opened, as its ``checks`` asked for

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if self.units is not None and self.text:
            raise ValueError("give either “text” or “units”, not both.")
        has_text = self.units is not None or bool(self.text.strip())
        if self.type == "degraded" and not has_text:
            raise ValueError("a degraded output needs the changed “text” or “units”.")
        if self.type in {"gold", "repeat"} and has_text:
            raise ValueError(f"a {self.type} item shows the output as it is; leave out its text.")
        if self.type in {"gold", "attention"} and not self.expect:
            raise ValueError(f"say in “expect” what a careful assessor answers to this {self.type} item.")
        if self.expect is not None:
            _sort_of_expectation(self.expect)
        if self.type != "degraded" and self.expect and "below" in self.expect:
            raise ValueError("only a degraded output can be expected to be graded below the original.")
        if self.type == "repeat" and self.expect is not None:
            raise ValueError("a repeat is compared with the first answer; leave out “expect”.")
        if self.made and self.type not in {"repeat", "degraded"}:
            raise ValueError(f"a {self.type} item is given, not made; leave out “made”.")
        return self


class PrefilledRow(Strict):
    """An error that somebody has marked already, for assessors to keep, change or remove; without a task, in all that take such.

    ``start`` and ``end`` count code points of the unit (from 1) from 0, the end exclusive. Without both, something is missing there.
    """

    task: OptionalId = ""
    system: Id
    document: OptionalId = ""
    topic: OptionalId = ""
    kind: Annotated[Line, Field(max_length=80)] = ""
    unit: int = Field(ge=1)
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=1)
    side: Literal["output", "source"] = "output"
    severity: Annotated[Line, Field(max_length=200)] = ""
    category: Annotated[Line, Field(max_length=200)] = ""

    @property
    def item(self) -> str:
        return self.document or self.topic

    @model_validator(mode="after")
    def _a_span_of_one_item(self) -> Self:
        _one_item(self.document, self.topic)
        if (self.start is None) != (self.end is None):
            raise ValueError("give both “start” and “end”, or neither for something that is missing.")
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError("“end” must be greater than “start”: it is exclusive.")
        if self.start is None and self.side == "source":
            raise ValueError("what is missing is missing from the output; leave out “side”.")
        return self


class AssessorRow(Strict):
    name: Annotated[Line, Field(min_length=1, max_length=120)]
    group: Annotated[Line, Field(max_length=80)] = ""
    author: OptionalId = ""


class TaskRow(Strict):
    """A task: what all kinds have, and the kind's own configuration: as the file gives it, valid for its Config."""

    kind: str
    name: str = Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    design: Design | None = None
    checks: CheckItems | None = None
    config: dict[str, Any] = Field(default_factory=dict)


class Settings(Strict):
    """Choices that concern the whole study."""

    interface: Interface = "en"  # the language of the assessors' pages; that of the texts is the study's own
    # Of documents, where outputs and all that is said of them are in another; empty: the study's own.
    source_language: Annotated[str, AfterValidator(optional_language_tag)] = ""
    revise: bool = False  # assessors may go back to items they have submitted
    undo: bool = True  # for a moment after a submit they may open it again, where the protocol lets them
    aids: tuple[
        Literal["shared_words", "scroll_together", "highlighter"], ...
    ] = ()  # they may bias: off unless asked for
    abandon_after_minutes: int = Field(
        default=120, ge=1, le=10 * 525_600
    )  # then a leased pool item goes back
    # After so many hours others take over a missing assessor's work; None: never.
    reassign_after_hours: int | None = Field(default=None, ge=1, le=10 * 8_760)


@dataclass(frozen=True)
class Materials:
    topics: tuple[TopicRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    references: tuple[ReferenceRow, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    systems: tuple[SystemRow, ...] = ()
    questions: tuple[QuestionRow, ...] = ()
    units: tuple[ContentUnitRow, ...] = ()
    metric_scores: tuple[ScoreRow, ...] = ()
    seed: int = field(default=0, compare=False)  # the study's, for kinds that draw which sets to show
    language: str = field(default="en", compare=False)  # the study's, for kinds that need texts in units
    source_language: str = field(default="", compare=False)  # as its settings have it

    @property
    def document_language(self) -> str:
        return document_language(self.language, self.source_language)

    def language_of(self, row: ItemTextRow | ControlRow | DocumentRow) -> str:
        return language_of(row, self)

    def distinct_outputs(self, item: str) -> list[int]:
        """Indices of an item's outputs, of equal texts (but for white space around them) the first."""
        return [indices[0] for indices in self._outputs_by_text.get(item, {}).values()]

    def same_outputs(self, output: int) -> list[int]:
        """Indices of the outputs of the same item that have this one's text, itself among them."""
        row = self.outputs[output]
        return self._outputs_by_text[row.item][row.whole_text.strip()]

    @cached_property
    def _outputs_by_text(self) -> dict[str, dict[str, list[int]]]:
        found: dict[str, dict[str, list[int]]] = {}
        for index, output in enumerate(self.outputs):
            found.setdefault(output.item, {}).setdefault(output.whole_text.strip(), []).append(index)
        return found

    def units_of(self, owner: str) -> list[ContentUnitRow]:
        """The content units of a reference, a document or a topic, in the order of the file."""
        return self._units_by_owner.get(owner, [])

    @cached_property
    def _units_by_owner(self) -> dict[str, list[ContentUnitRow]]:
        found: dict[str, list[ContentUnitRow]] = {}
        for unit in self.units:
            found.setdefault(unit.owner, []).append(unit)
        return found

    def references_of(self, item: str) -> list[int]:
        """Indices of the references of a document or topic, in the order of the file."""
        return self._references_by_item.get(item, [])

    @cached_property
    def _references_by_item(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, reference in enumerate(self.references):
            found.setdefault(reference.item, []).append(index)
        return found


@dataclass(frozen=True)
class StudyFile:
    name: str
    slug: str
    seed: int
    materials: Materials
    tasks: tuple[TaskRow, ...]
    language: str = "en"
    instructions: str = ""  # the Markdown text, not the file's name
    consent: str = ""
    contact: str = ""
    settings: Settings = field(default_factory=Settings)
    design: Design = field(default_factory=Design)
    checks: Checks = field(default_factory=Checks)
    practice: tuple[PracticeRow, ...] = ()
    controls: tuple[ControlRow, ...] = ()
    prefilled: tuple[PrefilledRow, ...] = ()
    assessors: tuple[AssessorRow, ...] = ()

    @property
    def document_language(self) -> str:
        return document_language(self.language, self.settings.source_language)


class InLanguages(Protocol):
    """What has texts: a study as stored or as a file, or its materials alone."""

    @property
    def language(self) -> str: ...

    @property
    def document_language(self) -> str: ...


def language_of(row: ItemTextRow | ControlRow | DocumentRow, study: InLanguages) -> str:
    """By which language's rules a text is cut: a document by that of documents, all else by the study's."""
    return study.document_language if isinstance(row, DocumentRow) else study.language
