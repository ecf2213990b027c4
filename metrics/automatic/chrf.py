"""chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU computes them.

Character n-grams up to 6, for chrF++ also words and bigrams; F with β = 2. With several references an output counts with the
one that gives it the best F; a system's score comes from the sums of these counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics import CHRF

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.sacre import PERCENT, VERSION
from metrics.automatic.text.prepared import Text

_PLAIN = CHRF()
_PLUS = CHRF(word_order=2)
_METRICS = {"chrf": _PLAIN, "chrf++": _PLUS}


class Chrf(Family):
    """chrF and chrF++; a row holds n-grams of output and reference and their matches, for each order."""

    name = "chrf"

    def metrics(self) -> Sequence[Metric]:
        """Both."""
        return [
            Metric(
                name=name,
                family="chrf",
                options=(
                    ("nc", metric.char_order),
                    ("nw", metric.word_order),
                    ("beta", metric.beta),
                    ("space", metric.whitespace),
                    ("case", "keep"),
                    ("multi", "best"),
                    VERSION,
                ),
                range=PERCENT,
                identity=100.0,
                monotone=True,
                default=True,
            )
            for name, metric in _METRICS.items()
        ]

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The counts with each output's best reference. Those of chrF are the first of chrF++'s, so all are made once."""
        counted = [[_counts(item.output, text) for text in item.references] for item in items]
        rows = []
        for chosen in (_METRICS[metric.name] for metric in metrics):
            width = 3 * chosen.order
            best = [max((row[:width] for row in own), key=chosen._compute_f_score) for own in counted]
            rows.append(np.array(best, dtype=np.float64).reshape(-1, width))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """F of each row, in percent."""
        chosen = _METRICS[metric.name]
        return np.array([chosen._compute_f_score(row) for row in rows.tolist()], dtype=np.float64)


FAMILY = Chrf()


def _counts(output: Text, reference: Text) -> list[int]:
    return [
        number
        for ours, theirs in zip(_ngrams(output), _ngrams(reference), strict=True)
        for number in CHRF._get_match_statistics(ours, theirs)
    ]


def _ngrams(text: Text) -> list[Counter[str]]:
    """The character and word n-grams of a text, by order; the text keeps them."""
    ngrams: list[Counter[str]] = text.remember(
        "chrf", lambda own: _PLUS._extract_reference_info([own.text])["ref_ngrams"][0]
    )
    return ngrams
