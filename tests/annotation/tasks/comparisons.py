"""What the tests of the three comparisons share: exhibits, and the rows of the specification's example."""

from __future__ import annotations

import csv
from itertools import groupby

from annotation.tasks.terms import Exhibit, Record, Row, Text
from tests.conftest import ROOT

EXAMPLE = (
    ROOT / "tests" / "data" / "tasks2" / "rows_example.csv"
)  # written with the protocols, not by this code
RECORD = Record(document="d1", set="s1")


def exhibit(size: int, **fields) -> Exhibit:
    texts = tuple(Text(text=f"Text number {n}.", units=(f"Text number {n}.",)) for n in range(size))
    return Exhibit(outputs=texts, **fields)


def example_rows(kind: str) -> list[tuple[str, list[tuple[int, float, str]]]]:
    """Of each judgment in the example: its criterion, and place, value and label, once for each text, by place."""
    with EXAMPLE.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["kind"] == kind]
    found = []
    for _, judgment in groupby(rows, key=lambda row: row["position"]):
        judged = list(judgment)
        said = {(int(row["place"]) - 1, float(row["value"]), row["label"]) for row in judged}
        found.append((judged[0]["criterion"], sorted(said)))
    return found


def said_of(rows: list[Row]) -> list[tuple[int, float, str]]:
    return [(row.output, row.value, row.label) for row in rows if row.output is not None]
