"""What a metric family is: the contract between a family's module and everything that runs metrics.

A family (ROUGE, BLEU, METEOR, …) is one module with a ``FAMILY`` object and one line in the registry. It
does two things:

1. ``statistics(items, metrics)`` counts, once per output, what its metrics need: for each metric one row of
   numbers per output. **Rows of one metric can be added up**, over the outputs of a system or over any
   resampled set of them.
2. ``score(metric, rows)`` turns rows into scores, one per row. A row of one output gives the item's score;
   the sum of a system's rows gives its corpus score (``aggregates=("corpus",)``). A metric whose system
   score is a mean or median of item scores (ROUGE) has rows of length one that hold the score itself.

So significance tests of corpus-level metrics shuffle rows and call ``score`` on sums (Riezler & Maxwell
2005, Fig. 1).

What the caller guarantees: every item has at least one reference; texts may be empty, of one word, in any
script. What the family guarantees: no exception for any text, NaN (never a made-up number) where its
formula has no value, the same rows whatever the other items of the call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from metrics.automatic.text.prepared import Text
from metrics.signature import signature

Rows = npt.NDArray[np.float64]
Aggregate = Literal["corpus", "mean", "median"]


@dataclass(frozen=True)
class Metric:
    """One metric with all its options decided; its name says them, and it declares what holds for it."""

    name: str
    family: str
    options: tuple[tuple[str, object], ...] = ()
    """What the signature says, in order: ``(("case", "lc"), ("tok", "13a"))``."""
    higher_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    identity: float | None = None
    """The score of an output of several different words that equals its only reference; None when that
    varies."""
    monotone: bool = False
    """Whether adding a reference can never make the score worse ('best reference' metrics)."""
    references_ordered: bool = False
    """Whether the order of the references matters (it should not)."""
    aggregates: tuple[Aggregate, ...] = ("corpus",)
    """How a system score is made; with more than one, system-level names add ``-mean``, ``-median``."""
    default: bool = False
    """Whether it is computed when no metric is named."""
    listed: bool = True
    """Whether globs find it; an unlisted metric is found by its name, or by a glob that matches no listed
    one."""
    needs: tuple[Literal["dependencies", "trees"], ...] = ()
    """The parses it wants beside every text (:mod:`metrics.automatic.materials`); without them it is NaN."""
    least_references: int = 1
    """With fewer references than these it is NaN."""
    slow: str = ""
    """Why it is slow, said as a warning when it is computed; empty when it is not."""

    def system_names(self) -> dict[str, Aggregate]:
        """The names of its system-level scores: its own name, or one per aggregate when there are several."""
        if len(self.aggregates) == 1:
            return {self.name: self.aggregates[0]}
        return {f"{self.name}-{aggregate}": aggregate for aggregate in self.aggregates}

    def signature(
        self,
        *,
        level: str,
        n: int | str | None = None,
        references: str | None = None,
        aggregate: Aggregate | None = None,
    ) -> str:
        """How a score of this metric was made, as sacreBLEU writes it."""
        made = {"references": references, "level": level, "aggregation": aggregate, "n": n}
        return signature(self.name, {**dict(self.options), **made})


@dataclass(frozen=True)
class Item:
    """One output and its references, prepared; texts keep their tokens, so nothing is tokenised twice."""

    output: Text
    references: tuple[Text, ...]
    corpus: dict[str, Any] = field(default_factory=dict)
    """By family name, what its ``corpus`` gave for this item."""
    documents: tuple[Text, ...] = ()
    """The source documents of the item, where they are known."""


class Family(ABC):
    """A family of metrics; see the module's docstring."""

    name: ClassVar[str]

    @abstractmethod
    def metrics(self) -> Sequence[Metric]:
        """All its metrics, listed and unlisted, in the order of tables."""

    def named(self, names: Iterable[str]) -> list[Metric]:
        """The metrics of these names, for a family that lists some of those it can parse."""
        return [metric for name in names if (metric := self.parse(name)) is not None]

    def parse(self, name: str) -> Metric | None:
        """The metric of a name that ``metrics()`` does not list (an α of the user's own); None when it is
        no such name."""
        return None

    def corpus(self, references: Sequence[Sequence[Text]], metrics: Sequence[Metric]) -> Sequence[Any] | None:
        """What must be known of all references before any output is scored (NIST's information weights).

        ``references[i]`` are those of item *i*; returns one small picklable value per item, which its
        outputs find in ``Item.corpus[family.name]``, or None when the family needs nothing of the kind.
        """
        return None

    @abstractmethod
    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """For each metric asked for, an array with one row per item; outputs of one item share their
        reference texts."""

    @abstractmethod
    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score of each row (of one output, or of summed outputs); NaN where it is undefined."""
