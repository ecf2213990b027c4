"""Does a metric predict which differences between systems people find significant? (Lin & Hovy 2003, §4.2)

Every pair of systems is tested twice, on human scores and on the metric's. At a level α, N_Hs pairs differ
significantly for people, N_As for the metric, and N_hit for both; recall = N_hit / N_Hs, precision = N_hit / N_As.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.meta.common import Alternative, FloatArray, Rng, Scores, aligned, seeded, undefined
from metrics.meta.significance import DRAWN, Test, compare_systems
from metrics.signature import signature

# The paper's levels; it prints ".25" for the third, between .05 and .01.
ALPHAS = (0.1, 0.05, 0.025, 0.01, 0.005)


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
        columns = ("alpha", "recall", "precision", "hits", "human", "automatic")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

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
    if not alphas or not all(0 < alpha < 1 for alpha in alphas):
        raise BadInput("expected levels alpha between 0 and 1")
    _, seed = seeded(rng)
    by_human, by_metric = (
        _towards_the_better(scores, test, alternative, n_resamples, rng if seed is None else seed)
        for scores in aligned(human, metric, items=False)
    )
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
        test=test,
        alternative=alternative,
        n_resamples=n_resamples if test in DRAWN else None,
        seed=seed if test in DRAWN else None,
    )


def _towards_the_better(
    scores: FloatArray, test: Test, alternative: Alternative, n_resamples: int, rng: Rng
) -> tuple[FloatArray, FloatArray]:
    """Difference of each pair and its p-value, ``greater`` meaning that the system with the higher mean is better."""
    ahead = compare_systems(scores, test=test, alternative=alternative, n_resamples=n_resamples, rng=rng)
    if alternative == "two-sided":
        return ahead.difference, ahead.pvalue
    opposite: Alternative = "less" if alternative == "greater" else "greater"
    behind = compare_systems(scores, test=test, alternative=opposite, n_resamples=n_resamples, rng=rng)
    return ahead.difference, np.where(ahead.difference >= 0, ahead.pvalue, behind.pvalue)
