"""What all commands share: one line for a wrong argument, one shape of JSON, digits, pipes."""

import argparse
import contextlib
import importlib
import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

from metrics.cli import COMMANDS, main
from metrics.cli.output import write_whole
from tests.metrics.cli.tables import write_tables
from tests.metrics.human.rows import table

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def commands(tmp_path):
    """One call of each command that prints a table."""
    human, metrics = write_tables(tmp_path)
    both = ["--human", str(human), "--metrics", str(metrics)]
    rows = [
        {"assessor": assessor, "item": item, "value": value}
        for assessor, values in {"a1": [1, 2, 3], "a2": [1, 2, 4]}.items()
        for item, value in zip(["i1", "i2", "i3"], values, strict=True)
    ]
    judgments, texts = tmp_path / "judgments.csv", tmp_path / "texts.jsonl"
    table(rows, kind="rating", criterion="adequacy").to_csv(judgments, index=False)
    several = tmp_path / "several.csv"
    crossed = [
        {"assessor": f"a{a}", "system": f"s{s}", "item": f"i{i}", "value": 1 + (a + 2 * i + s * (i % 3)) % 5}
        for a in range(3)
        for s in range(3)
        for i in range(4)
    ]
    table(crossed, kind="rating", criterion="adequacy").to_csv(several, index=False)
    compared = tmp_path / "compared.csv"
    pairs = [
        {
            "assessor": f"a{a}",
            "system": system,
            "item": f"i{i}",
            "unit": "s1",
            "value": sign * (1 if (a + i) % 3 else -1),
        }
        for a in range(2)
        for i in range(4)
        for system, sign in (("x", 1), ("y", -1))
    ]
    table(pairs, kind="pairwise", criterion="preference").to_csv(compared, index=False)
    texts.write_text('{"system": "s", "item": "1", "text": "A cat."}\n')
    references = tmp_path / "references.jsonl"
    models = ("A cat sat.", "The cat sat down.", "A dog sat.")
    references.write_text("".join(json.dumps({"item": "1", "text": text}) + "\n" for text in models))
    few = ["--outputs", str(texts), "--references", str(references)]
    return {
        "score": ["--outputs", str(texts), "--references", str(texts), "--metric", "rouge-1-f"],
        "human": [str(judgments), "--score", "adequacy"],
        "agreement": [str(judgments)],
        "quality": [str(judgments)],
        "correlate": both,
        "compare-metrics": both,
        "compare-systems": [str(metrics), "--metric", "close"],
        "clusters": [str(metrics), "--metric", "close"],
        "rank-ranges": [str(compared), "--score", "expected-wins"],
        "split-half": [str(judgments)],
        "power": ["--items", "10", "--effect", "1", "--deviation", "1"],
        "stability": [str(metrics), "--metric", "close", "--items", "5"],
        "significance-prediction": both,
        "explain": [*few, "--system", "s", "--item", "1"],
        "qarla": [*few, "--metric", "rouge-1-f", "rouge-2-f", "--largest-set", "2"],
        "orange": [*few, "--metric", "rouge-1-f"],
        "design-check": [str(several)],
        "system-model": [str(several)],
        "generalisability": [str(several)],
        "rasch": [str(several)],
        "best-metric": both,
        "convert": ["outputs", "text", str(texts), "--out", str(tmp_path / "folder")],
    }


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "python -m metrics: expected a command, one of score, human,"),
        (["zz"], "python -m metrics: argument COMMAND: invalid choice: 'zz'"),
        (["qarla"], "python -m metrics qarla: the following arguments are required: --outputs, --references;"),
        (["score", "--outputs", "o"], "python -m metrics score: one of the arguments --references --nuggets is required;"),
        (["agreement", "j.csv", "--alternative", "less"], "python -m metrics agreement: there is no argument --alternative;"),
        (["human", "j.csv", "--score", "x", "--seed", "3"], "python -m metrics human: there is no argument --seed;"),
        (["agreement", "j.csv", "--seed", "-1"], "argument --seed: expected a whole number of at least 0, found '-1';"),
        (["agreement", "j.csv", "--resamples", "many"], "--resamples: expected a whole number of at least 0, found 'many';"),
        (["compare-systems", "s.csv", "--metric", "m", "--resamples", "0"], "--resamples: expected a whole number of at least 1"),
        (["report", "j.csv", "--out", "r", "--alpha", "2"], "--alpha: expected a number between 0 and 1, found '2';"),
        (["human", "j.csv", "--score", "x", "--out", "/nowhere/at/all.csv"], "--out: no such folder: /nowhere/at;"),
        (["human", "j.csv", "--score", "x", "--out", "."], "--out: expected the name of a file, found the folder .;"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_line_and_exit_code_2(capsys, arguments, line):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    out, err = capsys.readouterr()
    assert stopped.value.code == 2
    assert (out, err.count("\n")) == ("", 1)
    assert line in err
    assert err.endswith("--help\n")


def test_options_are_where_the_page_says():
    """docs/meta-evaluation.md: --json and --out everywhere, --seed where random numbers are drawn."""
    page = (ROOT / "docs" / "meta-evaluation.md").read_text(encoding="utf-8")
    [drawn] = re.findall(
        r"\*\*`--seed`\*\* is there where random numbers are drawn \((.*?)\)", page, re.DOTALL
    )
    seeded = set()
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser()
        importlib.import_module(command.module).add_arguments(parser)
        usage = parser.format_usage()
        assert "--json" in usage or name == "export", "which writes the files of a report and no table"
        assert "--out" in usage
        if "--seed" in usage:
            seeded.add(name)
    assert seeded == set(re.findall(r"`(.+?)`", drawn))


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("report", "export", "convert")]
)
def test_json_has_one_shape(commands, command, capsys):
    assert main([command, *commands[command], "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert list(document) == ["signatures", "notes", "rows"]
    assert all("|version:touchstone-" in line for line in document["signatures"].values())
    assert all(isinstance(note, str) for note in document["notes"])
    assert document["rows"]
    assert "|version:" not in err


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("report", "export", "convert")]
)
def test_what_the_json_says_beside_rows_goes_to_standard_error_with_csv(commands, command, capsys):
    main([command, *commands[command], "--json"])
    document = json.loads(capsys.readouterr().out)
    assert main([command, *commands[command]]) == 0
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith("warning: ")]
    said = [*document["signatures"].values(), *document["notes"]]
    assert [line.endswith(text) for line, text in zip(lines, said, strict=True)] == [True] * len(said)
    assert len(pd.read_csv(io.StringIO(out))) == len(document["rows"])


def on_a_terminal(arguments):
    """What a command prints on a terminal."""
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "metrics", *arguments]
    subprocess.run(command, cwd=ROOT, stdout=terminal, stderr=subprocess.DEVNULL, check=True)
    os.close(terminal)
    with os.fdopen(screen, "rb") as stream:
        return stream.read1().decode().replace("\r\n", "\n")


def test_numbers_are_rounded_at_a_terminal_and_nowhere_else(commands, tmp_path, capsys):
    command = ["correlate", *commands["correlate"]]
    main([*command, "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    main(command)
    piped = capsys.readouterr().out
    main([*command, "--out", str(tmp_path / "out.csv")])
    assert (tmp_path / "out.csv").read_text() == piped
    exact = pd.read_csv(io.StringIO(piped))["statistic"].tolist()
    assert exact == [row["statistic"] for row in rows]
    shown = pd.read_csv(io.StringIO(on_a_terminal(command)))["statistic"].tolist()
    assert shown == [float(f"{value:.4g}") for value in exact] != exact


def test_a_reader_that_has_seen_enough_is_no_error(commands):
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "metrics", "human", *commands["human"]],
        cwd=ROOT,
        stdout=written,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(written)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_list_of_commands_is_there_without_loading_what_they_need():
    command = [sys.executable, "-X", "importtime", "-m", "metrics", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^    ([a-z-]+)", done.stdout, re.MULTILINE)) == set(COMMANDS)
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "argparse" in loaded
    assert not loaded & {"pandas", "numpy", "scipy", "matplotlib", "pyarrow", "tqdm"}


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    "words",
    [
        ("correlate", "--level", "global", "--method", "kendall", "--interval", "bootstrap-items"),
        ("compare-metrics", "--test", "permutation", "--level", "item", "--method", "kendall"),
    ],
)
def test_what_takes_long_moves_a_bar_where_somebody_can_see_it(words, tmp_path, monkeypatch):
    human, metrics = write_tables(tmp_path)
    call = [words[0], "--human", str(human), "--metrics", str(metrics), *words[1:], "--resamples", "200"]
    for screen, seen in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", screen)
        assert main(call) == 0
        assert ("100%|" in screen.getvalue()) == seen


# --- words of the command line, none of the code's ---------------------------------------------------------------------

OF_THE_CODE = re.compile(
    r"\b(?:permute|resampled|rng|ndarray|dtype|None|True|False|self|[a-z]+(?:_[a-z]+)+|[A-Z][a-z]+[A-Z][a-z]\w*)\b"
)
"""Arguments of functions, types and constants of Python: nothing that somebody at a command line could change."""


@pytest.fixture
def hard_tables(tmp_path):
    """Three systems, two items, a constant metric; one assessor, and two who always say the same: whatever can be undefined is."""
    human, metrics, alone, same = (tmp_path / f"{name}.csv" for name in ("human", "metrics", "alone", "same"))
    cells = [(system, item) for system in range(3) for item in range(2)]
    rows = [("h", f"s{s}", f"i{i}", s + 0.3 * i) for s, i in cells]
    pd.DataFrame(rows, columns=["metric", "system", "item", "score"]).to_csv(human, index=False)
    rows = [(m, f"s{s}", f"i{i}", v) for s, i in cells for m, v in (("flat", 1), ("m", s * i), ("n", s - i))]
    pd.DataFrame(rows, columns=["metric", "system", "item", "score"]).to_csv(metrics, index=False)
    for path, people in ((alone, 1), (same, 2)):
        rows = [
            (f"a{a}", f"s{s}", f"i{i}", "q", 3 if people == 2 else 1 + (s + i) % 3)
            for a in range(people)
            for s, i in cells
        ]
        columns = ["assessor", "system", "item", "criterion", "value"]
        pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return human, metrics, alone, same


def hard_calls(human, metrics, alone, same):
    both = ["--human", human, "--metrics", metrics]
    for level in ("system", "item"):
        for method in ("pearson", "kendall"):
            yield ["correlate", *both, "--level", level, "--method", method, "--resamples", "20"]
            for test in ("williams", "permutation", "bootstrap"):
                how = ["--level", level, "--method", method, "--test", test, "--resamples", "20"]
                yield ["compare-metrics", *both, *how]
    yield ["compare-metrics", *both, "--test", "permutation", "--resample", "both"]
    yield ["compare-metrics", *both, "--test", "bootstrap", "--resample", "cells"]
    yield ["compare-metrics", *both, "--resample", "items"]
    yield ["correlate", *both, "--interval", "bootstrap-both", "--resamples", "20"]
    yield ["correlate", "--human", metrics, "--metrics", human]
    yield from (["best-metric", *both], ["significance-prediction", *both])
    for test in ("randomization", "bootstrap", "wilcoxon", "rank-sum"):
        yield ["compare-systems", "--metric", "h", human, "--test", test, "--resamples", "20"]
    for path in (alone, same):
        yield ["human", path, "--score", "q", "--normalise", "z"]
        yield ["agreement", path, "--resamples", "20"]
        yield ["system-model", path, "--ordinal"]
        yield from ([name, path] for name in ("system-model", "rasch", "generalisability", "design-check"))
        yield from ([name, path] for name in ("split-half", "quality", "power", "stability", "rank-ranges"))


def test_messages_name_options_and_columns_and_nothing_of_the_code(capsys, hard_tables):
    messages = []
    for words in hard_calls(*hard_tables):
        with contextlib.suppress(SystemExit):
            main([str(word) for word in words])
        lines = capsys.readouterr().err.replace(str(hard_tables[0].parent), "").splitlines()
        messages += [line for line in lines if "|version:" not in line]
    assert len(set(messages)) > 30, "refusals, warnings and notes"
    assert [line for line in messages if OF_THE_CODE.search(line)] == []
    assert any(
        "expected --resample systems, items, cells for permutation, found both" in line for line in messages
    )


def test_a_pipe_or_a_device_is_written_to_and_stays_what_it_is(tmp_path):
    """Before: a file was moved into its place. Whoever was root and wrote to /dev/null had none any more."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    listening = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listening.start()
    write_whole(pipe, "a,b\n1,2\n")
    listening.join(timeout=10)
    assert heard == ["a,b\n1,2\n"]
    assert pipe.is_fifo()
