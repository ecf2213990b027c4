"""The registry of task kinds: a room each. A kind is found by having one; no list names it.

A room is a folder here, or a package of another distribution that its entry point in the group ``touchstone.tasks`` names.
Its module ``kind`` holds the class and one instance of it, ``KIND``; beside it lie the page's template, script and style.
Its module ``templates``, if there is one, holds ``TEMPLATES``, ways of beginning a study with it.
``docs/task-kinds.md`` says all that adding one takes.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from annotation.tasks.base import TaskKind, Template

GROUP = "touchstone.tasks"


def _rooms() -> Iterator[str]:
    """The packages that are rooms: those of this folder by name, then those of other distributions."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        if module.ispkg:
            yield f"{__name__}.{module.name}"
    yield from (entry.value for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name))


def _found() -> Iterator[tuple[TaskKind[Any, Any], Path, list[Template]]]:
    """Every kind with the folder of its room and its templates. Two of one slug would take each other's judgments for their own."""
    slugs: dict[str, str] = {}
    for room in _rooms():
        module = import_module(f"{room}.kind")
        kind: TaskKind[Any, Any] = module.KIND
        if kind.slug in slugs:
            raise ImportError(f"{room} and {slugs[kind.slug]} both are task kind “{kind.slug}”; rename one.")
        slugs[kind.slug] = room
        given = import_module(f"{room}.templates").TEMPLATES if find_spec(f"{room}.templates") else ()
        templates = [replace(template, kind=kind.slug) for template in given]
        yield kind, Path(str(module.__file__)).parent, templates


ROOMS: dict[str, Path] = {}
KINDS: dict[str, TaskKind[Any, Any]] = {}
TEMPLATES: dict[str, Template] = {}
for _kind, _folder, _templates in _found():
    KINDS[_kind.slug], ROOMS[_kind.slug] = _kind, _folder
    for _template in _templates:
        if _template.name in TEMPLATES:
            raise ImportError(
                f"{_kind.slug} and {TEMPLATES[_template.name].kind} both have a template “{_template.name}”."
            )
        TEMPLATES[_template.name] = _template
