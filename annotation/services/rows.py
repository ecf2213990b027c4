"""Many rows at once: new ones, and stored ones that change each to values of its own. Both within somebody's transaction.

On SQLite whoever judges waits as long as somebody writes. Of the time that Django's ``bulk_create`` takes, the database itself takes a
fifth; its ``bulk_update`` makes long statements of cases, which took 25 seconds for 60,000 texts. Here it is one statement, once for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from django.db import connection, connections, models

Row = TypeVar("Row", bound=models.Model)

BATCH = 1000  # rows in one statement, where Django makes it
# Values of these are stored as they are; of others Django says how.
PLAIN = {
    *(models.BooleanField, models.CharField, models.FloatField, models.TextField),
    *(models.ForeignKey, models.PositiveIntegerField, models.PositiveSmallIntegerField),
}


class Ready(Generic[Row]):
    """New rows of one model, with their values as the database takes them: made before anything is locked, and stored then.

    Only keys are missing, their own and those of rows that are not stored yet themselves. Until then such a row has no key,
    or one below zero, by which others may refer to it if they hold the row as well. What is changed of a row afterwards is
    not stored, but by ``change``.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.fields: list[Any] = []
        self.columns: list[list[Any]] = []
        self._late: dict[int, list[Any]] = {}  # of columns with keys that are to come: whose they are
        if self.rows:
            fields = type(self.rows[0])._meta.local_concrete_fields
            self.fields = [field for field in fields if not field.primary_key]
            self.columns = [self._column(number, field) for number, field in enumerate(self.fields)]

    def _column(self, number: int, field: Any) -> list[Any]:
        """What is stored of a field, of each row."""
        if isinstance(field, models.ForeignKey):
            others = [_referred(row, field) for row in self.rows]
            if any(others):
                self._late[number] = others
                return []
        values = [getattr(row, field.attname) for row in self.rows]
        # Elsewhere Django stores them, and nobody waits there.
        if type(field) in PLAIN or connection.vendor != "sqlite":
            return values
        # The connection itself: what stands for it finds it anew at every question.
        stored: Callable[[Any], Any] = partial(
            field.get_db_prep_save, connection=connections[connection.alias]
        )
        return list(map(stored, values))

    def change(self, name: str, values: list[Any]) -> None:
        """Other values of a plain field, one for each row: what is known only when the database is locked."""
        if not self.rows:
            return
        for row, value in zip(self.rows, values, strict=True):
            row.__dict__[name] = value
        self.columns[[field.attname for field in self.fields].index(name)] = values

    def refer(self) -> None:
        """The rows that this one refers to are stored by now: their keys."""
        for number, others in self._late.items():
            field = self.fields[number]
            name, key_name = field.attname, field.target_field.attname
            for row, other in zip(self.rows, others, strict=True):
                if other is not None:
                    row.__dict__[name] = other.__dict__[key_name]
            keys = self.columns[number] = [row.__dict__[name] for row in self.rows]
            if any(map(_is_to_come, keys)) and any(
                other is not None and _is_to_come(key) for key, other in zip(keys, others, strict=True)
            ):
                raise ValueError(f"{field.name} of a {type(self.rows[0]).__name__} is not stored yet")


def _is_to_come(key: Any) -> bool:
    return key is None or key < 0


def _referred(row: models.Model, field: Any) -> models.Model | None:
    """The other row, where its key is not known here yet; it may be by now."""
    if not _is_to_come(row.__dict__[field.attname]) or not field.is_cached(row):
        return None
    other: models.Model | None = field.get_cached_value(row)
    return other


def rows_store(rows: Ready[Row] | Iterable[Row]) -> list[Row]:
    """Store new rows of one model, which get their keys. Nobody is told by a signal."""
    ready = rows if isinstance(rows, Ready) else Ready(rows)
    new = ready.rows
    if not new:
        return new
    ready.refer()
    model = type(new[0])
    if connection.vendor != "sqlite":
        for row in new:
            row.pk = None
        return model._default_manager.bulk_create(new, batch_size=BATCH)
    names = ", ".join(_quoted(field.column) for field in (model._meta.pk, *ready.fields))
    places = ", ".join("%s" for _ in range(len(ready.fields) + 1))
    with connection.cursor() as cursor:
        # Keys are never given twice, not even those of rows that are gone; the transaction is the only one that writes.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        last = (cursor.fetchone() or [0])[0]
        keys = range(last + 1, last + 1 + len(new))
        cursor.executemany(
            f"INSERT INTO {_quoted(model._meta.db_table)} ({names}) VALUES ({places})",  # noqa: S608 - names of models alone
            zip(keys, *ready.columns, strict=True),  # type: ignore[arg-type] # one after another, and never a list of all
        )
    key_name, alias = model._meta.pk.attname, connection.alias
    for key, row in zip(keys, new, strict=True):
        row.__dict__[key_name] = key
        state = row._state
        state.adding, state.db = False, alias
    return new


def rows_update(rows: Iterable[models.Model], fields: Sequence[str]) -> None:
    """Write these fields of rows that are stored already."""
    by_model: dict[type[models.Model], list[models.Model]] = {}
    for row in rows:
        by_model.setdefault(type(row), []).append(row)
    for model, stored in by_model.items():
        columns = [column for column in model._meta.concrete_fields if column.name in fields]
        assigned = ", ".join(f"{_quoted(column.column)} = %s" for column in columns)
        where = f"{_quoted(model._meta.pk.column)} = %s"
        values = (
            [
                *(column.get_db_prep_save(getattr(row, column.attname), connection) for column in columns),
                row.pk,
            ]
            for row in stored
        )
        with connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {_quoted(model._meta.db_table)} SET {assigned} WHERE {where}",  # names of models alone # noqa: S608
                list(values),
            )


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")
