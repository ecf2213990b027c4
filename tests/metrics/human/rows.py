"""Long tables for tests: only what a test speaks of, the rest filled in."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from metrics.frames import JUDGMENT_COLUMNS, check_attributes, check_judgments


def table(rows: Iterable[Mapping[str, Any]], **common: Any) -> pd.DataFrame:
    """Checked judgments; ``common`` fills what the rows leave out."""
    filled = [
        {"study": "s", "task": "t", "assessor": "a1", "system": "A", "item": "i1"} | common | row
        for row in rows
    ]
    return check_judgments(pd.DataFrame(filled, columns=list(JUDGMENT_COLUMNS)))


def attributes(*rows: tuple[str, str, str, Any]) -> pd.DataFrame:
    """Checked attributes from (scope, id, name, value)."""
    return check_attributes(pd.DataFrame(rows, columns=["scope", "id", "name", "value"]))


def scores(score: Any) -> dict[tuple[str, str], float]:
    """A human score as {(system, item): score}."""
    frame = score.scores
    return dict(zip(zip(frame["system"], frame["item"], strict=True), frame["score"], strict=True))
