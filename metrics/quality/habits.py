"""How people work: how fast for so much text, whether one answer follows the next unchanged, whether the first place wins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy

from metrics.frames import PLACE, one_row_per_text
from metrics.human.base import attribute
from metrics.human.comparison import READINGS
from metrics.meta.common import FloatArray, IntArray
from metrics.quality.controls import SCOPE
from metrics.quality.crowd import Crowd, has_places, in_order
from metrics.quality.findings import UNLESS_ABOVE, Finding, moments, nothing, percent, wilson_interval

TOO_FAST = 1 / 3
"""Of the time that others take for as much text."""
READABLE = 350
"""Words a minute that a good reader manages, or nearly (Brysbaert 2019: 238 on average). Who is slower is not too fast, whatever others do."""
UNREADABLE = 1000
"""Words a minute that nobody reads."""
SURE = 0.01
BLINK = 0.05
"""Seconds; less than this is taken for it, so that a time of 0 has a logarithm."""
MANY = 10
ONE_ANSWER, VARIED = 0.9, 0.6
"""Who gives one answer more often than the first, ten times or more, while others stay below the second, does not look."""


def speed(crowd: Crowd, attributes: pd.DataFrame | None) -> Finding | None:
    """``speed``: time for texts of this length as a share of what the others take; 1 is their usual pace.

    Times grow with words as they do in this table (logarithms of both, within person and task, slope between 0 and 1). p is of a
    sign test: do more than half of the judgments take less than a third of the usual time?
    """
    shown = crowd.rows[crowd.rows["seconds"].notna()].drop_duplicates("judgment")
    if shown.empty or not (shown["seconds"] > 0).any():
        return None
    words: FloatArray = np.asarray(
        words_shown(crowd.rows, attributes).reindex(shown["judgment"]), dtype=np.float64
    )
    seconds = np.maximum(shown["seconds"].to_numpy(dtype=np.float64), BLINK)
    person, task = shown["person"].to_numpy(dtype=np.intp), pd.factorize(shown["task"])[0]
    pace = _pace(person, task, seconds, words)
    n = np.bincount(person, minlength=crowd.size)
    parts = _parts(person, crowd.size)
    middle = np.array([np.median(pace[part]) if len(part) else np.nan for part in parts])
    usual = _others_median(middle)
    statistic = np.exp(middle - usual)
    rate = np.array(
        [np.nanmedian(60 * words[part] / seconds[part]) if _any(words[part]) else np.nan for part in parts]
    )
    low, high, pvalue, unread = (nothing(crowd.size) for _ in range(4))
    for one, part in enumerate(parts):
        if len(part):
            ends = _median_ends(np.sort(pace[part]) - usual[one])
            low[one], high[one] = np.exp(ends)
            fast = int((pace[part] - usual[one] < np.log(TOO_FAST)).sum())
            pvalue[one] = (
                scipy.stats.binom.sf(fast - 1, len(part), 0.5) if not np.isnan(usual[one]) else np.nan
            )
            known = part[~np.isnan(words[part])]
            skimmed = int((60 * words[known] / seconds[known] > UNREADABLE).sum())
            unread[one] = scipy.stats.binom.sf(skimmed - 1, len(known), 0.5) if len(known) else np.nan
    with np.errstate(invalid="ignore"):
        warns = ((pvalue < SURE) & ~(rate < READABLE)) | (unread < SURE)
    lines = [_speed_words(statistic[one], rate[one], bool(warns[one])) for one in range(crowd.size)]
    return Finding("speed", n, statistic, pvalue, low, high, lines, warns=warns.astype(np.float64))


def words_shown(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.Series[float]:
    """Words of the outputs that each judgment was about, by judgment; NaN where the attributes do not say."""
    texts = one_row_per_text(rows)[["judgment", "task", "control", "system", "item"]]
    texts = texts.drop_duplicates(["judgment", "system"])
    own = texts["system"] + "/" + texts["item"]
    usual = pd.to_numeric(own.map(attribute(attributes, "output", "tokens")), errors="coerce")
    changed = texts["task"] + "/" + texts["control"] + "/" + own
    words = pd.to_numeric(changed.map(attribute(attributes, SCOPE, "tokens")), errors="coerce").fillna(usual)
    words = words.where(words > 0)
    return words.groupby(texts["judgment"]).sum(min_count=1)


def _pace(person: IntArray, task: IntArray, seconds: FloatArray, words: FloatArray) -> FloatArray:
    """Logarithms of seconds without what the length of the text explains, and without what tasks differ in."""
    pace = np.log(seconds)
    known = ~np.isnan(words)
    if known.any():
        length = np.log(np.where(known, words, 1.0))
        length = np.where(known, length, length[known].mean())
        group = pd.factorize(person * (int(task.max()) + 1) + task)[0]
        x, y = length - _means(group, length), pace - _means(group, pace)
        slope = float(np.clip((x * y).sum() / (x * x).sum(), 0.0, 1.0)) if (x * x).sum() > 0 else 0.0
        pace = pace - slope * (length - length.mean())
    for one in np.unique(task):
        inside = task == one
        medians = pd.Series(pace[inside]).groupby(person[inside]).median()
        pace[inside] -= float(medians.median())
    return pace


def _means(group: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(
        (np.bincount(group, values) / np.maximum(np.bincount(group), 1))[group], dtype=np.float64
    )


def _others_median(middle: FloatArray) -> FloatArray:
    """The median of everybody else's medians; NaN for somebody who is alone."""
    found = nothing(len(middle))
    for one in np.flatnonzero(~np.isnan(middle)):
        others = np.delete(middle, one)
        others = others[~np.isnan(others)]
        found[one] = np.median(others) if len(others) else np.nan
    return found


def _parts(person: IntArray, size: int) -> list[IntArray]:
    order = np.argsort(person, kind="stable")
    ends = np.searchsorted(person[order], np.arange(size + 1))
    return [order[ends[one] : ends[one + 1]] for one in range(size)]


def _any(words: FloatArray) -> bool:
    return bool((~np.isnan(words)).any())


def _median_ends(ordered: FloatArray) -> tuple[float, float]:
    """The interval of a median between two of the values themselves (binomial); NaN of fewer than six."""
    n = len(ordered)
    if n < 6:
        return np.nan, np.nan
    k = int(scipy.stats.binom.ppf(0.025, n, 0.5))
    return float(ordered[max(k - 1, 0)]), float(ordered[min(n - k, n - 1)])


def _speed_words(ratio: float, rate: float, too_fast: bool) -> str:
    line = "too fast: " if too_fast else ""
    if not np.isnan(ratio):
        line += f"{_times(ratio)} the others' time for texts of this length"
    if not np.isnan(rate):
        line += f"{', ' if not np.isnan(ratio) else ''}{rate:,.0f} words a minute"
    return line or "nobody to compare with, and no lengths of texts"


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:.0f} times"


def straight_lining(crowd: Crowd) -> Finding | None:
    """``straight-lining``: the share of judgments that answer exactly what the one before answered.

    p is one-sided, against the person's own answers in any other order: the number of equal neighbours has the variance of runs
    (Barton & David 1957). Somebody who never changes the answer has none.
    """
    given = in_order(crowd.rows[crowd.rows["value"].notna()])
    given = given[given["control"] == ""]
    if given.empty:
        return None
    answers = _answers(given)
    person, task, answer = (answers[name].to_numpy(dtype=np.intp) for name in ("person", "task", "answer"))
    line = person * (int(task.max()) + 1) + task
    beside = line[1:] == line[:-1]
    n = np.bincount(person[1:][beside], minlength=crowd.size)
    same = np.bincount(person[1:][beside], (answer[1:] == answer[:-1])[beside], minlength=crowd.size)
    mean, variance, kinds, most = _by_shuffling(answers, crowd.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = same / n
        pvalue = np.where(variance > 0, scipy.special.ndtr(-(same - 0.5 - mean) / np.sqrt(variance)), np.nan)
        expected = mean / n
    low, high = wilson_interval(share, n.astype(np.float64))
    constant = (n + 1 >= MANY) & (most > ONE_ANSWER) & (_others_median(most) < VARIED)
    with np.errstate(invalid="ignore"):
        copies = (pvalue < SURE / 10) & (share > 0.5) & (share > 1.5 * expected)
    words = [
        "always the same answer"
        if kinds[one] == 1 and n[one] > 0
        else f"the same as the one before {percent(share[one])} of the time, {percent(expected[one])} in any other order; "
        f"most frequent answer {percent(most[one])}"
        if n[one]
        else "one judgment"
        for one in range(crowd.size)
    ]
    return Finding(
        "straight-lining",
        n,
        share,
        pvalue,
        low,
        high,
        words,
        warns=np.where(copies, 1.0, np.where(constant, UNLESS_ABOVE, 0.0)),
    )


def _answers(given: pd.DataFrame) -> pd.DataFrame:
    """``person, task, answer`` of each judgment in order: equal answers have equal codes; of sets, an answer is one about places."""
    at = given[PLACE].astype("Float64").fillna(0).astype("str") if PLACE in given.columns else ""
    value = given["value"].round(9).astype("str")
    cell = pd.util.hash_array((given["criterion"] + "\0" + at + "\0" + value).to_numpy(dtype=object))
    # Sums of hashes do not depend on the order of rows within a judgment.
    total = pd.Series(cell, index=given.index).groupby(given["judgment"]).transform("sum")
    once = ~given.duplicated("judgment").to_numpy()
    return pd.DataFrame(
        {
            "person": given["person"].to_numpy()[once],
            "task": pd.factorize(given["task"])[0][once],
            "answer": pd.factorize(total)[0][once],
        }
    )


def _by_shuffling(answers: pd.DataFrame, size: int) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Mean and variance of equal neighbours in random order, the number of different answers, and the share of the most frequent."""
    counts = answers.groupby(["person", "task", "answer"]).size().rename("k").reset_index()
    k = counts["k"].astype("float64")
    powers = counts.assign(n=k, two=k**2, three=k**3).groupby(["person", "task"])[["n", "two", "three"]].sum()
    n, two, three = (powers[name].to_numpy() for name in ("n", "two", "three"))
    who = powers.index.get_level_values("person").to_numpy(dtype=np.intp)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (two * (two + n * (n + 1)) - 2 * n * three - n**3) / (n**2 * (n - 1))
    variance = np.where(n > 1, np.nan_to_num(variance), 0.0)
    mean: FloatArray = np.bincount(who, (two - n) / n, minlength=size).astype(np.float64)
    largest = counts.groupby("person")["k"].max().reindex(range(size), fill_value=0).to_numpy()
    all_of = np.bincount(answers["person"].to_numpy(dtype=np.intp), minlength=size)
    kinds = (
        answers.groupby("person")["answer"]
        .nunique()
        .reindex(range(size), fill_value=0)
        .to_numpy(dtype=np.intp)
    )
    total: FloatArray = np.bincount(who, np.maximum(variance, 0), minlength=size).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return mean, total, np.asarray(kinds, dtype=np.intp), np.asarray(largest / all_of, dtype=np.float64)


def first_place(crowd: Crowd) -> Finding | None:
    """``first-place``: the share of sets with one best text in which it was the first. Two-sided, binomial with 1/k of k texts."""
    rows = crowd.rows[(crowd.rows["control"] == "") & crowd.rows["kind"].isin(list(READINGS))]
    rows = rows[rows["value"].notna()]
    if rows.empty or not has_places(rows):
        return None
    lower = rows["kind"].map({kind: reading.lower_wins for kind, reading in READINGS.items()}).astype(bool)
    texts = rows.assign(value=rows["value"].where(~lower, -rows["value"]))
    texts = texts.drop_duplicates(["judgment", "criterion", PLACE])
    by_set = texts.groupby(["judgment", "criterion"])
    best = texts["value"] == by_set["value"].transform("max")
    texts = texts.assign(best=best, placed=texts[PLACE].notna(), won=best & (texts[PLACE] == 1).fillna(False))
    sets = texts.groupby(["person", "judgment", "criterion"]).agg(
        size=("best", "size"), best=("best", "sum"), placed=("placed", "all"), won=("won", "any")
    )
    sets = sets[(sets["size"] > 1) & (sets["best"] == 1) & sets["placed"]].reset_index()
    if sets.empty:
        return None
    # Criteria on one set are one look at it.
    once = sets.groupby(["person", "judgment"], as_index=False).agg(size=("size", "max"), won=("won", "mean"))
    person = once["person"].to_numpy(dtype=np.intp)
    n, share, _ = moments(person, once["won"].to_numpy(dtype=np.float64), crowd.size)
    expected = moments(person, 1 / once["size"].to_numpy(dtype=np.float64), crowd.size)[1]
    low, high = wilson_interval(share, n)
    pvalue = np.array(
        [
            scipy.stats.binomtest(round(share[one] * n[one]), int(n[one]), expected[one]).pvalue
            if n[one]
            else np.nan
            for one in range(crowd.size)
        ]
    )
    words = [
        f"the first place won {percent(share[one])} of {n[one]:.0f} sets, {percent(expected[one])} if places did not matter"
        if n[one]
        else ""
        for one in range(crowd.size)
    ]
    with np.errstate(invalid="ignore"):
        warns = (pvalue < SURE / 10) & ((share > 0.9) | (share < 0.1 * expected)) & (n >= MANY)
    return Finding(
        "first-place", n.astype(np.intp), share, pvalue, low, high, words, warns=warns.astype(np.float64)
    )
