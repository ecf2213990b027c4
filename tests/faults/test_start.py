"""A database that cannot be served from is refused at the start, in words: no traceback, and nothing is changed."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.servers import Server

OLD = ROOT / "tests" / "data" / "upgrade" / "database.sql.gz"


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> Path:
    """A database of this version."""
    folder = tmp_path_factory.mktemp("good")
    Server(folder).run("manage.py", "migrate", "-v0")
    return folder / "touchstone.sqlite3"


@pytest.fixture
def server(good, tmp_path) -> Server:
    shutil.copy(good, tmp_path / "touchstone.sqlite3")
    return Server(tmp_path)


def told(server: Server, *command: str) -> str:
    with pytest.raises(RuntimeError) as refused:
        server.run("manage.py", *(command or ("serve",)))
    words = str(refused.value)
    assert "Traceback" not in words, words
    return words


def change(server: Server, *statements: str) -> None:
    with closing(sqlite3.connect(server.data / "touchstone.sqlite3")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def test_what_migrate_writes_is_the_owner_s_alone(good):
    """Before: readable for everybody, unless ``make run`` had made it."""
    for path in (good, good.parent / "secret.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_database_of_a_newer_version_is_refused(server):
    change(
        server,
        "INSERT INTO django_migrations (app, name, applied) VALUES ('annotation', '0999_later', '2030-01-01')",
    )
    assert "made by a newer version of Touchstone: this one does not know “annotation.0999_later”" in told(
        server
    )


def test_a_database_from_before_the_first_release_is_refused(server):
    """Its first migration was rewritten in place, so it claims to be what it is not. Before: it started, then failed."""
    change(server, "ALTER TABLE annotation_judgment DROP COLUMN imported")
    words = told(server)
    assert "from before its first release" in words
    assert "“annotation_judgment” has no “imported”" in words


@pytest.mark.parametrize("command", [["serve"], ["export_study", "demo", "--out", "x"]])
def test_a_file_that_is_no_database_is_refused(server, command):
    (server.data / "touchstone.sqlite3").write_bytes(b"no database " * 1000)
    assert "cannot be used: file is not a database" in told(server, *command)


def test_a_damaged_database_is_refused(server):
    path = server.data / "touchstone.sqlite3"
    data = bytearray(path.read_bytes())
    for page in range(3, len(data) // 4096 - 1, 2):
        data[page * 4096 : page * 4096 + 2000] = b"\xff" * 2000
    path.write_bytes(data)
    words = told(server)
    assert "is damaged" in words or "cannot be used" in words
    assert "Restore a backup" in words


def test_a_database_that_cannot_be_written_is_refused(server):
    """As root, rights do not count; a folder in the place of the log does what a read-only disk does."""
    if os.getuid() == 0:
        (server.data / "touchstone.sqlite3-wal").mkdir()
    else:
        (server.data / "touchstone.sqlite3").chmod(0o400)
    assert "The database" in told(server)


def test_a_database_server_that_is_away_is_named(tmp_path):
    server = Server(tmp_path, "postgres://nobody@127.0.0.1:9/nothing")
    words = told(server)
    assert "cannot be used" in words
    assert "DATABASE_URL" in words


def test_an_upgrade_that_fails_is_told_in_words(tmp_path):
    """As on a full disk, or when two servers begin with the same old database."""
    server = Server(tmp_path)
    with closing(sqlite3.connect(tmp_path / "touchstone.sqlite3")) as database:
        database.executescript(gzip.decompress(OLD.read_bytes()).decode())
    change(server, "CREATE TABLE annotation_controlitem (x)")
    assert "could not be brought up to date" in told(server)


KILLED = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder
record = MigrationRecorder.record_applied
def killed(self, app, name):
    if name == "0018_discussion":
        os._exit(9)
    record(self, app, name)
MigrationRecorder.record_applied = killed
call_command("migrate", verbosity=0)
"""


def test_an_upgrade_that_was_killed_goes_on(tmp_path):
    """Before: tables were there and not written down as made, so that every further start failed for ever."""
    server = Server(tmp_path)
    with closing(sqlite3.connect(tmp_path / "touchstone.sqlite3")) as database:
        database.executescript(gzip.decompress(OLD.read_bytes()).decode())
    with pytest.raises(RuntimeError):
        server.run("-c", KILLED)
    server.run("manage.py", "migrate", "-v0")
    server.run("manage.py", "migrate", "--check")


def test_commands_say_that_a_database_is_of_another_version(server):
    """As between an upgrade and the first start. Before: a traceback about some column; an older program wrote into a newer database."""
    change(server, "DELETE FROM django_migrations WHERE name = '0019_one_measure_of_disagreement'")
    for command in (["invite", "demo"], ["account", "experimenter", "--link"]):
        assert "made by an older version of Touchstone: it has no “annotation.0019" in told(server, *command)
    change(
        server,
        "INSERT INTO django_migrations (app, name, applied) VALUES ('annotation', '0999_later', '2030-01-01')",
    )
    assert "made by a newer version" in told(server, "tidy")


def test_a_database_of_the_first_version_is_taken_on(tmp_path):
    with closing(sqlite3.connect(tmp_path / "touchstone.sqlite3")) as database:
        database.executescript(gzip.decompress(OLD.read_bytes()).decode())
    (tmp_path / "touchstone.sqlite3").chmod(0o644)
    server = Server(tmp_path)
    server.run("-c", CHECK)


CHECK = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from annotation.management.health import database_check
database_check()
"""
