"""How a sentence becomes words: the four tokenisations of Leusch et al. (2005, Table 1), and ROUGE's own.

- ``original``: what stands between spaces.
- ``remove``: every punctuation mark and symbol (in any script) separates words and is dropped.
- ``mteval``: punctuation marks are words of their own, but for decimal points, apostrophes and hyphens
  inside a word (NIST's mteval, as sacreBLEU's ``13a`` has it).
- ``contractions``: common English contractions and abbreviations are written out first (in small letters,
  as in Table 1), then ``mteval``.
- ``zh``, ``ja-mecab``, ``char``: sacreBLEU's for Chinese (characters of Chinese apart, all else as ``mteval``), for Japanese
  (MeCab, to be installed as ``sacrebleu[ja]``) and for any language without spaces (every character).
- ``rouge``: runs of ASCII letters and digits, small letters, as ROUGE-1.5.5 reads a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Literal

from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from metrics.automatic.text import data
from metrics.errors import BadInput

Tokenisation = Literal["original", "remove", "mteval", "contractions", "rouge", "zh", "ja-mecab", "char"]

_ASCII_WORD = re.compile(rb"[a-z0-9]+")
_MTEVAL = Tokenizer13a()

# After these words 's is "is" and 'd is "would"; after any other 's may be a genitive, and is left alone.
_PRONOUNS = r"(?:he|she|it|that|there|here|what|who|where|when|how|why)"
_SUBJECTS = r"(?:i|you|he|she|it|we|they|who|that|there)"
_CONTRACTIONS = (
    (re.compile(r"\b([a-z]+)n't\b", re.IGNORECASE), "not"),
    (re.compile(r"\b([a-z]+)'re\b", re.IGNORECASE), "are"),
    (re.compile(r"\b([a-z]+)'ve\b", re.IGNORECASE), "have"),
    (re.compile(r"\b([a-z]+)'ll\b", re.IGNORECASE), "will"),
    (re.compile(rf"\b({_SUBJECTS})'d\b", re.IGNORECASE), "would"),
    (re.compile(rf"\b({_PRONOUNS})'s\b", re.IGNORECASE), "is"),
)


def original(sentence: str) -> list[str]:
    """The words between spaces."""
    return sentence.split()


def remove(sentence: str) -> list[str]:
    """The words between spaces, punctuation marks and symbols."""
    return sentence.translate(_MARKS_AS_SPACES).split()


def mteval(sentence: str) -> list[str]:
    """Words and punctuation marks."""
    tokens: list[str] = _MTEVAL(sentence).split()
    return tokens


def contractions(sentence: str) -> list[str]:
    """Words and punctuation marks, contractions and abbreviations written out."""
    return mteval(expanded(sentence))


def chinese(sentence: str) -> list[str]:
    """sacreBLEU's ``zh``."""
    return str(_sacrebleu("zh")(sentence)).split()


def japanese(sentence: str) -> list[str]:
    """sacreBLEU's ``ja-mecab``."""
    return str(_sacrebleu("ja-mecab")(sentence)).split()


def characters(sentence: str) -> list[str]:
    """sacreBLEU's ``char``."""
    return str(_sacrebleu("char")(sentence)).split()


@cache
def _sacrebleu(name: str) -> Callable[[str], str]:
    """One of sacreBLEU's own tokenisers, made when it is first needed: MeCab loads a dictionary."""
    module, maker = {
        "zh": ("tokenizer_zh", "TokenizerZh"),
        "char": ("tokenizer_char", "TokenizerChar"),
        "ja-mecab": ("tokenizer_ja_mecab", "TokenizerJaMecab"),
    }[name]
    try:
        found: Callable[[str], str] = getattr(import_module(f"sacrebleu.tokenizers.{module}"), maker)()
    except (ImportError, RuntimeError) as problem:
        raise BadInput(f"{name} needs MeCab: pip install 'sacrebleu[ja]'") from problem
    return found


def rouge(sentence: str) -> list[str]:
    """Runs of ASCII letters and digits; only ASCII letters are made small, so no other sign can become
    one."""
    return [word.decode("ascii") for word in rouge_bytes(sentence)]


def rouge_bytes(sentence: str) -> list[bytes]:
    """The words of :func:`rouge` as bytes, which the counting of ROUGE takes."""
    return _ASCII_WORD.findall(sentence.encode("utf-8", "replace").lower())


def expanded(sentence: str) -> str:
    """The sentence with its contractions and abbreviations written out in small letters."""
    sentence = sentence.replace("’", "'")
    sentence = _listed_forms().sub(lambda found: _long_forms()[found[0].lower()], sentence)
    for pattern, word in _CONTRACTIONS:
        sentence = pattern.sub(partial(_two_words, word), sentence)
    return sentence


def _two_words(second: str, found: re.Match[str]) -> str:
    return f"{found[1].lower()} {second}"


@cache
def _long_forms() -> dict[str, str]:
    return data.pairs("contractions.tsv")


@cache
def _listed_forms() -> re.Pattern[str]:
    forms = sorted(_long_forms(), key=len, reverse=True)
    return re.compile(rf"(?<![\w'.])(?:{'|'.join(map(re.escape, forms))})(?!\w)", re.IGNORECASE)


class _MarksAsSpaces(dict[int, str]):
    """Every character that Unicode calls punctuation or a symbol; vowel signs and accents belong to their
    words. A character is looked up when a text has it: there are a million."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = " " if unicodedata.category(character)[0] in "PS" else character
        return self[code]


_MARKS_AS_SPACES = _MarksAsSpaces()


TOKENISERS: dict[Tokenisation, Callable[[str], list[str]]] = {
    "original": original,
    "remove": remove,
    "mteval": mteval,
    "contractions": contractions,
    "rouge": rouge,
    "zh": chinese,
    "ja-mecab": japanese,
    "char": characters,
}
