"""Restricted maximum likelihood for linear mixed models with any number of crossed or nested random intercepts.

    y = Xβ + Σ_k Z_k u_k + ε,   u_k ~ N(0, γ_k σ²),   ε ~ N(0, σ²)

The deviance is profiled: for given ratios γ_k of the variances, β and σ² have closed forms, so that the search is over
as many numbers as there are terms (Bates, Mächler, Bolker & Walker 2015, §3.4). What costs time is one Cholesky factor per
step. Two terms of which one is nested in the other (items and outputs, assessors and assessor × system) are eliminated
first: their part of V is a diagonal, level by level, and only what is left (a few assessors, the systems) is factored as a
dense matrix. Levels with the same number of judgments are summed up beforehand, and the points that a numerical
derivative needs are solved in one call. statsmodels' MixedLM treats crossed terms as one group with a dense V of all judgments, cubic in their
number; this is linear in it, so that 6,000 judgments take about a second.

Degrees of freedom are Satterthwaite's, as in lmerTest (Kuznetsova, Brockhoff & Christensen 2017): 2 (l'Cl)² / Var(l'Cl), the
variance by the delta method from the curvature of the deviance. A term whose variance is estimated as 0 is at the boundary
and takes no part in that curvature, as in lmerTest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy import optimize, sparse

from metrics.meta.common import FloatArray, IntArray, batches

LARGEST_DENSE = 4_000_000
"""Above so many numbers, the products of an eliminated term with the rest are kept sparse."""
BOUNDARY = 1e-7
"""Of the residual variance: below, a term's variance is 0."""
HOPELESS = 1e10
MOST_LEVELS = 1_200
"""Of the terms that are not eliminated: more would take minutes, and a study so large has other means (a bootstrap)."""


class NotFitted(ValueError):
    """The likelihood has no maximum inside the parameter space, or the data leave nothing to estimate it from."""


@dataclass(frozen=True)
class Solutions:
    """What follows from given variance ratios, one entry per point: log |V| + log |X'V⁻¹X|, the residual sum of squares,
    β and its unscaled covariance."""

    log_determinants: FloatArray
    rss: FloatArray
    beta: FloatArray
    unscaled: FloatArray


@dataclass(frozen=True)
class RemlFit:
    """``variances`` of the terms in their order and ``residual``; ``covariance`` is that of the fixed effects."""

    beta: FloatArray
    covariance: FloatArray
    variances: FloatArray
    residual: float
    deviance: float
    curvature: FloatArray
    gradients: FloatArray

    def satterthwaite(self, contrasts: FloatArray) -> FloatArray:
        """Degrees of freedom of each contrast (rows) of the fixed effects."""
        variance = np.einsum("ij,jk,ik->i", contrasts, self.covariance, contrasts)
        slopes = np.einsum("ij,mjk,ik->im", contrasts, self.gradients, contrasts)
        # −2 log-likelihood has twice the curvature of the likelihood: its inverse, doubled, is a covariance.
        spread = np.einsum("im,mn,in->i", slopes, 2 * np.linalg.pinv(self.curvature), slopes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(2 * variance**2 / spread)


class Equations:
    """Cross-products of a model, made once; solving them then costs no pass over the judgments."""

    def __init__(self, y: FloatArray, X: FloatArray, terms: Sequence[IntArray]):
        self.n, self.p = X.shape
        # Results do not change with the origin or the unit of the scores; squares of small numbers lose no digits.
        self.origin, self.unit = float(y.mean()), float(y.std()) or 1.0
        levels = [int(codes.max()) + 1 for codes in terms]
        self.eliminated = _nested_pair(terms, levels)
        self.rest = [index for index in range(len(terms)) if index not in self.eliminated]
        self.sizes = [levels[index] for index in self.rest]
        indicators = [_indicator(terms[index], levels[index]) for index in self.rest]
        response = sparse.csr_array(((y - self.origin) / self.unit)[:, None])
        columns = sparse.csr_array(sparse.hstack([*indicators, sparse.csr_array(X), response], format="csr"))
        self.whole = np.asarray((columns.T @ columns).toarray())
        if self.eliminated:
            self.levels = _Levels(columns, [terms[index] for index in self.eliminated])

    def _factors(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The Cholesky factors of everything that is not eliminated (random terms, X and y last), and log |V₀|."""
        products = np.repeat(self.whole[None], len(points), axis=0)
        log_v = np.zeros(len(points))
        if self.eliminated:
            removed, log_v = self.levels.removed(points[:, self.eliminated])
            products -= removed
        q = sum(self.sizes)
        if q:
            root = np.repeat(np.sqrt(points[:, self.rest]), self.sizes, axis=1)
            products[:, :q] *= root[:, :, None]
            products[:, :, :q] *= root[:, None, :]
            products[:, np.arange(q), np.arange(q)] += 1
        return np.asarray(np.linalg.cholesky(products), dtype=np.float64), log_v

    def solve(self, points: FloatArray) -> Solutions:
        """For each row of ratios γ_k = σ_k²/σ²: β, its unscaled covariance and the two numbers of the deviance."""
        q, p = sum(self.sizes), self.p
        parts, start = [], 0
        for size in batches(len(points), self._numbers()):
            factors, log_v = self._factors(points[start : start + size])
            start += size
            inverse_root = np.linalg.inv(factors[:, q : q + p, q : q + p]).swapaxes(1, 2)
            diagonal = np.diagonal(factors, axis1=1, axis2=2)
            parts.append(
                (
                    log_v + 2 * np.log(diagonal[:, :-1]).sum(axis=1),
                    diagonal[:, -1] ** 2,
                    (inverse_root @ factors[:, -1, q : q + p, None])[..., 0],
                    inverse_root @ inverse_root.swapaxes(1, 2),
                )
            )
        return Solutions(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def deviances(self, points: FloatArray) -> FloatArray:
        """−2 restricted log-likelihood with β and σ² at their best, in units of the scores divided by ``unit``."""
        parts, start = [], 0
        freedom = self.n - self.p
        for size in batches(len(points), self._numbers()):
            block = points[start : start + size]
            start += size
            try:
                factors, log_v = self._factors(block)
            except np.linalg.LinAlgError:
                parts.append(np.full(len(block), HOPELESS))
                continue
            diagonal = np.diagonal(factors, axis1=1, axis2=2)
            log_determinants = log_v + 2 * np.log(diagonal[:, :-1]).sum(axis=1)
            parts.append(
                log_determinants + freedom * (1 + np.log(2 * np.pi * diagonal[:, -1] ** 2 / freedom))
            )
        return np.concatenate(parts)

    def _numbers(self) -> int:
        return self.whole.size + (self.levels.numbers if self.eliminated else 0)


class _Levels:
    """The eliminated terms, V₀ = I + γ_f Z_f Z_f' + γ_c Z_c Z_c', the fine one nested in the coarse one (if there is one).

    Woodbury's identity, twice: R'V₀⁻¹R = R'R − Σ_f w_f n_f n_f' − Σ_c w_c g_c g_c', with n_f = Z_f'R, w_f = γ_f/(1 + γ_f m_f),
    g_c = Σ n_f/(1 + γ_f m_f) over the levels f within c, and w_c alike from s_c = Σ m_f/(1 + γ_f m_f).
    """

    def __init__(self, columns: sparse.csr_array, terms: Sequence[IntArray]):
        fine = terms[0]
        count = int(fine.max()) + 1
        self.rows = sparse.csr_array(_indicator(fine, count).T @ columns)
        self.counts = np.bincount(fine, minlength=count).astype(np.float64)
        self.parents: sparse.csr_array | None = None
        if len(terms) == 2:
            of_level = np.zeros(count, dtype=np.intp)
            of_level[fine] = terms[1]
            self.parents = sparse.csr_array(_indicator(of_level, int(terms[1].max()) + 1).T)
        width = columns.shape[1]
        self.kinds, self.of_kind = np.unique(self.counts, return_inverse=True)
        coarse = 0 if self.parents is None else self.parents.shape[0]
        self.numbers = (coarse + width) * width
        self.grouped = len(self.kinds) * self.numbers <= LARGEST_DENSE
        if self.grouped:
            self._sum_up()

    def _sum_up(self) -> None:
        """Levels of one size have one weight, and there are few sizes: their products are summed beforehand."""
        chosen = [self.of_kind == kind for kind in range(len(self.kinds))]
        self.number_of_kind = np.array([rows.sum() for rows in chosen], dtype=np.float64)
        self.grams = np.stack([_dense(self.rows[rows].T @ self.rows[rows]) for rows in chosen])
        if self.parents is not None:
            parts = [self.parents[:, np.flatnonzero(rows)] for rows in chosen]
            pairs = zip(parts, chosen, strict=True)
            self.parent_rows = np.stack([_dense(part @ self.rows[rows]) for part, rows in pairs])
            self.children = np.stack([np.asarray(part.sum(axis=1)).ravel() for part in parts])

    def removed(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the terms take away from R'R at each point, and log |V₀|."""
        if not self.grouped:
            each = [self._removed_one_by_one(point) for point in points]
            return np.stack([one[0] for one in each]), np.array([one[1] for one in each])
        shrunken = 1 / (1 + points[:, :1] * self.kinds)
        taken = np.tensordot(points[:, :1] * shrunken, self.grams, axes=1)
        log_v = -np.log(shrunken) @ self.number_of_kind
        if self.parents is not None:
            sizes = (self.kinds * shrunken) @ self.children
            weights = points[:, 1:] / (1 + points[:, 1:] * sizes)
            of_parents = np.tensordot(shrunken, self.parent_rows, axes=1)
            taken = taken + of_parents.swapaxes(1, 2) @ (of_parents * weights[:, :, None])
            log_v = log_v + np.log1p(points[:, 1:] * sizes).sum(axis=1)
        return taken, log_v

    def _removed_one_by_one(self, point: FloatArray) -> tuple[FloatArray, float]:
        """The same from sparse products, where those summed up would not fit."""
        shrunken = 1 / (1 + point[0] * self.counts)
        taken = _gram(self.rows, point[0] * shrunken)
        log_v = -np.log(shrunken).sum()
        if self.parents is not None:
            sizes = self.parents @ (self.counts * shrunken)
            of_parents = sparse.csr_array(self.parents @ sparse.diags_array(shrunken) @ self.rows)
            taken = taken + _gram(of_parents, point[1] / (1 + point[1] * sizes))
            log_v += np.log1p(point[1] * sizes).sum()
        return taken, float(log_v)


def fit_reml(y: FloatArray, X: FloatArray, terms: Sequence[IntArray]) -> RemlFit:
    """Fit by REML; ``terms`` are the codes (0, 1, …) of the levels that each judgment has in each random term.

    >>> y = np.array([1.0, 2.0, 2.5, 3.5, 4.0, 5.5])
    >>> X = np.ones((6, 1))
    >>> fit = fit_reml(y, X, [np.array([0, 0, 1, 1, 2, 2])])
    >>> fit.beta.round(4).tolist(), fit.variances.round(4).tolist(), round(fit.residual, 4)
    ([3.0833], [2.2917], 0.7083)
    """
    if len(X) <= X.shape[1]:
        raise NotFitted("there are no more judgments than systems")
    levels = [int(codes.max()) + 1 for codes in terms]
    left_levels = sum(levels) - sum(levels[index] for index in _nested_pair(terms, levels))
    if left_levels > MOST_LEVELS:
        raise NotFitted(f"with {left_levels} levels of crossed terms the model would take too long")
    equations = Equations(y, X, terms)
    left = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    if (left**2).sum() <= 1e-10 * equations.unit**2:
        raise NotFitted("judgments of one system do not differ at all")
    ratios = _minimised(equations, terms)
    solution = equations.solve(ratios[None])
    freedom = equations.n - equations.p
    sigma2 = float(solution.rss[0]) / freedom
    if sigma2 < 1e-9 or ratios.max(initial=0.0) > 1e8:
        raise NotFitted(
            "the terms of the model explain every judgment: nothing is left to estimate an error from"
        )
    scale = equations.unit**2
    curvature, gradients = _curvature(equations, ratios, sigma2)
    return RemlFit(
        beta=solution.beta[0] * equations.unit + constant_in(X, equations.origin),
        covariance=solution.unscaled[0] * sigma2 * scale,
        variances=ratios * sigma2 * scale,
        residual=sigma2 * scale,
        deviance=float(equations.deviances(ratios[None])[0]) + freedom * float(np.log(scale)),
        curvature=curvature,
        gradients=gradients * scale,
    )


def constant_in(X: FloatArray, origin: float) -> FloatArray:
    """What the fixed effects have to add when a constant is added to all scores (the columns must span one)."""
    return np.asarray(np.linalg.lstsq(X, np.full(len(X), origin), rcond=None)[0])


def _minimised(equations: Equations, terms: Sequence[IntArray]) -> FloatArray:
    """The variance ratios with the smallest deviance.

    The search is over log(1 + γ·m), m being the mean size of a level: 0 at the boundary, and about evenly curved.
    """
    if not terms:
        return np.zeros(0)
    sizes = np.array([len(codes) / (codes.max() + 1) for codes in terms])
    step = 1e-5

    def value_and_slope(point: FloatArray) -> tuple[float, FloatArray]:
        ups = point + step * np.eye(len(point))
        downs = np.maximum(0.0, point - step * np.eye(len(point)))
        values = equations.deviances(np.expm1(np.vstack([point, ups, downs])) / sizes)
        up, down = np.split(values[1:], 2)
        return float(values[0]), (up - down) / np.diag(ups - downs)

    best = None
    for start in (1.0, 2.5):
        found = optimize.minimize(
            value_and_slope,
            np.full(len(terms), start),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 18.0)] * len(terms),
            options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 200},
        )
        if best is None or found.fun < best.fun - 1e-9:
            best = found
        # A search that ends at the boundary may have overshot: only then is a second one worth its time.
        if best.fun < HOPELESS and best.x.min() > 0:
            break
    if best is None or best.fun >= HOPELESS:
        raise NotFitted("the likelihood has no maximum")
    result = np.expm1(np.asarray(best.x)) / sizes
    return np.where(result < BOUNDARY, 0.0, result)


def _curvature(equations: Equations, ratios: FloatArray, sigma2: float) -> tuple[FloatArray, FloatArray]:
    """The Hessian of the deviance in (standard deviations of the free terms relative to σ, then σ), and the derivatives
    of the covariance of β. lmerTest differentiates in the same parameters, also by Richardson's method.
    """
    coarse, fine = (_differences(equations, ratios, sigma2, share) for share in (0.04, 0.02))
    hessian, gradients = ((4 * b - a) / 3 for a, b in zip(coarse, fine, strict=True))
    return hessian, gradients


def _differences(
    equations: Equations, ratios: FloatArray, sigma2: float, share: float
) -> tuple[FloatArray, FloatArray]:
    """Central differences, with steps of a ``share`` of each parameter, all points solved in one call."""
    free = np.flatnonzero(ratios)
    size, sigma, freedom = len(free), np.sqrt(sigma2), equations.n - equations.p
    centre = np.sqrt(ratios[free])
    steps = np.diag(share * centre)
    pairs = list(combinations(range(size), 2))
    corners = [a * steps[i] + b * steps[j] for i, j in pairs for a in (1, -1) for b in (1, -1)]
    points = np.zeros((1 + 2 * size + len(corners), len(ratios)))
    points[:, free] = (centre + np.vstack([np.zeros((1, size)), steps, -steps, *corners])) ** 2
    solved = equations.solve(points)
    value = solved.log_determinants + solved.rss / sigma2
    up, down = slice(1, 1 + size), slice(1 + size, 1 + 2 * size)
    width = np.diag(steps)
    hessian = np.zeros((size + 1, size + 1))
    hessian[np.arange(size), np.arange(size)] = (value[up] - 2 * value[0] + value[down]) / width**2
    for (i, j), (pp, pm, mp, mm) in zip(pairs, value[1 + 2 * size :].reshape(-1, 4), strict=True):
        hessian[i, j] = hessian[j, i] = (pp - pm - mp + mm) / (4 * width[i] * width[j])
    hessian[size, :size] = hessian[:size, size] = -(solved.rss[up] - solved.rss[down]) / width / sigma**3
    hessian[size, size] = -2 * freedom / sigma2 + 6 * solved.rss[0] / sigma2**2
    slopes = sigma2 * (solved.unscaled[up] - solved.unscaled[down]) / (2 * width[:, None, None])
    return hessian, np.concatenate([slopes, 2 * sigma * solved.unscaled[:1]])


def _indicator(codes: IntArray, levels: int) -> sparse.csr_array:
    shape = (len(codes), levels)
    return sparse.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=shape)


def _dense(matrix: sparse.csr_array | sparse.csc_array) -> FloatArray:
    return np.asarray(matrix.toarray(), dtype=np.float64)


def _gram(rows: sparse.csr_array, weights: FloatArray) -> FloatArray:
    """Σ weights_r · row_r' row_r."""
    return _dense(sparse.csr_array(rows.T @ sparse.diags_array(weights) @ rows))


def _nested_pair(terms: Sequence[IntArray], levels: Sequence[int]) -> list[int]:
    """The terms to eliminate, a fine one and one that it is nested in: those that leave the fewest levels."""
    pairs = [
        [fine, coarse]
        for fine, coarse in permutations(range(len(terms)), 2)
        if len(np.unique(terms[fine] * np.int64(levels[coarse]) + terms[coarse])) == levels[fine]
    ]
    choices = [*pairs, *([index] for index in range(len(terms)))]
    return max(choices, key=lambda chosen: sum(levels[index] for index in chosen), default=[])
