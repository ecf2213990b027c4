"""An exhibit with the texts of a set at their places (``annotation/sets.py``). Pure: pages, export, import and checks share it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.sets import Places, is_by_unit, order_in
from annotation.tasks.terms import Exhibit, Text


def exhibit_placed(exhibit: Exhibit, places: Places) -> Exhibit:
    """The outputs of a set in the order that was drawn for one assignment.

    Where units are shuffled, what stands at a place is made of units of several outputs, and the page knows of no other text.
    """
    if not places:
        return exhibit
    if not is_by_unit(places):
        return replace(exhibit, outputs=tuple(exhibit.outputs[index] for index in order_in(places, "")))
    orders: Any = places
    return replace(
        exhibit,
        outputs=tuple(
            _column(exhibit.outputs, [order[at] for order in orders]) for at in range(len(orders[0]))
        ),
    )


def _column(outputs: tuple[Text, ...], chosen: list[int]) -> Text:
    """Unit by unit the text whose index is chosen, with what is marked in it already."""
    units = tuple(outputs[index].units[at] for at, index in enumerate(chosen))
    marked = (
        suggestion
        for at, index in enumerate(chosen, start=1)
        for suggestion in outputs[index].prefilled
        if suggestion["unit"] == at
    )
    return Text(text="\n".join(units), units=units, prefilled=tuple(marked))
