"""Many who write to SQLite at once: everybody gets their turn, and what is saved is on the disk."""

import statistics
import threading
import time

import pytest
from django.db import IntegrityError, connections, transaction
from django.db.utils import ConnectionHandler

from config import settings

WRITERS = 12
TURNS = 15
FULL, NORMAL = 2, 1


@pytest.fixture
def line(tmp_path, django_db_blocker):
    """The alias of a database of its own: the tests run whichever database the others run on."""
    options = {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": settings.SQLITE_PRAGMAS}
    database = {"ENGINE": "config.sqlite3", "NAME": tmp_path / "test.sqlite3", "OPTIONS": options}
    connections.settings["line"] = ConnectionHandler({"default": database}).settings["default"]
    with django_db_blocker.unblock():
        with connections["line"].cursor() as cursor:
            cursor.execute("CREATE TABLE counter (name text PRIMARY KEY, number integer)")
            cursor.execute("INSERT INTO counter VALUES ('turns', 0)")
        yield "line"
        connections["line"].close()
    del connections["line"], connections.settings["line"]


def value(connection, query):
    with connection.cursor() as cursor:
        return cursor.execute(query).fetchone()[0]


def test_nobody_loses_a_turn_and_nobody_waits_for_long(line):
    waits, problems = [], []

    def write():
        try:
            for _ in range(TURNS):
                began = time.monotonic()
                with transaction.atomic(line):
                    waits.append(time.monotonic() - began)
                    number = value(connections[line], "SELECT number FROM counter")
                    time.sleep(0.001)  # time enough for somebody else to read the same number
                    with connections[line].cursor() as cursor:
                        cursor.execute("UPDATE counter SET number = %s", [number + 1])
        except Exception as problem:
            problems.append(problem)
        finally:
            connections[line].close()

    threads = [threading.Thread(target=write) for _ in range(WRITERS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert value(connections[line], "SELECT number FROM counter") == WRITERS * TURNS
    # In line, a turn waits for one round of the others, a fifteenth of the time; where everybody looks again now and
    # then, the unlucky wait for half of it.
    assert statistics.quantiles(waits, n=20)[-1] < (time.monotonic() - began) / 4


def test_a_transaction_syncs_after_it_gave_way_and_a_single_statement_by_itself(line):
    connection = connections[line]
    assert value(connection, "PRAGMA synchronous") == FULL
    with transaction.atomic(line):
        assert value(connection, "PRAGMA synchronous") == NORMAL
    assert value(connection, "PRAGMA synchronous") == FULL
    with pytest.raises(ZeroDivisionError), transaction.atomic(line):
        raise ZeroDivisionError
    assert value(connection, "PRAGMA synchronous") == FULL


@pytest.mark.parametrize("problem", ["rollback", "constraint", "closed"])
def test_whoever_fails_leaves_the_line(line, problem):
    connection = connections[line]
    if problem == "rollback":
        with pytest.raises(ZeroDivisionError), transaction.atomic(line):
            raise ZeroDivisionError
    elif problem == "constraint":
        with pytest.raises(IntegrityError), transaction.atomic(line), connection.cursor() as cursor:
            cursor.execute("INSERT INTO counter VALUES ('turns', 1)")
    else:
        with transaction.atomic(line):
            connection.close()
        connection.connect()
    done = threading.Event()

    def write():
        with transaction.atomic(line), connections[line].cursor() as cursor:
            cursor.execute("UPDATE counter SET number = 7")
        connections[line].close()
        done.set()

    threading.Thread(target=write, daemon=True).start()
    assert done.wait(timeout=10)
    assert value(connection, "SELECT number FROM counter") == 7


def test_the_lock_is_the_owners_alone(line, tmp_path):
    with transaction.atomic(line):
        pass
    assert (tmp_path / "test.sqlite3.lock").stat().st_mode & 0o077 == 0
