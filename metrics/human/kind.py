"""What a task kind declares on the side of scores: ``KIND``, at the end of its module, is all that the rest knows of it.

Scores with their functions, options and meanings in words, the tables beside them, and what sets the kind apart in
agreement and methods. Registries, commands, agreement, reports and pages are derived from it (:mod:`metrics.human.registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.human.base import HumanScore
from metrics.human.normalise import METHODS

if TYPE_CHECKING:
    from metrics.human.tables import ResultTable

TableMaker = Callable[[pd.DataFrame, pd.DataFrame | None, str], Iterator["ResultTable"]]
"""From the judgments that count of one task, the attributes if there are any, and the name of the task."""


RESERVED = frozenset({"judgments", "attributes", "task", "score", "level", "weights", "out", "json", "help"})
"""What every score is called with, and what the command line means by itself."""


@dataclass(frozen=True)
class Option:
    """An option that a score takes: a keyword of its function, and ``--NAME`` on the command line."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    flag: bool = False
    is_task: bool = False
    """Whether it names another task of the table."""


AVERAGING = (
    Option("normalise", "per assessor and criterion (default none)", choices=METHODS),
    Option("controls", "control items take part in an assessor's mean and deviation", flag=True),
    Option("average", "over assessors (default mean)", choices=("mean", "median")),
)
"""What every score takes that averages values on a scale (:class:`metrics.human.base.Averaging`)."""


@dataclass(frozen=True)
class Score:
    """A score by name: its function, the options that function takes, and what it means."""

    name: str
    function: Callable[..., HumanScore]
    """Called with the judgments, and ``attributes``, ``task`` and the options as keywords."""
    options: tuple[Option, ...] = ()
    meaning: str = ""
    """One plain sentence, for pages."""
    definition: str = ""
    """What follows “NAME is” in the methods of a paper, with the source in brackets."""
    higher_is_better: bool = True
    """Where it is not, tables say so in a column ``higher_is_better``, and the score is negated before any comparison."""

    def takes(self, option: str) -> bool:
        return any(known.name == option for known in self.options)


@dataclass(frozen=True)
class Marks:
    """Rows that only say which units belong together, ``reference/unit:peer-unit``, always with the same value."""

    criterion: str
    compared: str
    """The criterion whose rows tell who compared an output with a reference, whether anything was marked or not."""


@dataclass(frozen=True)
class Agreed:
    """What a coefficient comes to for many resamples at once: ``estimate`` takes how often each item counts, resamples × items."""

    estimate: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
    width: int
    """How many items there are to be drawn from."""
    items: int
    """How many of them have something that can be compared."""
    assessors: int


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement of a kind whose people agree on something else than the value of an output."""

    name: str
    function: Callable[[pd.DataFrame, pd.DataFrame | None], Agreed]
    """Called with the rows of a criterion, control items among them, and the attributes if there are any."""
    title: str
    """What it is called in tables."""
    definition: str
    """What it is in the methods of a paper."""
    symbol: str = ""
    """Its letter, where it is one that a sentence may give as the agreement of a task."""
    is_default: bool = True
    """Whether it is given without being asked for."""
    applies: Callable[[pd.DataFrame], bool] | None = None
    """To the rows of which criteria it applies, whether they have values or not; without it to all that have values."""


@dataclass(frozen=True)
class Marked:
    """What people marked in texts: ``counts`` (system, category, severity, errors, units), ``spans`` (assessor, system, item, unit,
    severity, category, start, end) and ``judged`` (assessor, system, item, unit), which says who looked where."""

    counts: pd.DataFrame
    severities: list[str]
    """Heaviest first."""
    spans: pd.DataFrame
    judged: pd.DataFrame


@dataclass(frozen=True)
class HumanKind:
    """A task kind as scores, tables and words."""

    slug: str
    scores: tuple[Score, ...] = ()
    names: Callable[[pd.DataFrame], Sequence[str]] | None = None
    """Which scores the judgments of one task can give; without it all that are declared."""
    criterion_score: Callable[[str], Score] | None = None
    """The score that any criterion of the kind is; None where only the scores declared are scores."""
    tables: TableMaker | None = None
    """What there is to show beside the mean scores."""
    first_over: str = ""
    """What an assessor's values of one output are averaged over before assessors are: “over the references …”."""
    pools_criteria: bool = False
    """Whether agreement is also given for all criteria together, where they have the same ends."""
    marks: Marks | None = None
    withheld: Callable[[pd.DataFrame | None, str], Mapping[str, str]] | None = None
    """Scores that would mislead in a task, by its attributes, each with the reason; reports leave them out and say why."""
    coefficients: tuple[Coefficient, ...] = ()
    """Agreement in the kind's own terms, the one that says most first; without any, agreement on the values of outputs."""
    as_compared: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    """The rows of a task under the criteria that people can agree on, where these are not the criteria of the table."""
    marked: Callable[[pd.DataFrame], Marked] | None = None
    """What people marked in texts, where they do, for the report to draw and to lay over each other."""
    needs_system: bool = True
    """Whether a judgment is about a system's output; texts that people write themselves answer no system."""
    has_means: bool = True
    """Whether the mean of two values of one person is a value; that of two answers, such as found or not, is none."""
    references: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    """Texts that people wrote and that can be references of automatic metrics: ``reference, item, text``, from all judgments."""
    answer_key: Callable[..., pd.DataFrame] | None = None
    """What responses are judged by, as references of POURPRE: called with the judgments, ``attributes`` and ``task``."""

    def __post_init__(self) -> None:
        names = [score.name for score in self.scores]
        if len(set(names)) < len(names):
            raise ValueError(f"kind {self.slug}: expected each score once, found {', '.join(names)}")
        for score in self.scores:
            if not (score.meaning and score.definition):
                raise ValueError(f"kind {self.slug}: expected a meaning and a definition of {score.name}")
            for option in score.options:
                if option.name in RESERVED:
                    raise ValueError(
                        f"kind {self.slug}: {score.name} cannot have an option called {option.name}"
                    )

    @property
    def has_scores(self) -> bool:
        return bool(self.scores) or self.criterion_score is not None

    def score_names(self, judgments: pd.DataFrame) -> list[str]:
        """The scores that the judgments of one task can give."""
        if self.names is not None:
            return list(self.names(judgments))
        return [score.name for score in self.scores]

    def scores_withheld(self, attributes: pd.DataFrame | None, task: str) -> Mapping[str, str]:
        """The scores that would mislead in this task, and why."""
        return {} if self.withheld is None else self.withheld(attributes, task)

    def score(self, name: str) -> Score | None:
        """The score that this kind means by a name: a declared one, or any criterion where criteria are scores."""
        declared = next((score for score in self.scores if score.name == name), None)
        if declared is None and self.criterion_score is not None:
            return self.criterion_score(name)
        return declared
