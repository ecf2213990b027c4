"""Settings of a worker that a test starts: the tests' own, on the database that the test is using."""

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES

DATABASES["default"]["NAME"] = os.environ["TOUCHSTONE_TEST_DATABASE"]
