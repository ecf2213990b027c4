"""Many-facet Rasch: how severe is each assessor, how hard each item, and who judges unlike the others?

Linacre (1989): on a rating scale with steps 0 … m,

    log P(k) / P(k − 1) = system − item − severity − τ_k

Unlike z scores, which make every assessor's mean and spread the same whatever they were shown, severity is estimated beside
the systems and items that an assessor met. Estimated by joint maximum likelihood (as Facets does), each facet centred at 0;
an element with only the lowest or only the highest ratings has no finite measure, and its total is moved by .3 of a step,
as Facets does. Joint estimates are a little too far apart where elements have few ratings.

Fit (Wright & Masters 1982): *infit* and *outfit* are mean squares of the residuals, weighted by information or not: about 1;
above 1.5 an assessor is erratic, below .5 too predictable (Linacre 2002). ``infit_t`` is standardised (Wilson & Hilferty 1931):
above 2 it is not by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.meta.common import FloatArray, IntArray, undefined
from metrics.meta.design_check import check_design
from metrics.meta.judged import Judged, judged
from metrics.signature import signature

FACETS = ("system", "item", "assessor")
MOST_STEPS = 20
EXTREME = 0.3
ITERATIONS = 100


@dataclass(frozen=True)
class RaschModel:
    """Measures in logits with their standard errors and fit, one table per facet.

    Columns: the facet's name, ``measure`` (systems: higher is better; items: harder; assessors: more severe), ``error``,
    ``ratings``, ``extreme``, ``infit``, ``outfit``, ``infit_t``, ``outfit_t``.
    """

    systems: pd.DataFrame
    items: pd.DataFrame
    assessors: pd.DataFrame
    thresholds: FloatArray
    categories: FloatArray
    log_likelihood: float
    judgments: int
    converged: bool

    def odd_assessors(self, *, high: float = 1.5, beyond: float = 2.0) -> tuple[str, ...]:
        """Assessors whose infit or outfit is above ``high`` (Linacre 2002: above 1.5, noise), and not by chance.

        A mean square of a few ratings is above 1.5 by itself now and then: the same statistic, standardised, must be above
        ``beyond`` as well.
        """
        table = self.assessors
        odd = [(table[fit] > high) & (table[f"{fit}_t"] > beyond) for fit in ("infit", "outfit")]
        return tuple(table.loc[odd[0] | odd[1], "assessor"])

    @property
    def signature(self) -> str:
        return signature(
            "many-facet-rasch",
            {
                "facets": "system+item+assessor",
                "steps": len(self.categories),
                "estimation": "jml",
                "judgments": self.judgments,
            },
        )


def rasch(judgments: pd.DataFrame) -> RaschModel:
    """Fit the model to ``assessor, system, item, value``; values are the steps of one scale, in their order.

    >>> rows = [(a, s, i, min(3, max(0, s + (i % 2) - (a == 2) + (a * i + s) % 2))) for a in range(4) for s in range(3)
    ...         for i in range(6)]
    >>> model = rasch(pd.DataFrame(rows, columns=["assessor", "system", "item", "value"]))
    >>> model.assessors.loc[model.assessors["measure"].idxmax(), "assessor"]
    '2'
    """
    data = judged(judgments)
    categories, steps = np.unique(data.value, return_inverse=True)
    if len(categories) < 2:
        raise BadInput("expected ratings that differ", column="value")
    if len(categories) > MOST_STEPS:
        raise BadInput(
            f"expected a rating scale of at most {MOST_STEPS} steps, found {len(categories)} different values "
            "(averages over units are no steps: give single ratings)",
            column="value",
        )
    if not check_design(judgments).connected:
        undefined(
            "assessors and systems fall into groups that nobody connects: measures of two groups cannot be compared"
        )
    fitter = _Fitter(data, np.asarray(steps, dtype=np.intp), len(categories) - 1)
    parameters, converged = fitter.maximised()
    if not converged:
        undefined("the many-facet model has not converged: read its measures with care")
    return fitter.model(parameters, categories, converged)


class _Fitter:
    """Newton's method on all parameters at once: facets without their last element (they sum to 0), then thresholds."""

    def __init__(self, data: Judged, steps: IntArray, highest: int):
        self.data, self.steps, self.highest = data, steps, highest
        self.codes = {facet: getattr(data, facet) for facet in FACETS}
        self.names = {facet: getattr(data, f"{facet}s") for facet in FACETS}
        signs = {"system": 1.0, "item": -1.0, "assessor": -1.0}
        blocks = []
        for facet in FACETS:
            count = len(self.names[facet])
            coding = np.vstack([np.eye(count - 1), -np.ones((1, count - 1))]) * signs[facet]
            blocks.append(coding[self.codes[facet]])
        self.design = np.hstack(blocks)
        self.totals = self._adjusted_totals()

    def _adjusted_totals(self) -> FloatArray:
        """Observed ratings, those of elements with only extreme ones moved a little, so that every measure is finite."""
        observed = self.steps.astype(np.float64)
        self.extreme = {}
        for facet in FACETS:
            codes, count = self.codes[facet], len(self.names[facet])
            number = np.bincount(codes, minlength=count)
            total = np.bincount(codes, self.steps, count)
            low, high = total == 0, total == number * self.highest
            self.extreme[facet] = low | high
            shift = (EXTREME * low - EXTREME * high) / number
            observed = observed + shift[codes]
        return observed

    def moments(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Probabilities of the steps (judgments × steps), and the location of each judgment."""
        split = self.design.shape[1]
        location = self.design @ parameters[:split]
        ladder = np.concatenate([[0.0], -np.cumsum(parameters[split:])])
        logits = location[:, None] * np.arange(self.highest + 1) + ladder
        logits -= logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        return chances / chances.sum(axis=1, keepdims=True), location

    def maximised(self) -> tuple[FloatArray, bool]:
        split, m = self.design.shape[1], self.highest
        parameters = np.zeros(split + m)
        reached = (self.steps[:, None] >= np.arange(1, m + 1)).astype(np.float64)
        for _ in range(ITERATIONS):
            chances, _ = self.moments(parameters)
            at_least = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1][:, 1:]
            expected = at_least.sum(axis=1)
            gradient = np.concatenate(
                [self.design.T @ (self.totals - expected), -(reached - at_least).sum(axis=0)]
            )
            step = np.linalg.lstsq(self.information(chances, at_least), gradient, rcond=1e-12)[0]
            # A long step at the start would leave the region where the quadratic holds.
            parameters = parameters + step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
            if np.abs(step).max() < 1e-9:
                return parameters, True
        return parameters, bool(np.abs(step).max() < 1e-4)

    def information(self, chances: FloatArray, at_least: FloatArray) -> FloatArray:
        k = np.arange(self.highest + 1)
        expected = at_least.sum(axis=1)
        variance = chances @ k**2 - expected**2
        # E[X · 1(X ≥ k)] − E[X] P(X ≥ k), for each threshold
        upper = np.cumsum((chances * k)[:, ::-1], axis=1)[:, ::-1][:, 1:]
        cross = upper - expected[:, None] * at_least
        # Of two thresholds the higher one decides whether both are reached.
        joint = at_least.sum(axis=0)[np.maximum.outer(k[1:], k[1:]) - 1] - at_least.T @ at_least
        of_facets = self.design.T @ (self.design * variance[:, None])
        mixed = -self.design.T @ cross
        return np.block([[of_facets, mixed], [mixed.T, joint]])

    def model(self, parameters: FloatArray, categories: FloatArray, converged: bool) -> RaschModel:
        chances, _ = self.moments(parameters)
        at_least = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1][:, 1:]
        covariance = np.linalg.pinv(self.information(chances, at_least))
        k = np.arange(self.highest + 1)
        expected = chances @ k
        centred = k - expected[:, None]
        variance = (chances * centred**2).sum(axis=1)
        fourth = (chances * centred**4).sum(axis=1)
        tables, start = {}, 0
        for facet in FACETS:
            count = len(self.names[facet])
            coding = np.vstack([np.eye(count - 1), -np.ones((1, count - 1))])
            block = slice(start, start + count - 1)
            measure = coding @ parameters[block]
            error = np.sqrt(np.einsum("ij,jk,ik->i", coding, covariance[block, block], coding))
            start += count - 1
            fit = fit_statistics(self.steps - expected, variance, fourth, self.codes[facet], count)
            ratings = np.bincount(self.codes[facet], minlength=count)
            columns = {"measure": measure, "error": error, "ratings": ratings, "extreme": self.extreme[facet]}
            tables[facet] = pd.DataFrame({facet: self.names[facet]} | columns | fit)
        return RaschModel(
            systems=tables["system"],
            items=tables["item"],
            assessors=tables["assessor"],
            thresholds=parameters[self.design.shape[1] :],
            categories=categories,
            log_likelihood=float(np.log(chances[np.arange(len(self.steps)), self.steps]).sum()),
            judgments=len(self.steps),
            converged=converged,
        )


def fit_statistics(
    residual: FloatArray, variance: FloatArray, fourth: FloatArray, codes: IntArray, count: int
) -> dict[str, FloatArray]:
    """Infit and outfit mean squares of each element, and both standardised (Wright & Masters 1982, Table 5.4a).

    >>> ones = np.ones(4)
    >>> fit = fit_statistics(np.array([1.0, -1.0, 2.0, -2.0]), ones, 3 * ones, np.array([0, 0, 1, 1]), 2)
    >>> fit["infit"].tolist(), fit["outfit"].tolist()
    ([1.0, 4.0], [1.0, 4.0])
    """
    number = np.bincount(codes, minlength=count)
    information = np.bincount(codes, variance, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        infit = np.bincount(codes, residual**2, count) / information
        outfit = np.bincount(codes, residual**2 / variance, count) / number
        spread_in = np.sqrt(np.bincount(codes, fourth - variance**2, count) / information**2)
        spread_out = np.sqrt(np.bincount(codes, fourth / variance**2, count) / number**2 - 1 / number)
        return {
            "infit": infit,
            "outfit": outfit,
            "infit_t": (np.cbrt(infit) - 1) * 3 / spread_in + spread_in / 3,
            "outfit_t": (np.cbrt(outfit) - 1) * 3 / spread_out + spread_out / 3,
        }
