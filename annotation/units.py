"""Cut a text into units: sentences, in any script.

Nothing is lost: a unit is a stretch of the text without the white space around it, and the units in order hold every
other character. Three steps decide where to cut:

1. Lines. A blank line ends a unit, and so does a line break that was meant: after a headline, before a list item.
   A break that only wraps a paragraph to some width does not.
2. Signs that end a sentence and nothing else, in the scripts that have them (。 । ؟ ። …).
3. nupunkt, for full stop, question and exclamation mark, with what it does not know of languages other than English:
   ordinal numbers (am 3. Mai) and common abbreviations (Mme., Sr., ул.).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from nupunkt import PunktSentenceTokenizer, load_default_model

from annotation.errors import Refused
from annotation.words import phrase

Span = tuple[int, int]

MAX_UNITS = 20_000  # of a text: a long novel. Each is a row of a page, which would otherwise take all memory of whoever makes it

# Unicode's Sentence_Terminal signs beyond . ! ? that are in use; the full-width stop also divides decimals.
_ENDS = "\u037e։؞؟۔܀܁܂߹।॥။።፧፨᙮។៕᠃᠉᥄᥅‼‽⁇⁈⁉。｡！？﹒﹖﹗．᰻᰼꓿꘎꘏꛳꛷꡶꡷꣎꣏꧈꧉꩝꩞꩟꫰꫱꯫"
_CLOSERS = "\"'”’»›」』）)］]】〉》〕〗〙〛｝}“‘"
_TERMINATOR = re.compile(
    rf"(?:(?<![0-9０-９])．|．(?![0-9０-９])|[{_ENDS.replace('．', '')}])[{_ENDS}!?.]*([{re.escape(_CLOSERS)}]*)"
)

_NEWLINE = re.compile(r"\r\n|[\n\r\u2028\u2029\x85\v\f]")
_BULLET = re.compile(r"(?:[-–—*•‣▪◦·]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|[-–—*•‣▪◦·]")
# Columns: nobody wraps prose more narrowly, and shorter lines are headlines, lists or verse.
_NARROWEST_WRAP = 40

# Languages that write an ordinal number with a full stop.
_ORDINALS = re.compile("bs|cs|da|de|et|eu|fi|hr|hu|is|lv|nb|nn|no|pl|sk|sl|sr|tr")
_ORDINAL = re.compile(r"(?:^|[\s(\[])(?:\d{1,2}|[IVX]+)\.$")

# Only what a name or a number usually follows: “usw.” and “etc.” end many sentences.
_ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "de": "abs art bd bsp bzw ca dipl dr evtl fr geb gest hl hr hrn inkl ing kap mag nr prof sog st str tel vgl",
        "es": "art av cap dr dra excmo fig gral lic núm pág prof profa sr sra sres srta sta sto tel ud uds",
        "fr": "art av bd chap cf dr éd fig m mm mgr mlle mme no st ste vol",
        "it": "art avv cap dott egr fig gent ing on pag prof rag sig sigg spett tel",
        "nl": "art blz bv ca dhr dr drs fig ing incl ir jl mevr nr prof resp st tel zgn",
        "pl": "art dr hab inż lek mgr np nr płk pkt prof rys str tab tel ul zob",
        "pt": "art av cap dr dra eng exmo fig núm pág prof profa sr sra srta tel",
        "ru": "акад гл гор доц им напр обл пер пл проф просп рис см ст стр табл тел ул",
    }.items()
}
# nupunkt takes some plain English words (row, week, story, tasks) for abbreviations. A word in small letters before a
# capital ends its sentence, unless it is one of these.
_PLAIN_END = re.compile(
    r"(?<![\w.&/-])(?!(?:approx|art|ave|capt|cf|col|dept|dist|ed|eds|esp|est|etc|fig|figs|gen|gov|inc|no|nos|prof"
    r"|ref|refs|rep|resp|rev|sec|sen|sgt|tel|univ|viz|vol|vols|vs)\.)[a-z]{3,}\.(?=\s+[“‘\"'(]?[A-Z])"
)
_LAST_WORD = re.compile(r"(\w+)\.$")


def cut(text: str, language: str = "en") -> list[str]:
    """The units of a text, in order; none if it is blank. ``language`` is a BCP 47 tag."""
    tongue = language.lower().replace("_", "-").split("-")[0]
    return [
        text[start:end]
        for block in _blocks(text)
        for start, end in _whole(text, list(_sentences(text, block, tongue)))
    ]


def not_too_many(units: Sequence[str]) -> None:
    """Refuse a text that falls into more units than a page can show."""
    if len(units) > MAX_UNITS:
        raise Refused(
            phrase(
                "The text that begins “{beginning}” would fall into too many units: {count}, where {most} are possible. Shorten it, or give it in "
                "larger units.",
                beginning=units[0][:40],
                count=f"{len(units):,}",
                most=f"{MAX_UNITS:,}",
            )
        )


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _split(text: str, span: Span, cuts: list[int]) -> Iterator[Span]:
    """The parts of a span between the cuts, without those that are blank."""
    for edges in pairwise([span[0], *sorted(cuts), span[1]]):
        start, end = _trimmed(text, *edges)
        if start < end:
            yield start, end


# --- lines ----------------------------------------------------------------------------------------------------------


def _blocks(text: str) -> list[Span]:
    """Stretches that no sentence crosses: paragraphs, headlines, list items."""
    breaks = list(_NEWLINE.finditer(text))
    edges = [0, *(found.end() for found in breaks), len(text)]
    lines = [_trimmed(text, start, end) for start, end in pairwise(edges)]
    width = max((end - start for start, end in lines), default=0)
    cased = text != text.lower()
    cuts = [
        edges[index + 1]
        for index, (line, following) in enumerate(pairwise(lines))
        if _is_meant(text[slice(*line)], text[slice(*following)], width=width, cased=cased)
    ]
    return list(_split(text, (0, len(text)), cuts))


def _is_meant(line: str, following: str, *, width: int, cased: bool) -> bool:
    """Whether the break between two lines was meant, and is not there for the width of the page only.

    ``cased``: the text has capitals, so that a small letter at the start of a line says that a sentence goes on.
    """
    if not line or not following or _BULLET.match(following):
        return True
    if cased and following[0].islower() and not line.endswith((".", "!", "?", ":")):
        return False
    first_word = following.split(maxsplit=1)[0] if " " in following else following[0]
    was_needed = len(line) + 1 + len(first_word) > width
    return width < _NARROWEST_WRAP or not was_needed


# --- sentences ------------------------------------------------------------------------------------------------------


def _sentences(text: str, block: Span, language: str) -> Iterator[Span]:
    for start, end in _split(text, block, list(_terminators(text, block, language))):
        cuts = [start + found for _, found in _tokenizer().span_tokenize(text[start:end])]
        if language == "en":
            cuts += [found.end() for found in _PLAIN_END.finditer(text, start, end)]
        spans = list(_split(text, (start, end), cuts))
        yield from _mended(text, spans, language)


def _terminators(text: str, block: Span, language: str) -> Iterator[int]:
    """Where a sign of another script ends a sentence."""
    for found in _TERMINATOR.finditer(text, *block):
        following = text[found.end() : found.end() + 1]
        # A quotation within its sentence goes on at once: 「はい。」と言った。
        if found[1] and following.isalnum():
            continue
        yield found.end()
    if language == "el":
        yield from (found.end() for found in re.compile(r";(?=\s)").finditer(text, *block))


@lru_cache(maxsize=1)
def _tokenizer() -> PunktSentenceTokenizer:
    return load_default_model()


def _mended(text: str, spans: list[Span], language: str) -> Iterator[Span]:
    """Join what nupunkt, which knows English, cuts wrongly."""
    joined: Span | None = None
    for span in spans:
        if joined is None:
            joined = span
        elif _goes_on(text[slice(*joined)], text[slice(*span)], language):
            joined = joined[0], span[1]
        else:
            yield joined
            joined = span
    if joined is not None:
        yield joined


def _goes_on(before: str, after: str, language: str) -> bool:
    """Whether ``after`` belongs to the sentence that ``before`` begins."""
    if not before.endswith("."):
        # “Yahoo! bought it”, « Quoi ? » dit-il; but a text all in small letters has no other sign of a new sentence.
        return _small(after) and not _first_letter(before).islower()
    if language == "en":
        return False
    if _small(after) and not _first_letter(before).islower():
        return True
    if _ORDINALS.fullmatch(language) and _ORDINAL.search(before):
        return True
    word = _LAST_WORD.search(before)
    return bool(word and word[1].lower() in _ABBREVIATIONS.get(language, ()))


def _small(text: str) -> bool:
    """Whether the text begins with a small letter, perhaps after the dash of direct speech."""
    return text.lstrip("—–- ")[:1].islower()


def _first_letter(text: str) -> str:
    return next((sign for sign in text if unicodedata.category(sign).startswith("L")), "")


def _whole(text: str, spans: list[Span]) -> Iterator[Span]:
    """Join what is no unit of its own: a number of a list with its item, stray signs with what they follow."""
    joined: list[Span] = []
    for span in spans:
        piece = text[slice(*span)]
        if joined and (
            _ENUMERATOR.fullmatch(text[slice(*joined[-1])]) or not any(sign.isalnum() for sign in piece)
        ):
            joined[-1] = joined[-1][0], span[1]
        else:
            joined.append(span)
    yield from joined
