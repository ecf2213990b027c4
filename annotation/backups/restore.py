"""Restoring a backup: checked as a whole, then written."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import zipfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from pydantic import ValidationError

from annotation.backups.manifest import (
    DATABASE,
    FORMAT,
    KEY,
    MANIFEST,
    PIECE,
    REPORTS,
    TABLES,
    Manifest,
    folder_sync,
    put_in_place,
    sha256_of,
)
from annotation.backups.only_one import only_one
from annotation.errors import Refused
from annotation.models import Study
from annotation.study_files.archive import Unreadable, check_name

DAMAGED = "This is no backup of Touchstone, or it is damaged: {}. Nothing was restored."
MANIFEST_MAX = 64 * 1024 * 1024
LONGEST_HEAD = 64 * 1024  # bytes of the line that names a table's columns


def backup_restore(*, source: Path) -> Manifest:
    """Write what the backup holds into the data folder and the database, both of which must be empty."""
    if not source.is_file():
        raise Refused(f"There is no file {source}.")
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _checked(archive)
            _refuse_other_database(manifest)
            settings.DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Two at once would write into each other's files, and call the mixture restored.
            with only_one("Another backup is being restored there. Wait until it is done."):
                _refuse_data()
                _write(archive, manifest)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        ValueError,
        RuntimeError,
        OverflowError,
        struct.error,
    ) as problem:
        # A flipped bit may make an entry seem encrypted, packed in an unknown way, or longer than the file.
        raise Refused(DAMAGED.format(problem)) from problem
    except OSError as problem:
        raise Refused(
            f"The backup could not be restored: {problem.strerror or problem}. What was written of it is no whole: "
            "make room, and restore it into an empty data folder."
        ) from problem
    except DatabaseError as problem:
        raise Refused(
            f"The backup could not be restored: {problem}. What was written of it is no whole: restore it into an empty database and "
            "data folder."
        ) from problem
    return manifest


def _checked(archive: zipfile.ZipFile) -> Manifest:
    """The manifest, if every byte is as it says."""
    names = archive.namelist()
    if MANIFEST not in names:
        raise Refused(DAMAGED.format(f"it has no {MANIFEST}"))
    if archive.getinfo(MANIFEST).file_size > MANIFEST_MAX:
        raise Refused(DAMAGED.format(f"its {MANIFEST} is too long"))
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError as problem:
        raise Refused(DAMAGED.format(f"its {MANIFEST} cannot be read")) from problem
    if manifest.format != FORMAT:
        raise Refused("This backup was made by a newer version of Touchstone. Install that one first.")
    if sorted([MANIFEST, *(entry.name for entry in manifest.entries)]) != sorted(names):
        raise Refused(DAMAGED.format("it does not hold the files that it lists"))
    for entry in manifest.entries:
        try:
            check_name(entry.name)
        except Unreadable as reason:
            raise Refused(DAMAGED.format(reason)) from reason
        if not (entry.name in {DATABASE, KEY} or entry.name.startswith((TABLES, REPORTS))):
            raise Refused(DAMAGED.format(f"it holds “{entry.name}”"))
        with archive.open(entry.name) as file:
            if sha256_of(file) != (entry.sha256, entry.size):
                raise Refused(DAMAGED.format(f"“{entry.name}” is not as it was"))
    return manifest


def _refuse_other_database(manifest: Manifest) -> None:
    if manifest.vendor != connection.vendor:
        raise Refused(
            f"This is a backup of {manifest.vendor}, and the database here is {connection.vendor}. "
            "Set or unset DATABASE_URL as it was."
        )
    loader = MigrationLoader(None, ignore_no_migrations=True)
    known = set(loader.disk_migrations)
    ours = {app for app, _ in known}
    newer = [f"{app}.{name}" for app, name in manifest.migrations if app in ours and (app, name) not in known]
    if newer:
        raise Refused(
            f"This backup was made by a newer version of Touchstone (it has {newer[0]}). Install that one first."
        )


def _refuse_data() -> None:
    data: Path = settings.DATA_DIR
    there = ["reports"] if (data / "reports").exists() else []
    if connection.vendor == "sqlite":
        database = Path(settings.DATABASES["default"]["NAME"])
        # What a killed server had not yet written into its database stands beside it. SQLite would write it into this one.
        parts = [database.with_name(database.name + ending) for ending in ("", "-wal", "-journal")]
        there += [part.name for part in parts if part.exists()]
    elif connection.introspection.table_names():
        there.append("tables in the database")
    if there:
        raise Refused(
            f"There are data here already ({', '.join(there)} of {data}). Restore into an empty data folder "
            "and database: set TOUCHSTONE_DATA to a new one, or move the old one away."
        )


def _write(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    data: Path = settings.DATA_DIR
    names = [entry.name for entry in manifest.entries]
    database = _sqlite_checked(archive) if manifest.vendor == "sqlite" else None
    if KEY in names:
        _extract(archive, KEY, data / KEY)
    for name in names:
        if name.startswith(REPORTS):
            _extract(archive, name, data / name)
    # The database last: where it is missing, nothing was restored.
    if database:
        connection.close()
        _database_appears(database, Path(settings.DATABASES["default"]["NAME"]))
    else:
        _restore_postgresql(archive, manifest)


def _database_appears(draft: Path, target: Path) -> None:
    """Not over another: a server may have been started meanwhile, and made a database of its own there."""
    try:
        put_in_place(draft, target)
    except FileExistsError:
        raise _started(f"{target.parent}") from None
    finally:
        draft.unlink(missing_ok=True)
    folder_sync(target.parent)


def _started(where: str) -> Refused:
    return Refused(
        f"A server was started on {where} meanwhile, and has made a database there. Stop it, and restore the backup "
        "into an empty data folder and database."
    )


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f".{target.name}.restored")
    with archive.open(name) as source, draft.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        shutil.copyfileobj(source, file, PIECE)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)


def _sqlite_checked(archive: zipfile.ZipFile) -> Path:
    """The database, beside the place that it is to have. Ours has tables and indexes alone: what acts by itself when somebody writes,
    as a trigger does, was put there by somebody else."""
    target = Path(settings.DATABASES["default"]["NAME"])
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.checked")
    _extract(archive, DATABASE, draft)
    why = ""
    try:
        with closing(sqlite3.connect(draft)) as database:
            fault = database.execute("PRAGMA quick_check").fetchone()[0]
            acts = database.execute(
                "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'"
            ).fetchone()
        if fault != "ok":
            why = f"has a fault ({fault})"
        elif acts:
            why = f"holds the {acts[0]} “{acts[1]}”"
    except sqlite3.Error as problem:
        why = f"cannot be read ({problem})"
    if why:
        draft.unlink()
        raise Refused(DAMAGED.format(f"its database {why}"))
    return draft


def _restore_postgresql(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Tables as they were when the backup was made, their rows, then whatever is newer here."""
    last = dict(manifest.migrations)  # of each app; they are listed in the order in which they were applied
    known = {app for app, _ in MigrationLoader(None, ignore_no_migrations=True).disk_migrations}
    for app, name in last.items():
        if app in known:
            call_command("migrate", app, name, verbosity=0)
    with transaction.atomic(), connection.cursor() as cursor:
        there = set(connection.introspection.table_names(cursor))
        tables = [name for name in manifest.rows if name in there]
        if missing := {f"{TABLES}{name}" for name in tables} - set(archive.namelist()):
            raise Refused(DAMAGED.format(f"it has no “{min(missing)}”"))
        listed = ", ".join(connection.ops.quote_name(name) for name in tables)
        cursor.execute(f"LOCK TABLE {listed} IN ACCESS EXCLUSIVE MODE")
        if User.objects.exists() or Study.objects.exists():
            raise _started("this database")
        cursor.execute(f"TRUNCATE {listed}")
        for name in tables:
            with archive.open(f"{TABLES}{name}") as source:
                _copy_in(cursor, name, source)
        _check_rows(cursor, manifest, tables)
        _reset_sequences(cursor, tables)
    call_command("migrate", verbosity=0)


def _copy_in(cursor: Any, name: str, source: IO[bytes]) -> None:
    columns = source.readline(LONGEST_HEAD).decode().rstrip("\n").split("\t")
    # They become part of a command: whoever wrote the file must not say there what PostgreSQL is to do.
    known = {column.name for column in connection.introspection.get_table_description(cursor, name)}
    if not known.issuperset(columns):
        raise Refused(DAMAGED.format(f"the table “{name}” has columns that are none of its own"))
    listed = ", ".join(connection.ops.quote_name(column) for column in columns)
    copy = f"COPY {connection.ops.quote_name(name)} ({listed}) FROM STDIN"
    try:
        with connection.wrap_database_errors, cursor.cursor.copy(copy) as target:
            while piece := source.read(PIECE):
                target.write(piece)
    except DatabaseError as problem:
        raise Refused(DAMAGED.format(f"the table “{name}” cannot be read ({problem})")) from problem


def _check_rows(cursor: Any, manifest: Manifest, tables: list[str]) -> None:
    for name in tables:
        cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(name)}")  # noqa: S608 - a name of a table
        if cursor.fetchone()[0] != manifest.rows[name]:
            raise Refused(DAMAGED.format(f"the table “{name}” has lost rows"))


def _reset_sequences(cursor: Any, tables: list[str]) -> None:
    for name in tables:
        for sequence in connection.introspection.get_sequences(cursor, name):
            table, column = (connection.ops.quote_name(sequence[part]) for part in ("table", "column"))
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, %s), COALESCE(MAX({column}), 1), MAX({column}) IS NOT NULL) "  # noqa: S608
                f"FROM {table}",
                [sequence["table"], sequence["column"]],
            )
