"""A mixed model of ratings as ordered categories: no step of the scale need be as wide as another.

    logit P(rating ≤ k) = θ_k − (system + Σ random terms)

Cumulative logits (McCullagh 1980) with any number of crossed or nested random intercepts, integrated by Laplace's approximation
(Tutz & Hennevogl 1996; R's ``ordinal::clmm`` has the same likelihood). Thresholds and systems are integrated with the random
terms, as REML does and as ``glmmTMB(REML = TRUE)``: maximum likelihood would take three assessors' spread for a third too
small. The search is then over as many numbers as there are terms. For given standard deviations the log-likelihood is
concave (Burridge 1981), and Newton's method finds its mode; the term with the most levels has a diagonal block of
its own and is eliminated first.

Degrees of freedom are Satterthwaite's, as in ``metrics.meta.reml``: how surely the spreads are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import optimize, special

from metrics.meta.common import FloatArray, IntArray
from metrics.meta.reml import MOST_LEVELS, NotFitted, RemlFit

MOST_STEPS = 20
"""A scale of more different values is no scale of few steps."""
BOUNDARY = 1e-4
"""Of a standard deviation on the scale of the logits: below, a term has none."""
FARTHEST = 30.0
"""Logits, and as many standard deviations: a threshold or system beyond, or known no better, has no finite estimate."""
APART = "some systems have no rating in common on the scale, and so no finite distance"
NEWTON_STEPS = 100


@dataclass
class _Mode:
    """Where the penalised likelihood is largest: parameters, the Laplace criterion there, covariance of the dense part."""

    parameters: FloatArray
    log_likelihood: float
    covariance: FloatArray


class OrdinalEquations:
    """Thresholds, then systems without the first, then the levels of the terms, the largest term last."""

    def __init__(self, steps: IntArray, systems: IntArray, terms: Sequence[IntArray]):
        self.highest = int(steps.max())
        self.systems = int(systems.max()) + 1
        levels = [int(codes.max()) + 1 for codes in terms]
        self.largest = int(np.argmax(levels)) if levels else -1
        self.rest = [index for index in range(len(terms)) if index != self.largest]
        self.fixed = self.highest + self.systems - 1
        starts = self.fixed + np.concatenate([[0], np.cumsum([levels[index] for index in self.rest])])
        self.dense = int(starts[-1])
        if self.dense - self.fixed > MOST_LEVELS:
            raise NotFitted(
                f"with {self.dense - self.fixed} levels of crossed terms the model would take too long"
            )
        # One column more, thrown away, for what the lowest and highest step and the first system do not have.
        none = self.dense
        self.upper = np.where(steps < self.highest, steps, none)
        self.lower = np.where(steps > 0, steps - 1, none)
        self.columns = [np.where(systems > 0, self.highest + systems - 1, none)]
        self.columns += [start + terms[index] for start, index in zip(starts, self.rest, strict=False)]
        self.own = terms[self.largest] if terms else np.zeros(len(steps), dtype=np.intp)
        self.own_levels = levels[self.largest] if levels else 0
        self.top, self.bottom = steps == self.highest, steps == 0
        self.start = self._start(steps)

    def _start(self, steps: IntArray) -> FloatArray:
        shares = np.cumsum(np.bincount(steps, minlength=self.highest + 1))[:-1] / len(steps)
        return np.concatenate([special.logit(shares), np.zeros(self.dense - self.highest + self.own_levels)])

    def mode(self, deviations: FloatArray, start: FloatArray | None = None) -> _Mode:
        """Newton's method at given standard deviations of the terms."""
        parameters = self.start.copy() if start is None else start.copy()
        scales = [1.0, *(float(deviations[index]) for index in self.rest)]
        own_scale = float(deviations[self.largest]) if self.own_levels else 0.0
        farthest = FARTHEST * (1 + max(*scales, own_scale))
        value, ends = self._value(parameters, scales, own_scale)
        for _ in range(NEWTON_STEPS):
            gradient, dense, border, own = self._curvature(parameters, ends, scales, own_scale)
            step, factor = self._solved(gradient, dense, border, own)
            gain = float(gradient @ step)
            if gain < 1e-11:
                inverse = np.asarray(_inverse_of(factor))
                if np.sqrt(np.diag(inverse)[: self.fixed].max()) > farthest:
                    raise NotFitted(APART)
                log_determinant = 2 * np.log(np.diag(factor)).sum() + np.log(own).sum()
                return _Mode(parameters, value - 0.5 * float(log_determinant), inverse)
            length, moved = 1.0, -np.inf
            # Rounding may make the last steps a little worse.
            while not moved >= value - 1e-9 and length > 1e-6:
                moved, ends = self._value(parameters + length * step, scales, own_scale)
                length /= 2
            parameters, value = parameters + 2 * length * step, moved
            if np.abs(parameters[: self.fixed]).max() > farthest:
                raise NotFitted(APART)
        raise NotFitted("the likelihood of the ordinal model has no maximum")

    def centred(self, mode: _Mode) -> FloatArray:
        """The systems about their mean; the first is 0 among the parameters."""
        raw = np.concatenate([[0.0], mode.parameters[self.highest : self.fixed]])
        return np.asarray(raw - raw.mean())

    def spread(self, mode: _Mode) -> FloatArray:
        """The covariance of the systems about their mean, at given standard deviations."""
        own = slice(self.highest, self.fixed)
        about = np.eye(self.systems) - 1 / self.systems
        return np.asarray(about @ np.pad(mode.covariance[own, own], ((1, 0), (1, 0))) @ about)

    def _value(
        self, parameters: FloatArray, scales: list[float], own_scale: float
    ) -> tuple[float, tuple[FloatArray, FloatArray]]:
        """The penalised log-likelihood, and both ends of each rating on the scale of the logits."""
        padded = np.append(parameters[: self.dense], 0.0)
        location = sum(
            (scale * padded[column] for scale, column in zip(scales, self.columns, strict=True)),
            start=np.zeros(len(self.top)),
        )
        if self.own_levels:
            location = location + own_scale * parameters[self.dense :][self.own]
        above = np.where(self.top, np.inf, padded[self.upper] - location)
        below = np.where(self.bottom, -np.inf, padded[self.lower] - location)
        if np.any(above <= below):
            return -np.inf, (above, below)
        gap = np.log(-np.expm1(below - above))
        chances = special.log_expit(above) + special.log_expit(-below) + gap
        random = parameters[self.fixed :]
        return float(chances.sum() - 0.5 * random @ random), (above, below)

    def _curvature(
        self,
        parameters: FloatArray,
        ends: tuple[FloatArray, FloatArray],
        scales: list[float],
        own_scale: float,
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The gradient, and the negative Hessian: its dense part, the border of the eliminated term, and that term's diagonal.

        Of F, the logistic function, with P = F(above) − F(below): ∂ log P/∂location = F(above) + F(below) − 1.
        """
        above, below = ends
        upper, lower = special.expit(above), special.expit(below)
        width = -np.expm1(below - above)
        pull_up = special.expit(-above) / (special.expit(-below) * width)
        pull_down = lower / (upper * width)
        density_up, density_down = upper * (1 - upper), lower * (1 - lower)
        slope, weight = upper + lower - 1, density_up + density_down
        size = self.dense + 1
        slots = [
            (self.upper, None),
            (self.lower, None),
            *((column, scale) for column, scale in zip(self.columns, scales, strict=True)),
        ]
        first = [pull_up, -pull_down, *(scale * slope for scale in scales)]
        second = {
            (0, 0): pull_up**2 - pull_up * (1 - 2 * upper),
            (0, 1): -pull_up * pull_down,
            (1, 1): pull_down**2 + pull_down * (1 - 2 * lower),
        }
        for place, scale in enumerate(scales, start=2):
            second[0, place], second[1, place] = -density_up * scale, -density_down * scale
            for other, other_scale in enumerate(scales[place - 2 :], start=place):
                second[place, other] = weight * scale * other_scale
        gradient = np.zeros(size)
        for (column, _), values in zip(slots, first, strict=True):
            gradient += np.bincount(column, values, size)
        dense = np.zeros((size, size))
        for (one, other), values in second.items():
            part = np.bincount(slots[one][0] * size + slots[other][0], values, size * size).reshape(
                size, size
            )
            dense += part if one == other else part + part.T
        random = np.arange(self.fixed, self.dense)
        dense[random, random] += 1
        gradient = gradient[:-1]
        gradient[self.fixed :] -= parameters[self.fixed : self.dense]
        across = [-density_up, -density_down, *(scale * weight for scale in scales)]
        columns = [column for column, _ in slots]
        border = self._border(columns, [own_scale * values for values in across])
        own = np.ones(self.own_levels) + own_scale**2 * self._of_own(weight)
        own_gradient = own_scale * self._of_own(slope) - parameters[self.dense :]
        return np.concatenate([gradient, own_gradient]).astype(np.float64), dense[:-1, :-1], border, own

    def _of_own(self, values: FloatArray) -> FloatArray:
        """Sums over the levels of the eliminated term, of which there may be none."""
        if not self.own_levels:
            return np.zeros(0)
        return np.bincount(self.own, values, self.own_levels).astype(np.float64)

    def _border(self, columns: list[IntArray], values: list[FloatArray]) -> FloatArray:
        """Levels of the eliminated term × everything else."""
        count, size = self.own_levels, self.dense + 1
        border = np.zeros((count, size))
        if count:
            for column, weights in zip(columns, values, strict=True):
                border += np.bincount(self.own * size + column, weights, count * size).reshape(count, size)
        return border[:, :-1]

    def _solved(
        self, gradient: FloatArray, dense: FloatArray, border: FloatArray, own: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Newton's step, and the Cholesky factor of the dense part after the elimination."""
        shrunken = border / own[:, None] if len(own) else border
        try:
            factor = np.linalg.cholesky(dense - border.T @ shrunken)
        except np.linalg.LinAlgError:
            raise NotFitted("the ratings leave some terms of the ordinal model undetermined") from None
        own_gradient = gradient[self.dense :]
        right = gradient[: self.dense] - shrunken.T @ own_gradient
        step = np.linalg.solve(factor.T, np.linalg.solve(factor, right))
        whole = np.concatenate([step, own_gradient / own - shrunken @ step])
        return whole.astype(np.float64), factor.astype(np.float64)


def _inverse_of(factor: FloatArray) -> FloatArray:
    """The inverse of a matrix from its Cholesky factor."""
    root = np.linalg.inv(factor)
    return np.asarray(root.T @ root)


def fit_ordinal(steps: IntArray, systems: IntArray, terms: Sequence[IntArray]) -> RemlFit:
    """Fit to ratings 0, 1, …; ``beta`` are the systems in logits, centred at 0, and ``residual`` that of the logistic, π²/3.

    >>> steps = np.array([0, 1, 1, 2, 0, 2, 1, 2, 2, 0, 1, 0])
    >>> fit = fit_ordinal(steps, np.array([0, 1] * 6), [np.repeat(np.arange(3), 4)])
    >>> fit.beta.round(3).tolist(), fit.variances.tolist()
    ([-0.387, 0.387], [0.0])
    """
    equations = OrdinalEquations(steps, systems, terms)
    deviations = _largest(equations, len(terms))
    mode = equations.mode(deviations)
    curvature, gradients, drift = _second_order(equations, deviations, mode)
    # Unlike in a linear model, estimates move with the spreads; glmmTMB and clmm allow for it, too.
    moved = drift.T @ (2 * np.linalg.pinv(curvature)) @ drift
    return RemlFit(
        beta=equations.centred(mode),
        covariance=equations.spread(mode) + moved,
        variances=deviations**2,
        residual=float(np.pi**2 / 3),
        deviance=-2 * mode.log_likelihood,
        curvature=curvature,
        gradients=gradients,
    )


def _largest(equations: OrdinalEquations, count: int) -> FloatArray:
    """The standard deviations with the largest likelihood; searched as variances, on a scale that is 0 at the boundary."""
    if not count:
        return np.zeros(0)
    last = equations.mode(np.ones(count)).parameters
    step = 1e-4

    def value_and_slope(point: FloatArray) -> tuple[float, FloatArray]:
        nonlocal last
        centre = equations.mode(_deviations(point), last)
        last = centre.parameters
        slope = np.empty(count)
        for place in range(count):
            move = step * np.eye(count)[place]
            down = np.maximum(0.0, point - move)
            values = [
                -2 * equations.mode(_deviations(at), last).log_likelihood for at in (point + move, down)
            ]
            slope[place] = (values[0] - values[1]) / float((point + move - down)[place])
        return -2 * centre.log_likelihood, slope

    found = optimize.minimize(
        value_and_slope,
        np.full(count, 0.4),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 5.0)] * count,
        options={"ftol": 1e-11, "gtol": 1e-5, "maxiter": 100},
    )
    result = _deviations(np.asarray(found.x))
    return np.where(result < BOUNDARY, 0.0, result)


def _deviations(point: FloatArray) -> FloatArray:
    return np.sqrt(np.expm1(point))


def _second_order(
    equations: OrdinalEquations, deviations: FloatArray, centre: _Mode, share: float = 0.05
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The Hessian of −2 log-likelihood in the deviations that are not 0, and the slopes of the systems' covariance and of the
    systems themselves."""
    free = np.flatnonzero(deviations)
    size, steps = len(free), share * np.maximum(deviations, 0.1)

    def at(*moves: tuple[int, float]) -> _Mode:
        moved = deviations.copy()
        for place, sign in moves:
            moved[free[place]] += sign * steps[free[place]]
        return equations.mode(np.abs(moved), centre.parameters)

    hessian, slopes, drift = np.zeros((size, size)), [], []
    for place in range(size):
        up, down = at((place, 1)), at((place, -1))
        width = steps[free[place]]
        bend = up.log_likelihood - 2 * centre.log_likelihood + down.log_likelihood
        hessian[place, place] = -2 * bend / width**2
        slopes.append((equations.spread(up) - equations.spread(down)) / (2 * width))
        drift.append((equations.centred(up) - equations.centred(down)) / (2 * width))
    for one, other in combinations(range(size), 2):
        corners = sum(
            a * b * at((one, a), (other, b)).log_likelihood for a in (1.0, -1.0) for b in (1.0, -1.0)
        )
        hessian[one, other] = hessian[other, one] = -2 * corners / (4 * steps[free[one]] * steps[free[other]])
    count = equations.systems
    return hessian, np.array(slopes).reshape(size, count, count), np.array(drift).reshape(size, count)
