"""The whole way, once: from a study file to judgments in a browser's requests, to the long table, to scores.

Read this first to see what the program does.
"""

import csv
import json
import re
import subprocess
import sys
import uuid
import zipfile

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Study
from annotation.services.studies import study_open
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db


def test_from_a_study_file_to_scores(tmp_path, capsys):
    # An experimenter writes a study file. Importing it makes a draft; exporting it gives the same file back.
    call_command("import_study", str(ROOT / "fixtures" / "demo"))
    assert capsys.readouterr().out.split()[-1] == "demo"
    call_command("export_study", "demo", "--out", str(tmp_path / "copy.zip"))
    assert "study.yaml" in zipfile.ZipFile(tmp_path / "copy.zip").namelist()

    # Each assessor gets a personal link; an owner opens the study.
    capsys.readouterr()
    call_command("invite", "demo")
    links = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert set(links) == {"Ada", "Ben", "Chen", "Dita"}
    study_open(study=Study.objects.get(slug="demo"))

    # Ada opens hers, reads the instructions, and judges her first item: a practice item, with feedback.
    ada = Client()
    path = re.sub(r"^https?://[^/]+", "", links["Ada"])
    home = ada.get(path).url
    ada.post(f"{home}start/", {"consent": "on"})
    item = ada.get(home).url
    answer = {
        "units": [{"marks": [0], "grade": 1.0}, {"marks": [1], "grade": 0.5}],
        "quality": {"grammaticality": 1.0, "cohesion": 0.75, "coherence": 0.75},
    }
    submitted = ada.post(
        f"{item}judgment/",
        json.dumps({"client_key": str(uuid.uuid4()), "revision": 1, "answer": answer, "seconds": 12}),
        content_type="application/json",
    )
    assert submitted.json()["status"] == "saved"
    assert submitted.json()["feedback"]

    # The rest is played by made-up assessors, through the same services.
    call_command("simulate_study", "demo", "--seed", "1")

    # Out comes one long table, which the metrics package reads without Django.
    table = tmp_path / "judgments.csv"
    call_command("export_judgments", "demo", "--out", str(table))
    attributes = tmp_path / "judgments.csv.attributes.csv"
    human = metrics(
        "human", table, "--attributes", attributes, "--score", "coverage", out=tmp_path / "human.csv"
    )
    assert {row["metric"] for row in human} == {"coverage"}
    assert len({row["system"] for row in human}) == 4
    assert len({row["item"] for row in human}) == 3
    assert all(0 <= float(row["score"]) <= 1 for row in human)

    # Do assessors agree, and does an automatic metric agree with them?
    agreement = metrics("agreement", table, out=tmp_path / "agreement.csv")
    assert {row["criterion"] for row in agreement} >= {"coverage", "fluency", "adequacy"}
    metrics(
        "score",
        *(
            "--outputs",
            ROOT / "fixtures/demo/outputs.jsonl",
            "--references",
            ROOT / "fixtures/demo/references.jsonl",
        ),
        *("--metric", "rouge-2-stem-r"),
        out=tmp_path / "scores.csv",
    )
    (correlation,) = metrics(
        "correlate",
        *("--human", tmp_path / "human.csv", "--metrics", tmp_path / "scores.csv"),
        *("--level", "system", "--method", "pearson"),
        out=tmp_path / "correlation.csv",
    )
    assert correlation["metric"].startswith("rouge-2-stem-r")
    assert correlation["n"] == "4"


def metrics(*arguments, out):
    """Run ``python -m metrics`` as a user would, and read the table it writes."""
    command = [sys.executable, "-m", "metrics", *map(str, arguments), "--out", str(out)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    with out.open(newline="") as file:
        return list(csv.DictReader(file))
