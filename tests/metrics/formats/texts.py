"""Ids and numbers for round trips: what a file may hold, and a little more than people would write."""

import pandas as pd
from hypothesis import strategies as st

from metrics.frames import JUDGMENT_COLUMNS, check_judgments, check_scores

ANY = st.characters(exclude_categories=("C", "Z"))
WORDS = st.text(ANY, min_size=1, max_size=8)
"""Any signs but blanks and control characters."""

SPACED = st.builds(" ".join, st.lists(WORDS, min_size=1, max_size=3))
NUMBERS = st.floats(-1e100, 1e100) | st.integers(0, 100).map(float)


def write(path, text):
    """The file, byte by byte as given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def ratings(rows):
    """A long table of ratings as formats read it: positions count each assessor's rows."""
    table = pd.DataFrame(rows).reindex(columns=list(JUDGMENT_COLUMNS))
    table["kind"], table["revision"], table["practice"] = "rating", 1, False
    table["position"] = table.groupby("assessor", sort=False).cumcount() + 1
    return check_judgments(table)


def scores(*rows):
    """A score table from (metric, system, item, score)."""
    return check_scores(pd.DataFrame(rows, columns=["metric", "system", "item", "score"]))


def as_set(table):
    """The rows of a score table, whatever their order; NaN as None, which equals itself."""
    names = ["metric", "system", "item", "score", "higher_is_better"]
    rows = table[names].itertuples(index=False)
    return {tuple(None if value != value else value for value in row) for row in rows}
