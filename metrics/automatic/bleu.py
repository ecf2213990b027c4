"""BLEU (Papineni et al. 2002) as sacreBLEU computes it, BLEU of sentences, and BLEU-S.

- ``bleu``: corpus BLEU, smoothed like mteval where an order has no match; the score of one output is that of a corpus of one.
- ``sentence-bleu``: sacreBLEU's sentence BLEU (orders that the output is too short for are left out); a system's is the mean.
- ``bleu-s``: one is added to numerator and denominator for m > 1 and nothing for m = 1 (Lin & Och 2004; Leusch et al. 2005,
  §2.1.3, print the two the other way round).

Case and tokenisation are sacreBLEU's defaults (kept, ``13a``); another preparation is said at the end of the name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics import BLEU

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.preparation import SUFFIX, Preparation, from_name
from metrics.automatic.sacre import PERCENT, VERSION
from metrics.automatic.text.prepared import Text

Kind = Literal["bleu", "sentence-bleu", "bleu-s"]
KINDS: tuple[Kind, ...] = ("bleu", "sentence-bleu", "bleu-s")
ORDERS = 4
DEFAULT = Preparation(case="keep")

_NAME = re.compile(f"(?P<kind>bleu-s|sentence-bleu|bleu){SUFFIX}")
_SMOOTHING: dict[Kind, dict[str, Any]] = {
    "bleu": {"smooth_method": "exp"},
    "sentence-bleu": {"smooth_method": "exp", "effective_order": True},
    "bleu-s": {"smooth_method": "add-k", "smooth_value": 1},
}
# Texts come with their tokens between spaces, and statistics do not depend on smoothing: one object counts for all.
_COUNTER = BLEU(tokenize="none", force=True)


@dataclass(frozen=True)
class Statistics:
    """The sufficient statistics of BLEU, for one output or summed."""

    length: int
    reference_length: int
    matches: tuple[int, ...]
    ngrams: tuple[int, ...]

    @classmethod
    def of(cls, row: npt.NDArray[np.float64]) -> Statistics:
        """From a row of the family."""
        numbers = [round(number) for number in row.tolist()]
        return cls(numbers[0], numbers[1], tuple(numbers[2 : 2 + ORDERS]), tuple(numbers[2 + ORDERS :]))


class Bleu(Family):
    """BLEU; a row holds output length, reference length, matches and n-grams by order, or the score of a sentence."""

    name = "bleu"

    def metrics(self) -> Sequence[Metric]:
        """The three kinds, prepared as sacreBLEU does by default."""
        return [_metric(kind, DEFAULT, default=True) for kind in KINDS]

    def parse(self, name: str) -> Metric | None:
        """Names with a text preparation of the user's own: ``bleu-s-contractions-folded-both``."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        metric = _metric(*_specification(name), listed=False)
        return metric if metric.name == name else None

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The sufficient statistics of each output, or its score when system scores are means."""
        counted: dict[Preparation, Rows] = {}
        rows = []
        for kind, preparation in (_specification(metric.name) for metric in metrics):
            if preparation not in counted:
                counted[preparation] = _count(items, preparation)
            own = counted[preparation]
            rows.append(_scores(kind, own)[:, np.newaxis] if kind == "sentence-bleu" else own)
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """BLEU of each row of statistics."""
        kind, _ = _specification(metric.name)
        return rows[:, 0] if kind == "sentence-bleu" else _scores(kind, rows)


FAMILY = Bleu()


def _metric(kind: Kind, preparation: Preparation, *, default: bool = False, listed: bool = True) -> Metric:
    smoothing = _SMOOTHING[kind]
    value = smoothing.get("smooth_value")
    return Metric(
        name=f"{kind}{preparation.suffix(DEFAULT)}",
        family="bleu",
        options=(
            ("order", ORDERS),
            ("smooth", smoothing["smooth_method"] + (f"[{value}]" if value else "")),
            ("eff", bool(smoothing.get("effective_order"))),
            ("length", "nearest"),
            *preparation.options(),
            VERSION,
        ),
        range=PERCENT,
        identity=100.0,
        aggregates=("mean",) if kind == "sentence-bleu" else ("corpus",),
        default=default,
        listed=listed,
    )


def _specification(name: str) -> tuple[Kind, Preparation]:
    found = _NAME.fullmatch(name)
    assert found is not None
    kind = next(kind for kind in KINDS if kind == found["kind"])
    return kind, from_name(found, DEFAULT)


def _count(items: Sequence[Item], preparation: Preparation) -> Rows:
    """sacreBLEU's statistics of each output; references are read once for the outputs that share them."""

    def line(text: Text) -> str:
        return " ".join(preparation.tokens(text))

    shared = {id(item.references): item.references for item in items}
    known = {
        key: _COUNTER._extract_reference_info([line(text) for text in references])
        for key, references in shared.items()
    }
    rows = [
        _COUNTER._compute_segment_statistics(line(item.output), known[id(item.references)]) for item in items
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 2 + 2 * ORDERS)


def _scores(kind: Kind, rows: Rows) -> npt.NDArray[np.float64]:
    return np.array([_score(kind, Statistics.of(row)) for row in rows], dtype=np.float64)


def _score(kind: Kind, statistics: Statistics) -> float:
    made = BLEU.compute_bleu(
        correct=list(statistics.matches),
        total=list(statistics.ngrams),
        sys_len=statistics.length,
        ref_len=statistics.reference_length,
        **_SMOOTHING[kind],
    )
    return float(made.score)
