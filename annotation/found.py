"""From a selector's None to an answer: the same for pages and the API."""

from __future__ import annotations

from typing import TypeVar

from django.http import Http404

Row = TypeVar("Row")


def found_or_404(row: Row | None, message: str) -> Row:
    """The row, if the selector has found one; else there is no such address."""
    if row is None:
        raise Http404(message)
    return row
