"""What is imported, what is declared, what is pinned: the three lists that ``test_dependencies`` compares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# A module that is named in a string instead of an import statement: what settings load, and what tests ask for.
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")
IMPORTERS = {"import_module", "importorskip"}
OWN = {"annotation", "benchmarks", "config", "docs", "metrics", "tests", "touchstone"} | {
    path.name
    for path in (Path(__file__).parent / "outside").iterdir()  # other distributions, made up for tests
}

installed = cache(packages_distributions)


def declared(root: Path) -> dict[str, set[str]]:
    """Distributions by where ``pyproject.toml`` declares them: "" (always), the extras, and the group dev."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    lists = {
        "": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        **project["dependency-groups"],
    }
    return {place: {_name(Requirement(line)) for line in lines} for place, lines in lists.items()}


def requirements(root: Path, *places: str) -> list[Requirement]:
    """The declared requirements themselves, of these places."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    lists = {**project["project"]["optional-dependencies"], **project["dependency-groups"]}
    lines = [*project["project"]["dependencies"], *(line for place in places for line in lists[place])]
    return [Requirement(line) for line in lines]


def pins(file: Path) -> list[Requirement]:
    return [Requirement(line) for line in file.read_text(encoding="utf-8").splitlines()]


def needed(wanted: Iterable[Requirement]) -> set[str]:
    """The distributions that are wanted, those that they require, and so on, as the installed ones say."""
    steps: set[tuple[str, str]] = set()
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        for extra in requirement.extras or {""}:
            if (_name(requirement), extra) not in steps:
                steps.add((_name(requirement), extra))
                below = [Requirement(line) for line in requires(requirement.name) or []]
                waiting += [one for one in below if not one.marker or one.marker.evaluate({"extra": extra})]
    return {name for name, _ in steps}


def imported(paths: Iterable[Path]) -> dict[str, set[str]]:
    """Distributions by the files that import something of them; the standard library is left out.

    A module that no installed distribution has stands under its own name: it cannot have been declared.
    """
    known = installed()
    users: dict[str, set[str]] = {}
    for path in paths:
        for module in _modules(path):
            top = module.split(".")[0]
            for distribution in known.get(top, [top]):
                users.setdefault(canonicalize_name(distribution), set()).add(path.name)
    return users


def _modules(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = _named_in_settings(tree) if path.name == "settings.py" else _named_in_calls(tree)
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    for node in statements:
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif not node.level:
            named.add(node.module or "")
    return (name for name in named if name.split(".")[0] not in sys.stdlib_module_names | OWN)


def _named_in_calls(tree: ast.Module) -> set[str]:
    """``importlib.import_module("x")``, ``pytest.importorskip("x")``."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    return {
        str(call.args[0].value)
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in IMPORTERS
        and isinstance(call.args[0], ast.Constant)
    }


def _named_in_settings(tree: ast.Module) -> set[str]:
    """Django loads what its settings name: applications, middleware, backends."""
    strings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    known = installed()
    named = {text for text in strings if DOTTED.fullmatch(text) and text.split(".")[0] in known}
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "INSTALLED_APPS":
            named |= set(ast.literal_eval(node.value))
    return named


def _name(requirement: Requirement) -> str:
    return canonicalize_name(requirement.name)
