"""docs/api.md: its example runs, and it leaves out no address and no error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from drf_spectacular.generators import SchemaGenerator

from annotation.api.documented import REFUSALS
from annotation.api.errors import CODES
from annotation.models import MetricScore
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from config.settings import REST_FRAMEWORK
from tests.annotation.api.programs import program
from tests.conftest import ROOT
from tests.reports import working

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SHORT = {"{program}": "NAME", "{slug}": "S", "{id}": "ID", "{ending}": "csv", "{name}": "NAME"}


def test_every_address_and_method_is_in_the_table():
    heads, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if line.startswith(("| address", "| `S/", "| `/api/", "| *("))
    )
    told = {
        (address, method)
        for row in rows
        for address in re.findall(r"`((?:S|/api)/[^`]*)`", row[0]) or [""]
        for method, cell in zip(heads[1:], row[1:], strict=True)
        if cell
    }
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    offered = set()
    for path, methods in paths.items():
        address = path.removeprefix("/api/v1/studies/")
        for long, short in SHORT.items():
            address = address.replace(long, short)
        offered |= {(address, method.upper()) for method in methods}
    assert told == offered


def test_every_error_is_in_the_table_and_in_the_schema():
    told = {int(status): code for status, code in re.findall(r"\| ([45]\d\d) \| `(\w+)` \|", PAGE)}
    assert told == CODES
    assert set(REFUSALS) == set(CODES)


def test_the_limits_are_those_of_the_settings():
    rates = REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    assert rates == {"user": "1200/min", "anon": "120/min"}
    assert "1,200 times a minute" in PAGE
    assert "120 times" in PAGE


@pytest.mark.slow
@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_the_example_runs_as_it_stands(live_server, tmp_path: Path):
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_simulate(study=study, seed=1)
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example
    (tmp_path / "example.py").write_text(example[1], encoding="utf-8")
    environment = os.environ | {"TOUCHSTONE_URL": live_server.url, "TOUCHSTONE_TOKEN": program(study).token}
    with working():
        done = subprocess.run(
            [sys.executable, "example.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    headline, assessors, scores, report, files = done.stdout.splitlines()
    assert "judged" in headline
    assert "A01" in assessors
    assert scores == "{'scores': 1, 'metrics': ['my-metric']}"
    assert report == "done none 100"
    assert "tables/agreement.csv" in files
    assert "demo-report/report.html" in zipfile.ZipFile(tmp_path / "report.zip").namelist()
    assert MetricScore.objects.get(metric="my-metric").score == 0.62
    assert (
        (tmp_path / "judgments.csv").read_text(encoding="utf-8").startswith("study,task,kind,assessor,system")
    )
