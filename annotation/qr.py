"""QR codes, drawn into a page: cameras read them, whatever colours the page has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import segno

QUIET = 4  # modules of white around the code, as ISO/IEC 18004 wants


@dataclass(frozen=True)
class QRCode:
    """A square of so many modules, quiet zone and all, and its dark ones as the path of an SVG."""

    size: int
    path: str


def qr_code(words: str) -> QRCode:
    """The code of these words, with the usual correction of errors: a screen has no scratches."""
    rows = list(segno.make(words, error="m", micro=False).matrix_iter(border=QUIET))
    return QRCode(
        size=len(rows),
        path="".join(
            f"M{start} {y}h{length}v1h-{length}z"
            for y, row in enumerate(rows)
            for start, length in _dark_runs(row)
        ),
    )


def _dark_runs(row: Iterable[int]) -> list[tuple[int, int]]:
    """Where dark modules stand in a row, and how many side by side."""
    runs: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if dark and runs and sum(runs[-1]) == x:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif dark:
            runs.append((x, 1))
    return runs
