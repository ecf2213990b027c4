"""Translation edit rate (Snover et al. 2006) as sacreBLEU computes it: edits and shifts to the nearest reference, in percent of
the mean reference length. Lower is better. The search for shifts makes it slow: it is computed only when asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics import TER

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.sacre import VERSION

_TER = TER()


class Ter(Family):
    """TER; a row holds edits and reference length."""

    name = "ter"

    def metrics(self) -> Sequence[Metric]:
        """TER with Tercom's defaults."""
        return [
            Metric(
                name="ter",
                family="ter",
                options=(("case", "fold"), ("tok", "tercom"), ("length", "average"), VERSION),
                higher_is_better=False,
                range=(0.0, float("inf")),
                identity=0.0,
                slow="the search for shifts takes minutes per hundred long texts",
            )
        ]

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """Edits to the nearest reference, and the mean reference length."""
        made = []
        for item in items:
            texts = [_TER._preprocess_segment(text.text) for text in item.references]
            references = {"ref_words": [text.split() for text in texts]}
            made.append(
                _TER._compute_segment_statistics(_TER._preprocess_segment(item.output.text), references)
            )
        return [np.array(made, dtype=np.float64).reshape(-1, 2) for _ in metrics]

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """Edits in percent of the reference length."""
        return np.array(
            [_TER._compute_score_from_stats(row).score for row in rows.tolist()], dtype=np.float64
        )


FAMILY = Ter()
