"""A small valid study, to be spoilt by each test in its own way."""

from pathlib import Path

import pytest

from annotation.study_files import StudyFileProblems, read_study

GOOD = {
    "study.yaml": """\
name: Small
slug: small
language: en
instructions: instructions.md
seed: 7
materials:
  topics: topics.jsonl
  documents: documents.jsonl
  references: references.jsonl
  outputs: outputs.jsonl
  systems: systems.csv
  metric_scores: scores.csv
tasks:
  - kind: see
    name: coverage
    scale: duc2001
  - kind: rating
    name: fluent
    preset: tides
    design:
      assessors_per_item: 2
design:
  assessors_per_item: 1
  order: random
practice: practice.jsonl
assessors: assessors.csv
""",
    "instructions.md": "Read *well*.\n",
    "topics.jsonl": '{"id": "t1", "title": "Topic", "description": "About.", "gold": {"d1": true}}\n',
    "documents.jsonl": (
        '{"id": "d1", "topic": "t1", "title": "One", "text": "First story. It goes on."}\n'
        '{"id": "d2", "text": "Second story."}\n'
        '{"id": "d3", "text": "To practise on."}\n'
    ),
    "references.jsonl": (
        '{"id": "r1", "document": "d1", "author": "anna", "text": "First. Second."}\n'
        '{"id": "r2", "document": "d2", "units": ["One,", "two."]}\n'
        '{"id": "r3", "document": "d3", "text": "Practise. Well."}\n'
    ),
    "outputs.jsonl": (
        '{"system": "s1", "document": "d1", "text": "An output. Of two units."}\n'
        '{"system": "s2", "document": "d1", "text": "Another one.", "author": "ben", "target": 10}\n'
        '{"system": "s1", "document": "d2", "text": "More."}\n'
        '{"system": "s2", "document": "d2", "text": "Even more."}\n'
        '{"system": "s1", "document": "d3", "text": "Practice one. Practice two."}\n'
    ),
    "systems.csv": "id,name,type\ns1,System One,system\ns2,,human\n",
    "scores.csv": "metric,system,item,score\nm,s1,d1,0.5\nm,s2,,\n",
    "practice.jsonl": (
        '{"task": "coverage", "system": "s1", "document": "d3", "reference": "r3",'
        ' "key": {"units": [{"marks": [0], "grade": 1}]}}\n'
        '{"task": "fluent", "system": "s1", "document": "d3", "key": {"values": {"fluency": 5}}}\n'
    ),
    "assessors.csv": "name,group,author\nAda,a,\nBen,b,ben\n",
}


def write_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def spoilt(name: str, old: str, new: str) -> dict[str, str]:
    """A file of the good study with one thing changed."""
    assert GOOD[name].count(old) == 1, (name, old)
    return {name: GOOD[name].replace(old, new)}


def with_line(name: str, line: str) -> dict[str, str]:
    """A file of the good study with one more line."""
    return {name: GOOD[name] + line + "\n"}


def problems_of(source, **options) -> list[str]:
    """What the reader says, as ``file:line: message``."""
    with pytest.raises(StudyFileProblems) as found:
        read_study(source, **options)
    return [str(problem) for problem in found.value.problems]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A valid study in a folder."""
    return write_files(tmp_path / "study", dict(GOOD))
