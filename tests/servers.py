"""The real server, as ``make run`` starts it, on a data folder and a database of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests import postgres

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 240


class Server:
    """``manage.py serve`` in a process group of its own, so that it can be killed whole."""

    def __init__(self, data: Path, database_url: str = "", port: int | None = None) -> None:
        self.data = data
        self.database_url = database_url
        self.port = port or postgres.free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"} and not name.startswith("TOUCHSTONE_")
        }
        self.environment = kept | {"TOUCHSTONE_DATA": str(data), "PORT": str(self.port)}
        if database_url:
            self.environment["DATABASE_URL"] = database_url
        self.process: subprocess.Popen | None = None
        self.log = data / "server.log"

    def run(self, *command: str) -> str:
        """Run a Python program (``manage.py …``, ``-m …``) on this server's data and return what it prints."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.1)

    def answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True
        return False

    def kill(self) -> None:
        """SIGKILL for everything at once: server, workers, background jobs. Nobody can tidy up."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def web_processes(self) -> list[int]:
        """Those that answer requests, without the one that watches over them."""
        web = self._named("ts-web")
        return sorted(pid for pid, parent in web.items() if parent in web)

    def slow_lane(self) -> list[int]:
        """The one that answers what takes seconds; none while it is started anew."""
        return list(self._named("ts-slow_lane"))

    def _named(self, name: str) -> dict[int, int]:
        """The server's processes of this name, and their parents."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # a process may end while one looks
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                if int(fields[2]) == self.process.pid and (process / "comm").read_text().strip() == name:
                    found[int(process.name)] = int(fields[1])
        return found

    def judgments(self) -> list[tuple[str, uuid.UUID, int, Any]]:
        """Public id, client key, revision and answer of every judgment, read past the application."""
        query = (
            "SELECT a.public_id, j.client_key, j.revision, CAST(j.answer AS text)"
            " FROM annotation_judgment j JOIN annotation_assignment a ON a.id = j.assignment_id"
        )
        if self.database_url:
            with psycopg.connect(self.database_url) as connection:
                rows: list[tuple] = connection.execute(query).fetchall()
        else:
            with contextlib.closing(sqlite3.connect(self.data / "touchstone.sqlite3")) as connection:
                rows = connection.execute(query).fetchall()
        return [(place, uuid.UUID(str(key)), revision, answer) for place, key, revision, answer in rows]


@contextlib.contextmanager
def serving(data: Path, database_url: str = "", port: int | None = None) -> Iterator[Server]:
    """A server with an empty database, not started yet; killed in the end."""
    server = Server(data, database_url, port)
    server.run("manage.py", "migrate", "-v0")
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def postgres_database() -> Iterator[str]:
    """The address of a new, empty PostgreSQL database: on the server of ``DATABASE_URL`` if there is one."""
    with contextlib.ExitStack() as stack:
        given = os.environ.get("DATABASE_URL", "")
        url = given if given.startswith("postgres") else stack.enter_context(postgres.server())
        name = f"load_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
