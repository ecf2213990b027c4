"""JSON that comes from outside, read strictly and in one place: requests, lines of study files, cells of tables.

Python's reader takes more than others can use: numbers that are none, numbers without end, a key twice, half of a
surrogate pair, brackets a thousand levels deep. Each would come up later, as a fault far from its cause.
"""

from __future__ import annotations

import json
import math
from typing import Any

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
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key “{twice}” is there twice")
    return values


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {_shortened(digits)} is too large")
    return number


def _finite_int(digits: str) -> int:
    """A whole number that a float could hold: others cannot be compared with what is measured."""
    _finite_float(digits)
    return int(digits)


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 20 else f"{digits[:8]}… ({len(digits):,} characters)"


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError("nested too deeply")
