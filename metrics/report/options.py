"""What can be chosen about a report. The defaults are those of ``python -m metrics``, so that numbers can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from metrics import choices
from metrics.automatic import registry
from metrics.human.normalise import METHODS, Method
from metrics.meta.common import check_choice, check_level, check_positive
from metrics.meta.correlation import Interval, Level
from metrics.meta.correlation import Method as CorrelationMethod
from metrics.signature import DEFAULT_SEED

LEVELS: tuple[Level, ...] = ("system", "item", "global", "system-average")
METHODS_REPORTED: tuple[CorrelationMethod, ...] = ("pearson", "spearman", "kendall")
INTERVALS: tuple[str, ...] = get_args(choices.Interval)
COMPARISONS: tuple[str, ...] = get_args(choices.Comparison)
MODELS = ("model", "ordinal")
"""Of these, the comparisons by a model of single judgments."""

RANDOMIZATIONS = 10_000
"""Exchanges of the tests between systems, as many as ``compare-systems`` draws."""


@dataclass(frozen=True)
class Options:
    """How a report is made.

    ``human`` names human scores (``adequacy``, or ``task/adequacy`` where tasks share a name), in the order of their
    importance; without it, all that the judgments give. ``metrics`` are names and globs of automatic metrics; without
    it, :func:`default_metrics`. ``interval`` is how intervals of correlations are made: ``analytic`` is Fisher's z at the
    levels ``system`` and ``global``, and a t interval at the averaged levels. ``comparison`` is the one test of pairs of
    systems that table, clusters and sentences go by: ``model`` is a crossed mixed model of the single judgments where two
    assessors or more judged (else as ``paired``), ``ordinal`` the same for ratings of few steps, taken as ordered
    categories, ``paired`` randomises items and corrects by Holm, ``wmt`` is WMT's
    procedure, one-sided rank-sum tests without correction. With ``controls`` control items take part in an assessor's mean
    and deviation, as in ``python -m metrics human``. ``adjudicated`` says what scores are made of where adjudicators decided
    (:func:`metrics.frames.adjudicated`).
    """

    human: Sequence[str] | None = None
    normalise: Method = "none"
    metrics: Sequence[str] | None = None
    interval: choices.Interval = "analytic"
    n_resamples: int = choices.RESAMPLES
    confidence_level: float = 0.95
    alpha: float = 0.05
    seed: int = DEFAULT_SEED
    comparison: choices.Comparison = "model"
    controls: bool = False
    adjudicated: choices.Adjudicated = "raw"

    def __post_init__(self) -> None:
        check_choice("normalise", self.normalise, METHODS)
        check_choice("interval", self.interval, INTERVALS)
        check_choice("comparison", self.comparison, COMPARISONS)
        check_choice("adjudicated", self.adjudicated, get_args(choices.Adjudicated))
        check_positive("n_resamples", self.n_resamples)
        check_level(self.confidence_level)
        check_level(1 - self.alpha)

    def plain(self) -> dict[str, Any]:
        """The options as JSON holds them."""
        lists = {"human": self.human, "metrics": self.metrics}
        said = asdict(self) | {name: None if names is None else list(names) for name, names in lists.items()}
        if self.adjudicated == "raw":  # as in every report of a study in which nobody decides
            del said["adjudicated"]
        return said

    def correlation_interval(self) -> Interval | None:
        """What ``correlate`` is asked for; None leaves the choice to the level."""
        named: dict[str, Interval] = {
            "bootstrap-systems": "bootstrap-systems",
            "bootstrap-items": "bootstrap-items",
            "bootstrap-both": "bootstrap-both",
        }
        return named.get(self.interval)


APART = ("rouge", "aev", "similarity", "queen", "pourpre")
"""Families whose part of the default set is another, or none: similarities for sets of metrics, answers with nuggets."""


def default_metrics() -> list[str]:
    """The 96 ROUGE scores behind Graham's 192 variants, AEv's grid in the authors' setting, and the usual others."""
    rouge = [name for name in _listed("rouge") if "-porter" not in name]
    grid = [name for name in _listed("aev") if name.endswith("-porter-stop")]
    usual = [choice.name for choice in registry.select(None) if choice.metric.family not in APART]
    return [*rouge, *usual, *grid]


def _listed(family: str) -> list[str]:
    return [name for name, metric in registry.metrics().items() if metric.family == family and metric.listed]
