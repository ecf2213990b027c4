"""What a study may say of error spans, and what an assessor answers."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from annotation.strict import Strict, names_differ
from annotation.tasks.base import WithPreset
from annotation.tasks.comparisons import ON_REQUEST, Sets
from annotation.tasks.error_spans.presets import PRESETS
from metrics.cells import Parts

ERRORS, SCORE, NOTE, PREFILLED, INJECTED = "errors", "score", "note", "prefilled", "injected"
PREFERENCE, TRUE, ERROR = "preference", "true", "error"
RESERVED = frozenset({ERRORS, SCORE, NOTE, PREFILLED, INJECTED, PREFERENCE, TRUE})


class Severity(Strict):
    name: str = Field(min_length=1, max_length=60, title="Name")
    weight: float = Field(ge=0, title="Weight", description="What one such error costs in the score.")


class Scale(Strict):
    """A score for each unit. ``warn_below``: one below this without errors is asked about, once."""

    low: float = Field(default=0, title="From")
    high: float = Field(default=100, title="To")
    labels: dict[str, str] = Field(
        default_factory=dict, title="Words on the scale", description="One a line: value = words."
    )
    warn_below: float | None = Field(
        default=None,
        title="Ask back below",
        description="A score below this without errors is asked about, once.",
    )

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.low >= self.high:
            raise ValueError("the scale of “score” must rise from low to high")
        for value in self.labels:
            try:
                inside = self.low <= float(value) <= self.high
            except ValueError:
                inside = False
            if not inside:
                raise ValueError(f"“labels” of the score names “{value}”, which is not on its scale")
        return self


class Window(Strict):
    """Long documents are judged in pieces of so many units, with some around them to read."""

    units: int = Field(default=20, ge=1, le=1000, title="Units of a piece")
    context: int = Field(default=5, ge=0, le=1000, title="Units around it to read")


class ErrorSpansConfig(WithPreset):
    """Either a preset, or severities, categories or both."""

    presets = PRESETS
    beside: Literal["source", "reference", "nothing"] = Field(default="source", title="Beside the text")
    aligned: bool = Field(
        default=True, title="Pair by pair", description="Where both sides have the same number of units."
    )
    side: Literal["output", "both"] = Field(default="output", title="Errors are marked in")
    severities: tuple[Severity, ...] = Field(default=(), max_length=9, title="Severities")
    categories: dict[str, tuple[str, ...]] | Literal["free"] = Field(
        default_factory=dict,
        title="Categories",
        description="One a line, what is below it after a colon: Accuracy: Addition, Omission. The word free alone lets assessors type them.",
    )
    weights: dict[str, float] = Field(
        default_factory=dict,
        title="Other weights",
        description="One a line: severity or category = weight. The most specific counts.",
    )
    notes: tuple[str, ...] = Field(default=(), title="Categories that want a note", description="One a line.")
    whole_unit: tuple[str, ...] = Field(
        default=(),
        title="Categories that take the whole unit",
        description="One a line; they set the other errors of the unit aside.",
    )
    omission: Literal["source", "button", "both", "off"] = Field(
        default="button",
        title="What is missing is marked",
        description="In the source, by a button, by both, or not.",
    )
    omission_category: str = Field(default="", title="Category of what is missing")
    span: Literal["required", "optional"] = Field(
        default="required",
        title="Words must be marked",
        description="optional: a category alone takes the whole unit.",
    )
    question: str = Field(
        default="",
        title="Question about every error",
        description="To be answered by yes or no. Empty: none.",
    )
    max_errors: int = Field(default=0, ge=0, title="Errors of a unit, at most", description="0: no limit.")
    overlap: bool = Field(default=True, title="Errors may overlap")
    snap: Literal["word", "letter"] = Field(default="word", title="Marks end at a")
    score: Scale | None = Field(default=None, title="A score for each unit")
    document_score: bool = Field(default=False, title="A score for the document")
    reveal: Literal["all", "stepwise"] = Field(
        default="all", title="Units are shown", description="All at once, or one after the other."
    )
    window: Window | None = Field(default=None, title="Long documents in pieces")
    confirm: Literal["all", "each"] = Field(
        default="all",
        title="Errors that were marked before",
        description="Kept together, or confirmed one by one.",
    )
    sets: Sets | None = Field(default=None, title="Several texts side by side")
    shuffle: Literal["document", "unit"] = Field(
        default="document",
        title="Places are drawn",
        description="Of texts side by side: once for the document, or for each unit, so that no column is one system.",
    )
    preference: bool = Field(default=False, title="Ask which of two is better")
    attention: Literal["off", "inject"] = Field(
        default="off",
        title="Attention checks",
        description="inject: an error is put into some texts, to see whether it is found.",
    )
    guideline: str = Field(
        default="", title="Guideline", description="A sentence or two that stay in view with the text."
    )

    @field_validator("score", mode="before")
    @classmethod
    def _no_score(cls, given: Any) -> Any:
        """A preset's score can be taken away."""
        return None if given is False else given

    @field_validator("sets", mode="after")
    @classmethod
    def _not_on_request(cls, given: Sets | None) -> Sets | None:
        if given is not None and given.pick in ON_REQUEST:
            raise ValueError(f"“pick: {given.pick}” follows from who won, and here nobody wins or loses")
        return given

    @field_validator("categories", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        """A list of full names, in an order of one's own, is as good as a mapping."""
        if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
            return dict.fromkeys(given, ())
        return given

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.severities and not self.categories:
            raise ValueError(f"name a preset ({', '.join(PRESETS)}), or give severities or categories")
        names_differ([severity.name for severity in self.severities], "severities")
        for name in self.named:
            if name in RESERVED or name == ERROR:
                raise ValueError(
                    f"no category can be named “{name}”: the table of judgments uses the word itself"
                )
        if self.categories == "free" and self.span == "optional":
            raise ValueError("“span: optional” needs a list of categories to choose from")
        self._check_names()
        self._check_together()
        return self

    def _check_names(self) -> None:
        branches = () if self.categories == "free" else tuple(self.categories)
        for key, given in (
            ("notes", self.notes),
            ("whole_unit", self.whole_unit),
            ("omission_category", (self.omission_category,) if self.omission_category else ()),
        ):
            for name in given:
                if self.categories != "free" and name not in self.named and name not in branches:
                    raise ValueError(f"“{key}” names “{name}”, which is no category")
        known = {severity.name.lower() for severity in self.severities}
        for key in self.weights:
            first, _, rest = key.partition("/")
            category = rest if first.lower() in known else key
            if self.categories != "free" and category and not self._is_category(category):
                raise ValueError(f"“weights” names “{key}”, which is no severity and no category")

    def _is_category(self, name: str) -> bool:
        lower = name.lower()
        return any(lower == full.lower() or full.lower().startswith(lower + "/") for full in self.named)

    def _check_together(self) -> None:
        if self.beside == "nothing" and (self.side == "both" or self.omission in {"source", "both"}):
            raise ValueError(
                "with “beside: nothing” there is no source to mark errors in; set “side” and “omission”"
            )
        if self.preference and (self.sets is None or self.sets.size != 2):
            raise ValueError("“preference” asks which of two is better: give “sets: {size: 2}”")
        if self.shuffle == "unit":
            if self.sets is None:
                raise ValueError("“shuffle: unit” is for texts side by side: give “sets”")
            if self.preference or self.document_score:
                raise ValueError(
                    "with “shuffle: unit” no column is one text: leave out “preference” and “document_score”"
                )
        if self.window and self.document_score:
            raise ValueError(
                "“window” cuts documents, so that there is no “document_score” of one; leave out one of them"
            )

    @property
    def named(self) -> tuple[str, ...]:
        """All categories, by their full names; none where they are typed."""
        if isinstance(self.categories, str):
            return ()
        return tuple(
            f"{branch}/{name}" if name else branch
            for branch, names in self.categories.items()
            for name in (names or ("",))
        )

    @property
    def marks_source(self) -> bool:
        return self.beside != "nothing" and (self.side == "both" or self.omission in {"source", "both"})

    @property
    def heaviest(self) -> str:
        return max(self.severities, key=lambda severity: severity.weight).name if self.severities else ""

    @property
    def scale(self) -> Scale:
        return self.score or Scale()

    def wants_note(self, category: str) -> bool:
        return category in self.notes or category.partition("/")[0] in self.notes

    def weight(self, severity: str) -> float:
        return next((one.weight for one in self.severities if one.name == severity), 1.0)


# --- answers --------------------------------------------------------------------------------------------------------


class Span(Strict):
    """One error. ``side``: of the output, of the source, or that something is missing, which has no parts.

    ``suggestion``: the number of the prefilled span that it was, counted over the page; ``kept``: it was looked at and is right.
    ``true``: the answer to the study's question about every error.
    """

    parts: Parts = ()
    side: Literal["output", "source", "missing"] = "output"
    severity: str = Field(default="", max_length=60)
    category: str = Field(default="", max_length=200)
    note: str = Field(default="", max_length=10_000)
    true: bool | None = None
    suggestion: int | None = Field(default=None, ge=0)
    kept: bool = False


class UnitAnswer(Strict):
    """``none``: said to have no errors."""

    spans: tuple[Span, ...] = ()
    none: bool = False
    score: float | None = None


class OutputAnswer(Strict):
    """The units in their order, from the first that this page asks about."""

    units: tuple[UnitAnswer, ...] = ()
    score: float | None = None  # of the document


class Preferred(Strict):
    """Which of two outputs is better, or that neither is."""

    winner: int | None = Field(default=None, ge=0, le=1)
    tie: bool = False


class Injected(Strict):
    """An error that was put into a unit (from 1) of an output, and whether it was found."""

    output: int = Field(ge=0)
    unit: int = Field(ge=1)
    found: bool


class ErrorSpansAnswer(Strict):
    outputs: tuple[OutputAnswer, ...] = ()
    removed: tuple[int, ...] = ()  # numbers of prefilled spans
    preference: Preferred = Preferred()
    injected: Injected | None = None
