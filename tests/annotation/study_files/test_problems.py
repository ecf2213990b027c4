"""Every way in which a study file can be wrong has its message, with file and line."""

import os

import pytest

from tests.annotation.study_files.cases_materials import MATERIALS
from tests.annotation.study_files.cases_study_yaml import STUDY_YAML
from tests.annotation.study_files.conftest import GOOD, problems_of, spoilt, write_files

CASES = STUDY_YAML | MATERIALS


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_a_problem_is_named_with_its_line(folder, files, expected):
    write_files(folder, files)
    found = problems_of(folder)
    assert any(expected in problem for problem in found), found


# These are caused by one fault and must not drag others along.
ALONE = [
    "output for an unknown document",
    "broken JSON",
    "JSON with a key twice",
    "not UTF-8",
    "id twice",
    "too many cells",
    "unknown kind",
    "bad value of a task",
    "missing file",
    "empty unit",
    "key off the scale",
    "UTF-16",
    "missing column",
    "output twice",
    "numeric id",
]


@pytest.mark.parametrize("case", ALONE)
def test_one_fault_gives_one_problem(folder, case):
    files, _ = CASES[case]
    write_files(folder, files)
    assert len(problems_of(folder)) == 1


def test_every_problem_is_found_at_once_in_the_order_of_files_and_lines(folder):
    write_files(
        folder,
        spoilt("study.yaml", "seed: 7", "seed: x\nsead: 1")
        | {
            "documents.jsonl": GOOD["documents.jsonl"].replace("Second story.", " "),
            "outputs.jsonl": GOOD["outputs.jsonl"]
            + '{"system": "s9", "document": "d9", "text": ""}\n{"system": "s9", "document": "d9", "text": "x"}\n',
            "assessors.csv": "name\nAda\nAda\n",
        },
    )
    found = problems_of(folder)
    assert [problem.partition(": ")[0] for problem in found] == [
        "study.yaml:5",
        "study.yaml:6",
        "documents.jsonl:2",
        "outputs.jsonl:6",
        "outputs.jsonl:7",
        "outputs.jsonl:7",
        "assessors.csv:3",
    ]


def test_a_line_that_cannot_be_read_does_not_make_its_id_unknown(folder):
    write_files(folder, {"documents.jsonl": GOOD["documents.jsonl"].replace('story."}', "story.}")})
    assert problems_of(folder) == [
        "documents.jsonl:2: this is not JSON: Unterminated string starting at (character 22)."
    ]


def test_a_file_full_of_faults_is_cut_short(folder):
    write_files(folder, {"documents.jsonl": "nonsense\n" * 5000})
    found = [problem for problem in problems_of(folder) if problem.startswith("documents.jsonl")]
    assert found[3] == "documents.jsonl:4: the same in 997 more lines (lines 4 to 1,000)."
    assert len(found) == 5
    assert found[-1] == (
        "documents.jsonl: there are more than these 1,000 problems in this file; it was not read to its end."
    )


def test_a_link_that_leaves_the_folder_is_not_followed(folder, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"id": "d1", "text": "secret"}\n')
    (folder / "documents.jsonl").unlink()
    (folder / "documents.jsonl").symlink_to(secret)
    assert problems_of(folder) == [
        "study.yaml:8: “materials documents”: “documents.jsonl” is a link that points outside the folder of the study."
    ]


def test_a_pipe_is_not_read(folder):
    (folder / "documents.jsonl").unlink()
    os.mkfifo(folder / "documents.jsonl")
    assert "study.yaml:8: “materials documents”: “documents.jsonl” is not a file." in problems_of(folder)


def test_a_folder_that_is_too_large_is_refused(folder):
    assert any("more than 400 bytes" in problem for problem in problems_of(folder, max_bytes=400))


def test_a_folder_without_study_yaml_is_refused(tmp_path):
    assert problems_of(tmp_path) == [f"There is no study.yaml in {tmp_path}."]


def test_a_path_to_nothing_is_refused(tmp_path):
    assert problems_of(tmp_path / "nothing") == [f"There is no {tmp_path / 'nothing'}."]


def test_study_yaml_itself_is_not_the_study(folder):
    assert problems_of(folder / "study.yaml") == [
        "Give the folder that holds study.yaml, not study.yaml itself."
    ]


def test_two_wrong_columns_are_said_once_and_not_in_every_line(folder):
    rows = "".join(f'{{"ident": "x{n}", "txt": "A story."}}\n' for n in range(121))
    write_files(folder, {"documents.jsonl": rows})
    found = [problem for problem in problems_of(folder) if problem.startswith("documents.jsonl")]
    assert len(found) <= 16
    assert "documents.jsonl:1: unknown key “txt”; did you mean “text”?" in found
    assert any("the same in 118 more lines (lines 4 to 121)." in problem for problem in found)
