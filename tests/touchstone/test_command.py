"""The command ``touchstone``, in the repository; ``tests/test_wheel.py`` tries it installed."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from touchstone.command import main


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_help_names_every_command(capsys, arguments):
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == [
        "run",
        "manage",
        "metrics",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["serve"], "touchstone: expected a command, one of run, manage, metrics, found 'serve'; see touchstone --help\n"),
        (["run", "8001"], "touchstone: run takes no argument, found '8001'; settings come from the environment; see touchstone --help\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_one_line_and_exit_code_2(capsys, arguments, line):
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", line)


def test_metrics_speaks_of_itself_as_it_was_called(capsys):
    assert main(["metrics", "human", "nowhere.csv", "--score", "coverage"]) == 2
    assert capsys.readouterr().err == "touchstone metrics human: nowhere.csv: no such file\n"


def test_manage_has_the_commands_of_the_application(tmp_path):
    command = [sys.executable, "-m", "touchstone", "manage", "import_study", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: touchstone manage import_study")


def test_nothing_is_loaded_that_a_command_does_not_need():
    """``touchstone metrics`` must work without Django, and a list of commands be there at once."""
    code = "import sys; from touchstone.command import main; main(['--help']); main(['metrics', '--help'])"
    loaded = [sys.executable, "-X", "importtime", "-c", code]
    done = subprocess.run(loaded, cwd=ROOT, capture_output=True, text=True, check=True)
    modules = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "metrics" in modules
    assert not modules & {"annotation", "config", "django", "pandas"}
