"""How tools count characters. Ours: code points of the text as it is stored, from 0, end exclusive, never normalised.

A browser counts UTF-16, in which a character beyond U+FFFF is two; some tools count from 1, some name the last character instead of
the one behind it, and some count bytes of UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass

from metrics.errors import BadInput


@dataclass(frozen=True)
class Counting:
    """A way of counting: what is counted, what the first one is called, and whether the end is in the span."""

    encoding: str = ""
    """"" counts code points."""
    width: int = 1
    """Bytes of one step in that encoding."""
    first: int = 0
    inclusive: bool = False

    def size(self, text: str) -> int:
        return len(text.encode(self.encoding)) // self.width if self.encoding else len(text)

    def read(self, text: str, start: int, end: int) -> tuple[int, int]:
        """A span as this tool writes it, in code points, end exclusive.

        >>> UTF16_INCLUSIVE.read("🚢 waits", 3, 7)
        (2, 7)
        """
        bounds = self.places(text)
        behind = end - self.first + (1 if self.inclusive else 0)
        found = []
        for bound in (start - self.first, behind):
            if bound not in bounds:
                raise BadInput(
                    f"expected bounds of whole characters in a text of {self.size(text)}, found {start} and {end}"
                )
            found.append(bounds[bound])
        if found[0] >= found[1]:
            raise BadInput(f"expected a span that begins before it ends, found {start} and {end}")
        return found[0], found[1]

    def write(self, text: str, start: int, end: int) -> tuple[int, int]:
        """A span in code points, as this tool writes it.

        >>> UTF16_INCLUSIVE.write("🚢 waits", 2, 7)
        (3, 7)
        """
        if not 0 <= start < end <= len(text):
            raise BadInput(f"expected a span within a text of {len(text)} characters, found {start}:{end}")
        first, behind = self.size(text[:start]), self.size(text[:end])
        return first + self.first, behind + self.first - (1 if self.inclusive else 0)

    def places(self, text: str) -> dict[int, int]:
        """Every place between characters, counted this way, as a place in code points."""
        if not self.encoding:
            return {place: place for place in range(len(text) + 1)}
        places, step = {0: 0}, 0
        for place, character in enumerate(text, start=1):
            step += len(character.encode(self.encoding)) // self.width
            places[step] = place
        return places


CODE_POINTS = Counting()
UTF16 = Counting("utf-16-le", 2)
UTF16_INCLUSIVE = Counting("utf-16-le", 2, inclusive=True)
"""Appraise and Pearmut."""
XSUM = Counting(first=1)
UTF8_BYTES = Counting("utf-8")
