"""Numbers as a report prints them: aligned decimals, a dash for what is undefined."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template

from annotation.selectors.progress import duration as duration_words

register = template.Library()

NOTHING = "–"


@register.filter
def decimal(value: float | None, digits: int = 3) -> str:
    """0.912; a real minus sign, and no minus before a zero."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", "−")


@register.filter
def pvalue(value: float | None) -> str:
    if value is None:
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def share(value: float | None) -> str:
    """A share in whole percent, never rounded to all or nothing."""
    if value is None:
        return NOTHING
    if 0 < value < 0.01:
        return "< 1 %"
    if 0.99 < value < 1:
        return "> 99 %"
    return f"{value:.0%}".replace("%", " %")


@register.filter
def duration(seconds: float) -> str:
    return duration_words(seconds)


@register.filter
def along(value: float | None) -> str:
    """Where a correlation is on a line from −1 to 1, in percent, for a drawing."""
    return "" if value is None else f"{50 + 50 * max(-1.0, min(1.0, value)):.2f}%"


@register.filter
def bytes_of(value: int) -> str:
    """A size as one says it."""
    for unit, size in (("MB", 1024**2), ("kB", 1024)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value} bytes"


@register.simple_tag
def query(kept: Mapping[str, str], **more: object) -> str:
    """The choices that go along to another page, as the end of its address."""
    chosen = {**kept, **{name: str(value) for name, value in more.items() if value not in (None, "")}}
    return f"?{urlencode(chosen)}" if chosen else ""
