"""Summaries of meetings as the AMI and ICSI corpora have them: in from NITE XML and JSON, out as JSON."""

import json

import pytest

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.human.extract import links, weighted_extract
from tests.metrics.formats.meetings import json_files, nxt_files

FORM = FORMATS["ami"]
ROWS = [
    ("abstract", "abstract", "They plan, slowly\n\nSomebody asks."),
    ("decisions", "abstract", "It opens in May."),
    ("2", "extract", ""),
    ("3", "extract", ""),
    ("4", "extract", ""),
    ("abstract/1:4", "link", ""),
    ("abstract/2:2", "link", ""),
    ("abstract/2:3", "link", ""),
    ("decisions/1:4", "link", ""),
]


@pytest.mark.parametrize("files", [nxt_files, json_files])
def test_abstracts_lines_and_links_are_rows_of_an_extract(files, tmp_path):
    """A pointer from a first act to a last one has all of them; an act is a line, by the time at which it was said."""
    judgments = FORM.reads["judgments"](files(tmp_path))
    found = judgments[["unit", "criterion", "label"]].itertuples(index=False, name=None)
    assert list(found) == ROWS
    assert set(judgments["item"]) == {"M1"} and set(judgments["kind"]) == {"extract"}
    assert list(weighted_extract(judgments)["unit"]) == ["2", "3", "4"]
    assert len(links(judgments)) == 4


@pytest.mark.parametrize("files", [nxt_files, json_files])
def test_a_document_has_a_line_for_each_act_and_abstracts_are_references(files, tmp_path):
    paths = files(tmp_path)
    (document,) = FORM.reads["documents"](paths).to_dict("records")
    assert document == {
        "id": "M1",
        "units": [
            "[00:00] A: Good morning .",
            "[00:02] B: <vocalsound>",
            "[00:02] B: Is it dry ?",
            "[00:06] A: We open in May",
        ],
    }
    (reference,) = FORM.reads["references"](paths).to_dict("records")
    assert reference["text"] == "They plan, slowly\n\nSomebody asks.\nIt opens in May."


def test_json_comes_out_as_it_went_in_by_way_of_our_table(tmp_path):
    paths = json_files(tmp_path / "in")
    table, out = tmp_path / "judgments.csv", tmp_path / "out"
    assert main(["convert", "ami", "judgments", *map(str, paths), "--out", str(table)]) == 0
    assert main(["convert", "judgments", "ami", str(table), "--out", str(out)]) == 0
    for layer in ("abstractive", "extractive", "summlink"):
        again, before = (
            json.loads((folder / layer / "M1.json").read_text()) for folder in (out, tmp_path / "in")
        )
        assert again == before, layer


def test_what_nite_says_comes_out_as_the_json_of_the_same_meeting(tmp_path):
    """But for labels and roles, which NITE keeps in files of their own."""
    files = FORM.writes["judgments"](FORM.reads["judgments"](nxt_files(tmp_path / "nxt")))
    known = {path.parent.name: path for path in json_files(tmp_path / "json")}
    bare = known["extractive"].read_text().replace(', "label": "inf", "attributes": {"role": "PM"}', "")
    assert json.loads(files["extractive/M1.json"]) == json.loads(bare)
    assert json.loads(files["abstractive/M1.json"]) == json.loads(known["abstractive"].read_text())


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("M1.A.dialog-act.xml", "words6)", "words7)", "expected the words of act M1.A.da.2 among those of A"),
        ("M1.A.words.xml", 'starttime="6.0"', "", "expected the time at which act M1.A.da.2 begins"),
        ("M1.extsumm.xml", "M1.B.da.2", "M1.B.da.9", "expected dialogue act M1.B.da.9"),
        ("M1.summlink.xml", "M1.ann.s.3", "M1.ann.s.9", "expected sentence M1.ann.s.9 in the abstract"),
        ("M1.summlink.xml", 'role="extractive"', 'role="x"', "expected an abstractive and an extractive end"),
        ("M1.extsumm.xml", "#id(M1.A.da.2)", "", "expected FILE#id(…)"),
        ("M1.abssumm.xml", "</nite:root>", "", "expected XML"),
        ("M1.abssumm.xml", "?>", '?><!DOCTYPE x [<!ENTITY a "b">]>', "expected no entities of its own"),
        ("M1.abssumm.xml", "ISO-8859-1", "utf-99", "expected XML"),
    ],
)
def test_what_is_wrong_is_said(name, old, new, message, tmp_path):
    paths = nxt_files(tmp_path)
    (path,) = [path for path in paths if path.name == name]
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadInput) as problem:
        FORM.reads["judgments"](paths)
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_without_acts_or_texts_the_missing_file_is_named(tmp_path):
    paths = json_files(tmp_path)
    with pytest.raises(BadInput, match=r"expected a dialogue act of the meeting, found 'M1\.B\.da\.1'"):
        FORM.reads["judgments"](paths[1:])
    judgments = FORM.reads["judgments"](paths)
    with pytest.raises(
        BadInput, match="expected --attributes FILE with the sentences of summaries/M1/ami/abstract"
    ):
        FORM.writes["judgments"](judgments.drop(columns="ami"))
    with pytest.raises(BadInput, match="expected files such as"):
        FORM.reads["judgments"]([tmp_path / "other" / "M1.json"])


def test_what_a_study_would_cut_into_several_sentences_is_warned_of(tmp_path):
    paths = json_files(tmp_path)
    (path,) = [path for path in paths if path.parent.name == "abstractive"]
    path.write_text(path.read_text().replace("plan, slowly", "plan. Slowly."))
    with pytest.warns(UserWarning, match=r"M1: M1\.ann\.s\.1 looks like several sentences"):
        FORM.reads["judgments"](paths)
