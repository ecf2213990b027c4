"""From hits and lengths of each reference to precision, recall and F of an output, as ROUGE-1.5.5 prints
them."""

from __future__ import annotations

import numpy as np

from metrics.automatic.rouge.batch import Ints, offsets, stretches
from metrics.automatic.rouge.counts import Counts, Floats
from metrics.automatic.rouge.lcs import WEIGHT

DIGITS = 5
"""The program rounds precision and recall to five decimals, and computes F of those."""


def measures(
    counts: Counts, first: Ints, *, kind: str, best: bool, jackknife: bool, alpha: float
) -> dict[str, Floats]:
    """``p``, ``r`` and ``f`` of each output; ``first`` says where its references begin among the pairs, and
    the end.

    By default hits and lengths are summed over references (the program's ``-f A``); ``best`` takes the
    reference with the best recall (``-f B``). ``jackknife`` evaluates with each reference left out in turn
    and averages; a single reference stays.
    """
    members, evaluations, first_evaluation = _evaluations(first, jackknife=jackknife)
    exponent = 1 / WEIGHT if kind.startswith("w") else 1.0
    pool = _best(counts, members, evaluations) if best else members
    starts = np.arange(len(evaluations) - 1) if best else evaluations[:-1]
    hits, reference, peer = (
        np.add.reduceat(values[pool], starts) for values in (counts.hits, counts.reference, counts.peer)
    )
    p, r = rounded(_share(hits, peer) ** exponent), rounded(_share(hits, reference) ** exponent)
    f = rounded(_share(p * r, (1 - alpha) * p + alpha * r))
    per_output = np.diff(first_evaluation)
    return {
        name: np.add.reduceat(value, first_evaluation[:-1]) / per_output
        for name, value in (("p", p), ("r", r), ("f", f))
    }


def _evaluations(first: Ints, *, jackknife: bool) -> tuple[Ints, Ints, Ints]:
    """The pairs that take part in each evaluation, where each evaluation begins, and where each output's
    begin."""
    number = np.diff(first)
    outputs = np.arange(len(number) + 1)
    if not jackknife:
        return np.arange(first[-1]), first, outputs
    # One evaluation per reference, of all the references of its output but that one.
    output_of = np.repeat(np.arange(len(number)), number)
    members, evaluation = stretches(first[output_of], number[output_of])
    kept = (members != evaluation) | (number[output_of[evaluation]] == 1)
    return members[kept], offsets(np.bincount(evaluation[kept], minlength=len(output_of))), first


def _best(counts: Counts, members: Ints, evaluations: Ints) -> Ints:
    """Of each evaluation's pairs the one with the best recall, the first of equals."""
    recall = _share(counts.hits[members], counts.size[members])
    evaluation = np.repeat(np.arange(len(evaluations) - 1), np.diff(evaluations))
    order = np.lexsort((-recall, evaluation))
    return members[order[evaluations[:-1]]]


def _share(part: Floats, whole: Floats) -> Floats:
    """Their quotient, and 0 where there is nothing to divide by: a text without words scores 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def rounded(values: Floats) -> Floats:
    """Rounded to five decimals as C's ``printf`` does it, which looks at the exact binary value."""
    scaled = values * 10**DIGITS
    result: Floats = np.round(scaled) / 10**DIGITS
    halves = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    result[halves] = [round(float(value), DIGITS) for value in values[halves]]
    return result
