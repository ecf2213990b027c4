"""SQLite as Django has it, for many who write at once.

SQLite lets one transaction write at a time. Two things make waiting for it longer than it need be:

- Whoever finds the database locked sleeps and looks again, for up to 100 ms, and may find it locked by somebody who
  came later. Here writers stand in line at a file lock instead: the kernel wakes the next one at once, among threads
  and processes alike, and takes the lock from a process that is killed.
- With ``synchronous=FULL`` the disk is waited for while the database is locked. Here the lock is given back first and
  the log synced then, before anybody is told that anything is saved. What is acknowledged survives a power cut just
  the same, and those who wait for the disk at the same time wait for it together.
"""

from __future__ import annotations

import fcntl
import functools
import os
import sqlite3
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from django.db.backends.sqlite3 import base

LONGEST = 5_000  # characters of a statement that is kept


class Cursor(base.SQLiteCursorWrapper):
    """Django's, which looks through every statement for the places of its values. Those that come again and again are kept."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None and len(query) < LONGEST:
            return _with_question_marks(query)
        return super().convert_query(query, param_names=param_names)

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        """Django's holds on to the values of all rows until the last is written, which the garbage collector looks through."""
        rows = iter(param_list)
        first = next(rows, None)
        if first is None or isinstance(first, Mapping):
            return super().executemany(query, [] if first is None else chain([first], rows))
        return sqlite3.Cursor.executemany(self, self.convert_query(query), chain([first], rows))


@functools.lru_cache(maxsize=500)
def _with_question_marks(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class DatabaseWrapper(base.DatabaseWrapper):
    """``django.db.backends.sqlite3`` with a line of writers. Statements outside of transactions are as they were."""

    _place: int | None = None  # in the line: an open file, locked
    _has_log = False

    def init_connection_state(self) -> None:
        super().init_connection_state()
        mode = self.connection.execute("PRAGMA journal_mode").fetchone()[0]
        self._has_log = mode == "wal" and not self.is_in_memory_db()

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        if self._has_log:
            self._line_up()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        # If this fails, a rollback or the end of the connection follows.
        super()._commit()  # type: ignore[misc]
        if self._place is not None:
            self._leave()
            self._sync()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        self._give_back()
        super()._close()  # type: ignore[misc]

    def _line_up(self) -> None:
        place = os.open(f"{self.settings_dict['NAME']}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(place, fcntl.LOCK_EX)
        self._place = place
        self.connection.execute("PRAGMA synchronous=NORMAL")

    def _leave(self) -> None:
        """Statements outside of transactions have nobody to sync after them: they wait for the disk themselves."""
        if self._place is not None:
            self.connection.execute("PRAGMA synchronous=FULL")
            self._give_back()

    def _give_back(self) -> None:
        if self._place is not None:
            os.close(self._place)
            self._place = None

    def _sync(self) -> None:
        log = os.open(f"{self.settings_dict['NAME']}-wal", os.O_RDONLY)
        try:
            os.fdatasync(log)
        finally:
            os.close(log)
