"""What a cell of a table may hold, whoever writes or reads it: nothing that a spreadsheet runs, no half characters.

The application writes and reads the same tables, so it takes these rules from here. The module imports nothing of ``metrics``.
"""

from __future__ import annotations

import json
import re

# Where a cell begins, also for a spreadsheet that cuts at semicolons or tabs; what it would run there, in wide letters too.
# Leading apostrophes count, so that undoing gives back exactly what was there.
_FORMULA = re.compile(r"(^|[;\t])( *)(?='*[=+\-@＝＋－＠\t\r])")
_NEUTRAL = re.compile(r"(^|[;\t])( *)'(?='*[=+\-@＝＋－＠\t\r])")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def neutralised(cell: str) -> str:
    """The text with an apostrophe before whatever a spreadsheet would run; numbers stay as they are."""
    return cell if _PLAIN_NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1\2'", cell)


def restored(cell: str) -> str:
    """What :func:`neutralised` was given."""
    return _NEUTRAL.sub(r"\1\2", cell) if "'" in cell else cell


def half_a_pair(value: object) -> str:
    """The first half of a surrogate pair that stands alone, as U+D800; empty if there is none. At any depth.

    JSON can spell half a character (of an emoji, say), which no file in UTF-8 can hold.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    found = _HALF_A_PAIR.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""
