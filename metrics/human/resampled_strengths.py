"""The models of :mod:`metrics.human.strengths` for many resamples at once: 1,000 fits cost little more than a few.

Newton's method on all resamples together: a model of paired comparisons is concave, its Hessian is a Laplacian of as many rows as
there are systems, and NumPy solves a stack of them in one call. Peers fit one table at a time (choix, statsmodels, R's
BradleyTerry2), which is what a bootstrap spends its time on; none fits a stack, so this is our own.

A resample in which wins do not lead from every system to every other has no finite maximum; it is fitted with a small ridge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics.meta.common import BATCH_NUMBERS, FloatArray, share_of

RIDGE = 0.01
"""Of resamples in which a system has won or lost all."""
STEPS = 60
FLAT = 1e-9
"""How steep the likelihood of one comparison may still be where the search ends."""
LONGEST_STEP = 3.0


def expected_wins_of(wins: FloatArray) -> FloatArray:
    """The mean over opponents of the share of wins, of tables resamples × systems × systems."""
    decided = wins + wins.swapaxes(1, 2)
    share = np.divide(wins, decided, out=np.zeros_like(wins), where=decided > 0)
    met = (decided > 0).sum(axis=2)
    total: FloatArray = share.sum(axis=2)
    return share_of(total, met)


def davidson_of(wins: FloatArray, ties: FloatArray, *, ridge: float = 0.0) -> FloatArray:
    """Davidson's log strengths with mean 0, resamples × systems; without ties Bradley–Terry.

    >>> davidson_of(np.array([[[0, 3], [1, 0]]], dtype=float), np.zeros((1, 2, 2))).round(4).tolist()  # half of log 3
    [[0.5493, -0.5493]]
    """
    systems = wins.shape[1]
    # Ties hold systems together only where somebody wins against the order of the others.
    finite = linked(wins + ties) & has_cycle(wins)
    penalty = np.where(finite, ridge, max(ridge, RIDGE))
    size = max(1, BATCH_NUMBERS // (8 * systems * systems))
    parts = [
        _davidson(wins[start : start + size], ties[start : start + size], penalty[start : start + size])
        for start in range(0, len(wins), size)
    ]
    return np.concatenate(parts) if parts else np.empty((0, systems))


def _davidson(wins: FloatArray, ties: FloatArray, ridge: FloatArray) -> FloatArray:
    resamples, systems = wins.shape[:2]
    # A resample without a tie has ν = 0; a trace of one keeps log ν finite and moves no strength that could be seen.
    with_ties = bool(ties.any())
    tied_once = ties.sum(axis=(1, 2)) > 0
    both = wins + wins.swapaxes(1, 2) + ties
    lead = (wins - wins.swapaxes(1, 2)) / 2
    number = both.sum(axis=(1, 2)) / 2
    drawn = ties.sum(axis=(1, 2)) / 2
    strength = np.zeros((resamples, systems))
    log_ratio = np.where(tied_once, np.log((drawn + 1) / (number + 1)), -np.inf)
    free = np.ones(resamples, dtype=bool)
    best = np.full(resamples, -np.inf)
    step, step_ratio = np.zeros_like(strength), np.zeros(resamples)
    for _ in range(STEPS):
        half = (strength[:, :, None] - strength[:, None, :]) / 2
        plain = np.logaddexp(half, -half)
        log_total = np.logaddexp(plain, log_ratio[:, None, None])
        likelihood = (lead * half).sum(axis=(1, 2)) - (both * log_total).sum(axis=(1, 2)) / 2
        likelihood += np.where(tied_once, drawn * np.where(tied_once, log_ratio, 0.0), 0.0)
        likelihood -= ridge * (strength**2).sum(axis=1)
        # A step too far is taken back by half, resample by resample.
        worse = likelihood < best - 1e-12 * np.abs(best)
        if worse.any():
            step[worse] /= 2
            step_ratio[worse] /= 2
            strength[worse] -= step[worse]
            log_ratio[worse] -= step_ratio[worse]
            if worse.all():
                continue
        first, second = np.exp(half - log_total), np.exp(-half - log_total)
        tie = np.exp(log_ratio[:, None, None] - log_total)
        slope = (lead - both * (first - second) / 2).sum(axis=2) - 2 * ridge[:, None] * strength
        ratio_slope = np.where(tied_once, drawn - (both * tie).sum(axis=(1, 2)) / 2, 0.0)
        steep = np.maximum(np.abs(slope).max(axis=1), np.abs(ratio_slope)) / np.maximum(number, 1)
        moving = ~worse & (steep > FLAT)
        free = worse | moving
        if not free.any():
            break
        curvature = both * ((first + second) - (first - second) ** 2) / 4
        hessian = _laplacian(curvature) + 2 * ridge[:, None, None] * np.eye(systems)
        hessian += 1 / systems  # the level of strengths is free: their mean stays 0
        if with_ties:
            hessian, target = _with_ratio(hessian, slope, ratio_slope, both, first, second, tie, tied_once)
        else:
            target = slope
        solved = np.linalg.solve(hessian, target[..., None])[..., 0]
        solved *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(solved).max(axis=1), 1e-300))[:, None]
        best = np.where(moving, likelihood, best)
        step[moving] = solved[moving, :systems]
        strength[moving] += step[moving]
        if with_ties:
            step_ratio[moving] = np.where(tied_once, solved[:, systems], 0.0)[moving]
            log_ratio[moving] += step_ratio[moving]
    return np.asarray(strength - strength.mean(axis=1, keepdims=True))


def _laplacian(weights: FloatArray) -> FloatArray:
    found = -weights
    places = np.arange(weights.shape[1])
    found[:, places, places] += weights.sum(axis=2)
    return found


def _with_ratio(
    hessian: FloatArray,
    slope: FloatArray,
    ratio_slope: FloatArray,
    both: FloatArray,
    first: FloatArray,
    second: FloatArray,
    tie: FloatArray,
    tied_once: npt.NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    """The system of equations with log ν as one more parameter; where there is no tie it stays where it is."""
    resamples, systems = slope.shape
    whole = np.zeros((resamples, systems + 1, systems + 1))
    whole[:, :systems, :systems] = hessian
    cross = -(both * tie * (first - second)).sum(axis=2) / 2
    cross[~tied_once] = 0.0
    whole[:, :systems, systems] = whole[:, systems, :systems] = cross
    own = (both * tie * (1 - tie)).sum(axis=(1, 2)) / 2
    whole[:, systems, systems] = np.where(tied_once, own, 1.0)
    return whole, np.concatenate([slope, ratio_slope[:, None]], axis=1)


def plackett_luce_of(
    stages: Sequence[tuple[int, Sequence[int]]], systems: int, weights: FloatArray, *, ridge: float = 0.0
) -> FloatArray:
    """Plackett–Luce, resamples × systems: each stage is the system chosen and all that were left; ``weights`` resamples × stages."""
    left = np.zeros((len(stages), systems))
    chosen = np.zeros((len(stages), systems))
    for stage, (winner, remaining) in enumerate(stages):
        left[stage, list(remaining)] = 1
        chosen[stage, winner] = 1
    above = (chosen[:, :, None] * (left - chosen)[:, None, :]).reshape(len(stages), -1)
    penalty = np.where(
        linked((weights @ above).reshape(len(weights), systems, systems)), ridge, max(ridge, RIDGE)
    )
    size = max(1, BATCH_NUMBERS // max(1, left.size))
    parts = [
        _plackett_luce(left, chosen, weights[start : start + size], penalty[start : start + size])
        for start in range(0, len(weights), size)
    ]
    return np.concatenate(parts) if parts else np.empty((0, systems))


def _plackett_luce(
    left: FloatArray, chosen: FloatArray, weights: FloatArray, ridge: FloatArray
) -> FloatArray:
    systems = left.shape[1]
    won = weights @ chosen
    beside = (left[:, :, None] * left[:, None, :]).reshape(len(left), -1)
    strength = np.zeros((len(weights), systems))
    number = np.maximum(weights.sum(axis=1), 1)
    for _ in range(STEPS):
        worth = np.exp(strength)
        total = worth @ left.T
        share = weights / total
        expected = worth * (share @ left)
        slope = won - expected - 2 * ridge[:, None] * strength
        if (np.abs(slope).max(axis=1) / number <= FLAT).all():
            break
        # Σ over stages of w·(diag p − p pᵀ), p = worth·left/total.
        outer = ((share / total) @ beside).reshape(len(weights), systems, systems)
        outer *= worth[:, :, None] * worth[:, None, :]
        hessian = -outer + 2 * ridge[:, None, None] * np.eye(systems) + 1 / systems
        places = np.arange(systems)
        hessian[:, places, places] += expected
        step = np.linalg.solve(hessian, slope[..., None])[..., 0]
        step *= np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        strength += step
    return np.asarray(strength - strength.mean(axis=1, keepdims=True))


def linked(edges: FloatArray) -> npt.NDArray[np.bool_]:
    """Of each table whether wins lead from every system to every other."""
    return np.asarray((_reached(edges) | np.eye(edges.shape[1], dtype=bool)).all(axis=(1, 2)))


def has_cycle(edges: FloatArray) -> npt.NDArray[np.bool_]:
    """Of each table whether wins lead from any system back to itself."""
    return np.asarray(_reached(edges).diagonal(axis1=1, axis2=2).any(axis=1))


def _reached(edges: FloatArray) -> npt.NDArray[np.bool_]:
    """What can be reached in one step or more."""
    reach = edges > 0
    steps = 1
    while steps < edges.shape[1]:
        reach = reach | ((reach.astype(np.float32) @ reach.astype(np.float32)) > 0)
        steps *= 2
    return np.asarray(reach)
