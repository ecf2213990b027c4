"""One line on each person, from all checks.

Two questions decide. Could somebody who does not look have given these answers? And do people in this study usually do clearly
better? Each check of answers (gold, attention, repeat, degraded, others) gives a standard normal deviate z, 0 by chance. What a
usual person reaches is the median of the others' z/√n, times √n of this person. Weighted by it, as the likelihood ratio of “usual”
against “chance” weighs them, the deviates add up to one that is again standard normal by chance, and about ``usual`` for a usual
person. Who is both not above chance and clearly below the usual looks careless. Where there is too little, the second is never sure,
and nobody is accused.

Some habits tell by themselves: a speed at which nobody reads, one answer all the time, places in the stead of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from metrics.meta.common import FloatArray
from metrics.quality.findings import UNLESS_ABOVE, Finding, nothing
from metrics.quality.peers import FAR
from metrics.quality.words import AGAIN, CAREFUL, CARELESS, NO_BETTER, UNKNOWN, VERDICT, WARNINGS, joined

SURE = 2.33
"""One in 100 of those who do not look is so far above chance, one in 100 of usual people so far below the usual."""
ROUNDS = 3
PEOPLE = 3
"""With fewer nobody is usual."""
SUSPECT = 1.645
"""A check whose deviate stays below this is named among the reasons."""
FIRM = 0.001
"""p of a drift or a preference that is worth a word; many people are looked at."""


@dataclass(frozen=True)
class Strength:
    """By person: how far the answers are above chance, and how far those of a usual person would be."""

    above_chance: FloatArray
    usual: FloatArray
    people: int
    """How many tell what is usual."""

    @property
    def careless(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Not above chance, and clearly below the usual, which is itself a median of ``people`` (variance π/2n)."""
        clearly = float(SURE * np.sqrt(1 + np.pi / (2 * max(self.people, 1))))
        with np.errstate(invalid="ignore"):
            return (self.above_chance < SURE) & (self.usual - self.above_chance > clearly)


def strength(findings: Sequence[Finding], trust: FloatArray) -> Strength:
    """The checks of answers together, as told above; only who is trusted (above ½) tells what is usual."""
    size = len(trust)
    top, square = np.zeros(size), np.zeros(size)
    for finding in findings:
        if not len(finding.evidence):
            continue
        n = finding.n.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            effect = np.where(n > 0, finding.evidence / np.sqrt(n), np.nan)
        expected = np.maximum(np.nan_to_num(_others_median(effect, trust > 0.5)), 0.0) * np.sqrt(n)
        # Who always answers alike has no deviate where others have: that is chance.
        top += expected * np.nan_to_num(finding.evidence)
        square += expected**2
    with np.errstate(invalid="ignore", divide="ignore"):
        above = np.where(square > 0, top / np.sqrt(square), np.nan)
    return Strength(above, np.sqrt(square), int((trust > 0.5).sum()) - 1)


def _others_median(effect: FloatArray, trusted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> FloatArray:
    """The median of everybody else; NaN with fewer than ``PEOPLE``."""
    found = nothing(len(effect))
    known = np.flatnonzero(~np.isnan(effect) & trusted)
    for one in range(len(effect)):
        others = effect[known[known != one]]
        if len(others) >= PEOPLE - 1:
            found[one] = np.median(others)
    return found


def settled(
    findings: Sequence[Finding], beside: Callable[[FloatArray], Finding | None], size: int
) -> Strength:
    """Strength and trust, each by the other: careless people must not count when it is asked who agrees with the others.

    Trust is the chance that somebody is a usual person and not one who does not look, both being as likely beforehand.
    ``beside`` is the check ``others`` with people weighted by it.
    """
    rest = [finding for finding in findings if finding.check != "others"]
    trust = np.ones(size)
    total = strength(findings, trust)
    for _ in range(ROUNDS):
        odds = total.usual * total.above_chance - total.usual**2 / 2
        trust = np.where(np.isnan(odds), 1.0, scipy.special.expit(odds))
        weighted = beside(trust)
        total = strength([*rest, *([] if weighted is None else [weighted])], trust)
    return total


def verdict(
    findings: Sequence[Finding], beside: Callable[[FloatArray], Finding | None], judgments: FloatArray
) -> Finding:
    """The line ``verdict`` of everybody; ``judgments`` counts what each has judged. ``beside``: see :func:`settled`."""
    size = len(judgments)
    by_check = {finding.check: finding for finding in findings}
    total = settled(findings, beside, size)
    careless = total.careless
    with np.errstate(invalid="ignore"):
        above = total.above_chance >= SURE
    words, warns = [], np.zeros(size)
    for one in range(size):
        reasons = [
            line
            for check, line in WARNINGS.items()
            if check in by_check and by_check[check].warns[one] > (UNLESS_ABOVE if above[one] else 0)
        ]
        if careless[one] or reasons:
            reasons += [line for line in _no_better(by_check, one) if line not in reasons]
            warns[one] = 1
            words.append(f"{CARELESS}: {joined(reasons) or 'answers are no better than chance'}")
        elif notes := _notes(by_check, total, one):
            words.append(f"{AGAIN}: {joined(notes)}")
        elif total.above_chance[one] >= SURE:
            words.append(f"{CAREFUL}: answers far above chance")
        else:
            words.append(f"{UNKNOWN}: nothing against this person so far")
    return Finding(
        VERDICT,
        judgments.astype(np.intp),
        total.above_chance,
        np.asarray(scipy.special.ndtr(-total.above_chance), dtype=np.float64),
        nothing(size),
        nothing(size),
        words,
        warns=warns,
    )


def _no_better(by_check: dict[str, Finding], one: int) -> list[str]:
    return [
        line
        for check, line in NO_BETTER.items()
        if check in by_check and by_check[check].n[one] > 0 and not by_check[check].evidence[one] >= SUSPECT
    ]


def _notes(by_check: dict[str, Finding], total: Strength, one: int) -> list[str]:
    """What is worth a look, and no sign of carelessness."""
    notes = []
    if (
        total.usual[one] - total.above_chance[one] > 2 * SURE
        and total.above_chance[one] < total.usual[one] / 2
    ):
        notes.append("less consistent than the others")
    for check, line in (
        ("drift", ("grows more lenient", "grows stricter")),
        ("first-place", ("prefers the first place", "avoids the first place")),
    ):
        finding = by_check.get(check)
        if finding is not None and finding.pvalue[one] < FIRM:
            middle = 0.0 if check == "drift" else 0.5
            notes.append(line[0] if finding.statistic[one] > middle else line[1])
    far = by_check.get("distance")
    if far is not None and abs(far.statistic[one]) > FAR and far.pvalue[one] < FIRM:
        notes.append("more lenient than the others" if far.statistic[one] > 0 else "stricter than the others")
    return notes
