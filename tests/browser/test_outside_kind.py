"""A task kind of another distribution: from a study file over its page in a browser to export, score and report.

Nothing of Touchstone is changed for it. Its package and the metadata of an installer lie in a folder on Python's path.
"""

from __future__ import annotations

import csv
import json
import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WIDE, place, ready
from tests.outside import install
from tests.servers import serving

STUDY = """name: Favourites
slug: favourites
instructions: instructions.md
materials:
  documents: documents.jsonl
  references: references.jsonl
  outputs: outputs.jsonl
tasks:
  - kind: favourite
    name: best
    size: 2
assessors: assessors.csv
"""
SYSTEMS = ("alpha", "beta", "gamma")


def write_study(folder) -> None:
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    (folder / "instructions.md").write_text("Choose *well*.")
    (folder / "assessors.csv").write_text("name\nAda\nBen\n")
    items = range(1, 7)
    lines = {
        "documents": [{"id": f"d{n}", "text": f"Story number {n}."} for n in items],
        "references": [
            {"id": f"r{n}", "document": f"d{n}", "text": f"The harbour of town {n} was closed."}
            for n in items
        ],
        "outputs": [
            {"system": system, "document": f"d{n}", "text": f"{words} of town {n}."}
            for n in items
            for system, words in zip(SYSTEMS, ("The harbour was closed", "A harbour", "Nothing"), strict=True)
        ],
    }
    for name, rows in lines.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.slow
def test_an_outside_kind_goes_all_the_way_with_nothing_else_changed(browser: Browser, tmp_path):
    write_study(tmp_path / "study")
    data = tmp_path / "data"
    data.mkdir()
    with serving(data) as server:
        server.environment["PYTHONPATH"] = str(install(tmp_path / "site"))
        server.run("manage.py", "import_study", str(tmp_path / "study"))
        links = dict(
            line.split("\t") for line in server.run("manage.py", "invite", "favourites").splitlines()
        )
        server.run(
            "manage.py",
            "shell",
            "-v0",
            "-c",
            "from annotation.models import Study; from annotation.services.studies import study_open; "
            "study_open(study=Study.objects.get(slug='favourites'))",
        )
        server.start()
        page = browser.new_page(viewport=WIDE)
        page.goto(links["Ada"])
        page.get_by_role("button", name=re.compile("start|begin|go on", re.I)).first.click()
        ready(page)
        # Its style, its template and its script are there.
        outline = page.locator(".favourite").evaluate("(element) => getComputedStyle(element).outlineColor")
        assert outline == "rgb(1, 2, 3)"
        assert page.locator(".favourite h2").all_inner_texts() == ["A", "B"]
        page.keyboard.press("Enter")
        expect(page.locator("#hint")).to_have_text("Choose the best text.")
        first = place(page)
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "(first) => document.getElementById('item').dataset.place !== first", arg=first
        )
        page.close()
        server.run("manage.py", "simulate_study", "favourites", "--seed", "1")
        table = tmp_path / "judgments.csv"
        server.run("manage.py", "export_judgments", "favourites", "--out", str(table))
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["kind"] for row in rows} == {"favourite"}
        mine = [row for row in rows if row["assessor"] == rows[0]["assessor"] and row["position"] == "1"]
        assert [row["value"] for row in sorted(mine, key=lambda row: row["place"])] == ["0.0", "1.0"]
        human = server.run("-m", "metrics", "human", str(table), "--score", "chosen")
        scores = list(csv.DictReader(human.splitlines()))
        assert {row["system"] for row in scores} == set(SYSTEMS)
        server.run("manage.py", "report_study", "favourites", "--out", str(tmp_path / "report"))
        said = (tmp_path / "report" / "report.json").read_text()
        assert "How often the text was the favourite of its set." in said
