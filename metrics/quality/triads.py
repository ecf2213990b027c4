"""Does somebody contradict themselves? Of three texts compared two by two, one may be preferred to the next all the way round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtr

from metrics.human.comparison import READINGS
from metrics.human.comparison_agreement import OUTCOME, TEXTS, text_pairs
from metrics.meta.common import BoolArray, FloatArray, IntArray
from metrics.quality.crowd import Crowd
from metrics.quality.findings import Finding, deviate, nothing, wilson_interval
from metrics.signature import DEFAULT_SEED

ENUMERATED = 15
"""Pairs that hang together whose answers are tried in all ways; of more, as many ways are drawn."""

EXACT = 20
"""Shapes that differ, beyond which they are not enumerated one by one."""

Pair = tuple[int, int]
Triad = tuple[int, int, int]
Shape = tuple[int, tuple[Triad, ...]]
"""How many pairs hang together, and which of them are triples, each as the numbers of its pairs: a–b, b–c and a–c."""


@dataclass(frozen=True)
class _Part:
    """Triples of an item that hang together by the pairs they share."""

    edges: tuple[Pair, ...]
    shape: Shape

    @property
    def most(self) -> int:
        """How many of them can be circular: what trying all answers gives, or of many pairs no more than of all between their texts."""
        pairs, triads = self.shape
        if pairs <= ENUMERATED:
            return len(by_coin(pairs, triads)) - 1
        return min(len(triads), most_circular(len({text for edge in self.edges for text in edge})))


def circular_triads(crowd: Crowd, attributes: pd.DataFrame | None) -> Finding | None:
    """``circles``: Kendall and Babington Smith's coefficient of consistence ζ over somebody's items.

    A triple counts where its three pairs were decided in three judgments: one ranking cannot go in a circle. ζ = 1 − d/most, d the
    circular triples and most as many as the pairs allow. Of several criteria the first that has a triple speaks for an item, since
    who answers one often answers the others alike.

    p is one-sided: by throwing a coin for each pair, how often would as few go in a circle? Pairs of one ranking are not coins of
    their own (who puts A above all others decides several), so p is over items whose pairs all come from different judgments, and
    NaN where there is none. The interval is Wilson's over items, since the triples of one hang together.
    """
    size = crowd.size
    items, triples, circles, most, by_chance = (np.zeros(size) for _ in range(5))
    shapes: dict[int, list[Shape]] = defaultdict(list)
    seen = set()
    for person, item, preferred, judgment in _decided(crowd, attributes):
        parts = _parts(judgment)
        if not parts or (person, item) in seen:
            continue
        seen.add((person, item))
        own = sum(
            int(_circular(part.shape[1], np.array([[preferred[edge] for edge in part.edges]]))[0])
            for part in parts
        )
        items[person] += 1
        triples[person] += sum(len(part.shape[1]) for part in parts)
        circles[person] += own
        most[person] += sum(part.most for part in parts)
        by = [judgment[edge] for part in parts for edge in part.edges]
        if len(set(by)) == len(by):
            by_chance[person] += own
            shapes[person].extend(part.shape for part in parts)
    if not triples.any():
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        consistence = 1 - circles / most
    pvalue, middle = nothing(size), nothing(size)
    for person, items_of in shapes.items():
        pvalue[person], middle[person] = as_few(int(by_chance[person]), items_of)
    low, high = wilson_interval(consistence, items)
    words = [_words(int(circles[one]), int(triples[one])) if triples[one] else "" for one in range(size)]
    return Finding(
        "circles", triples.astype(np.intp), consistence, pvalue, low, high, words, evidence=deviate(middle)
    )


def as_few(circles: int, shapes: list[Shape]) -> tuple[float, float]:
    """How likely as few circular triples are by throwing coins, and with half of what is as likely (mid-p).

    Of many different items, whose triples are many, a normal distribution: a quarter of triples is circular, and no two of them
    are correlated, so that the variance is 3/16 of their number (Moran 1947).
    """
    if len(set(shapes)) > EXACT:
        triples = sum(len(triads) for _, triads in shapes)
        above = [(circles + half - triples / 4) / np.sqrt(3 * triples / 16) for half in (0.5, 0.0)]
        return float(ndtr(above[0])), float(ndtr(above[1]))
    chance = np.ones(1)
    for pairs, triads in shapes:
        chance = np.convolve(chance, by_coin(pairs, triads))
    below = float(chance[: circles + 1].sum())
    return min(1.0, below), below - float(chance[circles : circles + 1].sum()) / 2


def most_circular(texts: int) -> int:
    """Of so many texts, how many triples can be circular (Kendall & Babington Smith 1940).

    >>> [most_circular(texts) for texts in range(3, 9)]
    [1, 2, 5, 8, 14, 20]
    """
    return (texts**3 - (texts if texts % 2 else 4 * texts)) // 24


def _decided(
    crowd: Crowd, attributes: pd.DataFrame | None
) -> Iterator[tuple[int, tuple[str, str], dict[Pair, bool], dict[Pair, int]]]:
    """By person, item (of a task) and criterion: of each pair of texts whether the first was preferred, and by which judgment.

    A pair that was met again speaks by the first answer; a tie decides nothing.
    """
    rows = crowd.rows[(crowd.rows["control"] == "") & crowd.rows["kind"].isin(list(READINGS))]
    rows = rows[rows["value"].notna()]
    person = {name: number for number, name in enumerate(crowd.people)}
    for (task, _), own in rows.groupby(["task", "criterion"], sort=False):
        pairs = text_pairs(own.assign(sitting=own["judgment"]), attributes)
        pairs = pairs.drop_duplicates(["assessor", *TEXTS])
        pairs = pairs[pairs[OUTCOME] != 0]
        enough = pairs.groupby(["assessor", "item"])["sitting"].transform("nunique") > 2
        for (assessor, item), group in pairs[enough].groupby(["assessor", "item"], sort=False):
            numbers, _ = pd.factorize(pd.concat([group["first"], group["second"]]), sort=True)
            edges = list(zip(numbers[: len(group)].tolist(), numbers[len(group) :].tolist(), strict=True))
            preferred = dict(zip(edges, (group[OUTCOME] > 0).tolist(), strict=True))
            judgment = dict(zip(edges, group["sitting"].tolist(), strict=True))
            yield person[str(assessor)], (str(task), str(item)), preferred, judgment


def _parts(judgment: dict[Pair, int]) -> list[_Part]:
    """The triples that count, those that share a pair together; a pair that is in none is left out."""
    parts: list[list[tuple[Pair, Pair, Pair]]] = []
    texts = sorted({text for edge in judgment for text in edge})
    for a, b, c in combinations(texts, 3):
        sides = ((a, b), (b, c), (a, c))
        if not all(side in judgment for side in sides) or len({judgment[side] for side in sides}) < 3:
            continue
        joined, apart = [sides], []
        for part in parts:
            if any(side in one for one in part for side in sides):
                joined = part + joined
            else:
                apart.append(part)
        parts = [*apart, joined]
    found = []
    for part in parts:
        edges = tuple(sorted({side for sides in part for side in sides}))
        number = {edge: at for at, edge in enumerate(edges)}
        triads = tuple(sorted((number[ab], number[bc], number[ac]) for ab, bc, ac in part))
        found.append(_Part(edges, (len(edges), triads)))
    return found


def _circular(triads: tuple[Triad, ...], preferred: BoolArray) -> IntArray:
    """How many triples are circular: a over b, b over c, and c over a; or all the other way. By row of ``preferred``."""
    total = np.zeros(len(preferred), dtype=np.intp)
    for first, second, across in triads:
        total += (preferred[:, first] == preferred[:, second]) & (preferred[:, first] != preferred[:, across])
    return total


@lru_cache(maxsize=1_000)
def by_coin(pairs: int, triads: tuple[Triad, ...]) -> FloatArray:
    """How likely 0, 1, 2 … circular triples are when a coin decides each pair; exact for few pairs.

    Where ways are drawn, one more has no circle and one more has only circles: what was never drawn is rare, not impossible
    (Davison & Hinkley 1997, §4.2, have (1 + b)/(1 + N) for a p-value).

    >>> by_coin(3, ((0, 1, 2),)).tolist()
    [0.75, 0.25]
    """
    if pairs <= ENUMERATED:
        ways = np.arange(2**pairs)[:, None] >> np.arange(pairs) & 1 == 1
        return np.bincount(_circular(triads, ways)) / len(ways)
    ways = np.random.default_rng(DEFAULT_SEED).integers(2, size=(2**ENUMERATED, pairs)) == 1
    counts = np.bincount(_circular(triads, ways), minlength=len(triads) + 1)
    counts[[0, -1]] += 1
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _words(circles: int, triples: int) -> str:
    of_three = f"{triples} triple{'' if triples == 1 else 's'} of texts"
    if not circles:
        return f"none of {of_three} goes in a circle; a coin would make a quarter of them do so"
    goes = "goes" if circles == 1 else "go"
    return f"{circles} of {of_three} {goes} in a circle (A over B, B over C, C over A); of a coin a quarter would"
