"""Texts made worse on purpose, by which one can tell who reads: pure, seeded, in any script.

How many words are changed depends on the length of the text, as for the “bad references” of Graham, Baldwin, Moffat and Zobel
(2017, Natural Language Engineering 23(1)) and of WMT's direct assessment since 2016. Of words that stand in a row, the first and the
last of the text stay where they are if it is longer than three words. Scripts without spaces count letters, and twice as many
of them are changed, as in Appraise's ``create_wmt19_tasks.py`` (which stops at six words, however long the text is).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from annotation.checks import METHODS, Method
from annotation.tasks.spans import Part, word_bounds

TRIES = 30
_SPACES = " \t\u00a0"
_UP_TO = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # words of the text, words changed


def words_changed(words: int, *, letters: bool = False) -> int:
    """How many words of a text are changed; of one that is written without spaces, how many letters.

    >>> [words_changed(words) for words in (1, 4, 8, 15, 20, 40, 100)]
    [1, 2, 3, 4, 5, 10, 25]
    """
    number = next((changed for most, changed in _UP_TO if words <= most), words // 4)
    return min(words, 2 * number) if letters else number


def degraded_text(
    text: str,
    others: Sequence[str],
    *,
    methods: Sequence[Method] = METHODS,
    rng: random.Random,
    fits: Callable[[str], bool] = lambda made: True,
) -> str | None:
    """The text made worse by one of the methods, drawn; None where none of them can.

    ``others`` are the other texts on the same item: words come from them, and none of them is what comes out. ``fits`` may
    refuse what would tell a page apart from others, and another is drawn.
    """
    taken = {_plain(one) for one in (text, *others)}
    for attempt in range(TRIES):
        # Every method has its turn, so that a text for which one cannot work is left to the others.
        method = rng.choice(methods) if attempt % 2 == 0 else methods[attempt // 2 % len(methods)]
        made = _MAKERS[method](text, others, rng)
        if made is not None and _plain(made) not in taken and made.strip() and fits(made):
            return made
    return None


def degraded_units(
    units: Sequence[str],
    others: Sequence[str],
    *,
    methods: Sequence[Method] = METHODS,
    rng: random.Random,
) -> list[str] | None:
    """The same for a text in units, whose number stays: words are changed within as many units as it takes.

    The share of changed words is that of the whole text, in one unit after another, the longest first among equals by chance.
    """
    wanted = _number("\n".join(units))
    made, changed = list(units), 0
    order = sorted(range(len(units)), key=lambda place: (-len(word_bounds(units[place])), rng.random()))
    for place in order:
        if changed >= wanted:
            break
        unit = degraded_text(units[place], others, methods=methods, rng=rng)
        if unit is not None:
            made[place] = unit
            changed += _number(units[place])
    taken = {_plain(one) for one in ("\n".join(units), *others)}
    return None if not changed or _plain("\n".join(made)) in taken else made


def _plain(text: str) -> str:
    return " ".join(text.split())


def _number(text: str) -> int:
    bounds = word_bounds(text)
    return words_changed(len(bounds), letters=_is_unspaced(text, bounds)) if bounds else 0


def _is_unspaced(text: str, bounds: Sequence[Part]) -> bool:
    """Whether most words touch the next: then they are letters."""
    touching = sum(end == start for (_, end), (start, _) in pairwise(bounds))
    return 2 * touching > len(bounds)


def _run(text: str, rng: random.Random, *, least: int = 1) -> list[Part]:
    """The words in a row that are changed; not the first or the last of a text that is longer than three."""
    bounds = word_bounds(text)
    number = max(least, _number(text))
    inner = bounds[1:-1] if len(bounds) > 3 else bounds
    number = min(number, len(inner))
    if number < least:
        return []
    start = rng.randrange(len(inner) - number + 1)
    return list(inner[start : start + number])


def _dropped(text: str, others: Sequence[str], rng: random.Random) -> str | None:
    """Without some of its words, here and there. One word is left at least."""
    bounds = word_bounds(text)
    inner = bounds[1:-1] if len(bounds) > 3 else bounds
    number = min(_number(text), len(inner), len(bounds) - 1)
    if number < 1:
        return None
    gone = sorted(rng.sample(range(len(inner)), number))
    for start, end in (inner[place] for place in reversed(gone)):
        # The white space before a word goes with it, unless that is a line break; at the beginning that behind it.
        before, behind = text[:start].rstrip(_SPACES), text[end:]
        text = before + (behind if before else behind.lstrip(_SPACES))
    return text


def _shuffled(text: str, others: Sequence[str], rng: random.Random) -> str | None:
    """With words in a row in another order, all of them elsewhere if that can be."""
    run = _run(text, rng, least=2)
    words = [text[start:end] for start, end in run]
    if len(set(words)) < 2:
        return None
    best = words
    for _ in range(8):
        order = rng.sample(words, len(words))
        if _moved(order, words) > _moved(best, words):
            best = order
    return _with(text, run, best) if best != words else None


def _moved(order: Sequence[str], words: Sequence[str]) -> int:
    return sum(one != other for one, other in zip(order, words, strict=True))


def _replaced(text: str, others: Sequence[str], rng: random.Random) -> str | None:
    """With words in a row taken from another text on the same item: other words than stood there."""
    run = _run(text, rng)
    words = [text[start:end] for start, end in run]
    usable = [bounds for other in others if (bounds := [other[a:b] for a, b in word_bounds(other)])]
    if not run or not usable:
        return None
    source = rng.choice(usable)
    number = min(len(words), len(source))
    begins = list(range(len(source) - number + 1))
    rng.shuffle(begins)
    best = max(begins[:16], key=lambda begin: _moved(source[begin : begin + number], words[:number]))
    found = source[best : best + number]
    if _moved(found, words[:number]) * 2 < number:
        return None  # the other text says the same here
    return _with(text, run, [*found, *words[number:]])


def _with(text: str, run: Sequence[Part], words: Sequence[str]) -> str:
    """Other words at these places; all white space stays."""
    for (start, end), word in reversed(list(zip(run, words, strict=True))):
        text = text[:start] + word + text[end:]
    return text


_MAKERS: dict[Method, Callable[[str, Sequence[str], random.Random], str | None]] = {
    "drop": _dropped,
    "shuffle": _shuffled,
    "replace": _replaced,
}
