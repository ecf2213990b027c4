"""CSV that no spreadsheet runs. ``metrics.tables`` has the same rule for what it writes, and undoes it where it reads."""

from __future__ import annotations

import re

# Where a cell begins, also for a spreadsheet that cuts at semicolons or tabs; what it would run there, in wide letters too.
# Leading apostrophes count, so that whoever reads it again can undo exactly one.
FORMULA = re.compile(r"(^|[;\t])( *)(?='*[=+\-@＝＋－＠\t\r])")
NEUTRAL = re.compile(r"(^|[;\t])( *)'(?='*[=+\-@＝＋－＠\t\r])")
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def neutralised(cell: str) -> str:
    """The text with an apostrophe before whatever a spreadsheet would run; numbers stay as they are."""
    return cell if PLAIN_NUMBER.fullmatch(cell) else FORMULA.sub(r"\1\2'", cell)


def restored(cell: str) -> str:
    """What ``neutralised`` was given."""
    return NEUTRAL.sub(r"\1\2", cell) if "'" in cell else cell
