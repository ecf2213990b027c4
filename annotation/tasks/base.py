"""What a task kind declares, in one place.

A kind knows texts, never systems. What a page may show (:class:`Exhibit`) and what only the export knows (:class:`Record`)
are two types, and the methods that make pages get the first alone: a page is blind by construction. Everything here is
plain Python and pydantic; the database is the services' business.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from pydantic import model_validator

from annotation.disagreement import Compared
from annotation.strict import Strict
from annotation.tasks.terms import (
    AnswerT,
    Attribute,
    Exhibit,
    Fault,
    Feedback,
    Judged,
    Missing,
    NotYet,
    OnRequest,
    Place,
    Record,
    Row,
    SubjectPlan,
    Text,
)
from annotation.words import gettext

if TYPE_CHECKING:
    from annotation.designs import Deal, Design, Person
    from annotation.study_files.schema import Materials


ConfigT = TypeVar("ConfigT", bound=Strict)


class WithPreset(Strict):
    """A configuration that may begin with a preset; what the preset says can be overridden field by field."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    preset: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_preset(cls, given: Any) -> Any:
        if not isinstance(given, dict) or not given.get("preset"):
            return given
        if given["preset"] not in cls.presets:
            there = "there is" if len(cls.presets) == 1 else "there are"
            raise ValueError(f"unknown preset “{given['preset']}”; {there} {', '.join(cls.presets)}")
        return {**cls.presets[given["preset"]], **given}


class Example(NamedTuple):
    """A way of using a kind: what a study says, and what is special about the subject, as fields of both types."""

    config: Mapping[str, Any] = {}
    exhibit: Mapping[str, Any] = {}
    record: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Template:
    """A whole way of using a kind, to begin a study with: a configuration, what assessors are told, a usual design.

    ``fitted``: what of the configuration follows from the texts, such as which systems there are.
    """

    name: str  # as a slug; also the name of the task that it makes
    title: str
    about: str  # a sentence for whoever chooses: what assessors do
    config: Mapping[str, Any]
    instructions: str  # Markdown, a draft to be changed
    design: Mapping[str, Any] = field(default_factory=lambda: {"assessors_per_item": 2})
    fitted: Callable[[Materials], Mapping[str, Any]] | None = None
    kind: str = ""  # the slug; the registry puts it in

    def configured(self, materials: Materials) -> dict[str, Any]:
        """The configuration for these texts."""
        return {**self.config, **(self.fitted(materials) if self.fitted else {})}


class TaskKind(ABC, Generic[ConfigT, AnswerT]):
    """A protocol. Subclasses are stateless, and name their own ``Config`` and ``Answer``."""

    slug: ClassVar[str]
    title: ClassVar[str]
    Config: type[ConfigT]
    Answer: type[AnswerT]  # a whole judgment; of a practice item's expected answer, any part
    needs_reference: ClassVar[bool] = False
    revisable: ClassVar[bool] = True  # False: what is submitted stays, whatever the study says about revising
    practisable: ClassVar[bool] = True  # False: an output alone is no item to practise on
    compares: ClassVar[bool] = (
        False  # True: its subjects are sets, and the unit of a row begins with the set's id
    )
    takes_prefilled: ClassVar[bool] = False  # True: errors that the study file brings along can be shown
    controls: ClassVar[bool] = (
        True  # False: its order is the protocol's own, and control items cannot be put into it
    )
    # Style sheets that it shares with other kinds, as static files; its own come after them.
    shared_styles: ClassVar[tuple[str, ...]] = ()
    # In order; each is opened by the experimenter when the one before is done.
    phases: ClassVar[tuple[str, ...]] = ("",)
    # True: its first phase makes a key by which the next one judges. Of several that were made, the experimenter chooses one; a
    # later change is a new version, by which what was judged is judged again.
    builds: ClassVar[bool] = False
    disagreement_from: ClassVar[float] = (
        0.5  # the share of the scale from which on people disagree; less where many units are averaged
    )
    examples: ClassVar[tuple[Example, ...]]  # ways of using it, over which every check of the house runs

    @abstractmethod
    def subjects(self, config: ConfigT, materials: Materials) -> Iterable[SubjectPlan]:
        """What is to be judged, in the order of the file. ``materials``: annotation.study_files.schema.Materials."""

    def first_phase(self, config: ConfigT) -> str:
        """The phase that opens with the study; a study may bring along what earlier phases would make."""
        return self.phases[0]

    def faults(self, config: ConfigT, materials: Materials) -> Iterable[Fault]:
        """What keeps ``subjects`` from being made of these materials, for whoever writes the study file."""
        return ()

    def later_subjects(
        self, config: ConfigT, materials: Materials, phase: str, judged: Sequence[Judged[AnswerT]]
    ) -> Iterable[SubjectPlan]:
        """What a phase after the first has to judge, made from the judgments of the phases before."""
        return ()

    def deal(
        self,
        config: ConfigT,
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

    def dealt_as(self, config: ConfigT, design: Design, phase: str) -> Design | None:
        """The design that the deal follows, and with it the handing on of work; None: everybody gets everything."""
        return design

    def takes_part(self, config: ConfigT, phase: str, person: Person) -> bool:
        """Whether this person has a part in a phase; a protocol may leave phases to groups."""
        return True

    def later_lacking(self, config: ConfigT, people: Sequence[Person]) -> str:
        """Whom a later phase will want who is not there yet, in a sentence: better known before the first one is done."""
        return ""

    def may_take_over(self, config: ConfigT, person: Person, record: Record) -> bool:
        """Whether the protocol lets this person take over a subject; the service looks at who wrote the outputs."""
        return self.takes_part(config, record.phase, person)

    def key_described(self, config: ConfigT, answer: AnswerT) -> str:
        """How much is in a key that somebody built, in a word or two for the experimenter who chooses."""
        return ""

    def key_shown(self, shown: Mapping[str, Any]) -> AnswerT | None:
        """The key by which a subject is judged that shows this; None where scores need nothing of it."""
        return None

    def joined(self, config: ConfigT, answers: Sequence[AnswerT]) -> AnswerT | None:
        """One key made of several, for its builder to go on with; None where the kind cannot join keys."""
        return None

    def carried(self, config: ConfigT, before: Exhibit, exhibit: Exhibit, answer: AnswerT) -> AnswerT:
        """What of an answer by an earlier version of the key, shown ``before``, still stands with the new one."""
        return answer

    def on_request(self, config: ConfigT) -> OnRequest | None:
        """How further sets are made of judgments so far, in a pool; None where all sets are there when a study opens."""
        return None

    def place_values(self, config: ConfigT, size: int, answer: AnswerT) -> Sequence[float]:
        """What an answer says of the text at each place of a set, higher being better; for kinds with sets ``on_request``."""
        raise NotImplementedError

    def goodness(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> list[float] | None:
        """How good an answer says the text at each place is, higher being better; None where it says nothing of the sort.

        For whether a text that was made worse is seen to be: nothing is scored by it.
        """
        return None

    def deal_described(self, config: ConfigT, design: Design, n_people: int) -> str:
        """Who gets what and why, in a sentence or two for the study page, where ``deal`` says it."""
        return ""

    @abstractmethod
    def content(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT | None) -> dict[str, Any]:
        """What the page shows at this stage of the answer (None: nothing answered yet).

        Plain JSON with texts, labels and questions, and nothing that identifies a system. What a later stage
        reveals is left out here until the saved answer has reached it, so that no page source gives it away.
        """

    @abstractmethod
    def missing(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> list[Missing]:
        """Everything that keeps a well-formed answer from being submitted, in the order of the page."""

    @abstractmethod
    def rows(self, config: ConfigT, exhibit: Exhibit, record: Record, answer: AnswerT) -> Iterator[Row]:
        """The judgment as rows of the long table."""

    @abstractmethod
    def answer(self, config: ConfigT, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> AnswerT:
        """The inverse of ``rows``, for judgments made elsewhere; ValueError says what does not fit."""

    def key_rows(self, config: ConfigT, exhibit: Exhibit, record: Record, key: AnswerT) -> Iterator[Row]:
        """What a key expects, as rows. A key may be a part of an answer: a kind that takes parts says here which rows they are."""
        if not self.missing(config, exhibit, key):
            yield from self.rows(config, exhibit, record, key)

    def answer_in_words(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> str:
        """What a whole answer says, in a line for whoever gave it. It is made of rows without a record: a page is blind."""

        def said(row: Row) -> str:
            value = gettext(row.label) or ("" if row.value is None else f"{row.value:g}")
            return " ".join(
                [row.criterion, *([] if row.output is None else [chr(65 + row.output)]), value]
            ).strip()

        return ", ".join(said(row) for row in self.rows(config, exhibit, Record(), answer))

    def answer_told(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> list[str]:
        """What a whole answer says, line by line, for whoever decides between several: as blind as ``answer_in_words``."""
        return [
            ": ".join(filter(None, (_row_place(row), gettext(row.label) or _number(row.value))))
            for row in self.rows(config, exhibit, Record(), answer)
        ]

    def scale_ends(self, config: ConfigT) -> Mapping[str, tuple[float, float]]:
        """By criterion, the least and the greatest value of its rows; only those by which people can be compared."""
        return {}

    def values_compared(self, config: ConfigT, rows: Iterable[Row]) -> Iterator[Compared]:
        """What of these rows others can agree with, as shares of the scale (``annotation/disagreement.py``).

        Rows of a set come with the text in place of its place, which differs from person to person.
        """
        ends = self.scale_ends(config)
        for row in rows:
            if row.value is not None and row.criterion in ends:
                low, high = ends[row.criterion]
                yield Compared(row.output, row.unit, row.criterion, (row.value - low) / (high - low))

    def units_compared(self, config: ConfigT, exhibit: Exhibit) -> Mapping[tuple[int, str], int]:
        """Units of which somebody may say nothing, and that is said, too: place of the text and unit, with its length in characters."""
        return {}

    def place(self, record: Record, place: Place) -> Place:
        """Where the rows stand; ``place`` is the output's system, the document, and the document or topic as item."""
        return place

    def part(self, record: Record) -> str:
        """What tells subjects with the same place apart, beside the reference; ``part_in`` finds it in a row."""
        return record.set

    def compares_in(self, config: ConfigT) -> bool:
        """Whether subjects are sets in a task of this configuration."""
        return self.compares

    def shuffles_units(self, config: ConfigT) -> bool:
        """Whether the texts of a set change their places from unit to unit."""
        return False

    def part_in(self, config: ConfigT, system: str, unit: str) -> str:
        """The ``part`` of the subject that a row of the long table is about."""
        return unit.partition("/")[0] if self.compares_in(config) else ""

    def attributes(
        self, config: ConfigT, materials: Materials, judged: Iterable[Judged[AnswerT]]
    ) -> Iterable[Attribute]:
        """What this kind's scores need beside judgments, and beside the lengths of outputs, which are always there."""
        return ()

    @abstractmethod
    def simulate(
        self,
        config: ConfigT,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> AnswerT:
        """A plausible complete answer on texts of these qualities (0 worst, 1 best), one for each place, or one alone."""

    @abstractmethod
    def feedback(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT, key: AnswerT) -> list[Feedback]:
        """What to tell an assessor about a practice answer."""

    def needs(self, config: ConfigT) -> frozenset[str]:
        """What an output must have to be judged: “reference”, or “document” (a source text)."""
        return frozenset({"reference"} if self.needs_reference else ())

    def key_faults(self, config: ConfigT, exhibit: Exhibit, key: AnswerT) -> list[str]:
        """What is wrong with the key of a practice item. A key may be partial: what a blank one lacks is no fault."""
        blank = self.missing(config, exhibit, self.Answer())
        return [entry.message for entry in self.missing(config, exhibit, key) if entry not in blank]

    def prefilled_fault(
        self, config: ConfigT, output: Text, document: Text, suggestion: Mapping[str, Any]
    ) -> str:
        """What keeps an error that the study file brings along from being shown, for whoever writes the file."""
        return ""

    def amend(self, config: ConfigT, previous: AnswerT | None, answer: AnswerT) -> AnswerT:
        """What a draft or judgment becomes, given what the server has of it (None: nothing).

        A kind with stages fixes here what an earlier stage decided, whatever the browser sends.
        """
        return answer

    def stages(self, config: ConfigT, exhibit: Exhibit) -> int:
        """How many times ``advance`` must be called before an answer can be submitted."""
        return 0

    def stage(self, config: ConfigT, answer: AnswerT) -> int:
        """Which stage an answer was given at. A page of another one changes nothing that ``amend`` fixes, and is told to load anew."""
        return 0

    def advance(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> AnswerT:
        """The answer at its next stage, asked for by the assessor; ``NotYet`` says what it lacks."""
        raise NotYet([Missing("", gettext("This task has no further step."))])


def _row_place(row: Row) -> str:
    """Which text, unit and criterion a row is about."""
    text = "" if row.output is None else chr(65 + row.output)
    return " ".join(filter(None, (text, row.unit.lstrip("/"), row.criterion)))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
