"""What is wrong with a study file: every problem with its file, its line, and what to change."""

from __future__ import annotations

import difflib
import re
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

PER_FILE = 1000
"""A file of another format has a problem on every line; nobody reads more than this many."""


SHOWN = 3
"""Of problems of one sort in a file."""

_QUOTED = re.compile(r"“[^”]*”|\d+")


class Problem(NamedTuple):
    """``file`` is the name within the study; ``line`` counts from 1, None where the whole file is meant."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" if place else self.message


class StudyFileProblems(ValueError):
    """The study file cannot be used; ``problems`` says why, in the order of its files and lines."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Problems:
    """Collects problems while reading goes on."""

    def __init__(self, *, seconds: float | None = None) -> None:
        self._found: list[Problem] = []
        self._counts: Counter[str] = Counter()
        self._seconds = seconds
        self._begun = time.monotonic()

    def watch_the_clock(self) -> None:
        """End the reading of what takes too long, where somebody waits for it."""
        if self._seconds is not None and time.monotonic() - self._begun > self._seconds:
            words = (
                f"Reading the study takes more than {self._seconds:.0f} seconds, more than this server takes. "
                "Split it into several, or import it on the server."
            )
            raise StudyFileProblems([Problem("", None, words)])

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, file: str, line: int | None, message: str) -> None:
        self._counts[file] += 1
        if self._counts[file] <= PER_FILE:
            # What it quotes may be no text (half a character), which no page, answer or terminal could show.
            shown = message.encode(errors="backslashreplace").decode()
            self._found.append(Problem(file, line, shown))

    def enough(self, file: str) -> bool:
        """Whether so many problems of this file are known that reading on would help nobody."""
        return self._counts[file] >= PER_FILE

    def concerns(self, file: str) -> bool:
        """Whether there is a problem in this file."""
        return self._counts[file] > 0

    def raise_if_any(self) -> None:
        """Files in the order in which they were first complained about, lines in order."""
        if not self._found:
            return
        rank = {file: index for index, file in enumerate(self._counts)}
        ordered = collapsed(sorted(self._found, key=lambda problem: (rank[problem.file], problem.line or 0)))
        more = [
            Problem(
                file,
                None,
                f"there are more than these {PER_FILE:,} problems in this file; it was not read to its end.",
            )
            for file, count in self._counts.items()
            if count >= PER_FILE
        ]
        raise StudyFileProblems(ordered + more)


def collapsed(problems: Iterable[Problem]) -> list[Problem]:
    """Problems of one sort in many lines of a file, as the first few and how many more there are, and where."""
    found = list(problems)
    sorts: dict[tuple[str, str], list[Problem]] = {}
    for problem in found:
        sorts.setdefault(_sort(problem), []).append(problem)
    kept: list[Problem] = []
    seen: Counter[tuple[str, str]] = Counter()
    for problem in found:
        sort = _sort(problem)
        seen[sort] += 1
        if seen[sort] <= SHOWN or len(sorts[sort]) <= SHOWN + 2:
            kept.append(problem)
        elif seen[sort] == SHOWN + 1:
            kept.append(_rest(sorts[sort][SHOWN:]))
    return kept


def _sort(problem: Problem) -> tuple[str, str]:
    """What is the same of problems that differ only in what they quote."""
    return problem.file, _QUOTED.sub("“”", problem.message)


def _rest(more: list[Problem]) -> Problem:
    lines = [problem.line for problem in more if problem.line is not None]
    where = f" (lines {lines[0]:,} to {lines[-1]:,})" if lines else ""
    return Problem(more[0].file, more[0].line, f"the same in {len(more):,} more lines{where}.")


def suggestion(word: str, known: Iterable[str]) -> str:
    """“; did you mean “x”?” if something known looks alike, else what there is."""
    words = list(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f"; did you mean “{close[0]}”?"
    if not words:
        return "."
    listed = ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
    return f"; there are {listed}." if len(words) > 1 else f"; there is {listed}."
