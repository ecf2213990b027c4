"""Making a backup."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotation.backups.manifest import (
    DATABASE,
    KEY,
    MANIFEST,
    PIECE,
    REPORTS,
    TABLES,
    Entry,
    Manifest,
    files_below,
    folder_sync,
    put_in_place,
    sha256_of,
)
from annotation.backups.only_one import only_one
from annotation.errors import Refused

EPOCH = (1980, 1, 1, 0, 0, 0)


def backup_make(*, target: Path) -> Manifest:
    """Write a backup to a file that is not there yet: all of it or nothing."""
    if not target.parent.is_dir():
        raise Refused(f"There is no folder {target.parent}.")
    if os.path.lexists(target):  # which is a plain no where the name is too long
        raise Refused(f"There is a file {target} already. Choose another name.")
    with only_one():
        return _make(target)


def _make(target: Path) -> Manifest:
    for left in settings.DATA_DIR.glob(".backup-*"):  # of one that was killed
        shutil.rmtree(left, ignore_errors=True)
    try:
        with _draft_beside(target) as draft:
            with draft.open("w+b") as file:
                with zipfile.ZipFile(file, "w", compresslevel=3) as archive:
                    manifest = _write(archive)
                file.flush()
                os.fsync(file.fileno())
            put_in_place(draft, target)  # fails if somebody else has made it meanwhile
        folder_sync(target.parent)
    except FileExistsError:
        raise Refused(f"There is a file {target} already. Choose another name.") from None
    except OSError as problem:
        raise Refused(f"The backup could not be written: {problem.strerror or problem}.") from problem
    except (sqlite3.Error, DatabaseError) as problem:  # SQLite's own: the copy is made past Django
        raise Refused(f"The backup could not be written: {problem}.") from problem
    return manifest


@contextmanager
def _draft_beside(target: Path) -> Iterator[Path]:
    """A file that can become the target in one step, and is the owner's alone: it has the key."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _write(archive: zipfile.ZipFile) -> Manifest:
    entries: list[Entry] = []
    if connection.vendor == "sqlite":
        migrations, rows = _sqlite(archive, entries)
    else:
        migrations, rows = _postgresql(archive, entries)
    data: Path = settings.DATA_DIR
    if (data / KEY).is_file():
        _add(archive, data / KEY, KEY, entries)
    # Reports that are being made lie elsewhere, and appear whole.
    for path in files_below(data / "reports"):
        try:
            _add(archive, path, REPORTS + path.relative_to(data / "reports").as_posix(), entries)
        except FileNotFoundError:
            continue  # somebody is clearing up
    manifest = Manifest(
        made_at=timezone.now().isoformat(),
        vendor=connection.vendor,
        migrations=migrations,
        rows=rows,
        entries=entries,
    )
    with _entry(archive, MANIFEST) as target:
        target.write(manifest.model_dump_json(indent=1).encode())
    return manifest


def _entry(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """To be written. All have the same date: the list has the moment, and a zip knows no year before 1980 nor after 2107, as a machine
    whose clock was not set yet may have."""
    info = zipfile.ZipInfo(name, date_time=EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info._compresslevel = archive.compresslevel  # type: ignore[attr-defined]  # which only names are given by themselves
    info.external_attr = 0o600 << 16
    return archive.open(info, "w", force_zip64=True)


def _add(archive: zipfile.ZipFile, path: Path, name: str, entries: list[Entry]) -> None:
    """The checksum is of what went into the archive, should the file change meanwhile."""
    with path.open("rb") as source, _entry(archive, name) as target:
        while piece := source.read(PIECE):
            target.write(piece)
    _note(archive, name, entries)


def _note(archive: zipfile.ZipFile, name: str, entries: list[Entry]) -> None:
    with archive.open(name) as written:
        digest, size = sha256_of(written)
    entries.append(Entry(name=name, size=size, sha256=digest))


# --- databases ----------------------------------------------------------------------------------------------------


def _sqlite(archive: zipfile.ZipFile, entries: list[Entry]) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """VACUUM INTO reads one moment of the database while others write, and gives a file without gaps.

    SQLite's own backup begins anew whenever somebody writes, and so may never end.
    """
    with tempfile.TemporaryDirectory(dir=settings.DATA_DIR, prefix=".backup-") as folder:
        copy = Path(folder) / DATABASE
        with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=60)) as source:
            source.execute("VACUUM INTO ?", [str(copy)])
        with closing(sqlite3.connect(copy)) as database:
            fault = database.execute("PRAGMA quick_check").fetchone()[0]
            if fault != "ok":
                raise Refused(f"The database is damaged ({fault}); no backup was made.")
            names = [
                name
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"
                )
                if not name.startswith("sqlite_")
            ]
            rows = {name: database.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608 - names of tables
            migrations = database.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
        _add(archive, copy, DATABASE, entries)
    return migrations, rows


def _postgresql(
    archive: zipfile.ZipFile, entries: list[Entry]
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Every table as PostgreSQL copies it out, all at one moment. pg_dump need not be here, nor be of the same version."""
    rows: dict[str, int] = {}
    with _one_moment() as cursor:
        names = sorted(connection.introspection.table_names(cursor))
        for name in names:
            columns = [column.name for column in connection.introspection.get_table_description(cursor, name)]
            listed = ", ".join(connection.ops.quote_name(column) for column in columns)
            copy = f"COPY {connection.ops.quote_name(name)} ({listed}) TO STDOUT"
            with _entry(archive, f"{TABLES}{name}") as target:
                target.write("\t".join(columns).encode() + b"\n")
                with connection.wrap_database_errors, cursor.cursor.copy(copy) as source:
                    for piece in source:
                        target.write(piece)
            _note(archive, f"{TABLES}{name}", entries)
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(name)}")  # noqa: S608 - a name of a table
            rows[name] = cursor.fetchone()[0]
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY id")
        migrations = cursor.fetchall()
    return migrations, rows


@contextmanager
def _one_moment() -> Iterator[Any]:
    MigrationRecorder(connection).ensure_schema()
    with connection.cursor() as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield cursor
        finally:
            cursor.execute("ROLLBACK")
