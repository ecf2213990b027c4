"""A database of an older version opens in this one, with every judgment as it was.

``tests/data/upgrade`` holds a database of the first version with the example studies, judged by made-up assessors, and the
tables that the first version exported from it.
"""

import csv
import gzip
import os
import sqlite3
import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.conftest import ROOT

DATA = ROOT / "tests" / "data" / "upgrade"
TABLES = sorted(path.name.removesuffix(".csv.gz") for path in DATA.glob("*.csv.gz"))
UPGRADE = """
import sys
from pathlib import Path
from django.core.management import call_command
from annotation.export_files import export_write
from annotation.models import Study
call_command("migrate", verbosity=0)
for study in Study.objects.all():
    export_write(study, format="csv", out=Path(sys.argv[1]) / f"{study.slug}.csv", all_revisions=True)
"""
BEFORE = [("annotation", "0001_initial")]


def test_a_database_of_the_first_version_exports_the_same_judgments_after_its_upgrade(tmp_path):
    with sqlite3.connect(tmp_path / "touchstone.sqlite3") as database:
        database.executescript(gzip.decompress((DATA / "database.sql.gz").read_bytes()).decode())
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{UPGRADE}", str(tmp_path)],
        cwd=ROOT,
        env=environment | {"TOUCHSTONE_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True,
    )
    assert len(TABLES) == 7
    for name in TABLES:
        before = list(
            csv.reader(gzip.decompress((DATA / f"{name}.csv.gz").read_bytes()).decode().splitlines())
        )
        after = list(csv.reader((tmp_path / f"{name}.csv").read_text().splitlines()))
        assert after[0] == [*before[0], "place", "raw_seconds", "excluded", "text_version"]
        assert [row[:-4] for row in after] == before, name
        assert {tuple(row[-4:]) for row in after[1:]} == {("", "", "", "")}


@pytest.mark.django_db(transaction=True)
def test_what_kinds_had_noted_is_split_and_can_be_joined_again():
    """On the database of these tests, PostgreSQL too: forwards, and back again."""
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes("annotation")
    executor.migrate(BEFORE)
    old = executor.loader.project_state(BEFORE).apps
    study = old.get_model("annotation", "Study").objects.create(slug="old", name="Old", seed=1)
    details = {
        "relevance": {"kind": "full", "topic": "e1", "gold": None},
        "cross_comprehension": {
            "summary": "S.",
            "question": "What?",
            "answer": "This.",
            "summary_author": "a",
            "question_author": "b",
            "number": 2,
        },
        "likert": {"stage": "familiarise"},
        "see": {},
    }
    for place, (kind, noted) in enumerate(details.items()):
        task = old.get_model("annotation", "Task").objects.create(
            study=study, name=kind, kind=kind, position=place
        )
        old.get_model("annotation", "Subject").objects.create(task=task, details=noted, order=0)
    try:
        executor = MigrationExecutor(connection)
        executor.migrate(newest)
        from annotation.models import Subject

        found = {row.task.kind: (row.shown, row.noted) for row in Subject.objects.select_related("task")}
        assert found == {
            "relevance": ({"full": True}, details["relevance"]),
            "cross_comprehension": (
                {"summary": "S.", "question": "What?", "answer": "This."},
                {"summary_author": "a", "question_author": "b", "number": 2},
            ),
            "likert": ({"stage": "familiarise"}, {}),
            "see": ({}, {}),
        }
        executor = MigrationExecutor(connection)
        executor.migrate(BEFORE)
        back = executor.loader.project_state(BEFORE).apps.get_model("annotation", "Subject")
        assert {row.task.kind: row.details for row in back.objects.select_related("task")} == details
    finally:
        MigrationExecutor(connection).migrate(newest)
