"""The examples of the documentation run as they stand, one after the other."""

import re
from pathlib import Path

from metrics.cli import COMMANDS, main

PAGE = Path(__file__).parents[3] / "docs" / "meta-evaluation.md"


def test_the_python_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    assert "pvalue=0.209286" in printed
    assert "0.9954" in printed


def test_the_commands_of_the_page_are_understood(tmp_path, capsys):
    """Each is run on files that do not exist: it must complain about the file and nothing else."""
    text = PAGE.read_text(encoding="utf-8").replace("\\\n", " ")
    calls = [line.split() for line in re.findall(r"^    python -m metrics (.+)$", text, re.MULTILINE)]
    assert {call[0] for call in calls} >= {
        "correlate",
        "compare-metrics",
        "compare-systems",
        "significance-prediction",
    }
    for call in calls:
        assert call[0] in COMMANDS
        missing = [str(tmp_path / word) if word.endswith((".csv", ".jsonl")) else word for word in call]
        if missing == call:  # it needs no file
            assert main(call) == 0
            continue
        assert main(missing) == 2
        assert "no such file" in capsys.readouterr().err
