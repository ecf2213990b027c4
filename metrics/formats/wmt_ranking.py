"""WMT's relative rankings (Bojar et al. 2013–2016): which of up to five translations of a segment is better.

``srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,…``. Until 2014 a row is a ranking of five
systems; since then a row is a pair, and the pairs of one ranking share a ``rankingID``. Rank 1 is best, equal ranks tie, −1 was
skipped. Systems with one and the same output were shown once. *Merged* files keep them in one cell, their names joined by ``+``;
*expanded* ones list each of them, tied with the others. Nothing in a file tells which it is, so the reader must be told.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.formats.base import Format, number
from metrics.formats.direct_assessment import language_pairs
from metrics.frames import JUDGMENT_COLUMNS, PLACE, check_judgments, scored
from metrics.tables import Columns, read_table

NEEDED = (
    "srclang",
    "trglang",
    "segmentId",
    "judgeID",
    "system1Id",
    "system1rank",
    "system2Id",
    "system2rank",
)
RANKING, SOURCE_INDEX, DOCUMENT = "rankingID", "srcIndex", "documentId"
HEAD = ("srclang", "trglang", SOURCE_INDEX, DOCUMENT, "segmentId", "judgeID")
IDENTICAL = ("merged", "expanded")
LAYOUTS = ("pairs", "sets")
SKIPPED = -1
LABEL_SKIPPED = "skipped"
CRITERION = "rank"
_JOINED = re.compile(r"[+,]")
"""Appraise's own XML joins names by commas."""


@dataclass(frozen=True)
class Ranking:
    """One person's order of several outputs: at each place the systems behind it and their rank, in the order of the file."""

    task: str
    assessor: str
    item: str
    document: str
    source_index: str
    unit: str
    """The number of the ranking; "" where the file has none."""
    places: tuple[tuple[tuple[str, ...], float], ...]


def read_judgments(paths: Sequence[Path], *, identical: str, criterion: str = CRITERION) -> pd.DataFrame:
    """The long table: kind ranking, task = pair of languages, item = segmentId, ``unit`` = the ranking, ``place`` = its order."""
    if identical not in IDENTICAL:
        raise BadInput(f"expected --identical {' or '.join(IDENTICAL)}, found {identical!r}")
    rows: list[dict[str, Any]] = []
    positions: dict[str, int] = {}
    unnamed: dict[tuple[str, str], int] = {}
    for ranking in (one for path in paths for one in _rankings(path, merged=identical == "merged")):
        positions[ranking.assessor] = positions.get(ranking.assessor, 0) + 1
        unit = ranking.unit
        if not unit:
            key = (ranking.task, ranking.item)
            unnamed[key] = unnamed.get(key, 0) + 1
            unit = f"s{unnamed[key]}"
        rows += _rows(ranking, unit, positions[ranking.assessor], criterion)
    table = pd.DataFrame(rows, columns=[*JUDGMENT_COLUMNS, PLACE, SOURCE_INDEX])
    if (table[SOURCE_INDEX] == table["item"]).all():
        table = table.drop(columns=SOURCE_INDEX)
    return check_judgments(table)


def _rows(ranking: Ranking, unit: str, position: int, criterion: str) -> Iterator[dict[str, Any]]:
    for place, (systems, rank) in enumerate(ranking.places, start=1):
        for system in systems:
            yield {
                "task": ranking.task,
                "kind": "ranking",
                "assessor": ranking.assessor,
                "system": system,
                "document": ranking.document,
                "item": ranking.item,
                "unit": unit,
                "criterion": criterion,
                "value": None if rank == SKIPPED else rank,
                "label": LABEL_SKIPPED if rank == SKIPPED else "",
                "revision": 1,
                "position": position,
                "practice": False,
                PLACE: place,
                SOURCE_INDEX: ranking.source_index,
            }


def _rankings(path: Path, *, merged: bool) -> list[Ranking]:
    """The rankings of a file in its order; pairs that share a number are put together again."""
    columns = Columns(read_table(path), file=str(path))
    columns.need(NEEDED)
    if not len(columns.frame):
        raise BadInput("expected a header and rankings", file=str(path))
    cells = _cells(columns, merged=merged)
    text = {name: columns.text(name, needed=True) for name in NEEDED[:4]}
    source = columns.text(SOURCE_INDEX) if columns.has(SOURCE_INDEX) else text["segmentId"]
    document = columns.text(DOCUMENT) if columns.has(DOCUMENT) else pd.Series("", index=source.index)
    task = text["srclang"] + "-" + text["trglang"]
    heads = zip(task, text["judgeID"], text["segmentId"], document, source, strict=True)
    if not columns.has(RANKING):
        return [Ranking(*head, "", tuple(places)) for head, places in zip(heads, cells, strict=True)]
    together: dict[tuple[tuple[str, str, str, str, str], str], list[int]] = {}
    for row, key in enumerate(zip(heads, columns.text(RANKING, needed=True), strict=True)):
        together.setdefault(key, []).append(row)
    return [
        Ranking(*head, unit, places)
        for (head, ranking), rows in together.items()
        for unit, places in _joined(ranking, [cells[row] for row in rows])
    ]


Places = tuple[tuple[tuple[str, ...], float], ...]


def _joined(unit: str, listed: list[list[tuple[tuple[str, ...], float]]]) -> Iterator[tuple[str, Places]]:
    """The pairs of a ranking as one order, where they are all pairs of it and agree on ranks; else each pair by itself."""
    ranks: dict[tuple[str, ...], float] = {}
    agree = all(ranks.setdefault(systems, rank) == rank for pair in listed for systems, rank in pair)
    wanted = [set(pair) for pair in combinations(ranks.items(), 2)]
    if len(listed) == 1 or (agree and [set(pair) for pair in listed] == wanted):
        yield unit, tuple(ranks.items()) if len(listed) > 1 else tuple(listed[0])
        return
    for place, pair in enumerate(listed, start=1):
        yield f"{unit}.{place}", tuple(pair)


def _cells(columns: Columns, *, merged: bool) -> list[list[tuple[tuple[str, ...], float]]]:
    """Of each row the systems and their ranks, in the order of the columns; cells without a system are left out."""
    size = 2
    while columns.has(f"system{size + 1}Id"):
        size += 1
    columns.need([f"system{place}rank" for place in range(1, size + 1)])
    found: list[list[tuple[tuple[str, ...], float]]] = [[] for _ in range(len(columns.frame))]
    named: list[set[str]] = [set() for _ in found]
    for place in range(1, size + 1):
        systems = columns.text(f"system{place}Id", needed=place < 3)
        ranks = columns.number(f"system{place}rank", lowest=SKIPPED)
        columns.refuse(
            (systems != "") & ranks.isna(),
            f"system{place}rank",
            "a rank, or −1 for a system that was skipped",
        )
        again = pd.Series(False, index=systems.index)
        for row, (cell, rank) in enumerate(zip(systems, ranks, strict=True)):
            if not cell:
                continue
            names = tuple(filter(None, _JOINED.split(cell))) if merged else (cell,)
            again.iloc[row] = not names or len(set(names)) < len(names) or bool(named[row] & set(names))
            named[row] |= set(names)
            found[row].append((names, float(rank)))
        columns.refuse(again, f"system{place}Id", "each system of a ranking once")
    return found


def write_judgments(
    judgments: pd.DataFrame,
    *,
    identical: str,
    layout: str = "pairs",
    criterion: str | None = None,
    languages: str | None = None,
) -> str:
    """A file of pairs with their ``rankingID``, or of one ranking a row (``layout="sets"``)."""
    if identical not in IDENTICAL:
        raise BadInput(f"expected --identical {' or '.join(IDENTICAL)}, found {identical!r}")
    if layout not in LAYOUTS:
        raise BadInput(f"expected --layout {' or '.join(LAYOUTS)}, found {layout!r}")
    rows = _of_criterion(judgments, criterion)
    pairs = language_pairs(rows["task"], languages)
    rows = rows.assign(srclang=pairs["source"], trglang=pairs["target"])
    sets = [members for _, members in rows.groupby(_set_of(rows), sort=False, dropna=False)]
    orders = [_order(members, merged=identical == "merged") for members in sets]
    numbers = _numbers(sets)
    width = 2 if layout == "pairs" else max((len(order) for order in orders), default=2)
    out = io.StringIO()
    writer = csv.writer(out)
    head = [name for name in HEAD if name != DOCUMENT or (rows["document"] != "").any()]
    names = [f"system{place}{what}" for place in range(1, width + 1) for what in ("Id", "rank")]
    writer.writerow([*head, *names, *([RANKING] if layout == "pairs" else [])])
    for members, order, ranking in zip(sets, orders, numbers, strict=True):
        cells = _head(members.iloc[0], head)
        if layout == "pairs":
            for first, second in combinations(order, 2):
                writer.writerow([*cells, *first, *second, ranking])
        else:
            ranked = [cell for pair in order for cell in pair]
            writer.writerow([*cells, *ranked, *[""] * (2 * width - len(ranked))])
    return out.getvalue()


def _of_criterion(judgments: pd.DataFrame, criterion: str | None) -> pd.DataFrame:
    """The rows that have an order: of rankings, and of pairs, whose winner is first."""
    rows = scored(judgments)
    if "best_worst" in set(rows["kind"]):
        raise BadInput("expected rankings or pairs: of a best and a worst the others have no rank")
    rows = rows[rows["kind"].isin(["ranking", "pairwise"]) & (rows["system"] != "")]
    rows = rows[rows["value"].notna() | (rows["label"] == LABEL_SKIPPED)]
    names = list(dict.fromkeys(rows["criterion"]))
    if criterion is None and len(names) > 1:
        raise BadInput(f"expected --criterion, one of {', '.join(names)}: the file holds a single one")
    if not names or criterion not in (None, *names):
        found = ", ".join(names) or "no ranking at all"
        raise BadInput(f"expected rankings{f' by {criterion}' if criterion else ''}, found {found}")
    return rows[rows["criterion"] == (criterion or names[0])].reset_index(drop=True)


def _set_of(rows: pd.DataFrame) -> list[str]:
    return [
        name for name in ("study", "task", "assessor", "item", "unit", "position", "sitting") if name in rows
    ]


def _order(members: pd.DataFrame, *, merged: bool) -> list[tuple[str, str]]:
    """Names and ranks of a set, from its first place to its last; several systems of one place in one cell, or in many."""
    if PLACE in members.columns and members[PLACE].notna().all():
        members = members.sort_values(PLACE, kind="stable")
        place = members[PLACE].tolist()
    else:
        place = list(range(len(members)))
    ranks = members["value"]
    if members["kind"].iloc[0] == "pairwise":
        ranks = ranks.where(ranks.isna(), np.where(ranks == ranks.max(), 1, 2))
    cells: dict[Any, tuple[list[str], str]] = {}
    for where, system, rank in zip(place, members["system"], ranks, strict=True):
        if merged and _JOINED.search(system):
            raise BadInput(
                f"expected systems without + or comma, found {system!r}: write them with --identical expanded",
                column="system",
            )
        words = str(SKIPPED) if pd.isna(rank) else number(rank)
        cells.setdefault(where if merged else (where, system), ([], words))[0].append(system)
    return [("+".join(systems), rank) for systems, rank in cells.values()]


def _numbers(sets: Sequence[pd.DataFrame]) -> list[str]:
    """The rankings' own numbers, where the table has one for each; else 1, 2, 3 …"""
    units = [str(members["unit"].iloc[0]) for members in sets]
    own = [unit.split(".")[0] for unit in units]
    if all(name.isdecimal() for name in own) and len(set(units)) == len(units):
        return own
    return [str(place) for place in range(1, len(sets) + 1)]


def _head(row: pd.Series[Any], names: Sequence[str]) -> list[str]:
    index = row[SOURCE_INDEX] if SOURCE_INDEX in row else row["item"]
    cells = {"srclang": row["srclang"], "trglang": row["trglang"], SOURCE_INDEX: index}
    cells |= {DOCUMENT: row["document"], "segmentId": row["item"], "judgeID": row["assessor"]}
    return [cells[name] for name in names]


FORMAT = Format(
    "WMT's relative rankings, CSV: five systems a row, or pairs with the number of their ranking",
    reads={"judgments": read_judgments},
    writes={"judgments": write_judgments},
)
