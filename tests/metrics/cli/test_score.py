"""``python -m metrics score`` on files."""

import csv
import io
import json
import subprocess
import sys

import pytest

from metrics.automatic import registry
from metrics.cli import main
from metrics.frames import read_scores

OUTPUTS = [
    {"system": "a", "item": "1", "text": "The children ran home."},
    {"system": "b", "item": "1", "text": "guards chased the intruder"},
    {"system": "a", "document": "2", "units": ["Two cats ran.", "A dog slept."]},
    {"system": "b", "topic": "2", "sentences": ["Cats ran; dogs slept."]},
]
REFERENCES = [
    {"item": "1", "reference": "x", "text": "A child runs to the house."},
    {"document": "1", "id": "y", "author": "k", "units": ["Kids went home."]},
    {"item": "2", "reference": "x", "text": "Cats ran while dogs slept."},
]


@pytest.fixture
def files(tmp_path):
    for name, rows in (("outputs", OUTPUTS), ("references", REFERENCES)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["--outputs", str(tmp_path / "outputs.jsonl"), "--references", str(tmp_path / "references.jsonl")]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_item_scores_as_csv_with_signatures_on_standard_error(files, capsys):
    assert main(["score", *files, "--metric", "rouge-1-stem-r", "rouge-1-r"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "metric,system,item,score"
    found = {(row["metric"], row["system"], row["item"]): row["score"] for row in rows_of(out)}
    assert len(found) == 8
    # "home" is in the second reference of 3 words; "the" (and, stemmed, "child") in the first of 6.
    assert float(found["rouge-1-r", "a", "1"]) == 0.22222
    assert float(found["rouge-1-stem-r", "a", "1"]) == 0.33333
    assert "\nrouge-1-r|rouge:1|stem:no|" in err


def test_a_glob_computes_with_stemming_and_with_porter_alike(files, capsys):
    assert main(["score", *files, "--metric", "rouge-*"]) == 0
    names = {row["metric"] for row in rows_of(capsys.readouterr().out)}
    assert len(names) == 144
    assert {"rouge-su4-stem-stop-f", "rouge-w-1.2-porter-p", "rouge-l-stop-r"} <= names


def test_system_scores_add_mean_and_median(files, capsys):
    assert main(["score", *files, "--metric", "rouge-2-f", "--level", "system"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert [(row["metric"], row["system"], row["item"]) for row in rows] == [
        ("rouge-2-f-mean", "a", ""),
        ("rouge-2-f-mean", "b", ""),
        ("rouge-2-f-median", "a", ""),
        ("rouge-2-f-median", "b", ""),
    ]


def test_json_holds_rows_and_signatures(files, capsys):
    assert main(["score", *files, "--metric", "rouge-l-f", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert len(found["rows"]) == 4
    assert list(found["signatures"]) == ["rouge-l-f"]
    assert err == ""


def test_the_default_set_can_be_read_back_as_a_score_table(files, tmp_path, capsys):
    out = tmp_path / "scores.csv"
    assert main(["score", *files, "--out", str(out)]) == 0
    table = read_scores(out)
    assert set(table["metric"]) == {choice.name for choice in registry.select()}
    direction = table.drop_duplicates("metric").set_index("metric")["higher_is_better"]
    assert all(direction[name] == registry.metric(name).higher_is_better for name in direction.index)


def test_an_unknown_metric_is_one_line_with_the_nearest_names_and_exit_code_2(files, tmp_path, capsys):
    out = tmp_path / "scores.csv"
    assert main(["score", *files, "--metric", "rouge-1-stm-f", "--out", str(out)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "no metric is called 'rouge-1-stm-f'; nearest: rouge-1-stem-f" in line
    assert not out.exists()


def test_a_bad_file_is_one_line_with_file_and_row_and_exit_code_2(files, tmp_path, capsys):
    (tmp_path / "outputs.jsonl").write_text('{"system": "a", "item": "1"}\n')
    assert main(["score", *files, "--metric", "rouge-1-f"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "outputs.jsonl" in line
    assert "row 1" in line


def test_a_missing_reference_is_an_empty_cell_and_a_warning(files, tmp_path, capsys):
    (tmp_path / "references.jsonl").write_text(json.dumps(REFERENCES[0]) + "\n")
    assert main(["score", *files, "--metric", "rouge-1-f"]) == 0
    out, err = capsys.readouterr()
    assert [row["score"] == "" for row in rows_of(out)] == [False, False, True, True]
    assert "warning: 2 of 4 outputs have no reference" in err


def test_references_of_other_items_are_refused(files, tmp_path, capsys):
    other = json.dumps({"item": "9", "text": "Elsewhere."}) + "\n"
    (tmp_path / "references.jsonl").write_text(other)
    assert main(["score", *files, "--metric", "rouge-1-f"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert (
        "references.jsonl: no item of the outputs has a reference: outputs are of 1, 2, references of 9"
        in err
    )


def test_it_runs_as_a_command(files):
    done = subprocess.run(
        [sys.executable, "-m", "metrics", "score", *files, "--metric", "rouge-1-f", "--processes", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(rows_of(done.stdout)) == 4
