"""Parses kept on disk, so that a text is parsed once, whatever the number of metrics and runs.

One SQLite file in the folder that ``TOUCHSTONE_PARSES`` names, else in the user's cache folder. The key is a hash of the text and of
the parser with its model and versions, so that another model never finds another's parses. The file can be deleted at any
time. Where it cannot be written, everything works without it, only slower the second time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

FOLDER = "TOUCHSTONE_PARSES"
FILE = "parses.sqlite3"
_BATCH = 2000

Sentences = tuple[str, ...]


def default_folder() -> Path | None:
    """Where parses are kept; None for a user without a home."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named)
    with suppress(RuntimeError):
        cache = os.environ.get("XDG_CACHE_HOME")
        return (Path(cache) if cache else Path.home() / ".cache") / "touchstone"
    return None


class ParseStore:
    """What a parser made of texts, as plain JSON values."""

    def __init__(self, parser: str, folder: Path | None = None) -> None:
        self.parser = parser
        self._folder = default_folder() if folder is None else folder

    def get(
        self,
        texts: Iterable[Sentences],
        make: Callable[[Sequence[Sentences]], Iterable[object]],
    ) -> dict[Sentences, object]:
        """What is known of each text; the unknown ones go to ``make``, and what it gives is kept."""
        wanted = {text: _key(self.parser, text) for text in texts}
        kept = self._read(list(wanted.values()))
        known = {text: kept[key] for text, key in wanted.items() if key in kept}
        unknown = [text for text in wanted if text not in known]
        fresh: dict[str, object] = {}
        for text, made in zip(unknown, make(unknown) if unknown else (), strict=True):
            known[text] = fresh[wanted[text]] = made
            if len(fresh) == _BATCH:
                # A long run that is broken off loses little.
                self._write(fresh)
                fresh = {}
        self._write(fresh)
        return known

    def _read(self, keys: Sequence[str]) -> dict[str, object]:
        found: dict[str, object] = {}
        try:
            if self._folder is None or not (self._folder / FILE).is_file():
                return found
            with closing(sqlite3.connect(self._folder / FILE, timeout=30)) as database:
                for start in range(0, len(keys), 500):
                    part = keys[start : start + 500]
                    marks = ",".join("?" * len(part))
                    rows = database.execute(
                        f"SELECT key, parse FROM parse WHERE key IN ({marks})",  # noqa: S608 — only question marks
                        part,
                    )
                    found |= {key: json.loads(zlib.decompress(blob)) for key, blob in rows}
        except (OSError, sqlite3.Error, zlib.error, ValueError):  # what cannot be read is made again
            return found
        return found

    def _write(self, parses: Mapping[str, object]) -> None:
        if self._folder is None or not parses:
            return
        rows = [(key, zlib.compress(json.dumps(made).encode(), 1)) for key, made in parses.items()]
        with suppress(OSError, sqlite3.Error):
            self._folder.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._folder / FILE, timeout=30)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS parse (key TEXT PRIMARY KEY, parse BLOB NOT NULL) WITHOUT ROWID"
                )
                database.executemany("INSERT OR REPLACE INTO parse VALUES (?, ?)", rows)


def _key(parser: str, text: Sentences) -> str:
    return hashlib.sha256(json.dumps([parser, *text]).encode("utf-8", "surrogatepass")).hexdigest()
