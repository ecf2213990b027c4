"""Backups: made under load, restored elsewhere, and refused when anything about them is wrong."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import postgres
from tests.servers import ROOT, Server, postgres_database, serving


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def filled(request, tmp_path_factory) -> Iterator[Server]:
    """A database with a study that was judged, and a report."""
    folder = tmp_path_factory.mktemp("filled")
    with contextlib.ExitStack() as stack:
        if request.param == "postgres" and postgres.binaries() is None:
            pytest.skip("PostgreSQL is not installed")
        url = stack.enter_context(postgres_database()) if request.param == "postgres" else ""
        server = stack.enter_context(serving(folder, url))
        server.run("manage.py", "import_study", "fixtures/demo")
        server.run("manage.py", "simulate_study", "demo", "--seed", "1")
        report = folder / "reports" / "7"
        report.mkdir(parents=True)
        (report / "report.json").write_text("{}")
        yield server


@contextlib.contextmanager
def elsewhere(server: Server, folder: Path) -> Iterator[Server]:
    """A server of the same kind with nothing in it, not even tables."""
    with postgres_database() if server.database_url else contextlib.nullcontext("") as url:
        yield Server(folder, url)


@pytest.mark.slow
def test_a_backup_made_while_people_judge_has_all_that_was_acknowledged_and_comes_back_elsewhere(
    filled, tmp_path
):
    """Before: SQLite's own backup, as documented, began anew with every write and did not end."""
    target = tmp_path / "touchstone.zip"
    acknowledged: list[str] = []
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER], cwd=ROOT, env=filled.environment, stdout=subprocess.PIPE, text=True
    )
    try:
        for line in writer.stdout:
            acknowledged.append(line.strip())
            if len(acknowledged) == 20:
                break
        drained = threading.Thread(
            target=lambda: acknowledged.extend(line.strip() for line in writer.stdout), daemon=True
        )
        drained.start()
        before = set(acknowledged)
        printed = filled.run("manage.py", "backup", str(target))
        assert writer.poll() is None, "nobody was writing any more"
    finally:
        writer.kill()
        writer.wait()
    assert "judgments" in printed
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with elsewhere(filled, tmp_path / "new") as restored:
        (tmp_path / "new").mkdir()
        restored.run("manage.py", "restore", str(target))
        there = {str(key) for _, key, _, _ in restored.judgments()}
        assert len(before) == 20
        assert before <= there
        assert set(restored.judgments()) <= set(filled.judgments())
        assert broken_rows(restored) == []
        assert "all as they were written" in restored.run("manage.py", "audit_verify")
        assert (restored.data / "secret.key").read_text() == (filled.data / "secret.key").read_text()
        assert (restored.data / "reports" / "7" / "report.json").read_text() == "{}"
        # It can be worked with: rows that are added get numbers of their own.
        restored.run("manage.py", "migrate", "--check")
        restored.run("manage.py", "invite", "demo", "Newcomer")
        with pytest.raises(RuntimeError, match="There are data here already"):
            restored.run("manage.py", "restore", str(target))


def broken_rows(server: Server) -> list:
    """Rows that name others which are not there. PostgreSQL has checked that itself, when they came back."""
    if server.database_url:
        return []
    with contextlib.closing(sqlite3.connect(server.data / "touchstone.sqlite3")) as connection:
        return connection.execute("PRAGMA foreign_key_check").fetchall()


# Judges a study of its own, and prints the key of each judgment when it is acknowledged; then revises the last one, without end.
WRITER = """
import itertools, os, uuid
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from annotation.services import work
from annotation.services.studies import study_open
from tests.studies import SEE, make_study
study = make_study(SEE | {"quality": False}, slug="load", documents=150, assessors=2, revise=True)
study_open(study=study)
answer = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}
people = list(study.assessors.select_related("study"))
while working := [row for one in people if (row := work.assignment_next(assessor=one))]:
    for row in working:
        key = uuid.uuid4()
        work.judgment_record(assignment=row, client_key=key, revision=1, answer=answer, seconds=1)
        print(key, flush=True)
        last = row
for revision in itertools.count(2):
    work.judgment_record(assignment=last, client_key=uuid.uuid4(), revision=revision, answer=answer, seconds=1)
"""


@pytest.fixture(scope="module")
def backup(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("backup")
    with serving(folder) as server:
        server.run("manage.py", "backup", str(folder / "b.zip"))
    return folder / "b.zip"


def damaged(backup: Path, target: Path, how: str) -> Path:
    data = bytearray(backup.read_bytes())
    if how == "cut off":
        target.write_bytes(data[: len(data) // 2])
    elif how == "one bit":
        target.write_bytes(_flipped(data))
    elif how == "no zip":
        target.write_bytes(b"nothing")
    elif how == "another database":
        shutil.copy(backup, target)
        _rewritten(target, "touchstone.sqlite3", b"something else")
    elif how == "a trigger":
        shutil.copy(backup, target)
        _with_a_trigger(target)
    elif how == "no database":
        shutil.copy(backup, target)
        _with_database(target, b"SQLite format 4\0" * 500)
    elif how == "a way out":
        shutil.copy(backup, target)
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("reports/../../out", "x")
    elif how == "newer":
        shutil.copy(backup, target)
        manifest = json.loads(zipfile.ZipFile(backup).read("manifest.json"))
        manifest["migrations"].append(["annotation", "0999_later"])
        _rewritten(target, "manifest.json", json.dumps(manifest).encode())
    return target


def _with_a_trigger(path: Path) -> None:
    """That makes something else of what people judge; and the list of files says so."""
    file = path.with_suffix(".sqlite3")
    file.write_bytes(zipfile.ZipFile(path).read("touchstone.sqlite3"))
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute(
            "CREATE TRIGGER t AFTER INSERT ON annotation_judgment BEGIN UPDATE annotation_judgment SET answer = '{}'; END"
        )
    _with_database(path, file.read_bytes())


def _with_database(path: Path, content: bytes) -> None:
    manifest = json.loads(zipfile.ZipFile(path).read("manifest.json"))
    (entry,) = (entry for entry in manifest["entries"] if entry["name"] == "touchstone.sqlite3")
    entry |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    _rewritten(path, "touchstone.sqlite3", content)
    _rewritten(path, "manifest.json", json.dumps(manifest).encode())


def _flipped(data: bytearray) -> bytes:
    """The zip with one bit changed that matters: some unpack to the same, such as the length of a run of zeros."""
    for place in range(len(data) // 3, len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        try:
            with zipfile.ZipFile(io.BytesIO(changed)) as archive:
                if archive.testzip():
                    return changed
        except (zipfile.BadZipFile, zlib.error):
            return changed
    raise AssertionError("no bit of it matters")


def _rewritten(path: Path, name: str, content: bytes | None) -> None:
    """An entry with another content; with None it is taken out."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()} | {name: content}
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries.items():
            if data is not None:
                archive.writestr(entry, data)


@pytest.mark.parametrize(
    "how",
    [
        *(
            "cut off",
            "one bit",
            "no zip",
            "another database",
            "a trigger",
            "no database",
            "a way out",
            "newer",
        ),
        "absent",
    ],
)
def test_a_backup_that_is_not_as_it_was_is_refused_and_nothing_is_written(backup, how, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    server = Server(data)
    bad = damaged(backup, tmp_path / "bad.zip", how)
    with pytest.raises(RuntimeError) as told:
        server.run("manage.py", "restore", str(bad))
    words = str(told.value)
    assert "Traceback" not in words, words
    expected = {"newer": "newer version", "absent": "There is no file"}.get(how, "Nothing was restored")
    assert expected in words
    assert {path.name for path in data.iterdir()} <= {"secret.key", "backup.lock"}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("filled", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_backup_tells_postgresql_nothing_but_its_rows_and_all_of_them(filled, tmp_path):
    """Before: the line that names a table's columns became part of a command, and ran a program of whoever had written it."""
    bad, ran = tmp_path / "bad.zip", Path(tempfile.gettempdir()) / f"touchstone-ran-{os.getpid()}"
    filled.run("manage.py", "backup", str(bad))
    manifest = json.loads(zipfile.ZipFile(bad).read("manifest.json"))
    (entry,) = (entry for entry in manifest["entries"] if entry["name"] == "tables/auth_group")

    def told() -> str:
        _rewritten(bad, "manifest.json", json.dumps(manifest).encode())
        folder = tmp_path / uuid.uuid4().hex
        folder.mkdir()
        with elsewhere(filled, folder) as restored, pytest.raises(RuntimeError) as refused:
            restored.run("manage.py", "restore", str(bad))
        assert "Traceback" not in str(refused.value)
        return str(refused.value)

    for head in ("id\") FROM PROGRAM 'touch {}' --", "id\tnobody", "id\tname\tname"):
        content = (head.format(ran) + "\n").encode()
        entry |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        _rewritten(bad, "tables/auth_group", content)
        assert "the table “auth_group”" in told()
        assert not ran.exists()
    manifest["entries"].remove(entry)
    _rewritten(bad, "tables/auth_group", None)
    assert "it has no “tables/auth_group”" in told()


@pytest.mark.parametrize("left", ["touchstone.sqlite3-wal", "touchstone.sqlite3-journal"])
def test_nothing_is_restored_beside_what_a_killed_server_had_yet_to_write(backup, left, tmp_path):
    """SQLite would write it into the restored database, which has other pages: it was malformed, and called restored."""
    (tmp_path / left).write_bytes(b"pages of another database")
    with pytest.raises(RuntimeError, match=left):
        Server(tmp_path).run("manage.py", "restore", str(backup))
    assert not (tmp_path / "touchstone.sqlite3").exists()


def _with_django(data: Path, *lines: str) -> str:
    """What a program prints that knows the application, with its data in this folder."""
    server = Server(data)
    server.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    program = ("import django, os; django.setup()", "from pathlib import Path", *lines)
    return server.run("-c", "\n".join(program))


def test_nothing_is_restored_over_what_a_server_made_meanwhile(backup, tmp_path):
    """As where a service starts by itself. Before: the file was replaced under it, beside its log."""
    told = _with_django(
        tmp_path,
        "from annotation.backups import restore",
        "from annotation.errors import Refused",
        "extract = restore._extract",
        "def meanwhile(archive, name, target):",
        "    extract(archive, name, target)",
        f"    Path('{tmp_path}/touchstone.sqlite3').write_bytes(b'of the server')",
        "restore._extract = meanwhile",
        f"try: restore.backup_restore(source=Path('{backup}'))",
        "except Refused as refused: print(refused)",
    )
    assert "A server was started" in told
    assert (tmp_path / "touchstone.sqlite3").read_bytes() == b"of the server"


def test_of_two_who_restore_at_once_one_is_refused(backup, tmp_path):
    """Before: they wrote into each other's files, and the first called restored what was the other's."""
    told = _with_django(
        tmp_path,
        "import subprocess, sys",
        "from annotation.backups import restore",
        "extract = restore._extract",
        "def meanwhile(archive, name, target):",
        "    extract(archive, name, target)",
        f"    other = subprocess.run([sys.executable, 'manage.py', 'restore', '{backup}'], capture_output=True, text=True)",
        "    print(other.returncode, other.stderr)",
        "    restore._extract = extract",
        "restore._extract = meanwhile",
        f"restore.backup_restore(source=Path('{backup}'))",
        "print('restored')",
    )
    assert told.startswith("1 CommandError: Another backup is being restored there")
    assert told.endswith("restored\n")


@pytest.mark.parametrize("filled", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_nothing_is_restored_over_what_a_server_made_meanwhile_in_postgresql(filled, tmp_path):
    """Before: its tables were emptied, whatever people had done there."""
    filled.run("manage.py", "backup", str(tmp_path / "b.zip"))
    with postgres_database() as url:
        server = Server(tmp_path, url)
        server.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        told = server.run("-c", MEANWHILE.format(backup=tmp_path / "b.zip"))
        assert told == "A server was started on this database 1\n"


MEANWHILE = """
import django
django.setup()
from pathlib import Path
from django.contrib.auth.models import User
from annotation.backups import restore
from annotation.errors import Refused
migrate = restore.call_command
def meanwhile(*command, **options):
    migrate("migrate", verbosity=0)
    User.objects.get_or_create(username="somebody")
restore.call_command = meanwhile
try:
    restore.backup_restore(source=Path("{backup}"))
except Refused as refused:
    print(str(refused).partition(" meanwhile")[0], User.objects.filter(username="somebody").count())
"""


def test_a_backup_is_made_and_a_key_where_the_file_system_knows_no_links(backup, tmp_path):
    """As on a disk for backups with exFAT. Before: each of them failed there, and nothing could be started."""
    told = _with_django(
        backup.parent,
        "from annotation.backups.make import backup_make",
        "from annotation.errors import Refused",
        "from config.secret import secret_key",
        "def link(*_): raise PermissionError(1, 'Operation not permitted')",
        "os.link = link",
        f"backup_make(target=Path('{tmp_path}/b.zip'))",
        f"try: backup_make(target=Path('{tmp_path}/b.zip'))",
        "except Refused as refused: print(refused)",
        f"print(len(secret_key(Path('{tmp_path}/secret.key'))))",
    )
    assert "There is a file" in told
    assert told.endswith("86\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "secret.key"]


def test_a_backup_is_restored_where_the_file_system_knows_no_links(backup, tmp_path):
    """As on exFAT, where the database was put in place by a link alone."""
    _with_django(
        tmp_path,
        "from annotation.backups.restore import backup_restore",
        "def link(*_): raise PermissionError(1, 'Operation not permitted')",
        "os.link = link",
        f"backup_restore(source=Path('{backup}'))",
    )
    assert (tmp_path / "touchstone.sqlite3").read_bytes().startswith(b"SQLite format 3")
    assert not list(tmp_path.glob(".*.checked"))


@pytest.mark.parametrize("filled", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_a_table_that_postgresql_does_not_copy_is_told_in_words(filled, tmp_path):
    """Before: its own error came past Django's, and a backup that failed so was noted nowhere, and begun anew every two seconds."""
    with psycopg.connect(filled.database_url, autocommit=True) as database:
        database.execute("CREATE TABLE somebodys (id int) PARTITION BY RANGE (id)")
        try:
            with pytest.raises(RuntimeError, match="could not be written: cannot copy") as told:
                filled.run("manage.py", "backup", str(tmp_path / "b.zip"))
        finally:
            database.execute("DROP TABLE somebodys")
    assert "Traceback" not in str(told.value)
    assert not list(tmp_path.iterdir())


def test_a_name_that_cannot_be_written_is_told_in_words(backup):
    with pytest.raises(RuntimeError, match="could not be written: File name too long") as told:
        Server(backup.parent).run("manage.py", "backup", str(backup.parent / ("x" * 252 + ".zip")))
    assert "Traceback" not in str(told.value)


def test_a_backup_never_replaces_a_file(backup):
    server = Server(backup.parent)
    with pytest.raises(RuntimeError, match="There is a file"):
        server.run("manage.py", "backup", str(backup))
    assert not [path for path in backup.parent.iterdir() if path.name.startswith(".")]


def test_one_backup_at_a_time(tmp_path):
    """The lock is taken from a process that is killed."""
    holder = "from annotation.backups.only_one import only_one\nwith only_one():\n  print('has it', flush=True); input()"
    with serving(tmp_path) as server:
        environment = server.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        other = subprocess.Popen(
            [sys.executable, "-c", f"import django\ndjango.setup()\n{holder}"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert other.stdout.readline() == "has it\n"
            with pytest.raises(RuntimeError, match="Another backup is being made"):
                server.run("manage.py", "backup", str(tmp_path / "b.zip"))
        finally:
            other.kill()
            other.wait()
        server.run("manage.py", "backup", str(tmp_path / "b.zip"))
