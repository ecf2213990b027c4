"""``python -m metrics human``, and what all commands share: files, JSON, signatures, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from metrics.cli import main
from metrics.frames import read_scores
from tests.metrics.human.rows import attributes, table

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def judgments(tmp_path):
    rows = [
        {"assessor": assessor, "system": system, "item": item, "criterion": criterion, "value": value}
        for assessor, system, item, criterion, value in [
            ("a1", "A", "i1", "adequacy", 4),
            ("a1", "A", "i2", "adequacy", 2),
            ("a1", "=B", "i1", "adequacy", 5),
            ("a2", "A", "i1", "adequacy", 3),
            ("a1", "A", "i1", "fluency", 1),
        ]
    ]
    path = tmp_path / "judgments.csv"
    table(rows, kind="rating").to_csv(path, index=False)
    return path


def test_scores_are_printed_as_csv_with_the_signature_apart(judgments, capsys):
    assert main(["human", str(judgments), "--score", "adequacy"]) == 0
    out, err = capsys.readouterr()
    assert out == "metric,system,item,score\nadequacy,'=B,i1,5.0\nadequacy,A,i1,3.5\nadequacy,A,i2,2.0\n"
    assert err.startswith("adequacy|level:item|normalise:none|")
    assert "version:touchstone-" in err


def test_a_written_table_is_read_back(judgments, tmp_path):
    out = tmp_path / "scores.csv"
    assert main(["human", str(judgments), "--score", "adequacy", "--out", str(out)]) == 0
    assert read_scores(out)["system"].tolist() == ["=B", "A", "A"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_json_has_rows_and_the_signature_and_null_for_nan(judgments, capsys):
    assert main(["human", str(judgments), "--score", "adequacy", "--normalise", "z", "--json"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["signatures"]["adequacy"].startswith("adequacy|")
    assert "normalise:z" in answer["signatures"]["adequacy"]
    assert answer["rows"][0]["system"] == "=B"
    assert {row["item"]: row["score"] for row in answer["rows"] if row["system"] == "A"}[
        "i2"
    ] == pytest.approx(-1.0910895)
    assert "a2" in err
    assert err.startswith("warning: z is undefined")


def test_an_undefined_score_is_null(tmp_path, capsys):
    path = tmp_path / "judgments.csv"
    table([{"criterion": "adequacy", "value": 4}], kind="rating").to_csv(path, index=False)
    assert main(["human", str(path), "--score", "adequacy", "--normalise", "z", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [
        {"metric": "adequacy", "system": "A", "item": "i1", "score": None}
    ]


def test_system_level_scores_can_be_weighted_by_length(judgments, tmp_path, capsys):
    known = tmp_path / "judgments.csv.attributes.csv"
    attributes(
        ("output", "A/i1", "tokens", 30), ("output", "A/i2", "tokens", 10), ("output", "=B/i1", "tokens", 5)
    ).to_csv(known, index=False)
    options = ["--level", "system", "--weights", "tokens", "--attributes", str(known)]
    assert main(["human", str(judgments), "--score", "adequacy", *options]) == 0
    out, err = capsys.readouterr()
    assert out == "metric,system,item,score\nadequacy,'=B,,5.0\nadequacy,A,,3.125\n"
    assert err.startswith("adequacy|level:system|weights:tokens|normalise:none|")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "clarity"], "expected a score among"),
        (["--score", "adequacy", "--beta", "5"], "expected no option beta: it has no meaning for adequacy"),
        (["--score", "adequacy", "--task", "other"], "column task: expected a task among t, found 'other'"),
        (["--score", "assessment", "--quality-task", "q"], "column task: expected a task among t, found 'q'"),
        (["--score", "adequacy", "--weights", "tokens"], "expected --level system with --weights"),
        (["--score", "coverage"], "expected judgments of kind see on coverage, found none"),
    ],
)
def test_a_bad_request_is_one_line_and_exit_code_2(judgments, capsys, options, message):
    assert main(["human", str(judgments), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("python -m metrics human: ")
    assert err.count("\n") == 1


def test_a_missing_attribute_says_where_to_get_it(tmp_path, capsys):
    path, known = tmp_path / "judgments.csv", tmp_path / "judgments.csv.attributes.csv"
    row = {"criterion": "coverage", "value": 0.5, "unit": "r/1"}
    table([row], kind="see").to_csv(path, index=False)
    command = ["human", str(path), "--score", "coverage-length-adjusted"]
    assert main(command) == 2
    assert "target of output A/i1: give --attributes FILE" in capsys.readouterr().err
    attributes(("output", "A/i1", "tokens", 30)).to_csv(known, index=False)
    assert main([*command, "--attributes", str(known)]) == 2
    assert f"{known}: expected an attribute: target of output A/i1\n" in capsys.readouterr().err


def test_the_same_judgment_twice_is_refused_by_all_commands_alike(tmp_path, capsys):
    path = tmp_path / "judgments.csv"
    rows = [{"position": position, "value": value} for position, value in ((1, 2), (7, 4))]
    table(rows, kind="rating", criterion="adequacy").to_csv(path, index=False)
    for command in (["human", str(path), "--score", "adequacy"], ["agreement", str(path)]):
        assert main(command) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert f"{path}, row 3: a1 has judged the same twice, here and in row 2 " in err


def test_a_bad_file_leaves_an_older_result_alone(judgments, tmp_path, capsys):
    out = tmp_path / "scores.csv"
    out.write_text("the result of yesterday")
    frame = pd.read_csv(judgments, dtype=str, keep_default_na=False)
    frame.loc[2, "value"] = "five"
    frame.to_csv(judgments, index=False)
    assert main(["human", str(judgments), "--score", "adequacy", "--out", str(out)]) == 2
    assert f"{judgments}, row 4, column value: expected a number, found 'five'" in capsys.readouterr().err
    assert out.read_text() == "the result of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judgments.csv", "scores.csv"]


def test_an_unknown_normalisation_is_refused_by_the_parser(judgments):
    with pytest.raises(SystemExit) as stopped:
        main(["human", str(judgments), "--score", "adequacy", "--normalise", "robust"])
    assert stopped.value.code == 2


def test_the_module_runs_from_the_shell(judgments):
    done = subprocess.run(
        [sys.executable, "-m", "metrics", "human", str(judgments), "--score", "fluency"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "metric,system,item,score\nfluency,A,i1,1.0\n")
