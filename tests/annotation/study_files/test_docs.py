"""docs/study-files.md: its example is a study, and no key is left out."""

import re
from pathlib import Path

import pytest

from annotation.designs import Design
from annotation.study_files import read_study
from annotation.study_files.draft import Head, MaterialFiles
from annotation.study_files.schema import (
    AssessorRow,
    ContentUnitRow,
    ControlRow,
    DocumentRow,
    OutputRow,
    PracticeRow,
    PrefilledRow,
    QuestionRow,
    ReferenceRow,
    ScoreRow,
    Settings,
    SystemRow,
    TopicRow,
)
from annotation.tasks.rating.kind import Criterion, Rating, Slider, Step
from annotation.tasks.see.kind import See, UnitAnswer
from tests.annotation.study_files.conftest import write_files

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "study-files.md").read_text(encoding="utf-8")
ROWS = [
    TopicRow,
    DocumentRow,
    ReferenceRow,
    OutputRow,
    SystemRow,
    QuestionRow,
    ContentUnitRow,
    ScoreRow,
    PracticeRow,
    ControlRow,
    PrefilledRow,
    AssessorRow,
]
OTHERS = [
    Head,
    MaterialFiles,
    Settings,
    Design,
    See.Config,
    See.Answer,
    UnitAnswer,
    Rating.Config,
    Criterion,
    Step,
    Slider,
]


def test_the_example_is_a_study(tmp_path):
    files = dict(re.findall(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    assert len(files) == 8
    study = read_study(write_files(tmp_path, files))
    assert study.slug == "two-summarisers"
    assert study.practice[0].reference == "warm-up-anna"


@pytest.mark.parametrize("model", [*ROWS, *OTHERS], ids=lambda model: model.__qualname__)
def test_every_key_is_explained(model):
    named = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    assert set(model.model_fields) <= named


@pytest.mark.parametrize("model", ROWS, ids=lambda model: model.__qualname__)
def test_what_is_needed_is_in_bold(model):
    needed = {name for name, field in model.model_fields.items() if field.is_required()}
    row = next(
        line
        for line in PAGE.splitlines()
        if line.startswith("| `") and all(f"`{n}`" in line for n in model.model_fields)
    )
    assert needed == set(re.findall(r"\*\*`(\w+)`\*\*", row))
