"""JSON can spell half a character (``\\ud83d``), which no file in UTF-8 can hold: refused by every reader, with its line."""

import json
import re

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.frames import (
    JUDGMENT_COLUMNS,
    read_attributes,
    read_judgments,
    read_scores,
    read_texts_outputs,
    read_texts_references,
)
from metrics.tables import json_object, read_table

HALF = "\ud83d"
JUDGMENT = dict.fromkeys(JUDGMENT_COLUMNS, "") | {
    "study": "s",
    "task": "t",
    "kind": "rating",
    "assessor": "a1",
    "system": "A",
    "item": "i1",
    "criterion": "adequacy",
    "value": 4,
}
READERS = {
    "judgments": (read_judgments, JUDGMENT, ("study", "assessor", "system", "unit", "label")),
    "scores": (
        read_scores,
        {"metric": "m", "system": "A", "item": "i1", "score": 1},
        ("metric", "system", "item"),
    ),
    "attributes": (
        read_attributes,
        {"scope": "output", "id": "A/i1", "name": "tokens", "value": "3"},
        ("scope", "id", "name", "value"),
    ),
    "outputs": (
        read_texts_outputs,
        {"system": "A", "item": "i1", "text": "One."},
        ("system", "item", "text"),
    ),
    "references": (read_texts_references, {"item": "i1", "reference": "r", "text": "One."}, ("item", "text")),
}
MESSAGE = r": expected whole characters, found half of one \(a lone surrogate such as \\ud83d\)"


def lines_file(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    return path


@pytest.mark.parametrize(
    ("reader", "row", "column"),
    [(reader, row, column) for reader, row, columns in READERS.values() for column in columns],
)
def test_every_table_in_json_lines_is_refused_with_file_and_line(tmp_path, reader, row, column):
    path = lines_file(
        tmp_path / "rows.jsonl", row | {"item": "other", "id": "other"}, row | {column: f"a{HALF}"}
    )
    with pytest.raises(BadInput, match=f"^{re.escape(str(path))}, row 2{MESSAGE}$"):
        reader(path)


def test_half_a_character_in_a_list_or_in_a_name_of_a_column_is_found_too(tmp_path):
    for wrong in ({"sentences": ["One.", HALF]}, {HALF: 1}):
        path = lines_file(tmp_path / "rows.jsonl", {"system": "A", "item": "i1", "text": "One."} | wrong)
        with pytest.raises(BadInput, match=MESSAGE):
            read_texts_outputs(path)


def test_sentences_in_a_csv_file_are_json_as_well(tmp_path):
    path = tmp_path / "outputs.csv"
    pd.DataFrame({"system": ["A", "B"], "item": "i1", "sentences": ['["One."]', r'["\ud83d"]']}).to_csv(path)
    with pytest.raises(BadInput, match=r"outputs\.csv, row 3, column sentences: expected whole characters"):
        read_texts_outputs(path)


def test_text_that_is_not_utf_8_in_a_parquet_file_is_refused(tmp_path):
    broken = pa.array([b"A", b"\xed\xa0\xbd"]).view(pa.string())
    table = pa.table({"metric": ["m", "m"], "system": broken, "item": ["i1", "i1"], "score": [1.0, 2.0]})
    parquet.write_table(table, tmp_path / "scores.parquet")
    with pytest.raises(BadInput, match=r"scores\.parquet: cannot be read \(.*Invalid UTF8"):
        read_scores(tmp_path / "scores.parquet")


@pytest.mark.parametrize(
    ("format_", "table", "rows"),
    [
        (
            "sacrerouge",
            "scores",
            [{"instance_id": HALF, "summarizer_id": "A", "summarizer_type": "peer", "metrics": {"m": 1}}],
        ),
        ("summeval", "outputs", [{"id": "d1", "decoded": HALF, "model_id": "A", "references": []}]),
    ],
)
def test_formats_of_json_lines_are_refused_with_file_and_line(tmp_path, format_, table, rows):
    path = lines_file(tmp_path / "release.jsonl", *rows)
    with pytest.raises(BadInput, match=f"row 1{MESSAGE}"):
        FORMATS[format_].reads[table]([path])


def test_a_json_file_of_many_lines_is_refused_with_the_line(tmp_path):
    whole = {"d1": {"src": "A \\ud83d", "ref_summs": ["😀", HALF], "sys_summs": {}}}
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(whole, indent=1))
    number = next(n for n, line in enumerate(path.read_text().split("\n"), 1) if '"\\ud83d"' in line)
    with pytest.raises(BadInput, match=f"row {number}{MESSAGE}"):
        FORMATS["summeval"].reads["outputs"]([path])


def commands(folder):
    """Every command with a file in which half a character is spelled, and sound files beside it."""
    half = {
        name: lines_file(
            folder / f"{name}.jsonl",
            row | {"system": f"A{HALF}"} if "system" in row else row | {"text": HALF},
        )
        for name, (_, row, _) in READERS.items()
        if name != "attributes"
    }
    attributes = lines_file(folder / "attributes.jsonl", READERS["attributes"][1] | {"value": HALF})
    sound = lines_file(folder / "sound.jsonl", READERS["scores"][1])
    judged = lines_file(folder / "judged.jsonl", JUDGMENT)
    said = lines_file(folder / "outputs-sound.jsonl", READERS["outputs"][1])
    out = folder / "report"
    return [
        ("outputs", ["score", "--outputs", half["outputs"], "--references", half["references"]]),
        ("references", ["score", "--outputs", said, "--references", half["references"]]),
        ("judgments", ["human", half["judgments"], "--score", "adequacy"]),
        ("attributes", ["human", judged, "--score", "adequacy", "--attributes", attributes]),
        ("judgments", ["agreement", half["judgments"]]),
        ("scores", ["correlate", "--human", sound, "--metrics", half["scores"]]),
        ("scores", ["correlate", "--human", half["scores"], "--metrics", sound]),
        ("scores", ["compare-metrics", "--human", sound, "--metrics", half["scores"]]),
        ("scores", ["compare-systems", half["scores"], "--metric", "m"]),
        ("scores", ["significance-prediction", "--human", sound, "--metrics", half["scores"]]),
        ("judgments", ["report", half["judgments"], "--out", out]),
        ("attributes", ["report", judged, "--attributes", attributes, "--out", out]),
        ("scores", ["report", judged, "--scores", half["scores"], "--out", out]),
        (
            "outputs",
            [
                "report",
                judged,
                "--outputs",
                half["outputs"],
                "--references",
                half["references"],
                "--out",
                out,
            ],
        ),
        ("scores", ["convert", "scores", "sacrerouge", half["scores"], "--out", out]),
    ]


def test_every_command_answers_in_one_line(tmp_path, capsys):
    for name, arguments in commands(tmp_path):
        assert main([str(argument) for argument in arguments]) == 2, arguments
        printed, err = capsys.readouterr()
        assert printed == ""
        assert re.search(f"{name}\\.jsonl, row 1{MESSAGE}\n$", err), (arguments, err)
        assert err.count("\n") == 1


@given(st.text(st.characters(codec=None), max_size=6))
def test_whole_characters_pass_however_they_are_spelled_and_halves_never_do(text):
    """Also backslashes before what looks like an escape, and pairs of halves that make one character."""
    spelled = json.dumps({"text": text})
    try:
        json.loads(spelled)["text"].encode()
    except UnicodeEncodeError:
        with pytest.raises(BadInput, match=f"^f, row 1{MESSAGE}$"):
            json_object(spelled, file="f")
    else:
        assert json_object(spelled, file="f") == json.loads(spelled)


def test_what_only_looks_like_half_a_character_is_text(tmp_path):
    path = lines_file(tmp_path / "rows.jsonl", {"text": r"\ud83d"}, {"text": "😀"})
    assert read_table(path)["text"].tolist() == [r"\ud83d", "😀"]
