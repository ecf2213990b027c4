"""What all tests share."""

import math
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
    # The browser's tests are the longest, and must not be what everybody waits for in the end.
    items.sort(key=lambda item: ROOT / "tests" / "browser" not in item.path.parents)
    for item in items:
        if ROOT / "tests" / "browser" not in item.path.parents:
            # What the tests of a file share is then made by one process alone.
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(ROOT).as_posix()))
    if not config.getoption("--with-database"):
        return
    fixtures = {"db", "transactional_db", "live_server"}
    asks = [bool(item.get_closest_marker("django_db") or fixtures & set(item.fixturenames)) for item in items]
    config.hook.pytest_deselected(items=[item for item, ask in zip(items, asks, strict=True) if not ask])
    items[:] = [item for item, ask in zip(items, asks, strict=True) if ask]


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
def searches_are_quick():
    """Among so many tests, collecting garbage alone may take as long as a search in vain that the server remembers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotation.pace.InVain.LONG", math.inf)
        yield


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
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR
