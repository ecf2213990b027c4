"""What control items say: answers that were expected, the same again, and texts made worse (Graham et al. 2016)."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import scipy

from metrics.human.base import attribute
from metrics.human.comparison import READINGS
from metrics.meta.common import FloatArray
from metrics.quality.chance import EQUAL, Nearness, better_than_chance, nearness
from metrics.quality.crowd import Crowd
from metrics.quality.findings import Finding, deviate, moments, nothing, t_interval, wilson_interval
from metrics.quality.signed_ranks import signed_rank_greater

SCOPE = "control"
"""Attributes of control items. ``expected`` of ``task/type/system/item/unit/criterion``; ``marks`` and ``tokens`` of
``task/type/system/item``."""
STEPS = 11
"""A scale of at most so many values is one of steps, on which an answer is right or not; else within a tenth of its range."""
FEW = 10
"""Fewer pairs than one HIT of Graham et al. has are tested by signed ranks, exactly: Student's t of a few whole numbers claims too much."""
PAIR = ["person", "drop", "worse", "usual", "spread"]
MARKED = re.compile(r"(?:s\d+/)?(?:(\d+)/)?(\d+):(\d+)")


def expected(crowd: Crowd, attributes: pd.DataFrame | None, control: str) -> Finding | None:
    """``gold`` and ``attention``: the share of answers that are right, and whether chance would do as well."""
    rows = crowd.rows[crowd.rows["control"] == control]
    if rows.empty:
        return None
    item = rows["task"] + "/" + control + "/" + rows["system"] + "/" + rows["item"]
    target = (item + "/" + rows["unit"] + "/" + rows["criterion"]).map(
        attribute(attributes, SCOPE, "expected")
    )
    target = pd.to_numeric(target, errors="coerce")
    answers = rows.assign(target=target, given=rows["value"])[target.notna() & rows["value"].notna()]
    marks = _marks(rows.assign(place=item.map(attribute(attributes, SCOPE, "marks"))))
    if answers.empty and marks.empty:
        return None
    asked = pd.Index(pd.unique(answers["task"] + "\0" + answers["criterion"]))
    work = crowd.rows[(crowd.rows["control"] == "") & crowd.rows["value"].notna()]
    work = work.assign(field=asked.get_indexer(pd.Index(work["task"] + "\0" + work["criterion"])))
    work = work[work["field"] >= 0]
    answers = answers.assign(field=asked.get_indexer(pd.Index(answers["task"] + "\0" + answers["criterion"])))
    near = nearness(work[["person", "field", "value"]], answers, among=False)
    right = near.distance <= _tolerance(work, len(asked))[answers["field"].to_numpy()] + EQUAL
    return _finding(crowd, control, answers, near, right, marks)


def _tolerance(work: pd.DataFrame, fields: int) -> FloatArray:
    by_field = work.groupby("field")["value"].agg(["min", "max", "nunique"]).reindex(range(fields))
    wide = (by_field["nunique"] > STEPS).to_numpy()
    return np.where(wide, ((by_field["max"] - by_field["min"]) / 10).fillna(0).to_numpy(), 0.0)


def _marks(rows: pd.DataFrame) -> pd.DataFrame:
    """Control items at whose ``place`` something was to be marked: ``person, judgment, right``."""
    rows = rows[rows["place"].notna()]
    hit = [_overlaps(str(unit), str(place)) for unit, place in zip(rows["unit"], rows["place"], strict=True)]
    return rows.assign(right=hit).groupby(["person", "judgment"])["right"].any().reset_index()


def _overlaps(unit: str, place: str) -> bool:
    wanted, found = MARKED.fullmatch(place), MARKED.match(unit)
    if wanted is None or found is None or (wanted[1] or "1") != (found[1] or "1"):
        return False
    return int(found[2]) < int(wanted[3]) and int(wanted[2]) < int(found[3])


def _finding(
    crowd: Crowd,
    control: str,
    answers: pd.DataFrame,
    near: Nearness,
    right: np.ndarray[tuple[int], np.dtype[np.bool_]],
    marks: pd.DataFrame,
) -> Finding:
    size = crowd.size
    judged = answers.assign(right=right).groupby(["person", "judgment"])["right"].mean().reset_index()
    judged = pd.concat([judged, marks.assign(right=marks["right"].astype("float64"))], ignore_index=True)
    n, share, _ = moments(
        judged["person"].to_numpy(dtype=np.intp), judged["right"].to_numpy(np.float64), size
    )
    better = better_than_chance(
        answers["person"].to_numpy(dtype=np.intp), answers["judgment"].to_numpy(dtype=np.intp), near, size
    )
    low, high = wilson_interval(share, n)
    passed = np.nan_to_num(share * n)
    warns = (control == "attention") & (n - passed >= 2) & (passed <= n / 2)
    what = {"gold": "expected answers given", "attention": "attention checks passed"}[control]
    words = [
        f"{passed[one]:.3g} of {n[one]:.0f} {what}{_beside_chance(better.pvalue[one])}" for one in range(size)
    ]
    return Finding(
        control,
        n.astype(np.intp),
        share,
        better.pvalue,
        low,
        high,
        words,
        evidence=better.deviate,
        warns=warns.astype(np.float64),
    )


def _beside_chance(pvalue: float) -> str:
    if np.isnan(pvalue):
        return ""
    return ", better than chance" if pvalue < 0.05 else ", no better than chance"


def repeats(crowd: Crowd) -> Finding | None:
    """``repeat``: how near the second answer is to the first; 1 the same, 0 as near as any two of the person's answers."""
    again = crowd.values[crowd.values["control"] == "repeat"]
    if again.empty:
        return None
    work = crowd.work()
    key = ["person", "field", "thing"]
    pairs = again.merge(crowd.own[[*key, "value"]], on=key, suffixes=("", "_first"))
    if pairs.empty:
        return None
    answers = pairs.assign(given=pairs["value_first"], target=pairs["value"])
    near = nearness(work, answers, among=True, mirrored=np.flatnonzero(crowd.paired))
    person, judgment = answers["person"].to_numpy(dtype=np.intp), answers["judgment"].to_numpy(dtype=np.intp)
    better = better_than_chance(person, judgment, near, crowd.size)
    scale = crowd.spread[answers["field"].to_numpy()]
    once = pd.DataFrame(
        {
            "person": person,
            "judgment": judgment,
            "found": near.distance / scale,
            "chance": near.by_chance / scale,
        }
    )
    once = once.groupby(["person", "judgment"], as_index=False)[["found", "chance"]].mean()
    who = once["person"].to_numpy(dtype=np.intp)
    n, found, deviation = moments(who, once["found"].to_numpy(), crowd.size)
    chance = moments(who, once["chance"].to_numpy(), crowd.size)[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = np.where(chance > EQUAL, chance, np.nan)
        statistic = 1 - found / chance
        low, high = t_interval(statistic, deviation / chance, n)
    same = np.bincount(who, once["found"].to_numpy() <= EQUAL, minlength=crowd.size)
    words = [
        f"{same[one]:.0f} of {n[one]:.0f} answered the same again{_beside_chance(better.pvalue[one])}"
        for one in range(crowd.size)
    ]
    return Finding(
        "repeat",
        n.astype(np.intp),
        statistic,
        better.pvalue,
        low,
        np.minimum(high, 1.0),
        words,
        evidence=better.deviate,
    )


def degraded(crowd: Crowd, attributes: pd.DataFrame | None) -> Finding | None:
    """``degraded``: by how many standard deviations texts made worse score lower than the same texts as they were."""
    pairs = degraded_pairs(crowd, attributes)
    if pairs.empty:
        return None
    person, drop = pairs["person"].to_numpy(dtype=np.intp), pairs["drop"].to_numpy(dtype=np.float64)
    n, mean, deviation = moments(person, drop, crowd.size)
    low, high = t_interval(mean, deviation, n)
    pvalue, evidence = nothing(crowd.size), nothing(crowd.size)
    for one in np.flatnonzero(n):
        pvalue[one], midp = lower_scores(drop[person == one])
        evidence[one] = deviate(np.array(midp))
    found = below_habit(pairs, crowd.size)
    evidence = np.where(np.isnan(found), evidence, found)
    lower = np.bincount(person, drop > EQUAL, minlength=crowd.size)
    words = [
        f"{lower[one]:.0f} of {n[one]:.0f} texts made worse got lower scores than their originals"
        f"{_beside_chance(pvalue[one])}"
        for one in range(crowd.size)
    ]
    return Finding("degraded", n.astype(np.intp), mean, pvalue, low, high, words, evidence=evidence)


def below_habit(pairs: pd.DataFrame, size: int) -> FloatArray:
    """How far degraded texts are below what the person usually gives and gave to the originals, each counted half: a deviate.

    By chance an answer is one of the person's own, of which there are more than pairs, so that a few degraded texts say more here
    than in a test of the pairs alone. NaN where the pairs are of sets, or somebody always answers alike.
    """
    person = pairs["person"].to_numpy(dtype=np.intp)
    n = np.bincount(person, minlength=size)
    below = ((pairs["usual"] + pairs["worse"] + pairs["drop"]) / 2 - pairs["worse"]).to_numpy(
        dtype=np.float64
    )
    total = np.bincount(person, below, minlength=size)
    spread = np.full(size, np.nan)
    spread[person] = pairs["spread"].to_numpy(dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > EQUAL, total / (spread * np.sqrt(1.25 * n)), np.nan)


def lower_scores(drops: FloatArray) -> tuple[float, float]:
    """One-sided p-values of drops from original to degraded: the test's, and with half of what is as extreme (mid-p).

    From ``FEW`` pairs on it is the paired t-test of Graham et al.; below it, and where all drops are equal, the exact signed-rank test.
    """
    if len(drops) >= FEW and np.ptp(drops) > EQUAL:
        n = len(drops)
        pvalue = float(scipy.special.stdtr(n - 1, -drops.mean() / (drops.std(ddof=1) / np.sqrt(n))))
        return pvalue, pvalue
    return signed_rank_greater(drops)


def degraded_pairs(crowd: Crowd, attributes: pd.DataFrame | None) -> pd.DataFrame:
    """``person, drop``, one row per degraded text whose original the same person judged; beside it ``worse``, what the degraded one
    got, and ``usual`` and ``spread``, mean and standard deviation of all that the person gave (all in standard deviations)."""
    values = crowd.values.assign(value=crowd.values["value"] / crowd.spread[crowd.values["field"]])
    plain = values[~crowd.paired[values["field"]]]
    key = ["person", "output", "field"]
    scores = {
        control: rows.groupby(key)["value"].mean() for control, rows in plain.groupby("control", sort=False)
    }
    in_sets = _pairs_in_sets(crowd, attributes)
    if not {"", "degraded"} <= set(scores):
        return in_sets
    both = pd.DataFrame({"first": scores[""], "worse": scores["degraded"]}).dropna()
    both = both.groupby(level=["person", "output"]).mean().reset_index()
    own = scores[""].groupby(level=["person", "output"]).mean().groupby(level="person").agg(["mean", "std"])
    person = both["person"]
    pairs = both.assign(
        drop=both["first"] - both["worse"], usual=person.map(own["mean"]), spread=person.map(own["std"])
    )
    return pd.concat([pairs[list(in_sets.columns)], in_sets], ignore_index=True) if len(in_sets) else pairs


def _pairs_in_sets(crowd: Crowd, attributes: pd.DataFrame | None) -> pd.DataFrame:
    """The same of a text that was degraded within a set: how much less often it won there than in the set as it was.

    Which of the set's texts it was, the attributes tell: a control item has ``tokens``.
    """
    rows = crowd.rows[crowd.rows["kind"].isin(list(READINGS)) & crowd.rows["value"].notna()]
    rows = rows[rows["control"].isin(["", "degraded"])]
    changed = attribute(attributes, SCOPE, "tokens").index
    key = rows["task"] + "/degraded/" + rows["system"] + "/" + rows["item"]
    rows = rows[key.isin(changed)]
    if rows.empty:
        return pd.DataFrame(columns=PAIR)
    lower = rows["kind"].map({kind: reading.lower_wins for kind, reading in READINGS.items()}).astype(bool)
    oriented = rows.assign(value=rows["value"].where(~lower, -rows["value"]))
    whose = ["person", "task", "criterion", "item", "system", "unit"]
    means = {control: own.groupby(whose)["value"].mean() for control, own in oriented.groupby("control")}
    if set(means) != {"", "degraded"}:
        return pd.DataFrame(columns=PAIR)
    drop = (means[""] - means["degraded"]).dropna().rename("drop")
    drop = drop.groupby(["person", "task", "item", "system"]).mean()
    return drop.reset_index().reindex(columns=PAIR)
