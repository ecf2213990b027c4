"""A task kind of another distribution, as it would be installed: its package, and the metadata that an installer leaves."""

from __future__ import annotations

import shutil
from pathlib import Path

HERE = Path(__file__).parent
ENTRY_POINTS = """[touchstone.tasks]
favourite = favourite.task
[touchstone.human]
favourite = favourite.human
"""


def install(folder: Path) -> Path:
    """Put the distribution into a folder, which has only to be on the path of Python."""
    shutil.copytree(HERE / "favourite", folder / "favourite", ignore=shutil.ignore_patterns("__pycache__"))
    metadata = folder / "favourite-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: favourite\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder
