"""Which reference length an error is divided by when there are several references (Leusch et al. 2005, §3.3).

- ``best``: the reference with the lowest error *rate* gives both distance and length;
- ``average``: the mean length of all references (NIST's rule);
- ``nearest``: the length nearest to that of the output, the shorter of two (BLEU's rule);
- ``average-nearest``: the mean length of the references at the lowest distance.

But for ``best``, the distance is the lowest over all references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

LengthRule = Literal["best", "average", "nearest", "average-nearest"]
LENGTH_RULES: tuple[LengthRule, ...] = get_args(LengthRule)


def distance_and_length(
    rule: LengthRule, *, output_length: int, distances: Sequence[float], lengths: Sequence[int]
) -> tuple[float, float]:
    """Distance and reference length of one output; ``lengths`` are those of its references, all above 0."""
    lowest = min(distances)
    if rule == "best":
        # Of references with one rate the shortest, so that their order does not matter.
        return min(zip(distances, lengths, strict=True), key=lambda found: (found[0] / found[1], found[1]))
    if rule == "average":
        return lowest, sum(lengths) / len(lengths)
    if rule == "nearest":
        return lowest, nearest_length(output_length, lengths)
    near = [length for distance, length in zip(distances, lengths, strict=True) if distance == lowest]
    return lowest, sum(near) / len(near)


def nearest_length(output_length: int, lengths: Sequence[int]) -> int:
    """The reference length nearest to that of the output, the shorter of two at one distance."""
    return min(lengths, key=lambda length: (abs(length - output_length), length))
