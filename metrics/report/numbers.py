"""How numbers are printed: tabular, with as many digits as they deserve, and undefined as a dash."""

from __future__ import annotations

from collections.abc import Iterable

DASH = "–"
MINUS = "−"


def coefficient(value: float | None, decimals: int = 2) -> str:
    """A number between −1 and 1 without its zero: .61, −.05, 1.00."""
    if value is None:
        return DASH
    text = f"{abs(value):.{decimals}f}"
    text = text[1:] if text.startswith("0") else text
    return f"{MINUS}{text}" if value < 0 and float(f"{value:.{decimals}f}") != 0 else text


def amount(value: float | None, decimals: int = 2) -> str:
    """A number on a scale of its own: 4.18, −0.32, 1,200."""
    if value is None:
        return DASH
    return f"{value:,.{decimals}f}".replace("-", MINUS)


def pvalue(value: float | None) -> str:
    """.032, and < .001 below that."""
    if value is None:
        return DASH
    return "< .001" if value < 0.001 else coefficient(value, 3)


def share(value: float | None) -> str:
    """62 %; what is not quite all or nothing is not rounded to it."""
    if value is None:
        return DASH
    if 0 < value < 0.005:
        return "< 1 %"
    if 0.995 <= value < 1:
        return "> 99 %"
    return f"{100 * value:.0f} %"


def whole(value: float | None) -> str:
    """1,200."""
    return DASH if value is None else f"{value:,.0f}"


def decimals_for(values: Iterable[float | None]) -> int:
    """Digits after the point that show a scale well: 1 from 10 on, 2 from 1 on, 3 below."""
    largest = max((abs(value) for value in values if value is not None), default=1.0)
    return 1 if largest >= 10 else 2 if largest >= 1 else 3


def listed(names: Iterable[str], *, most: int = 6) -> str:
    """a, b and c; a long list is cut."""
    found = list(names)
    if len(found) > most:
        return f"{', '.join(found[: most - 1])} and {len(found) - most + 1} others"
    return " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))
