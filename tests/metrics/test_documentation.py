"""What the pages say about adding a score or a metric, compared with the tree."""

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from metrics.automatic import registry as metric_registry
from metrics.human import registry as human_registry
from metrics.human.kind import HumanKind

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("human-scores.md", "automatic-metrics.md")
}


def section(page, heading):
    """What stands under a heading of the second level."""
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGES[page], re.DOTALL | re.MULTILINE)[1]


def places(page, heading):
    """The files that a table of places lists."""
    table = section(page, heading).partition("| place | what |")[2]
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


@pytest.mark.parametrize("slug", human_registry.kinds_that(lambda kind: kind.has_scores))
def test_every_kind_has_the_files_that_the_page_lists_and_no_others(slug):
    listed = {place.replace("SLUG", slug) for place in places("human-scores.md", "Adding a score")}
    assert len(listed) == 3
    assert [place for place in listed if not (ROOT / place).is_file()] == []
    others = {
        "formats",
        "meta",
        "report",
        "drawing",
        "automatic",
    }  # formats, statistics, plots, metrics may be called like a kind
    called_so = [
        path.relative_to(ROOT).as_posix()
        for room in ("metrics", "tests/metrics")
        for path in (ROOT / room).rglob("*.py")
        if path.stem in {slug, f"test_{slug}"} and not others & set(path.parts)
    ]
    assert set(called_so) <= listed


def test_the_page_names_every_score_that_a_kind_declares():
    assert [name for name in human_registry.scores() if f"`{name}`" not in PAGES["human-scores.md"]] == []


def test_the_page_explains_every_part_of_a_declaration():
    explained = re.findall(r"^\| `([a-z_]+)` \|", section("human-scores.md", "Adding a score"), re.MULTILINE)
    assert explained == [part.name for part in fields(HumanKind)]


def test_a_score_needs_no_line_in_a_registry():
    """The page says that a kind is found by itself: so nothing imports one, but a metric that takes a kind's formula."""
    importing = re.compile(
        rf"(?:from metrics\.human import|import metrics\.human\.|from metrics\.human\.)\W*\b({'|'.join(human_registry.kinds())})\b"
    )
    rooms = {"formats", "automatic"}
    sources = [path for path in (ROOT / "metrics").rglob("*.py") if not rooms & set(path.parts)]
    assert len(sources) > 80
    assert [str(path) for path in sources if importing.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("path", metric_registry.FAMILIES)
def test_every_family_has_the_files_that_the_page_lists(path):
    name = path.rpartition(".")[2]
    module, registry, tests, page = places("automatic-metrics.md", "Adding a metric")
    assert path in (ROOT / registry).read_text(encoding="utf-8")
    places_of_module = (module, f"{module.removesuffix('.py')}/__init__.py")
    assert any((ROOT / place.replace("NAME", name)).is_file() for place in places_of_module)
    family = importlib.import_module(path).FAMILY
    names = [metric.name for metric in family.metrics()] or [f"{family.name}-"]
    # Families that share their code may share a file of tests, which then names their metrics.
    sharing = (file.read_text(encoding="utf-8") for file in (ROOT / tests).parent.glob("test_*.py"))
    own = (ROOT / tests.replace("NAME", name)).is_file()
    assert own or any(re.search(rf"\b{re.escape(metric)}", text) for text in sharing for metric in names)
    assert any(f"`{metric}" in (ROOT / page).read_text(encoding="utf-8") for metric in (name, *names))


def test_the_page_names_the_metrics_that_are_computed_by_default():
    """Or the scheme of their names: of ROUGE and others only the beginning can be listed."""
    page = PAGES["automatic-metrics.md"]
    default = [choice.metric.name for choice in metric_registry.select()]
    assert [
        name for name in default if f"`{name}" not in page and f"`{name.split('-')[0]}-" not in page
    ] == []
