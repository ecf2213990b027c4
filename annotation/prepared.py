"""Queries whose SQL is made once.

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
