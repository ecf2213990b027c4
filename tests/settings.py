"""Settings for tests: a data folder of their own, quick password hashing, static files as they lie."""

import os
import tempfile
from pathlib import Path

_data = Path(os.environ.get("TOUCHSTONE_DATA") or tempfile.mkdtemp(prefix="touchstone-tests-"))
os.environ["TOUCHSTONE_DATA"] = str(_data)

from config.settings import *  # noqa: E402, F403
from config.settings import CACHES, DATABASES, STATIC_ROOT, STORAGES  # noqa: E402

STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Processes that test side by side have a database each, and so they count each for itself.
CACHES["throttle"]["LOCATION"] = str(_data / f"cache-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in production: threads of a live server cannot share a database in memory without locking it.
    DATABASES["default"]["TEST"] = {"NAME": str(_data / "test.sqlite3")}
