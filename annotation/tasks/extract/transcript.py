"""A transcript as lines: who speaks and when, where the text says so, and the heads between them, which nobody can take."""

from __future__ import annotations

import re
from typing import NamedTuple

from annotation.tasks.terms import Text
from annotation.units import cut

_HEAD = re.compile(r"#+\s+(?P<text>\S.*)", re.DOTALL)
_TIME = re.compile(r"\[(?P<time>\d{1,3}(?::\d\d){1,2}(?:\.\d+)?)\]\s*(?P<rest>\S.*)", re.DOTALL)
_SPEAKER = re.compile(r"(?P<speaker>[^:\s][^:\n]{0,39}):\s+(?P<rest>\S.*)", re.DOTALL)


class Line(NamedTuple):
    number: int  # of the document's units, from 1
    text: str
    speaker: str = ""
    time: str = ""
    head: bool = False


def lines_of(document: Text, language: str) -> list[Line]:
    """Its units, one a line."""
    units = document.units or tuple(cut(document.text, language))
    lines = [_line(number, unit.strip()) for number, unit in enumerate(units, start=1)]
    spoken = [line for line in lines if not line.head]
    said = [_SPEAKER.fullmatch(line.text) for line in spoken]
    # A colon in prose is no speaker: where people speak, most lines say who.
    if 2 * sum(map(bool, said)) < len(spoken):
        return lines
    names = {
        line.number: line._replace(speaker=found["speaker"], text=found["rest"])
        for line, found in zip(spoken, said, strict=True)
        if found
    }
    return [names.get(line.number, line) for line in lines]


def _line(number: int, unit: str) -> Line:
    if head := _HEAD.fullmatch(unit):
        return Line(number, head["text"], head=True)
    if timed := _TIME.fullmatch(unit):
        return Line(number, timed["rest"], time=timed["time"])
    return Line(number, unit)
