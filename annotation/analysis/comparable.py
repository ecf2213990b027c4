"""What of a judgment others can agree with, as the monitor follows it: things that were judged, each with a value.

Comparisons agree or not on pairs of texts, as in :mod:`metrics.human.comparison_agreement`; extracts on every line that could be taken;
error spans on what :mod:`metrics.human.spans.agreement` compares; all others on the values of texts and their units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from annotation.export import COLUMNS, SaidRows
from metrics.human import error_spans, extract
from metrics.human.comparison import READINGS
from metrics.human.registry import kinds
from metrics.human.spans.agreement import ALL, as_compared
from metrics.human.spans.places import OUTPUT, with_places

Row = Mapping[str, Any]
Said = tuple[list[Any], Any]
"""What was judged, a list that begins with the criterion, and a value: a number, or the spans ``[severity, start, end]`` that are marked
in a unit of so many characters, which its list ends with."""


def is_followed(kind: str) -> bool:
    """Whether we know what people of this kind agree on; of others only the report tells."""
    if kind in READINGS or kind in (extract.SLUG, error_spans.SLUG):
        return True
    declared = kinds().get(kind)
    return declared is not None and not declared.coefficients and declared.as_compared is None


def values_of(kind: str, said: Sequence[SaidRows], same_as: Mapping[str, str]) -> list[list[Said]]:
    """Of each judgment, what it says of which thing."""
    if kind == error_spans.SLUG:
        return _of_spans(said)
    if kind == extract.SLUG:
        return [_of_lines(one) for one in said]
    if kind in READINGS:
        return [list(_pairs(kind, _known(one.rows), same_as)) for one in said]
    return [_of_texts(kind, one.rows) for one in said]


def _known(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["value"] is not None]


def _of_texts(kind: str, rows: Iterable[Row]) -> list[Said]:
    marks = kinds()[kind].marks
    seen: set[tuple[Any, ...]] = set()
    found: list[Said] = []
    for row in _known(rows):
        if marks is not None and row["criterion"] == marks.criterion:
            continue
        # Systems with one text stood at one place, and were judged once.
        text = (row["criterion"], row["unit"], row["place"])
        if row["place"] is None or text not in seen:
            found.append(([row["criterion"], row["system"], row["item"], row["unit"]], float(row["value"])))
        seen.add(text)
    return found


def _pairs(kind: str, rows: list[Row], same_as: Mapping[str, str]) -> Iterator[Said]:
    """Each two texts of the set: 1 where the first by name is better, −1 where the second is, 0 for a tie."""
    reading = READINGS[kind]
    texts: dict[str, dict[str, Row]] = defaultdict(dict)
    first_there: dict[tuple[str, Any], str] = {}
    for row in rows:
        spot = (row["criterion"], row["place"])
        first_there[spot] = min(first_there.get(spot, row["system"]), row["system"])
    for row in rows:
        key = f"{row['system']}/{row['item']}"
        name = same_as.get(key) or first_there[row["criterion"], row["place"]]
        texts[row["criterion"]].setdefault(name, row)
    for criterion, of_set in texts.items():
        for first, second in combinations(sorted(of_set), 2):
            gap = of_set[first]["value"] - of_set[second]["value"]
            if gap or reading.equal_is_tie:
                ahead = (gap > 0) - (gap < 0)
                item = of_set[first]["item"]
                yield [criterion, item, first, second], float(-ahead if reading.lower_wins else ahead)


def _of_lines(said: SaidRows) -> list[Said]:
    """Every line that can be taken, 1 where it was: lines that nobody took count, too."""
    taken = {row["unit"] for row in said.rows if row["criterion"] == extract.TAKEN}
    if not taken:
        return []
    item = said.rows[0]["item"]
    return [([extract.TAKEN, item, unit], float(unit in taken)) for _, unit in said.units]


def _of_spans(said: Sequence[SaidRows]) -> list[list[Said]]:
    """Scores, whether there is an error, what errors weigh, and where they are."""
    found: list[list[Said]] = [[] for _ in said]
    rows = [row | {"turn": turn} for turn, one in enumerate(said) for row in one.rows]
    if not rows:
        return found
    table = pd.DataFrame(rows, columns=[*COLUMNS, "turn"]).astype({"value": "float64"})
    compared = as_compared(table)
    valued = compared[compared["value"].notna() & ~compared["criterion"].str.startswith(f"{ALL}:")]
    columns = ["turn", "criterion", "system", "item", "unit", "value"]
    for turn, criterion, system, item, unit, value in valued[columns].itertuples(index=False):
        found[turn].append(([criterion, system, item, unit], value))
    spans: dict[tuple[Any, ...], list[Any]] = {}
    placed = with_places(compared[compared["criterion"] == ALL])
    columns = ["turn", "system", "item", "unit", "place", "side", "parts", "label"]
    for turn, system, item, unit, place, side, parts, severity in placed[columns].itertuples(index=False):
        shown = 0 if pd.isna(place) else int(place) - 1
        marks = spans.setdefault((turn, system, item, unit, shown), [])
        if side == OUTPUT:
            marks += [[severity, start, end] for start, end in parts]
    for (turn, system, item, unit, shown), marks in spans.items():
        length = said[turn].units.get((shown, unit))
        if length:
            found[turn].append(([ALL, system, item, unit, length], marks))
    return found
