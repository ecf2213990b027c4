"""What all tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NO_SKIP = bool(os.environ.get("TOUCHSTONE_NO_SKIP"))


def pytest_addoption(parser):
    parser.addoption(
        "--with-database", action="store_true", help="only tests that ask a database: enough for another one"
    )


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.name not in item.nodeid:  # Schemathesis calls its tests of all addresses alike
            item._id = item.parent.id.child(item.name)
    ids = [item.nodeid for item in items]
    assert len(set(ids)) == len(ids), "of tests with one name xdist runs the first alone"
    # The browser's tests are the longest, and must not be what everybody waits for in the end.
    items.sort(key=lambda item: ROOT / "tests" / "browser" not in item.path.parents)
    if not config.getoption("--with-database"):
        return
    asking = [item for item in items if asks_the_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(asking)])
    items[:] = asking


def asks_the_database(item):
    """And something that another one may answer otherwise."""
    fixtures = {"db", "transactional_db", "live_server"}
    asks = item.get_closest_marker("django_db") or fixtures & set(item.fixturenames)
    return bool(asks) and not item.get_closest_marker("one_database")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where everything a test needs must be there (``.ci/run``), a skip is a failure."""
    report = yield
    if NO_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"skipped where skipping is not allowed: {reason}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data to check against; a user's machine has none of it, and there such tests skip."""
    folder = Path(os.environ.get("TOUCHSTONE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no shared data under {folder}; set TOUCHSTONE_SHARED")
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_parses(tmp_path_factory):
    """Parses are kept for these tests alone, not in the cache of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_PARSES", str(tmp_path_factory.mktemp("parses")))
        yield


@pytest.fixture
def own_data(settings, tmp_path) -> Path:
    """A data folder for this test alone: rows begin at 1 in every database, and folders named after them would meet."""
    settings.DATA_DIR = tmp_path / "data"
    settings.BACKUP_FOLDER = settings.DATA_DIR / "backups"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR
