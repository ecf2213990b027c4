"""Many rows at once: new ones, and stored ones that change each to values of its own. Both within somebody's transaction.

On SQLite whoever judges waits as long as somebody writes. Of the time that Django's ``bulk_create`` takes, the database itself takes a
fifth; its ``bulk_update`` makes long statements of cases, which took 25 seconds for 60,000 texts. Here it is one statement, once for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from django.db import connection, connections, models

Row = TypeVar("Row", bound=models.Model)

BATCH = 1000  # rows in one statement, where Django makes it
# Values of these are stored as they are; of others Django says how.
PLAIN = {
    *(models.BooleanField, models.CharField, models.FloatField, models.TextField),
    *(models.ForeignKey, models.PositiveIntegerField, models.PositiveSmallIntegerField),
}


def rows_store(rows: Iterable[Row]) -> list[Row]:
    """Store new rows of one model, which get their keys. Nobody is told by a signal."""
    new = list(rows)
    if not new:
        return new
    model = type(new[0])
    if connection.vendor != "sqlite":  # nobody waits there
        return model._default_manager.bulk_create(new, batch_size=BATCH)
    fields: list[Any] = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    columns = [_column(new, field) for field in fields]
    names = ", ".join(_quoted(field.column) for field in (model._meta.pk, *fields))
    places = ", ".join("%s" for _ in range(len(fields) + 1))
    with connection.cursor() as cursor:
        # Keys are never given twice, not even those of rows that are gone; the transaction is the only one that writes.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        last = (cursor.fetchone() or [0])[0]
        keys = range(last + 1, last + 1 + len(new))
        cursor.executemany(
            f"INSERT INTO {_quoted(model._meta.db_table)} ({names}) VALUES ({places})",  # noqa: S608 - names of models alone
            list(zip(keys, *columns, strict=True)),
        )
    for key, row in zip(keys, new, strict=True):
        row.pk = key
        row._state.adding, row._state.db = False, connection.alias
    return new


def _column(rows: Sequence[models.Model], field: Any) -> list[Any]:
    """What is stored of a field, of each row."""
    if isinstance(field, models.ForeignKey):
        for row in rows:
            _refer(row, field)
    values = [getattr(row, field.attname) for row in rows]
    if type(field) in PLAIN:
        return values
    # The connection itself: what stands for it finds it anew at every question.
    stored: Callable[[Any], Any] = partial(field.get_db_prep_save, connection=connections[connection.alias])
    return list(map(stored, values))


def _refer(row: models.Model, field: Any) -> None:
    """What a row refers to may have got its key after the row was made."""
    if getattr(row, field.attname) is not None or not field.is_cached(row):
        return
    if (other := field.get_cached_value(row)) is not None:
        if other.pk is None:
            raise ValueError(f"{field.name} of a {type(row).__name__} is not stored yet")
        setattr(row, field.attname, other.pk)


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
