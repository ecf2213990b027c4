"""``python -m metrics convert``: every conversion, from file to file."""

import inspect
import json
import shlex
from pathlib import Path

import pytest

from metrics.cli import main
from metrics.formats import FORMATS, TABLES
from metrics.frames import read_judgments, read_scores, read_texts_outputs, read_texts_references
from tests.metrics.formats.releases import jsonl, release
from tests.metrics.formats.texts import write

APPRAISE = "u1,=alpha,7,TGT,eng,deu,78\r\nu1,=alpha,7,CHK,eng,deu,81\r\n"
METRICS = '{"instance_id": "d1", "summarizer_id": "a", "summarizer_type": "peer", "metrics": {"x": 0.5}}\n'
MQM = "system\tdoc\tseg_id\trater\tcategory\tseverity\na\td\t1\tr\tStyle\tMinor\n"


def convert(*arguments):
    return main(["convert", *map(str, arguments)])


def test_judgments_from_appraise_and_back(tmp_path, capsys):
    source, table, back = write(tmp_path / "a.csv", APPRAISE), tmp_path / "j.csv", tmp_path / "b.csv"
    assert convert("appraise", "judgments", source, "--out", table) == 0
    assert capsys.readouterr().err.startswith("convert|from:appraise|to:judgments|version:")
    # A system whose name a spreadsheet would run is neutralised in our table, and not in theirs.
    assert ",'=alpha," in table.read_text()
    assert read_judgments(table)["system"].tolist() == ["=alpha", "=alpha"]
    assert convert("judgments", "appraise", table, "--out", back) == 0
    assert back.read_bytes().decode() == APPRAISE


def test_scores_from_sacrerouge_to_mtme(tmp_path, capsys):
    table, folder = tmp_path / "s.csv", tmp_path / "set"
    assert convert("sacrerouge", "scores", write(tmp_path / "m.jsonl", METRICS), "--out", table) == 0
    assert (
        convert("scores", "mtme", table, "--languages", "en-de", "--reference", "refA", "--out", folder) == 0
    )
    assert (folder / "metric-scores/en-de/x-refA.seg.score").read_text() == "a\t0.5\n"
    assert (folder / "items.ids").read_text() == "d1\n"
    assert convert("scores", "sacrerouge", table) == 0
    assert capsys.readouterr().out == METRICS


def test_mqm_declares_that_lower_is_better(tmp_path):
    table = tmp_path / "s.csv"
    assert convert("mqm", "scores", write(tmp_path / "m.tsv", MQM), "--out", table) == 0
    assert read_scores(table)["higher_is_better"].tolist() == [False]


def test_texts_become_files_that_score_takes(tmp_path):
    outputs, references = tmp_path / "outputs.jsonl", tmp_path / "references.jsonl"
    a, r = write(tmp_path / "a.txt", "A cat.\n\n"), write(tmp_path / "anna.txt", "The cat.\nDogs.\n")
    assert convert("text", "outputs", a, "--out", outputs) == 0
    assert convert("text", "references", r, "--out", references) == 0
    assert read_texts_outputs(outputs)["text"].tolist() == ["A cat.", ""]
    assert read_texts_references(references)["reference"].tolist() == ["anna", "anna"]
    assert convert("outputs", "text", outputs, "--out", tmp_path / "back") == 0
    assert (tmp_path / "back" / "a.txt").read_bytes() == a.read_bytes()


def test_a_release_becomes_a_study_and_comes_back(tmp_path):
    source, folder, back = write(tmp_path / "r.jsonl", jsonl(release())), tmp_path / "s", tmp_path / "b.jsonl"
    assert convert("summeval", "study", source, "--group", "all", "--out", folder) == 0
    assert convert("study", "summeval", folder, "--out", back) == 0
    assert back.read_text() == jsonl(release())


def test_judgments_as_json(tmp_path, capsys):
    assert convert("appraise", "judgments", write(tmp_path / "a.csv", APPRAISE), "--json") == 0
    assert [row["value"] for row in json.loads(capsys.readouterr().out)["rows"]] == [78, 81]


def test_texts_as_json(tmp_path, capsys):
    assert convert("text", "outputs", write(tmp_path / "a.txt", "A cat.\n\n"), "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["text"] for row in answer["rows"]] == ["A cat.", ""]
    assert answer["signatures"]["convert"].startswith("convert|from:text|to:outputs|")


def test_times_survive_our_table(tmp_path):
    text = "u1,a,3,REF,ces,eng,100,1600000000.25,1600000012.123456\r\n"
    source, table, back = write(tmp_path / "a.csv", text), tmp_path / "j.csv", tmp_path / "b.csv"
    assert convert("appraise", "judgments", source, "--out", table) == 0
    assert convert("judgments", "appraise", table, "--out", back) == 0
    assert back.read_bytes().decode() == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["appraise", "scores", "FILE"], "no conversion from appraise to scores"),
        (["appraise", "wmt", "FILE"], "no conversion from appraise to wmt"),
        (["scores", "mqm", "FILE"], "no conversion from scores to mqm"),
        (["appraise", "judgments", "FILE", "--group", "all"], "expected no --group"),
        (["judgments", "appraise", "FILE", "FILE"], "expected one file of judgments, found 2"),
        (["judgments", "appraise", "FILE", "--json"], "expected no --json"),
        (["summeval", "study", "RELEASE", "--json"], "expected no --json"),
        (["summeval", "study", "RELEASE"], "expected --out FOLDER"),
        (["scores", "mtme", "SCORES"], "expected --languages"),
        (["study", "summeval", "FILE"], "no such folder"),
        (["appraise", "judgments", "MISSING"], "no such file"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(tmp_path, capsys, arguments, message):
    files = {
        "FILE": write(tmp_path / "a.csv", APPRAISE),
        "RELEASE": write(tmp_path / "r.jsonl", jsonl(release())),
        "SCORES": write(tmp_path / "s.csv", "metric,system,item,score\nx,a,1,1\n"),
        "MISSING": tmp_path / "missing.csv",
    }
    before = sorted(tmp_path.rglob("*"))
    assert convert(*(files.get(word, word) for word in arguments)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_written_when_one_of_several_files_would_be_bad(tmp_path, capsys):
    table = write(tmp_path / "s.csv", "metric,system,item,score\nx,a,1,1\ny/z,a,1,1\n")
    assert convert("scores", "mtme", table, "--languages", "en-de", "--out", tmp_path / "set") == 2
    assert not (tmp_path / "set").exists()
    assert "name of a file" in capsys.readouterr().err


def test_the_help_lists_every_conversion(capsys):
    with pytest.raises(SystemExit):
        convert("--help")
    text = capsys.readouterr().out
    for name, form in FORMATS.items():
        assert all(f"convert {name} {table} FILE" in text for table in form.reads)
        assert all(f"convert {table} {name} FILE" in text for table in form.writes)
        assert set(form.reads) | set(form.writes) <= set(TABLES)


def test_every_command_of_the_page_can_be_given():
    """Commands of docs/formats.md: the conversion exists, and takes the options that the page gives it."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    calls = [
        shlex.split(line) for line in page.splitlines() if line.startswith("    python -m metrics convert ")
    ]
    calls = [call[4:] for call in calls if call[4] != "FROM"]
    documented = set()
    for source, target, *rest in calls:
        tables = FORMATS[source].reads if source in FORMATS else FORMATS[target].writes
        function = tables[target if source in FORMATS else source]
        options = {word.removeprefix("--") for word in rest if word.startswith("--")} - {"out"}
        assert options <= set(inspect.signature(function).parameters), (source, target)
        documented.add(source if source in FORMATS else target)
    assert documented == set(FORMATS)
