"""Where an error stands: what the ``unit`` of a row of error spans says.

``3/12:27`` is a span of unit 3 of the output, in code points from 0, end exclusive; ``3/12:27+31:40`` one of several parts;
``3/source/0:4`` a span of the source's unit; ``3/missing`` something that the output lacks; ``3`` the unit as a whole. ``#2`` behind
any of them is the second error of one category at that place, and ``s1/`` before it the set that was judged side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from metrics.cells import Parts, parts_rise, span_read
from metrics.errors import BadInput

COUNT, SCORE, NOTE, PREFILLED, INJECTED = "errors", "score", "note", "prefilled", "injected"
PREFERENCE, TRUE = "preference", "true"
NO_ERRORS = frozenset({COUNT, SCORE, NOTE, PREFILLED, INJECTED, PREFERENCE, TRUE})
"""The criteria whose rows are no errors; every other criterion is the category of one (``error`` where there is none)."""

OUTPUT, SOURCE, MISSING, WHOLE = "output", "source", "missing", "whole"

_PARTS = r"\d{1,10}:\d{1,10}(?:\+\d{1,10}:\d{1,10})*"
_PLACE = re.compile(
    rf"(?:(?P<set>s\d+)(?:/|$))?(?P<unit>\d{{0,9}})(?:/(?P<where>missing|(?:source/)?(?P<parts>{_PARTS})))?(?:#\d+)?"
)


class Place(NamedTuple):
    """A place in a document: the unit's number, "" for the document, and the span in it if there is one."""

    unit: str
    side: str
    parts: Parts = ()
    set: str = ""


def place_of(unit: str) -> Place:
    """What the ``unit`` of a row says.

    >>> place_of("3/12:27+31:40")
    Place(unit='3', side='output', parts=((12, 27), (31, 40)), set='')
    >>> place_of("1/missing#2").side
    'missing'
    """
    match = _PLACE.fullmatch(unit)
    if match is None:
        raise BadInput(
            f"expected a place such as 1, 1/12:27, 1/source/0:4 or 1/missing, found {unit!r}", column="unit"
        )
    parts = _parts(match["parts"], unit) if match["parts"] else ()
    where = match["where"] or WHOLE
    side = where if where in (MISSING, WHOLE) else SOURCE if where.startswith(f"{SOURCE}/") else OUTPUT
    return Place(match["unit"], side, parts, match["set"] or "")


def _parts(text: str, unit: str) -> Parts:
    parts = span_read(text)
    if not parts_rise(parts):
        raise BadInput(f"expected a span whose bounds rise, found {unit!r}", column="unit")
    return parts


def covered(spans: Iterable[Parts]) -> set[int]:
    """The code points that any of the spans covers."""
    return {point for parts in spans for start, end in parts for point in range(start, end)}


def with_places(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with ``unit`` = the number of the unit, ``at`` = the place as written, ``side``, ``parts`` and ``set``."""
    known = {unit: place_of(unit) for unit in rows["unit"].unique()}
    places = [known[unit] for unit in rows["unit"]]
    return rows.assign(
        at=rows["unit"],
        unit=pd.Series([place.unit for place in places], index=rows.index, dtype="str"),
        side=pd.Series([place.side for place in places], index=rows.index, dtype="str"),
        parts=pd.Series([place.parts for place in places], index=rows.index, dtype=object),
        set=pd.Series([place.set for place in places], index=rows.index, dtype="str"),
    )


def is_error(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which rows are errors; all others say something about a unit, a document or an error."""
    return ~rows["criterion"].isin(NO_ERRORS)
