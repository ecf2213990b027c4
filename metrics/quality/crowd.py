"""Judgments as the checks take them: numbers and codes, one row per value, one per judgment.

Values of most kinds are as people can agree on them (``human.registry.as_compared``), turned so that higher is better. Of comparisons
the pairs are taken: what somebody says of two texts, 1, 0 or −1, whichever set they stood in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from metrics.frames import PLACE, adjudicated, assignments, scored
from metrics.human.comparison import READINGS, pairs_of
from metrics.human.registry import as_compared, higher_is_better, is_mark
from metrics.human.spans.agreement import ANY
from metrics.meta.common import FloatArray, IntArray

MISTAKES = ANY
"""A criterion of error spans that is no score by itself, and of which 1 is worse than 0."""


@dataclass(frozen=True)
class Crowd:
    """Everybody's judgments, practice and what is left out of results not among them.

    ``rows`` is the long table with ``person`` and ``judgment``, codes from 0. ``values`` has a row per value that can be compared:
    ``person, judgment, control, field, thing, output, value``; a *field* is a criterion of a task. ``paired`` tells of a field whether
    its values are of pairs, ``spread`` its standard deviation over everybody.
    """

    people: tuple[str, ...]
    rows: pd.DataFrame
    values: pd.DataFrame
    paired: np.ndarray[tuple[int], np.dtype[np.bool_]]
    spread: FloatArray

    @property
    def size(self) -> int:
        return len(self.people)

    def work(self) -> pd.DataFrame:
        """The values of judgments that are no control items."""
        return self.values[self.values["control"] == ""]

    @cached_property
    def own(self) -> pd.DataFrame:
        """What each person says of each thing in work that is no control item: ``person, field, thing, value, judgment``."""
        by_thing = self.work().groupby(["person", "field", "thing"], as_index=False)
        return by_thing.agg(value=("value", "mean"), judgment=("judgment", "first"))


def read_crowd(judgments: pd.DataFrame, attributes: pd.DataFrame | None) -> Crowd:
    """The crowd of a checked long table."""
    # What an adjudicator decided is no judgment of an assessor.
    rows = scored(adjudicated(judgments, "raw"), controls=True)
    in_sets = rows["kind"].isin(list(READINGS))
    key = assignments(rows)
    key = key.assign(system=key["system"].mask(in_sets, rows["unit"]))
    judgment = key.groupby(list(key.columns), dropna=False, sort=False).ngroup()
    person, people = pd.factorize(rows["assessor"], sort=True)
    rows = rows.assign(person=person, judgment=judgment.to_numpy(dtype=np.intp))
    values = pd.concat([_of_outputs(rows[~in_sets]), *_of_pairs(rows[in_sets], attributes)])
    values = values[values["value"].notna()]
    field, names = pd.factorize(values["task"] + "\0" + values["criterion"], sort=True)
    values = pd.DataFrame(
        {
            "person": values["person"].to_numpy(dtype=np.intp),
            "judgment": values["judgment"].to_numpy(dtype=np.intp),
            "control": values["control"].to_numpy(),
            "field": field,
            "thing": pd.factorize(values["task"] + "\0" + values["thing"])[0],
            "output": pd.factorize(values["task"] + "\0" + values["system"] + "\0" + values["item"])[0],
            "value": values["value"].to_numpy(dtype=np.float64),
            "paired": values["paired"].to_numpy(dtype=bool),
        }
    )
    paired = np.zeros(len(names), dtype=bool)
    paired[field[values["paired"].to_numpy()]] = True
    spread = _spread(values, len(names), paired)
    # What everybody answered alike tells nothing of anybody: marks without a scale, lines that were taken.
    kept = values[spread[values["field"]] > 0].drop(columns="paired").reset_index(drop=True)
    return Crowd(tuple(map(str, people)), rows, kept, paired, spread)


def _of_outputs(rows: pd.DataFrame) -> pd.DataFrame:
    """Values about one output, or about a unit of it."""
    compared = as_compared(rows)
    compared = compared[compared["value"].notna() & ~is_mark(compared)]
    kinds = compared[["kind", "criterion"]].drop_duplicates().itertuples(index=False)
    lower = {
        (kind, criterion)
        for kind, criterion in kinds
        if criterion == MISTAKES or not higher_is_better(str(kind), str(criterion))
    }
    value = compared["value"]
    if lower:
        turned = [pair in lower for pair in zip(compared["kind"], compared["criterion"], strict=True)]
        value = value.where(~np.array(turned, dtype=bool), 0.0 - value)
    thing = compared["system"] + "\0" + compared["item"] + "\0" + compared["unit"]
    return compared.assign(value=value, thing=thing, paired=False)


def _of_pairs(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> list[pd.DataFrame]:
    """Pairs of outputs, once each; ``sitting`` carries the judgment through, and tells sets without a position apart."""
    found = []
    for (kind, control), own in rows[rows["value"].notna()].groupby(["kind", "control"], sort=False):
        pairs = pairs_of(own.assign(sitting=own["judgment"]), READINGS[str(kind)], attributes)
        pairs = pairs[pairs["system"] < pairs["other"]]
        person = own.drop_duplicates("judgment").set_index("judgment")["person"]
        found.append(
            pairs.assign(
                judgment=pairs["sitting"],
                person=pairs["sitting"].map(person),
                control=str(control),
                thing=pairs["item"] + "\0" + pairs["system"] + "\0" + pairs["other"],
                value=(pairs["won"] - pairs["lost"]).astype("float64"),
                paired=True,
            )
        )
    return found


def _spread(
    values: pd.DataFrame, fields: int, paired: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> FloatArray:
    """The standard deviation of each field over everybody's work; of pairs about 0, since their order means nothing."""
    work = values[values["control"] == ""]
    field, value = work["field"].to_numpy(), work["value"].to_numpy()
    n = np.bincount(field, minlength=fields)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(paired, 0.0, np.bincount(field, value, minlength=fields) / n)
        square = np.bincount(field, (value - mean[field]) ** 2, minlength=fields) / n
    spread: FloatArray = np.nan_to_num(np.sqrt(square))
    return np.where(spread < 1e-12, 0.0, spread)


def per_person(person: IntArray, weights: FloatArray | None, size: int) -> FloatArray:
    """Sums (or counts) by person."""
    return np.bincount(person, weights, minlength=size).astype(np.float64)


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments as they were made, of each person and task: by position, else by time, else as they stand."""
    keys = ["person", "task", "position", "submitted_at"]
    return rows.sort_values(keys, kind="stable", na_position="last")


def has_places(rows: pd.DataFrame) -> bool:
    return PLACE in rows.columns and bool(rows[PLACE].notna().any())
