"""Settings of numbers, as somebody may have typed them."""

import os
import subprocess
import sys

import pytest

from config.environment import days, number
from tests.conftest import ROOT


@pytest.mark.parametrize("words", ["-1", "a month", "30d", "1.5", "36501", "1e3", "9" * 5000])
def test_a_slip_in_days_is_told_in_words(monkeypatch, words):
    monkeypatch.setenv("TOUCHSTONE_BIN_DAYS", words)
    with pytest.raises(SystemExit, match="TOUCHSTONE_BIN_DAYS is “"):
        days("TOUCHSTONE_BIN_DAYS", 30)


@pytest.mark.parametrize("words", ["nan", "inf", "-0.5"])
def test_hours_are_a_number(monkeypatch, words):
    monkeypatch.setenv("TOUCHSTONE_BACKUP_HOURS", words)
    with pytest.raises(SystemExit):
        number("TOUCHSTONE_BACKUP_HOURS", 0, most=100)


def test_what_is_empty_is_not_set(monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_BIN_DAYS", "")
    assert days("TOUCHSTONE_BIN_DAYS", 30) == 30
    monkeypatch.setenv("TOUCHSTONE_BIN_DAYS", " 7 ")
    assert days("TOUCHSTONE_BIN_DAYS", 30) == 7


def test_no_command_does_anything_by_such_a_setting(tmp_path):
    """Before: “-1”, meant as never, forgot all names, or emptied the bin, at the first tidying; a million let nothing ever be tidied."""
    environment = os.environ | {"TOUCHSTONE_DATA": str(tmp_path), "TOUCHSTONE_RETENTION_DAYS": "-1"}
    done = subprocess.run(
        [sys.executable, "manage.py", "tidy"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "TOUCHSTONE_RETENTION_DAYS is “-1”. Set it to a whole number from 0 to 36,500"
    )
