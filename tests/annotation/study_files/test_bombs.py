"""Small files that would cost a server gigabytes or minutes: refused in words, within bounds of memory and time."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotation.analysis import BadInput, judgment_table
from annotation.study_files import StudyFileProblems, read_study
from annotation.study_files.problems import Problems

ROOT = Path(__file__).resolve().parents[3]
HEAD = "name: A\nslug: a\nmaterials:\n  documents: documents.jsonl\n  outputs: outputs.csv\n"
MEGABYTE = 1024 * 1024


def packed(documents: bytes, outputs: bytes = b"system,document,text\n") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.yaml", HEAD)
        archive.writestr("documents.jsonl", documents)
        archive.writestr("outputs.csv", outputs)
    return buffer.getvalue()


def told(data: bytes) -> str:
    with pytest.raises(StudyFileProblems) as found:
        read_study(io.BytesIO(data), seconds=60)
    return str(found.value)


def in_a_process(data: bytes, tmp_path: Path, megabytes: int) -> str:
    """What reading it comes to in a process that may have so much memory."""
    path = tmp_path / "bomb.zip"
    path.write_bytes(data)
    program = (
        "import sys, pathlib\n"
        "from annotation.study_files import StudyFileProblems, read_study\n"
        "try:\n    read_study(pathlib.Path(sys.argv[1]).open('rb'))\n"
        "except StudyFileProblems as found:\n    print(found)\n"
    )

    def limit() -> None:
        size = megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        cwd=ROOT,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_hundreds_of_megabytes_of_newlines_are_refused_before_they_are_unpacked(tmp_path):
    """Before: 5 GB of memory and 42 s for a zip of half a megabyte."""
    data = packed(b"\n" * (240 * MEGABYTE))
    assert len(data) < MEGABYTE
    assert "times its size" in in_a_process(data, tmp_path, megabytes=900)


def test_a_file_of_too_many_lines_is_not_cut_into_lines(tmp_path):
    """It must not be packed so well that it is refused for that."""
    noise = b"".join(os.urandom(6).hex().encode() + b"\n" * 200 for _ in range(30_000))
    assert "a file may have 2,000,000" in told(packed(noise))


def test_reading_stops_after_a_thousand_problems_of_a_file():
    """Before: every line was read and complained about, 25 s for 3.7 KB."""
    lines = b"".join(b'{"' + os.urandom(4).hex().encode() + b'": 1}\n' for _ in range(300_000))
    started = time.process_time()
    said = told(packed(lines))
    assert "more than these 1,000 problems in this file; it was not read to its end" in said
    assert time.process_time() - started < 10
    assert "documents.jsonl:2000:" not in said


def test_reading_stops_after_a_thousand_lines_that_are_not_utf8():
    lines = b"".join(b"\xff" + os.urandom(4).hex().encode() + b"\n" for _ in range(300_000))
    said = told(packed(lines))
    assert "it was not read to its end" in said
    assert "documents.jsonl:1500:" not in said


def test_a_line_without_end_is_refused_by_its_length():
    text = os.urandom(6_000_000).hex()
    said = told(packed(f'{{"id": "d", "text": "{text}"}}\n'.encode()))
    assert "the line has 12,000,0" in said
    assert "at most 10,000,000 are allowed" in said


def test_a_cell_without_end_is_refused_too():
    text = os.urandom(6_000_000).hex()
    said = told(packed(b'{"id": "d", "text": "x"}\n', f"system,document,text\ns,d,{text}\n".encode()))
    assert "outputs.csv" in said
    assert "field larger than field limit" in said


def test_columns_without_end_are_refused_by_their_number():
    columns = ",".join(f"k{number}" for number in range(60_000))
    said = told(packed(b'{"id": "d", "text": "x"}\n', f"{columns}\ns,d,x\n".encode()))
    assert "the first line names 60,000 columns; these can be used: " in said
    assert "unknown column" not in said


def test_reading_has_an_end_where_somebody_waits_for_it():
    problems = Problems(seconds=0)
    with pytest.raises(StudyFileProblems, match="more than 0 seconds"):
        problems.watch_the_clock()
    with pytest.raises(StudyFileProblems, match="takes more than"):
        read_study(ROOT / "fixtures" / "demo", seconds=0.0)
    assert read_study(ROOT / "fixtures" / "demo").slug == "demo"


@pytest.mark.django_db
@pytest.mark.parametrize("command", [["import_study"], ["import_judgments", "demo"]])
def test_a_device_or_a_pipe_is_no_file(command, tmp_path):
    """Before: reading /dev/zero or a pipe never ended."""
    from tests.studies import make_study

    make_study(slug="demo")
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (Path("/dev/zero"), pipe):
        with pytest.raises(CommandError, match="file"):
            call_command(*command, path)


# --- Parquet ------------------------------------------------------------------------------------------------------


def test_a_long_text_that_is_said_a_million_times_is_refused_by_its_size(tmp_path):
    path = tmp_path / "judgments.parquet"
    parquet.write_table(
        pa.table(
            {"label": pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), pa.array(["x" * 20_000]))}
        ),
        path,
    )
    assert path.stat().st_size < MEGABYTE
    with pytest.raises(BadInput, match="bytes of text"):
        list(judgment_table(path))


@pytest.mark.parametrize(
    ("task", "systems", "references"),
    [
        ("{kind: ranking, name: t, sets: {size: 4, pick: all}}", 60, 0),
        ("{kind: pairwise, name: t, sets: {pick: random, per_item: 1000}}", 46, 0),
        ("{kind: see, name: t}", 500, 401),
        ("{kind: see, name: a}, {kind: see, name: b}, {kind: see, name: c}", 260, 260),
    ],
)
def test_texts_that_meet_in_more_ways_than_anybody_can_judge_are_refused(task, systems, references):
    """Sixty short texts have half a million sets of four, and fifty million of six."""
    documents = [f"d{number}" for number in range(201 if "random" in task else 1)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        files = "documents: documents.csv, outputs: outputs.csv" + ", references: references.csv" * (
            references > 0
        )
        archive.writestr("study.yaml", f"name: A\nslug: a\nmaterials: {{{files}}}\ntasks: [{task}]\n")
        archive.writestr("documents.csv", "id,text\n" + "".join(f"{name},Some.\n" for name in documents))
        rows = (f"s{n},{name},Text {n}.\n" for name in documents for n in range(systems))
        archive.writestr("outputs.csv", "system,document,text\n" + "".join(rows))
        if references:
            models = "".join(f"r{n},d0,Model {n}.\n" for n in range(references))
            archive.writestr("references.csv", "id,document,text\n" + models)
    begun = time.process_time()
    assert "more than 200,000 pieces to judge" in told(buffer.getvalue())
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("how", ["bytes", "list", "struct", "columns"])
def test_a_small_table_of_judgments_that_unpacks_to_gigabytes_is_refused(tmp_path, how):
    """What is no text and no number holds as much in one cell as it likes; empty columns cost as much as full ones."""
    rows, path = 60_000, tmp_path / "judgments.parquet"
    again = pa.array([0] * rows, pa.int32())
    if how == "bytes":
        further = {"x": pa.DictionaryArray.from_arrays(again, pa.array([b"x" * 100_000]))}
    elif how == "list":
        rows = 1
        further = {
            "x": pa.ListArray.from_arrays(pa.array([0, 10**6], pa.int32()), pa.nulls(10**6, pa.int8()))
        }
    elif how == "struct":
        texts = pa.DictionaryArray.from_arrays(again, pa.array(["x" * 100_000]))
        further = {"x": pa.StructArray.from_arrays([texts], ["text"])}
    else:
        further = {f"c{number}": pa.nulls(rows, pa.int8()) for number in range(900)}
    plain = {"assessor": "a", "system": "s", "item": "i", "criterion": "c"}
    table = {name: [f"{cell}{row}" for row in range(rows)] for name, cell in plain.items()}
    parquet.write_table(pa.table(table | {"value": [1.0] * rows} | further), path)
    with pytest.raises(BadInput, match=r"at once|expected texts or numbers"):
        list(judgment_table(path))


def test_errors_that_are_marked_in_long_texts_already_are_looked_at_text_by_text():
    """Before: for each of them it was found anew where the characters of its text end, half a second in one of a million."""
    texts = {name: name * 200_000 for name in "ab"}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        files = "documents: documents.csv, outputs: outputs.jsonl"
        tasks = "tasks: [{name: e, kind: error_spans, preset: esa}]\nprefilled: prefilled.jsonl"
        archive.writestr("study.yaml", f"name: A\nslug: a\nmaterials: {{{files}}}\n{tasks}\n")
        archive.writestr("documents.csv", "id,text\nd,Some.\n")
        outputs = [{"system": name, "document": "d", "units": [text]} for name, text in texts.items()]
        archive.writestr("outputs.jsonl", "\n".join(map(json.dumps, outputs)))
        marked = [
            {"system": name, "document": "d", "unit": 1, "start": place, "end": place + 1}
            for place in range(150)
            for name in texts
        ]
        marked.append({"system": "a", "document": "d", "unit": 1, "start": 0, "end": 300_000})
        archive.writestr("prefilled.jsonl", "\n".join(map(json.dumps, marked)))
    begun = time.process_time()
    assert "prefilled.jsonl:301: task “e”: 0:300000 goes beyond the text" in told(buffer.getvalue())
    assert time.process_time() - begun < 5
