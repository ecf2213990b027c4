"""Counting n-grams, for all families that compare them; a text keeps its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from metrics.automatic.text.prepared import Text

Ngram = tuple[str, ...]


def ngrams(tokens: Sequence[str], n: int) -> Counter[Ngram]:
    """How often each n-gram occurs."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def ngrams_of(text: Text, tokens: Sequence[str], n: int, *, setting: Hashable) -> Counter[Ngram]:
    """The n-grams of a text; ``setting`` says how its tokens were made, so that each is counted once."""
    counts: Counter[Ngram] = text.remember(("ngrams", setting, n), lambda _: ngrams(tokens, n))
    return counts


def clipped(ours: Mapping[Ngram, int], theirs: Mapping[Ngram, int]) -> int:
    """How many n-grams the two have in common, each as often as in the one that has it less often."""
    fewer, more = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    return sum(min(count, more[ngram]) for ngram, count in fewer.items() if ngram in more)
