"""The files of task kinds where Django looks for files: ``tasks/SLUG/page.html`` as a template, scripts and styles as static.

A room also holds code, which is neither: only what a browser needs leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.files.storage import FileSystemStorage
from django.template import Origin
from django.template.loaders.filesystem import Loader

from annotation.tasks import KINDS, ROOMS

PREFIX = "tasks"
FOR_BROWSERS = {".js", ".css", ".svg"}


def page_files(slug: str) -> dict[str, str]:
    """What the page of an item of this kind is made of, for its template."""
    return {"task_template": f"{PREFIX}/{slug}/page.html", "task_script": f"{PREFIX}/{slug}/page.js"}


def page_styles(slugs: Iterable[str]) -> list[str]:
    """The style sheets of these kinds, as static files, each once: shared ones before their own."""
    there = sorted(set(slugs))
    shared = dict.fromkeys(style for slug in there for style in KINDS[slug].shared_styles)
    own = [f"{PREFIX}/{slug}/{path.name}" for slug in there for path in sorted(ROOMS[slug].glob("*.css"))]
    return [*shared, *own]


class RoomTemplates(Loader):
    """Finds ``tasks/SLUG/NAME.html`` in the room of the kind."""

    def get_template_sources(self, template_name: str) -> Iterator[Origin]:
        path = _in_room(template_name)
        if path is not None and path.suffix == ".html":
            yield Origin(name=str(path), template_name=template_name, loader=self)


class RoomFinder(BaseFinder):
    """Finds ``tasks/SLUG/NAME`` in the room of the kind, if it is for browsers."""

    def __init__(self) -> None:
        self.storages: dict[str, FileSystemStorage] = {}
        for slug, folder in ROOMS.items():
            storage = FileSystemStorage(location=folder)
            storage.prefix = f"{PREFIX}/{slug}"  # type: ignore[attr-defined]  # where collectstatic puts it
            self.storages[slug] = storage

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        found = _in_room(path)
        there = found is not None and found.suffix in FOR_BROWSERS and found.is_file()
        if not there:
            return []
        return [str(found)] if find_all else str(found)

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, StaticFilesStorage]]:
        for slug, storage in self.storages.items():
            for path in sorted(ROOMS[slug].iterdir()):
                if path.suffix in FOR_BROWSERS:
                    yield path.name, storage  # type: ignore[misc]


def _in_room(name: str) -> Path | None:
    """The file that a name such as ``tasks/see/page.js`` stands for: a file of that room itself, never one below or above."""
    prefix, _, rest = name.partition("/")
    slug, _, file = rest.partition("/")
    if prefix != PREFIX or slug not in ROOMS or not file or Path(file).name != file:
        return None
    return ROOMS[slug] / file
