"""Ngram(i, j) (Lin & Hovy 2003, equations 5 and 6): n-gram recall of model units, the ancestor of ROUGE.

C_n is, over the units of the reference, the share of n-grams that the output has too, clipped in each unit at the output's
count. Ngram(i, j) is the geometric mean of C_i … C_j; the brevity bonus is 1, as in the paper. A sentence of the reference is
a unit; with several references the units of all count. A system's score is the mean over its outputs.

Their §4.1 example gives the bigram score as 0.5; clipped counting by equation 5 gives 1/3, and that is what is computed.
Names: ``ngram-1-4``, ``-porter`` for Porter stems, ``-stop`` without stop words (their best setting had both).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.counting import Ngram, clipped, ngrams, ngrams_of
from metrics.automatic.preparation import SETTINGS, Setting
from metrics.automatic.text.prepared import Text

LONGEST = 4
"""i and j range from 1 to 4."""
_NAME = re.compile(r"ngram-(?P<i>[1-4])-(?P<j>[1-4])(?P<porter>-porter)?(?P<stop>-stop)?")
_DEFAULTS = {"ngram-1-1", "ngram-2-2", "ngram-1-4"}


class NgramCooccurrence(Family):
    """Ngram(i, j) for 1 ≤ i ≤ j ≤ 4; a row holds the score."""

    name = "ngram"

    def metrics(self) -> Sequence[Metric]:
        """All i ≤ j in the four settings."""
        return [
            _metric(i, j, setting)
            for setting in SETTINGS
            for i in range(1, LONGEST + 1)
            for j in range(i, LONGEST + 1)
        ]

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output; coverage by order is found once per setting."""
        coverage: dict[Setting, npt.NDArray[np.float64]] = {}
        rows = []
        for metric in metrics:
            found = _NAME.fullmatch(metric.name)
            assert found is not None
            setting = Setting(bool(found["porter"]), bool(found["stop"]))
            if setting not in coverage:
                made = [_coverage(item, setting) for item in items]
                coverage[setting] = np.array(made, dtype=np.float64).reshape(-1, LONGEST)
            orders = coverage[setting][:, int(found["i"]) - 1 : int(found["j"])]
            rows.append((orders.prod(axis=1) ** (1 / orders.shape[1]))[:, np.newaxis])
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score is the row."""
        return rows[:, 0]


FAMILY = NgramCooccurrence()


def _metric(i: int, j: int, setting: Setting) -> Metric:
    name = f"ngram-{i}-{j}{setting.suffix()}"
    return Metric(
        name=name,
        family="ngram",
        options=(("i", i), ("j", j), *setting.options(), ("multi", "units")),
        identity=1.0,
        aggregates=("mean",),
        default=name in _DEFAULTS,
    )


def _coverage(item: Item, setting: Setting) -> list[float]:
    """C_1 … C_4 of an output (equation 5); NaN where no unit is long enough."""
    units = [unit for text in item.references for unit in _units(text, setting)]
    tokens = setting.tokens(item.output)
    coverage = []
    for n in range(1, LONGEST + 1):
        ours = ngrams_of(item.output, tokens, n, setting=setting)
        counts = [unit[n - 1] for unit in units]
        total = sum(unit.total() for unit in counts)
        coverage.append(sum(clipped(unit, ours) for unit in counts) / total if total else float("nan"))
    return coverage


def _units(text: Text, setting: Setting) -> list[list[Counter[Ngram]]]:
    """The n-grams of each sentence of a reference, by order; the text keeps them."""
    units: list[list[Counter[Ngram]]] = text.remember(
        ("units", setting),
        lambda own: [
            [ngrams(setting.tokens(Text([sentence])), n) for n in range(1, LONGEST + 1)]
            for sentence in own.sentences
        ],
    )
    return units
