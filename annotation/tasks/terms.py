"""The terms in which the house and task kinds speak: what a page may show and what only the export knows, what is to be judged, rows of the
long table, and what an answer lacks. Plain Python: the database is the services' business."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from annotation.strict import Strict

AnswerT = TypeVar("AnswerT", bound=Strict)


@dataclass(frozen=True)
class Text:
    """A text and its units, as a page may show it."""

    text: str = ""
    units: tuple[str, ...] = ()
    title: str = ""
    prefilled: tuple[Mapping[str, Any], ...] = ()  # errors marked already, as PrefilledRow has them

    def __bool__(self) -> bool:
        return bool(self.text or self.units or self.title)


NO_TEXT = Text()


@dataclass(frozen=True)
class Exhibit:
    """All that a page may be made of. No field tells who made a text; what a subject does not have is ``NO_TEXT``."""

    outputs: tuple[Text, ...] = ()  # at their places: left or top first. Most kinds show one
    reference: Text = NO_TEXT
    document: Text = NO_TEXT
    topic: Text = NO_TEXT  # text: the description
    shown: Mapping[str, Any] = field(default_factory=dict)  # what only this kind has, and may show
    phase: str = ""
    elapsed: float = 0.0  # seconds since it was first shown, by the server's clock

    @property
    def output(self) -> Text:
        """The output, where the exhibit is about one."""
        return self.outputs[0] if len(self.outputs) == 1 else NO_TEXT


@dataclass(frozen=True)
class Record:
    """What only the export knows of a subject. It goes where rows are made and read, and never where pages are."""

    reference: str = ""  # ids, the experimenter's own
    document: str = ""
    topic: str = ""
    set: str = ""  # of a set of outputs: s1, s2 … within task and item
    noted: Mapping[str, Any] = field(default_factory=dict)  # what only this kind has, and must not show
    phase: str = ""


@dataclass(frozen=True)
class SubjectPlan:
    """One thing to be judged, as indices into the lists of the study file's materials.

    It is about no output, one, or a set of several with different texts; whatever else an item's systems wrote with the
    very same text is judged along with it (``Materials.distinct_outputs``).
    """

    item: str
    outputs: tuple[int, ...] = ()
    reference: int | None = None
    document: int | None = None
    topic: int | None = None
    shown: Mapping[str, Any] = field(default_factory=dict)  # as in Exhibit
    noted: Mapping[str, Any] = field(default_factory=dict)  # as in Record
    practice: bool = False
    preparation: bool = False  # nothing is judged here: it comes before the pieces of its item, with them
    key: Mapping[str, Any] | None = None  # the expected answer, if it is practice
    authors: frozenset[str] = frozenset()  # who must not judge it, beside the outputs' authors
    writer: str = ""  # whose it is with the order “model-author”, if not the reference's author's
    set: str = ""  # the set's id; the house numbers sets, in the order in which the kind names them
    control: int | None = None  # index into the task's control items, if it is one

    @property
    def output(self) -> int | None:
        """The output, where the subject is about one."""
        return self.outputs[0] if len(self.outputs) == 1 else None

    @property
    def counts(self) -> bool:
        """Whether it is a piece of work in numbers that people read."""
        return not self.practice and not self.preparation


@dataclass(frozen=True)
class Judged(Generic[AnswerT]):
    """A judgment of an earlier phase, from which a later phase makes its subjects."""

    item: str
    author: str  # who judged: the assessor's author id, else the pseudonym
    answer: AnswerT
    phase: str = ""
    about: str = ""  # the reference, where the subject has one, else the item
    assessor: str = ""  # the pseudonym, as in the long table


class Place(NamedTuple):
    """Where a judgment stands in the long table."""

    system: str
    document: str
    item: str


class Fault(NamedTuple):
    """What a task cannot work with: a row of the materials by its table and index, or with no table the task itself."""

    table: str  # as in Materials
    row: int
    message: str


class Missing(NamedTuple):
    """Why an answer cannot be submitted: which field, and a sentence for the assessor."""

    field: str
    message: str


REASONS_MAX = 200  # an answer that is nothing but faults must not get a reply many times its size


class NotYet(Exception):
    """The next stage cannot begin; ``missing`` says why."""

    def __init__(self, missing: list[Missing]):
        self.missing = missing[:REASONS_MAX]
        super().__init__("; ".join(entry.message for entry in self.missing))


class Row(NamedTuple):
    """What a judgment adds to the long table. ``output``: the place of the output it is about, where there are several."""

    unit: str
    criterion: str
    value: float | None
    label: str
    output: int | None = None


@dataclass(frozen=True)
class OnRequest:
    """Sets that are made when somebody asks for work: so many an item in all, of so many texts."""

    pick: str
    size: int
    per_item: int
    with_reference: bool


class Attribute(NamedTuple):
    """What scores need to know beside judgments: a line of the attributes file."""

    scope: str
    id: str
    name: str
    value: str


class TaskAttribute(Attribute):
    """One in which tasks of a study may differ: the export puts the task's name before the id."""


class Feedback(NamedTuple):
    """One line of feedback on a practice item."""

    field: str
    correct: bool
    message: str


def criteria_check(rows: Iterable[Row], known: Iterable[str], phase: str) -> None:
    """ValueError says which criterion is none of this phase."""
    known = tuple(known)
    if strange := [row.criterion for row in rows if row.criterion not in known]:
        raise ValueError(f"criterion “{strange[0]}” is not one of {phase}: {', '.join(known)}")
