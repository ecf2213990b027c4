"""What the kinds that compare several outputs of an item share: pairs, shares of wins, fitted strengths, tables.

A judgment about a set of outputs is one row per system, ``unit`` = the set. Pairs are derived here and never stored. Two
systems with one text (the attribute ``same_as`` of an output, or one place in the set) are never compared with each other;
against a third each of them counts. Criteria of a task are pooled unless one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import PLACE
from metrics.human.base import ASSESSMENT, HumanScore, attribute_of, counts, score_table, select
from metrics.human.kind import Option, Score
from metrics.human.strengths import (
    FloatArray,
    Strengths,
    bradley_terry,
    davidson,
    expected_wins,
    plackett_luce,
)
from metrics.signature import signature

SET = [*ASSESSMENT[:3], "item", "document", "unit", "position", "criterion", "sitting"]
"""What the rows of one set, judged by one person, have in common."""
TALLY = ["won", "lost", "tied"]


@dataclass(frozen=True)
class Reading:
    """What a kind's values say of two outputs."""

    lower_wins: bool = False
    equal_is_tie: bool = True
    """Of the outputs between best and worst nothing is said, not even that they are equal."""


READINGS = {
    "pairwise": Reading(),
    "ranking": Reading(lower_wins=True),
    "best_worst": Reading(equal_is_tie=False),
}


class Counts(NamedTuple):
    """Who beat whom how often: ``wins[i, j]``, and ties, symmetric; both by the order of ``systems``."""

    systems: list[str]
    wins: FloatArray
    ties: FloatArray


def compared_rows(
    judgments: pd.DataFrame, *, task: str | None = None, criterion: str = ""
) -> tuple[pd.DataFrame, Reading]:
    """The rows of one task of comparisons that count, with values, and how to read them."""
    own = judgments if task is None else judgments[judgments["task"] == task]
    found = [kind for kind in READINGS if kind in set(own["kind"])]
    if not found:
        raise BadInput(f"expected judgments of kind {' or '.join(READINGS)}, found none")
    if len(found) > 1:
        tasks = ", ".join(dict.fromkeys(own.loc[own["kind"].isin(found), "task"]))
        raise BadInput(f"expected comparisons of one task, found {tasks}: choose one", column="task")
    rows = select(judgments, found[0], task=task, criteria=(criterion,) if criterion else ())
    rows = rows[rows["value"].notna() & (rows["control"] == "")]
    if rows.empty:
        raise BadInput("expected comparisons, found control items or rows without a value only")
    return rows, READINGS[found[0]]


def pairs_of(rows: pd.DataFrame, reading: Reading, attributes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every two outputs with different texts of a set, both ways round: ``SET, system, other, won, lost, tied``."""
    sides = rows[[*SET, "system", "value"]].assign(text=_texts(rows, attributes))
    if PLACE in rows.columns:
        sides[PLACE] = rows[PLACE]
    else:
        sides[PLACE] = pd.Series(pd.NA, index=rows.index, dtype="Int64")
    sides["set"] = rows.groupby(SET, dropna=False, sort=False).ngroup()
    right = sides[["set", "system", "text", "value", PLACE]]
    pairs = sides.merge(right, on="set", suffixes=("", "_other"))
    one_place = (pairs[PLACE] == pairs[f"{PLACE}_other"]).fillna(False).astype(bool)
    distinct = (
        (pairs["system"] != pairs["system_other"]) & (pairs["text"] != pairs["text_other"]) & ~one_place
    )
    pairs = pairs[distinct].rename(columns={"system_other": "other"})
    ahead = (pairs["value"] - pairs["value_other"]) * (-1 if reading.lower_wins else 1)
    pairs = pairs.assign(
        won=(ahead > 0).astype("int64"), lost=(ahead < 0).astype("int64"), tied=(ahead == 0).astype("int64")
    )
    if not reading.equal_is_tie:
        pairs = pairs[pairs["tied"] == 0]
    return pairs[[*SET, "set", "system", "other", *TALLY]].reset_index(drop=True)


def _texts(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> pd.Series[str]:
    """Of systems with one text the first stands for the text; within an item this names the text."""
    first = attribute_of(rows["system"] + "/" + rows["item"], attributes, "output", "same_as")
    return first.where(first != "", rows["system"])


def pair_counts(pairs: pd.DataFrame, systems: list[str]) -> Counts:
    """Pairs as tables of wins and ties."""
    place = {system: index for index, system in enumerate(systems)}
    wins, ties = np.zeros((len(systems),) * 2), np.zeros((len(systems),) * 2)
    row, column = pairs["system"].map(place).to_numpy(), pairs["other"].map(place).to_numpy()
    np.add.at(wins, (row, column), pairs["won"].to_numpy())
    np.add.at(ties, (row, column), pairs["tied"].to_numpy())
    return Counts(systems, wins, ties)


def tallies(rows: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Per assessor, output and set how often it won, lost and tied: ``ASSESSMENT, won, lost, tied``."""
    key = [name for name in ASSESSMENT if name != "control"]
    known = rows[ASSESSMENT].drop_duplicates()
    counted = pairs.groupby(key, dropna=False)[TALLY].sum().reset_index()
    return known.merge(counted, on=key, how="left").fillna(dict.fromkeys(TALLY, 0))


def share(tally: pd.DataFrame, *, half: bool) -> pd.Series[float]:
    """w/(w + l), or (w + t/2)/(w + l + t); NaN where there is nothing to divide by.

    >>> share(pd.DataFrame({"won": [2], "lost": [1], "tied": [1]}), half=True).tolist()
    [0.625]
    """
    won, lost, tied = (tally[name].astype("float64") for name in TALLY)
    if half:
        return (won + tied / 2) / (won + lost + tied)
    return won / (won + lost)


def _shares(
    name: str,
    judgments: pd.DataFrame,
    attributes: pd.DataFrame | None,
    task: str | None,
    criterion: str,
    half: bool,
) -> HumanScore:
    rows, reading = compared_rows(judgments, task=task, criterion=criterion)
    pairs = pairs_of(rows, reading, attributes)
    tally = tallies(rows, pairs)
    assessments = tally.assign(value=share(tally, half=half))
    return HumanScore(
        name=name,
        scores=score_table(name, share(tally.groupby(["system", "item"])[TALLY].sum(), half=half)),
        assessments=assessments[[*ASSESSMENT, "value"]],
        signature=_signed(name, "item", rows, assessments, len(pairs) // 2),
        pooled=share(tally.groupby("system")[TALLY].sum(), half=half),
    )


def _signed(
    name: str, level: str, rows: pd.DataFrame, assessments: pd.DataFrame, pairs: int, **options: object
) -> str:
    criteria = "+".join(dict.fromkeys(rows["criterion"]))
    about = {"level": level, "criteria": criteria, **options, "controls": "out"}
    return signature(name, {**about, **counts(assessments), "pairs": pairs})


def wins(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """The share of wins among comparisons that were not tied."""
    return _shares("wins", judgments, attributes, task, criterion, half=False)


def wins_half(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """The share of wins among all comparisons, a tie being half a win."""
    return _shares("wins-half", judgments, attributes, task, criterion, half=True)


def mean_value(
    name: str, judgments: pd.DataFrame, kind: str, *, task: str | None, criterion: str
) -> HumanScore:
    """The mean of the values a system got over the sets it was shown in."""
    own = judgments[judgments["kind"] == kind]
    if own.empty:
        raise BadInput(f"expected judgments of kind {kind}, found none")
    rows, _ = compared_rows(own, task=task, criterion=criterion)
    assessments = rows.groupby(ASSESSMENT, dropna=False, sort=False)["value"].mean().reset_index()
    return HumanScore(
        name=name,
        scores=score_table(name, rows.groupby(["system", "item"])["value"].mean()),
        assessments=assessments,
        signature=_signed(name, "item", rows, assessments, 0).replace("|pairs:0", ""),
        pooled=rows.groupby("system")["value"].mean(),
    )


def strict_rankings(
    rows: pd.DataFrame, reading: Reading, attributes: pd.DataFrame | None, systems: list[str]
) -> tuple[list[list[int]], int]:
    """The sets without ties between different texts, best first, and how many sets have ties.

    Where several systems have one text, there is a ranking for each of them, as there is a pair for each.
    """
    number = {system: index for index, system in enumerate(systems)}
    rows = rows.assign(text=_texts(rows, attributes))
    found, tied = [], 0
    for _, members in rows.groupby(SET, dropna=False, sort=False):
        places = members[PLACE] if PLACE in members.columns else pd.Series(pd.NA, index=members.index)
        by_text = members.groupby(places.astype("str").where(places.notna(), members["text"]), sort=False)
        values = by_text["value"].first()
        if values.duplicated().any():
            tied += 1
            continue
        order = values.sort_values(ascending=reading.lower_wins).index
        behind = {text: [number[system] for system in group] for text, group in by_text["system"]}
        found += [list(ranking) for ranking in product(*(behind[text] for text in order))]
    return found, tied


class Material(NamedTuple):
    """What models are fitted to."""

    rows: pd.DataFrame
    reading: Reading
    pairs: pd.DataFrame
    counts: Counts
    attributes: pd.DataFrame | None


def material(rows: pd.DataFrame, reading: Reading, attributes: pd.DataFrame | None) -> Material:
    pairs = pairs_of(rows, reading, attributes)
    systems = sorted(rows["system"].unique())
    return Material(rows, reading, pairs, pair_counts(pairs, systems), attributes)


Fit = Callable[[Material, float], Strengths]


def _expected(given: Material, ridge: float) -> Strengths:
    return expected_wins(given.counts.wins, given.counts.systems)


def _bradley_terry(given: Material, ridge: float) -> Strengths:
    return bradley_terry(given.counts.wins, given.counts.systems, ridge=ridge)


def _davidson(given: Material, ridge: float) -> Strengths:
    return davidson(given.counts.wins, given.counts.ties, given.counts.systems, ridge=ridge)


def _plackett_luce(given: Material, ridge: float) -> Strengths:
    systems = given.counts.systems
    rankings, _ = strict_rankings(given.rows, given.reading, given.attributes, systems)
    return plackett_luce(rankings, len(systems), systems, ridge=ridge)


FITS: dict[str, Fit] = {
    "expected-wins": _expected,
    "bradley-terry": _bradley_terry,
    "davidson": _davidson,
    "plackett-luce": _plackett_luce,
}


@dataclass(frozen=True)
class _FittedScore:
    """The function of a score that only whole systems have: its table has a row per system, with an empty item."""

    name: str

    def __call__(
        self,
        judgments: pd.DataFrame,
        *,
        attributes: pd.DataFrame | None = None,
        task: str | None = None,
        criterion: str = "",
        ridge: float = 0.0,
    ) -> HumanScore:
        given = material(*compared_rows(judgments, task=task, criterion=criterion), attributes)
        fitted = FITS[self.name](given, ridge)
        tally = tallies(given.rows, given.pairs)
        assessments = tally.assign(value=share(tally, half=True))[[*ASSESSMENT, "value"]]
        values = [float(value) for value in fitted.values]
        table = {"metric": self.name, "system": given.counts.systems, "item": "", "score": values}
        how = {} if self.name == "expected-wins" else {"ridge": f"{ridge:g}"}
        return HumanScore(
            name=self.name,
            scores=pd.DataFrame(table),
            assessments=assessments,
            signature=_signed(self.name, "system", given.rows, assessments, len(given.pairs) // 2, **how),
        )


CRITERION = Option("criterion", "one criterion of a task of comparisons (default all together)")
RIDGE = Option("ridge", "times the squared strengths, taken off the log-likelihood (default 0)", type=float)

WINS = Score(
    "wins",
    wins,
    (CRITERION,),
    meaning="The share of comparisons that the system won, ties left out.",
    definition="the share of comparisons won among those without a tie",
)
WINS_HALF = Score(
    "wins-half",
    wins_half,
    (CRITERION,),
    meaning="The share of comparisons that the system won, a tie being half a win.",
    definition="the share of comparisons won, ties counting half",
)
EXPECTED_WINS = Score(
    "expected-wins",
    _FittedScore("expected-wins"),
    (CRITERION,),
    meaning="How often the system would beat another one drawn at random, ties left out.",
    definition="the share of comparisons won without ties, averaged over opponents (Koehn 2012)",
)
BRADLEY_TERRY = Score(
    "bradley-terry",
    _FittedScore("bradley-terry"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in the Bradley–Terry model, ties left out, 0 on average.",
    definition="the log strength in a Bradley–Terry model without ties, with mean 0 (Bradley and Terry 1952)",
)
DAVIDSON = Score(
    "davidson",
    _FittedScore("davidson"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in Davidson's model of wins and ties, 0 on average.",
    definition="the log strength in Davidson's model with ties, with mean 0 (Davidson 1970)",
)
PLACKETT_LUCE = Score(
    "plackett-luce",
    _FittedScore("plackett-luce"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in the Plackett–Luce model of rankings without ties, 0 on average.",
    definition="the log strength in a Plackett–Luce model of the rankings without ties, with mean 0 (Luce 1959; Plackett 1975)",
)


def has_values(judgments: pd.DataFrame) -> bool:
    """Whether anything was compared at all; reasons alone give no score."""
    return bool(judgments["value"].notna().any())


def by_criterion(judgments: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows with values, criterion by criterion, in the order of the table."""
    valued = judgments[judgments["value"].notna()]
    for criterion, rows in valued.groupby("criterion", sort=False):
        yield str(criterion), rows
