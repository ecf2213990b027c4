"""ROUGE (Lin 2004), with the semantics of ROUGE-1.5.5: all variants of Graham (2015) in one pass.

A text is cut into words once, a word is stemmed once, an output is compared with a reference once per
setting of stemming and stop words; from these hits and lengths come all kinds, precision, recall and F, and
all ways to treat several references. A text without words (ROUGE reads ASCII letters and digits only)
scores 0, with a warning; the original divides by zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.rouge import variants
from metrics.automatic.rouge.batch import Ints, Setting, offsets, read
from metrics.automatic.rouge.counts import Counts, Floats, count
from metrics.automatic.rouge.measures import measures
from metrics.automatic.rouge.ngrams import Pairs
from metrics.automatic.rouge.variants import Variant
from metrics.errors import UndefinedScoreWarning

__all__ = ["FAMILY", "Rouge"]


class Rouge(Family):
    """All variants of ROUGE; a row holds the score itself, since system scores are means or medians."""

    name = "rouge"

    def metrics(self) -> Sequence[Metric]:
        """144 plain variants, and those with the options ``best`` and ``jackknife``."""
        return [variant.metric() for variant in variants.all_variants()]

    def parse(self, name: str) -> Metric | None:
        """Names with an α of the user's own: ``rouge-l-f-alpha0.8``."""
        variant = variants.parse(name)
        return variant.metric() if variant else None

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output by each variant."""
        wanted = [variant for metric in metrics if (variant := variants.parse(metric.name))]
        settings = list(dict.fromkeys(variant.setting for variant in wanted))
        kinds = {variant.kind for variant in wanted}
        counts, first = _count(items, settings, kinds)
        made: dict[Variant, dict[str, Floats]] = {}
        rows = []
        for variant in wanted:
            key = Variant(**{**vars(variant), "measure": "f"})
            if key not in made:
                made[key] = measures(
                    counts[variant.setting][variant.kind],
                    first,
                    kind=variant.kind,
                    best=variant.best,
                    jackknife=variant.jackknife,
                    alpha=variant.alpha,
                )
            rows.append(made[key][variant.measure][:, np.newaxis])
        return rows

    def score(self, metric: Metric, rows: Rows) -> Floats:
        """The score is the row."""
        return rows[:, 0]


FAMILY = Rouge()


def _count(
    items: Sequence[Item], settings: Sequence[Setting], kinds: set[str]
) -> tuple[dict[Setting, dict[str, Counts]], Ints]:
    """The counts of all pairs in all settings, and where the pairs of each item begin."""
    texts = {id(text): text for item in items for text in (item.output, *item.references)}
    number = {key: place for place, key in enumerate(texts)}
    batch = read(list(texts.values()), settings)
    peers = np.array([number[id(item.output)] for item in items for _ in item.references])
    references = np.array([number[id(text)] for item in items for text in item.references])
    shift = np.repeat(np.arange(len(settings)) * len(texts), len(peers))
    pairs = Pairs(np.tile(peers, len(settings)) + shift, np.tile(references, len(settings)) + shift)
    if not (batch.lengths[pairs.peers].all() and batch.lengths[pairs.references].all()):
        warnings.warn(
            "ROUGE reads only ASCII letters and digits; "
            "a text in which it finds no word (or only stop words) scores 0",
            UndefinedScoreWarning,
            stacklevel=2,
        )
    counted = count(batch, pairs, kinds)
    size = len(peers)
    by_setting = {
        setting: {
            kind: values.part(slice(place * size, (place + 1) * size)) for kind, values in counted.items()
        }
        for place, setting in enumerate(settings)
    }
    return by_setting, offsets(np.array([len(item.references) for item in items]))
