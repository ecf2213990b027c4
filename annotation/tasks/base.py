"""What a task kind declares, in one place.

A kind knows texts, never systems: an :class:`Exhibit` has no field for who made a text, so a page built from it is
blind by construction. Everything here is plain Python and pydantic; the database is the services' business.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from annotation.strict import Strict

if TYPE_CHECKING:
    from annotation.designs import Deal, Design, Person


@dataclass(frozen=True)
class Text:
    """A text and its units. ``key`` is the experimenter's id; it goes into exports, never onto a page."""

    key: str
    text: str
    units: tuple[str, ...] = ()
    title: str = ""
    author: str = ""

    def __bool__(self) -> bool:
        return bool(self.text or self.units or self.title)


NO_TEXT = Text(key="", text="")


@dataclass(frozen=True)
class Exhibit:
    """All that a kind may know of a subject; what it does not have is ``NO_TEXT``."""

    output: Text = NO_TEXT
    reference: Text = NO_TEXT
    document: Text = NO_TEXT
    topic: Text = NO_TEXT  # text: the description
    details: Mapping[str, Any] = field(default_factory=dict)
    phase: str = ""
    elapsed: float = 0.0  # seconds since it was first shown, by the server's clock


@dataclass(frozen=True)
class SubjectPlan:
    """One thing to be judged, as indices into the lists of the study file's materials."""

    item: str
    output: int | None = None
    reference: int | None = None
    document: int | None = None
    topic: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    phase: str = ""
    practice: bool = False
    preparation: bool = False  # nothing is judged here: it comes before the pieces of its item, with them
    key: Mapping[str, Any] | None = None  # the expected answer, if it is practice
    authors: frozenset[str] = frozenset()  # who must not judge it, beside the output's author

    @property
    def counts(self) -> bool:
        """Whether it is a piece of work in numbers that people read."""
        return not self.practice and not self.preparation


@dataclass(frozen=True)
class Judged:
    """A judgment of an earlier phase, from which a later phase makes its subjects."""

    item: str
    document: int | None  # index into the materials, as in SubjectPlan
    topic: int | None
    author: str  # who judged: the assessor's author id, else the pseudonym
    answer: Any


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


class NotYet(Exception):
    """The next stage cannot begin; ``missing`` says why."""

    def __init__(self, missing: list[Missing]):
        super().__init__("; ".join(entry.message for entry in missing))
        self.missing = missing


class Row(NamedTuple):
    """What a judgment adds to the long table."""

    unit: str
    criterion: str
    value: float | None
    label: str


class Attribute(NamedTuple):
    """What scores need to know beside judgments: a line of the attributes file."""

    scope: str
    id: str
    name: str
    value: str


class Feedback(NamedTuple):
    """One line of feedback on a practice item."""

    field: str
    correct: bool
    message: str


class TaskKind(ABC):
    """A protocol. Subclasses are stateless; ``config`` is always the kind's own ``Config``."""

    slug: ClassVar[str]
    title: ClassVar[str]
    Config: ClassVar[type[Strict]]
    Answer: ClassVar[type[Strict]]  # a whole judgment
    Key: ClassVar[type[Strict]]  # the expected answer of a practice item, any part of an Answer
    needs_reference: ClassVar[bool] = False
    revisable: ClassVar[bool] = True  # False: what is submitted stays, whatever the study says about revising
    practisable: ClassVar[bool] = True  # False: an output alone is no item to practise on
    phases: ClassVar[tuple[str, ...]] = (
        "",
    )  # in order; each is opened by the experimenter when the one before is done

    @abstractmethod
    def subjects(self, config: Any, materials: Any) -> Iterable[SubjectPlan]:
        """What is to be judged, in the order of the file. ``materials``: annotation.study_files.schema.Materials."""

    def first_phase(self, config: Any) -> str:
        """The phase that opens with the study; a study may bring along what earlier phases would make."""
        return self.phases[0]

    def faults(self, config: Any, materials: Any) -> Iterable[Fault]:
        """What keeps ``subjects`` from being made of these materials, for whoever writes the study file."""
        return ()

    def later_subjects(
        self, config: Any, materials: Any, phase: str, judged: Sequence[Judged]
    ) -> Iterable[SubjectPlan]:
        """What a phase after the first has to judge, made from the judgments of the phases before."""
        return ()

    def deal(
        self,
        config: Any,
        design: Design,
        phase: str,
        subjects: Sequence[SubjectPlan],
        people: Sequence[Person],
        *,
        seed: int,
        already: Mapping[int, int] | None = None,
    ) -> list[Deal] | None:
        """Who gets what, if the protocol itself says so; None leaves it to the study's design."""
        return None

    def dealt_as(self, config: Any, design: Design, phase: str) -> Design | None:
        """The design that the deal follows, and with it the handing on of work; None: everybody gets everything."""
        return design

    def may_take_over(self, config: Any, person: Person, details: Mapping[str, Any]) -> bool:
        """Whether the protocol lets this person take over a subject; the service looks at who wrote the output."""
        return True

    def deal_described(self, config: Any, design: Design, n_people: int) -> str:
        """Who gets what and why, in a sentence or two for the study page, where ``deal`` says it."""
        return ""

    @abstractmethod
    def content(self, config: Any, exhibit: Exhibit, answer: Any) -> dict[str, Any]:
        """What the page shows at this stage of the answer (None: nothing answered yet).

        Plain JSON with texts, labels and questions, and nothing that identifies a system. What a later stage
        reveals is left out here until the saved answer has reached it, so that no page source gives it away.
        """

    @abstractmethod
    def missing(self, config: Any, exhibit: Exhibit, answer: Any) -> list[Missing]:
        """Everything that keeps a well-formed answer from being submitted, in the order of the page."""

    @abstractmethod
    def rows(self, config: Any, exhibit: Exhibit, answer: Any) -> Iterator[Row]:
        """The judgment as rows of the long table."""

    @abstractmethod
    def answer(self, config: Any, exhibit: Exhibit, rows: Sequence[Row]) -> Any:
        """The inverse of ``rows``, for judgments made elsewhere; ValueError says what does not fit."""

    def place(self, exhibit: Exhibit, place: Place) -> Place:
        """Where the rows stand; ``place`` is the output's system, the document, and the document or topic as item."""
        return place

    def part(self, exhibit: Exhibit) -> str:
        """What tells subjects with the same place apart, beside the reference; ``part_in`` finds it in a row."""
        return ""

    def part_in(self, system: str, unit: str) -> str:
        """The ``part`` of the subject that a row of the long table is about."""
        return ""

    def attributes(self, config: Any, materials: Any, judged: Iterable[Judged]) -> Iterable[Attribute]:
        """What this kind's scores need beside judgments, and beside the lengths of outputs, which are always there."""
        return ()

    @abstractmethod
    def simulate(self, config: Any, exhibit: Exhibit, *, quality: float, rng: random.Random) -> Any:
        """A plausible complete answer on a text of this quality (0 worst, 1 best)."""

    @abstractmethod
    def feedback(self, config: Any, exhibit: Exhibit, answer: Any, key: Any) -> list[Feedback]:
        """What to tell an assessor about a practice answer."""

    def needs(self, config: Any) -> frozenset[str]:
        """What an output must have to be judged: “reference”, or “document” (a source text)."""
        return frozenset({"reference"} if self.needs_reference else ())

    def key_faults(self, config: Any, exhibit: Exhibit, key: Any) -> list[str]:
        """What is wrong with the key of a practice item. A key may be partial: what a blank one lacks is no fault."""
        blank = self.missing(config, exhibit, self.Key())
        return [entry.message for entry in self.missing(config, exhibit, key) if entry not in blank]

    def amend(self, config: Any, previous: Any, answer: Any) -> Any:
        """What a draft or judgment becomes, given what the server has of it (None: nothing).

        A kind with stages fixes here what an earlier stage decided, whatever the browser sends.
        """
        return answer

    def stages(self, config: Any, exhibit: Exhibit) -> int:
        """How many times ``advance`` must be called before an answer can be submitted."""
        return 0

    def advance(self, config: Any, exhibit: Exhibit, answer: Any) -> Any:
        """The answer at its next stage, asked for by the assessor; ``NotYet`` says what it lacks."""
        raise NotYet([Missing("", "This task has no further step.")])
