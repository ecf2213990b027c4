"""How near is an answer to what it should be, beside what chance would give: the person's own other answers.

Nobody who does not look can do better than answer from habit. So each answer to a control item is compared with all the answers that
the same person gave to the same question elsewhere: which share of them is nearer to the target? Were the answer one of them at
random, that share would be uniform (ties count half), with a variance that ties make smaller. Of several control items the mean of
the shares is tested against one half. Values of one judgment count as one, with the variance that they would have if they all moved
together, so that many criteria prove no more than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from metrics.meta.common import FloatArray, IntArray
from metrics.quality.findings import nothing

EQUAL = 1e-9
"""Values that differ by less are one value."""


@dataclass(frozen=True)
class Nearness:
    """By answer: the share of own answers that are nearer to the target, its variance by chance, and the distance by chance."""

    share: FloatArray
    variance: FloatArray
    distance: FloatArray
    by_chance: FloatArray


def nearness(
    habits: pd.DataFrame, answers: pd.DataFrame, *, among: bool, mirrored: IntArray | None = None
) -> Nearness:
    """Of ``answers`` (``person, field, given, target``) beside ``habits`` (``person, field, value``).

    ``among``: the answer given is one of the habits; else it is counted as one more. Fields in ``mirrored`` are of pairs, where an
    answer might as well have been written the other way round.
    """
    n = len(answers)
    found = Nearness(nothing(n), np.zeros(n), nothing(n), nothing(n))
    by_group = {key: rows.to_numpy() for key, rows in habits.groupby(["person", "field"])["value"]}
    place = answers.reset_index(drop=True)
    for key, rows in place.groupby(["person", "field"]):
        own = by_group.get(key, np.empty(0))
        if mirrored is not None and key[1] in mirrored:
            own = np.concatenate([own, -own])
        where, target, given = (
            rows.index.to_numpy(),
            rows["target"].to_numpy(dtype=np.float64),
            rows["given"].to_numpy(dtype=np.float64),
        )
        mine = np.abs(given - target)
        all_own = np.abs(own[None, :] - target[:, None])
        if not among:
            all_own = np.column_stack([all_own, mine])
        if all_own.shape[1] == 0:
            continue
        near, even = all_own < mine[:, None] - EQUAL, np.abs(all_own - mine[:, None]) <= EQUAL
        found.share[where] = near.mean(axis=1) + even.mean(axis=1) / 2
        found.variance[where] = _variance(all_own)
        found.distance[where] = mine
        found.by_chance[where] = all_own.mean(axis=1)
    return found


def _variance(distances: FloatArray) -> FloatArray:
    """The variance of a share drawn at random: (1 − Σ f³)/12, f the shares of equal distances."""
    rows, columns = distances.shape
    ordered = np.sort(distances, axis=1)
    steps = np.diff(ordered, axis=1, prepend=-1.0) > EQUAL
    run = np.cumsum(steps, axis=1) + np.arange(rows)[:, None] * (columns + 1)
    counts = np.bincount(run.ravel(), minlength=rows * (columns + 1) + 1)[1:].astype(np.float64)
    cubes = (counts[: rows * (columns + 1)].reshape(rows, columns + 1) ** 3).sum(axis=1)
    return np.asarray((1 - cubes / columns**3) / 12, dtype=np.float64)


@dataclass(frozen=True)
class Better:
    """By person: over how many judgments, the deviate of doing better than chance, its one-sided p-value."""

    n: IntArray
    deviate: FloatArray
    pvalue: FloatArray


def better_than_chance(person: IntArray, judgment: IntArray, near: Nearness, size: int) -> Better:
    """The test described above; NaN where somebody always answers alike, since then chance does as well."""
    known = ~np.isnan(near.share)
    frame = pd.DataFrame(
        {"person": person, "judgment": judgment, "share": near.share, "variance": near.variance}
    )[known]
    once = frame.groupby(["person", "judgment"], sort=True)[["share", "variance"]].mean().reset_index()
    who = once["person"].to_numpy(dtype=np.intp)
    n = np.bincount(who, minlength=size)
    gain = np.bincount(who, 0.5 - once["share"].to_numpy(), minlength=size)
    variance = np.bincount(who, once["variance"].to_numpy(), minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviate = np.where(variance > EQUAL, gain / np.sqrt(variance), np.nan)
    return Better(n.astype(np.intp), deviate, np.asarray(scipy.special.ndtr(-deviate), dtype=np.float64))
