"""A view, or an address of the API, is guard, load, form, service, render: queries are selectors, writes are services."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conftest import ROOT

MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("views", "api")
    for path in (ROOT / "annotation" / folder).rglob("*.py")
)
# What only a manager, a query or a row has. ``delete`` is not among them: views of the API have a method of that name.
QUERIES = {
    *("all", "filter", "exclude", "annotate", "aggregate", "order_by", "values", "values_list", "iterator"),
    *("select_related", "prefetch_related", "select_for_update", "defer", "only", "exists", "count", "earliest", "latest"),
    *("create", "bulk_create", "get_or_create", "update_or_create", "save", "refresh_from_db"),
}  # fmt: skip
NAMES = {"get_object_or_404", "get_list_or_404", "transaction", "connection"}


def offences(source: str) -> list[str]:
    """What of a module asks the database or writes to it, with its line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in {"objects", "_default_manager"}:
            found.append((node.lineno, node.attr))
        elif isinstance(node, ast.Name) and node.id in NAMES:
            found.append((node.lineno, node.id))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # dict.get and QueryDict.get take no keyword, dict.values and str.count are told by what they are called on
            name = node.func.attr
            if (name in QUERIES and not _is_plain(node)) or (name == "get" and node.keywords):
                found.append((node.lineno, name))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("django.db"):
            found += [(node.lineno, alias.name) for alias in node.names if alias.name != "QuerySet"]
    return [f"line {line}: {name}" for line, name in sorted(found)]


def _is_plain(call: ast.Call) -> bool:
    """``TYPES.values()``: a constant of the module is no query."""
    assert isinstance(call.func, ast.Attribute)
    owner = call.func.value
    return isinstance(owner, ast.Name) and owner.id.isupper()


@pytest.mark.parametrize("module", MODULES)
def test_no_view_asks_the_database_or_writes_to_it(module):
    assert offences((ROOT / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Study.objects.first()",
        "from django.db import transaction",
        "with transaction.atomic(): pass",
        "study.assessors.filter(pk=1)",
        "rows.get(pk=1)",
        "study.save()",
        "rows.select_related('study')",
        "study.tasks.all()",
        "get_object_or_404(Study, pk=1)",
        "from django.db.models import F",
    ],
)
def test_a_query_or_a_write_is_noticed(line):
    assert offences(line)


@pytest.mark.parametrize(
    "line",
    ["request.GET.get('page')", "from django.db.models import QuerySet", "TYPES.values()", "run.delete()"],
)
def test_what_is_none_is_left_alone(line):
    assert not offences(line)


def test_all_modules_are_looked_at():
    assert {"annotation/views/assess.py", "annotation/api/studies.py"} <= {*MODULES}
    assert all(Path(ROOT / module).is_file() for module in MODULES)
