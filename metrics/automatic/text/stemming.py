"""Porter's stemmer (Porter 1980) as its author distributes it, and the stemmers of ROUGE-1.5.5.

Three functions of a lower-case word:

- :func:`porter`: the algorithm with its author's later revisions (words of one or two letters stay; step 2
  has ``bli`` → ``ble`` and ``logi`` → ``log``), which NLTK calls ``MARTIN_EXTENSIONS``. The strict form of
  1980 would make "a" of "as".
- :func:`rouge_porter`: the same in ROUGE-1.5.5, where words of up to three letters stay and step 4 is a
  cascade, each rule applied to the result of the one before (agreement → agreem, governmental → govern).
- :func:`rouge_stem`: ROUGE's ``-m``: the exception table of WordNet 2.0 first (children → child), else
  ``rouge_porter``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from metrics.automatic.text import data

_CACHED = 1 << 18

# The forms [C](VC)^m[V] of Porter's paper; y is a vowel after a consonant.
_C = r"[^aeiou][^aeiouy]*"
_V = r"[aeiouy][aeiou]*"
_MORE_THAN_0 = re.compile(f"^(?:{_C})?{_V}{_C}")
_MORE_THAN_1 = re.compile(f"^(?:{_C})?{_V}{_C}{_V}{_C}")
_EXACTLY_1 = re.compile(f"^(?:{_C})?{_V}{_C}(?:{_V})?$")
_HAS_VOWEL = re.compile(f"^(?:{_C})?[aeiouy]")
_ENDS_CVC = re.compile(f"^{_C}[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
)


def _ending(suffixes: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the longest of these endings after a stem of at least one letter."""
    return re.compile(f"^(.+?)({'|'.join(suffixes)})$")


_ENDING_2 = _ending(tuple(_STEP_2))
_ENDING_3 = _ending(tuple(_STEP_3))
_ENDING_4 = _ending((*_STEP_4, "ment", "ent"))
_CASCADE_4 = _ending(_STEP_4)
_MENT, _ENT = _ending(("ment",)), _ending(("ent",))
_ION = re.compile(r"^(.+?[st])(ion)$")


@lru_cache(_CACHED)
def porter(word: str) -> str:
    """Porter's stem of a lower-case word."""
    return _stem(word, _step_4) if len(word) > 2 else word


@lru_cache(_CACHED)
def rouge_porter(word: str) -> str:
    """The stem of ROUGE-1.5.5's Porter stemmer, without its exception table."""
    return _stem(word, _step_4_cascade) if len(word) > 3 else word


def rouge_stem(word: str) -> str:
    """The stem of ROUGE-1.5.5's ``-m``: its exception table, else its Porter stemmer."""
    if len(word) <= 3:
        return word
    return exceptions().get(word) or rouge_porter(word)


@cache
def exceptions() -> dict[str, str]:
    """The 5,930 irregular forms of WordNet 2.0 with their base forms."""
    return data.pairs("exceptions.tsv")


def _stem(word: str, step_4: Callable[[str], str]) -> str:
    # A y at the beginning is a consonant; as a capital it is not taken for a vowel below.
    word = "Y" + word[1:] if word[0] == "y" else word
    word = _step_1(word)
    word = _replaced(word, _ENDING_2, _STEP_2)
    word = _replaced(word, _ENDING_3, _STEP_3)
    word = step_4(word)
    word = _step_5(word)
    return "y" + word[1:] if word[0] == "Y" else word


def _step_1(word: str) -> str:
    """Plurals, -ed and -ing, and a final y."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 1 and word[-2] != "s":
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _MORE_THAN_0.match(word[:-3]) else word
    else:
        for suffix in ("ed", "ing"):
            stem = word.removesuffix(suffix)
            if stem != word:
                word = _repaired(stem) if _HAS_VOWEL.match(stem) else word
                break
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _repaired(stem: str) -> str:
    """What is left of a word without -ed or -ing, made a word again: hop(p), fil(e), conflat(e)."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _DOUBLE.search(stem):
        return stem[:-1]
    return stem + "e" if _ENDS_CVC.match(stem) else stem


def _replaced(word: str, ending: re.Pattern[str], replacements: dict[str, str]) -> str:
    """Steps 2 and 3: the longest ending, replaced where m > 0."""
    found = ending.match(word)
    if found and _MORE_THAN_0.match(found[1]):
        return found[1] + replacements[found[2]]
    return word


def _removed(word: str, ending: re.Pattern[str]) -> str:
    """The word without the ending, where m > 1 for what is left."""
    found = ending.match(word)
    return found[1] if found and _MORE_THAN_1.match(found[1]) else word


def _step_4(word: str) -> str:
    return _removed(word, _ENDING_4 if _ENDING_4.match(word) else _ION)


def _step_4_cascade(word: str) -> str:
    """ROUGE's own: the list without ment, ent and ion; then ment; then ent, or else ion after s or t."""
    word = _removed(word, _CASCADE_4)
    word = _removed(word, _MENT)
    return _removed(word, _ENT if word.endswith("ent") else _ION)


def _step_5(word: str) -> str:
    """A final e, and one l of two."""
    if word.endswith("e"):
        stem = word[:-1]
        if _MORE_THAN_1.match(stem) or (_EXACTLY_1.match(stem) and not _ENDS_CVC.match(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _MORE_THAN_1.match(word) else word
