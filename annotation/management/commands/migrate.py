"""``migrate``: Django's own, but what was done is written down in the transaction that does it.

Django notes a migration that makes tables after its transaction, in another one. Whoever was killed between the two, or had no room on
the disk for the second, could never go on: each further start would make the tables again, and fail.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor


class Executor(MigrationExecutor):
    def apply_migration(
        self, state: Any, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> Any:
        if fake or fake_initial or not migration.atomic:
            return super().apply_migration(state, migration, fake=fake, fake_initial=fake_initial)
        if self.progress_callback:
            self.progress_callback("apply_start", migration, fake)
        with self.connection.schema_editor(atomic=True) as editor:
            state = migration.apply(state, editor)
            while editor.deferred_sql:
                editor.execute(editor.deferred_sql.pop(0), None)
            self.record_migration(migration)  # type: ignore[call-arg, arg-type]  # the stub has those of before
        if self.progress_callback:
            self.progress_callback("apply_success", migration, fake)
        return state


migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]  # by which the command calls it


class Command(migrate.Command):
    pass
