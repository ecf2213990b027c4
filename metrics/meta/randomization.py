"""Approximate randomisation and the shifted bootstrap (Riezler & Maxwell 2005, Figures 1 and 2), all pairs at once.

Exchanging two systems' outputs for an item at random turns the sign of their difference on that item at random. So the
pseudo-statistics of R exchanges are one matrix product, (R × items) 0/1 draws by (items × systems) scores, from which
every pair of systems takes a difference. All pairs share the draws: each pair's test is exactly the test it would
have alone, since it only asks that the exchanges of one pair be independent between items; what is shared is the
chance error of different pairs, which no p-value is about. The same holds for the bootstrap with counts for 0/1.

A corpus-level metric is a function of sums over items (n-gram matches and lengths for BLEU). Give the summands as
scores of shape (systems × items × k) and the function as ``statistic``: sums of exchanged items come from the same
product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from metrics.meta.common import (
    BATCH_NUMBERS,
    Alternative,
    FloatArray,
    IntArray,
    as_extreme,
    batches,
    drawn_counts,
)

Statistic = Callable[[FloatArray], FloatArray]
"""Sums of sufficient statistics (… × k) to scores (…)."""
Draw = Callable[[np.random.Generator, int, int], FloatArray]


def randomization_pvalues(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    statistic: Statistic | None = None,
    n_resamples: int,
    alternative: Alternative,
    rng: np.random.Generator,
) -> FloatArray:
    """For each pair (c + 1)/(R + 1), c of R exchanges being at least as extreme as the observed difference (Figure 1).

    Where all 2ⁿ exchanges of a pair's n items are no more than R, all are made, and p is the share of extreme ones.
    """
    how = {"statistic": statistic, "n_resamples": n_resamples, "alternative": alternative, "rng": rng}
    shares = randomization_shares(scores, first, second, **how)  # type: ignore[arg-type]
    all_made = _common_items(scores, first, second) <= np.log2(n_resamples)
    return np.where(all_made, shares, (shares * n_resamples + 1) / (n_resamples + 1))


def randomization_shares(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    statistic: Statistic | None = None,
    n_resamples: int,
    alternative: Alternative,
    rng: np.random.Generator,
) -> FloatArray:
    """For each pair, the share of exchanges that are at least as extreme as the observed difference."""
    observed, tolerance = observed_differences(scores, first, second, statistic)
    shares = np.full(len(first), np.nan)
    common = _common_items(scores, first, second)
    few = common <= np.log2(n_resamples)
    for n in np.unique(common[few]):
        pairs = np.flatnonzero(few & (common == n))
        for chosen, pseudo in _all_exchanges(scores, first, second, pairs, int(n), statistic):
            extreme = as_extreme(pseudo, observed[chosen], tolerance[chosen], alternative)
            shares[chosen] = extreme.mean(axis=0)
    pairs = np.flatnonzero(~few)
    drawn = _pseudo(scores, first[pairs], second[pairs], statistic, draw=_coins, total=n_resamples, rng=rng)
    for block, pseudo in drawn if len(pairs) else ():
        chosen = pairs[block]
        extreme = as_extreme(pseudo, observed[chosen], tolerance[chosen], alternative)
        shares[chosen] = extreme.mean(axis=0)
    return np.where(np.isfinite(observed), shares, np.nan)


def shifted_bootstrap_pvalues(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    statistic: Statistic | None = None,
    n_resamples: int,
    alternative: Alternative,
    rng: np.random.Generator,
) -> FloatArray:
    """For each pair (c + 1)/(R + 1), c of R shifted bootstrap samples reaching the observed difference (Figure 2).

    Two-sided is the figure to the letter: pseudo-statistics are |S_X − S_Y|, their mean τ_B is subtracted, and those
    that reach the actual |S_X − S_Y| are counted. That looks at the upper tail of an absolute value only, which is why
    these p-values come out at about half of a randomisation test's (the paper's Table 2). ``greater`` and ``less`` do
    the same with signed differences. A pair's samples are drawn from the items that both systems have.
    """
    observed, tolerance = observed_differences(scores, first, second, statistic)
    if alternative == "two-sided":
        observed = np.abs(observed)
    counts = np.full(len(first), np.nan)
    for block, drawn in _pseudo(
        scores, first, second, statistic, draw=drawn_counts, total=n_resamples, rng=rng
    ):
        pseudo = np.abs(drawn) if alternative == "two-sided" else drawn
        shifted = pseudo - pseudo.mean(axis=0)
        tail: Alternative = "less" if alternative == "less" else "greater"
        counts[block] = as_extreme(shifted, observed[block], tolerance[block], tail).sum(axis=0)
    return np.where(np.isfinite(observed), (counts + 1) / (n_resamples + 1), np.nan)


def _common_items(scores: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """How many items both systems of each pair have."""
    present = np.isfinite(scores if scores.ndim == 2 else scores[..., 0]).astype(np.float64)
    return np.asarray((present @ present.T)[first, second])


def _all_exchanges(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    pairs: IntArray,
    n: int,
    statistic: Statistic | None,
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Pairs with n common items, and their differences in each of the 2ⁿ ways to exchange outputs (ways × pairs)."""
    ways = np.unpackbits(np.arange(2**n, dtype=">u8")[:, None].view(np.uint8), axis=1)[:, 64 - n :]
    kept = ways.astype(np.float64)
    size = _pairs_per_block(len(ways) * max(1, scores[0, 0].size))
    for start in range(0, len(pairs), size):
        chosen = pairs[start : start + size]
        i, j = first[chosen], second[chosen]
        if statistic is not None:
            own, others = (np.tensordot(kept, scores[k], axes=(1, 1)) for k in (i, j))
            left, right = (np.tensordot(1 - kept, scores[k], axes=(1, 1)) for k in (i, j))
            yield chosen, statistic(own + right) - statistic(others + left)
            continue
        differences, both = _differences(scores, i, j)
        used = differences.T[both.T > 0].reshape(len(chosen), n).T
        yield chosen, (2 * kept - 1) @ used / max(1, n)


def observed_differences(
    scores: FloatArray, first: IntArray, second: IntArray, statistic: Statistic | None = None
) -> tuple[FloatArray, FloatArray]:
    """Difference of each pair on the data, over the items that both systems have, and the size of rounding error."""
    if statistic is not None:
        totals = statistic(scores.sum(axis=1))
        return totals[first] - totals[second], 1e-12 * (np.abs(totals[first]) + np.abs(totals[second]))
    observed = np.empty(len(first))
    for start in range(0, len(first), _pairs_per_block(scores.shape[1])):
        block = slice(start, start + _pairs_per_block(scores.shape[1]))
        differences, both = _differences(scores, first[block], second[block])
        with np.errstate(invalid="ignore"):
            observed[block] = differences.sum(axis=0) / both.sum(axis=0)
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    return observed, np.full(len(first), 1e-12 * largest)


def _pseudo(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    statistic: Statistic | None,
    *,
    draw: Draw,
    total: int,
    rng: np.random.Generator,
) -> Iterator[tuple[slice | IntArray, FloatArray]]:
    """Blocks of pairs with their pseudo-differences (draws × pairs)."""
    if statistic is None and not np.isfinite(scores).all():
        yield from _pseudo_with_gaps(scores, first, second, draw=draw, total=total, rng=rng)
        return
    systems, items = scores.shape[:2]
    summands = scores.reshape(systems, items, -1)
    width = summands.shape[2]
    of_mean: Statistic = lambda sums: sums[..., 0] / items  # noqa: E731
    score = statistic or of_mean
    columns = np.ascontiguousarray(summands.swapaxes(0, 1)).reshape(items, -1)
    sums = _sums(columns, draw=draw, total=total, rng=rng).reshape(total, systems, width)
    full = summands.sum(axis=1)
    resampled = None if draw is _coins else score(sums)
    for start in range(0, len(first), _pairs_per_block(total * width)):
        block = slice(start, start + _pairs_per_block(total * width))
        i, j = first[block], second[block]
        if resampled is not None:
            yield block, resampled[:, i] - resampled[:, j]
            continue
        # Heads keeps an item where it is, tails exchanges it: what is left of i's sum, and what comes from j's.
        moved = sums[:, j] - sums[:, i]
        yield block, score(full[j] - moved) - score(full[i] + moved)


def _pseudo_with_gaps(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    draw: Draw,
    total: int,
    rng: np.random.Generator,
) -> Iterator[tuple[slice | IntArray, FloatArray]]:
    """The same for means with missing scores: every pair has its own items, so pairs take the place of systems."""
    if draw is not _coins:
        yield from _drawn_from_own_items(scores, first, second, draw=draw, total=total, rng=rng)
        return
    seed = rng.integers(2**63)
    size = min(_pairs_per_block(total), _pairs_per_block(scores.shape[1]))
    for start in range(0, len(first), size):
        block = slice(start, start + size)
        differences, both = _differences(scores, first[block], second[block])
        # Each block sees the same draws, as all pairs do when nothing is missing.
        sums = _sums(differences, draw=draw, total=total, rng=np.random.default_rng(seed))
        with np.errstate(invalid="ignore"):
            yield block, (2 * sums - differences.sum(axis=0)) / both.sum(axis=0)


def _drawn_from_own_items(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    draw: Draw,
    total: int,
    rng: np.random.Generator,
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Pair by pair, from the items that both have: a sample of all items might hold none of them."""
    seed = rng.integers(2**63)
    for pair in range(len(first)):
        differences, both = _differences(scores, first[pair : pair + 1], second[pair : pair + 1])
        used = differences[both[:, 0] > 0]
        if len(used):
            sums = _sums(used, draw=draw, total=total, rng=np.random.default_rng(seed))
            yield np.array([pair]), sums / len(used)


def _differences(scores: FloatArray, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """(items × pairs): differences, 0 where either is missing, and where both are there."""
    difference = (scores[first] - scores[second]).T
    both = np.isfinite(difference)
    return np.where(both, difference, 0.0), both.astype(np.float64)


def _sums(columns: FloatArray, *, draw: Draw, total: int, rng: np.random.Generator) -> FloatArray:
    """draws (total × items) @ columns (items × columns), made batch by batch."""
    items = len(columns)
    parts = [draw(rng, size, items) @ columns for size in batches(total, items)]
    return np.concatenate(parts)


def _coins(rng: np.random.Generator, draws: int, items: int) -> FloatArray:
    """Heads or tails for every draw and item, eight from each random byte."""
    flips = rng.integers(0, 256, (draws, -(-items // 8)), dtype=np.uint8)
    return np.unpackbits(flips, axis=1, count=items).astype(np.float64)


def _pairs_per_block(numbers_each: int) -> int:
    return max(1, BATCH_NUMBERS // max(1, numbers_each))
