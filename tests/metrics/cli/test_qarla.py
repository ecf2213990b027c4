"""``python -m metrics qarla``, ``orange`` and ``explain`` on files."""

import csv
import io
import json

import pytest

from metrics.automatic.syntax import parsers
from metrics.cli import main
from tests.metrics.automatic.test_qarla_metrics import frames


@pytest.fixture
def files(tmp_path):
    outputs, references = frames(items=3)
    for name, table in (("outputs", outputs), ("references", references)):
        lines = (json.dumps(row) + "\n" for row in table.to_dict("records"))
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return ["--outputs", str(tmp_path / "outputs.jsonl"), "--references", str(tmp_path / "references.jsonl")]


METRICS = ["--metric", "rouge-1-f", "bleu-s", "wer", "--processes", "1"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_king_and_jack_of_every_set(files, capsys):
    assert main(["qarla", *files, *METRICS, "--largest-set", "2", "--clusters", "2"]) == 0
    out, err = capsys.readouterr()
    rows = rows_of(out)
    assert [*rows[0]] == ["set", "size", "king", "jack", "cluster", "best_of_cluster"]
    assert {row["set"] for row in rows} >= {"rouge-1-f", "wer", "rouge-1-f+bleu-s"}
    assert len(rows) == 6
    assert "qarla|items:3|models:9|ties:lose|" in err
    assert "\nwer|" in err


def test_how_alike_metrics_are(files, capsys):
    assert main(["qarla", *files, *METRICS, "--sim", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) == 3
    assert all(0 <= row["sim"] <= 1 for row in rows)


def test_too_many_sets_are_refused_before_anything_is_computed(files, capsys):
    assert main(["qarla", *files, "--metric", "rouge-*", "--largest-set", "3"]) == 2
    assert "sets are too many" in capsys.readouterr().err


def test_orange_with_intervals_and_pairs(files, capsys):
    assert main(["orange", *files, *METRICS]) == 0
    out, err = capsys.readouterr()
    rows = rows_of(out)
    assert [*rows[0]] == ["metric", "orange", "low", "high", "items"]
    assert [float(row["orange"]) for row in rows] == sorted(float(row["orange"]) for row in rows)
    assert "lower is better" in err
    assert main(["orange", *files, *METRICS, "--pairs"]) == 0
    assert len(rows_of(capsys.readouterr().out)) == 3


def test_an_explanation_says_what_matched_what_by_what(files, tmp_path):
    out = tmp_path / "why.json"
    assert main(["explain", *files, "--system", "p", "--item", "i0", "--json", "--out", str(out)]) == 0
    said = json.loads(out.read_text(encoding="utf-8"))
    assert "|parser:spacy-" in said["signatures"]["bewte"]
    scores = [row["score"] for row in said["rows"]]
    assert scores == sorted(scores, reverse=True), "the best reference first"
    assert {row["reference"] for row in said["rows"]} == set("ABC")
    for row in said["rows"]:
        assert bool(row["by"]) == (row["found"] == "matched")
        assert bool(row["output_element"]) == (row["found"] != "missed")
        assert bool(row["reference_element"]) == (row["found"] != "extra")


def test_an_unknown_output_and_a_missing_parser_are_one_line(files, capsys, monkeypatch):
    assert main(["explain", *files, "--system", "x", "--item", "i0"]) == 2
    assert "no output of system 'x'" in capsys.readouterr().err
    assert main(["explain", *files, "--system", "\udc80", "--item", "i0"]) == 2
    assert capsys.readouterr().err.endswith("expected arguments in UTF-8, found half a character\n")
    monkeypatch.setattr(parsers, "spacy_parser", lambda: None)
    one_output = ["explain", *files, "--system", "p", "--item", "i0"]
    for command in (
        one_output,
        ["qarla", *files, "--metric", "bewte"],
        ["orange", *files, "--metric", "bewte"],
    ):
        assert main(command) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "pip install 'touchstone[syntax]'" in line
