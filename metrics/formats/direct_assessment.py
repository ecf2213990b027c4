"""Direct assessment (Graham et al. 2016): what Appraise's and WMT's result files have in common.

A file holds one judgment per row, of a criterion that the file itself may not name, in a pair of languages. The pair
is the task: evaluators are normalised within it (Barrault et al. 2020). Control items are marked by the item's type.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import ratings_table
from metrics.frames import scored

ADEQUACY = "adequacy"
_LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]+)?"
PAIR = re.compile(rf"({_LANGUAGE})-({_LANGUAGE})")


def judgments_of(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The long table of rows read from several files; ``position`` counts an assessor's rows as they come."""
    rows = pd.concat(parts, ignore_index=True)
    if "hit" in rows.columns:
        rows["hit"] = rows["hit"].fillna("")
    rows["position"] = rows.groupby("assessor", sort=False).cumcount() + 1
    return ratings_table(rows)


def assessments_of(judgments: pd.DataFrame, *, criterion: str | None) -> pd.DataFrame:
    """The rows of one rating criterion that a result file can hold: newest revision, no practice, controls too."""
    rows = scored(judgments, controls=True)
    rows = rows[(rows["kind"] == "rating") & rows["value"].notna()]
    names = list(dict.fromkeys(rows["criterion"]))
    if criterion is None and len(names) > 1:
        raise BadInput(f"expected --criterion, one of {', '.join(names)}: the file holds a single one")
    if rows.empty or criterion not in (None, *names):
        found = ", ".join(names) or "no rating at all"
        raise BadInput(f"expected ratings{f' of {criterion}' if criterion else ''}, found {found}")
    rows = rows[rows["criterion"] == (criterion or names[0])]
    checks = rows["control"] == "attention"
    if checks.any():
        warnings.warn(f"{checks.sum()} attention checks left out: the format has none", stacklevel=2)
    return rows[~checks].reset_index(drop=True)


def language_pairs(tasks: pd.Series[str], languages: str | None) -> pd.DataFrame:
    """``source`` and ``target`` of each row: the task, where it is named for a pair, else what was given."""
    fallback = PAIR.fullmatch(languages) if languages else None
    if languages and fallback is None:
        raise BadInput(f"expected --languages such as en-de, found {languages!r}")
    found = {}
    for task in tasks.unique():
        match = PAIR.fullmatch(task) or fallback
        if match is None:
            raise BadInput(f"expected --languages, a pair such as en-de: task {task} is not named for one")
        found[task] = match.groups()
    pairs = tasks.map(found)
    return pd.DataFrame({"source": pairs.str[0], "target": pairs.str[1]}, index=tasks.index)
