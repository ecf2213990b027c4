"""Nuggets and their assignment as castorini's nuggetizer writes them: JSON Lines, one question an object.

``{qid, query, nuggets: [{text, importance, assignment}]}``, and ``run_id`` where a response was judged; without assignments it
is an answer key. ``importance`` is ``vital`` or ``okay``, ``assignment`` ``support``, ``partial_support`` or ``not_support``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, further_cells, json_lines, long_table, refuse_several_tasks
from metrics.frames import scored
from metrics.human.nuggets import key
from metrics.tables import json_objects

WHO = "nuggetizer"
SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
STATUS = ("vital", "okay")
QUERY = "query"
"""The further column with what was asked, on the rows of the key."""


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: the key as rows without a system, and the support of each nugget. A run without a name is that of its file."""
    keys: dict[str, list[tuple[str, str]]] = {}
    queries: dict[str, str] = {}
    rows: list[dict[str, object]] = []
    for path in paths:
        for row, one in json_objects(path):
            item, nuggets = _question(one, path, row)
            texts = [(nugget["text"], nugget["importance"]) for nugget in nuggets]
            if keys.setdefault(item, texts) != texts:
                raise BadInput(
                    f"expected one list of nuggets of {item}, found another", file=str(path), row=row
                )
            query = one.get("query", "")
            if not isinstance(query, str) or queries.setdefault(item, query) != query:
                raise BadInput(f"expected one query of {item}", file=str(path), row=row)
            rows += _support(one, item, nuggets, path, row)
    built = [row for item, texts in keys.items() for row in _key_rows(item, texts, queries[item])]
    return long_table([*built, *rows], paths, kind="nuggets", task="nuggets", assessor=WHO)


def _question(one: Mapping[str, Any], path: Path, row: int) -> tuple[str, list[Mapping[str, str]]]:
    item, nuggets = one.get("qid"), one.get("nuggets")
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise BadInput("expected a qid", file=str(path), row=row)
    if not isinstance(nuggets, list) or not nuggets:
        raise BadInput("expected nuggets", file=str(path), row=row)
    for nugget in nuggets:
        if not isinstance(nugget, Mapping) or not isinstance(nugget.get("text"), str):
            raise BadInput("expected a text in every nugget", file=str(path), row=row)
        if nugget.get("importance") not in STATUS:
            raise BadInput("expected importance vital or okay in every nugget", file=str(path), row=row)
    return item, nuggets


def _key_rows(item: str, texts: Sequence[tuple[str, str]], query: str) -> Iterator[dict[str, object]]:
    for n, (text, status) in enumerate(texts, start=1):
        common: dict[str, object] = {"item": item, "document": item, "unit": f"n{n}"}
        asked = {QUERY: query} if query else {}
        yield common | asked | {"criterion": "nugget", "label": text}
        yield common | {"criterion": "status", "label": status}


def _support(
    one: Mapping[str, Any], item: str, nuggets: Sequence[Mapping[str, str]], path: Path, row: int
) -> Iterator[dict[str, object]]:
    given = [nugget.get("assignment") for nugget in nuggets]
    if not any(given):
        return
    system = one.get("run_id") or path.name.split(".")[0]
    for n, assignment in enumerate(given, start=1):
        if assignment not in SUPPORT:
            raise BadInput(
                f"expected {', '.join(SUPPORT)} as assignment of nugget {n}", file=str(path), row=row
            )
        yield {
            "system": str(system),
            "item": item,
            "document": item,
            "unit": f"n{n}",
            "criterion": "present",
            "value": SUPPORT[assignment],
            "label": assignment.replace("_", " "),
        }


def write_judgments(judgments: pd.DataFrame) -> str:
    """One line a response; of a table that has only keys, one line a question."""
    rows = scored(judgments[judgments["kind"] == "nuggets"])
    refuse_several_tasks(rows)
    known = key(rows)
    if known.empty:
        raise BadInput("expected the answer key (criteria nugget and status) among the judgments")
    queries = {
        item: query for item, query in zip(rows["item"], further_cells(rows, QUERY), strict=True) if query
    }
    present = rows[rows["criterion"] == "present"]
    if present.empty:
        return json_lines(
            _object(str(item), of_item, {}, queries) for item, of_item in known.groupby("item", sort=False)
        )
    return json_lines(_responses(present, known, queries))


def _responses(
    present: pd.DataFrame, known: pd.DataFrame, queries: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    for key_, of_response in present.groupby(["item", "system"], sort=False):
        item, system = map(str, key_)
        if len(set(of_response["assessor"])) > 1:
            raise BadInput(
                f"expected one judge of {system} on {item}, found several: export one person's rows"
            )
        support = dict(zip(of_response["unit"], of_response["value"], strict=True))
        yield {**_object(item, known[known["item"] == item], support, queries), "run_id": system}


def _object(
    item: str, known: pd.DataFrame, support: Mapping[str, float], queries: Mapping[str, str]
) -> dict[str, object]:
    names = {value: name for name, value in SUPPORT.items()}
    nuggets = []
    for unit, text, status in known[["unit", "text", "status"]].itertuples(index=False):
        nugget = {"text": text, "importance": status}
        if support:
            if support.get(unit) not in names:
                raise BadInput(f"expected support 1, 0.5 or 0 of nugget {unit} of {item}")
            nugget["assignment"] = names[support[unit]]
        nuggets.append(nugget)
    asked = {"query": queries[item]} if item in queries else {}
    return {"qid": item, **asked, "nuggets": nuggets}


FORMAT = Format(
    "nuggetizer's nuggets and assignments, JSON Lines",
    reads={"judgments": read_judgments},
    writes={"judgments": write_judgments},
)
