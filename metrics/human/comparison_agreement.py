"""Do people who compared the same texts agree? Pairs of judgments on unordered pairs of distinct texts.

What is judged is a pair of texts of an item, whichever set they stood in and whichever came first; each judgment is *first*,
*tie* or *second*. Two judgments are compared where they are of different people. κ takes chance as WMT's papers do (Bojar et al.
2016, §3.4): with a share p_t of ties among all judgments, two agree by chance with p_t² + 2((1 − p_t)/2)².

The script behind the values that WMT published compares only pairs that were listed in the same order, and counts a judge's own
repetitions: ``pairs-kappa-wmt`` does the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metrics.frames import PLACE
from metrics.human.agreed import alpha_by_item
from metrics.human.base import attribute_of
from metrics.human.comparison import READINGS, SET
from metrics.human.kind import Agreed, Coefficient
from metrics.meta.common import FloatArray, share_of

TEXTS = ["item", "first", "second"]
"""What is judged; ``first`` comes before ``second`` by the names of their systems."""
OUTCOME = "outcome"


def text_pairs(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every two distinct texts of a set once: ``item, first, second, assessor, control, position, sitting, outcome, listed``.

    A text is known by the first of its systems. ``outcome`` is 1 where ``first`` is better, −1 where ``second`` is, 0 for a tie;
    ``listed`` says whether ``first`` stood before ``second``.
    """
    reading = READINGS[str(rows["kind"].iloc[0])]
    rows = rows[rows["value"].notna() & (rows["system"] != "")]
    rows = rows if "sitting" in rows.columns else rows.assign(sitting=1)
    places = rows[PLACE] if PLACE in rows.columns else pd.Series(pd.NA, index=rows.index, dtype="Int64")
    sides = rows[["item", "assessor", "control", "position", "sitting", "system", "value"]].assign(
        place=places
    )
    sides["set"] = rows.groupby([*SET, "control"], dropna=False, sort=False).ngroup()
    sides["order"] = np.arange(len(sides))
    sides.loc[sides["place"].notna(), "order"] = sides["place"].dropna().astype("int64")
    alone = sides["place"].isna()
    spot = sides["place"].astype("str").where(~alone, sides["system"])
    first_there = sides["system"].groupby([sides["set"], spot]).transform("min")
    known = attribute_of(sides["system"] + "/" + sides["item"], attributes, "output", "same_as")
    sides["text"] = known.where(known != "", first_there)
    sides = sides.drop_duplicates(["set", "text"])
    right = sides[["set", "text", "value", "order"]]
    pairs = sides.merge(right, on="set", suffixes=("", "_other"))
    pairs = pairs[pairs["text"] < pairs["text_other"]]
    ahead = np.sign(pairs["value"] - pairs["value_other"]).astype("int64")
    pairs = pairs.assign(
        first=pairs["text"],
        second=pairs["text_other"],
        outcome=-ahead if reading.lower_wins else ahead,
        listed=pairs["order"] < pairs["order_other"],
    )
    if not reading.equal_is_tie:
        pairs = pairs[pairs[OUTCOME] != 0]
    kept = [*TEXTS, "assessor", "control", "position", "sitting", OUTCOME, "listed"]
    return pairs[kept].reset_index(drop=True)


def _two_of(counts: pd.Series[int]) -> pd.Series[int]:
    return counts * (counts - 1) // 2


def agreeing_pairs(pairs: pd.DataFrame, *, who: str = "others", thing: Sequence[str] = TEXTS) -> pd.DataFrame:
    """By item how many pairs of judgments agree, and of how many: ``agree, comparable``.

    ``who``: judgments of different people (``others``), of one person (``own``), or ``all``.
    """
    key = list(thing)
    counted = {}
    for name, column in (("agree", [OUTCOME]), ("comparable", [])):
        everyone = _two_of(pairs.groupby([*key, *column]).size()).groupby("item").sum()
        alone = _two_of(pairs.groupby([*key, "assessor", *column]).size()).groupby("item").sum()
        counted[name] = {"all": everyone, "own": alone, "others": everyone - alone}[who]
    return pd.DataFrame(counted)


def _agreed(pairs: pd.DataFrame, counted: pd.DataFrame, *, who: str, chance: bool) -> Agreed:
    """The share of agreeing pairs of judgments, or κ, from sums by item."""
    judged = pairs.groupby("item")[OUTCOME].agg(total="size", ties=lambda values: int((values == 0).sum()))
    sums = judged.join(counted).fillna(0).to_numpy(dtype=np.float64)

    def estimate(weights: FloatArray) -> FloatArray:
        total, ties, agree, comparable = (weights @ column for column in sums.T)
        observed = share_of(agree, comparable)
        if not chance:
            return observed
        tied = share_of(ties, total)
        expected = tied**2 + (1 - tied) ** 2 / 2
        return share_of(observed - expected, 1 - expected)

    items = counted.index[counted["comparable"] > 0]
    again = pairs[pairs["item"].isin(items)]
    people = again.groupby(TEXTS)["assessor"].transform("size" if who == "own" else "nunique") > 1
    return Agreed(estimate, len(sums), len(items), again.loc[people, "assessor"].nunique())


def _between(rows: pd.DataFrame, attributes: pd.DataFrame | None, *, chance: bool) -> Agreed:
    pairs = text_pairs(rows[rows["control"] == ""], attributes)
    return _agreed(pairs, agreeing_pairs(pairs), who="others", chance=chance)


def percent(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """The share of pairs of judgments by different people that agree."""
    return _between(rows, attributes, chance=False)


def kappa(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """The same beyond chance."""
    return _between(rows, attributes, chance=True)


def kappa_wmt(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """κ as WMT published it."""
    pairs = text_pairs(rows[rows["control"] == ""], attributes)
    counted = agreeing_pairs(pairs, who="all", thing=[*TEXTS, "listed"])
    return _agreed(pairs, counted, who="own", chance=True)


def percent_of_own(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """The share of pairs of judgments by one and the same person that agree, repeated sets among them."""
    pairs = text_pairs(rows[rows["control"].isin(["", "repeat"])], attributes)
    return _agreed(pairs, agreeing_pairs(pairs, who="own"), who="own", chance=False)


def alpha(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """Krippendorff's α of {first, tie, second}, a person's first judgment of a pair counting."""
    pairs = text_pairs(rows[rows["control"] == ""], attributes).sort_values("position", kind="stable")
    table = pairs.pivot_table(index=TEXTS, columns="assessor", values=OUTCOME, aggfunc="first")
    return alpha_by_item(table)


COEFFICIENTS = (
    Coefficient(
        "pairs-kappa",
        kappa,
        title="κ over pairs of texts",
        definition="κ of pairs of judgments by different people on the same two texts (first, tie or second), chance from the share "
        "of ties (Bojar et al. 2016)",
        symbol="κ",
    ),
    Coefficient(
        "pairs-alpha",
        alpha,
        title="Krippendorff’s α over pairs of texts",
        definition="Krippendorff's α of first, tie and second with nominal distances",
        symbol="α",
    ),
    Coefficient(
        "pairs-percent",
        percent,
        title="agreeing judgments of pairs of texts",
        definition="the share of such pairs of judgments that agree",
    ),
    Coefficient(
        "intra-pairs-percent",
        percent_of_own,
        title="agreeing judgments, same assessor again",
        definition="the share of an assessor's own repeated judgments of two texts that agree",
    ),
    Coefficient(
        "pairs-kappa-wmt",
        kappa_wmt,
        title="κ as WMT published it",
        definition="κ of pairs of judgments on two texts listed in the same order, an assessor's own repetitions among them, as the "
        "script of WMT 2016 has it",
        symbol="κ",
        is_default=False,
    ),
)
