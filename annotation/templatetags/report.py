"""Numbers as the report prints them (``metrics.report.numbers``), and a few things that only pages need."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template

from annotation.reports.data import reporting
from annotation.selectors.progress import duration as duration_words

register = template.Library()


@register.filter
def coefficient(value: float | None, decimals: int = 2) -> str:
    return reporting.numbers.coefficient(value, decimals)


@register.filter
def counted(number: int, what: str) -> str:
    return reporting.numbers.counted(number, what)


@register.filter
def level(value: float) -> str:
    return reporting.numbers.level(value)


@register.filter
def pvalue(value: float | None) -> str:
    return reporting.numbers.pvalue(value)


@register.simple_tag
def interval(low: float | None, high: float | None) -> str:
    """Of a coefficient."""
    return reporting.numbers.interval(low, high, reporting.numbers.coefficient)


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
