"""Does a metric predict which differences between systems people find significant? (Lin & Hovy 2003, §4.2)

Every pair of systems is tested twice, on human scores and on the metric's. At a level α, N_Hs pairs differ
significantly for people, N_As for the metric, and N_hit for both; recall = N_hit / N_Hs, precision = N_hit / N_As.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.meta.common import (
    Alternative,
    FloatArray,
    NanPolicy,
    Rng,
    Scores,
    aligned_stack,
    alike,
    refuse_missing,
    seeded,
    undefined,
)
from metrics.meta.significance import DRAWN, Test, compare_systems
from metrics.meta.ties import settled_differences
from metrics.signature import signature

# The paper's levels; it prints ".25" for the third, between .05 and .01.
ALPHAS = (0.1, 0.05, 0.025, 0.01, 0.005)
COLUMNS = ("alpha", "recall", "precision", "hits", "human", "automatic")


@dataclass(frozen=True)
class PredictionResult:
    """A curve over ``alpha``: ``hits`` of the ``human`` significant pairs are among the ``automatic`` ones."""

    alpha: tuple[float, ...]
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    hits: tuple[int, ...]
    human: tuple[int, ...]
    automatic: tuple[int, ...]
    pairs: int
    test: str
    alternative: str
    n_resamples: int | None
    seed: int | None

    def frame(self) -> pd.DataFrame:
        """One row per level."""
        return pd.DataFrame(self.rows(), columns=list(COLUMNS))

    def rows(self) -> list[tuple[float | int, ...]]:
        """The same as plain tuples."""
        return list(zip(*(getattr(self, name) for name in COLUMNS), strict=True))

    @property
    def signature(self) -> str:
        options = {"test": self.test, "alternative": self.alternative, "pairs": self.pairs}
        return signature(
            "significance-prediction", options | {"resamples": self.n_resamples, "seed": self.seed}
        )


def significance_prediction(
    human: Scores,
    metric: Scores,
    *,
    alphas: Sequence[float] = ALPHAS,
    test: Test = "z",
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> PredictionResult:
    """Recall and precision of the metric's significant differences.

    A hit must be significant in the same direction for both: a metric that is sure of the opposite has predicted
    nothing. With ``alternative="greater"`` each pair is tested one-sidedly in favour of its better system. Human and metric scores may be for different items; both are tested on what they have. Recall is NaN where
    people find no pair significant, precision where the metric finds none.

    >>> people = [[1, 2, 1, 2, 1], [4, 5, 4, 5, 5]]
    >>> significance_prediction(people, people, alphas=(0.05,)).recall
    (1.0,)
    """
    return significance_predictions(
        human,
        {"": metric},
        alphas=alphas,
        test=test,
        alternative=alternative,
        n_resamples=n_resamples,
        nan_policy=nan_policy,
        rng=rng,
    )[""]


def significance_predictions(
    human: Scores,
    metrics: Mapping[str, Scores],
    *,
    alphas: Sequence[float] = ALPHAS,
    test: Test = "z",
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> dict[str, PredictionResult]:
    """:func:`significance_prediction` for many metrics; human scores are tested once for all that have the same systems.

    >>> people = [[1, 2, 1, 2, 1], [4, 5, 4, 5, 5]]
    >>> found = significance_predictions(people, {"same": people, "none": [[1, 2, 3], [2, 1, 3]]}, alphas=(0.05,))
    >>> found["same"].recall, found["none"].recall
    ((1.0,), (0.0,))
    """
    if not alphas or not all(0 < alpha < 1 for alpha in alphas):
        raise BadInput("expected levels alpha between 0 and 1")
    refuse_missing(nan_policy, human, *metrics.values())
    _, seed = seeded(rng)
    how = _Comparing(test, alternative, n_resamples, rng if seed is None else seed)
    found = {}
    for names in alike(metrics):
        gold, stack = aligned_stack(human, [metrics[name] for name in names], items=False)
        by_human = how.towards_the_better(gold)
        for name, scores in zip(names, stack, strict=True):
            found[name] = _curve(by_human, how.towards_the_better(scores), alphas, how, seed)
    return {name: found[name] for name in metrics}


def _curve(
    by_human: tuple[FloatArray, FloatArray],
    by_metric: tuple[FloatArray, FloatArray],
    alphas: Sequence[float],
    how: _Comparing,
    seed: int | None,
) -> PredictionResult:
    same_way = np.sign(by_human[0]) == np.sign(by_metric[0])
    levels = np.asarray(alphas, dtype=np.float64)[:, None]
    with np.errstate(invalid="ignore"):
        significant_human, significant_metric = by_human[1] <= levels, by_metric[1] <= levels
    hits = (significant_human & significant_metric & same_way).sum(axis=1)
    humans, automatics = significant_human.sum(axis=1), significant_metric.sum(axis=1)
    if not (humans.all() and automatics.all()):
        undefined("no pair of systems is significant at some levels: recall or precision is NaN there")
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, precision = hits / humans, hits / automatics
    return PredictionResult(
        alpha=tuple(float(alpha) for alpha in alphas),
        recall=tuple(float(value) for value in recall),
        precision=tuple(float(value) for value in precision),
        hits=tuple(int(value) for value in hits),
        human=tuple(int(value) for value in humans),
        automatic=tuple(int(value) for value in automatics),
        pairs=len(by_human[0]),
        test=how.test,
        alternative=how.alternative,
        n_resamples=how.n_resamples if how.test in DRAWN else None,
        seed=seed if how.test in DRAWN else None,
    )


@dataclass(frozen=True)
class _Comparing:
    """How pairs of systems are tested."""

    test: Test
    alternative: Alternative
    n_resamples: int
    rng: Rng

    def towards_the_better(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Difference of each pair and its p-value, ``greater`` meaning that the system with the higher mean is better."""
        test = partial(compare_systems, scores, test=self.test, n_resamples=self.n_resamples, rng=self.rng)
        ahead = test(alternative=self.alternative)
        scale = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
        difference = settled_differences(ahead.difference, scale=scale)
        if self.alternative == "two-sided":
            return difference, ahead.pvalue
        behind = test(alternative="less" if self.alternative == "greater" else "greater")
        return difference, np.where(difference >= 0, ahead.pvalue, behind.pvalue)
