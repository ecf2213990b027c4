"""Marked texts: errors by category and severity, where in a document they stand, and everyone's spans laid over each other."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import scored
from metrics.human.kind import Marked
from metrics.human.registry import kinds
from metrics.report.book import Book
from metrics.report.human import slug_of
from metrics.report.inputs import Inputs
from metrics.signature import signature

MOST_TEXTS = 24
"""Texts that are shown with their spans, those with the most first."""
MOST_DOCUMENTS = 3
"""Documents whose heat is drawn."""
BINS = 48

Texts = dict[tuple[str, str], list[str]]


def marked_section(inputs: Inputs, book: Book) -> list[dict[str, Any]]:
    """One entry for each task in whose texts people marked something."""
    rows = scored(inputs.judgments)
    texts = _texts(inputs)
    found = []
    for task in inputs.tasks:
        own = rows[rows["task"] == task]
        kind = kinds().get(str(own["kind"].iloc[0])) if len(own) else None
        if kind is None or kind.marked is None:
            continue
        try:
            marked = kind.marked(own)
        except BadInput as problem:
            book.miss("marked", f"{task}: {problem}")
            continue
        if marked.counts.empty:
            continue
        found.append(_section(task, marked, texts, book, inputs))
    return found


def _texts(inputs: Inputs) -> Texts:
    """The units of every output."""
    if inputs.outputs is None:
        return {}
    return {
        (str(system), str(item)): [str(text)] if units is None else [str(unit) for unit in units]
        for system, item, text, units in zip(
            *(inputs.outputs[name] for name in ("system", "item", "text", "sentences")), strict=True
        )
    }


def _section(task: str, marked: Marked, texts: Texts, book: Book, inputs: Inputs) -> dict[str, Any]:
    how = signature("errors-marked", {"per": "unit-judged", "controls": "out", "data": inputs.sha256[:12]})
    counts = marked.counts.assign(rate=marked.counts["errors"] / marked.counts["units"], signature=how)
    slug = slug_of(task)
    book.add(f"errors-{slug}", f"{task}: errors by category and severity", counts)
    book.add(f"spans-{slug}", f"{task}: every span", marked.spans, signature=how)
    shown = _shown(marked, texts)
    if not texts:
        book.miss("marked", f"{task}: there are no texts to lay the spans over")
    return {
        "task": task,
        "slug": slug,
        "severities": marked.severities,
        "errors": book.json_table(counts),
        "documents": _documents(marked, texts),
        "texts": shown,
        "not_shown": int(marked.spans.groupby(["system", "item"]).ngroups) - len(shown),
        "signature": book.sign(how),
    }


def _people(marked: Marked) -> dict[tuple[str, str, str], int]:
    """How many judged each unit."""
    found: Counter[tuple[str, str, str]] = Counter()
    for system, item, unit in zip(*(marked.judged[name] for name in ("system", "item", "unit")), strict=True):
        found[str(system), str(item), str(unit)] += 1
    return found


def _unit(texts: Texts, system: str, item: str, unit: str) -> str | None:
    units = texts.get((system, item), [])
    return units[int(unit) - 1] if unit and 0 < int(unit) <= len(units) else None


def _shown(marked: Marked, texts: Texts) -> list[dict[str, Any]]:
    """The texts with the most spans, unit by unit in pieces that the same people marked."""
    people = _people(marked)
    sizes = marked.spans.groupby(["system", "item"]).size().rename("n").reset_index()
    sizes = sizes.sort_values(["n", "system", "item"], ascending=[False, True, True])
    found: list[dict[str, Any]] = []
    for system, item, number in zip(sizes["system"], sizes["item"], sizes["n"], strict=True):
        if (system, item) not in texts or len(found) == MOST_TEXTS:
            continue
        own = marked.spans[(marked.spans["system"] == system) & (marked.spans["item"] == item)]
        units = []
        for place, text in enumerate(texts[system, item], start=1):
            spans = own[(own["unit"] == str(place)) & (own["end"] <= len(text))]
            judged = people.get((system, item, str(place)), 0)
            units.append(
                {
                    "unit": place,
                    "people": judged,
                    "pieces": pieces(text, spans),
                    "spans": _listed(text, spans),
                }
            )
        found.append({"system": system, "item": item, "spans": int(number), "units": units})
    return found


def pieces(text: str, spans: pd.DataFrame) -> list[dict[str, Any]]:
    """The text cut where any span begins or ends: ``text``, and ``people`` who marked the piece."""
    cuts = sorted({0, len(text), *map(int, spans["start"]), *map(int, spans["end"])})
    found = []
    for start, end in pairwise(cuts):
        over = spans[(spans["start"] <= start) & (spans["end"] >= end)]
        found.append({"text": text[start:end], "people": sorted(set(over["assessor"]))})
    return found


def _listed(text: str, spans: pd.DataFrame) -> list[dict[str, Any]]:
    """Every span once, with its words, and everyone who marked it so."""
    found: dict[tuple[int, int, str, str], set[str]] = {}
    columns = ("start", "end", "severity", "category", "assessor")
    for start, end, severity, category, person in zip(*(spans[name] for name in columns), strict=True):
        found.setdefault((int(start), int(end), severity, category), set()).add(person)
    return [
        {
            "start": start,
            "end": end,
            "words": text[start:end],
            "severity": severity,
            "category": category,
            "people": sorted(people),
        }
        for (start, end, severity, category), people in sorted(found.items())
    ]


def _documents(marked: Marked, texts: Texts) -> list[dict[str, Any]]:
    """By document, how much of each stretch of each system's text was marked, on average over people: the heat."""
    sizes = marked.spans.groupby("item").size().sort_values(ascending=False, kind="stable")
    people = _people(marked)
    found: list[dict[str, Any]] = []
    for item in [str(item) for item in sizes.index]:
        systems = sorted(system for system, of_item in texts if of_item == item)
        lines = [(system, _heat(marked, texts, people, system, item)) for system in systems]
        lines = [(system, cells) for system, cells in lines if cells is not None]
        if lines and len(found) < MOST_DOCUMENTS:
            found.append(
                {"item": item, "systems": [one for one, _ in lines], "heat": [two for _, two in lines]}
            )
    return found


def _heat(
    marked: Marked, texts: Texts, people: dict[tuple[str, str, str], int], system: str, item: str
) -> list[float] | None:
    """The share of people who marked a character, averaged over each of ``BINS`` stretches of the text."""
    levels = []
    for place in range(1, len(texts[system, item]) + 1):
        text = _unit(texts, system, item, str(place)) or ""
        judged = people.get((system, item, str(place)), 0)
        level = np.zeros(len(text))
        spans = marked.spans[
            (marked.spans["system"] == system)
            & (marked.spans["item"] == item)
            & (marked.spans["unit"] == str(place))
        ]
        for _, own in spans.groupby("assessor"):
            covered = np.zeros(len(text), dtype=bool)
            for start, end in zip(own["start"], own["end"], strict=True):
                covered[int(start) : int(end)] = True
            level += covered
        levels.append(level / judged if judged else np.full(len(text), np.nan))
    whole = np.concatenate(levels) if levels else np.zeros(0)
    if not len(whole) or np.isnan(whole).all():
        return None
    whole = np.nan_to_num(whole)
    edges = np.linspace(0, len(whole), BINS + 1)
    cumulated = np.concatenate([[0.0], np.cumsum(whole)])
    at = np.interp(edges, np.arange(len(whole) + 1), cumulated)
    return [round(float(value), 6) for value in np.diff(at) / np.diff(edges)]
