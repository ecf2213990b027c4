"""The people: how each used the scale before and after normalisation, how fast, how far from the others, how much alike."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.frames import assignments, scored
from metrics.human.normalise import Method, distributions, shares
from metrics.human.registry import as_compared, is_mark, kinds_that
from metrics.meta.agreement import INTERVAL, agreement
from metrics.meta.ties import settled
from metrics.report.book import Book
from metrics.report.inputs import Inputs
from metrics.report.numbers import listed
from metrics.report.options import Options
from metrics.signature import signature

POOLED = "all criteria"
DISCRETE = 11
"""A scale of at most so many values is shown by how often each was given."""

THING = ["task", "criterion", "system", "item", "unit"]


def assessor_section(inputs: Inputs, options: Options, book: Book) -> dict[str, Any]:
    """``distributions``, ``shares``, ``assessors`` and ``speed``, each a table."""
    rows = scored(inputs.judgments)
    values = as_compared(rows)
    values = values[values["value"].notna() & ~is_mark(values)]
    method: Method = "z" if options.normalise == "none" else options.normalise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)  # it is said below, of which criterion
        spread = distributions(values, method=method).sort_values(["task", "criterion", "stage", "assessor"])
    _note_undefined(spread[(spread["stage"] == method) & spread["mean"].isna()], method, book)
    spread = spread.assign(signature=signature("distribution", {"normalise": method, "controls": "out"}))
    found = {
        "distributions": spread,
        "shares": discrete_shares(values),
        "assessors": deviations(values),
        "speed": speed(rows),
    }
    found = {name: inputs.in_order(table) for name, table in found.items()}
    titles = {
        "distributions": "How each assessor used the scale, before and after normalisation",
        "shares": "How often each assessor gave each value",
        "assessors": "Each assessor beside the others",
        "speed": "Time each assessor took",
    }
    for name, title in titles.items():
        book.add(name, title, found[name])
    if found["speed"].empty:
        book.miss("speed", "the judgments do not say how long they took")
    return {"normalise": method} | {name: book.json_table(table) for name, table in found.items()}


def _note_undefined(spread: pd.DataFrame, method: str, book: Book) -> None:
    for (task, criterion), rows in spread.groupby(["task", "criterion"]):
        names = listed(rows["assessor"])
        book.note(
            "assessors",
            f"{method} is undefined for {names} on {criterion} ({task}): one judgment, or all alike",
        )


def discrete_shares(values: pd.DataFrame) -> pd.DataFrame:
    """``task, criterion, assessor, value, count, share`` where the scale has few values (Leusch et al. Figure 1)."""
    distinct = values.groupby(["task", "criterion"])["value"].transform("nunique")
    found = shares(values[distinct <= DISCRETE])
    return found.assign(
        signature=signature("share-of-values", {"level": "task-criterion-assessor", "controls": "out"})
    )


def deviations(values: pd.DataFrame) -> pd.DataFrame:
    """Each assessor beside the others who judged the same: ``bias`` is the mean difference from their mean, and
    ``correlation`` Pearson's r with it; ``compared`` counts what both are over.
    """
    own = values.groupby([*THING, "assessor"])["value"].mean()
    group = own.groupby(level=THING)
    number = group.transform("count")
    others = ((group.transform("sum") - own) / (number - 1)).where(number > 1)
    table = pd.DataFrame({"own": own, "others": others, "difference": own - others}).reset_index()
    rows = []
    for (task, criterion, assessor), part in table.groupby(["task", "criterion", "assessor"]):
        both = part.dropna(subset="others")
        rows.append(
            {
                "task": task,
                "criterion": criterion,
                "assessor": assessor,
                "judgments": len(part),
                "mean": part["own"].mean(),
                "deviation": part["own"].std(ddof=1),
                "compared": len(both),
                "bias": both["difference"].mean(),
                "correlation": _pearson(both["own"].to_numpy(), both["others"].to_numpy()),
            }
        )
    names = [
        "task",
        "criterion",
        "assessor",
        "judgments",
        "mean",
        "deviation",
        "compared",
        "bias",
        "correlation",
    ]
    return pd.DataFrame(rows, columns=names).assign(
        signature=signature("assessor-beside-others", {"others": "mean", "correlation": "pearson"})
    )


def _pearson(a: np.ndarray[Any, np.dtype[np.float64]], b: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    a, b = settled(a), settled(b)
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def speed(rows: pd.DataFrame) -> pd.DataFrame:
    """``task, assessor, judgments, seconds, median, total``: times of whole judgments, mean, median and sum."""
    timed = rows.dropna(subset="seconds")
    once = timed[~assignments(timed).duplicated()]
    by = once.groupby(["task", "assessor"])["seconds"]
    table = by.agg(judgments="count", seconds="mean", median="median", total="sum").reset_index()
    return table.assign(signature=signature("seconds", {"unit": "judgment", "controls": "out"}))


def agreement_table(inputs: Inputs, options: Options, book: Book) -> pd.DataFrame | None:
    """What ``python -m metrics agreement`` prints, and where criteria share a scale, all of them pooled.

    None, and a reason in the book, where there is nothing that two people judged.
    """
    tables = []
    for rows, strata in ((inputs.judgments, None), (pooled_criteria(inputs.judgments), "stratum")):
        if scored(rows, controls=True).empty:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScoreWarning)  # it is said below, of which criterion
            tables.append(
                agreement(
                    rows,
                    attributes=inputs.attributes,
                    n_resamples=options.n_resamples,
                    confidence_level=options.confidence_level,
                    rng=options.seed,
                    strata=strata,
                )
            )
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"value": []})
    if table["value"].isna().all():
        people = inputs.judgments["assessor"].nunique()
        known = {0: "there are no judgments", 1: "there is one assessor only"}
        book.miss("agreement", known.get(people, "nothing was judged by two assessors"))
        return None
    _note_no_agreement(table[table["value"].isna()], book)
    lines = {
        name: signature(
            name,
            {
                "level": "task-criterion",
                "interval": f"{INTERVAL}-{100 * options.confidence_level:g}",
                "resamples": options.n_resamples,
                "seed": options.seed,
            },
        )
        for name in table["coefficient"].unique()
    }
    table = table.assign(signature=table["coefficient"].map(lines))
    return inputs.in_order(table.sort_values(["criterion", "coefficient"], kind="stable"))


def _note_no_agreement(table: pd.DataFrame, book: Book) -> None:
    """A coefficient needs two judgments of the same thing, and all but the share of agreeing pairs some that differ."""
    nothing = table["items"] == 0
    for why, rows in (
        ("nothing was judged twice", table[nothing]),
        ("no two judgments differ", table[~nothing]),
    ):
        for (task, criterion), found in rows.groupby(["task", "criterion"], sort=False):
            names = listed(found["coefficient"])
            book.note("agreement", f"{names} of {criterion} ({task}): undefined, {why}")


def pooling_kinds() -> list[str]:
    """The kinds whose criteria may be one scale."""
    return kinds_that(lambda kind: kind.pools_criteria)


def pooled_criteria(judgments: pd.DataFrame) -> pd.DataFrame:
    """The tasks of kinds that pool criteria (ratings) whose criteria have the same lowest and highest value, all of them together.

    A judgment on one criterion is only compared with judgments on the same one, and chance is chance within a criterion:
    ``stratum`` keeps which one it is.
    """
    rows = judgments[judgments["kind"].isin(pooling_kinds()) & judgments["value"].notna()]
    ends = rows.groupby(["task", "criterion"])["value"].agg(["min", "max"]).groupby("task")
    alike = (ends.min() == ends.max()).all(axis=1) & (ends.size() > 1)
    chosen = rows[rows["task"].isin(alike.index[alike])]
    together = {"unit": chosen["criterion"] + "/" + chosen["unit"], "stratum": chosen["criterion"]}
    return chosen.assign(**together, criterion=POOLED)
