"""What a backup says of itself."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict

MANIFEST = "manifest.json"
DATABASE = "touchstone.sqlite3"
TABLES = "tables/"
REPORTS = "reports/"
KEY = "secret.key"
FORMAT = 1
PIECE = 1024 * 1024


class Entry(BaseModel):
    """A file of the backup."""

    model_config = ConfigDict(extra="forbid")

    name: str
    size: int
    sha256: str


class Manifest(BaseModel):
    """``migrations``: which of each app the database has, so that a newer program can take it further."""

    model_config = ConfigDict(extra="forbid")

    format: int = FORMAT
    made_at: str
    vendor: str
    migrations: list[tuple[str, str]]
    rows: dict[str, int]
    entries: list[Entry]


def sha256_of(file: IO[bytes]) -> tuple[str, int]:
    """The checksum of what is left of the file, and its length."""
    digest, size = hashlib.sha256(), 0
    while piece := file.read(PIECE):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def files_below(folder: Path) -> list[Path]:
    """Plain files only: a link could lead out of the folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def put_in_place(draft: Path, target: Path) -> None:
    """In one step, and not over another: ``FileExistsError`` if there is one."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links, such as exFAT: nearly as good
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        draft.replace(target)


def folder_sync(folder: Path) -> None:
    """The names in it, that is: without this a file that was written may be nowhere after a power cut."""
    with suppress(OSError):  # some file systems of other machines do not know it
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
