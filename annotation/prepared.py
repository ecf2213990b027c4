"""Queries whose SQL is made once: of a row by a key, of a new row, of some columns of a row.

Django makes the SQL of a query anew each time, which takes ten times as long as the database takes to answer it by a key. For the
few queries behind every judgment that is most of the time; all others are Django's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class _Compiled:
    """What Django's ``ModelIterable`` finds out about a query before it asks the first row."""

    sql: str
    params: tuple[Any, ...]
    compiler: Any
    converters: Any
    populators: list[Any]
    names: list[str]
    begin: int
    end: int


class Prepared(Generic[Row]):
    """``rows`` makes the query of one value; ``example`` is one of its type that nothing else in the query equals."""

    def __init__(self, rows: Callable[[Any], QuerySet[Row]], example: Any) -> None:
        self._rows = rows
        self._example = example
        self._compiled: dict[str, _Compiled] = {}  # by the kind of database

    def first(self, value: Any) -> Row | None:
        """The one row of this value, with everything that ``rows`` selects; None if there is none."""
        known = self._compiled.get(connection.vendor) or self._compile()
        with connection.cursor() as cursor:
            cursor.execute(known.sql, [value if one == self._example else one for one in known.params])
            row = cursor.fetchone()
        if row is None:
            return None
        if known.converters:
            row = next(iter(known.compiler.apply_converters([row], known.converters)))
        model = known.compiler.klass_info["model"]
        found = model.from_db(connection.alias, known.names, row[known.begin : known.end])
        for populator in known.populators:
            populator.populate(row, found)
        for name, place in known.compiler.annotation_col_map.items():
            setattr(found, name, row[place])
        return found

    def _compile(self) -> _Compiled:
        compiler: Any = self._rows(self._example).query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        chosen = compiler.klass_info["select_fields"]
        begin, end = chosen[0], chosen[-1] + 1
        made = _Compiled(
            sql=sql,
            params=tuple(params),
            compiler=compiler,
            converters=compiler.get_converters([column[0] for column in compiler.select]),
            populators=get_related_populators(compiler.klass_info, compiler.select, connection.alias),  # type: ignore[call-arg]
            names=[column[0].target.attname for column in compiler.select[begin:end]],
            begin=begin,
            end=end,
        )
        self._compiled[connection.vendor] = made
        return made


class PreparedInsert(Generic[Row]):
    """A new row, of a model that nobody listens to: no signal is sent."""

    def __init__(self, model: type[Row]) -> None:
        key: Any = model._meta.pk
        self._key = key.attname
        self._fields: list[Any] = [field for field in model._meta.local_concrete_fields if field is not key]
        columns = ", ".join(_quoted(field.column) for field in self._fields)
        places = ", ".join("%s" for _ in self._fields)
        into = f"INSERT INTO {_quoted(model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608 - our own names
        self._sql = f"{into} RETURNING {_quoted(key.column)}"

    def insert(self, row: Row) -> Row:
        """Store ``row``, which gets its key."""
        values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in self._fields]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, values)
            setattr(row, self._key, cursor.fetchone()[0])
        row._state.adding, row._state.db = False, connection.alias
        return row


class PreparedUpdate:
    """These columns of one row: ``PreparedUpdate(Assignment, "state", "met").set(pk, "done", 1.0)``."""

    def __init__(self, model: type[Model], *names: str) -> None:
        self._fields: list[Any] = [*map(model._meta.get_field, names), model._meta.pk]
        *columns, key = [f"{_quoted(field.column)} = %s" for field in self._fields]
        self._sql = f"UPDATE {_quoted(model._meta.db_table)} SET {', '.join(columns)} WHERE {key}"  # noqa: S608 - our own names

    def set(self, pk: int, *values: Any) -> None:
        given = zip(self._fields, (*values, pk), strict=True)
        with connection.cursor() as cursor:
            cursor.execute(self._sql, [field.get_db_prep_save(value, connection) for field, value in given])


def _quoted(name: str) -> str:
    return f'"{name}"'  # as both databases have it
