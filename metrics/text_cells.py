"""What rows of a table of texts say: the item, the text or its sentences, and what may stand beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from metrics.cells import half_a_pair
from metrics.tables import Columns

ITEM_NAMES = ("item", "document", "topic")
BESIDE_TEXT = ("conllu", "trees")
"""Parses that may stand beside a text; who needs them checks them."""


def items_and_texts(columns: Columns) -> dict[str, pd.Series[str]]:
    """``item``, ``text`` and ``sentences``, checked; what cannot be one is refused with its row."""
    items = first_of(columns, ITEM_NAMES)
    columns.refuse(items == "", "item", "the id of an item, document or topic")
    given = columns.optional("text")
    many = given.map(lambda cell: isinstance(cell, list | dict | np.ndarray)).astype("bool")
    columns.refuse(many, "text", "a text (a list goes into sentences)")
    cut = columns.optional("sentences").combine_first(columns.optional("units"))
    sentences = [_sentence_list(cell) for cell in cut]
    bad = pd.Series([isinstance(value, str) for value in sentences], dtype="bool")
    where = "sentences" if columns.has("sentences") else "units"
    columns.refuse(bad, where, "a list of texts")
    halves = pd.Series([bool(half_a_pair(value)) for value in sentences], dtype="bool")
    columns.refuse(halves, where, "whole characters")
    # An empty text is an output too (the system said nothing); only a missing one is refused.
    nothing = given.isna() & pd.Series([value is None for value in sentences], dtype="bool")
    columns.refuse(nothing, "text", "a text or a list of sentences")
    whole = columns.text("text") if columns.has("text") else given
    texts = [
        text if isinstance(text, str) and (text or not units) else " ".join(units or ())
        for text, units in zip(whole, sentences, strict=True)
    ]
    return {
        "item": items,
        "text": pd.Series(texts, dtype="str"),
        "sentences": pd.Series(sentences, dtype=object),
        **{name: columns.optional(name) for name in BESIDE_TEXT if columns.has(name)},
    }


def _sentence_list(cell: object) -> list[str] | str | None:
    """A list of texts (CSV holds it as JSON), None for an empty cell; anything else comes back as a str, to refuse."""
    if isinstance(cell, np.ndarray):  # a list of a Parquet file
        cell = cell.tolist()
    if cell is None or cell is pd.NA or cell == "" or (isinstance(cell, float) and np.isnan(cell)):
        return None
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return str(cell)
    if isinstance(cell, list | tuple) and all(isinstance(part, str) for part in cell):
        return [str(part) for part in cell]
    return str(cell)


def first_of(columns: Columns, names: Sequence[str]) -> pd.Series[str]:
    """The first of these columns that is filled, row by row."""
    found = pd.Series("", index=columns.frame.index, dtype="str")
    for name in names:
        if columns.has(name):
            found = found.where(found != "", columns.text(name))
    return found
