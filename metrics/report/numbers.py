"""How numbers are printed, wherever they are: tables, sentences, figures, LaTeX, and the pages of the application.

Tabular, with as many digits as they deserve, and undefined as a dash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

DASH = "–"
MINUS = "−"
MOST_DECIMALS = 8


def coefficient(value: float | None, decimals: int = 2) -> str:
    """A number between −1 and 1 without its zero: .61, −.05, 1.00."""
    if value is None:
        return DASH
    text = amount(value, decimals)
    sign = MINUS if text.startswith(MINUS) else ""
    digits = text.removeprefix(MINUS)
    return sign + (digits[1:] if digits.startswith("0.") else digits)


def amount(value: float | None, decimals: int = 2) -> str:
    """A number on a scale of its own: 4.18, −0.32, 1,200; what rounds to zero has no sign."""
    if value is None:
        return DASH
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", MINUS)


def pvalue(value: float | None) -> str:
    """.032, and < .001 below that."""
    if value is None:
        return DASH
    return "< .001" if value < 0.001 else coefficient(value, 3)


def equal_to(value: float | None) -> str:
    """A p-value behind its letter: = .032, < .001, or undefined."""
    if value is None:
        return "undefined"
    text = pvalue(value)
    return text if text.startswith("<") else f"= {text}"


def interval(low: float | None, high: float | None, form: Callable[[float | None], str]) -> str:
    """[.52, .69]; a dash where there is none. Rounding may not close it: [.9991, .9999], not [1.00, 1.00]."""
    if low is None or high is None:
        return DASH
    ends = form(low), form(high)
    decimals = 3
    while form is coefficient and low < high and ends[0] == ends[1] and decimals < MOST_DECIMALS:
        ends = coefficient(low, decimals), coefficient(high, decimals)
        decimals += 1
    return f"[{ends[0]}, {ends[1]}]"


def level(value: float) -> str:
    """A level of significance: .05."""
    return f"{value:g}".removeprefix("0")


def tick(value: float) -> str:
    """A number at an axis, with as few digits as it needs: 0.25, 3, −0.5."""
    return f"{float(f'{value:.6g}'):g}".replace("-", MINUS)


def share(value: float | None) -> str:
    """62 %; what is not quite all or nothing is not rounded to it."""
    if value is None:
        return DASH
    text = f"{100 * value:.0f}"
    if text == "0" and value > 0:
        return "< 1 %"
    if text == "100" and value < 1:
        return "> 99 %"
    return f"{text} %"


def percent(value: float) -> str:
    """A level that somebody chose, as exact as it was said: 95 %, 99.5 %."""
    return f"{100 * value:g} %"


def whole(value: float | None) -> str:
    """1,200."""
    return DASH if value is None else f"{round(value) + 0:,.0f}".replace("-", "−")


def span(start: int, end: int) -> str:
    """The ranks that a cluster shares: 4, or 4–9."""
    return str(start) if start == end else f"{start}–{end}"


def counted(number: int, what: str) -> str:
    """1 item, 2 items."""
    return f"{whole(number)} {what}" + ("" if number == 1 else "s")


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
