"""Whether the database is one that this version can work with, said in words before anything is served from it."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

BACKUP = "Restore a backup ({} restore FILE), or set TOUCHSTONE_DATA to another folder."
APP = "annotation"


def database_check() -> None:
    """``CommandError`` with what to do if the database is damaged, cannot be written, or is of another version."""
    _refuse_unwritable_folder()
    try:
        _refuse_damage()
        _refuse_read_only()
        _refuse_other_version()
    except DatabaseError as problem:
        raise CommandError(f"{_place()} cannot be used: {_words(problem)}. {_advice()}") from problem


def database_refuse_other_version() -> None:
    """For commands, which bring nothing up to date themselves: somebody may have forgotten that the server runs on another version."""
    executor = MigrationExecutor(connection)
    _refuse_newer(executor.loader)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        raise CommandError(
            f"{_place()} was made by an older version of Touchstone: it has no “{plan[0][0]}”. Make a backup, and start this "
            f"version (“{settings.RUN_COMMAND}”), which brings it up to date; or go on with the older version."
        )


def database_upgrade() -> None:
    """Bring the database up to date; ``CommandError`` if that fails, on a full disk, say, or beside a second server that does the same."""
    try:
        call_command("migrate", verbosity=0)
    except DatabaseError as problem:
        raise CommandError(
            f"{_place()} could not be brought up to date: {_words(problem)}. Every step is taken whole or not at all, so nothing is "
            "lost. See that there is room on the disk and that no other server uses this database, then start again."
        ) from problem


def _place() -> str:
    return f"The database {settings.DATABASES['default']['NAME']}"


def _advice() -> str:
    if connection.vendor == "postgresql":
        return "See whether the server runs, and whether DATABASE_URL is right."
    return BACKUP.format(settings.MANAGE_COMMAND)


def _words(problem: Exception) -> str:
    return str(problem).strip().rstrip(".").splitlines()[0] if str(problem) else type(problem).__name__


def _refuse_unwritable_folder() -> None:
    folder: Path = settings.DATA_DIR
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / f".probe.{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as problem:
        raise CommandError(
            f"The data folder {folder} cannot be written: {problem.strerror}. Make room, give this user the right to "
            "write, or set TOUCHSTONE_DATA to another folder."
        ) from problem


def _refuse_damage() -> None:
    if connection.vendor != "sqlite":
        connection.ensure_connection()
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        fault = cursor.fetchone()[0]
    if fault != "ok":
        raise CommandError(f"{_place()} is damaged: {fault.splitlines()[0]}. {_advice()}")


def _refuse_read_only() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW transaction_read_only")
            if cursor.fetchone()[0] == "on":
                raise CommandError(f"{_place()} is read-only: it may be a standby. {_advice()}")
            return
        # The number is the user's, and nobody uses it: writing the same one again changes nothing.
        cursor.execute("PRAGMA user_version")
        cursor.execute(f"PRAGMA user_version = {int(cursor.fetchone()[0])}")


def _refuse_newer(loader: MigrationLoader) -> None:
    ours = {app for app, _ in loader.disk_migrations}
    unknown = sorted(
        key for key in loader.applied_migrations if key[0] in ours and key not in loader.disk_migrations
    )
    if unknown:
        name = ".".join(unknown[0])
        raise CommandError(
            f"{_place()} was made by a newer version of Touchstone: this one does not know “{name}”. "
            "Install the newer version."
        )


def _refuse_other_version() -> None:
    loader = MigrationLoader(connection)
    _refuse_newer(loader)
    applied = [key for key in loader.applied_migrations if key[0] == APP]
    if not applied:
        return
    state = loader.project_state(applied)
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for model in state.apps.get_app_config(APP).get_models():
            table = model._meta.db_table
            there = (
                {column.name for column in connection.introspection.get_table_description(cursor, table)}
                if table in tables
                else set()
            )
            missing = [field.column for field in model._meta.concrete_fields if field.column not in there]
            if missing:
                raise CommandError(
                    f"{_place()} was made by a version of Touchstone from before its first release: "
                    f"“{table}” has no “{missing[0]}”. Export its studies and judgments with that version, begin with "
                    "an empty data folder here, and import them."
                )
