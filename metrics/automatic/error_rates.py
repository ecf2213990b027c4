"""What WER and PER have in common: the lowest distance to a reference, divided by a reference length (Leusch et al. 2005, §2.1).

Distances and lengths are summed over a system's outputs before they are divided. References without words are left out;
an output with no other reference has no score.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.preparation import Preparation
from metrics.automatic.reference_length import LengthRule, distance_and_length
from metrics.automatic.text.prepared import Text

DEFAULT = Preparation()
RULE = r"(?:-(?P<rule>average-nearest|average|nearest))?"
"""The part of a name that says the rule of reference length; without it, ``best``."""

UNDEFINED = (np.nan, np.nan)


@dataclass(frozen=True)
class ErrorRate:
    """One error rate with its options; ``order`` is the length of the n-grams that PER counts."""

    rule: LengthRule = "best"
    order: int = 1
    preparation: Preparation = DEFAULT


class ErrorRates(Family):
    """A family of error rates; a row is a distance and a reference length."""

    @abstractmethod
    def specification(self, name: str) -> ErrorRate | None:
        """The options that a name says; None when it is not a name of this family."""

    @abstractmethod
    def name_of(self, rate: ErrorRate) -> str:
        """The one name of these options."""

    @abstractmethod
    def distance(self, output: Text, reference: Text, rate: ErrorRate) -> float:
        """The number of errors; NaN where there is nothing to compare."""

    def metric(self, rate: ErrorRate, *, default: bool = False, listed: bool = True) -> Metric:
        """The metric of these options."""
        order = (("order", rate.order),) if rate.order > 1 else ()
        return Metric(
            name=self.name_of(rate),
            family=self.name,
            options=(*order, ("length", rate.rule), *rate.preparation.options()),
            higher_is_better=False,
            range=(0.0, float("inf")),
            identity=0.0,
            monotone=rate.rule == "best",
            default=default,
            listed=listed,
        )

    def parse(self, name: str) -> Metric | None:
        """Names with a text preparation of the user's own: ``wer-remove-cased``."""
        rate = self.specification(name)
        if rate is None or self.name_of(rate) != name:
            return None
        return self.metric(rate, listed=False)

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """Distance and reference length of each output; distances are found once for all rules."""
        found: dict[tuple[int, Preparation], list[list[float]]] = {}
        rows = []
        for rate in (rate for metric in metrics if (rate := self.specification(metric.name))):
            key = (rate.order, rate.preparation)
            if key not in found:
                found[key] = [
                    [self.distance(item.output, text, rate) for text in item.references] for item in items
                ]
            made = [_row(item, distances, rate) for item, distances in zip(items, found[key], strict=True)]
            rows.append(np.array(made, dtype=np.float64).reshape(-1, 2))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """Errors per word of the reference."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(rows[:, 1] > 0, rows[:, 0] / rows[:, 1], np.nan))


def _row(item: Item, distances: Sequence[float], rate: ErrorRate) -> tuple[float, float]:
    tokens = rate.preparation.tokens
    usable = [
        (distance, len(tokens(text)))
        for distance, text in zip(distances, item.references, strict=True)
        if tokens(text) and not np.isnan(distance)
    ]
    if not usable:
        return UNDEFINED
    return distance_and_length(
        rate.rule,
        output_length=len(tokens(item.output)),
        distances=[distance for distance, _ in usable],
        lengths=[length for _, length in usable],
    )


def rule_of(found: re.Match[str]) -> LengthRule:
    """The rule that a matched name says."""
    rules: dict[str | None, LengthRule] = {
        None: "best",
        "average": "average",
        "nearest": "nearest",
        "average-nearest": "average-nearest",
    }
    return rules[found["rule"]]
