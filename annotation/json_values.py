"""JSON that comes from outside, read strictly and in one place: requests, lines of study files, cells of tables.

Python's reader takes more than others can use: numbers that are none, numbers without end, a key twice, half of a
surrogate pair, brackets a thousand levels deep. Each would come up later, as a fault far from its cause.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from metrics.cells import LARGEST_NUMBER

DEEPEST = 100  # levels; nothing that is exchanged here has more than ten


def json_value(text: str) -> Any:
    """The value; ValueError says what is wrong and where. Half of a surrogate pair is for ``metrics.cells.half_a_pair`` to find."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_no_key_twice,
            parse_constant=_no_constant,
            parse_float=_finite_float,
            parse_int=_finite_int,
        )
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"{error.msg} ({line}character {error.colno})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _refuse_depth(value)
    return value


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"the key “{_shortened(twice)}” is there twice")
    return values


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if abs(number) > LARGEST_NUMBER:
        raise ValueError(f"the number {_shortened(digits)} is too large")
    return number


def _finite_int(digits: str) -> int:
    """A whole number that can be compared with what is measured."""
    _finite_float(digits)
    return int(digits)


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 20 else f"{digits[:8]}… ({len(digits):,} characters)"


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = _within(level)
        if not level:
            return
    raise ValueError("nested too deeply")


def has_more_values(value: Any, limit: int) -> bool:
    """Whether there are more values than so many, at all depths together. Counting ends there."""
    level, count = [value], 0
    while level and count <= limit:
        count += len(level)
        level = _within(level)
    return count > limit


def _within(level: list[Any]) -> list[Any]:
    """The values one level deeper."""
    return [
        inner
        for outer in level
        if isinstance(outer, dict | list)
        for inner in (outer.values() if isinstance(outer, dict) else outer)
    ]
