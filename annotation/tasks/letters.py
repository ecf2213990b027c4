"""The letters by which units are marked on pages where two texts are aligned, as ``static/assess/letters.js`` gives them too."""

from __future__ import annotations


def letter(index: int) -> str:
    """The name of a unit: a … z, then aa, ab …, zz, aaa …"""
    before, last = divmod(index, 26)
    return (letter(before - 1) if before else "") + chr(97 + last)
