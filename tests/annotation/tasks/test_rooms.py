"""The rooms of task kinds: what is in them, what leaves them, and that the page on adding one tells the truth."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from annotation.rooms import RoomFinder, page_files, page_styles
from annotation.tasks import KINDS, ROOMS
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "task-kinds.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([^`]*SLUG[^`]*)` \| (.*) \|$", re.MULTILINE)
PLACES = {
    place: "if" in what.split() for place, what in ROW.findall(PAGE)
}  # place → whether a kind may lack it


def test_the_page_lists_every_file_of_every_room_and_no_other():
    assert len(PLACES) == 11
    for slug in KINDS:
        listed = {place.replace("SLUG", slug) for place in PLACES}
        needed = {place.replace("SLUG", slug) for place, optional in PLACES.items() if not optional}
        there = {str(path.relative_to(ROOT)) for path in ROOMS[slug].iterdir() if path.name != "__pycache__"}
        own_parts = {
            name for name in there if name.endswith((".js", ".py", ".css"))
        }  # class, script and style may be in parts
        assert there - listed <= own_parts, slug
        missing = [place for place in needed if not (ROOT / place).exists()]
        assert not missing, f"{slug} lacks {missing}"


def test_no_other_file_names_a_kind_by_its_slug():
    """What a kind is must not be spread: elsewhere code knows kinds by their registry."""
    slugs = "|".join(
        slug for slug in KINDS if slug not in {"relevance", "rating", "see"}
    )  # words of English too
    named = re.compile(rf"[\"'/.]({slugs})[\"'/.]")
    allowed = {"annotation/migrations"}
    strangers = [
        str(path.relative_to(ROOT))
        for top in ("annotation", "config", "templates", "static")
        for path in sorted((ROOT / top).rglob("*"))
        if path.suffix in {".py", ".html", ".js", ".css"}
        and not any(path.is_relative_to(room) for room in ROOMS.values())
        and not any(str(path.relative_to(ROOT)).startswith(name) for name in allowed)
        and named.search(path.read_text(encoding="utf-8"))
    ]
    assert strangers == []


@pytest.mark.parametrize("slug", KINDS)
def test_template_script_and_style_are_found_in_the_room(slug):
    files = page_files(slug)
    assert get_template(files["task_template"])
    assert finders.find(files["task_script"]) == str(ROOMS[slug] / "page.js")
    shared = KINDS[slug].shared_styles
    styles = page_styles([slug, slug])
    assert tuple(styles[: len(shared)]) == shared
    assert all(finders.find(style) for style in shared)
    own = [finders.find(style) for style in styles[len(shared) :]]
    assert own == [str(path) for path in sorted(ROOMS[slug].glob("*.css"))], "all of its parts"


def test_code_never_leaves_a_room():
    for name in (
        "tasks/see/kind.py",
        "tasks/see/__init__.py",
        "tasks/see/page.html",
        "tasks/see/../base.py",
        "tasks/see/",
    ):
        assert not finders.find(name), name
    assert not finders.find("tasks/nothing/page.js")
    collected = [name for name, _ in RoomFinder().list(None)]
    assert collected
    assert all(name.endswith((".js", ".css", ".svg")) for name in collected)
    for name in ("tasks/see/kind.py", "tasks/see/../see/page.html"):
        with pytest.raises(TemplateDoesNotExist):
            get_template(name)


def test_two_kinds_of_one_slug_are_refused(monkeypatch):
    import annotation.tasks as registry

    monkeypatch.setattr(registry, "_rooms", lambda: iter(["annotation.tasks.see", "annotation.tasks.see"]))
    with pytest.raises(ImportError, match="both are task kind “see”; rename one"):
        list(registry._found())
