"""Rows in the order that a page asks for."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import F, QuerySet


def sorted_rows(
    rows: QuerySet, sorts: Mapping[str, tuple[str, ...]], asked: str, *, default: str
) -> tuple[QuerySet, str]:
    """The rows by ``name`` or, from the end, ``-name``, and that order; unknown names mean the default."""
    order = asked if asked.removeprefix("-") in sorts else default
    first, *others = sorts[order.removeprefix("-")]
    # What is not known yet comes last both ways: nobody sorts to see a page of blanks.
    by = F(first).desc(nulls_last=True) if order.startswith("-") else F(first).asc(nulls_last=True)
    return rows.order_by(by, *others), order
