"""Spans of texts, for kinds in which people select words: code points of the text as stored, from 0, the end exclusive.

A text is never normalised. Browsers count in UTF-16, and convert at their edge (``static/assess/offsets.js``); what a person sees as
one character, a grapheme cluster (Unicode Annex 29), is never cut. The clusters here are those of the ``regex`` package; where a
newer version of the annex joins more of them (conjuncts of Indic scripts), a browser takes more, and nothing is refused for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

import regex

from metrics.cells import Parts, parts_rise, span_written

Part = tuple[int, int]

LOOKED_AT = 1_000  # characters of a part: a sentence about it shows only its beginning

# Scripts that put no spaces between words.
_UNSPACED = "".join(
    rf"\p{{{script}}}"
    for script in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
)
_WORD = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|[^\s{_UNSPACED}]+")


def graphemes(text: str) -> list[str]:
    """The clusters of a text, in order; joined they are the text.

    >>> [len(cluster) for cluster in graphemes("e\\u0301👩‍✈️")]
    [2, 4]
    """
    return regex.findall(r"\X", text)


def edges(text: str) -> list[int]:
    """Where a span may begin or end: between clusters, and at both ends."""
    return [0, *accumulate(len(cluster) for cluster in graphemes(text))]


def grown(text: str, start: int, end: int) -> Part:
    """The smallest span of whole clusters around this one.

    >>> grown("cafe\\u0301s", 4, 5)
    (3, 5)
    """
    return Ground(text).grown(start, end)


class Ground:
    """A text in which spans are marked. Where its characters end is found once, however many spans an answer has."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _edges(self) -> bytearray:
        """A byte for each place, 1 at edges: a study may have texts of millions of characters, all of which are looked at."""
        found = bytearray(len(self.text) + 1)
        for edge in edges(self.text):
            found[edge] = 1
        return found

    def grown(self, start: int, end: int) -> Part:
        """The smallest span of whole clusters around this one."""
        return self._edges.rfind(1, 0, start + 1), self._edges.find(1, end)

    def fault(self, parts: Parts) -> str:
        """What is wrong with the parts of a span of this text, in words; nothing if they are right."""
        if not parts:
            return "no words are marked"
        if not parts_rise(parts):
            return f"the parts {span_written(parts)} do not rise, or touch each other"
        if parts[0][0] < 0 or parts[-1][1] > len(self.text):
            return f"{span_written(parts)} goes beyond the text, which has {len(self.text)} characters"
        for start, end in parts:
            if not (self._edges[start] and self._edges[end]):
                wide = ":".join(map(str, self.grown(start, end)))
                return f"{start}:{end} cuts a character in two; take {wide}"
        return ""


def parts_fault(text: str, parts: Parts) -> str:
    """The same of one span. Of a text that is asked about again at once, as in files of errors, nothing is found anew."""
    return _last(text).fault(parts)


@lru_cache(maxsize=1)
def _last(text: str) -> Ground:
    return Ground(text)


class Marked:
    """Which characters of a text are marked so far: spans may be thousands, and are not compared one by one."""

    def __init__(self, length: int) -> None:
        self._marks = bytearray(length)

    def meets(self, parts: Parts) -> bool:
        """Whether one of these characters is marked already."""
        return any(self._marks.find(1, start, end) >= 0 for start, end in parts)

    def mark(self, parts: Parts) -> None:
        for start, end in parts:
            self._marks[start:end] = b"\x01" * (end - start)


def words_of(text: str, parts: Iterable[Part], *, most: int = 40) -> str:
    """What a span says, short enough for a sentence about it."""
    words = " … ".join(" ".join(text[start : min(end, start + LOOKED_AT)].split()) for start, end in parts)
    return words if len(words) <= most else "".join(graphemes(words[:LOOKED_AT])[: most - 1]) + "…"


def word_count(text: str) -> int:
    """How many words a text has: what stands between spaces, and in scripts that put none every letter.

    >>> word_count("The ferry isn't late."), word_count("港は静か")
    (4, 4)
    """
    return len(word_bounds(text))


def word_bounds(text: str) -> Parts:
    """The words of a text: what stands between white space, and in scripts without spaces every character.

    >>> word_bounds("The port 港は")
    ((0, 3), (4, 8), (9, 10), (10, 11))
    """
    return tuple(found.span() for found in _WORD.finditer(text))


def overlap(first: Sequence[Part], second: Sequence[Part]) -> bool:
    """Whether two spans of one text share a character."""
    return any(start < other_end and other < end for start, end in first for other, other_end in second)
