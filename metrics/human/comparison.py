"""What the kinds that compare several outputs of an item share: pairs, counts of wins and ties, rankings.

A judgment about a set of outputs is one row per system, ``unit`` = the set. Pairs are derived here and never stored. Two
systems with one text (the attribute ``same_as`` of an output, or one place in the set) are never compared with each other;
against a third each of them counts. Criteria of a task are pooled unless one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import PLACE
from metrics.human.base import ASSESSMENT, attribute, attribute_of, select
from metrics.meta.common import FloatArray

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


class Ranking(NamedTuple):
    """One set: systems by their numbers, best first, and which of them are tied with the next."""

    order: list[int]
    tied: list[bool]
    item: str
    number: int
    """Of the set; one with a text of several systems makes a ranking for each of them."""


def rankings_of(
    rows: pd.DataFrame, reading: Reading, attributes: pd.DataFrame | None, systems: list[str]
) -> Iterator[Ranking]:
    """Every set as a ranking of different texts. Where several systems have one text, there is one for each, as there is a pair."""
    number = {system: index for index, system in enumerate(systems)}
    rows = rows.assign(text=_texts(rows, attributes))
    for at, (_, members) in enumerate(rows.groupby(SET, dropna=False, sort=False)):
        places = members[PLACE] if PLACE in members.columns else pd.Series(pd.NA, index=members.index)
        by_text = members.groupby(places.astype("str").where(places.notna(), members["text"]), sort=False)
        values = by_text["value"].first().sort_values(ascending=reading.lower_wins, kind="stable")
        tied = (values.diff().iloc[1:] == 0).tolist()
        behind = {text: [number[system] for system in group] for text, group in by_text["system"]}
        for order in product(*(behind[text] for text in values.index)):
            yield Ranking(list(order), tied, str(members["item"].iloc[0]), at)


class StrictRankings(NamedTuple):
    """Orders of systems by their numbers, best first, the item of each, and how many sets have ties and so no order."""

    rankings: list[list[int]]
    items: list[str]
    tied: int


def strict_rankings(
    rows: pd.DataFrame, reading: Reading, attributes: pd.DataFrame | None, systems: list[str]
) -> StrictRankings:
    """The sets without ties between different texts, best first, and how many sets have ties."""
    found = list(rankings_of(rows, reading, attributes, systems))
    strict = [one for one in found if not any(one.tied)]
    tied = len({one.number for one in found if any(one.tied)})
    return StrictRankings([one.order for one in strict], [one.item for one in strict], tied)


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


MANY_TIES = 0.1
"""From this share of ties on, a model that leaves them out leaves out too much."""


def fitted_name(judgments: pd.DataFrame) -> str:
    """The model of whole systems that fits: Davidson's where ties are many, else Bradley and Terry's."""
    rows, reading = compared_rows(judgments)
    pairs = pairs_of(rows, reading)
    return "davidson" if len(pairs) and pairs["tied"].mean() > MANY_TIES else "bradley-terry"


SHARES = ("wins", "wins-half", "strength", "best-worst", "expected-wins")


def withheld(attributes: pd.DataFrame | None, task: str) -> dict[str, str]:
    """Where who met whom followed from who had won, shares of wins say whom a system met, not how good it is."""
    pick = str(attribute(attributes, "task", "pick").get(task, ""))
    if not pick:
        return {}
    why = f"sets were picked by what had been judged before ({pick}), so that shares are biased; fitted strengths are not"
    return dict.fromkeys(SHARES, why)


def has_values(judgments: pd.DataFrame) -> bool:
    """Whether anything was compared at all; reasons alone give no score."""
    return bool(judgments["value"].notna().any())


def by_criterion(judgments: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows with values, criterion by criterion, in the order of the table."""
    valued = judgments[judgments["value"].notna()]
    for criterion, rows in valued.groupby("criterion", sort=False):
        yield str(criterion), rows
