"""How carefully each assessor judges (:mod:`metrics.quality`), as JSON for the monitor, the page of a person and the API."""

from __future__ import annotations

from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.quality import VERDICT, assess_quality

Row = dict[str, Any]
NO_QUALITY: Row = {"rows": [], "meanings": {}, "careless": [], "habits": {}}
PASSED = ("gold", "attention")  # checks whose number is the share that was passed
JUDGMENT = ["task", "assessor", "position"]


def quality_rows(judgments: pd.DataFrame, attributes: pd.DataFrame) -> Row:
    """Every check of every assessor, the verdict last; a number that is undefined is null."""
    try:
        found = assess_quality(judgments, attributes)
    except BadInput as problem:
        return NO_QUALITY | {"why": str(problem)}
    rows = found.rows.astype(object).where(found.rows.notna(), None)
    return {
        "rows": rows.to_dict("records"),
        "meanings": dict(found.meanings),
        "careless": list(found.careless),
        "verdict": VERDICT,
        "habits": habits(judgments, attributes, found.rows),
    }


def habits(judgments: pd.DataFrame, attributes: pd.DataFrame, checks: pd.DataFrame) -> dict[str, Row]:
    """By assessor: control items met, those that can be passed or not and were passed, seconds per word, share of first places."""
    known = judgments[~judgments["practice"].astype(bool)]
    controls = known[known["control"] != ""].drop_duplicates(JUDGMENT).groupby("assessor").size()
    shares = checks.set_index(["assessor", "check"])[["n", "statistic"]]
    pace = _seconds_per_word(known, attributes)
    found: dict[str, Row] = {}
    for assessor in dict.fromkeys(known["assessor"]):
        passable = [shares.loc[key] for check in PASSED if (key := (assessor, check)) in shares.index]
        first = shares.loc[assessor, "first-place"] if (assessor, "first-place") in shares.index else None
        found[assessor] = {
            "met": int(controls.get(assessor, 0)),
            "could_pass": int(sum(row["n"] for row in passable)),
            "passed": int(sum(round(row["n"] * row["statistic"]) for row in passable)),
            "seconds_per_word": pace.get(assessor),
            "first_places": None if first is None else float(first["statistic"]),
        }
    return found


def _seconds_per_word(judgments: pd.DataFrame, attributes: pd.DataFrame) -> dict[str, float]:
    """Active time over the words of the outputs that were judged; the median, as one long pause says little."""
    words = attributes[(attributes["scope"] == "output") & (attributes["name"] == "tokens")]
    lengths = pd.to_numeric(words.set_index("id")["value"], errors="coerce")
    texts = judgments[judgments["seconds"].notna()].drop_duplicates([*JUDGMENT, "system"])
    length = (texts["system"] + "/" + texts["item"]).map(lengths[~lengths.index.duplicated()])
    each = (
        texts.assign(words=length).groupby(JUDGMENT).agg(seconds=("seconds", "first"), words=("words", "sum"))
    )
    each = each[each["words"] > 0]
    median = (each["seconds"] / each["words"]).groupby("assessor").median()
    return {str(assessor): float(value) for assessor, value in median.items()}
