"""STM and TKM on constituency trees (Liu & Gildea 2005, §3.1 and §3.2).

``stm-4`` is the mean over depths 1 to 4 of the share of the output's subtrees of that depth that a reference has too, each clipped
at its count in the reference that has most; ``tkm`` is the cosine of the tree kernel with the best reference. Trees are labels
and tags without words, function labels cut off. The trees of all sentences of a text are pooled. STM's system score comes
from summed counts, TKM's is the mean.

They come from a field ``trees`` beside the text, or from benepar where a user has it. Depths at which the output has no subtree are left
out of the mean, so that an identical text scores 1. ``stm-1`` … ``stm-6``; the authors used 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.subtree_scores import kernel_rows, level_rows, mean_precision
from metrics.automatic.syntax.subtrees import Counts, Forest, constituents, forest, subtrees
from metrics.automatic.text.prepared import Text

DEPTH = 4
_NAME = re.compile(r"tkm|stm-(?P<depth>[1-6])")


class Constituency(Family):
    """STM by depth and TKM; rows are counts by depth, or the score."""

    name = "constituency"

    def metrics(self) -> Sequence[Metric]:
        """STM to depth 4, and TKM."""
        return self.named((f"stm-{DEPTH}", "tkm"))

    def parse(self, name: str) -> Metric | None:
        """STM to another depth."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        kernel = name == "tkm"
        return Metric(
            name=name,
            family=self.name,
            options=(("multi", "best" if kernel else "clip-largest"),),
            identity=1.0,
            monotone=True,
            aggregates=("mean",) if kernel else ("corpus",),
            listed=name in ("tkm", f"stm-{DEPTH}"),
            needs=("trees",),
        )

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """Counts of subtrees, once for all depths; the kernel's cosine."""
        counted: Rows | None = None
        rows = []
        for metric in metrics:
            if metric.name == "tkm":
                rows.append(kernel_rows(items, "tkm", _forest))
                continue
            if counted is None:
                counted = level_rows(items, "stm", _subtrees)
            rows.append(counted)
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """Mean precision by depth, or the row itself."""
        found = _NAME.fullmatch(metric.name)
        assert found is not None
        return mean_precision(rows, int(found["depth"])) if found["depth"] else rows[:, 0]


FAMILY = Constituency()


def _subtrees(text: Text) -> Counts:
    return subtrees(constituents(text.beside["trees"]))


def _forest(text: Text) -> Forest:
    return forest(constituents(text.beside["trees"]))
