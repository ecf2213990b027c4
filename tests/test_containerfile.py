"""The container file, as far as it can be checked without an engine: what it copies is there and is all, what it runs can be run.

The image itself is not built here.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

from django.core.management import get_commands

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "deploy/Containerfile").read_text()
LINES = [line for line in TEXT.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
INSTRUCTIONS = [line.split(maxsplit=1) for line in LINES]


def of(name: str) -> list[str]:
    return [rest for word, rest in INSTRUCTIONS if word == name]


def test_every_line_is_an_instruction_and_the_python_is_ours():
    known = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}
    assert {word for word, _ in INSTRUCTIONS} <= known
    wanted = re.search(r'requires-python = ">=([\d.]+)', (ROOT / "pyproject.toml").read_text())
    assert of("FROM") == [f"docker.io/library/python:{wanted[1]}-slim"]


def test_what_is_copied_is_tracked_and_holds_all_that_is_imported():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    copied = [source for line in of("COPY") for source in line.split()[:-1]]
    for source in copied:
        assert any(name == source or name.startswith(f"{source}/") for name in tracked), source
    packages = {name.split("/")[0] for name in tracked if name.endswith("/__init__.py")}
    needed = (packages | {"templates", "static", "fixtures"}) - {"tests", "benchmarks", "docs"}
    assert needed <= set(copied)


def test_what_it_runs_is_there():
    command = json.loads(of("CMD")[0])
    assert command[1] == "manage.py"
    assert command[2] in get_commands()
    probe = json.loads(of("HEALTHCHECK")[0].split(" CMD ")[1])
    ast.parse(probe[2])
    assert "/healthz" in probe[2]
    for line in of("RUN"):
        for part in line.split(" && "):
            checked = subprocess.run(["sh", "-n", "-c", part], capture_output=True, text=True, check=False)
            assert checked.returncode == 0, checked.stderr
    settings = "".join(path.read_text() for path in (ROOT / "config").glob("*.py"))
    settings += "".join(path.read_text() for path in (ROOT / "annotation/management").rglob("*.py"))
    for name in re.findall(r"(\w+)=", of("ENV")[0]):
        assert f'"{name}"' in settings or name.removeprefix("TOUCHSTONE_") in settings, name
    assert sys.version_info >= (3, 11)
