"""The stop list of ROUGE-1.5.5, which serves all metrics (the 626 words of Soricut & Brill are lost)."""

from __future__ import annotations

from functools import cache

from metrics.automatic.text import data


@cache
def stop_words() -> frozenset[str]:
    """The 598 lines of the list, lower case."""
    return frozenset(data.lines("stopwords.txt"))


def is_stop_word(token: str) -> bool:
    """Whether a token is in the list, whatever its case."""
    return token.lower() in stop_words()
