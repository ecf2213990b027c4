"""CSV that no spreadsheet runs. ``metrics.tables`` has the same rule for what it writes, and undoes it where it reads."""

from __future__ import annotations

import re

# Leading apostrophes count, so that whoever reads it again can undo exactly one.
FORMULA = re.compile(r"^'*[=+\-@\t\r]")
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def neutralised(cell: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would run it; numbers stay as they are."""
    return f"'{cell}" if FORMULA.match(cell) and not PLAIN_NUMBER.fullmatch(cell) else cell
