"""Each person beside the others who judged the same: correlation, distance of the means, and whether the distance moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from metrics.meta.common import FloatArray, IntArray
from metrics.quality.crowd import Crowd, in_order
from metrics.quality.findings import LEVEL, Finding, deviate, moments, nothing, t_interval

FAR = 1.0
"""Standard deviations from the others' mean that are worth a word."""


@dataclass(frozen=True)
class Beside:
    """What somebody and others judged, in standard deviations of its field. ``gap`` is the own value less the others' mean.

    ``own`` and ``others`` are each less the mean of whoever gave it, over the person's work in the field, so that a strict person
    among the others does not look like a bad text. Values of pairs stay: which of two texts is named first means nothing.
    """

    person: IntArray
    judgment: IntArray
    field: IntArray
    own: FloatArray
    others: FloatArray
    gap: FloatArray


def beside_others(crowd: Crowd, *, trusted: FloatArray | None = None) -> Beside:
    """What each person and at least one other judged, control items left out; others count by ``trusted``, from 0 to 1."""
    own = crowd.own
    person, field = (own[name].to_numpy(dtype=np.intp) for name in ("person", "field"))
    value = own["value"].to_numpy(dtype=np.float64) / crowd.spread[field]
    mean = _means(person * len(crowd.spread) + field, value)
    centred = np.where(crowd.paired[field], value, value - mean)
    things = len(crowd.values) + 1
    thing = pd.factorize(field * things + own["thing"].to_numpy(dtype=np.intp))[0]
    weight = np.ones(len(own)) if trusted is None else trusted[person]
    number = np.bincount(thing, weight)[thing] - weight
    both = number > 0.5

    def of_others(values: FloatArray) -> FloatArray:
        total = np.bincount(thing, weight * values)[thing] - weight * values
        return np.asarray(total[both] / number[both], dtype=np.float64)

    return Beside(
        person[both],
        own["judgment"].to_numpy(dtype=np.intp)[both],
        field[both],
        centred[both],
        of_others(centred),
        value[both] - of_others(value),
    )


def _means(group: IntArray, values: FloatArray) -> FloatArray:
    """The mean of each value's group."""
    return np.asarray(
        (np.bincount(group, values) / np.maximum(np.bincount(group), 1))[group], dtype=np.float64
    )


def correlations(crowd: Crowd, beside: Beside) -> tuple[FloatArray, FloatArray]:
    """Pearson's r with the mean of the others, all fields pooled about their own means, and over how many judgments.

    A judgment counts once, however many values it has.
    """
    size = crowd.size
    group = beside.person * len(crowd.spread) + beside.field

    def centred(values: FloatArray) -> FloatArray:
        return np.where(crowd.paired[beside.field], values, values - _means(group, values))

    own, others = centred(beside.own), centred(beside.others)
    top = np.bincount(beside.person, own * others, minlength=size)
    square = [np.bincount(beside.person, part**2, minlength=size) for part in (own, others)]
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where((square[0] > 1e-12) & (square[1] > 1e-12), top / np.sqrt(square[0] * square[1]), np.nan)
    judged = pd.DataFrame({"person": beside.person, "judgment": beside.judgment}).drop_duplicates()
    n = np.bincount(judged["person"].to_numpy(dtype=np.intp), minlength=size).astype(np.float64)
    return np.where(n > 2, np.clip(r, -1.0, 1.0), np.nan), n


def others(crowd: Crowd, *, trusted: FloatArray | None = None) -> Finding | None:
    """``others``: the correlation with the mean of everybody else, with Fisher's interval; p is one-sided, of 0."""
    beside = beside_others(crowd, trusted=trusted)
    if not len(beside.own):
        return None
    r, n = correlations(crowd, beside)
    inner = np.clip(r, -1 + 1e-12, 1 - 1e-12)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = inner * np.sqrt((n - 2) / (1 - inner**2))
        pvalue = np.where(n > 2, scipy.special.stdtr(np.maximum(n - 2, 1), -t), np.nan)
        half = scipy.special.ndtri((1 + LEVEL) / 2) / np.sqrt(n - 3)
        low, high = np.tanh(np.arctanh(inner) - half), np.tanh(np.arctanh(inner) + half)
    low, high = np.where(n > 3, low, np.nan), np.where(n > 3, high, np.nan)
    evidence = np.where(n > 2, np.nan_to_num(deviate(pvalue)), np.nan)
    words = [
        "no correlation with the others: always the same answer, or too few judgments"
        if np.isnan(r[one])
        else f"correlates {r[one]:.2f} with the others ({n[one]:.0f} judgments)"
        for one in range(crowd.size)
    ]
    return Finding("others", n.astype(np.intp), r, pvalue, low, high, words, evidence=evidence)


def distance(crowd: Crowd) -> Finding | None:
    """``distance``: own mean less the others' on the same, in standard deviations; two-sided t over judgments. Not of pairs."""
    beside = beside_others(crowd)
    once = _by_judgment(crowd, beside)
    if once.empty:
        return None
    n, mean, deviation = moments(
        once["person"].to_numpy(dtype=np.intp), once["gap"].to_numpy(np.float64), crowd.size
    )
    low, high = t_interval(mean, deviation, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / (deviation / np.sqrt(n))
        pvalue = np.where(
            (n > 1) & (deviation > 1e-12), 2 * scipy.special.stdtr(np.maximum(n - 1, 1), -np.abs(t)), np.nan
        )
    words = [
        f"{abs(mean[one]):.2f} standard deviations {'above' if mean[one] > 0 else 'below'} the others"
        if n[one]
        else ""
        for one in range(crowd.size)
    ]
    return Finding("distance", n.astype(np.intp), mean, pvalue, low, high, words)


def _by_judgment(crowd: Crowd, beside: Beside) -> pd.DataFrame:
    """``person, judgment, gap``: own less others', the mean over the values of a judgment."""
    plain = ~crowd.paired[beside.field]
    frame = pd.DataFrame(
        {
            "person": beside.person[plain],
            "judgment": beside.judgment[plain],
            "gap": beside.gap[plain],
        }
    )
    return frame.groupby(["person", "judgment"])["gap"].mean().reset_index()


def drift(crowd: Crowd) -> Finding | None:
    """``drift``: Spearman's correlation of the distance from the others with the order of judgments; two-sided."""
    once = _by_judgment(crowd, beside_others(crowd))
    if once.empty:
        return None
    order = in_order(crowd.rows.drop_duplicates("judgment"))["judgment"]
    place = pd.Series(np.arange(len(order)), index=order.to_numpy())
    once = once.assign(place=once["judgment"].map(place))
    # Sums in another order differ in their last digits, and ties must not be broken by that.
    by_person = once.assign(gap=once["gap"].round(9)).groupby("person")
    x, y = by_person["place"].rank().to_numpy(), by_person["gap"].rank().to_numpy()
    person = once["person"].to_numpy(dtype=np.intp)
    n, mean_x, sd_x = moments(person, x, crowd.size)
    _, mean_y, sd_y = moments(person, y, crowd.size)
    product = np.bincount(person, (x - mean_x[person]) * (y - mean_y[person]), minlength=crowd.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = np.where((n > 2) & (sd_x > 0) & (sd_y > 0), product / ((n - 1) * sd_x * sd_y), np.nan)
        inner = np.clip(rho, -1 + 1e-12, 1 - 1e-12)
        pvalue = 2 * scipy.special.stdtr(
            np.maximum(n - 2, 1), -np.abs(inner) * np.sqrt((n - 2) / (1 - inner**2))
        )
        half = scipy.special.ndtri((1 + LEVEL) / 2) * np.sqrt(1.06 / (n - 3))  # Fieller et al. 1957
        low, high = np.tanh(np.arctanh(inner) - half), np.tanh(np.arctanh(inner) + half)
    few = n <= 3
    words = [
        f"grows {'higher' if rho[one] > 0 else 'lower'} beside the others over time ({rho[one]:.2f})"
        if not np.isnan(rho[one])
        else "too few to tell"
        for one in range(crowd.size)
    ]
    return Finding(
        "drift",
        n.astype(np.intp),
        rho,
        pvalue,
        np.where(few, nothing(crowd.size), low),
        np.where(few, np.nan, high),
        words,
    )
