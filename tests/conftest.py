"""What all tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data to check against; a user's machine has none of it, and there such tests skip."""
    folder = Path(os.environ.get("TOUCHSTONE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        if os.environ.get("TOUCHSTONE_NO_SKIP"):
            pytest.fail(f"no shared data under {folder}, and skipping is not allowed here")
        pytest.skip(f"no shared data under {folder}; set TOUCHSTONE_SHARED")
    return folder
