"""How small a p-value of exchanged items can be: where items are few, no pair of systems can become significant."""

from __future__ import annotations

from typing import Any

from metrics.report.options import RANDOMIZATIONS


def is_exhausted(items: int) -> bool:
    """Whether all exchanges of so many items are made, and not only some drawn of them."""
    return bool(2**items <= RANDOMIZATIONS)


def smallest_adjusted(items: int, pairs: int) -> float:
    """The smallest p that Holm leaves of a two-sided randomisation test, which multiplies the smallest by the number of pairs.

    Of all 2ⁿ exchanges two are always as extreme as what was observed: none, and all. Of R drawn ones p is at least
    1 / (R + 1).

    >>> smallest_adjusted(3, 1), smallest_adjusted(8, 10)
    (0.25, 0.078125)
    """
    alone = 2.0 ** (1 - items) if is_exhausted(items) else 1 / (RANDOMIZATIONS + 1)
    return min(1.0, pairs * alone)


def smallest_of(rows: list[dict[str, Any]]) -> float:
    """The same of a table of pairs: that of the pair with the most items."""
    return smallest_adjusted(max((row["n"] for row in rows), default=0), len(rows))
