"""The page about the report says what is in it."""

import re
from pathlib import Path

import pytest

from metrics.cli import main

PAGE = Path(__file__).parents[3] / "docs" / "report.md"


@pytest.fixture(scope="module")
def described():
    return PAGE.read_text(encoding="utf-8")


def named(described, heading):
    """The names in backticks within one section."""
    plain = re.sub(r"```.*?```", "", described, flags=re.DOTALL)
    section = plain.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    section = section.split("\n### ", 1)[0] if heading.startswith("###") else section
    return set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]+)`", section))))


def columns(part):
    return set(part["columns"]) if isinstance(part, dict) and "columns" in part else set()


def test_every_key_and_column_is_described(described, report, of_three_references, of_marks):
    data = report.data
    assert set(data) <= named(described, "## `report.json`")
    assert set(data["counts"]) <= named(described, "## `report.json`")
    for heading, section in (
        ("### `human[]`", data["human"][0]),
        ("### `assessors`", data["assessors"]),
        ("### `meta[]`", data["meta"][0]),
    ):
        known = named(described, heading)
        assert set(section) <= known
        for part in section.values():
            assert columns(part) <= known
    assert set(data["meta"][0]["williams"]) <= named(described, "### `meta[]`")
    assert set(of_three_references.data["explained"][0]) <= named(described, "## `report.json`")
    (marked,) = of_marks.data["marked"]
    assert set(marked) | columns(marked["errors"]) <= named(described, "## `report.json`")
    for key in ("agreement", "metrics"):
        assert columns(data[key]) <= named(described, "## `report.json`")


def test_every_figure_is_described(described, report, of_three_references, of_marks):
    known = named(described, "## Figures")
    for spec in (spec for made in (report, of_three_references, of_marks) for spec in made.data["figures"]):
        assert {spec["kind"], *spec} <= known


def test_the_command_is_understood(described, tmp_path, capsys):
    """It is run on files that do not exist: it must complain about the file and nothing else."""
    calls = re.findall(r"^    python -m metrics (.+)$", described.replace("\\\n", " "), re.MULTILINE)
    assert {call.split()[0] for call in calls} == {"report", "export"}
    for call in calls:
        command, first, *others = call.partition("#")[0].split()
        words = [str(tmp_path / word) if "." in word else word for word in others]
        assert main([command, str(tmp_path / first), *words]) == 2
        assert re.search("no such file|it has no report.json", capsys.readouterr().err)
