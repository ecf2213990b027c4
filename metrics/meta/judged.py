"""Judgments as the models of meta-evaluation take them: who judged what, and the value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.meta.common import FloatArray, IntArray
from metrics.meta.ties import settled

FACETS = ("assessor", "system", "item")


@dataclass(frozen=True)
class Judged:
    """One row per assessor and output, with codes (0, 1, …) into the sorted names of each facet."""

    value: FloatArray
    assessor: IntArray
    system: IntArray
    item: IntArray
    assessors: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.value)

    def codes(self, term: str) -> IntArray:
        """Codes of a facet, or of the combinations that occur of two: ``assessor:system``."""
        names = term.split(":")
        combined = np.zeros(len(self), dtype=np.int64)
        for name in names:
            facet: IntArray = getattr(self, name)
            combined = combined * (int(facet.max(initial=0)) + 1) + facet
        return np.asarray(np.unique(combined, return_inverse=True)[1], dtype=np.intp)

    def table(self, rows: str, columns: str) -> IntArray:
        """How many judgments each pair of two facets has."""
        counts = np.zeros((len(getattr(self, f"{rows}s")), len(getattr(self, f"{columns}s"))), dtype=np.intp)
        np.add.at(counts, (getattr(self, rows), getattr(self, columns)), 1)
        return counts


def judged(judgments: pd.DataFrame, *, systems: Sequence[str] | None = None) -> Judged:
    """Read ``assessor, system, item, value``; rows without a value are left out.

    Several values of one assessor on one output (units of it, references, a repetition) are averaged: they are not
    independent judgments of the output.
    """
    missing = [name for name in (*FACETS, "value") if name not in judgments.columns]
    if missing:
        raise BadInput("expected judgments with the columns assessor, system, item, value", column=missing[0])
    values = pd.to_numeric(judgments["value"], errors="coerce")
    wrong = values.isna() & judgments["value"].notna()
    if wrong.any():
        raise BadInput(f"expected numbers, found {judgments['value'][wrong].iloc[0]!r}", column="value")
    rows = judgments[list(FACETS)].astype("str").assign(value=values.astype("float64"))
    rows = rows[np.isfinite(rows["value"])]
    if systems is not None:
        rows = rows[rows["system"].isin(list(systems))]
    if rows.empty:
        raise BadInput("expected judgments with a value, found none", column="value")
    means = rows.groupby(list(FACETS), sort=True)["value"].mean().reset_index()
    facets = {name: np.unique(means[name].to_numpy(dtype="str"), return_inverse=True) for name in FACETS}
    return Judged(
        # A mean of .2, .4 and .6 is one step of a scale, in whatever order it was summed.
        value=settled(means["value"].to_numpy(dtype=np.float64)),
        assessor=np.asarray(facets["assessor"][1], dtype=np.intp),
        system=np.asarray(facets["system"][1], dtype=np.intp),
        item=np.asarray(facets["item"][1], dtype=np.intp),
        assessors=tuple(map(str, facets["assessor"][0])),
        systems=tuple(map(str, facets["system"][0])),
        items=tuple(map(str, facets["item"][0])),
    )
