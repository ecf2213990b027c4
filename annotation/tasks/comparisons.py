"""What the kinds share that show several outputs of an item and ask which is better: sets, what stands beside, page, reason.

Nothing here knows what is answered, and how: that is each kind's own. Outputs are known by their places, and on the page by
letters: A stands left, or on top.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import Field, field_validator, model_validator

from annotation.designs import MOST_PIECES, Deal, Design, DesignProblem, Person, too_many_pieces
from annotation.disagreement import Compared
from annotation.picking import picked, sets_number
from annotation.strict import Name, Strict, names_differ
from annotation.tasks.base import TaskKind
from annotation.tasks.terms import (
    Exhibit,
    Fault,
    Feedback,
    Missing,
    OnRequest,
    Record,
    Row,
    SubjectPlan,
    Text,
)
from annotation.words import gettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

LETTERS = "ABCDEFGH"
REASON = "reason"
HEADINGS = {"source": _("Source"), "reference": _("Reference"), "question": _("Question")}
ON_REQUEST = {"swiss", "active"}


class Sets(Strict):
    """Which outputs of an item stand together."""

    size: int = Field(default=2, ge=2, le=len(LETTERS), title="Texts on a page")
    pick: Literal["all", "balanced", "random", "anchor", "swiss", "active"] = Field(
        default="balanced",
        title="Which meet",
        description=(
            "balanced: any two systems equally often. all: every combination. random: drawn. anchor: one system with each other "
            "one. swiss, active: after what was judged so far, in a pool."
        ),
    )
    per_item: int = Field(default=1, ge=1, le=1000, title="Pages for each document")
    anchor: str = Field(
        default="", title="Anchor", description="The system that is on every page, with “anchor” above."
    )

    @model_validator(mode="after")
    def _room_for_more(self) -> Self:
        if self.pick in ON_REQUEST and self.per_item < 2:
            raise ValueError(
                f"“pick: {self.pick}” makes a first set of each item beforehand and further ones on request: let “per_item” be 2 "
                "or more, as many as an item gets in all"
            )
        return self

    @model_validator(mode="after")
    def _anchor_where_it_is_used(self) -> Self:
        if self.pick == "anchor" and not self.anchor:
            raise ValueError("“pick: anchor” needs “anchor”, the id of the system that is to be in every set")
        if self.anchor and self.pick != "anchor":
            raise ValueError("“anchor” is used only with “pick: anchor”; leave out one of them")
        return self


class Question(Strict):
    """One thing that is asked about a set."""

    name: Name
    title: str = Field(default="", title="Heading")
    question: str = Field(default="", title="Question", description="What exactly is asked.")

    @property
    def heading(self) -> str:
        return gettext(self.title) or self.name.replace("_", " ").replace("-", " ").capitalize()


class ComparisonConfig(Strict):
    """What a study may say of every comparison. A kind gives its own default question, and sizes of sets."""

    least: ClassVar[int] = 2  # texts in a set
    usual: ClassVar[int] = 2
    most: ClassVar[int] = len(LETTERS)

    beside: Literal["nothing", "source", "reference", "both", "question"] = Field(
        default="nothing", title="Beside the texts", description="What assessors see along with them."
    )
    criteria: tuple[Question, ...] = Field(
        min_length=1, title="Questions", description="Each is answered by itself."
    )
    differences: Literal["offered", "shown", "off"] = Field(
        default="offered",
        title="Differences between the texts",
        description="offered: assessors can have them marked. shown: they are marked from the start.",
    )
    reason: Literal["off", "optional", "required"] = Field(
        default="off", title="Reason", description="Whether assessors write why."
    )
    sets: Sets = Field(
        default_factory=dict,  # of the usual size
        validate_default=True,
        title="Which texts stand together",
    )

    @field_validator("sets", mode="before")
    @classmethod
    def _usual_size(cls, given: Any) -> Any:
        return {"size": cls.usual, **given} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [criterion.name for criterion in self.criteria]
        names_differ(names, "criteria")
        if REASON in names:
            raise ValueError(f"no criterion can be named “{REASON}”: that is where reasons are kept")
        if not self.least <= self.sets.size <= self.most:
            allowed = (
                f"of {self.least}" if self.least == self.most else f"of {self.least} to {self.most} outputs"
            )
            raise ValueError(f"“size” is {self.sets.size}, and this task takes sets {allowed}")
        return self


class ComparisonAnswer(Strict):
    """What every answer may have."""

    reason: str = Field(default="", max_length=10_000)


ConfigT = TypeVar("ConfigT", bound=ComparisonConfig)
AnswerT = TypeVar("AnswerT", bound=ComparisonAnswer)


class Comparison(TaskKind[ConfigT, AnswerT], Generic[ConfigT, AnswerT]):
    """The part of a kind that is the same for all comparisons."""

    compares = True
    practisable = False  # a row of practice names one output
    lower_wins: ClassVar[bool] = False  # whether a lower value is better, as a rank is
    shared_styles = ("assess/comparison.css",)

    # --- sets ---

    def subjects(self, config: ConfigT, materials: Materials) -> Iterable[SubjectPlan]:
        """The sets that ``sets`` asks for, item by item; with the first reference if one is shown."""
        return sets_picked(config.sets, materials, with_reference=config.beside in {"reference", "both"})

    def faults(self, config: ConfigT, materials: Materials) -> Iterator[Fault]:
        return sets_faults(config.sets, materials)

    def on_request(self, config: ConfigT) -> OnRequest | None:
        return sets_on_request(config.sets, with_reference=config.beside in {"reference", "both"})

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
        """The design's own, which must be a pool where sets are made on request."""
        if config.sets.pick in ON_REQUEST and not design.pool:
            raise DesignProblem(
                f"“pick: {config.sets.pick}” makes sets on request: say “pool: true” in the design, or pick sets in another way."
            )
        return None

    def deal_described(self, config: ConfigT, design: Design, n_people: int) -> str:
        return on_request_described(config.sets, design)

    def place_values(self, config: ConfigT, size: int, answer: AnswerT) -> list[float]:
        """By the first criterion, from the rows of the long table."""
        exhibit, record = Exhibit(outputs=(Text(),) * size), Record()
        name = config.criteria[0].name
        found = [0.0] * size
        for row in self.rows(config, exhibit, record, answer):
            if row.criterion == name and row.output is not None and row.value is not None:
                found[row.output] = -row.value if self.lower_wins else row.value
        return found

    def goodness(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> list[float]:
        return self.place_values(config, len(exhibit.outputs), answer)

    def needs(self, config: ConfigT) -> frozenset[str]:
        shown = {
            "source": {"document"},
            "reference": {"reference"},
            "both": {"document", "reference"},
        }
        return frozenset(shown.get(config.beside, set()))

    # --- the page ---

    def content(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT | None) -> dict[str, Any]:
        return {
            "texts": [
                {"letter": letter, "place": place, "text": output.text}
                for place, (letter, output) in enumerate(zip(LETTERS, exhibit.outputs, strict=False))
            ],
            "beside": [
                {"name": name, "heading": gettext(HEADINGS[name]), "title": text.title, "text": text.text}
                for name, text in _beside(config, exhibit)
            ],
            "criteria": [
                {"name": one.name, "heading": one.heading, "question": gettext(one.question)}
                for one in config.criteria
            ],
            "differences": config.differences,
            "reason": config.reason,
        }

    # --- answers ---

    def missing(self, config: ConfigT, exhibit: Exhibit, answer: AnswerT) -> list[Missing]:
        found = [
            Missing(name, gettext("There is no criterion “{name}”.", name=name))
            for name in sorted(self.answered(answer) - {criterion.name for criterion in config.criteria})
        ]
        for criterion in config.criteria:
            for problem in self.problems(config, len(exhibit.outputs), answer, criterion.name):
                several = f"{criterion.heading}: " if len(config.criteria) > 1 else ""
                found.append(Missing(problem.field, several + problem.message))
        if config.reason == "required" and not answer.reason.strip():
            found.append(Missing(REASON, gettext("Give the reason in a sentence.")))
        if config.reason == "off" and answer.reason:
            found.append(Missing(REASON, gettext("No reason is asked for.")))
        return found

    @abstractmethod
    def answered(self, answer: AnswerT) -> set[str]:
        """The names of the criteria that an answer speaks of."""

    @abstractmethod
    def problems(self, config: ConfigT, size: int, answer: AnswerT, name: str) -> Iterable[Missing]:
        """What keeps the answer to one criterion from counting; a field is the criterion, perhaps with ``:place``."""

    def values_compared(self, config: ConfigT, rows: Iterable[Row]) -> Iterator[Compared]:
        """Which text wins, criterion by criterion: 1, and 0 for the others. Where all are equal nobody does."""
        names = {criterion.name for criterion in config.criteria}
        by_criterion: dict[str, list[tuple[Row, float]]] = {}
        for row in rows:
            if row.criterion in names and row.value is not None:
                worth = -row.value if self.lower_wins else row.value
                by_criterion.setdefault(row.criterion, []).append((row, worth))
        for criterion, worths in by_criterion.items():
            best, worst = max(worth for _, worth in worths), min(worth for _, worth in worths)
            for row, worth in worths:
                yield Compared(row.output, row.unit, criterion, float(worth == best > worst))

    def reason_rows(self, record: Record, answer: AnswerT) -> Iterator[Row]:
        if answer.reason.strip():
            yield Row(record.set, REASON, None, answer.reason)

    def said(self, config: ConfigT, exhibit: Exhibit, rows: Sequence[Row], name: str) -> list[Row]:
        """The rows of one criterion by place, one each; ValueError says which is lacking."""
        by_place = {row.output: row for row in rows if row.criterion == name}
        for place in range(len(exhibit.outputs)):
            if place not in by_place:
                raise ValueError(f"criterion “{name}” has no row for one of the set’s outputs")
            if by_place[place].value is None:
                raise ValueError(f"criterion “{name}” has a row without a value")
        return [by_place[place] for place in range(len(exhibit.outputs))]

    def reason_in(self, rows: Sequence[Row]) -> str:
        return next((row.label for row in rows if row.criterion == REASON), "")

    def check_criteria(self, config: ConfigT, rows: Sequence[Row]) -> None:
        known = {criterion.name for criterion in config.criteria} | {REASON}
        for row in rows:
            if row.criterion not in known:
                raise ValueError(f"there is no criterion “{row.criterion}”")

    def compared(
        self, config: ConfigT, answer: AnswerT, key: AnswerT, part: Callable[[AnswerT, str], Any]
    ) -> list[Feedback]:
        """Whether each criterion that the key speaks of was answered as the key does."""
        return [
            Feedback(
                criterion.name,
                part(answer, criterion.name) == part(key, criterion.name),
                gettext("{what}: as expected.", what=criterion.heading)
                if part(answer, criterion.name) == part(key, criterion.name)
                else gettext("{what}: we would have answered otherwise.", what=criterion.heading),
            )
            for criterion in config.criteria
            if criterion.name in self.answered(key)
        ]


def sets_picked(sets: Sets, materials: Materials, *, with_reference: bool) -> Iterator[SubjectPlan]:
    """The sets that ``sets`` asks for, item by item; with the first reference if one is wanted."""
    items = dict.fromkeys(output.item for output in materials.outputs)
    distinct = {item: materials.distinct_outputs(item) for item in items}
    # What is made on request begins with one balanced set of each item.
    pick, per_item = ("balanced", 1) if sets.pick in ON_REQUEST else (sets.pick, sets.per_item)
    most = None if pick == "all" else per_item
    if sum(sets_number(len(distinct[item]), sets.size, most) for item in items) > MOST_PIECES:
        raise too_many_pieces()  # before they are made: all of them are there at once
    made = picked(
        tuple(tuple(_systems(materials, output) for output in distinct[item]) for item in items),
        pick=pick,
        size=sets.size,
        per_item=per_item,
        anchor=sets.anchor,
        seed=materials.seed,
    )
    for item, of_item in zip(items, made, strict=True):
        references = materials.references_of(item) if with_reference else ()
        reference = next(iter(references), None)
        for members in of_item:
            outputs = tuple(distinct[item][member] for member in members)
            yield SubjectPlan(item=item, outputs=outputs, reference=reference)


def sets_on_request(sets: Sets, *, with_reference: bool) -> OnRequest | None:
    """What the service that makes further sets needs to know."""
    if sets.pick not in ON_REQUEST:
        return None
    return OnRequest(sets.pick, sets.size, sets.per_item, with_reference)


def on_request_described(sets: Sets, design: Design) -> str:
    """How the sets come about, for the plan page."""
    if sets.pick not in ON_REQUEST:
        return ""
    how = {
        "swiss": "whoever was shown least meets those with about as many points so far, whom it has not met on the item",
        "active": "the system of which least is known meets others, the likelier the closer they are in strength",
    }[sets.pick]
    judged = "once" if design.assessors_per_item == 1 else f"{design.assessors_per_item} times"
    return (
        f"Open pool: whoever asks for work gets a set that is wanted, until each was judged {judged}; then a new set is made of "
        f"what was judged so far and stored, up to {sets.per_item} of each item: {how}. What is here now is the first set of each item."
    )


def sets_faults(sets: Sets, materials: Materials) -> Iterator[Fault]:
    """Items without the anchor, and materials in which nothing can be compared."""
    anchor = sets.anchor
    if not materials.outputs:
        return
    if anchor and anchor not in {output.system for output in materials.outputs}:
        yield Fault("", 0, f"the anchor “{anchor}” has no output; name a system that has one on every item.")
        return
    anchored = {output.item for output in materials.outputs if output.system == anchor}
    seen: set[str] = set()
    for index, output in enumerate(materials.outputs):
        if anchor and output.item not in anchored and output.item not in seen:
            yield Fault(
                "outputs",
                index,
                f"the anchor “{anchor}” has no output on “{output.item}”; add one, or pick sets in another way.",
            )
        seen.add(output.item)
    if all(len(materials.distinct_outputs(item)) < 2 for item in seen):
        yield Fault("", 0, "no item has two different outputs, so that there is nothing to compare.")


def listed(places: Iterable[int]) -> str:
    """Places as people read them: A, A and C, A, B and C."""
    letters = [LETTERS[place] for place in places]
    if len(letters) == 1:
        return letters[0]
    return gettext("{one} and {other}", one=", ".join(letters[:-1]), other=letters[-1])


def _systems(materials: Materials, output: int) -> tuple[str, ...]:
    """Everybody behind a text, in the order of the file."""
    return tuple(dict.fromkeys(materials.outputs[same].system for same in materials.same_outputs(output)))


def _beside(config: ComparisonConfig, exhibit: Exhibit) -> Iterator[tuple[str, Text]]:
    if config.beside in {"source", "both"}:
        yield "source", exhibit.document
    if config.beside in {"reference", "both"}:
        yield "reference", exhibit.reference
    if config.beside == "question":
        yield "question", exhibit.topic
