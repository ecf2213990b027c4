"""What a cell of a table may hold, whoever writes or reads it: nothing that a spreadsheet runs, no half characters; how a span is spelled.

The application writes and reads the same tables, so it takes these rules from here. The module imports nothing of ``metrics``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import pairwise

# Where a cell begins, also for a spreadsheet that cuts at semicolons or tabs; what it would run there, in wide letters too.
# Leading apostrophes count, so that undoing gives back exactly what was there.
_FORMULA = re.compile(r"(^|[;\t])( *)(?='*[=+\-@＝＋－＠\t\r])")
_NEUTRAL = re.compile(r"(^|[;\t])( *)'(?='*[=+\-@＝＋－＠\t\r])")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_SPAN = re.compile(r"\d{1,10}:\d{1,10}(?:\+\d{1,10}:\d{1,10})*")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")

LARGEST_NUMBER = 1e100
"""Of anything that is counted with: the squares of larger ones, added up, are no numbers any more."""

Parts = tuple[tuple[int, int], ...]
"""A span: its parts in code points of a text, from 0, ends exclusive."""


def span_written(parts: Iterable[tuple[int, int]]) -> str:
    """As a unit of the long table has it.

    >>> span_written([(12, 27), (31, 40)])
    '12:27+31:40'
    """
    return "+".join(f"{start}:{end}" for start, end in parts)


def span_read(written: str) -> Parts:
    """The inverse; ValueError if it is nothing of the kind."""
    if not _SPAN.fullmatch(written):
        raise ValueError(f"“{written}” is no span such as 12:27 or 12:27+31:40")
    return tuple((int(start), int(end)) for start, end in (part.split(":") for part in written.split("+")))


def parts_rise(parts: Iterable[tuple[int, int]]) -> bool:
    """Whether no part is empty, and each begins behind the one before: what touches is one part."""
    return all(before < after for before, after in pairwise(bound for part in parts for bound in part))


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
