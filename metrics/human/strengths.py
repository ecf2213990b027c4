"""Strengths of systems from comparisons: expected wins, and models fitted by maximum likelihood.

Bradley & Terry (1952): P(i beats j) = p_i/(p_i + p_j). Davidson (1970) adds ties: P(tie) ∝ ν·√(p_i p_j). Plackett (1975) and
Luce (1959) rank: the best of what is left is chosen again and again. Strengths are log p with mean 0.

A strength is finite only where wins lead from every system to every other and back (Ford 1957). Where they do not, the largest
group in which they do is fitted, and the others have no value: what they have won or lost says nothing of how much.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse.csgraph import NegativeCycleError, connected_components, shortest_path

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.common import FloatArray, share_of

Objective = Callable[[FloatArray], tuple[float, FloatArray]]

FLAT = 1e-5
"""How steep the likelihood of one comparison may still be where the search ends."""


@dataclass(frozen=True)
class Strengths:
    """Log strengths with mean 0, NaN where there is no finite one, which ``problem`` explains."""

    values: FloatArray
    ties: float = float("nan")
    """Davidson's ν."""
    problem: str = ""


def expected_wins(wins: npt.ArrayLike, names: Sequence[str] = ()) -> Strengths:
    """The mean over opponents of the share of wins, ties left out (Koehn 2012); ``wins[i][j]``: i has beaten j.

    An opponent that a system never beat nor lost to is left out of its mean.

    >>> expected_wins([[0, 3, 1], [1, 0, 0], [1, 4, 0]]).values.tolist()
    [0.625, 0.125, 0.75]
    """
    won = _square(wins)
    decided = won + won.T
    with np.errstate(invalid="ignore"):
        share = np.where(decided > 0, won / decided, np.nan)
    met = np.isfinite(share).sum(axis=1)
    values = share_of(np.nansum(share, axis=1), met)
    missing = len(won) - 1 - met
    problem = ""
    if missing.any():
        names = _names(names, len(won))
        first = int(np.argmax(missing > 0))
        others = [
            names[other]
            for other in range(len(won))
            if other != first and not np.isfinite(share[first, other])
        ]
        problem = (
            f"{_pairs(int(missing.sum()) // 2)} never met, or only tied, and are left out: "
            f"{names[first]} and {others[0]}" + (" among them" if missing.sum() > 2 else "")
        )
        _warn(problem)
    return Strengths(values, problem=problem)


def bradley_terry(wins: npt.ArrayLike, names: Sequence[str] = (), *, ridge: float = 0.0) -> Strengths:
    """Bradley–Terry; ``ridge`` times the sum of squared strengths is taken off the log-likelihood.

    >>> bradley_terry([[0, 3], [1, 0]]).values.round(4).tolist()  # half of log 3
    [0.5493, -0.5493]
    """
    won = _square(wins)
    return davidson(won, np.zeros_like(won), names, ridge=ridge)


def davidson(
    wins: npt.ArrayLike, ties: npt.ArrayLike, names: Sequence[str] = (), *, ridge: float = 0.0
) -> Strengths:
    """Davidson's model; ``ties`` is symmetric. Without any tie it is Bradley–Terry, and ν is 0.

    >>> found = davidson([[0, 3], [1, 0]], [[0, 1], [1, 0]])
    >>> found.values.round(3).tolist(), round(found.ties, 3)
    ([0.549, -0.549], 0.577)
    """
    won, tied = _square(wins), _square(ties)
    if won.shape != tied.shape or not np.array_equal(tied, tied.T):
        raise BadInput("expected ties as a symmetric table of the same systems as wins")
    if not won.any():
        return _undefined(len(won), "nobody has won anything: no strength is finite")
    _check_ridge(ridge)
    kept, problem = _linked(won + tied, _names(names, len(won)), ridge)
    if len(kept) < 2:
        return _undefined(len(won), problem)
    inner = np.ix_(kept, kept)
    won, tied = won[inner], tied[inner]
    with_ties = bool(tied.any())
    if with_ties and not won.any():
        return _undefined(
            len(_square(wins)), "the systems that are linked have only tied: no strength is finite"
        )
    if with_ties and not ridge and _one_way(won, tied):
        return _undefined(
            len(_square(wins)), "all wins go one way: no strength is finite (a ridge makes all finite)"
        )

    def objective(parameters: FloatArray) -> tuple[float, FloatArray]:
        return _davidson_loss(parameters, won, tied, ridge, with_ties=with_ties)

    found = _least(objective, len(kept) + with_ties)
    ratio = float(np.exp(found[-1])) if with_ties else 0.0
    return _spread(found[: len(kept)], kept, len(_square(wins)), ratio, problem)


def _one_way(won: FloatArray, tied: FloatArray) -> bool:
    """Whether strengths and ν can grow for ever together: every win by two steps or more, every tie within two.

    Ties link systems only as long as somebody also wins against the order of the others.
    """
    steps = np.where(won > 0, -2.0, np.where(tied > 0, 2.0, 0.0))
    try:
        shortest_path(steps, method="BF")
    except NegativeCycleError:
        return False
    return True


def _davidson_loss(
    parameters: FloatArray, won: FloatArray, tied: FloatArray, ridge: float, *, with_ties: bool
) -> tuple[float, FloatArray]:
    """The negative log-likelihood per comparison and its slope. All sums run over ordered pairs, hence the halves."""
    systems = len(won)
    strength = parameters[:systems]
    log_ratio = parameters[systems] if with_ties else -np.inf
    half = (strength[:, None] - strength[None, :]) / 2
    both = won + won.T + tied
    log_total = np.logaddexp(np.logaddexp(half, -half), log_ratio)
    likelihood = (won * half).sum() - (both * log_total).sum() / 2
    slope = (won - won.T) / 2 - both * (np.exp(half - log_total) - np.exp(-half - log_total)) / 2
    gradient = slope.sum(axis=1) - 2 * ridge * strength
    if with_ties:
        likelihood += tied.sum() / 2 * log_ratio
        of_ratio = (tied.sum() - (both * np.exp(log_ratio - log_total)).sum()) / 2
        gradient = np.append(gradient, of_ratio)
    scale = both.sum() / 2
    return -(likelihood - ridge * (strength**2).sum()) / scale, -gradient / scale


def plackett_luce(
    rankings: Iterable[Sequence[int]], systems: int, names: Sequence[str] = (), *, ridge: float = 0.0
) -> Strengths:
    """Plackett–Luce from rankings without ties, each the numbers of its systems from best to worst.

    >>> plackett_luce([[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1]], 3).values.round(3).tolist()
    [0.783, -0.391, -0.391]
    """
    listed = [list(ranking) for ranking in rankings]
    if any(len(set(ranking)) < len(ranking) for ranking in listed):
        raise BadInput("expected rankings that name each system once")
    above = np.zeros((systems, systems))
    for ranking in listed:
        for place, system in enumerate(ranking):
            above[system, ranking[place + 1 :]] += 1
    _check_ridge(ridge)
    if not above.any():
        return _undefined(systems, "there is no ranking without ties: no strength is finite")
    kept, problem = _linked(above, _names(names, systems), ridge)
    if len(kept) < 2:
        return _undefined(systems, problem)
    number = {int(system): index for index, system in enumerate(kept)}
    inner = [[number[system] for system in ranking if system in number] for ranking in listed]
    stages = [(ranking[place], ranking[place:]) for ranking in inner for place in range(len(ranking) - 1)]
    chosen = np.bincount([winner for winner, _ in stages], minlength=len(kept)).astype(np.float64)
    left = np.zeros((len(stages), len(kept)))
    for stage, (_, remaining) in enumerate(stages):
        left[stage, remaining] = 1

    def objective(strength: FloatArray) -> tuple[float, FloatArray]:
        worth = np.exp(strength)
        total = left @ worth
        likelihood = chosen @ strength - np.log(total).sum() - ridge * (strength**2).sum()
        gradient = chosen - worth * (left / total[:, None]).sum(axis=0) - 2 * ridge * strength
        return -likelihood / len(stages), -gradient / len(stages)

    return _spread(_least(objective, len(kept)), kept, systems, float("nan"), problem)


def _least(objective: Objective, parameters: int) -> FloatArray:
    found = minimize(objective, np.zeros(parameters), jac=True, method="BFGS", options={"gtol": 1e-10})
    if not np.isfinite(found.x).all() or np.abs(found.jac).max() > FLAT:
        raise BadInput(
            "the strengths could not be fitted: the search found no maximum; give a ridge such as 0.01"
        )
    return np.asarray(found.x, dtype=np.float64)


def _linked(edges: FloatArray, names: Sequence[str], ridge: float) -> tuple[npt.NDArray[np.int64], str]:
    """The systems whose strengths are finite, and why others' are not."""
    systems = len(edges)
    if ridge > 0:
        return np.arange(systems), ""
    groups, label = connected_components(edges > 0, directed=True, connection="strong")
    if groups == 1:
        return np.arange(systems), ""
    sizes = np.bincount(label)
    kept = np.flatnonzero(label == sizes.argmax()) if sizes.max() > 1 else np.array([], dtype=np.int64)
    out = [system for system in range(systems) if system not in kept]
    reasons = []
    never_lost = [names[system] for system in out if not edges[:, system].any() and edges[system].any()]
    never_won = [names[system] for system in out if not edges[system].any() and edges[:, system].any()]
    others = [names[system] for system in out if names[system] not in {*never_lost, *never_won}]
    for what, group in (("never lost", never_lost), ("never won", never_won)):
        if group:
            reasons.append(f"{', '.join(group)} {what}")
    if others:
        reasons.append(f"{', '.join(others)} not linked to the others by both wins and losses")
    problem = f"no finite strength: {'; '.join(reasons)} (a ridge makes all finite)"
    _warn(problem)
    return kept, problem


def _spread(
    found: FloatArray, kept: npt.NDArray[np.int64], systems: int, ties: float, problem: str
) -> Strengths:
    values = np.full(systems, np.nan)
    values[kept] = found - found.mean()
    return Strengths(values, ties, problem)


def _undefined(systems: int, problem: str) -> Strengths:
    _warn(problem)
    return Strengths(np.full(systems, np.nan), problem=problem)


def _warn(problem: str) -> None:
    warnings.warn(problem, UndefinedScoreWarning, stacklevel=4)


def _check_ridge(ridge: float) -> None:
    if not (np.isfinite(ridge) and ridge >= 0):
        raise BadInput(f"expected a ridge of 0 or more, found {ridge:g}")


def _pairs(number: int) -> str:
    return "1 pair of systems" if number == 1 else f"{number} pairs of systems"


def _names(names: Sequence[str], systems: int) -> list[str]:
    return (
        [str(name) for name in names] if len(names) else [f"system {index + 1}" for index in range(systems)]
    )


def _square(table: npt.ArrayLike) -> FloatArray:
    """Counts as a square table; nothing is compared with itself."""
    counts = np.array(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise BadInput("expected a square table, one row and one column for each system")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise BadInput("expected counts of 0 or more")
    np.fill_diagonal(counts, 0)
    return counts
