"""What a task kind cannot work with is said at import, with file and line."""

import json
import re
import shutil

import pytest

from annotation.selectors.files import study_as_file
from annotation.services.studies import study_import
from annotation.study_files import read_study, zipped
from tests.annotation.study_files.conftest import problems_of
from tests.conftest import ROOT

# An example study, the file that is spoilt, what is replaced in it (a pattern, once), and what is said.
CASES = {
    "no surrogate of a kind": (
        "relevance",
        ("outputs.jsonl", r'("document": "ferry-2".*)"HUM"', r'\1"KWIC"'),
        "documents.jsonl:2: task “relevant”: document “ferry-2” has no surrogate of kind HUM; add one to the outputs.",
    ),
    "two surrogates of a kind": (
        "relevance",
        (
            "outputs.jsonl",
            r"\Z",
            '{"system": "jd6038", "document": "ferry-2", "kind": "HUM", "text": "Again."}\n',
        ),
        "outputs.jsonl:29: task “relevant”: document “ferry-2” has two surrogates of kind HUM; remove one of them.",
    ),
    "an event without a description": (
        "relevance",
        ("topics.jsonl", r'("id": "seeds".*"description": ")[^"]*', r"\1"),
        "topics.jsonl:2: task “relevant”: event “seeds” has no description",
    ),
    "an unknown practice event": (
        "relevance",
        ("study.yaml", r"\[clock\]", "[clocks]"),
        "study.yaml:13: task “relevant”: “practice_topics” names an unknown topic, “clocks”.",
    ),
    "practice only": (
        "relevance",
        ("study.yaml", r"\[clock\]", "[clock, ferry, seeds]"),
        "study.yaml:13: task “relevant” finds nothing to judge",
    ),
    "full text as a kind": (
        "relevance",
        ("study.yaml", r"\[HEAD, HUM\]", "[HEAD, full]"),
        "“full” is the full text, which always comes last; leave it out of “kinds”",
    ),
    "an unknown order": (
        "relevance",
        ("study.yaml", "complete-set", "complete"),
        "study.yaml:16: “order” cannot be “complete”; ",
    ),
    "a key off the scale": (
        "likert",
        ("practice.jsonl", '"repetitive": 1', '"repetitive": 9'),
        "practice.jsonl:1: the key cannot be right: 9 is not on the scale of statement 5.",
    ),
    "six points": (
        "likert",
        ("study.yaml", "preset: murray", "preset: murray\n    points: 6"),
        "study.yaml:16: “points” cannot be “6”; there are 5, 7.",
    ),
    "an unknown preset": (
        "likert",
        ("study.yaml", "murray", "murrey"),
        "unknown preset “murrey”; there is murray",
    ),
}


@pytest.mark.parametrize(("study", "change", "expected"), CASES.values(), ids=CASES)
def test_what_a_kind_cannot_work_with_is_named(tmp_path, study, change, expected):
    folder = shutil.copytree(ROOT / "fixtures" / study, tmp_path / study)
    name, old, new = change
    text, count = re.subn(old, new, (folder / name).read_text(), count=1)
    assert count == 1
    (folder / name).write_text(text)
    found = problems_of(folder)
    assert [problem for problem in found if expected in problem], found
    assert len(found) == 1


def test_practice_of_cross_comprehension_is_refused(tmp_path):
    """An output alone is no pair of summary and question."""
    folder = tmp_path / "study"
    shutil.copytree(ROOT / "fixtures" / "cross_comprehension", folder)
    with (folder / "study.yaml").open("a") as file:
        file.write("practice: practice.jsonl\n")
    first = json.loads((folder / "outputs.jsonl").read_text().splitlines()[0])
    row = {"task": "crossing", "system": first["system"], "document": first["document"]}
    (folder / "practice.jsonl").write_text(json.dumps(row) + "\n")
    assert problems_of(folder) == [
        "practice.jsonl:1: a task of kind cross_comprehension has no practice items; remove this line."
    ]


@pytest.fixture
def one_writer(tmp_path):
    """The example of relevance prediction, in which one system makes the surrogates of both kinds."""
    folder = shutil.copytree(ROOT / "fixtures" / "relevance", tmp_path / "study")
    outputs = (folder / "outputs.jsonl").read_text().replace('"rw2915"', '"jd6038"')
    (folder / "outputs.jsonl").write_text(outputs)
    with (folder / "study.yaml").open("a") as file:
        file.write("practice: practice.jsonl\n")

    def practise(**fields):
        row = {"task": "relevant", "system": "jd6038", "document": "ferry-1", **fields}
        (folder / "practice.jsonl").write_text(json.dumps(row) + "\n")
        return folder

    return practise


def test_practice_names_the_kind_where_a_system_has_several_outputs(one_writer):
    assert problems_of(one_writer()) == [
        "practice.jsonl:1: system “jd6038” has outputs of several kinds for “ferry-1” (“HEAD”, “HUM”); give “kind”."
    ]
    assert problems_of(one_writer(kind="KWIC")) == [
        "practice.jsonl:1: there is no output of system “jd6038” for “ferry-1” of kind “KWIC”."
    ]


@pytest.mark.django_db
def test_practice_on_an_output_of_a_kind_comes_back_as_it_was(one_writer):
    study_file = read_study(one_writer(kind="HUM"))
    study = study_import(study_file=study_file)
    assert study.tasks.get().practice_items.get().output.kind == "HUM"
    assert study_as_file(study) == study_file
    assert zipped(study_as_file(study)) == zipped(study_file)


def test_practice_need_not_name_the_only_kind_there_is(tmp_path):
    folder = shutil.copytree(ROOT / "fixtures" / "relevance", tmp_path / "study")
    with (folder / "study.yaml").open("a") as file:
        file.write("practice: practice.jsonl\n")
    (folder / "practice.jsonl").write_text(
        '{"task": "relevant", "system": "rw2915", "document": "ferry-1"}\n'
    )
    assert [row.kind for row in read_study(folder).practice] == ["HUM"]
